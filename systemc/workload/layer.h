#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace coppice::workload {

// The kind of work of a layer, and whether it has weights of its own.
enum class LayerKind {
  kConvolution,  // with weights; a fully connected layer is a 1x1 convolution
  kTied,         // a convolution by weights of an earlier layer, which owns their gradient
  kEmbedding,    // selects a row of a table of `channels` x `filters` for every pixel
  kMatmul,       // the product of two activations: no weights, both operands have gradients
};

// The three products of training a layer.
enum class Pass { kForward, kInputGradient, kWeightGradient };

inline constexpr Bytes kElementBytes = 4;  // fp32

// A layer in SCALE-Sim's terms (Samajdar et al. 2020): its input (IFMAP) of height x width x channels, and
// `filters` filters of filter_height x filter_width x channels, moved by the strides. Per sample. With
// groups, filter g of G sees channels / G channels only. A kMatmul is a height*width x channels by channels x
// filters product per group. All dimensions are at least 1; groups divide channels and filters.
struct Layer {
  std::string name;
  LayerKind kind = LayerKind::kConvolution;
  std::int64_t ifmap_height = 1;
  std::int64_t ifmap_width = 1;
  std::int64_t filter_height = 1;
  std::int64_t filter_width = 1;
  std::int64_t channels = 1;
  std::int64_t filters = 1;
  std::int64_t stride_height = 1;
  std::int64_t stride_width = 1;
  std::int64_t padding = 0;  // rows and columns of zeros on each side
  std::int64_t groups = 1;

  // floor((H + 2 padding - filter) / stride) + 1, at least 1 in a valid layer.
  std::int64_t output_height() const;
  std::int64_t output_width() const;

  // Weights that this layer owns, and the bytes of their gradient.
  std::int64_t parameters() const;
  Bytes gradient_bytes() const { return parameters() * kElementBytes; }

  // Multiply-accumulates of the forward pass of one sample; none in an embedding.
  std::int64_t macs() const;

  bool operator==(const Layer&) const = default;
};

// `count` independent products of an m x k by a k x n matrix; nothing to do if count is 0.
struct Gemm {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t count = 1;

  std::int64_t macs() const { return m * k * n * count; }
  bool operator==(const Gemm&) const = default;
};

// The products that `pass` of `samples` samples needs, B samples, Ho x Wo outputs, R x S filters, C channels,
// F filters, G groups, of the inputs as im2col lays them out (a row per output, its patch in the columns):
//   forward          m = B Ho Wo    k = R S C/G    n = F/G        count G
//   input gradient   m = B Ho Wo    k = F/G        n = R S C/G    count G, added by col2im where patches
//   overlap weight gradient  m = R S C/G    k = B Ho Wo    n = F/G        count G
// Each is as many multiply-accumulates as the others: zeros between strides and around the border are none.
// A kMatmul has operands of its own in every sample: the same with B = 1 and count B G. An embedding
// multiplies nothing: count 0.
Gemm gemm(const Layer& layer, Pass pass, std::int64_t samples);

const char* to_string(LayerKind kind);
const char* to_string(Pass pass);

}  // namespace coppice::workload
