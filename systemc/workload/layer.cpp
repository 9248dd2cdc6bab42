#include "workload/layer.h"

#include <algorithm>

namespace coppice::workload {
namespace {

// One dimension of the image: its size, and how the filter moves along it.
struct Side {
  std::int64_t input;
  std::int64_t filter;
  std::int64_t stride;
};

std::int64_t reach(const Layer& layer, std::int64_t filter) {
  return (filter - 1) * layer.dilation + 1;
}

std::int64_t output_size(const Layer& layer, const Side& side) {
  const std::int64_t last = side.input + 2 * layer.padding - reach(layer, side.filter);
  return (last + (layer.round_up ? side.stride - 1 : 0)) / side.stride + 1;
}

std::int64_t input_size(const Layer& layer, const Side& side, std::int64_t part) {
  if (part == 0) return side.input;
  return std::min(side.input, (part - 1) * side.stride + reach(layer, side.filter));
}

Side vertical(const Layer& layer) {
  return {layer.ifmap_height, layer.filter_height, layer.stride_height};
}

Side horizontal(const Layer& layer) {
  return {layer.ifmap_width, layer.filter_width, layer.stride_width};
}

}  // namespace

bool multiplies(LayerKind kind) {
  return kind == LayerKind::kConvolution || kind == LayerKind::kTied || kind == LayerKind::kMatmul;
}

std::int64_t Layer::output_height() const {
  return part_height > 0 ? part_height : output_size(*this, vertical(*this));
}

std::int64_t Layer::output_width() const {
  return part_width > 0 ? part_width : output_size(*this, horizontal(*this));
}

std::int64_t Layer::input_rows() const {
  return input_size(*this, vertical(*this), part_height);
}

std::int64_t Layer::input_columns() const {
  return input_size(*this, horizontal(*this), part_width);
}

std::int64_t Layer::window() const {
  return (filter_height * filter_width * (channels / groups) * kept + of - 1) / of;
}

std::int64_t Layer::parameters() const {
  switch (kind) {
    case LayerKind::kConvolution:
    case LayerKind::kEmbedding:
      return window() * filters;
    case LayerKind::kNormalization:
      return 2 * channels;
    default:
      return 0;
  }
}

Tensors tensors(const Layer& layer, std::int64_t samples) {
  const std::int64_t inputs = samples * layer.batch;
  Tensors sizes;
  sizes.inputs = inputs * layer.input_rows() * layer.input_columns() * layer.channels;
  sizes.outputs = inputs * layer.output_height() * layer.output_width() * layer.filters;
  if (multiplies(layer.kind) || layer.kind == LayerKind::kEmbedding) {
    sizes.weights = layer.window() * layer.filters;
  } else {
    sizes.weights = layer.parameters();
  }
  if (layer.kind == LayerKind::kMatmul) sizes.weights *= inputs;
  return sizes;
}

std::int64_t Layer::macs() const {
  return gemm(*this, Pass::kForward, 1).macs();
}

Gemm gemm(const Layer& layer, Pass pass, std::int64_t samples) {
  const bool own_operands = layer.kind == LayerKind::kMatmul;
  const std::int64_t inputs = samples * layer.batch;
  const std::int64_t outputs = (own_operands ? 1 : inputs) * layer.output_height() * layer.output_width();
  const std::int64_t window = layer.window();
  const std::int64_t filters = layer.filters / layer.groups;
  Gemm product;
  switch (pass) {
    case Pass::kForward:
      product = {outputs, window, filters};
      break;
    case Pass::kInputGradient:
      product = {outputs, filters, window};
      break;
    case Pass::kWeightGradient:
      product = {window, outputs, filters};
      break;
  }
  product.count = layer.groups * (own_operands ? inputs : 1);
  if (!multiplies(layer.kind) || samples == 0) product.count = 0;
  return product;
}

const char* to_string(LayerKind kind) {
  switch (kind) {
    case LayerKind::kConvolution:
      return "conv";
    case LayerKind::kTied:
      return "tied";
    case LayerKind::kEmbedding:
      return "embedding";
    case LayerKind::kMatmul:
      return "matmul";
    case LayerKind::kElementwise:
      return "elementwise";
    case LayerKind::kAdd:
      return "add";
    case LayerKind::kNormalization:
      return "normalization";
    case LayerKind::kPooling:
      return "pooling";
    case LayerKind::kSoftmax:
      return "softmax";
  }
  return "?";
}

const char* to_string(Pass pass) {
  switch (pass) {
    case Pass::kForward:
      return "forward";
    case Pass::kInputGradient:
      return "input gradient";
    case Pass::kWeightGradient:
      return "weight gradient";
  }
  return "?";
}

}  // namespace coppice::workload
