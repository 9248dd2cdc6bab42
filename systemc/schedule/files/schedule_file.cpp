#include "schedule/files/schedule_file.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/input_file.h"
#include "base/json_position.h"

namespace coppice::schedule {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostInt32 = std::numeric_limits<std::int32_t>::max();
constexpr Bytes kMostBytes = Bytes{1} << 40;
constexpr const char* kSchema = "coppice.schedule/1";

template <typename T>
struct Named {
  const char* name;
  T value;
};
template <typename T>
Named(const char*, T) -> Named<T>;

constexpr std::array kCollectives{Named{"all_reduce", Collective::kAllReduce},
                                  Named{"reduce_scatter", Collective::kReduceScatter},
                                  Named{"all_gather", Collective::kAllGather}};
constexpr std::array kOps{Named{"reduce", Op::kReduce}, Named{"gather", Op::kGather}, Named{"nop", Op::kNop}};

// The library's message without its own "parse error at line 3, column 19: ".
std::string without_place(const std::string& message) {
  const std::size_t column = message.find(", column ");
  const std::size_t colon = column == std::string::npos ? column : message.find(": ", column);
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

// A value of the file, and its location.
struct Value {
  const json& json_value;
  std::string pointer;
};

class ScheduleReader {
 public:
  ScheduleReader(std::string_view text, const std::string& file, std::string_view topology)
      : text_(text), file_(file), topology_(topology) {}

  Schedule read() {
    require_text();
    json document;
    try {
      document = json::parse(text_);
    } catch (const json::parse_error& error) {
      throw ConfigError(location_of_byte(text_, file_, error.byte > 0 ? error.byte - 1 : 0),
                        fmt::format("not valid JSON: {}", without_place(error.what())));
    } catch (const json::out_of_range& error) {
      throw ConfigError({file_}, fmt::format("not valid JSON: {}", without_place(error.what())));
    }
    if (const auto twin = find_duplicate_key(text_, file_)) {
      throw ConfigError(twin->place,
                        fmt::format("a second '{}' in this object: keep one of the two", twin->name));
    }
    return read_schedule({document, ""});
  }

 private:
  // The parser would take a zero byte for the end.
  void require_text() const {
    const std::size_t zero = text_.find('\0');
    if (zero == std::string_view::npos) return;
    throw ConfigError(location_of_byte(text_, file_, zero),
                      "the byte 0x00 cannot occur in a text file: remove it and everything after it");
  }

  // Tables refer to nodes and ports by number, and the numbers mean other nodes in another network.
  void require_topology(const Value& file) const {
    if (topology_.empty() || !file.json_value.contains("topology")) return;
    const Value name = field(file, "topology");
    if (text(name) == topology_) return;
    refuse(name, fmt::format("the tables are for {}, but the system is {}: use a schedule made for this "
                             "system, or the file's topology",
                             text(name), topology_));
  }

  [[noreturn]] void refuse(const Value& value, const std::string& what) const {
    throw ConfigError(locate(text_, file_, value.pointer),
                      fmt::format("{}: {}", value.pointer.empty() ? "the file" : value.pointer, what));
  }

  void require_keys(const Value& object, std::initializer_list<const char*> known) const {
    if (!object.json_value.is_object()) refuse(object, "must be an object");
    for (const auto& item : object.json_value.items()) {
      const bool is_known = std::ranges::any_of(known, [&](const char* name) { return item.key() == name; });
      if (!is_known) {
        refuse({item.value(), object.pointer + "/" + item.key()},
               fmt::format("unknown key; known keys: {}", fmt::join(known, ", ")));
      }
    }
  }
  Value field(const Value& object, const std::string& name) const {
    const auto at = object.json_value.find(name);
    if (at == object.json_value.end()) refuse(object, fmt::format("'{}' is missing", name));
    return {*at, object.pointer + "/" + name};
  }
  Value element(const Value& list, std::size_t index) const {
    return {list.json_value[index], fmt::format("{}/{}", list.pointer, index)};
  }
  Value list(const Value& object, const std::string& name) const { return as_list(field(object, name)); }
  Value as_list(Value value) const {
    if (!value.json_value.is_array()) refuse(value, "must be a list");
    return value;
  }
  std::int64_t integer(const Value& value, std::int64_t least, std::int64_t most) const {
    const bool fits = value.json_value.is_number_integer() &&
                      (!value.json_value.is_number_unsigned() ||
                       value.json_value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)) &&
                      value.json_value.get<std::int64_t>() >= least &&
                      value.json_value.get<std::int64_t>() <= most;
    if (!fits) {
      refuse(value, fmt::format("must be a whole number from {} to {}, not {}", least, most,
                                value.json_value.dump()));
    }
    return value.json_value.get<std::int64_t>();
  }
  std::int32_t int32(const Value& value, std::int64_t least) const {
    return static_cast<std::int32_t>(integer(value, least, kMostInt32));
  }
  bool flag(const Value& value) const {
    if (!value.json_value.is_boolean()) refuse(value, "must be true or false");
    return value.json_value.get<bool>();
  }
  std::string text(const Value& value) const {
    if (!value.json_value.is_string()) refuse(value, "must be a text");
    return value.json_value.get<std::string>();
  }
  template <typename T, std::size_t n>
  T one_of(const Value& value, const std::array<Named<T>, n>& names) const {
    const std::string word = text(value);
    std::string known;
    for (const auto& named : names) {
      if (word == named.name) return named.value;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", named.name);
    }
    refuse(value, fmt::format("'{}' is not one of {}", word, known));
  }

  // An MSCCL++ plan lists GPUs with the operations of their thread blocks.
  void require_no_plan(const Value& file) const {
    const json& object = file.json_value;
    if (!object.is_object() || object.contains("schema") || !object.contains("gpus")) return;
    throw ConfigError({file_},
                      "this is an MSCCL++ plan (JSON with \"gpus\"), which cannot be read: write the "
                      "algorithm as MSCCL XML, or as JSON from coppice schedule --format json");
  }

  Schedule read_schedule(const Value& file) const {
    require_no_plan(file);
    require_keys(file, {"schema", "algorithm", "collective", "topology", "size", "element", "steps",
                        "least_steps", "flows", "ordered_by_lockstep", "numbered_arrivals", "contention_free",
                        "shared", "shares", "routes", "ni_overhead", "nodes"});
    const Value schema = field(file, "schema");
    if (text(schema) != kSchema) refuse(schema, fmt::format("must be {}", kSchema));
    Schedule schedule;
    schedule.algorithm = text(field(file, "algorithm"));
    if (schedule.algorithm.empty())
      refuse(field(file, "algorithm"), "is empty: results show it as the algorithm's name");
    require_topology(file);
    schedule.collective = one_of(field(file, "collective"), kCollectives);
    schedule.size = integer(field(file, "size"), 1, kMostBytes);
    schedule.element = integer(field(file, "element"), 1, 64);
    schedule.steps = int32(field(file, "steps"), 0);
    schedule.flows = int32(field(file, "flows"), 0);
    schedule.ordered_by_lockstep = flag(field(file, "ordered_by_lockstep"));
    if (file.json_value.contains("numbered_arrivals"))
      schedule.numbered_arrivals = flag(field(file, "numbered_arrivals"));
    if (file.json_value.contains("shares")) read_shares(list(file, "shares"), schedule);
    read_routes(list(file, "routes"), schedule);
    read_nodes(list(file, "nodes"), schedule);
    return schedule;
  }

  void read_shares(const Value& shares, Schedule& schedule) const {
    for (std::size_t i = 0; i < shares.json_value.size(); ++i) {
      const Value share = element(shares, i);
      require_keys(share, {"owner", "address", "bytes"});
      schedule.shares.push_back({{integer(field(share, "address"), 0, schedule.size),
                                  integer(field(share, "bytes"), 0, schedule.size)},
                                 int32(field(share, "owner"), 0)});
    }
  }

  void read_routes(const Value& routes, Schedule& schedule) const {
    for (std::size_t r = 0; r < routes.json_value.size(); ++r) {
      const Value hops = as_list(element(routes, r));
      topology::Route route;
      for (std::size_t h = 0; h < hops.json_value.size(); ++h) {
        const Value hop = element(hops, h);
        require_keys(hop, {"out_port", "vcs"});
        const Value vcs = list(hop, "vcs");
        if (vcs.json_value.size() != 2) refuse(vcs, "must be [first, end] of the virtual channels");
        const auto vc = [&](std::size_t i) {
          return static_cast<std::uint8_t>(
              integer(element(vcs, i), 0, std::numeric_limits<std::uint8_t>::max()));
        };
        const auto port = integer(field(hop, "out_port"), 0, std::numeric_limits<std::uint16_t>::max());
        route.push_back({static_cast<std::uint16_t>(port), {vc(0), vc(1)}});
      }
      schedule.routes.push_back(std::move(route));
    }
  }

  void read_nodes(const Value& nodes, Schedule& schedule) const {
    for (std::size_t n = 0; n < nodes.json_value.size(); ++n) {
      const Value node = element(nodes, n);
      require_keys(node, {"ports"});
      const Value ports = list(node, "ports");
      NodeTables tables;
      for (std::size_t p = 0; p < ports.json_value.size(); ++p) {
        const Value entries = as_list(element(ports, p));
        auto& table = tables.ports.emplace_back();
        for (std::size_t e = 0; e < entries.json_value.size(); ++e)
          table.push_back(read_entry(element(entries, e), schedule));
      }
      schedule.nodes.push_back(std::move(tables));
    }
  }

  TableEntry read_entry(const Value& at, const Schedule& schedule) const {
    require_keys(at, {"op", "step", "bytes", "flow", "parent", "children", "dependencies", "arrival",
                      "padding", "address", "route"});
    TableEntry entry;
    entry.op = one_of(field(at, "op"), kOps);
    entry.step = int32(field(at, "step"), 1);
    entry.bytes = integer(field(at, "bytes"), 0, kMostBytes);
    if (entry.op == Op::kNop) return entry;
    entry.flow = int32(field(at, "flow"), 0);
    const Value parent = field(at, "parent");
    entry.parent = parent.json_value.is_null() ? topology::kNoNode : int32(parent, 0);
    const Value children = list(at, "children");
    for (std::size_t c = 0; c < children.json_value.size(); ++c)
      entry.children.push_back(int32(element(children, c), 0));
    if (entry.op == Op::kReduce && parent.json_value.is_null())
      refuse(parent, "a reduce must have a parent to send to");
    if (entry.op == Op::kGather && entry.children.size() != 1)
      refuse(children, fmt::format("a gather must have one child, not {}", entry.children.size()));
    entry.dependencies = int32(field(at, "dependencies"), 0);
    if (schedule.numbered_arrivals) entry.arrival = int32(field(at, "arrival"), 0);
    if (at.json_value.contains("padding")) entry.padding = int32(field(at, "padding"), 0);
    entry.address = integer(field(at, "address"), 0, kMostBytes);
    entry.route = int32(field(at, "route"), 0);
    return entry;
  }

  std::string_view text_;
  std::string file_;
  std::string_view topology_;
};

}  // namespace

Schedule parse_schedule(std::string_view text, const std::string& file, std::string_view topology) {
  return ScheduleReader(text, file, topology).read();
}

std::string read_schedule_text(const std::string& path) {
  try {
    return read_input_file(path);
  } catch (const UnreadableError& error) {
    throw UnsupportedError(fmt::format("'{}' cannot be read: {}", path, error.what()));
  }
}

AlgorithmInfo tables_from_a_file() {
  return {.name = "file",
          .summary =
              "tables read from collective.file: JSON as printed by coppice schedule, MSCCL XML or TACOS CSV",
          .chunking = Chunking::kGiven,
          .from_file = true};
}

}  // namespace coppice::schedule
