#include "workload/chakra/export.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workload/chakra/execution_trace.pb.h"
#include "workload/chakra/trace.h"

namespace coppice::workload::chakra {
namespace {

constexpr Femtoseconds kMicrosecond = 1000 * kFemtosecondsPerNanosecond;

std::int64_t number_of(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::kAllReduce:
      return 0;
    case CollectiveOp::kReduce:
      return 1;
    case CollectiveOp::kAllGather:
      return 2;
    case CollectiveOp::kBroadcast:
      return 5;
    case CollectiveOp::kAllToAll:
      return 6;
    case CollectiveOp::kReduceScatter:
      return 7;
    case CollectiveOp::kBarrier:
      return 9;
  }
  return 0;
}

class Writer {
 public:
  Writer(const Program& program, int rank) : program_(program), rank_(rank) {
    for (const RankGroup& group : program.groups) ++names_[group.name];
  }

  std::string write() {
    TraceHeader header;
    header.set_version("0.0.4");
    const auto& operations = program_.ranks[static_cast<std::size_t>(rank_)].operations;
    {
      google::protobuf::io::StringOutputStream bytes(&text_);
      google::protobuf::io::CodedOutputStream output(&bytes);
      put(header, output);
      if (names_groups()) put(groups(operations.size()), output);
      for (std::size_t i = 0; i < operations.size(); ++i) put(node(i, operations[i]), output);
    }
    return std::move(text_);
  }

 private:
  template <typename Message>
  static void put(const Message& message, google::protobuf::io::CodedOutputStream& output) {
    output.WriteVarint32(static_cast<std::uint32_t>(message.ByteSizeLong()));
    message.SerializeToCodedStream(&output);
  }

  // A metadata node that lists the ranks of every group, as in PyTorch's traces. Its id is higher than those
  // of all other nodes.
  TraceNode groups(std::size_t id) const {
    std::string list;
    for (std::size_t g = 0; g < program_.groups.size(); ++g) {
      list += fmt::format("{}{{\"pg_name\": \"{}\", \"ranks\": [{}]}}", g == 0 ? "" : ", ", name_of(g),
                          fmt::join(program_.groups[g].ranks, ", "));
    }
    TraceValues values;
    values.set_values("[" + list + "]");
    TraceNode node;
    node.set_id(id);
    node.set_name("process_group:init");
    node.set_type(static_cast<int>(NodeKind::kMetadata));
    node.set_inputs(values.SerializeAsString());
    return node;
  }

  // The name of a group in the trace. The group's own name is used only if it is unique, contains no
  // quotation marks or backslashes, and is neither empty nor 0, which would mean all ranks.
  std::string name_of(std::size_t group) const {
    const std::string& name = program_.groups[group].name;
    const bool plain = name.find_first_of("\"'\\") == std::string::npos && !name.empty() && name != "0";
    return plain && names_.at(name) == 1 ? name : fmt::format("group {}", group + 1);
  }

  // Whether the group consists of all ranks. Its collectives are then written without a group, so that tools
  // that support neither metadata nodes nor group names also read them correctly.
  bool is_all(std::size_t group) const {
    const RankGroup& own = program_.groups[group];
    if (own.name != "all" || names_.at(own.name) != 1 || own.ranks.size() != program_.ranks.size())
      return false;
    return std::ranges::is_sorted(own.ranks);
  }

  bool names_groups() const {
    for (std::size_t group = 0; group < program_.groups.size(); ++group) {
      if (!is_all(group)) return true;
    }
    return false;
  }

  TraceNode node(std::size_t id, const Operation& operation) {
    TraceNode node;
    node.set_id(id);
    node.set_name(operation.name);
    for (const std::int32_t before : operation.after) {
      node.add_data_dependencies(static_cast<std::uint64_t>(before));
    }
    set_flag(node, "is_cpu_op", false);
    if (operation.iteration != 0) set_number(node, "coppice_iteration", operation.iteration);
    std::visit([&](const auto& work) { describe(node, work); }, operation.work);
    return node;
  }

