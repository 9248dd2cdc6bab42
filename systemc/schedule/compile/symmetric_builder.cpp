#include "schedule/compile/symmetric_builder.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "schedule/compile/step_lengths.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

class SymmetricBuilder {
 public:
  SymmetricBuilder(const Topology& topology, const CompileRequest& request, const SymmetricSends& symmetric)
      : topology_(topology),
        request_(request),
        symmetric_(symmetric),
        moves_(symmetric.moves),
        bytes_(request.size / topology.num_accelerators() / symmetric.pieces) {
    find_channels();
    find_slots();
  }

  Schedule build(const std::string& algorithm) {
    std::vector<Chunk> chunks;
    for (int piece = 0; piece < symmetric_.pieces; ++piece) {
      chunks.push_back({.address = piece * bytes_, .bytes = bytes_});
    }
    Schedule schedule =
        build_schedule(topology_, request_, algorithm, chunks, symmetric_.sends, {}, IdleSteps::kNothing);
    collect_entries(schedule);
    TablePattern::Spec spec{
        .pieces = symmetric_.pieces, .bytes = bytes_, .slots = with_nops(), .ways = ways_, .routes = {}};
    schedule.routes.clear();
    for (const ChannelId channel : channels_) spec.routes.push_back(route_index(schedule, channel));
    schedule.flows = static_cast<int>(moves_.nodes()) * symmetric_.pieces;
    fill_tables(schedule, std::make_shared<const TablePattern>(moves_, std::move(spec)));
    return schedule;
  }

 private:
  ChannelId channel_of(NodeId node, std::size_t way) const {
    return channels_[static_cast<std::size_t>(node) * ways_ + way];
  }
  std::size_t ni_port(NodeId node, std::size_t way) const {
    return static_cast<std::size_t>(topology_.channel(channel_of(node, way)).src_port % request_.ni_ports);
  }

  void find_channels() {
    for (const std::int32_t way : symmetric_.ways) ways_ = std::max(ways_, static_cast<std::size_t>(way + 1));
    channels_.assign(moves_.nodes() * ways_, -1);
    for (std::size_t id = 0; id < symmetric_.ways.size(); ++id) {
      if (symmetric_.ways[id] < 0) continue;
      const auto channel = static_cast<ChannelId>(id);
      const auto src = static_cast<std::size_t>(topology_.channel(channel).src);
      channels_[src * ways_ + static_cast<std::size_t>(symmetric_.ways[id])] = channel;
    }
    if (std::ranges::find(channels_, -1) != channels_.end()) {
      throw ModelError("symmetric schedule: some accelerators lack a channel that others have");
    }
  }

  // Assigns a slot to every NI port. All ways that use the port share its slot.
  void find_slots() {
    for (std::size_t way = 0; way < ways_; ++way) {
      const std::size_t port = ni_port(moves_.origin(), way);
      const auto known = std::ranges::find(slot_ports_, port);
      slot_of_way_.push_back(static_cast<std::size_t>(known - slot_ports_.begin()));
      if (known == slot_ports_.end()) slot_ports_.push_back(port);
    }
    slots_.resize(slot_ports_.size());
  }

  // Collects the origin's entries for all flows. They are derived from all accelerators' entries for the
  // origin's flows: each entry is moved so that its accelerator becomes the origin.
  void collect_entries(const Schedule& of_origin) {
    for (std::size_t n = 0; n < of_origin.nodes.size(); ++n) {
      const auto node = static_cast<NodeId>(n);
      for (const Table& table : of_origin.nodes[n].ports) {
        for (const TableEntry& entry : table) {
          if (entry.op != Op::kNop) collect(node, entry, of_origin);
        }
      }
    }
    for (auto& slot : slots_) {
      std::ranges::stable_sort(slot, {}, [](const TableEntry& e) { return std::tie(e.step, e.flow); });
    }
  }

