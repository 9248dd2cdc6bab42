#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coppice::workload::chakra {

// The kinds of nodes of a Chakra trace, numbered as in its files.
enum class NodeKind {
  kMetadata = 1,
  kMemoryLoad = 2,
  kMemoryStore = 3,
  kCompute = 4,
  kSend = 5,
  kReceive = 6,
  kCollective = 7
};

// The attributes of a node; absent ones are not set.
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
  std::optional<std::int64_t> stream{};                 // of the accelerator; may be negative
  std::optional<std::int64_t> duration_femtoseconds{};  // finer than duration_micros; specific to Coppice
  std::optional<std::int64_t> iteration{};              // Coppice's own
  std::optional<std::string> purpose{};                 // Coppice's own
  std::optional<std::string> communication{};           // the purpose of the communication; Coppice's own
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

// The ranks of each group, by name, as listed in files; there need not be traces of these ranks.
using NamedGroups = std::map<std::string, std::vector<std::int64_t>>;

// The trace of one rank, in file order.
struct Trace {
  std::string path;
  std::vector<Node> nodes;
  NamedGroups groups;  // as listed by metadata nodes
};

// Reads a trace: protobuf or one of the JSON forms, gzipped or not. `rank` is used in messages. Throws
// ConfigError, naming file, rank and node, for unsupported contents, such as traces of the old schema, whose
// types have different numbers, and unconverted host traces.
Trace read_trace(const std::string& path, int rank);

}  // namespace coppice::workload::chakra
