#include "system/training/training_result.h"

#include <gmock/gmock.h>

#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr Femtoseconds kNs = kFemtosecondsPerNanosecond;

// The result of training two layers with 400 and 80 bytes of gradients on four accelerators, reduced layer by
// layer. The second layer's all-reduce overlaps with the first layer's backward pass, and the first layer's
// follows at the end.
class TrainingResult : public ::testing::Test {
 protected:
  TrainingResult() {
    model_.name = "two";
    for (const int filters : {100, 20}) {
      workload::Layer layer;
      layer.filters = filters;
      model_.layers.push_back(layer);
    }
    for (const Bytes bytes : {400, 80}) {
      reduced_[bytes] = {{"fidelity", "train"},
                         {"verified", "values"},
                         {"contention_free", true},
                         {"cycles", bytes},
                         {"time_ns", static_cast<double>(bytes)},
                         {"algbw_gb_s", 1.0},
                         {"efficiency", 0.5},
                         {"steps", 6},
                         {"flits", 10},
                         {"flit_hops", 3 * bytes},
                         {"ni_overhead", {{"of", bytes}}},
                         {"simulator", {{"user_s", 2.0}, {"peak_rss_bytes", bytes}}}};
      counts_[bytes] = 1;
    }
    timeline_ = workload::lay_out_computation(costs_);
    // Reducing a byte takes a nanosecond, so the second layer's all-reduce ends before the first layer's
    // gradient is ready.
    timeline_.layers[1].all_reduce_begin = 180 * kNs;
    timeline_.layers[1].all_reduce_end = 260 * kNs;
    timeline_.layers[0].all_reduce_begin = 280 * kNs;
    timeline_.layers[0].all_reduce_end = 680 * kNs;
    timeline_.communication = 480 * kNs;
    timeline_.exposed_communication = 400 * kNs;
    timeline_.overlapped = 80 * kNs;
    timeline_.total = 680 * kNs;
  }
  Json result() const {
    return make_training_result({.config = loaded_.config,
                                 .model = model_,
                                 .accelerators = 4,
                                 .costs = costs_,
                                 .timeline = timeline_,
                                 .all_reduces = reduced_,
                                 .counts = counts_,
                                 .forward_ns = forward_ns_});
  }

  // Adds the fields that only a simulated result has.
  static Json simulated(Json result) {
    result["simulator"] = {{"simulations", 2}, {"wall_s", 7.0}, {"user_s", 4.0}};
    return result;
  }

  config::Loaded loaded_ = load_system(
      "torus_4x4", {"training.model=two.csv", "training.overlap=layer_wise", "collective.algorithm=ring"});
  workload::Model model_;
  std::vector<double> forward_ns_;  // empty unless the forward pass is chained
  std::vector<workload::LayerCost> costs_{{.name = "first",
                                           .forward = 100 * kNs,
                                           .input_gradient = 999 * kNs,
                                           .weight_gradient = 60 * kNs,
                                           .gradient_bytes = 400,
                                           .update = 0},
                                          {.name = "second",
                                           .forward = 50 * kNs,
                                           .input_gradient = 40 * kNs,
                                           .weight_gradient = 30 * kNs,
                                           .gradient_bytes = 80,
                                           .update = 0}};
  std::map<Bytes, Json> reduced_;
  std::map<Bytes, int> counts_;
  workload::TrainingTimeline timeline_;
};

// The forward pass takes 150 ns. The backward pass takes 30 + 40 + 60 ns, because the first layer needs no
// input gradient. The all-reduces run from 180 to 260 ns (second layer) and from 280 to 680 ns (first layer).
TEST_F(TrainingResult, ReportsTheTimesOfAnIteration) {
  const Json json = result();
  const Json& training = json["training"];
  EXPECT_DOUBLE_EQ(training["forward_ns"], 150);
  EXPECT_DOUBLE_EQ(training["backward_ns"], 130);
  EXPECT_DOUBLE_EQ(training["compute_ns"], 280);
  EXPECT_DOUBLE_EQ(training["communication_ns"], 480);
  EXPECT_DOUBLE_EQ(training["exposed_communication_ns"], 400);
  EXPECT_DOUBLE_EQ(training["overlapped_ns"], 80);
  EXPECT_DOUBLE_EQ(training["total_ns"], 680);
  EXPECT_DOUBLE_EQ(training["normalized_performance"], 280.0 / 680);
  EXPECT_EQ(json["cycles"], 680);
  EXPECT_DOUBLE_EQ(json["time_ns"], 680);
  ASSERT_EQ(training["layers"].size(), 2U);
  EXPECT_DOUBLE_EQ(training["layers"][0]["input_gradient_ns"], 0);
  EXPECT_DOUBLE_EQ(training["layers"][1]["all_reduce_begin_ns"], 180);
  EXPECT_DOUBLE_EQ(training["layers"][0]["all_reduce_end_ns"], 680);
  EXPECT_EQ(training["parameters"], 120);
  EXPECT_EQ(training["accelerator_performance"].size(), 4U);
}