  void collect(NodeId node, const TableEntry& entry, const Schedule& of_origin) {
    const auto port = of_origin.routes[static_cast<std::size_t>(entry.route)].front().out_port;
    const std::int32_t way = symmetric_.ways[static_cast<std::size_t>(topology_.out_channels(node)[port])];
    TableEntry moved = entry;
    moved.flow = moves_.moved_back(moves_.origin(), node) * symmetric_.pieces + entry.flow;
    moved.address = moved.flow * bytes_;
    if (entry.parent != topology::kNoNode) moved.parent = moves_.moved_back(entry.parent, node);
    for (NodeId& child : moved.children) child = moves_.moved_back(child, node);
    moved.route = way;
    slots_[slot_of_way_[static_cast<std::size_t>(way)]].push_back(std::move(moved));
  }

  Bandwidth pace_of(const TableEntry& entry) const {
    return topology_.channel(channel_of(moves_.origin(), static_cast<std::size_t>(entry.route))).bandwidth;
  }

  // The entries of every slot, in which each step without a message has a nop, up to the slot's last entry.
  std::vector<std::vector<TableEntry>> with_nops() const {
    StepLengths lengths;
    std::vector<Bandwidth> slowest;  // [slot]: bandwidth of its slowest channel
    for (const auto& slot : slots_) {
      slowest.push_back(slot.empty() ? Bandwidth{1} : pace_of(slot.front()));
      for (const TableEntry& entry : slot) {
        lengths.add(entry.step, bytes_, pace_of(entry));
        slowest.back() = std::min(slowest.back(), pace_of(entry));
      }
    }
    std::vector<std::vector<TableEntry>> filled;
    for (const auto& slot : slots_) {
      StepLengths::Nops nops(lengths, slowest[filled.size()], request_);
      auto& entries = filled.emplace_back();
      for (const TableEntry& entry : slot) {
        for (int step = entries.empty() ? 1 : entries.back().step + 1; step < entry.step; ++step) {
          TableEntry& nop = entries.emplace_back();
          nop.step = step;
          nop.bytes = nops.next(step);
        }
        entries.push_back(entry);
      }
    }
    return filled;
  }

  // Returns the index of the route over `channel`; adds the route if it is new. There are few routes, so a
  // linear search suffices.
  std::int32_t route_index(Schedule& schedule, ChannelId channel) const {
    const topology::Route route = route_over(topology_, request_, channel);
    const auto known = std::ranges::find(schedule.routes, route);
    const auto index = static_cast<std::int32_t>(known - schedule.routes.begin());
    if (known == schedule.routes.end()) schedule.routes.push_back(route);
    return index;
  }

  void fill_tables(Schedule& schedule, const std::shared_ptr<const TablePattern>& pattern) const {
    for (std::size_t n = 0; n < schedule.nodes.size(); ++n) {
      const auto node = static_cast<NodeId>(n);
      auto& ports = schedule.nodes[n].ports;
      ports.assign(static_cast<std::size_t>(request_.ni_ports), {});
      for (std::size_t way = 0; way < ways_; ++way) {
        Table& table = ports[ni_port(node, way)];
        const std::size_t slot = slot_of_way_[way];
        if (table.pattern() != nullptr && table.slot() != slot) {
          throw ModelError(
              "symmetric schedule: the same port maps to different channels at two accelerators");
        }
        table = Table(pattern, slot, node);
      }
    }
  }

  const Topology& topology_;
  const CompileRequest& request_;
  const SymmetricSends& symmetric_;
  const Translations& moves_;
  Bytes bytes_;
  std::size_t ways_ = 0;
  std::vector<ChannelId> channels_;      // see channel_of()
  std::vector<std::size_t> slot_ports_;  // [slot]: NI port at the origin
  std::vector<std::size_t> slot_of_way_;
  std::vector<std::vector<TableEntry>> slots_;
};

}  // namespace

bool pattern_pays(const CompileRequest& request, int accelerators, int pieces) {
  return accelerators > request.pattern_beyond && request.size > 0 &&
         request.size % (Bytes{accelerators} * pieces * request.element) == 0;
}

Schedule build_symmetric_schedule(const Topology& topology, const CompileRequest& request,
                                  const std::string& algorithm, const SymmetricSends& symmetric) {
  return SymmetricBuilder(topology, request, symmetric).build(algorithm);
}

}  // namespace coppice::schedule
