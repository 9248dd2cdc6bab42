#include "workload/chakra/import.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "base/error.h"
#include "workload/chakra/issue_order.h"
#include "workload/chakra/trace.h"
#include "workload/chakra/trace_set.h"
#include "workload/chakra/trace_values.h"

namespace coppice::workload::chakra {
namespace {

constexpr std::int64_t kFemtosecondsPerMicrosecond = 1000 * kFemtosecondsPerNanosecond;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

// A collective type of Chakra traces, the operation to which it corresponds, and whether its size is that of
// one rank's input.
struct KnownCollective {
  std::int64_t number;
  CollectiveOp op;
  bool per_rank = false;
};
constexpr std::array kCollectives{
    KnownCollective{0, CollectiveOp::kAllReduce},       KnownCollective{1, CollectiveOp::kReduce},
    KnownCollective{2, CollectiveOp::kAllGather, true}, KnownCollective{5, CollectiveOp::kBroadcast},
    KnownCollective{6, CollectiveOp::kAllToAll},        KnownCollective{7, CollectiveOp::kReduceScatter},
    KnownCollective{8, CollectiveOp::kReduceScatter},   KnownCollective{9, CollectiveOp::kBarrier}};

class Importer {
 public:
  Importer(std::vector<Trace> traces, const std::string& pattern, const ImportOptions& options)
      : traces_(std::move(traces)), options_(options) {
    result_.program.name = std::filesystem::path(pattern).filename().string();
    result_.program.ranks.resize(traces_.size());
    if (!options.groups.empty()) groups_ = read_groups(options.groups);
    for (const Trace& trace : traces_) groups_.insert(trace.groups.begin(), trace.groups.end());
  }

  Imported run() {
    for (std::size_t rank = 0; rank < traces_.size(); ++rank) {
      rank_ = static_cast<int>(rank);
      trace_ = &traces_[rank];
      add_rank();
    }
    require_partners();
    assume(hosts_, "{} host nodes (is_cpu_op) do not occupy the accelerator");
    assume(dangling_, "{} control dependencies on nodes that are not in the trace are ignored");
    assume(against_ids_,
           "{} nodes run before nodes with lower ids on their stream, because the latter depend on them");
    assume(
        unordered_,
        "{} collectives start immediately, because no dependency or stream places them after a computation");
    assume(ignored_, "{} control dependencies are ignored: write program.dependencies: all to follow them");
    return std::move(result_);
  }

 private:
  void assume(std::int64_t count, const char* sentence) {
    if (count > 0) result_.assumptions.push_back(fmt::format(fmt::runtime(sentence), count));
  }

  [[noreturn]] void refuse(const Node& node, const std::string& what) const {
    throw ConfigError({trace_->path}, fmt::format("{}: {}", place_of(rank_, node), what));
  }

  std::int64_t needed(const Node& node, const std::optional<std::int64_t>& value, const char* name) const {
    if (value) return *value;
    refuse(node, fmt::format("{} is missing", name));
  }

  void add_rank() {
    const auto& nodes = trace_->nodes;
    std::unordered_map<std::uint64_t, std::size_t> place;  // [id]: index of the node
    place.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!place.emplace(nodes[i].id, i).second) refuse(nodes[i], "another node has the same id");
    }
    std::vector<std::vector<std::size_t>> before(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) before[i] = dependencies(nodes[i], place);
    const std::vector<std::size_t> order = order_of_issue(before);
    follow_streams(order, before);
    std::vector<std::int32_t> index(nodes.size(), 0);
    for (std::size_t k = 0; k < order.size(); ++k) index[order[k]] = static_cast<std::int32_t>(k);
    auto& operations = result_.program.ranks[static_cast<std::size_t>(rank_)].operations;
    operations.reserve(nodes.size());
    for (const std::size_t i : order) {
      Operation operation{nodes[i].name, work_of(nodes[i]), {}, iteration_of(nodes[i])};
      for (const std::size_t other : before[i]) operation.after.push_back(index[other]);
      operations.push_back(std::move(operation));
    }
  }

  std::int32_t iteration_of(const Node& node) const {
    const std::int64_t iteration = node.attributes.iteration.value_or(0);
    constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
    if (iteration <= kMost) return static_cast<std::int32_t>(iteration);
    refuse(node, fmt::format("coppice_iteration is {}: the maximum is {}", iteration, kMost));
  }

