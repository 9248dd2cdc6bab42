#include "topology/topology.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/machine_memory.h"

namespace coppice::topology {
namespace {

// The available memory is checked only if there are at least this many channels.
constexpr std::size_t kManyChannels = std::size_t{1} << 18;

// Throws if there is not enough memory to extend the lists of channels. The lists double in size, so they
// need memory for twice the number of channels in addition to the existing lists.
void require_memory_to_double(const Topology& topology) {
  const std::size_t channels = topology.channels().size();
  const auto needed = static_cast<Bytes>(2 * channels * (sizeof(Channel) + 2 * sizeof(ChannelId)));
  const Bytes available = machine_memory();
  if (needed <= available) return;
  throw UnsupportedError(fmt::format(
      "{} has more than {} channels, which need at least another {:.2f} GB of memory, but only {:.2f} GB are "
      "available: use fewer accelerators",
      topology.name(), channels, static_cast<double>(needed) / 1e9, static_cast<double>(available) / 1e9));
}

}  // namespace

const char* to_string(DimensionKind kind) {
  switch (kind) {
    case DimensionKind::kRing:
    case DimensionKind::kOneWayRing:
      return "ring";
    case DimensionKind::kFullyConnected:
      return "fully_connected";
    case DimensionKind::kSwitch:
      return "switch";
  }
  return "unknown";
}

Topology::Topology(Kind kind, std::vector<int> dims, int accelerators, int switches,
                   std::vector<DimensionKind> dimension_kinds)
    : kind_(kind),
      dims_(std::move(dims)),
      dimension_kinds_(std::move(dimension_kinds)),
      accelerators_(accelerators) {
  if (accelerators < 1 || switches < 0) {
    throw UnsupportedError(
        fmt::format("a {} cannot have {} accelerators and {} switches: it needs at least 1 accelerator",
                    to_string(kind), accelerators, switches));
  }
  const auto nodes = static_cast<std::size_t>(accelerators) + static_cast<std::size_t>(switches);
  out_.resize(nodes);
  in_.resize(nodes);
}

void Topology::reduce_in_network(std::vector<bool> dimensions, int switches) {
  in_network_ = std::move(dimensions);
  adding_switches_ = switches;
}

ChannelId Topology::add_channel(NodeId src, NodeId dst, Bandwidth bandwidth, Femtoseconds latency,
                                int dimension) {
  const auto fail = [&](const std::string& why) {
    throw UnsupportedError(fmt::format("channel {}->{} of {}: {}", src, dst, name(), why));
  };
  for (const NodeId end : {src, dst}) {
    if (end < 0 || end >= num_nodes()) fail(fmt::format("the nodes are numbered 0 to {}", num_nodes() - 1));
  }
  if (src == dst) fail("a node cannot have a channel to itself");
  if (bandwidth.bytes_per_second <= 0) fail("its bandwidth must be above 0");
  if (latency < 0) fail("its latency must not be negative");
  auto& out = out_[static_cast<std::size_t>(src)];
  auto& in = in_[static_cast<std::size_t>(dst)];
  // A Hop stores the numbers of output ports, including ejection ports, in 16 bits.
  constexpr std::size_t kMaxPorts = std::numeric_limits<std::int16_t>::max();
  if (out.size() >= kMaxPorts) fail(fmt::format("node {} already has {} outgoing channels", src, kMaxPorts));

  if (channels_.size() >= kManyChannels && std::has_single_bit(channels_.size()))
    require_memory_to_double(*this);
  const auto id = static_cast<ChannelId>(channels_.size());
  channels_.push_back({.src = src,
                       .dst = dst,
                       .bandwidth = bandwidth,
                       .latency = latency,
                       .dimension = dimension,
                       .src_port = static_cast<int>(out.size()),
                       .dst_port = static_cast<int>(in.size())});
  out.push_back(id);
  in.push_back(id);
  return id;
}

std::vector<int> Topology::coordinates(NodeId node) const {
  std::vector<int> result;
  result.reserve(dims_.size());
  for (const int width : dims_) {
    result.push_back(node % width);
    node /= width;
  }
  return result;
}

NodeId Topology::node_at(std::span<const int> coordinates) const {
  NodeId node = 0;
  for (std::size_t d = dims_.size(); d-- > 0;) node = node * dims_[d] + coordinates[d];
  return node;
}

std::string Topology::name() const {
  return dims_.empty() ? fmt::format("{} of {} accelerators and {} switches", to_string(kind_), accelerators_,
                                     num_switches())
                       : fmt::format("{} {}", to_string(kind_), fmt::join(dims_, "x"));
}

}  // namespace coppice::topology
