#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/error.h"
#include "workload/chakra/trace.h"

namespace coppice::workload::chakra {

// An attribute's value: a whole number of any type, a truth value as 0 or 1, or a text.
struct AttributeValue {
  std::optional<std::int64_t> number{};
  std::optional<std::string> text{};
};

// A whole number of at most 63 bits and a sign; nothing for any other value.
std::optional<std::int64_t> whole_number(const nlohmann::json& value);
// The same of a text that is a number and nothing else.
std::optional<std::int64_t> number_in(const std::string& text);

// The location of a node, for messages: "rank 3, node 17 'all_reduce'".
std::string place_of(int rank, const Node& node);

// The kind of a number or of a name such as COMM_COLL_NODE. Throws ConfigError.
NodeKind kind_of(const std::string& path, int rank, const Node& node, std::int64_t number);
NodeKind kind_named(const std::string& path, int rank, const Node& node, const std::string& name);

// Puts an attribute where it belongs; those that say nothing of the node's work are left out. Throws
// ConfigError where the value is of the wrong type, or negative and no stream.
void set_attribute(const std::string& path, int rank, Node& node, const std::string& name,
                   const AttributeValue& value);

// The groups that a metadata node's input lists: [{'pg_name': '1', 'ranks': [0, 1]}]. Empty if it lists none.
NamedGroups groups_in(const std::string& values);

}  // namespace coppice::workload::chakra
