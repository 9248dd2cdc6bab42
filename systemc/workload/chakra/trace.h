#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coppice::workload::chakra {

// The kinds of nodes in a Chakra trace, with the numbers that its files use.
enum class NodeKind {
  kMetadata = 1,
  kMemoryLoad = 2,
  kMemoryStore = 3,
  kCompute = 4,
  kSend = 5,
  kReceive = 6,
  kCollective = 7
};

// The attributes of a node. Attributes that the trace does not contain are not set.
struct NodeAttributes {
  bool on_host = false;                                 // is_cpu_op
  std::optional<std::int64_t> operations{};             // num_ops
  std::optional<std::int64_t> tensor_bytes{};           // tensor_size
  std::optional<std::int64_t> collective{};             // comm_type
  std::optional<std::int64_t> communicated{};           // comm_size
  std::optional<std::int64_t> priority{};               // comm_priority
  std::optional<std::int64_t> source{};                 // comm_src
  std::optional<std::int64_t> destination{};            // comm_dst
  std::optional<std::int64_t> tag{};                    // comm_tag
  std::optional<std::string> group{};                   // pg_name, or comm_group
  std::optional<std::int64_t> stream{};                 // stream of the accelerator; may be negative
  std::optional<std::int64_t> duration_femtoseconds{};  // finer than duration_micros; specific to Coppice
  std::optional<std::int64_t> iteration{};              // specific to Coppice
  std::optional<std::string> purpose{};                 // specific to Coppice
  std::optional<std::string> communication{};  // the purpose of the communication; specific to Coppice
  bool operator==(const NodeAttributes&) const = default;
};

struct Node {
  std::uint64_t id = 0;
  std::string name;
  NodeKind kind = NodeKind::kCompute;
  std::vector<std::uint64_t> data_dependencies;
  std::vector<std::uint64_t> control_dependencies;
  std::uint64_t duration_micros = 0;
  NodeAttributes attributes;
  bool operator==(const Node&) const = default;
};

// [name of a group]: its ranks, as listed in files, which may include ranks without traces.
using NamedGroups = std::map<std::string, std::vector<std::int64_t>>;

// The trace of one rank. Nodes are in the order of the file.
struct Trace {
  std::string path;
  std::vector<Node> nodes;
  NamedGroups groups;  // the groups that metadata nodes list
};

// Reads a trace in protobuf or one of the JSON forms, which may be gzipped. `rank` is used only in error
// messages. Throws a ConfigError that names the file, rank and node if the contents are not supported. This
// includes traces of the old schema, which numbers types differently, and host traces that have not been
// converted.
Trace read_trace(const std::string& path, int rank);

}  // namespace coppice::workload::chakra
