#include "schedule/compile/latency_model.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/time_limit.h"
#include "schedule/tables/dimension_algorithm.h"
#include "topology/networks/hierarchy.h"

namespace coppice::schedule {

std::vector<DimensionModel> dimension_models(const topology::Topology& topology) {
  const topology::Hierarchy hierarchy(topology);
  const std::vector<std::vector<topology::Lane>> lanes = topology::lanes_of(topology);
  std::vector<DimensionModel> models;
  for (const auto& dimension : hierarchy.dimensions()) {
    DimensionModel& model = models.emplace_back();
    model.kind = dimension.kind;
    model.size = dimension.size;
    model.in_network = dimension.in_network;
    model.lanes = std::max(1, static_cast<int>(lanes[models.size() - 1].size()));
    for (int port = 0; port < dimension.ports; ++port) {
      const topology::ChannelId id =
          topology.out_channels(0)[static_cast<std::size_t>(dimension.first_port + port)];
      const topology::Channel& out = topology.channel(id);
      model.bandwidth.bytes_per_second += out.bandwidth.bytes_per_second;
      model.step_latency = out.latency;
      if (!topology.is_accelerator(out.dst)) {
        model.step_latency += topology.channel(topology.out_channels(out.dst).front()).latency;
      }
    }
    model.bandwidth.bytes_per_second *= model.lanes;
  }
  return models;
}

void set_methods(std::vector<DimensionModel>& dimensions, const std::vector<DimensionMethod>& methods) {
  if (methods.empty()) return;
  if (methods.size() != dimensions.size()) {
    throw UnsupportedError(fmt::format("{} algorithms are given for {} dimensions: write one per dimension",
                                       methods.size(), dimensions.size()));
  }
  for (std::size_t d = 0; d < methods.size(); ++d) {
    DimensionModel& dimension = dimensions[d];
    dimension.method = methods[d];
    const bool grouped = dimension.kind == topology::DimensionKind::kFullyConnected;
    if (grouped && methods[d] == DimensionMethod::kRing) {
      dimension.bandwidth.bytes_per_second /= dimension.size - 1;
    }
  }
}

std::vector<DimensionMethod> direct_in_switches(const topology::Topology& topology) {
  if (topology.dimension_kinds().empty()) return {};
  std::vector<DimensionMethod> methods;
  bool halves = false;
  const std::vector<DimensionModel> dimensions = dimension_models(topology);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const DimensionModel& dimension = dimensions[d];
    const bool ring = topology::is_ring(dimension.kind);
    methods.push_back(ring ? DimensionMethod::kRing : DimensionMethod::kDirect);
    halves = halves ||
             (!dimension.in_network && DimensionAlgorithm(d, dimension.kind, dimension.size).exchanges());
  }
  return halves ? methods : std::vector<DimensionMethod>();
}

LatencyModel::LatencyModel(std::vector<DimensionModel> dimensions, Bytes element, const StepTiming& timing)
    : dimensions_(std::move(dimensions)), element_(element), timing_(timing) {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const DimensionModel& dimension = dimensions_[d];
    const auto& algorithm =
        algorithms_.emplace_back(d, dimension.kind, dimension.size, dimension.in_network, dimension.method);
    fixed_delays_.push_back(checked_time(algorithm.steps(), dimension.step_latency));
    accelerators_ *= dimension.size;
    rings_ = rings_ || algorithm.sends_halves();
  }
}

Bytes LatencyModel::sent(std::size_t d, Op op, Bytes before) const {
  if (in_network(d) && op == Op::kGather) return before;
  const Bytes size = dimensions_[d].size;
  return op == Op::kReduce ? before - before / size : before * (size - 1);
}

Bytes LatencyModel::received(std::size_t d, Op op, Bytes before) const {
  if (!in_network(d)) return sent(d, op, before);
  const Bytes size = dimensions_[d].size;
  return op == Op::kReduce ? before / size : before * (size - 1);
}

