#include "schedule/latency_model.h"

#include <utility>

#include "schedule/dimension_algorithm.h"
#include "topology/hierarchy.h"

namespace coppice::schedule {

std::vector<DimensionModel> dimension_models(const topology::Topology& topology) {
  const topology::Hierarchy hierarchy(topology);
  std::vector<DimensionModel> models;
  for (const auto& dimension : hierarchy.dimensions()) {
    DimensionModel& model = models.emplace_back();
    model.kind = dimension.kind;
    model.size = dimension.size;
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
  }
  return models;
}

LatencyModel::LatencyModel(std::vector<DimensionModel> dimensions) : dimensions_(std::move(dimensions)) {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const DimensionModel& dimension = dimensions_[d];
    const DimensionAlgorithm algorithm(d, dimension.kind, dimension.size);
    fixed_delays_.push_back(algorithm.steps() * dimension.step_latency);
  }
}

Bytes LatencyModel::sent(std::size_t d, Op op, Bytes before) const {
  const Bytes size = dimensions_[d].size;
  return op == Op::kReduce ? before - before / size : before * (size - 1);
}

Femtoseconds LatencyModel::transfer(std::size_t d, Op op, Bytes before) const {
  return transfer_time(sent(d, op, before), dimensions_[d].bandwidth);
}

Bytes LatencyModel::after(std::size_t d, Op op, Bytes before) const {
  const Bytes size = dimensions_[d].size;
  return op == Op::kReduce ? before / size : before * size;
}

Bandwidth LatencyModel::total_bandwidth() const {
  Bandwidth total;
  for (const DimensionModel& dimension : dimensions_) {
    total.bytes_per_second += dimension.bandwidth.bytes_per_second;
  }
  return total;
}

int LatencyModel::accelerators() const {
  int count = 1;
  for (const DimensionModel& dimension : dimensions_) count *= dimension.size;
  return count;
}

Femtoseconds ideal_time(const LatencyModel& model, Collective collective, Bytes size) {
  const Bytes once = size - size / model.accelerators();
  const Bytes sent = collective == Collective::kAllReduce ? 2 * once : once;
  return transfer_time(sent, model.total_bandwidth());
}

}  // namespace coppice::schedule
