#include "accelerator/value_work.h"

namespace coppice::accelerator {

using workload::Layer;
using workload::LayerKind;
using workload::Pass;

namespace {

ValueWork forward(const Layer& layer, const workload::Tensors& sizes) {
  switch (layer.kind) {
    case LayerKind::kEmbedding:
      return {1, 0, sizes.outputs, sizes.outputs};
    case LayerKind::kElementwise:
      return {1, sizes.inputs, 0, sizes.outputs};
    case LayerKind::kAdd:
      return {1, 2 * sizes.inputs, 0, sizes.outputs};
    case LayerKind::kNormalization:
      return {2, 2 * sizes.inputs, sizes.weights, sizes.outputs};
    case LayerKind::kPooling:
      return {layer.filter_height * layer.filter_width, sizes.inputs, 0, sizes.outputs};
    case LayerKind::kSoftmax:
      return {3, sizes.inputs, 0, sizes.outputs};
    default:
      return {};
  }
}

ValueWork input_gradient(const Layer& layer, const workload::Tensors& sizes) {
  switch (layer.kind) {
    case LayerKind::kElementwise:
      return {1, 2 * sizes.inputs, 0, sizes.inputs};
    case LayerKind::kNormalization:
      return {2, 4 * sizes.inputs, sizes.weights, sizes.inputs};
    case LayerKind::kPooling:
      return {layer.filter_height * layer.filter_width, sizes.inputs + sizes.outputs, 0, sizes.inputs};
    case LayerKind::kSoftmax:
      return {2, 2 * sizes.outputs, 0, sizes.inputs};
    default:  // the gradient of a sum is also the gradient of its operands, and indices have no gradient
      return {};
  }
}

}  // namespace

ValueWork value_work(const Layer& layer, Pass pass, std::int64_t samples) {
  const workload::Tensors sizes = tensors(layer, samples);
  if (pass == Pass::kForward) return forward(layer, sizes);
  if (pass == Pass::kInputGradient) return input_gradient(layer, sizes);
  // The gradients of a normalization's scale and shift are computed together with the gradient of its input.
  if (layer.kind != LayerKind::kEmbedding) return {};
  return {1, sizes.outputs, sizes.outputs, sizes.outputs};
}

}  // namespace coppice::accelerator
