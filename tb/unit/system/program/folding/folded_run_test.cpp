// Trains a model on several data-parallel copies. Simulating one copy must give the same results as
// simulating all of them.
#include "system/program/folding/folded_run.h"

#include <bit>
#include <cstdlib>
#include <map>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine.h"
#include "system/program/folding/folded_collectives.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kModel = R"(layers: 4
width: 64
heads: 8
feed_forward: 256
vocabulary: 512
sequence: 64
)";

// A configuration of a random system that trains a model on all of its accelerators, determined by `seed`.
std::string random_training(unsigned seed) {
  std::mt19937 random(seed);
  const auto one_of = [&random](auto... values) {
    const std::vector<std::common_type_t<decltype(values)...>> all{values...};
    return all[random() % all.size()];
  };
  const int tensor = one_of(1, 2, 4);
  const int pipeline = one_of(1, 2, 4);
  const int context = one_of(1, 1, 1, 2);
  const int data = one_of(2, 3, 4, 6, 8);
  const int inside = tensor * context;
  const int outside = pipeline * data;
  std::string kind = one_of("switch", "switch", "fully_connected", "ring");
  if (inside < 4 && kind == "ring") kind = "switch";
  const int links = kind == "ring" ? 2 : kind == "switch" ? 1 : inside - 1;
  std::string topology;
  if (inside == 1) {
    topology = fmt::format("{{kind: switch, dims: [{}]}}", outside);
  } else if (one_of(0, 1, 1, 1) == 0) {
    topology = fmt::format("{{kind: torus, dims: [{}, {}]}}", inside, outside);
  } else {
    topology = fmt::format(
        "{{kind: hierarchy, dimensions: [{{kind: {}, size: {}, links: {}, bandwidth: 64 GB/s, latency: 100 "
        "ns}}, {{kind: switch, size: {}, links: {}, bandwidth: 16 GB/s, latency: 500 ns}}]}}",
        kind, inside, links, outside, one_of(1, 2));
  }
  std::string text = fmt::format(
      R"(system:
  topology: {}
  link: {{bandwidth: 16 GB/s, latency: 100 ns}}
  flit: 64 B
  router: {{vcs: 4, vc_depth: 512}}
  ni: {{payload: 1 KiB, flow_control: {}, lockstep: {}, contexts: {}}}
  accelerator:
    model: roofline
    roofline: {{peak_tflops: 1, memory_bandwidth: 1 TB/s}}
training:
  model: MODEL
  parallel: {{tensor: {}, context: {}, pipeline: {}, data: {}, sequence: {}}}
  batch_per_accelerator: 4
  micro_batches: 4
  iterations: {}
  zero: {}
  bucket: {}
  overlap: {}
check: contributions
fidelity: train
)",
      topology, one_of("message", "packet"), one_of("true", "false"), one_of(2, 8), tensor, context, pipeline,
      data, tensor > 1 ? one_of("true", "false") : "false", one_of(1, 2), one_of(0, 1, 2, 3),
      one_of("16 KiB", "64 KiB", "1 MiB"), one_of("bucketed", "layer_wise", "none"));
  const bool powers = std::has_single_bit(static_cast<unsigned>(data * context)) && data > 1;
  const char* const algorithm =
      one_of("auto", "ring", "direct", powers ? "halving_doubling" : "multitree", "packed_trees", "");
  if (*algorithm != '\0') {
    text += fmt::format(
        "collectives:\n  all_reduce: {{algorithm: {0}}}\n  all_gather: {{algorithm: {0}}}\n"
        "  reduce_scatter: {{algorithm: {0}}}\n",
        algorithm);
  }
  return text;
}

