#include "schedule/packed_trees/piece_schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "random_trees.h"
#include "schedule/packed_trees/message_timing.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::NodeId;

// Checks that an order of pieces obeys the rules below. Uses only the trees and the timing of messages.
class Laws {
 public:
  Laws(const Machine& machine, const CompileRequest& request, const std::vector<PackedTree>& trees)
      : machine_(machine), request_(request), trees_(trees), timing_(machine.topology, request) {}

  // Every nonempty piece is sent exactly once over every hop, after all of its input messages have arrived.
  void require_dependencies(const PieceSchedule& order, const std::vector<Bytes>& bytes, int pieces) const {
    std::map<std::tuple<int, int, int>, Femtoseconds> starts;
    Femtoseconds end = 0;
    for (const TimedPiece& one : order.messages) {
      RC_ASSERT(starts.emplace(std::tuple{one.tree, one.hop, one.piece}, one.start).second);
      end = std::max(end, one.start + busy(one, bytes) + delay(one));
    }
    std::size_t sent = 0;
    for (int piece = 0; piece < pieces; ++piece) {
      for (int t = 0; t < static_cast<int>(trees_.size()); ++t) {
        if (bytes_of(bytes, t, piece) > 0) sent += trees_[index(t)].hops.size();
      }
    }
    RC_ASSERT(order.messages.size() == sent);
    for (const TimedPiece& one : order.messages) {
      for (const TimedPiece& before : inputs(one)) {
        const Femtoseconds start = starts.at(std::tuple{before.tree, before.hop, before.piece});
        RC_ASSERT(one.start >= start + busy(before, bytes) + delay(before));
      }
    }
    RC_ASSERT(order.finish >= end);
  }

  // Each port sends one message at a time.
  void require_ports(const PieceSchedule& order, const std::vector<Bytes>& bytes) const {
    std::map<std::pair<NodeId, int>, std::vector<Interval>> ports;
    for (const TimedPiece& one : order.messages) {
      const TreeHop& hop = hop_of(one);
      const int port = machine_.topology.channel(hop.path.front()).src_port;
      ports[{hop.src, port}].push_back({one.start, one.start + busy(one, bytes)});
    }
    for (auto& [port, intervals] : ports) require_apart(intervals);
  }

  // Each channel carries one message at a time, for as long as the message's port sends.
  void require_channels(const PieceSchedule& order, const std::vector<Bytes>& bytes) const {
    std::map<ChannelId, std::vector<Interval>> channels;
    for (const TimedPiece& one : order.messages) {
      Femtoseconds at = one.start;
      for (const ChannelId id : hop_of(one).path) {
        channels[id].push_back({at, at + busy(one, bytes)});
        at += way(id);
      }
    }
    for (auto& [id, intervals] : channels) require_apart(intervals);
  }

  // Behind a path's first channel, a message may have to wait for at most one message of full length, for
  // which the router's buffer has room.
  void require_buffers(const PieceSchedule& order, const std::vector<Bytes>& bytes) const {
    std::map<ChannelId, Femtoseconds> free;
    for (const TimedPiece& one : order.messages) {
      const ChannelPath& path = hop_of(one).path;
      Femtoseconds undelayed = one.start;
      Femtoseconds at = one.start;
      for (std::size_t i = 1; i < path.size(); ++i) {
        const Femtoseconds own = timing_.busy(path[i], bytes_of(bytes, one.tree, one.piece));
        undelayed += way(path[i - 1]);
        RC_ASSERT(free[path[i]] <= undelayed + timing_.busy(path[i], bytes.front()));
        at = std::max(at + way(path[i - 1]), free[path[i]]);
        free[path[i]] = at + own;
      }
    }
  }

 private:
  using Interval = std::pair<Femtoseconds, Femtoseconds>;

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static void require_apart(std::vector<Interval>& intervals) {
    std::ranges::sort(intervals);
    for (std::size_t i = 1; i < intervals.size(); ++i) {
      RC_ASSERT(intervals[i].first >= intervals[i - 1].second);
    }
  }
  const TreeHop& hop_of(const TimedPiece& one) const { return trees_[index(one.tree)].hops[index(one.hop)]; }
  Bytes bytes_of(const std::vector<Bytes>& bytes, int tree, int piece) const {
    return bytes[index(piece) * trees_.size() + index(tree)];
  }
  Femtoseconds busy(const TimedPiece& one, const std::vector<Bytes>& bytes) const {
    return timing_.busy(hop_of(one).path, bytes_of(bytes, one.tree, one.piece));
  }
  Femtoseconds delay(const TimedPiece& one) const { return timing_.delay(hop_of(one).path, hop_of(one).op); }
  Femtoseconds way(ChannelId id) const {
    return machine_.topology.channel(id).latency + request_.timing.router;
  }
  // The messages that must arrive before `one` may be sent: partial sums from the children or the final value
  // from the parent; at the root, the final value consists of all partial sums.
  std::vector<TimedPiece> inputs(const TimedPiece& one) const {
    const PackedTree& tree = trees_[index(one.tree)];
    const TreeHop& hop = hop_of(one);
    std::vector<TimedPiece> found;
    for (std::size_t h = 0; h < tree.hops.size(); ++h) {
      if (tree.hops[h].dst != hop.src) continue;
      const bool sum = tree.hops[h].op == Op::kReduce;
      if (hop.op == Op::kReduce ? sum : !sum || hop.src == tree.root)
        found.push_back({one.tree, static_cast<std::int32_t>(h), one.piece, 0, 0});
    }
    return found;
  }

  const Machine& machine_;
  const CompileRequest& request_;
  const std::vector<PackedTree>& trees_;
  MessageTiming timing_;
};

