#pragma once

#include <map>
#include <string>
#include <vector>

#include "workload/large_training.h"
#include "workload/program_builder.h"
#include "workload/stage_parameters.h"

namespace coppice::workload {

// Builds the operations of one rank of a large model's training.
class RankProgramBuilder {
 public:
  RankProgramBuilder(ProgramBuilder& builder, const LargeTraining& training, const ParallelLayout& layout,
                     int rank);

  void add_iteration(int iteration);

 private:
  // The first element of a transfer's key. For passes, the other elements are the iteration, the stage and
  // the micro-batch; for rings, the number of earlier steps.
  enum TransferKind { kForwardTransfer, kBackwardTransfer, kRingTransfer };
  // The name and purpose of a layer's pass within a unit of the pipeline.
  struct Place {
    std::string name;
    Purpose purpose = Purpose::kForward;
  };
  // Collects gradients that are reduced together.
  struct Bucket {
    int group = 0;
    std::int64_t parameters = 0;
    Frontier after;
  };

  void forward(const PipelineUnit& unit);
  void backward(const PipelineUnit& unit, bool last);
  Frontier receive_from(int stage, const PipelineUnit& unit);
  void send_to(int stage, const PipelineUnit& unit, const Frontier& after);
  int stage_of(const PipelineUnit& unit) const;

  Frontier forward_layer(const Place& place, Frontier ready, const Frontier& gathered);
  Frontier forward_attention(const Place& place, Frontier ready);
  Frontier forward_mlp(const Place& place, Frontier ready);
  // The following functions return the operations that produce the gradient of the layer's input. They add
  // the operations that produce gradients of weights to `weights`.
  Frontier backward_layer(const Place& place, Frontier ready, const Frontier& gathered, Frontier& weights);
  Frontier backward_attention(const Place& place, Frontier ready, Frontier& weights);
  Frontier backward_mlp(const Place& place, Frontier ready, Frontier& weights);
  Frontier ring_attention(const Place& place, Frontier ready, const Work& projections, const Work& scores);
  Frontier ring_attention_gradient(const Place& place, Frontier ready, const Work& projections,
                                   const Work& scores);
  Frontier ring_step(const Place& place, Bytes bytes, Frontier block);
  Frontier output_layer(const PipelineUnit& unit, Frontier ready);
  Frontier output_gradient(const PipelineUnit& unit, Frontier ready);
  Frontier embedding(const PipelineUnit& unit);

  // Add the communication that tensor parallelism needs before and after the work that ranks share.
  Frontier enter(const Place& place, const char* part, Frontier ready);
  Frontier leave(const Place& place, const char* part, Frontier ready);
  Frontier exchange_tokens(const Place& place, const char* what, Frontier ready);
  // Move the MLP's tokens to their experts and back, including the communication of tensor parallelism.
  Frontier to_experts(const Place& place, Frontier ready);
  Frontier from_experts(const Place& place, Frontier ready);
  Frontier gather_inputs(const Place& place, const char* what, Frontier ready);
  bool routes_shares() const;

  Frontier gather_weights(const StageParameters& parameters, const std::string& name, const Frontier& ready);
  StageParameters by_copies(const StageParameters& parameters) const;
  void reduce(const StageParameters& parameters, const Frontier& after, bool last);
  void add_to(Bucket& bucket, std::int64_t parameters, const Frontier& after, bool last);
  void flush(Bucket& bucket);
  void flush_all();
  void reduce_tied();
  void update();
  Frontier gather_updated(const Frontier& updated);

  Frontier compute(const std::string& name, const Work& work, Purpose purpose, Frontier after);
  // Returns `after` unchanged if no data moves: the group has only one rank, or `bytes` is 0.
  Frontier join(int group, CollectiveOp op, Bytes bytes, const char* kind, const std::string& name,
                Frontier after);
  int group_over(const std::vector<ParallelAxis>& axes, const char* name);

  Bytes hidden_bytes() const;     // size of the activations between layers on all tensor-parallel ranks
  Bytes routed_bytes() const;     // size of the activations if each token is sent to all its experts
  Bytes key_value_bytes() const;  // size of the keys and values of a rank's tokens

  ProgramBuilder& builder_;
  const LargeTraining& training_;
  const ParallelLayout& layout_;
  int rank_;
  ParallelCoordinates at_;
  Slice slice_;
  int tensor_group_ = 0;
  int context_group_ = 0;
  int expert_group_ = 0;
  // The group of the first and the last stage, which share tied weights. -1 if the rank is not a member or
  // weights are not tied.
  int tied_group_ = -1;
  Bucket dense_;
  Bucket experts_;

  int iteration_ = 0;
  Frontier last_;            // last operations of the previous unit
  Frontier before_last_;     // last operations of the unit before the previous one
  Frontier previous_layer_;  // operations that the previous layer waited for
  Frontier reductions_;
  Frontier weights_;  // operations that compute weight gradients in this unit
  std::vector<std::pair<int, std::int64_t>> reduced_;  // (group, number of weights) for every reduction
  std::map<int, int> ring_sends_;
  std::map<int, int> ring_receives_;
};

}  // namespace coppice::workload