Femtoseconds LatencyModel::transfer(std::size_t d, Op op, Bytes before) const {
  return transfer_time(sent(d, op, before), dimensions_[d].bandwidth);
}

Bytes LatencyModel::after(std::size_t d, Op op, Bytes before) const {
  const Bytes size = dimensions_[d].size;
  return op == Op::kReduce ? before / size : before * size;
}

bool LatencyModel::adds_in_network() const {
  return std::ranges::any_of(dimensions_, &DimensionModel::in_network);
}

Bandwidth LatencyModel::total_bandwidth() const {
  Bandwidth total;
  for (const DimensionModel& dimension : dimensions_) {
    total.bytes_per_second += dimension.bandwidth.bytes_per_second;
  }
  return total;
}

Femtoseconds LatencyModel::step_transfer(std::size_t d, Op op, Bytes chunk, Bytes shares, int step) const {
  const DimensionAlgorithm& algorithm = algorithms_[d];
  const Bytes part = op == Op::kReduce ? shares / dimensions_[d].size : shares;
  const Bytes pieces = pieces_of_a_chunk(accelerators_, rings_);
  Bytes sent = part * algorithm.move(op, step, 0, 0).parts * (pieces / accelerators_);
  if (algorithm.sends_halves()) sent /= 2;
  const Bytes elements = (chunk / element_ * sent + pieces - 1) / pieces;
  const int in_turn = algorithm.messages() / algorithm.ports();
  return in_turn * serialization(d, elements * element_) / dimensions_[d].lanes;
}

Femtoseconds LatencyModel::shares_transfer(std::size_t d, Bytes chunk, Bytes shares) const {
  const Bytes elements = (chunk / element_ * shares + accelerators_ - 1) / accelerators_;
  return serialization(d, elements * element_);
}

Bandwidth LatencyModel::link_bandwidth(std::size_t d) const {
  return {dimensions_[d].bandwidth.bytes_per_second / dimensions_[d].lanes / algorithms_[d].ports()};
}

Femtoseconds LatencyModel::serialization(std::size_t d, Bytes bytes) const {
  Bandwidth link = link_bandwidth(d);
  if (in_network(d) && timing_.adder.bytes_per_second > 0) link = std::min(link, timing_.adder);
  bytes = sent_bytes(bytes, timing_.efficiency);
  if (timing_.flit == 0) return transfer_time(bytes, link);
  const auto parts = [bytes](Bytes part) { return (bytes + part - 1) / part; };
  const Bytes heads = timing_.payload == 0 ? 1 : parts(timing_.payload);
  return checked_time(heads + parts(timing_.flit), transfer_time(timing_.flit, link));
}

Femtoseconds LatencyModel::step_latency(std::size_t d) const {
  const DimensionModel& dimension = dimensions_[d];
  const Femtoseconds way = dimension.in_network ? dimension.step_latency / 2 : dimension.step_latency;
  if (timing_.flit == 0) return way;
  // The last flit's transfer time is already part of the message's transfer time, so it is subtracted.
  const Bandwidth link = link_bandwidth(d);
  const bool through = dimension.kind == topology::DimensionKind::kSwitch && !dimension.in_network;
  const int routers = through ? 3 : 2;
  const Femtoseconds latency =
      way + routers * timing_.router + timing_.interface_time - transfer_time(timing_.flit, link);
  return std::max<Femtoseconds>(latency, 0);
}

Bytes pieces_of_a_chunk(int accelerators, bool rings) {
  return Bytes{accelerators} * (rings ? 2 : 1);
}

Femtoseconds ideal_time(const LatencyModel& model, Collective collective, Bytes size) {
  const Bytes once = size - size / model.accelerators();
  if (collective == Collective::kAllReduce && model.adds_in_network()) {
    return transfer_time(size, model.total_bandwidth());
  }
  const Bytes sent = collective == Collective::kAllReduce ? 2 * once : once;
  return transfer_time(sent, model.total_bandwidth());
}

}  // namespace coppice::schedule
