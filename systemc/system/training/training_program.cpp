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
  Writer(const std::vector<workload::LayerCost>& costs, workload::Overlap overlap, Bytes bucket, Bytes least)
      : costs_(costs), least_(least) {
    made_.collective_of.assign(costs.size(), -1);
    switch (overlap) {
      case workload::Overlap::kLayerWise:
        bucket_ = 1;
        break;
      case workload::Overlap::kBucketed:
        bucket_ = bucket;
        break;
      default:
        break;  // all together
    }
  }

  TrainingProgram write(int accelerators) {
    workload::RankProgram rank;
    for (const workload::LayerCost& cost : costs_)
      compute(cost.name + " forward", cost.forward, Purpose::kForward);
    for (std::size_t layer = costs_.size(); layer-- > 0;) {
      const workload::LayerCost& cost = costs_[layer];
      compute(cost.name + " weight gradient", cost.weight_gradient, Purpose::kWeightGradient);
      gather(layer);
      if (layer > 0) compute(cost.name + " input gradient", cost.input_gradient, Purpose::kInputGradient);
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
  // Behind the computation before.
  void compute(std::string name, Femtoseconds duration, Purpose purpose) {
    Operation operation;
    operation.name = std::move(name);
    workload::Compute work;
    work.duration = duration;
    work.purpose = purpose;
    operation.work = work;
    if (last_computed_ >= 0) operation.after = {last_computed_};
    last_computed_ = static_cast<std::int32_t>(operations_.size());
    operations_.push_back(std::move(operation));
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
    operations_.push_back(std::move(join));
    made_.program.collectives.push_back(std::move(collective));
    gathered_ = 0;
    layers_.clear();
  }

  const std::vector<workload::LayerCost>& costs_;
  Bytes least_;
  Bytes bucket_ = 0;  // 0: all together
  TrainingProgram made_;
  std::vector<Operation> operations_;
  std::int32_t last_computed_ = -1;
  Bytes gathered_ = 0;               // that no all-reduce has yet
  std::vector<std::size_t> layers_;  // whose
};

}  // namespace

TrainingProgram make_training_program(const std::vector<workload::LayerCost>& costs,
                                      workload::Overlap overlap, Bytes bucket, Bytes least,
                                      int accelerators) {
  return Writer(costs, overlap, bucket, least).write(accelerators);
}

}  // namespace coppice::system
