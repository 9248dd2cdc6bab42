#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace coppice::workload {

// The computation of a layer, which determines its work and whether it has weights.
enum class LayerKind {
  kConvolution,    // has weights; a fully connected layer is a 1x1 convolution
  kTied,           // a convolution that uses the weights of an earlier layer, which owns their gradient
  kEmbedding,      // selects a row of a table of `channels` x `filters` values for every pixel
  kMatmul,         // the product of two activations; has no weights, but both operands have gradients
  kElementwise,    // a function of each input value
  kAdd,            // the sum of two inputs of this size, each of which has the gradient of the sum
  kNormalization,  // by mean and variance; its weights are a scale and a shift per channel
  kPooling,        // over windows of filter_height x filter_width inputs
  kSoftmax,        // over the channels
};

// Whether a layer is computed as products on the systolic array. Other layers only move or transform values.
bool multiplies(LayerKind kind);

// The three products that a layer computes in training.
enum class Pass { kForward, kInputGradient, kWeightGradient };

inline constexpr Bytes kElementBytes = 4;  // fp32

// A layer in SCALE-Sim's terms (Samajdar et al. 2020): an input (IFMAP) of height x width x channels, and
// `filters` filters of filter_height x filter_width x channels that move by the strides. Sizes are per
// sample. With G groups, each filter uses only channels / G of the channels. For a kMatmul, each group is the
// product of a height*width x channels matrix and a channels x filters matrix. All dimensions are at least 1,
// and the number of groups divides the numbers of channels and filters.
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
  std::int64_t padding = 0;  // rows and columns of zeros on every side
  std::int64_t groups = 1;
  std::int64_t dilation = 1;  // distance between neighbouring weights of a filter
  std::int64_t batch = 1;     // inputs per sample
  // A sparse filter stores and multiplies `kept` of every `of` weights: with N of M, ceil(R S C/G N/M)
  // weights.
  std::int64_t kept = 1;
  std::int64_t of = 1;
  bool round_up = false;  // whether an incomplete last stride also produces an output, as in SCALE-Sim
  // The number of output rows and columns to compute; 0: all of them.
  std::int64_t part_height = 0;
  std::int64_t part_width = 0;

  // floor((H + 2 padding - reach) / stride) + 1, where reach = (filter - 1) dilation + 1; at least 1 in a
  // valid layer. If only a part of the output is computed, the size of this part.
  std::int64_t output_height() const;
  std::int64_t output_width() const;
  // The number of input rows and columns that are needed for the output.
  std::int64_t input_rows() const;
  std::int64_t input_columns() const;

  // The number of weights of a filter that are stored.
  std::int64_t window() const;

  // The number of weights that this layer owns, and the size of their gradient.
  std::int64_t parameters() const;
  Bytes gradient_bytes() const { return parameters() * kElementBytes; }

  // The number of multiply-accumulates in the forward pass of one sample; 0 for an embedding.
  std::int64_t macs() const;

  bool operator==(const Layer&) const = default;
};

// The numbers of values in the tensors of a layer.
struct Tensors {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t weights = 0;  // for kMatmul: the second operands of all samples
};
Tensors tensors(const Layer& layer, std::int64_t samples);

// `count` independent products of an m x k matrix and a k x n matrix; if `count` is 0, there are no products.
struct Gemm {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t count = 1;

  std::int64_t macs() const { return m * k * n * count; }
  bool operator==(const Gemm&) const = default;
};

// The products of `pass` over `samples` samples. There are B samples, Ho x Wo outputs, C channels, F filters
// of size R x S, and G groups; the inputs have the layout of im2col (one row per output, with its patch in
// the columns):
//   forward          m = B Ho Wo    k = R S C/G    n = F/G        count G
//   input gradient   m = B Ho Wo    k = F/G        n = R S C/G    count G, added by col2im if patches overlap
//   weight gradient  m = R S C/G    k = B Ho Wo    n = F/G        count G
// All three passes have the same number of multiply-accumulates, since zeros between strides and around the
// border are not counted. A kMatmul has separate operands for every sample, so its products have B = 1 and
// count B G. Layers that do not multiply have count 0.
Gemm gemm(const Layer& layer, Pass pass, std::int64_t samples);

const char* to_string(LayerKind kind);
const char* to_string(Pass pass);

}  // namespace coppice::workload
