#include "workload/inference.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workload/program_builder.h"

namespace coppice::workload {
namespace {

constexpr int kPrefill = 0;
constexpr int kDecode = 1;
constexpr Bytes kTokenBytes = 4;
constexpr const char* kKey = "workload.inference";

// The number of elements that an accelerator stores per token and layer for the token's keys and values.
std::int64_t cached_width(const Transformer& model, const Slice& slice) {
  return 2 * slice.local_key_value_heads(model) * model.head_width;
}

int first_layer(const Inference& inference, int stage) {
  return static_cast<int>(inference.model.layers * stage / inference.pipeline);
}

// Builds the operations of one rank. Ranks are numbered by tensor, then by expert, then by stage.
class RankInference {
 public:
  RankInference(ProgramBuilder& builder, const Inference& inference, int rank)
      : builder_(builder), inference_(inference), rank_(rank) {
    const int share = inference.tensor * inference.expert;
    stage_ = rank / share;
    const int in_stage = rank % share;
    std::vector<int> tensor;
    for (int i = 0; i < inference.tensor; ++i) tensor.push_back(rank - in_stage % inference.tensor + i);
    std::vector<int> expert;
    for (int i = 0; i < inference.expert; ++i) {
      expert.push_back(stage_ * share + i * inference.tensor + in_stage % inference.tensor);
    }
    tensor_group_ = builder.group(tensor, fmt::format("tensor {}", rank / inference.tensor));
    expert_group_ = builder.group(expert, fmt::format("expert {} {}", stage_, in_stage % inference.tensor));
  }

  // Adds a pass over `tokens` new tokens of every request. The cache already holds `cached` tokens of each
  // request.
  void add_pass(int iteration, std::int64_t tokens, std::int64_t cached) {
    iteration_ = iteration;
    slice_ = {.samples = inference_.batch / inference_.expert,
              .sequence = tokens,
              .tensor = inference_.tensor,
              .expert = inference_.expert};
    Frontier ready = begin();
    const int end = first_layer(inference_, stage_ + 1);
    for (int layer = first_layer(inference_, stage_); layer < end; ++layer) {
      ready = add_layer(fmt::format("{} layer {}", name(), layer), cached, std::move(ready));
    }
    last_ = finish(std::move(ready));
  }

 private:
  const char* name() const { return iteration_ == kPrefill ? "prefill" : "decode"; }
  Bytes hidden_bytes() const { return slice_.tokens() * inference_.model.width * kHalfBytes; }
  int peer(int stage) const { return rank_ + (stage - stage_) * inference_.tensor * inference_.expert; }

  Frontier compute(const std::string& what, const Work& work, Frontier after) {
    Compute compute;
    compute.operations = work.operations;
    compute.bytes = work.bytes;
    compute.purpose = Purpose::kForward;
    return {builder_.add(rank_, {what, compute, std::move(after), iteration_})};
  }

  Frontier join(int group, CollectiveOp op, Bytes bytes, const char* kind, const std::string& what,
                Frontier after) {
    if (builder_.size_of(group) == 1) return after;
    GroupCollective collective;
    collective.name = what;
    collective.op = op;
    collective.group = group;
    collective.bytes = bytes;
    collective.kind = kind;
    return {builder_.join(rank_, std::move(collective), std::move(after), iteration_)};
  }

  // The first stage looks up the tokens of the prompt or, when decoding, the tokens of the previous pass.
  // Other stages receive the hidden state.
  Frontier begin() {
    const int last = inference_.pipeline - 1;
    Frontier ready = last_;
    if (stage_ > 0) {
      return {builder_.receive(
          rank_, key(stage_ - 1),
          {fmt::format("{} hidden", name()), peer(stage_ - 1), rank_, hidden_bytes(), "pipeline"},
          std::move(ready), iteration_)};
    }
    if (iteration_ == kDecode && last > 0) {
      ready = {builder_.receive(rank_, key(last), {"tokens", peer(last), rank_, token_bytes(), "pipeline"},
                                std::move(ready), iteration_)};
    }
    return compute(fmt::format("{} embedding", name()), embedding_work(inference_.model, slice_),
                   std::move(ready));
  }

