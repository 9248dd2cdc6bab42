#include "schedule/packed_trees/piece_tables.h"

#include <algorithm>

#include "schedule/compile/channel_paths.h"
#include "schedule/compile/table_builder.h"
#include "schedule/packed_trees/message_timing.h"

namespace coppice::schedule {

namespace {

// The maximum factor by which rounding up may lengthen a tree's share.
constexpr double kMostUneven = 1.002;

// Pieces consist of whole flits if flits hold whole elements.
Bytes grain_of(const CompileRequest& request) {
  const Bytes flit = request.timing.flit;
  return flit > request.element && flit % request.element == 0 ? flit : request.element;
}

Bytes round_up(Bytes bytes, Bytes grain) {
  return (bytes + grain - 1) / grain * grain;
}

// Cuts `data` into equal parts, the last of which may be shorter. If the last part would be empty, cuts the
// data into `trees` parts instead, whose sizes differ by at most one element.
std::vector<Chunk> cut_chunk(const Chunk& data, Bytes part, Bytes element, int trees) {
  if (part * (trees - 1) >= data.bytes) {
    std::vector<Chunk> shares = split_into_chunks(data.bytes, element, trees);
    for (Chunk& share : shares) share.address += data.address;
    return shares;
  }
  std::vector<Chunk> shares;
  for (Bytes at = 0; at < data.bytes; at += part) {
    shares.push_back({data.address + at, std::min(part, data.bytes - at)});
  }
  return shares;
}

// Cuts `data` into pieces for all trees: [piece * trees + tree].
std::vector<Chunk> cut(const CompileRequest& request, const Chunk& data, int trees, int pieces) {
  const Bytes grain = grain_of(request);
  const Bytes share = (data.bytes + trees - 1) / trees;
  Bytes piece = round_up((share + pieces - 1) / pieces, grain);
  // If the number of pieces is given, all pieces have the same length, and the last tree carries less, unless
  // this would lengthen the other trees' shares too much.
  const bool alike = request.chunks != kAutomaticChunks &&
                     piece * pieces <= static_cast<Bytes>(kMostUneven * static_cast<double>(share));
  const std::vector<Chunk> shares =
      cut_chunk(data, alike ? piece * pieces : round_up(share, request.element), request.element, trees);
  // Rounding up must not leave the last piece of every tree empty.
  if (piece * (pieces - 1) >= shares.front().bytes) {
    piece = shares.back().bytes / pieces / request.element * request.element;
  }
  std::vector<Chunk> flows(static_cast<std::size_t>(trees) * static_cast<std::size_t>(pieces));
  for (std::size_t t = 0; t < shares.size(); ++t) {
    for (int p = 0; p < pieces; ++p) {
      const Bytes left = std::max<Bytes>(shares[t].bytes - p * piece, 0);
      flows[static_cast<std::size_t>(p) * shares.size() + t] = {
          shares[t].address + p * piece, p + 1 < pieces ? std::min(left, piece) : left};
    }
  }
  return flows;
}

// Inserts nops between the entries of every port so that each entry starts at its timestep. `step_time` is
// the length of a timestep.
class Idling {
 public:
  Idling(const topology::Topology& topology, const CompileRequest& request, Femtoseconds step_time,
         Bytes longest)
      : topology_(topology),
        request_(request),
        timing_(topology, request),
        step_time_(step_time),
        longest_(longest) {}

  void fill(Schedule& schedule) const {
    for (topology::NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      auto& ports = schedule.nodes[static_cast<std::size_t>(node)].ports;
      for (Table& port : ports) port = Table(filled(schedule, port.entries(), node));
    }
  }

 private:
  // The slowest channel on any path of a port's messages, which sets the pace of the port's nops.
  topology::ChannelId slowest_of(const Schedule& schedule, const std::vector<TableEntry>& entries,
                                 topology::NodeId node) const {
    topology::ChannelId slowest = -1;
    const auto rate = [&](topology::ChannelId id) {
      return topology_.channel(id).bandwidth.bytes_per_second;
    };
    for (const TableEntry& entry : entries) {
      for (const topology::ChannelId id : path_of(schedule, entry, node)) {
        if (slowest < 0 || rate(id) < rate(slowest)) slowest = id;
      }
    }
    return slowest;
  }

  // The time for which a message occupies its port, in whole cycles, as the lockstep counts it.
  Femtoseconds held(std::span<const topology::ChannelId> path, Bytes bytes) const {
    const Femtoseconds busy = timing_.busy(path, bytes);
    const Femtoseconds cycle = std::max<Femtoseconds>(request_.timing.cycle, 1);
    return (busy + cycle - 1) / cycle * cycle;
  }

  std::vector<TableEntry> filled(const Schedule& schedule, const std::vector<TableEntry>& entries,
                                 topology::NodeId node) const {
    std::vector<TableEntry> result;
    const topology::ChannelId slowest = slowest_of(schedule, entries, node);
    Femtoseconds end = 0;
    for (const TableEntry& entry : entries) {
      const Femtoseconds start = (entry.step - 1) * step_time_;
      for (Bytes idle = idle_bytes(slowest, start - end); idle >= 0;
           idle = idle_bytes(slowest, start - end)) {
        TableEntry nop;
        nop.step = std::min(static_cast<std::int32_t>(end / step_time_) + 1, entry.step);
        nop.bytes = idle;
        result.push_back(std::move(nop));
        end += held({&slowest, 1}, idle);
      }
      end = std::max(end, start) + held(path_of(schedule, entry, node), entry.bytes);
      result.push_back(entry);
    }
    return result;
  }

