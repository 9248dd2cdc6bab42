#pragma once

#include <rapidcheck.h>

#include "workload/layer.h"

namespace coppice::accelerator {

// A random layer, which is either a product of activations or a convolution that may be grouped, padded,
// strided or dilated.
inline workload::Layer any_layer() {
  workload::Layer layer;
  layer.groups = *rc::gen::element(1, 1, 2, 3);
  layer.channels = layer.groups * *rc::gen::inRange(1, 12);
  layer.filters = layer.groups * *rc::gen::inRange(1, 12);
  layer.ifmap_height = *rc::gen::inRange(5, 14);
  layer.ifmap_width = *rc::gen::inRange(5, 14);
  if (*rc::gen::inRange(0, 4) == 0) {
    layer.kind = workload::LayerKind::kMatmul;
    return layer;
  }
  layer.filter_height = *rc::gen::inRange(1, 4);
  layer.filter_width = *rc::gen::inRange(1, 4);
  layer.stride_height = *rc::gen::inRange<std::int64_t>(1, layer.filter_height + 1);
  layer.stride_width = *rc::gen::inRange<std::int64_t>(1, layer.filter_width + 1);
  layer.padding = *rc::gen::inRange(0, 2);
  layer.dilation = *rc::gen::element(1, 1, 2);
  return layer;
}

}  // namespace coppice::accelerator
