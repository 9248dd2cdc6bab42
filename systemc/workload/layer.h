#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace coppice::workload {

// The kind of a layer, which determines its work and whether it has weights.
enum class LayerKind {
  kConvolution,    // with weights; a fully connected layer is a 1x1 convolution
  kTied,           // a convolution with weights of an earlier layer, which owns their gradient
  kEmbedding,      // selects a row of a table of `channels` x `filters` for every pixel
  kMatmul,         // the product of two activations: no weights, and both operands have gradients
  kElementwise,    // a function of each input value
  kAdd,            // the sum of two inputs of this size; its gradient is the gradient of both
  kNormalization,  // by mean and variance, with a scale and a shift per channel as weights
  kPooling,        // of filter_height x filter_width inputs each
  kSoftmax,        // over the channels
};

// Whether a layer consists of products on the systolic array; other layers only move or transform values.
bool multiplies(LayerKind kind);

// The three products of a layer in training.
enum class Pass { kForward, kInputGradient, kWeightGradient };

inline constexpr Bytes kElementBytes = 4;  // fp32

// A layer in SCALE-Sim's terms (Samajdar et al. 2020): its input (IFMAP) of height x width x channels, and
// `filters` filters of filter_height x filter_width x channels, moved by the strides. Sizes are per sample.
// With G groups, each filter uses only channels / G of the channels. A kMatmul is a height*width x channels
// by channels x filters product per group. All dimensions are at least 1; groups divide channels and filters.
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
  std::int64_t dilation = 1;  // distance between a filter's neighbouring weights
  std::int64_t batch = 1;     // inputs per sample
  // `kept` of every `of` weights of a filter are stored and multiplied: ceil(R S C/G N/M) weights for N of M.
  std::int64_t kept = 1;
  std::int64_t of = 1;
  bool round_up = false;  // whether an incomplete last stride counts, as in SCALE-Sim
  // The rows and columns of the output that are computed here; 0: all.
  std::int64_t part_height = 0;
  std::int64_t part_width = 0;

  // floor((H + 2 padding - reach) / stride) + 1 with reach = (filter - 1) dilation + 1, which is at least 1
  // in a valid layer; for a part of the output, the size of the part.
  std::int64_t output_height() const;
  std::int64_t output_width() const;
  // The rows and columns of the input that the output needs.
  std::int64_t input_rows() const;
  std::int64_t input_columns() const;

  // The number of weights kept per filter.
  std::int64_t window() const;

  // The number of weights that this layer owns, and the bytes of their gradient.
  std::int64_t parameters() const;
  Bytes gradient_bytes() const { return parameters() * kElementBytes; }

  // Multiply-accumulates of the forward pass of one sample; 0 for an embedding.
  std::int64_t macs() const;

  bool operator==(const Layer&) const = default;
};

// The number of values in each tensor of a layer.
struct Tensors {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t weights = 0;  // for kMatmul: the second operands of all samples
};
Tensors tensors(const Layer& layer, std::int64_t samples);

// `count` independent products of an m x k by a k x n matrix; a count of 0 means no products.
struct Gemm {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t count = 1;

  std::int64_t macs() const { return m * k * n * count; }
  bool operator==(const Gemm&) const = default;
};

// The products of `pass` over `samples` samples: B samples, Ho x Wo outputs, R x S filters, C channels, F
// filters, G groups, with the inputs in the layout of im2col (one row per output, with its patch in the
// columns):
//   forward          m = B Ho Wo    k = R S C/G    n = F/G        count G
//   input gradient   m = B Ho Wo    k = F/G        n = R S C/G    count G, added by col2im if patches overlap
//   weight gradient  m = R S C/G    k = B Ho Wo    n = F/G        count G
// All three have the same number of multiply-accumulates: zeros between strides and around the border are not
// counted. A kMatmul has separate operands for every sample, hence the same products with B = 1 and count B
// G. Layers that do not multiply have count 0.
Gemm gemm(const Layer& layer, Pass pass, std::int64_t samples);

const char* to_string(LayerKind kind);
const char* to_string(Pass pass);

}  // namespace coppice::workload
