#include "accelerator/footprint.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace coppice::accelerator {

const std::vector<Optimizer>& optimizers() {
  static const std::vector<Optimizer> all = {{"sgd", 0}, {"momentum", 1}, {"adam", 2}};
  return all;
}

const Optimizer& find_optimizer(const std::string& name) {
  const auto& all = optimizers();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Optimizer& optimizer) { return optimizer.name == name; });
  if (found != all.end()) return *found;
  throw std::invalid_argument(fmt::format("'{}' is not an optimizer: write sgd, momentum or adam", name));
}

Bytes copied_weights(std::int64_t weights, ElementType operands) {
  const Bytes bytes = element_bytes(operands);
  return bytes < workload::kElementBytes ? weights * bytes : 0;
}

Footprint footprint_of(const workload::Model& model, std::int64_t batch, const Optimizer& optimizer,
                       Bytes partial_sums, ElementType operands) {
  Footprint footprint;
  footprint.weights = model.parameters() * workload::kElementBytes;
  footprint.gradients = footprint.weights;
  footprint.optimizer = footprint.weights * optimizer.states;
  footprint.weights += copied_weights(model.parameters(), operands);
  footprint.partial_sums = partial_sums;
  for (const workload::Layer& layer : model.layers) {
    const workload::Tensors sizes = tensors(layer, batch);
    // The inputs of an embedding are indices. A product of activations has two operands, as does a sum.
    std::int64_t values = layer.kind == workload::LayerKind::kEmbedding
                              ? batch * layer.batch * layer.ifmap_height * layer.ifmap_width
                              : sizes.inputs;
    if (layer.kind == workload::LayerKind::kMatmul) values += sizes.weights;
    footprint.activations += values * element_bytes(operands);
  }
  if (!model.layers.empty()) {
    footprint.activations += tensors(model.layers.back(), batch).outputs * element_bytes(operands);
  }
  return footprint;
}

}  // namespace coppice::accelerator
