#include "workload/chakra/trace_values.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace coppice::workload::chakra {
namespace {

struct NamedKind {
  const char* name;
  NodeKind kind;
};
constexpr std::array kKinds{
    NamedKind{"METADATA_NODE", NodeKind::kMetadata},     NamedKind{"MEM_LOAD_NODE", NodeKind::kMemoryLoad},
    NamedKind{"MEM_STORE_NODE", NodeKind::kMemoryStore}, NamedKind{"COMP_NODE", NodeKind::kCompute},
    NamedKind{"COMM_SEND_NODE", NodeKind::kSend},        NamedKind{"COMM_RECV_NODE", NodeKind::kReceive},
    NamedKind{"COMM_COLL_NODE", NodeKind::kCollective}};
constexpr std::int64_t kOldCollective = 8;

struct NamedNumber {
  const char* name;
  std::optional<std::int64_t> NodeAttributes::*field;
};
constexpr std::array kNumbers{NamedNumber{"num_ops", &NodeAttributes::operations},
                              NamedNumber{"tensor_size", &NodeAttributes::tensor_bytes},
                              NamedNumber{"comm_type", &NodeAttributes::collective},
                              NamedNumber{"comm_size", &NodeAttributes::communicated},
                              NamedNumber{"comm_priority", &NodeAttributes::priority},
                              NamedNumber{"comm_src", &NodeAttributes::source},
                              NamedNumber{"comm_dst", &NodeAttributes::destination},
                              NamedNumber{"comm_tag", &NodeAttributes::tag},
                              NamedNumber{"coppice_duration_fs", &NodeAttributes::duration_femtoseconds},
                              NamedNumber{"coppice_iteration", &NodeAttributes::iteration}};

}  // namespace

std::string place_of(int rank, const Node& node) {
  return fmt::format("rank {}, node {} '{}'", rank, node.id, node.name);
}

NodeKind kind_of(const std::string& path, int rank, const Node& node, std::int64_t number) {
  for (const NamedKind& known : kKinds) {
    if (static_cast<std::int64_t>(known.kind) == number) return known.kind;
  }
  if (number == kOldCollective) {
    throw ConfigError({path}, fmt::format("{} has type 8: the trace uses the old schema, which numbers types "
                                          "from 1; convert it with a newer Chakra",
                                          place_of(rank, node)));
  }
  throw ConfigError({path},
                    fmt::format("{} has type {}: types are numbered 1 to 7", place_of(rank, node), number));
}

NodeKind kind_named(const std::string& path, int rank, const Node& node, const std::string& name) {
  const auto* known = std::ranges::find_if(kKinds, [&](const NamedKind& kind) { return name == kind.name; });
  if (known != kKinds.end()) return known->kind;
  throw ConfigError(
      {path}, fmt::format("{} has type '{}': the types are METADATA_NODE, MEM_LOAD_NODE, MEM_STORE_NODE, "
                          "COMP_NODE, COMM_SEND_NODE, COMM_RECV_NODE and COMM_COLL_NODE",
                          place_of(rank, node), name));
}

std::optional<std::int64_t> whole_number(const nlohmann::json& value) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() >> 63 != 0) return std::nullopt;
  if (!value.is_number_integer()) return std::nullopt;
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void set_attribute(const std::string& path, int rank, Node& node, const std::string& name,
                   const AttributeValue& value) {
  const auto number = [&] {
    if (value.number && *value.number >= 0) return *value.number;
    throw ConfigError(
        {path}, fmt::format("{}: {} is not a whole number from 0 to 2^63 - 1", place_of(rank, node), name));
  };
  NodeAttributes& attributes = node.attributes;
  if (name == "is_cpu_op") {
    attributes.on_host = number() != 0;
  } else if (name == "pg_name" || name == "comm_group") {
    attributes.group = value.text ? *value.text : std::to_string(number());
  } else if (name == "stream") {
    // Some tools write the stream as a string.
    attributes.stream = value.number ? value.number : number_in(value.text.value_or(""));
    if (!attributes.stream) {
      throw ConfigError({path}, fmt::format("{}: stream is not a whole number", place_of(rank, node)));
    }
  } else if (name == "coppice_kind") {
    attributes.communication = value.text.value_or("");
  } else if (name == "coppice_purpose") {
    attributes.purpose = value.text.value_or("");
  } else {
    for (const NamedNumber& known : kNumbers) {
      if (name == known.name) attributes.*known.field = number();
    }
  }
}

NamedGroups groups_in(const std::string& values) {
  NamedGroups groups;
  if (values.find("pg_name") == std::string::npos) return groups;
  std::string text = values;
  std::ranges::replace(text, '\'', '"');
  // Groups are listed in JSON, either directly or in a string that is an element of a list.
  auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    const std::size_t begin = values.find("[{");
    const std::size_t end = values.rfind("}]");
    if (begin == std::string::npos || end == std::string::npos) return groups;
    text = values.substr(begin, end + 2 - begin);
    std::erase(text, '\\');
    std::ranges::replace(text, '\'', '"');
    json = nlohmann::json::parse(text, nullptr, false);
  }
  while (json.is_array() && json.size() == 1 && json[0].is_array()) json = nlohmann::json(json[0]);
  if (!json.is_array()) return groups;
  for (const auto& group : json) {
    if (!group.is_object() || !group.contains("pg_name") || !group.contains("ranks")) continue;
    const auto& name = group["pg_name"];
    std::vector<std::int64_t> ranks;
    for (const auto& rank : group["ranks"]) {
      if (const auto number = whole_number(rank)) ranks.push_back(*number);
    }
    groups[name.is_string() ? name.get<std::string>() : name.dump()] = ranks;
  }
  return groups;
}

}  // namespace coppice::workload::chakra
