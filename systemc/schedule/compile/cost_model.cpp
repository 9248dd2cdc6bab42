#include "schedule/compile/cost_model.h"

#include <algorithm>
#include <cmath>

namespace coppice::schedule {
namespace {

double levels(const CostModel& model) {
  return std::log2(static_cast<double>(model.accelerators));
}

double steps_ns(const CostModel& model, double steps, double chunks, double bytes) {
  return steps * (model.alpha_ns + model.beta_ns_per_byte * bytes / chunks);
}

}  // namespace

double CostModel::all_gather_ns(double bytes) const {
  return (accelerators - 1) * (alpha_ns + beta_ns_per_byte * bytes / accelerators);
}

double CostModel::ring_ns(double bytes) const {
  return 2 * all_gather_ns(bytes);
}

double CostModel::tree_phase_ns(double bytes, double chunks) const {
  return steps_ns(*this, levels(*this) + chunks, chunks, bytes);
}

double CostModel::optimal_chunks(double bytes) const {
  return std::max(1.0, std::sqrt(levels(*this) * beta_ns_per_byte * bytes / alpha_ns));
}

double CostModel::tree_ns(double bytes) const {
  return 2 * tree_phase_ns(bytes, optimal_chunks(bytes));
}

double CostModel::overlapped_tree_ns(double bytes, double chunks) const {
  return steps_ns(*this, 2 * levels(*this) + chunks, chunks, bytes);
}

double CostModel::overlapped_tree_ns(double bytes) const {
  return overlapped_tree_ns(bytes, optimal_chunks(bytes));
}

double pipelined_tree_ns(const CostModel& model, int levels, int chunks, double bytes) {
  return steps_ns(model, 2 * (levels + chunks - 1), chunks, bytes);
}

double pipelined_overlapped_tree_ns(const CostModel& model, int levels, int chunks, double bytes) {
  return steps_ns(model, 2 * levels + chunks - 1, chunks, bytes);
}

double turnaround_ns(const CostModel& model, int levels, int chunks, double bytes) {
  return steps_ns(model, 2 * levels + chunks - 1, chunks, bytes);
}

double overlapped_turnaround_ns(const CostModel& model, int levels, int chunks, double bytes) {
  return steps_ns(model, 2 * levels, chunks, bytes);
}

int optimal_chunks(const CostModel& model, double bytes, int most) {
  if (model.alpha_ns <= 0) return most;
  return static_cast<int>(
      std::clamp(std::round(model.optimal_chunks(bytes)), 1.0, static_cast<double>(most)));
}

CostModel cost_model(const topology::Topology& topology, Femtoseconds step) {
  CostModel model{.alpha_ns = static_cast<double>(step) / kFemtosecondsPerNanosecond,
                  .accelerators = topology.num_accelerators()};
  for (const topology::Channel& channel : topology.channels()) {
    model.beta_ns_per_byte = std::max(model.beta_ns_per_byte, 1 / channel.bandwidth.gb_per_s());
  }
  return model;
}

}  // namespace coppice::schedule
