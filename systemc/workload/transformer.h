#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace coppice::workload {

// A decoder of identical layers, with the dimensions that its authors published. All dimensions are at least
// 1, and the number of heads is a multiple of the number of key-value heads.
struct Transformer {
  std::string name;
  std::int64_t layers = 1;
  std::int64_t width = 1;            // width of the hidden state
  std::int64_t heads = 1;            // number of query heads
  std::int64_t key_value_heads = 1;  // less than `heads` if queries are grouped
  std::int64_t head_width = 1;       // width of a query, key and value
  std::int64_t feed_forward = 1;     // width between the two products of an MLP, for each expert
  bool gated = false;                // whether a third product gates the MLP (SwiGLU)
  std::int64_t experts = 1;          // number of MLPs in a layer, from which a router chooses
  std::int64_t experts_per_token = 1;
  std::int64_t vocabulary = 1;
  std::int64_t sequence = 1;  // tokens per sequence when the model was trained
  bool tied = false;          // whether the output layer uses the embedding's weights
  bool biases = false;        // whether products and normalizations add biases
  bool learned_positions = false;
  bool embedding_normalization = false;
  bool dropout = false;  // whether dropout masks must be kept for the backward pass

  std::int64_t attention_parameters() const;
  std::int64_t expert_parameters() const;  // per expert
  std::int64_t router_parameters() const { return experts > 1 ? experts * width : 0; }
  std::int64_t normalization_parameters() const { return biases ? 2 * width : width; }
  std::int64_t layer_parameters() const;  // includes all experts
  std::int64_t embedding_parameters() const;
  // Includes the last normalization, but not the output weights if they are tied.
  std::int64_t output_parameters() const;
  std::int64_t parameters() const;

  bool operator==(const Transformer&) const = default;
};

// The number of operations (a multiply-accumulate counts as two), and the number of bytes moved to and from
// the accelerator's memory.
struct Work {
  double operations = 0;
  double bytes = 0;
  Work& operator+=(const Work& other);
  bool operator==(const Work&) const = default;
};

// The work of the three passes over a part of a layer. `scores`, which `forward` includes, is the work that
// selective recomputation repeats: the products of queries with keys, and of the results with values.
struct PassWork {
  Work forward;
  Work input_gradient;
  Work weight_gradient;
  Work scores;
};

inline constexpr Bytes kHalfBytes = 2;  // size in bf16 of an activation, weight or gradient

// The share of one accelerator in a layer and in a micro-batch.
struct Slice {
  std::int64_t samples = 1;
  std::int64_t sequence = 1;  // tokens per sample, on all accelerators together
  std::int64_t tensor = 1;    // number of accelerators that share the heads and the MLP's width
  std::int64_t context = 1;   // number of accelerators that share the tokens of a sample
  std::int64_t expert = 1;    // number of accelerators that share the experts

  std::int64_t tokens() const { return samples * (sequence / context); }
  // The number of key-value heads on an accelerator. If there are more accelerators than heads, several
  // accelerators hold the same head.
  std::int64_t local_key_value_heads(const Transformer& model) const;
};

// The number of weights on one accelerator: of a layer's attention (with both normalizations and the router,
// which all ranks hold), of its experts, of the embedding, and of the output layer. In the last two, the
// vocabulary is divided among `tensor` accelerators.
std::int64_t local_attention_parameters(const Transformer& model, const Slice& slice);
std::int64_t local_expert_parameters(const Transformer& model, const Slice& slice);
std::int64_t local_embedding_parameters(const Transformer& model, const Slice& slice);
std::int64_t local_output_parameters(const Transformer& model, const Slice& slice);

// The work of one accelerator. Attention computes the full square of queries and keys, as in the published
// formulas, and keeps the scores on the chip. All experts are equally busy. Each weight, input and output of
// a product is moved to or from memory once.
PassWork attention_work(const Transformer& model, const Slice& slice);
PassWork mlp_work(const Transformer& model, const Slice& slice);
PassWork output_work(const Transformer& model, const Slice& slice);
Work embedding_work(const Transformer& model,
                    const Slice& slice);  // table look-ups, or additions of gradients

}  // namespace coppice::workload