  static void set_number(TraceNode& node, const char* name, std::int64_t value) {
    TraceAttribute* attribute = node.add_attributes();
    attribute->set_name(name);
    attribute->set_one_int64(value);
  }
  static void set_flag(TraceNode& node, const char* name, bool value) {
    TraceAttribute* attribute = node.add_attributes();
    attribute->set_name(name);
    attribute->set_one_bool(value);
  }
  static void set_text(TraceNode& node, const char* name, const std::string& value) {
    TraceAttribute* attribute = node.add_attributes();
    attribute->set_name(name);
    attribute->set_one_string(value);
  }
  static void set_kind(TraceNode& node, NodeKind kind) { node.set_type(static_cast<int>(kind)); }

  static void describe(TraceNode& node, const Compute& compute) {
    set_kind(node, NodeKind::kCompute);
    if (compute.duration > 0) {
      node.set_duration_micros(
          static_cast<std::uint64_t>((compute.duration + kMicrosecond / 2) / kMicrosecond));
      set_number(node, "coppice_duration_fs", compute.duration);
    } else {
      set_number(node, "num_ops", std::llround(compute.operations));
      set_number(node, "tensor_size", std::llround(compute.bytes));
    }
    if (compute.purpose != Purpose::kOther) set_text(node, "coppice_purpose", to_string(compute.purpose));
  }

  static void describe(TraceNode& node, const MemoryAccess& access) {
    set_kind(node, access.write ? NodeKind::kMemoryStore : NodeKind::kMemoryLoad);
    set_number(node, "tensor_size", access.bytes);
  }

  void describe(TraceNode& node, const JoinCollective& join) const {
    const GroupCollective& collective = program_.collectives[static_cast<std::size_t>(join.collective)];
    const auto group = static_cast<std::size_t>(collective.group);
    const auto& ranks = program_.groups[group].ranks;
    set_kind(node, NodeKind::kCollective);
    set_number(node, "comm_type", number_of(collective.op));
    const bool whole = collective.op == CollectiveOp::kAllGather;
    set_number(node, "comm_size", collective.bytes / (whole ? static_cast<Bytes>(ranks.size()) : 1));
    if (!is_all(group)) set_text(node, "pg_name", name_of(group));
    if (!collective.kind.empty()) set_text(node, "coppice_kind", collective.kind);
    if (collective.priority != 0) set_number(node, "comm_priority", collective.priority);
    const int root = ranks[static_cast<std::size_t>(collective.root)];
    if (collective.op == CollectiveOp::kBroadcast) set_number(node, "comm_src", root);
    if (collective.op == CollectiveOp::kReduce) set_number(node, "comm_dst", root);
  }

  void describe(TraceNode& node, const Send& send) const {
    set_kind(node, NodeKind::kSend);
    const Transfer& transfer = program_.transfers[static_cast<std::size_t>(send.transfer)];
    set_number(node, "comm_dst", transfer.destination);
    describe_transfer(node, transfer, send.transfer);
  }

  void describe(TraceNode& node, const Receive& receive) const {
    set_kind(node, NodeKind::kReceive);
    const Transfer& transfer = program_.transfers[static_cast<std::size_t>(receive.transfer)];
    set_number(node, "comm_src", transfer.source);
    describe_transfer(node, transfer, receive.transfer);
  }

  // Every transfer has a tag of its own, so that transfers need not be matched by their order.
  static void describe_transfer(TraceNode& node, const Transfer& transfer, std::int32_t tag) {
    set_number(node, "comm_size", transfer.bytes);
    set_number(node, "comm_tag", tag);
    if (!transfer.kind.empty()) set_text(node, "coppice_kind", transfer.kind);
  }

  const Program& program_;
  int rank_;
  std::map<std::string, int> names_;  // number of groups with each name
  std::string text_;
};

}  // namespace

std::string trace_of(const Program& program, int rank) {
  return Writer(program, rank).write();
}

std::string trace_file(const std::string& prefix, int rank) {
  return fmt::format("{}.{}.et", prefix, rank);
}

}  // namespace coppice::workload::chakra
