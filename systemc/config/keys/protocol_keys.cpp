#include "config/keys/key_groups.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/document/entry_fields.h"
#include "config/keys/key_builders.h"

namespace coppice::config {
namespace {

constexpr double kLeastEfficiency = 0.01;
constexpr int kMostRanks = 1 << 20;
constexpr const char* kExpected = "a list such as [{name: LL, efficiency: 0.5, setup: 1 us, up_to: 256 KiB}]";

std::vector<std::string> read_names(const Node& value, const std::string& path, const std::string& expected) {
  std::vector<std::string> names;
  for (const Node& item : read_list(value, path, expected)) {
    names.push_back(read_text(item, element(path, names.size()), expected));
  }
  return names;
}

const Fields<ProtocolConfig>& protocol_fields() {
  using Protocol = ProtocolConfig;
  static const Fields<Protocol> fields{
      {"name", value_schema::text(),
       [](const Node& value, const std::string& path, Protocol& entry) {
         entry.name = read_text(value, path, "the name of a protocol");
       }},
      {"efficiency", value_schema::number(kLeastEfficiency, 1),
       [](const Node& value, const std::string& path, Protocol& entry) {
         entry.efficiency = read_number(value, path, kLeastEfficiency, 1);
       }},
      {"setup", duration_schema(),
       [](const Node& value, const std::string& path, Protocol& entry) {
         entry.setup = read_duration(value, path);
       }},
      {"launch", duration_schema(),
       [](const Node& value, const std::string& path, Protocol& entry) {
         entry.launch = read_duration(value, path);
       }},
      {"from", value_schema::quantity(parse_bytes),
       [](const Node& value, const std::string& path, Protocol& entry) {
         entry.from = read_quantity(value, path, parse_bytes, format_bytes, Bytes{0}, Bytes{1} << 50);
       }},
      {"up_to", value_schema::quantity(parse_bytes),
       [](const Node& value, const std::string& path, Protocol& entry) {
         entry.up_to = read_quantity(value, path, parse_bytes, format_bytes, Bytes{1}, Bytes{1} << 50);
       }},
      {"algorithms", value_schema::list(value_schema::text()),
       [](const Node& value, const std::string& path, Protocol& entry) {
         entry.algorithms = read_names(value, path, "a list of algorithms, such as [ring, double_tree]");
       }},
      {"operations", value_schema::list(value_schema::text()),
       [](const Node& value, const std::string& path, Protocol& entry) {
         entry.operations = read_names(value, path, "a list of operations, such as [all_reduce, send]");
       }},
      {"ranks", value_schema::list(value_schema::integer(1, kMostRanks), 2, 2),
       [](const Node& value, const std::string& path, Protocol& entry) {
         entry.ranks = read_integers(value, path, 1, kMostRanks, "[2, 8]");
         if (entry.ranks.size() == 2 && entry.ranks[0] <= entry.ranks[1]) return;
         refuse(value, path, "the minimum and maximum number of accelerators, such as [2, 8]");
       }},
  };
  return fields;
}

Json write_protocol(const ProtocolConfig& protocol) {
  Json json = {{"name", protocol.name},
               {"efficiency", protocol.efficiency},
               {"setup", format_duration(protocol.setup)}};
  if (protocol.launch) json["launch"] = format_duration(*protocol.launch);
  if (protocol.from) json["from"] = format_bytes(*protocol.from);
  if (protocol.up_to) json["up_to"] = format_bytes(*protocol.up_to);
  if (!protocol.algorithms.empty()) json["algorithms"] = protocol.algorithms;
  if (!protocol.operations.empty()) json["operations"] = protocol.operations;
  if (!protocol.ranks.empty()) json["ranks"] = protocol.ranks;
  return json;
}

}  // namespace

Key protocols_key() {
  Key key;
  key.path = "system.ni.protocols";
  key.schema = entries_schema(protocol_fields(), {"name"});
  key.form = "a list of sections";
  key.parts = {
      {"name", "The protocol's name in results.", "a name"},
      {"efficiency", "The share of data in the transferred bytes.", "a number from 0.01 to 1"},
      {"setup", "The setup time per message, instead of system.ni.message_setup.",
       "a duration, such as 1 us"},
      {"launch", "The launch time of a collective, instead of system.ni.launch.", "a duration, such as 5 us"},
      {"from", "The size of the smallest collective that can use the protocol.",
       "an amount of data, such as 64 KiB"},
      {"up_to", "The size of the largest collective that can use the protocol.",
       "an amount of data, such as 256 KiB"},
      {"algorithms", "The algorithms that can use the protocol (default: all).", "a list of algorithms"},
      {"operations", "The operations that can use the protocol, including send (default: all).",
       "a list of operations"},
      {"ranks", "The minimum and maximum number of accelerators of a collective that can use the protocol.",
       "[fewest, most]"}};
  key.example = "[{name: LL, efficiency: 0.5, setup: 1 us, up_to: 256 KiB}, {name: Simple, setup: 4 us}]";
  key.read = [path = key.path](const Node& value, Config& config) {
    std::vector<ProtocolConfig>& protocols = config.system.ni.protocols;
    protocols.clear();
    for (const Node& item : read_list(value, path, kExpected)) {
      const std::string item_path = element(path, protocols.size());
      ProtocolConfig protocol = read_entry(item, item_path, protocol_fields(), kExpected);
      if (protocol.name.empty()) {
        throw ConfigError(item.place, fmt::format("{} needs a name, such as LL", item_path));
      }
      if (std::ranges::find(protocols, protocol.name, &ProtocolConfig::name) != protocols.end()) {
        throw ConfigError(
            item.place, fmt::format("{}: another protocol already has the name '{}': choose a different name",
                                    item_path, protocol.name));
      }
      protocols.push_back(std::move(protocol));
    }
  };
  key.write = [](const Config& config) {
    Json list = Json::array();
    for (const ProtocolConfig& protocol : config.system.ni.protocols)
      list.push_back(write_protocol(protocol));
    return list.empty() ? Json() : list;
  };
  return key;
}

Key reduction_bandwidth_key() {
  Key key;
  key.path = "system.switch.reduction_bandwidth";
  key.schema = value_schema::quantity(parse_bandwidth);
  key.example = "300 GB/s";
  key.form = "from 1 kB/s to 100 TB/s";
  key.read = [path = key.path](const Node& value, Config& config) {
    config.system.switches.reduction_bandwidth = read_quantity(
        value, path, parse_bandwidth, format_bandwidth, Bandwidth{1'000}, Bandwidth{100'000'000'000'000});
  };
  key.write = [](const Config& config) {
    const auto& bandwidth = config.system.switches.reduction_bandwidth;
    return bandwidth ? Json(format_bandwidth(*bandwidth)) : Json();
  };
  return key;
}

}  // namespace coppice::config
