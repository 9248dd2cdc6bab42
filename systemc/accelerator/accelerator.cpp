#include "accelerator/accelerator.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::accelerator {
namespace {

using workload::Layer;
using workload::LayerKind;
using workload::Pass;

__extension__ using Wide = unsigned __int128;

std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

// Values of each tensor of a layer.
struct Tensors {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t weights = 0;  // of a kMatmul: the second operands of all samples
};

Tensors tensors(const Layer& layer, std::int64_t batch) {
  Tensors sizes;
  sizes.inputs = batch * layer.ifmap_height * layer.ifmap_width * layer.channels;
  sizes.outputs = batch * layer.output_height() * layer.output_width() * layer.filters;
  sizes.weights = layer.filter_height * layer.filter_width * (layer.channels / layer.groups) * layer.filters;
  if (layer.kind == LayerKind::kMatmul) sizes.weights *= batch;
  return sizes;
}

}  // namespace

Accelerator::Accelerator(const AcceleratorSpec& spec) : spec_(spec) {
  if (spec.pes < 1) throw std::invalid_argument("an accelerator needs a PE at least");
  if (spec.clock.hertz < 1) throw std::invalid_argument("an accelerator needs a clock");
  if (spec.memory_bandwidth && spec.memory_bandwidth->bytes_per_second < 1) {
    throw std::invalid_argument("an accelerator's memory needs a bandwidth");
  }
}

std::int64_t Accelerator::samples_per_pe(std::int64_t batch) const {
  return divide_up(batch, spec_.pes);
}

std::int64_t Accelerator::active_pes(std::int64_t batch) const {
  return divide_up(batch, samples_per_pe(batch));
}

PeCycles Accelerator::bounded_by_memory(PeCycles computation, std::int64_t elements) const {
  if (!spec_.memory_bandwidth) return computation;
  const Wide scaled = static_cast<Wide>(elements) * static_cast<Wide>(workload::kElementBytes) *
                      static_cast<Wide>(spec_.clock.hertz);
  const auto rate = static_cast<Wide>(spec_.memory_bandwidth->bytes_per_second);
  const Wide transfer = (scaled + rate - 1) / rate;
  constexpr auto kLongest = static_cast<Wide>(std::numeric_limits<PeCycles>::max() / 8);
  return std::max(computation, static_cast<PeCycles>(std::min(transfer, kLongest)));
}

PeCycles Accelerator::pass_cycles(const Layer& layer, Pass pass, std::int64_t batch) const {
  const std::int64_t samples = samples_per_pe(batch);
  if (layer.kind != LayerKind::kEmbedding) return spec_.array.cycles(gemm(layer, pass, samples));
  if (pass == Pass::kInputGradient) return 0;
  return samples * layer.ifmap_height * layer.ifmap_width * divide_up(layer.filters, spec_.array.columns());
}

std::int64_t Accelerator::pass_elements(const Layer& layer, Pass pass, std::int64_t batch) const {
  const Tensors sizes = tensors(layer, batch);
  if (layer.kind == LayerKind::kEmbedding) {
    switch (pass) {
      case Pass::kForward:
        return 2 * sizes.outputs;  // rows read, rows written
      case Pass::kInputGradient:
        return 0;
      case Pass::kWeightGradient:
        return 3 * sizes.outputs;  // output gradients read, rows read and written
    }
  }
  // Every PE's samples give it a gradient of all weights; a product of activations has one per sample.
  const std::int64_t gradients =
      layer.kind == LayerKind::kMatmul ? sizes.weights : sizes.weights * active_pes(batch);
  switch (pass) {
    case Pass::kForward:
    case Pass::kInputGradient:
      return sizes.inputs + sizes.weights + sizes.outputs;
    case Pass::kWeightGradient:
      return sizes.inputs + sizes.outputs + gradients;
  }
  return 0;
}

PeCycles Accelerator::aggregation_cycles(const Layer& layer, std::int64_t batch) const {
  const std::int64_t partial_sums = active_pes(batch);
  const bool shared_weights = layer.kind == LayerKind::kConvolution || layer.kind == LayerKind::kTied;
  // An embedding's PEs add into the one table.
  if (!shared_weights || partial_sums == 1) return 0;
  const std::int64_t weights = tensors(layer, batch).weights;
  const std::int64_t additions = divide_up(weights, partial_sums) * (partial_sums - 1);
  return bounded_by_memory(divide_up(additions, spec_.array.columns()), weights * (partial_sums + 1));
}

LayerCycles Accelerator::cycles(const Layer& layer, std::int64_t batch) const {
  const auto pass = [&](Pass which) {
    return bounded_by_memory(pass_cycles(layer, which, batch), pass_elements(layer, which, batch));
  };
  return {pass(Pass::kForward), pass(Pass::kInputGradient), pass(Pass::kWeightGradient),
          aggregation_cycles(layer, batch)};
}

std::vector<workload::LayerCost> Accelerator::costs(const workload::Model& model, std::int64_t batch) const {
  std::vector<workload::LayerCost> costs;
  costs.reserve(model.layers.size());
  for (const Layer& layer : model.layers) {
    const auto time = [&](PeCycles cycles) {
      const Femtoseconds period = spec_.clock.period();
      if (cycles > std::numeric_limits<Femtoseconds>::max() / period) {
        throw UnsupportedError(fmt::format("layer {} of {} takes more than the 9,223 s that can be simulated",
                                           layer.name, model.name));
      }
      return cycles * period;
    };
    const LayerCycles cost = cycles(layer, batch);
    costs.push_back({layer.name, time(cost.forward), time(cost.input_gradient),
                     time(cost.weight_gradient + cost.local_aggregation), layer.gradient_bytes()});
  }
  return costs;
}

}  // namespace coppice::accelerator
