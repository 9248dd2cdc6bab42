#include "workload/transformer.h"

#include <algorithm>

namespace coppice::workload {
namespace {

std::int64_t share(std::int64_t of, std::int64_t among) {
  return (of + among - 1) / among;
}

std::int64_t products_of_mlp(const Transformer& model) {
  return model.gated ? 3 : 2;
}

Work work(double multiplications, double values) {
  return {2 * multiplications, static_cast<double>(kHalfBytes) * values};
}

// The work of all three passes of a matrix product. The product multiplies `rows` inputs by `weights`
// weights, and reads and writes the given numbers of input and output values.
PassWork product(double rows, double weights, double inputs, double outputs) {
  const Work pass = work(rows * weights, weights + inputs + outputs);
  return {pass, pass, pass, {}};
}

void add(PassWork& sum, const PassWork& other) {
  sum.forward += other.forward;
  sum.input_gradient += other.input_gradient;
  sum.weight_gradient += other.weight_gradient;
  sum.scores += other.scores;
}

}  // namespace

Work& Work::operator+=(const Work& other) {
  operations += other.operations;
  bytes += other.bytes;
  return *this;
}

std::int64_t Transformer::attention_parameters() const {
  const std::int64_t queries = heads * head_width;
  const std::int64_t both = 2 * key_value_heads * head_width;
  const std::int64_t weights = width * (queries + both) + queries * width;
  return weights + (biases ? queries + both + width : 0);
}

std::int64_t Transformer::expert_parameters() const {
  const std::int64_t weights = products_of_mlp(*this) * width * feed_forward;
  return weights + (biases ? (gated ? 2 : 1) * feed_forward + width : 0);
}

std::int64_t Transformer::layer_parameters() const {
  return attention_parameters() + experts * expert_parameters() + router_parameters() +
         2 * normalization_parameters();
}

std::int64_t Transformer::embedding_parameters() const {
  return vocabulary * width + (learned_positions ? sequence * width : 0) +
         (embedding_normalization ? normalization_parameters() : 0);
}

std::int64_t Transformer::output_parameters() const {
  return normalization_parameters() + (tied ? 0 : vocabulary * width);
}

std::int64_t Transformer::parameters() const {
  return layers * layer_parameters() + embedding_parameters() + output_parameters();
}

std::int64_t Slice::local_key_value_heads(const Transformer& model) const {
  return std::max<std::int64_t>(1, model.key_value_heads / tensor);
}

std::int64_t local_attention_parameters(const Transformer& model, const Slice& slice) {
  const std::int64_t queries = model.heads / slice.tensor * model.head_width;
  const std::int64_t both = 2 * slice.local_key_value_heads(model) * model.head_width;
  const std::int64_t weights = model.width * (2 * queries + both);
  const std::int64_t biases = model.biases ? queries + both + model.width : 0;
  return weights + biases + model.router_parameters() + 2 * model.normalization_parameters();
}

std::int64_t local_expert_parameters(const Transformer& model, const Slice& slice) {
  const std::int64_t wide = model.feed_forward / slice.tensor;
  const std::int64_t weights = products_of_mlp(model) * model.width * wide;
  const std::int64_t biases = model.biases ? (model.gated ? 2 : 1) * wide + model.width : 0;
  return model.experts / slice.expert * (weights + biases);
}

std::int64_t local_embedding_parameters(const Transformer& model, const Slice& slice) {
  const std::int64_t others = model.embedding_parameters() - model.vocabulary * model.width;
  return share(model.vocabulary, slice.tensor) * model.width + others;
}

std::int64_t local_output_parameters(const Transformer& model, const Slice& slice) {
  return model.normalization_parameters() +
         (model.tied ? 0 : share(model.vocabulary, slice.tensor) * model.width);
}

PassWork attention_work(const Transformer& model, const Slice& slice) {
  const auto tokens = static_cast<double>(slice.tokens());
  const auto keys = static_cast<double>(slice.samples * slice.sequence);
  const auto width = static_cast<double>(model.width);
  const auto heads = model.heads / slice.tensor;
  const auto queries = static_cast<double>(heads * model.head_width);
  const auto both = static_cast<double>(2 * slice.local_key_value_heads(model) * model.head_width);
  PassWork sum = product(tokens, width * (queries + both), tokens * width, tokens * (queries + both));
  add(sum, product(tokens, queries * width, tokens * queries, tokens * width));
  // Every query of a sample is multiplied by every key, and the softmax of the resulting scores by every
  // value.
  const double multiplications = 2 * tokens * static_cast<double>(slice.sequence) * queries;
  const Work scores = work(multiplications, 2 * tokens * queries + keys * both);
  sum.forward += scores;
  sum.scores += scores;
  sum.input_gradient += {2 * scores.operations, 2 * scores.bytes};
  return sum;
}

PassWork mlp_work(const Transformer& model, const Slice& slice) {
  const auto tokens = static_cast<double>(slice.tokens() * model.experts_per_token);
  const auto width = static_cast<double>(model.width);
  const auto own_width = model.feed_forward / slice.tensor;
  const auto own_experts = model.experts / slice.expert;
  const auto wide = static_cast<double>(own_width);
  const auto experts = static_cast<double>(own_experts);
  const double in = model.gated ? 2 : 1;  // the number of products that read the input
  PassWork sum;
  const auto add_product = [&](double weights, double inputs, double outputs) {
    PassWork one = product(tokens, weights, inputs, outputs);
    for (Work* pass : {&one.forward, &one.input_gradient, &one.weight_gradient}) {
      pass->bytes +=
          static_cast<double>(kHalfBytes) * weights * (experts - 1);  // each expert has its own weights
    }
    add(sum, one);
  };
  add_product(in * width * wide, tokens * width, in * tokens * wide);
  add_product(width * wide, tokens * wide, tokens * width);
  if (model.experts > 1) {
    const auto routed = static_cast<double>(slice.tokens());
    const auto all = static_cast<double>(model.experts);
    add(sum, product(routed, width * all, routed * width, routed * all));
  }
  return sum;
}

PassWork output_work(const Transformer& model, const Slice& slice) {
  const auto tokens = static_cast<double>(slice.tokens());
  const auto width = static_cast<double>(model.width);
  const double words = static_cast<double>(model.vocabulary) / static_cast<double>(slice.tensor);
  return product(tokens, width * words, tokens * width, tokens * words);
}

Work embedding_work(const Transformer& model, const Slice& slice) {
  return work(0, 2 * static_cast<double>(slice.tokens() * model.width));
}

}  // namespace coppice::workload
