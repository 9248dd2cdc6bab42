#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/error.h"
#include "workload/chakra/trace.h"

namespace coppice::workload::chakra {

// The value of an attribute: a whole number of any type, a Boolean as 0 or 1, or a string.
struct AttributeValue {
  std::optional<std::int64_t> number{};
  std::optional<std::string> text{};
};

// The value as a signed 64-bit integer; nullopt if it is not a whole number or is out of range.
std::optional<std::int64_t> whole_number(const nlohmann::json& value);
// The number that a string consists of; nullopt if the string contains anything else.
std::optional<std::int64_t> number_in(const std::string& text);

// Identifies a node in messages: "rank 3, node 17 'all_reduce'".
std::string place_of(int rank, const Node& node);

// Returns the kind for a number, or for a name such as COMM_COLL_NODE. Throws ConfigError if there is no such
// kind.
NodeKind kind_of(const std::string& path, int rank, const Node& node, std::int64_t number);
NodeKind kind_named(const std::string& path, int rank, const Node& node, const std::string& name);

// Stores an attribute in the node. Attributes that do not describe the node's work are ignored. Throws
// ConfigError if the value has the wrong type, or if it is negative for any attribute except the stream.
void set_attribute(const std::string& path, int rank, Node& node, const std::string& name,
                   const AttributeValue& value);

// The groups that a metadata node lists in its input, in the form [{'pg_name': '1', 'ranks': [0, 1]}]; empty
// if it lists none.
NamedGroups groups_in(const std::string& values);

}  // namespace coppice::workload::chakra
