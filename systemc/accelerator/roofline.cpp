#include "accelerator/roofline.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::accelerator {
namespace {

using workload::Layer;
using workload::LayerKind;

// The number of operand and result values of a pass. Each value counts once.
double elements_moved(const Layer& layer, std::int64_t batch) {
  const workload::Tensors sizes = tensors(layer, batch);
  if (layer.kind == LayerKind::kEmbedding) return 2 * static_cast<double>(sizes.outputs);
  return static_cast<double>(sizes.inputs + sizes.outputs + sizes.weights);
}

}  // namespace

std::vector<workload::LayerCost> Roofline::costs(const workload::Model& model, std::int64_t batch,
                                                 const Optimizer& optimizer) const {
  const double bytes_per_second = static_cast<double>(memory_bandwidth.bytes_per_second) * memory_efficiency;
  std::vector<workload::LayerCost> costs;
  for (const Layer& layer : model.layers) {
    const double operations = 2.0 * static_cast<double>(layer.macs()) * static_cast<double>(batch);
    const double compute_s = operations / (peak_tflops * 1e12 * efficiency);
    const double bytes = elements_moved(layer, batch) * static_cast<double>(workload::kElementBytes);
    const double memory_s = bytes / bytes_per_second;
    const double seconds = std::max(compute_s, memory_s);
    if (seconds > 9'000) {
      throw UnsupportedError(fmt::format("layer {} of {} takes more than the 9,223 s that can be simulated",
                                         layer.name, model.name));
    }
    const Femtoseconds pass = std::llround(seconds * static_cast<double>(kFemtosecondsPerSecond)) + launch;
    const bool indices = layer.kind == LayerKind::kEmbedding;
    const double updated = static_cast<double>(layer.parameters()) *
                           static_cast<double>(optimizer.bytes_per_weight()) / bytes_per_second;
    const Femtoseconds moved = std::llround(updated * static_cast<double>(kFemtosecondsPerSecond));
    const Femtoseconds update = moved + (layer.parameters() > 0 ? launch : 0);
    costs.push_back({layer.name, pass, indices ? 0 : pass, pass, layer.gradient_bytes(), update});
  }
  return costs;
}

}  // namespace coppice::accelerator