  std::vector<std::size_t> dependencies(const Node& node,
                                        const std::unordered_map<std::uint64_t, std::size_t>& place) {
    std::vector<std::size_t> before;
    before.reserve(node.data_dependencies.size());
    for (const std::uint64_t id : node.data_dependencies) {
      const auto found = place.find(id);
      if (found == place.end()) {
        refuse(node, fmt::format("it depends on the data of node {}, which is not in the trace", id));
      }
      before.push_back(found->second);
    }
    for (const std::uint64_t id : node.control_dependencies) {
      const auto found = place.find(id);
      if (found == place.end()) {
        ++dangling_;
      } else if (options_.follow_control) {
        before.push_back(found->second);
      } else {
        ++ignored_;
      }
    }
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    return before;
  }

  std::vector<std::size_t> order_of_issue(const std::vector<std::vector<std::size_t>>& before) {
    const auto& nodes = trace_->nodes;
    IssueOrder issued = issue_order(nodes, before);
    against_ids_ += issued.against_ids;
    if (issued.order.size() == nodes.size()) return std::move(issued.order);
    std::vector<bool> done(nodes.size());
    for (const std::size_t i : issued.order) done[i] = true;
    const auto stuck = std::ranges::find(done, false);
    refuse(nodes[static_cast<std::size_t>(stuck - done.begin())],
           "it waits for itself through other operations");
  }

  // Makes each node wait for the previous node on its stream. Counts collectives that wait for no node
  // although their rank computes.
  void follow_streams(const std::vector<std::size_t>& order, std::vector<std::vector<std::size_t>>& before) {
    const auto& nodes = trace_->nodes;
    std::map<std::int64_t, std::size_t> last;  // [stream]: its last node so far
    std::int64_t free = 0;
    bool computes = false;
    for (const std::size_t i : order) {
      if (on_stream(nodes[i])) {
        const auto [previous, is_first] = last.try_emplace(*nodes[i].attributes.stream, i);
        if (!is_first && std::ranges::find(before[i], previous->second) == before[i].end()) {
          before[i].push_back(previous->second);
        }
        previous->second = i;
      }
      if (nodes[i].attributes.on_host) continue;
      if (nodes[i].kind == NodeKind::kCollective && before[i].empty()) ++free;
      computes = computes || nodes[i].kind == NodeKind::kCompute;
    }
    if (computes) unordered_ += free;
  }

  using WorkOf = decltype(Operation::work);
  WorkOf work_of(const Node& node) {
    if (node.attributes.on_host && node.kind != NodeKind::kMetadata) {
      ++hosts_;
      return Compute{};
    }
    switch (node.kind) {
      case NodeKind::kMetadata:
        return Compute{};
      case NodeKind::kMemoryLoad:
      case NodeKind::kMemoryStore:
        return MemoryAccess{needed(node, node.attributes.tensor_bytes, "tensor_size"),
                            node.kind == NodeKind::kMemoryStore};
      case NodeKind::kCompute:
        return compute_of(node);
      case NodeKind::kSend:
      case NodeKind::kReceive:
        return transfer_of(node);
      case NodeKind::kCollective:
        return collective_of(node);
    }
    return Compute{};
  }