// A total that is slightly longer than 680 cycles counts as 681 cycles.
TEST_F(TrainingResult, RoundsCyclesUp) {
  timeline_.total += 1;
  EXPECT_EQ(result()["cycles"], 681);
}

TEST_F(TrainingResult, ReportsTheWeakestVerificationOfItsAllReduces) {
  EXPECT_EQ(result()["verified"], "values");
  EXPECT_EQ(result()["fidelity"], "train");
  EXPECT_EQ(result()["contention_free"], true);
  reduced_[80]["verified"] = "contributions";
  reduced_[400]["fidelity"] = "flit";
  reduced_[400]["contention_free"] = false;
  EXPECT_EQ(result()["verified"], "contributions");
  EXPECT_EQ(result()["fidelity"], "train/flit");
  EXPECT_EQ(result()["contention_free"], false);
  reduced_[400]["verified"] = "off";
  EXPECT_EQ(result()["verified"], "off");
}

// The reported tables are those of the longest all-reduce, which need the widest fields.
TEST_F(TrainingResult, ReportsTheTablesOfItsLongestAllReduce) {
  EXPECT_EQ(result()["ni_overhead"]["of"], 400);
}

// With a chained forward pass, each accelerator finishes at a time of its own.
TEST_F(TrainingResult, UsesTheChainedForwardPassOfEachAccelerator) {
  forward_ns_ = {500, 500, 520, 500};
  const Json performance = result()["training"]["accelerator_performance"];
  const double backward = 280 - static_cast<double>(timeline_.forward) / static_cast<double>(kNs);
  EXPECT_DOUBLE_EQ(performance[0], 280.0 / (backward + 500));
  EXPECT_DOUBLE_EQ(performance[2], 280.0 / (backward + 520));
}

// An accelerator that forwards data for other accelerators computes more slowly.
TEST_F(TrainingResult, IncludesTheDelayOfForwarding) {
  reduced_[400]["forwarding"] = {2};
  loaded_.config.system.accelerator.forwarding_cost = 0.25;
  const Json performance = result()["training"]["accelerator_performance"];
  EXPECT_DOUBLE_EQ(performance[0], 280.0 / 680);
  EXPECT_DOUBLE_EQ(performance[2], 280.0 / (280 * 1.25 + 400));
}

TEST_F(TrainingResult, WithoutGradientsIsOnlyComputation) {
  for (workload::LayerCost& cost : costs_) cost.gradient_bytes = 0;
  reduced_.clear();
  timeline_ = workload::lay_out_computation(costs_);
  const Json json = result();
  EXPECT_EQ(json["fidelity"], "none");
  EXPECT_DOUBLE_EQ(json["training"]["normalized_performance"], 1);
  EXPECT_FALSE(json.contains("ni_overhead"));
  EXPECT_FALSE(json["training"]["layers"][0].contains("all_reduce_begin_ns"));
  EXPECT_THAT(summarize_training(simulated(json)),
              HasSubstr("100.0% of the performance without communication"));
}

TEST_F(TrainingResult, HasASummary) {
  const std::string text = summarize_training(simulated(result()));
  EXPECT_THAT(text,
              AllOf(HasSubstr("training iteration of two by ring on 4 accelerators"),
                    HasSubstr("680 ns in total (train fidelity, verified: values)"),
                    HasSubstr("41.2% of the performance"), HasSubstr("2 all-reduces of different sizes")));
}

}  // namespace
}  // namespace coppice::system