  Frontier add_layer(const std::string& layer, std::int64_t cached, Frontier ready) {
    const Transformer& model = inference_.model;
    Work attention = attention_work(model, slice_).forward;
    // Queries are multiplied by the cached keys, and the softmax of the resulting scores by the cached
    // values.
    const auto queries = static_cast<double>(model.heads / slice_.tensor * model.head_width);
    const auto others = static_cast<double>(slice_.samples * cached);
    attention += {4 * static_cast<double>(slice_.sequence) * others * queries,
                  others * static_cast<double>(cached_width(model, slice_) * kHalfBytes)};
    ready = compute(layer + " attention", attention, std::move(ready));
    ready = join(tensor_group_, CollectiveOp::kAllReduce, hidden_bytes(), "tensor", layer + " attention",
                 std::move(ready));
    const Bytes routed = hidden_bytes() * model.experts_per_token;
    ready = join(expert_group_, CollectiveOp::kAllToAll, routed, "expert", layer + " to experts",
                 std::move(ready));
    ready = compute(layer + " mlp", mlp_work(model, slice_).forward, std::move(ready));
    ready = join(expert_group_, CollectiveOp::kAllToAll, routed, "expert", layer + " from experts",
                 std::move(ready));
    return join(tensor_group_, CollectiveOp::kAllReduce, hidden_bytes(), "tensor", layer + " mlp",
                std::move(ready));
  }

  // Ends a pass: a stage sends the hidden state to the next stage, and the last stage computes a new token
  // from the hidden state of every request's last token.
  Frontier finish(Frontier ready) {
    const int last = inference_.pipeline - 1;
    if (stage_ < last) {
      return {builder_.send(
          rank_, key(stage_),
          {fmt::format("{} hidden", name()), rank_, peer(stage_ + 1), hidden_bytes(), "pipeline"},
          std::move(ready), iteration_)};
    }
    Slice one = slice_;
    one.sequence = 1;
    ready = compute(fmt::format("{} output", name()), output_work(inference_.model, one).forward,
                    std::move(ready));
    ready =
        join(tensor_group_, CollectiveOp::kAllGather, one.tokens() * inference_.model.vocabulary * kHalfBytes,
             "tensor", fmt::format("{} logits", name()), std::move(ready));
    if (iteration_ == kDecode || last == 0) return ready;
    return {builder_.send(rank_, key(last), {"tokens", rank_, peer(0), token_bytes(), "pipeline"},
                          std::move(ready), kDecode)};
  }

  Bytes token_bytes() const { return slice_.samples * kTokenBytes; }
  ProgramBuilder::TransferKey key(int stage) const {
    return {stage, iteration_ * (stage + 1 < inference_.pipeline ? 1 : 0)};
  }

  ProgramBuilder& builder_;
  const Inference& inference_;
  int rank_;
  int stage_ = 0;
  int tensor_group_ = 0;
  int expert_group_ = 0;
  int iteration_ = 0;
  Slice slice_;
  Frontier last_;  // the last operations of the previous pass
};

}  // namespace

void check_inference(const Inference& inference) {
  const Transformer& model = inference.model;
  const auto refuse = [](const char* part, const std::string& message) {
    throw LayoutError(fmt::format("{}.{}", kKey, part), message);
  };
  if (model.heads % inference.tensor != 0 || model.feed_forward % inference.tensor != 0) {
    refuse("tensor", fmt::format("{} heads and {} MLP columns cannot be divided evenly among {} "
                                 "accelerators: write a divisor of both",
                                 model.heads, model.feed_forward, inference.tensor));
  }
  if (model.experts % inference.expert != 0) {
    refuse("expert",
           fmt::format("{} experts cannot be divided evenly among {} accelerators: write a divisor of {}",
                       model.experts, inference.expert, model.experts));
  }
  if (inference.pipeline > model.layers) {
    refuse("pipeline", fmt::format("{0} layers cannot form {1} stages: write at most {0}", model.layers,
                                   inference.pipeline));
  }
  if (inference.batch % inference.expert != 0) {
    refuse("batch", fmt::format("{0} requests cannot be divided evenly among {1} accelerators that share "
                                "experts: write a multiple of {1}",
                                inference.batch, inference.expert));
  }
}

InferenceMemory inference_memory(const Inference& inference) {
  const Transformer& model = inference.model;
  const Slice slice{
      .samples = inference.batch / inference.expert, .tensor = inference.tensor, .expert = inference.expert};
  const std::int64_t layers = (model.layers + inference.pipeline - 1) / inference.pipeline;
  const std::int64_t weights =
      layers * (local_attention_parameters(model, slice) + local_expert_parameters(model, slice)) +
      local_embedding_parameters(model, slice) + local_output_parameters(model, slice);
  const std::int64_t tokens = slice.samples * (inference.context + 1);
  return {weights * kHalfBytes, layers * tokens * cached_width(model, slice) * kHalfBytes};
}

Program build_inference(const Inference& inference) {
  check_inference(inference);
  ProgramBuilder builder(inference.model.name, inference.ranks());
  for (int rank = 0; rank < inference.ranks(); ++rank) {
    RankInference one(builder, inference, rank);
    one.add_pass(kPrefill, inference.prompt, 0);
    one.add_pass(kDecode, 1, inference.context);
  }
  return builder.take();
}

}  // namespace coppice::workload