  // The recorded time of the computation; if there is none, its operations and bytes, from which a roofline
  // determines the time.
  Compute compute_of(const Node& node) const {
    Compute compute;
    const NodeAttributes& attributes = node.attributes;
    constexpr auto kLongest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 4 /
                                                         kFemtosecondsPerMicrosecond);
    if (node.duration_micros > kLongest) refuse(node, "its duration is too long: the limit is 38 minutes");
    compute.duration = attributes.duration_femtoseconds.value_or(
        static_cast<std::int64_t>(node.duration_micros) * kFemtosecondsPerMicrosecond);
    if (compute.duration == 0) {
      compute.operations = static_cast<double>(attributes.operations.value_or(0));
      compute.bytes = static_cast<double>(attributes.tensor_bytes.value_or(0));
    }
    for (const Purpose purpose : {Purpose::kForward, Purpose::kInputGradient, Purpose::kWeightGradient,
                                  Purpose::kRecomputation, Purpose::kUpdate}) {
      if (attributes.purpose == to_string(purpose)) compute.purpose = purpose;
    }
    return compute;
  }

  int rank_of(const Node& node, const std::optional<std::int64_t>& value, const char* name) const {
    const std::int64_t rank = needed(node, value, name);
    if (rank < static_cast<std::int64_t>(traces_.size())) return static_cast<int>(rank);
    refuse(node, fmt::format("{} is {}, but there are only traces of ranks 0 to {}", name, rank,
                             traces_.size() - 1));
  }

  std::int64_t bytes_of(const Node& node) const {
    const std::int64_t bytes = needed(node, node.attributes.communicated, "comm_size");
    if (bytes > kMostBytes) refuse(node, fmt::format("comm_size is {}, but must be at most 2^50", bytes));
    return bytes;
  }

  // The name of a transfer, which is the name of its node without the prefix "send" or "receive" that nodes
  // have in Coppice's own traces.
  static std::string name_of_transfer(const Node& node) {
    for (const std::string end : {"send ", "receive "}) {
      if (node.name.starts_with(end)) return node.name.substr(end.size());
    }
    return node.name;
  }

  // Sends and receives with the same source, destination and tag are matched in the order in which they
  // occur.
  WorkOf transfer_of(const Node& node) {
    const bool sends = node.kind == NodeKind::kSend;
    const NodeAttributes& attributes = node.attributes;
    const int other = sends ? rank_of(node, attributes.destination, "comm_dst")
                            : rank_of(node, attributes.source, "comm_src");
    if (other == rank_) refuse(node, "it sends data from the rank to itself");
    const int source = sends ? rank_ : other;
    const int destination = sends ? other : rank_;
    auto& ends = transfers_[{source, destination, attributes.tag.value_or(0)}];
    const std::size_t place = sends ? ends.sent++ : ends.received++;
    auto& transfers = result_.program.transfers;
    if (place == ends.transfers.size()) {
      ends.transfers.push_back(static_cast<std::int32_t>(transfers.size()));
      transfers.push_back({name_of_transfer(node), source, destination, bytes_of(node),
                           attributes.communication.value_or("pipeline")});
    }
    const Transfer& transfer = transfers[static_cast<std::size_t>(ends.transfers[place])];
    if (transfer.bytes != bytes_of(node)) {
      refuse(node, fmt::format("it has {} bytes, but its other end at rank {} has {} bytes", bytes_of(node),
                               other, transfer.bytes));
    }
    if (sends) return Send{ends.transfers[place]};
    return Receive{ends.transfers[place]};
  }

  std::vector<int> all_ranks() const {
    std::vector<int> ranks(traces_.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }

  std::vector<int> ranks_of(const Node& node, const std::string& group,
                            const std::vector<std::int64_t>& named) const {
    std::vector<int> ranks;
    for (const std::int64_t rank : named) {
      if (rank < 0 || rank >= std::ssize(traces_)) {
        refuse(node, fmt::format("group '{}' contains rank {}, but there are only traces of ranks 0 to {}",
                                 group, rank, traces_.size() - 1));
      }
      ranks.push_back(static_cast<int>(rank));
    }
    return ranks;
  }

  int group_of(const Node& node) {
    const std::string name = node.attributes.group.value_or("");
    const auto found = groups_.find(name);
    const bool named = found != groups_.end() && !found->second.empty();
    if (!named && found == groups_.end() && !name.empty() && name != "0") {
      refuse(node,
             fmt::format("unknown group '{}': list its ranks in metadata nodes or program.groups", name));
    }
    std::vector<int> ranks = named ? ranks_of(node, name, found->second) : all_ranks();
    if (std::ranges::find(ranks, rank_) == ranks.end()) {
      refuse(node, fmt::format("the rank is not in group '{}'", name));
    }
    const auto [group, is_new] = group_numbers_.emplace(name, result_.program.groups.size());
    if (is_new) {
      result_.program.groups.push_back({name.empty() ? "all" : name, std::move(ranks)});
      in_group_.emplace_back();
    }
    return static_cast<int>(group->second);
  }

  JoinCollective collective_of(const Node& node) {
    const std::int64_t number = needed(node, node.attributes.collective, "comm_type");
    const auto* known = std::ranges::find(kCollectives, number, &KnownCollective::number);
    if (known == kCollectives.end()) {
      refuse(
          node,
          fmt::format("comm_type {} is not supported: it must be 0 (all-reduce), 1 (reduce), "
                      "2 (all-gather), 5 (broadcast), 6 (all-to-all), 7 or 8 (reduce-scatter) or 9 (barrier)",
                      number));
    }
    const int group = group_of(node);
    GroupCollective collective = described(node, *known, group);
    auto& members = in_group_[static_cast<std::size_t>(group)];
    const std::size_t place = joined_[{rank_, group}]++;
    auto& collectives = result_.program.collectives;
    if (place == members.size()) {
      members.push_back(static_cast<std::int32_t>(collectives.size()));
      collectives.push_back(std::move(collective));
      return {members[place]};
    }
    const GroupCollective& other = collectives[static_cast<std::size_t>(members[place])];
    if (other.op != collective.op || other.bytes != collective.bytes || other.root != collective.root) {
      refuse(node, fmt::format("it is {} of {} bytes with number {} in group '{}', which differs from "
                               "another rank's collective with this number, {} '{}' of {} bytes",
                               to_string(collective.op), collective.bytes, place,
                               result_.program.groups[static_cast<std::size_t>(group)].name,
                               to_string(other.op), other.name, other.bytes));
    }
    return {members[place]};
  }

  GroupCollective described(const Node& node, const KnownCollective& known, int group) const {
    const auto& ranks = result_.program.groups[static_cast<std::size_t>(group)].ranks;
    GroupCollective collective;
    collective.name = node.name;
    collective.op = known.op;
    collective.group = group;
    collective.kind = node.attributes.communication.value_or("");
    collective.priority =
        static_cast<int>(std::min<std::int64_t>(node.attributes.priority.value_or(0), 1 << 30));
    if (known.op != CollectiveOp::kBarrier) {
      collective.bytes = bytes_of(node) * (known.per_rank ? static_cast<Bytes>(ranks.size()) : 1);
    }
    if (known.op == CollectiveOp::kBroadcast || known.op == CollectiveOp::kReduce) {
      const bool broadcast = known.op == CollectiveOp::kBroadcast;
      const auto& named = broadcast ? node.attributes.source : node.attributes.destination;
      const int root = named ? rank_of(node, named, broadcast ? "comm_src" : "comm_dst") : ranks.front();
      const auto found = std::ranges::find(ranks, root);
      if (found == ranks.end()) refuse(node, fmt::format("its root, rank {}, is not in its group", root));
      collective.root = static_cast<int>(found - ranks.begin());
    }
    return collective;
  }

  // Throws unless every rank of a group takes part in all its collectives, and every send has a receive.
  void require_partners() const {
    const Program& program = result_.program;
    for (std::size_t group = 0; group < in_group_.size(); ++group) {
      for (const int rank : program.groups[group].ranks) {
        const auto found = joined_.find({rank, static_cast<int>(group)});
        const std::size_t joined = found == joined_.end() ? 0 : found->second;
        if (joined == in_group_[group].size()) continue;
        const auto& missed = program.collectives[static_cast<std::size_t>(in_group_[group][joined])];
        throw ConfigError(
            {traces_[static_cast<std::size_t>(rank)].path},
            fmt::format("rank {} has {} collectives of group '{}', but other ranks have {}: its node for "
                        "'{}' is missing",
                        rank, joined, program.groups[group].name, in_group_[group].size(), missed.name));
      }
    }
    for (const auto& [key, ends] : transfers_) {
      if (ends.sent == ends.received) continue;
      const auto& [source, destination, tag] = key;
      const bool unsent = ends.sent < ends.received;
      throw ConfigError(
          {traces_[static_cast<std::size_t>(unsent ? source : destination)].path},
          fmt::format("rank {} {} {} times to rank {} with tag {}, but that rank receives {} times", source,
                      "sends", ends.sent, destination, tag, ends.received));
    }
  }

  struct Ends {
    std::vector<std::int32_t> transfers;
    std::size_t sent = 0;
    std::size_t received = 0;
  };

  std::vector<Trace> traces_;
  ImportOptions options_;
  Imported result_;
  int rank_ = 0;
  const Trace* trace_ = nullptr;
  NamedGroups groups_;
  std::map<std::string, std::size_t> group_numbers_;
  std::vector<std::vector<std::int32_t>> in_group_;  // [group]: its collectives, in order
  std::map<std::pair<int, int>, std::size_t> joined_;
  std::map<std::tuple<int, int, std::int64_t>, Ends> transfers_;
  std::int64_t hosts_ = 0;
  std::int64_t dangling_ = 0;
  std::int64_t ignored_ = 0;
  std::int64_t against_ids_ = 0;
  std::int64_t unordered_ = 0;
};

}  // namespace

Imported import_chakra(const std::string& pattern, const ImportOptions& options) {
  Imported imported = Importer(read_traces(pattern), pattern, options).run();
  check_program(imported.program);
  return imported;
}

}  // namespace coppice::workload::chakra
