#include "system/training/training_program.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace coppice::system {
namespace {

using workload::Operation;
using workload::Purpose;

class Writer {
 public:
  Writer(const std::vector<workload::LayerCost>& costs, workload::Overlap overlap, Bytes bucket, Bytes least,
         const workload::Model* model)
      : costs_(costs),
        least_(least),
        layers_are_known_(model != nullptr),
        chained_(overlap == workload::Overlap::kChained) {
    if (model != nullptr) made_.program.layers = model->layers;
    made_.collective_of.assign(costs.size(), -1);
    switch (overlap) {
      case workload::Overlap::kLayerWise:
        bucket_ = 1;
        break;
      case workload::Overlap::kBucketed:
        bucket_ = bucket;
        break;
      // A single all-reduce reduces the gradients of all layers.
      default:
        break;
    }
  }

  TrainingProgram write(int accelerators) {
    workload::RankProgram rank;
    if (!chained_) {
      for (const workload::LayerCost& cost : costs_)
        compute(cost, " forward", cost.forward, Purpose::kForward);
    }
    for (std::size_t layer = costs_.size(); layer-- > 0;) {
      const workload::LayerCost& cost = costs_[layer];
      compute(cost, " weight gradient", cost.weight_gradient, Purpose::kWeightGradient);
      gather(layer);
      if (layer > 0) compute(cost, " input gradient", cost.input_gradient, Purpose::kInputGradient);
    }
    if (chained_) {
      chain_forward();
    } else {
      update();
    }
    rank.operations = std::move(operations_);
    made_.program.ranks.assign(static_cast<std::size_t>(accelerators), rank);
    workload::RankGroup all;
    all.name = "all";
    for (int r = 0; r < accelerators; ++r) all.ranks.push_back(r);
    made_.program.groups.push_back(std::move(all));
    return std::move(made_);
  }

 private:
  // Adds a computation that follows the previous one.
  void compute(const workload::LayerCost& cost, const char* pass, Femtoseconds duration, Purpose purpose) {
    std::vector<std::int32_t> after;
    if (last_computed_ >= 0) after = {last_computed_};
    last_computed_ = append(cost, pass, duration, purpose, std::move(after));
  }

  std::int32_t append(const workload::LayerCost& cost, const char* pass, Femtoseconds duration,
                      Purpose purpose, std::vector<std::int32_t> after) {
    workload::Compute work;
    work.duration = duration;
    work.purpose = purpose;
    if (layers_are_known_) work.layer = static_cast<std::int32_t>(&cost - costs_.data());
    operations_.push_back({.name = cost.name + pass, .work = work, .after = std::move(after)});
    return static_cast<std::int32_t>(operations_.size()) - 1;
  }

  // Adds a forward pass that updates a layer's weights just before the layer uses them.
  void chain_forward() {
    Bytes gradients = 0;
    for (const workload::LayerCost& cost : costs_) {
      gradients += cost.gradient_bytes;
      const auto first = static_cast<std::int32_t>(operations_.size());
      if (cost.update > 0) compute(cost, " update", cost.update, Purpose::kUpdate);
      compute(cost, " forward", cost.forward, Purpose::kForward);
      if (!joins_.empty()) made_.chain.layers.push_back({first, gradients});
    }
  }

  // Adds updates: a layer's weights are updated when its gradients have been reduced and the backward pass
  // has ended.
  void update() {
    const std::int32_t backward_end = last_computed_;
    for (std::size_t layer = 0; layer < costs_.size(); ++layer) {
      const workload::LayerCost& cost = costs_[layer];
      if (cost.update == 0) continue;
      std::vector<std::int32_t> after{backward_end};
      const int collective = made_.collective_of[layer];
      if (collective >= 0) after.push_back(joins_[static_cast<std::size_t>(collective)]);
      append(cost, " update", cost.update, Purpose::kUpdate, std::move(after));
    }
  }

  void gather(std::size_t layer) {
    if (costs_[layer].gradient_bytes > 0) {
      gathered_ += costs_[layer].gradient_bytes;
      layers_.push_back(layer);
    }
    const bool last = layer == 0;
    if (gathered_ == 0 || (!last && (bucket_ == 0 || gathered_ < bucket_))) return;
    workload::GroupCollective collective;
    collective.name = layers_.size() == 1 ? costs_[layers_.front()].name + " gradients"
                                          : fmt::format("gradients of {} to {}", costs_[layers_.front()].name,
                                                        costs_[layers_.back()].name);
    collective.bytes = std::max(gathered_, least_);
    collective.priority = static_cast<int>(costs_.size() - layer);
    collective.kind = "data";
    const auto number = static_cast<std::int32_t>(made_.program.collectives.size());
    for (const std::size_t one : layers_) made_.collective_of[one] = number;
    Operation join;
    join.name = collective.name;
    join.work = workload::JoinCollective{number};
    join.after = {last_computed_};
    joins_.push_back(static_cast<std::int32_t>(operations_.size()));
    operations_.push_back(std::move(join));
    made_.program.collectives.push_back(std::move(collective));
    gathered_ = 0;
    layers_.clear();
  }

  const std::vector<workload::LayerCost>& costs_;
  Bytes least_;
  bool layers_are_known_;
  bool chained_;
  Bytes bucket_ = 0;  // 0: a single all-reduce for all layers
  TrainingProgram made_;
  std::vector<Operation> operations_;
  std::vector<std::int32_t> joins_;  // [collective]: index in operations_
  std::int32_t last_computed_ = -1;
  Bytes gathered_ = 0;               // total size of gradients that have not been assigned to an all-reduce
  std::vector<std::size_t> layers_;  // the layers with these gradients
};

}  // namespace

TrainingProgram make_training_program(const std::vector<workload::LayerCost>& costs,
                                      workload::Overlap overlap, Bytes bucket, Bytes least, int accelerators,
                                      const workload::Model* model) {
  return Writer(costs, overlap, bucket, least, model).write(accelerators);
}

}  // namespace coppice::system