// A text workload and a configuration that trains it on several copies, determined by `seed`.
struct TextTraining {
  std::string workload;
  std::string config;  // with MODEL for the workload's path
};
TextTraining random_text_training(unsigned seed) {
  std::mt19937 random(seed);
  const auto one_of = [&random](auto... values) {
    const std::vector<std::common_type_t<decltype(values)...>> all{values...};
    return all[random() % all.size()];
  };
  const int model = one_of(1, 2, 4);
  const int data = one_of(2, 3, 4, 8);
  const int layers = one_of(1, 2, 5);
  TextTraining made;
  made.workload = model == 1
                      ? "DATA\n"
                      : fmt::format("{} model_parallel_NPU_group: {}{}\n",
                                    one_of("HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD"), model,
                                    layers > 1 ? " checkpoints: 1 0 checkpoint_initiates: 1 1" : "");
  made.workload += fmt::format("{}\n", layers);
  for (int layer = 0; layer < layers; ++layer) {
    const std::string shared = model == 1 ? "NONE 0" : fmt::format("ALLREDUCE {}", one_of(4096, 65536));
    made.workload += fmt::format(
        "layer_{} -1 {} {} {} {} {} {} {}\n", layer, one_of(1000, 5000), shared, one_of(1000, 3000), shared,
        one_of(1000, 3000), fmt::format("{} {}", one_of("ALLREDUCE", "REDUCESCATTER"), one_of(8192, 131072)),
        one_of(0, 500));
  }
  const std::string topology =
      model == 1 ? fmt::format("{{kind: {}, dims: [{}]}}", one_of("switch", "ring"), data)
                 : fmt::format(
                       "{{kind: hierarchy, dimensions: [{{kind: switch, size: {}, links: 1, bandwidth: 64 "
                       "GB/s, latency: 100 ns}}, {{kind: switch, size: {}, links: 1, bandwidth: 16 GB/s, "
                       "latency: 500 ns}}]}}",
                       model, data);
  made.config = fmt::format(R"(system:
  topology: {}
  flit: 64 B
  router: {{vc_depth: 512}}
  ni: {{payload: 1 KiB, flow_control: message}}
training: {{model: MODEL, overlap: {}}}
collective: {{algorithm: {}}}
check: contributions
fidelity: train
)",
                            topology, one_of("none", "layer_wise"), one_of("ring", "auto"));
  return made;
}

// The result without its lists, which are compared separately, and without fields that describe the
// simulation itself, which may differ.
Json without_lists(Json result) {
  for (const char* key : {"simulator", "commit", "command", "accelerators", "collectives"}) result.erase(key);
  return result;
}

// Counts the collectives and transfers that have the same work and the same times.
std::map<std::string, std::int64_t> occurrences(const Json& result) {
  std::map<std::string, std::int64_t> times;
  for (Json one : result["collectives"]) {
    const auto count = one.value("count", std::int64_t{1});
    for (const char* key : {"count", "group", "source", "destination"}) one.erase(key);
    // If chunks are summed over all copies, simulating one copy cannot determine when they become final, so
    // this field is ignored.
    if (one["kind"] == "data") one.erase("gradients");
    times[one.dump()] += count;
  }
  return times;
}

void require_equal(const workload::ReplicatedProgram& replicated, const Json& folded, const Json& whole) {
  EXPECT_EQ(without_lists(folded), without_lists(whole))
      << Json::diff(without_lists(folded), without_lists(whole));
  EXPECT_EQ(occurrences(folded), occurrences(whole));
  for (Json role : folded["accelerators"]) {
    EXPECT_EQ(role["count"], replicated.copies.size());
    const auto first = std::ranges::find(replicated.copies.front(), role["rank"].get<int>());
    const auto number = static_cast<std::size_t>(first - replicated.copies.front().begin());
    for (const std::vector<int>& copy : replicated.copies) {
      Json one = whole["accelerators"][static_cast<std::size_t>(copy[number])];
      for (const char* key : {"rank", "accelerator", "count", "operations"}) {
        one.erase(key);
        role.erase(key);
      }
      EXPECT_EQ(one, role) << "rank " << copy[number];
    }
  }
}

class FoldedRun : public ::testing::Test {
 protected:
  config::Loaded load(std::string text, const std::string& file = "model.yaml",
                      const std::string& model = kModel) {
    std::ofstream(folder_.file(file)) << model;
    text.replace(text.find("MODEL"), 5, folder_.file(file));
    std::ofstream(folder_.file("c.yaml")) << text;
    return config::load(folder_.file("c.yaml"), {}, config::Purpose::kRun);
  }

  // Compares the run of one copy with that of all copies.
  void compare(const config::Loaded& loaded) {
    const auto replicated = load_replicated(loaded, {});
    ASSERT_TRUE(replicated);
    const auto folded = run_folded(loaded, *replicated, {});
    Json whole;
    try {
      whole = run_in_child([&] { return run_program(loaded, load_program(loaded), {}); }, nullptr);
    } catch (const std::exception& error) {
      EXPECT_FALSE(folded)
          << error.what();  // the run of all copies was refused: trains contend, or it could deadlock
      return;
    }
    ++ran_;
    if (!folded) return;
    ++equal_;
    require_equal(*replicated, *folded, whole);
  }

