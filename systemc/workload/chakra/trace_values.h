#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/error.h"
#include "workload/chakra/trace.h"

namespace coppice::workload::chakra {

// An attribute's value: a whole number of any type, a boolean as 0 or 1, or a string.
struct AttributeValue {
  std::optional<std::int64_t> number{};
  std::optional<std::string> text{};
};

// A whole number that fits in a signed 64-bit integer; nullopt for any other value.
std::optional<std::int64_t> whole_number(const nlohmann::json& value);
// The number in a string that contains nothing else; nullopt for other strings.
std::optional<std::int64_t> number_in(const std::string& text);

// The location of a node, for messages: "rank 3, node 17 'all_reduce'".
std::string place_of(int rank, const Node& node);

// Returns the kind with a number, or with a name such as COMM_COLL_NODE. Throws ConfigError.
NodeKind kind_of(const std::string& path, int rank, const Node& node, std::int64_t number);
NodeKind kind_named(const std::string& path, int rank, const Node& node, const std::string& name);

// Stores an attribute in its field; attributes that do not describe the node's work are ignored. Throws
// ConfigError if the value has the wrong type, or if it is negative and not a stream.
void set_attribute(const std::string& path, int rank, Node& node, const std::string& name,
                   const AttributeValue& value);

// The groups that a metadata node's input lists: [{'pg_name': '1', 'ranks': [0, 1]}]. Empty if it lists none.
NamedGroups groups_in(const std::string& values);

}  // namespace coppice::workload::chakra
