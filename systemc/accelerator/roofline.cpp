#include "accelerator/roofline.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::accelerator {
namespace {

using workload::Layer;
using workload::LayerKind;

double elements_moved(const Layer& layer, std::int64_t batch) {
  const auto samples = static_cast<double>(batch);
  const auto inputs = static_cast<double>(layer.ifmap_height * layer.ifmap_width * layer.channels);
  const auto outputs = static_cast<double>(layer.output_height() * layer.output_width() * layer.filters);
  if (layer.kind == LayerKind::kEmbedding) return samples * 2 * outputs;
  const std::int64_t channels_of_group = layer.channels / layer.groups;
  const auto weights =
      static_cast<double>(layer.filter_height * layer.filter_width * channels_of_group * layer.filters);
  const double times = layer.kind == LayerKind::kMatmul ? samples : 1;
  return samples * (inputs + outputs) + times * weights;
}

}  // namespace

std::vector<workload::LayerCost> Roofline::costs(const workload::Model& model, std::int64_t batch) const {
  std::vector<workload::LayerCost> costs;
  for (const Layer& layer : model.layers) {
    const double operations = 2.0 * static_cast<double>(layer.macs()) * static_cast<double>(batch);
    const double compute_s = operations / (peak_tflops * 1e12 * efficiency);
    const double bytes = elements_moved(layer, batch) * static_cast<double>(workload::kElementBytes);
    const double memory_s = bytes / (static_cast<double>(memory_bandwidth.bytes_per_second) * efficiency);
    const double seconds = std::max(compute_s, memory_s);
    if (seconds > 9'000) {
      throw UnsupportedError(fmt::format("layer {} of {} takes more than the 9,223 s that can be simulated",
                                         layer.name, model.name));
    }
    const Femtoseconds pass = std::llround(seconds * static_cast<double>(kFemtosecondsPerSecond));
    const bool indices = layer.kind == LayerKind::kEmbedding;
    costs.push_back({layer.name, pass, indices ? 0 : pass, pass, layer.gradient_bytes()});
  }
  return costs;
}

}  // namespace coppice::accelerator