  ChannelPath path_of(const Schedule& schedule, const TableEntry& entry, topology::NodeId at) const {
    ChannelPath path;
    for (const topology::Hop& hop : schedule.routes[static_cast<std::size_t>(entry.route)]) {
      const auto out = topology_.out_channels(at);
      if (hop.out_port >= out.size()) break;
      path.push_back(out[hop.out_port]);
      at = topology_.channel(path.back()).dst;
    }
    return path;
  }

  // The length in bytes of the longest nop of whole flits that fits into `gap`; negative if not even the
  // shortest nop fits.
  Bytes idle_bytes(topology::ChannelId slowest, Femtoseconds gap) const {
    const Bytes flit = std::max<Bytes>(request_.timing.flit, 1);
    const auto fits = [&](Bytes flits) { return held({&slowest, 1}, flits * flit) <= gap; };
    if (!fits(0)) return -1;
    // A nop of zero bytes lasts for the setup time, plus a head flit if the machine does not use packets.
    Bytes least = 0;
    Bytes beyond = longest_ / flit + 1;
    while (least + 1 < beyond) {
      const Bytes middle = (least + beyond) / 2;
      (fits(middle) ? least : beyond) = middle;
    }
    return least == 0 && held({&slowest, 1}, 0) == 0 ? -1 : least * flit;
  }

  const topology::Topology& topology_;
  const CompileRequest& request_;
  MessageTiming timing_;
  Femtoseconds step_time_;
  Bytes longest_;
};

}  // namespace

int owners_of(const topology::Topology& topology, const CompileRequest& request) {
  const bool owned = request.collective != Collective::kAllReduce && request.root < 0;
  return owned ? topology.num_accelerators() : 1;
}

std::vector<Chunk> cut_into_pieces(const CompileRequest& request, int trees, int pieces, int owners) {
  const int of_owner = trees / owners;
  std::vector<Chunk> flows(static_cast<std::size_t>(trees) * static_cast<std::size_t>(pieces));
  const std::vector<Chunk> shares = split_into_chunks(request.size, request.element, owners);
  for (int owner = 0; owner < owners; ++owner) {
    const auto own = cut(request, shares[static_cast<std::size_t>(owner)], of_owner, pieces);
    for (int piece = 0; piece < pieces; ++piece) {
      for (int t = 0; t < of_owner; ++t) {
        flows[static_cast<std::size_t>(piece * trees + owner * of_owner + t)] =
            own[static_cast<std::size_t>(piece * of_owner + t)];
      }
    }
  }
  return flows;
}

Schedule build_piece_tables(const topology::Topology& topology, const CompileRequest& request,
                            const std::string& algorithm, std::span<const PackedTree> trees,
                            std::span<const Chunk> flows, const PieceSchedule& order) {
  const std::size_t n = static_cast<std::size_t>(topology.num_accelerators());
  std::vector<ChannelPath> paths;
  // [tree][hop]: index into paths; -1: a single channel
  std::vector<std::vector<std::int32_t>> path_of(trees.size());
  for (std::size_t t = 0; t < trees.size(); ++t) {
    for (const TreeHop& hop : trees[t].hops) {
      path_of[t].push_back(hop.path.size() > 1 ? static_cast<std::int32_t>(paths.size()) : -1);
      if (hop.path.size() > 1) paths.push_back(hop.path);
    }
  }
  std::vector<std::int32_t> port_step(n * static_cast<std::size_t>(request.ni_ports), 0);
  std::vector<std::int32_t> arrived(n * flows.size(), 0);  // [node * flows + flow]: step of the last arrival
  std::vector<Send> sends;
  sends.reserve(order.messages.size());
  for (const TimedPiece& message : order.messages) {
    const auto t = static_cast<std::size_t>(message.tree);
    const TreeHop& hop = trees[t].hops[static_cast<std::size_t>(message.hop)];
    const std::size_t flow = static_cast<std::size_t>(message.piece) * trees.size() + t;
    const int port = topology.channel(hop.path.front()).src_port % request.ni_ports;
    std::int32_t& last = port_step[static_cast<std::size_t>(hop.src * request.ni_ports + port)];
    std::int32_t& here = arrived[static_cast<std::size_t>(hop.src) * flows.size() + flow];
    std::int32_t& there = arrived[static_cast<std::size_t>(hop.dst) * flows.size() + flow];
    last = message.step > 0 ? message.step : std::max(last, here) + 1;
    there = std::max(there, last);
    const std::int32_t path = path_of[t][static_cast<std::size_t>(message.hop)];
    sends.push_back({.op = hop.op,
                     .flow = static_cast<std::int32_t>(flow),
                     .src = hop.src,
                     .dst = hop.dst,
                     .step = last,
                     .channel = path < 0 ? hop.path.front() : -1,
                     .path = path});
  }
  Schedule schedule =
      build_schedule(topology, request, algorithm, flows, sends, paths,
                     order.in_steps && order.step_time == 0 ? IdleSteps::kNops : IdleSteps::kNothing);
  Bytes longest = 0;
  for (const Chunk& flow : flows) longest = std::max(longest, flow.bytes);
  if (order.step_time > 0) Idling(topology, request, order.step_time, longest).fill(schedule);
  if (request.root >= 0) schedule.shares = {{{0, request.size}, request.root}};
  // A single piece does not repeat.
  if (order.period_steps > 0 && flows.size() > trees.size()) {
    schedule.repetition = {.flow = static_cast<std::int32_t>(trees.size()),
                           .address = flows[trees.size()].address - flows.front().address,
                           .step = order.period_steps};
  }
  return schedule;
}

}  // namespace coppice::schedule