// The lengths of pieces of up to `flits` flits. The last piece of a tree is shorter and sometimes empty.
std::vector<Bytes> random_pieces(std::size_t trees, int pieces, int flits) {
  std::vector<Bytes> bytes(trees * static_cast<std::size_t>(pieces), 16 * *rc::gen::inRange(1, flits + 1));
  const Bytes last = 16 * *rc::gen::inRange<Bytes>(0, bytes.front() / 16 + 1);
  for (std::size_t t = 0; t < trees; ++t) {
    if (pieces > 1) bytes[bytes.size() - 1 - t] = last;
  }
  return bytes;
}

RC_GTEST_PROP(PieceScheduler, SendsNothingBeforeItsDataNorTwoMessagesAtOnce, ()) {
  const bool alike = *rc::gen::arbitrary<bool>();
  const Machine machine = random_network(alike);
  CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
  request.timing.buffer = *rc::gen::element<Bytes>(0, 64);
  const std::vector<PackedTree> trees = random_trees(machine, request);
  const PieceScheduler scheduler(machine.topology, request, trees);
  const int pieces = *rc::gen::inRange(1, 6);
  const std::vector<Bytes> bytes = random_pieces(trees.size(), pieces, 120);
  const PieceOrder how{pieces, *rc::gen::element(0.0, 1.0, 1.5, 2.5)};
  const PieceSchedule order = scheduler.schedule(bytes, how);
  const Laws laws(machine, request, trees);
  laws.require_dependencies(order, bytes, pieces);
  laws.require_ports(order, bytes);
  if (!scheduler.buffered(bytes.front())) {
    laws.require_channels(order, bytes);
  } else {
    laws.require_buffers(order, bytes);
  }
  RC_CLASSIFY(order.in_steps, "in timesteps");
  RC_CLASSIFY(scheduler.buffered(bytes.front()), "in buffers");
  RC_CLASSIFY(!scheduler.shares_channels(), "no shared channels");
  RC_ASSERT(order.finish == scheduler.finish(bytes, how));
  if (pieces == 1) {
    RC_ASSERT(order.finish >= scheduler.latency(bytes.front()));
    if (!scheduler.buffered(bytes.front())) RC_ASSERT(order.finish >= scheduler.period(bytes.front()));
  }
}

// Repeating the period of a timetable never makes messages of different pieces collide, and the last piece
// arrives at the predicted time.
RC_GTEST_PROP(PieceScheduler, SeparatesTheMessagesOfATimetable, ()) {
  const Machine machine = random_network(true);
  const CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
  const std::vector<PackedTree> trees = random_trees(machine, request);
  const PieceScheduler scheduler(machine.topology, request, trees);
  const int pieces = *rc::gen::inRange(1, 6);
  const Bytes piece = 16 * *rc::gen::element<Bytes>(100, 300, 700, 2000);
  const std::vector<Bytes> bytes(trees.size() * static_cast<std::size_t>(pieces), piece);
  const auto order = scheduler.schedule_periodic(bytes, pieces);
  const PieceScheduler::Periodic periodic = scheduler.finish_periodic(piece, pieces);
  RC_CLASSIFY(order.has_value());
  if (!order) {
    RC_ASSERT(periodic.finish == PieceScheduler::Periodic{}.finish);
    return;
  }
  const Laws laws(machine, request, trees);
  laws.require_dependencies(*order, bytes, pieces);
  laws.require_ports(*order, bytes);
  laws.require_channels(*order, bytes);
  RC_ASSERT(order->finish == periodic.finish);
  RC_ASSERT(order->in_steps);
  std::map<std::tuple<int, int>, std::map<int, std::int32_t>> steps;
  for (const TimedPiece& one : order->messages) {
    RC_ASSERT(one.start == (one.step - 1) * order->step_time);
    steps[{one.tree, one.hop}][one.piece] = one.step;
  }
  for (const auto& [hop, of_pieces] : steps) {
    for (int p = 1; p < pieces; ++p) RC_ASSERT(of_pieces.at(p) - of_pieces.at(p - 1) == order->period_steps);
  }
}

// In a steady order, all periods are equal, and no port or channel is busy for longer than a period.
RC_GTEST_PROP(PieceScheduler, RepeatsAPeriodicOrder, ()) {
  const Machine machine = random_network(*rc::gen::arbitrary<bool>());
  const CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
  const std::vector<PackedTree> trees = random_trees(machine, request);
  const PieceScheduler scheduler(machine.topology, request, trees);
  const int pieces = *rc::gen::inRange(2, 6);
  const Bytes piece = 16 * *rc::gen::inRange(1, 200);
  const std::vector<Bytes> bytes(trees.size() * static_cast<std::size_t>(pieces), piece);
  const double spare = *rc::gen::element(1.0, 1.05, 2.0);
  const auto order = scheduler.schedule_steady(bytes, pieces, spare);
  RC_ASSERT(order.has_value());
  RC_ASSERT(order->finish == *scheduler.finish_steady(piece, pieces, spare));
  Laws(machine, request, trees).require_dependencies(*order, bytes, pieces);
  std::map<std::tuple<int, int>, std::map<int, Femtoseconds>> starts;
  for (const TimedPiece& one : order->messages) starts[{one.tree, one.hop}][one.piece] = one.start;
  std::set<Femtoseconds> periods;
  for (const auto& [hop, of_pieces] : starts) {
    for (int p = 1; p < pieces; ++p) periods.insert(of_pieces.at(p) - of_pieces.at(p - 1));
  }
  RC_ASSERT(periods.size() == 1);
  RC_ASSERT(*periods.begin() >= scheduler.period(piece));
}

}  // namespace
}  // namespace coppice::schedule