  unsigned equal_ = 0;
  unsigned ran_ = 0;

 private:
  TemporaryDirectory folder_;
};

TEST_F(FoldedRun, EqualsTheRunOfAllCopies) {
  const char* const asked = std::getenv("COPPICE_FOLDED_RUNS");
  const unsigned runs = asked == nullptr ? 20 : static_cast<unsigned>(std::atoi(asked));
  for (unsigned seed = 0; seed < runs && !HasFailure(); ++seed) {
    const std::string text = random_training(seed);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    compare(load(text));
  }
  EXPECT_GE(2 * equal_, ran_) << equal_ << " of " << ran_;
}

TEST_F(FoldedRun, OfATextWorkloadEqualsTheRunOfAllCopies) {
  for (unsigned seed = 0; seed < 20 && !HasFailure(); ++seed) {
    const TextTraining training = random_text_training(seed);
    SCOPED_TRACE(fmt::format("seed {}\n{}\n{}", seed, training.config, training.workload));
    compare(load(training.config, "workload.txt", training.workload));
  }
  EXPECT_GE(2 * equal_, ran_) << equal_ << " of " << ran_;
}

TEST_F(FoldedRun, CountsAcceleratorsAndCollectivesOfAllCopies) {
  const config::Loaded loaded = load(R"(system:
  topology: {kind: switch, dims: [8]}
  accelerator: {model: roofline, roofline: {peak_tflops: 1, memory_bandwidth: 1 TB/s}}
training: {model: MODEL, parallel: {tensor: 2, data: 4}, batch_per_accelerator: 1}
check: contributions
fidelity: train
)");
  const auto replicated = load_replicated(loaded, {});
  ASSERT_TRUE(replicated);
  const auto folded = run_folded(loaded, *replicated, {});
  ASSERT_TRUE(folded);
  EXPECT_EQ((*folded)["program"]["ranks"], 8);
  ASSERT_EQ((*folded)["accelerators"].size(), 2U);
  EXPECT_EQ((*folded)["accelerators"][1]["accelerator"], 1);
  RunOptions all;
  all.per_accelerator = true;
  const auto listed = run_folded(loaded, *replicated, all);
  ASSERT_TRUE(listed);
  ASSERT_EQ((*listed)["accelerators"].size(), 8U);
  EXPECT_EQ((*listed)["accelerators"][7]["rank"], 7);
  EXPECT_EQ((*listed)["accelerators"][7]["compute_ns"], (*folded)["accelerators"][1]["compute_ns"]);
  EXPECT_FALSE((*listed)["accelerators"][7].contains("count"));
  for (const Json& collective : (*folded)["collectives"]) {
    EXPECT_EQ(collective["count"], collective["kind"] == "data" ? 1 : 4) << collective;
  }
}

TEST_F(FoldedRun, AppliesOnlyToIndistinguishableCopies) {
  const std::string text = R"(system:
  topology: {kind: switch, dims: [8]}
  accelerator: {model: roofline, roofline: {peak_tflops: 1, memory_bandwidth: 1 TB/s}}
training: {model: MODEL, parallel: {tensor: 2, data: 4}, batch_per_accelerator: 1}
check: contributions
)";
  EXPECT_TRUE(load_replicated(load(text), {}));
  EXPECT_FALSE(load_replicated(load(text + "fidelity: flit\n"), {}));
  EXPECT_FALSE(load_replicated(load(text + "program: {jitter: [1, 1, 1, 1, 1, 1, 1, 2]}\n"), {}));
  RunOptions traced;
  traced.trace_path = "trace";
  EXPECT_FALSE(load_replicated(load(text), traced));
}

TEST_F(FoldedRun, LocatesTheTrainingThatTakesTooLong) {
  const config::Loaded loaded = load(R"(system:
  topology: {kind: switch, dims: [8]}
  link: {bandwidth: 1 kB/s}
  accelerator: {model: roofline, roofline: {peak_tflops: 1, memory_bandwidth: 1 TB/s}}
training: {model: MODEL, parallel: {tensor: 2, data: 4}, batch_per_accelerator: 4096}
check: contributions
)");
  const auto replicated = load_replicated(loaded, {});
  ASSERT_TRUE(replicated);
  try {
    run_folded(loaded, *replicated, {});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("c.yaml:5:1: training: "));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("takes more than the 9,223 s that can be simulated"));
  }
}

}  // namespace
}  // namespace coppice::system
