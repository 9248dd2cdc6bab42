#include "workload/layer.h"

namespace coppice::workload {
namespace {

std::int64_t output_size(std::int64_t input, std::int64_t padding, std::int64_t filter, std::int64_t stride) {
  return (input + 2 * padding - filter) / stride + 1;
}

}  // namespace

std::int64_t Layer::output_height() const {
  return output_size(ifmap_height, padding, filter_height, stride_height);
}

std::int64_t Layer::output_width() const {
  return output_size(ifmap_width, padding, filter_width, stride_width);
}

std::int64_t Layer::parameters() const {
  if (kind == LayerKind::kTied || kind == LayerKind::kMatmul) return 0;
  return filter_height * filter_width * (channels / groups) * filters;
}

std::int64_t Layer::macs() const {
  return gemm(*this, Pass::kForward, 1).macs();
}

Gemm gemm(const Layer& layer, Pass pass, std::int64_t samples) {
  const bool own_operands = layer.kind == LayerKind::kMatmul;
  const std::int64_t batch = own_operands ? 1 : samples;
  const std::int64_t taps = layer.filter_height * layer.filter_width;
  const std::int64_t outputs = batch * layer.output_height() * layer.output_width();
  const std::int64_t channels = layer.channels / layer.groups;
  const std::int64_t filters = layer.filters / layer.groups;
  Gemm product;
  switch (pass) {
    case Pass::kForward:
      product = {outputs, taps * channels, filters};
      break;
    case Pass::kInputGradient:
      product = {outputs, filters, taps * channels};
      break;
    case Pass::kWeightGradient:
      product = {taps * channels, outputs, filters};
      break;
  }
  product.count = layer.groups * (own_operands ? samples : 1);
  if (layer.kind == LayerKind::kEmbedding || samples == 0) product.count = 0;
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
