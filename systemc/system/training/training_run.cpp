#include "system/training/training_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "accelerator/roofline.h"
#include "base/error.h"
#include "base/time_limit.h"
#include "schedule/compile/latency_model.h"
#include "system/machine/build.h"
#include "system/process/subprocess_run.h"
#include "system/training/trained_accelerator.h"
#include "system/training/training_result.h"
#include "workload/training_timeline.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;

// Says at the key that set it what the timing refuses.
template <typename Time>
auto at_batch(const config::Loaded& loaded, Time time) {
  try {
    return time();
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place("training.batch_per_accelerator"), error.what());
  }
}

// An element for every accelerator, and way around rings.
Bytes smallest_chunk(const config::Loaded& loaded, int accelerators) {
  const auto& dimensions = loaded.config.system.topology.dimensions;
  const bool rings = std::any_of(dimensions.begin(), dimensions.end(), [](const auto& dimension) {
    return dimension.kind == topology::DimensionKind::kRing;
  });
  return schedule::pieces_of_a_chunk(accelerators, rings) * workload::kElementBytes;
}

class TrainingRun {
 public:
  TrainingRun(const config::Loaded& loaded, const RunOptions& options, const RunAllReduce& run_all_reduce)
      : loaded_(loaded),
        options_(options),
        run_all_reduce_(run_all_reduce),
        start_(std::chrono::steady_clock::now()),
        model_(trained_model(loaded)),
        accelerators_(build_topology(loaded).num_accelerators()),
        chunk_(smallest_chunk(loaded, accelerators_)),
        costs_(time_layers()) {
    require_room();
    for (const Bytes bytes : all_reduce_sizes(costs_, training().overlap)) ++counts_[padded(bytes)];
  }

  Json run() {
    require_all_reduce();
    require_covered_gradients();
    measure();
    const auto timeline = at_batch(loaded_, [&] {
      auto laid_out = make_timeline(slowest_costs(), training().overlap,
                                    [&](Bytes bytes) { return duration(padded(bytes)); });
      if (training().overlap == workload::Overlap::kChained && !results_.empty()) {
        chain_forward(laid_out, chained_forward_end());
      }
      return laid_out;
    });
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
    return make_training_result(
        {loaded_.config, model_, accelerators_, costs_, timeline, results_, counts_, wall.count()});
  }

 private:
  const config::TrainingConfig& training() const { return loaded_.config.training; }

  std::vector<workload::LayerCost> time_layers() const {
    const config::AcceleratorConfig& accelerator = loaded_.config.system.accelerator;
    return at_batch(loaded_, [&] {
      if (accelerator.model == "roofline") {
        const config::RooflineConfig& roofline = accelerator.roofline;
        return accelerator::Roofline{roofline.peak_tflops, roofline.efficiency, roofline.memory_bandwidth}
            .costs(model_, training().batch_per_accelerator);
      }
      return make_accelerator(loaded_).costs(model_, training().batch_per_accelerator);
    });
  }

  void require_room() const {
    const config::AcceleratorConfig& accelerator = loaded_.config.system.accelerator;
    if (!accelerator.memory) return;
    const bool arrays = accelerator.model != "roofline";
    const Bytes sums =
        arrays ? make_accelerator(loaded_).partial_sums(model_, training().batch_per_accelerator) : 0;
    require_memory(loaded_, model_, sums);
  }

  Bytes padded(Bytes bytes) const { return std::max(bytes, chunk_); }

  // The collective of one all-reduce; a small one is cut into as many chunks as have an element for everyone.
  config::Loaded with_size(Bytes size) const {
    config::Loaded copy = loaded_;
    config::CollectiveConfig& collective = copy.config.collective;
    collective.size = size;
    if (collective.chunks > 1) {
      collective.chunks = static_cast<int>(std::clamp<Bytes>(size / chunk_, 1, collective.chunks));
    }
    copy.config.training = {};
    return copy;
  }

  // The layer-chunk table of a gradient queue comes from the layers.
  void require_covered_gradients() const {
    const Bytes size = loaded_.config.collective.size;
    if (training().overlap != workload::Overlap::kChained) return;
    Bytes covered = 0;
    for (const workload::LayerCost& cost : costs_) covered += cost.gradient_bytes;
    if (covered >= size) return;
    throw ConfigError(
        loaded_.place("collective.size"),
        fmt::format("collective.size of {} is not covered by the layers of {}, which a chained forward pass "
                    "waits for: they have {} of gradients; leave collective.size out",
                    format_bytes(size), model_.name, format_bytes(covered)));
  }

  // All wait for the slowest: where messages are forwarded, one that forwards.
  std::vector<workload::LayerCost> slowest_costs() const {
    const bool forwarding = std::any_of(results_.begin(), results_.end(), [](const auto& entry) {
      return entry.second.contains("forwarding");
    });
    const double factor = 1 + (forwarding ? loaded_.config.system.accelerator.forwarding_cost : 0);
    std::vector<workload::LayerCost> costs = costs_;
    for (workload::LayerCost& cost : costs) {
      for (Femtoseconds* time : {&cost.forward, &cost.input_gradient, &cost.weight_gradient}) {
        const double longer = static_cast<double>(*time) * factor;
        if (longer > static_cast<double>(kLongestTime)) throw TimeLimitError("layer " + cost.name);
        *time = std::llround(longer);
      }
    }
    return costs;
  }

  Femtoseconds chained_forward_end() const {
    const double end_ns = results_.begin()->second.at("gradients").at("forward").at("end_ns");
    return std::llround(end_ns * static_cast<double>(kFemtosecondsPerNanosecond));
  }

  std::vector<ForwardLayer> forward_layers() const {
    std::vector<ForwardLayer> layers;
    if (training().overlap != workload::Overlap::kChained) return layers;
    for (const workload::LayerCost& cost : costs_) layers.push_back({cost.gradient_bytes, cost.forward});
    return layers;
  }

  Femtoseconds duration(Bytes bytes) const {
    const Cycles cycles = results_.at(bytes).at("cycles");
    return cycles * loaded_.config.system.clock.period();
  }

  void require_all_reduce() const {
    if (loaded_.config.collective.op != "all_reduce") {
      throw ConfigError(loaded_.place("collective.op"),
                        fmt::format("collective.op is {}, but training reduces gradients by all_reduce",
                                    loaded_.config.collective.op));
    }
    if (counts_.size() < 2) return;
    for (const auto& [option, path] :
         {std::pair{"--trace", options_.trace_path}, std::pair{"--vcd", options_.vcd_path}}) {
      if (path.empty()) continue;
      throw ConfigError({option},
                        fmt::format("this iteration has all-reduces of {} sizes, and a file holds one: "
                                    "leave out training and set collective.size to one of them",
                                    counts_.size()));
    }
  }

  void measure() {
    if (counts_.size() == 1) {
      const Bytes size = counts_.begin()->first;
      RunOptions chained = options_;
      chained.forward_layers = forward_layers();
      results_[size] = run_all_reduce_(with_size(size), chained);
      return;
    }
    // The longest first, so that none runs alone at the end.
    std::vector<Bytes> sizes;
    Bytes total = 0;
    for (auto entry = counts_.rbegin(); entry != counts_.rend(); ++entry) {
      sizes.push_back(entry->first);
      total += entry->first;
    }
    std::vector<SubprocessJob> jobs;
    for (const Bytes size : sizes) {
      jobs.emplace_back([this, size] {
        RunOptions quiet;
        quiet.interrupted = options_.interrupted;
        return run_all_reduce_(with_size(size), quiet);
      });
    }
    Bytes done = 0;
    SubprocessOptions pool;
    pool.at_once = available_processors();
    pool.interrupted = options_.interrupted;
    pool.job_done = [&](std::size_t job) {
      done += sizes[job];
      if (options_.progress) options_.progress(static_cast<double>(done) / static_cast<double>(total));
    };
    std::vector<Json> values = run_in_subprocesses(jobs, pool);
    for (std::size_t i = 0; i < sizes.size(); ++i) results_[sizes[i]] = std::move(values[i]);
  }

  const config::Loaded& loaded_;
  const RunOptions& options_;
  const RunAllReduce& run_all_reduce_;
  std::chrono::steady_clock::time_point start_;
  workload::Model model_;
  int accelerators_;
  Bytes chunk_;  // the smallest
  std::vector<workload::LayerCost> costs_;
  std::map<Bytes, int> counts_;
  std::map<Bytes, Json> results_;
};

}  // namespace

Json run_training(const config::Loaded& loaded, const RunOptions& options,
                  const RunAllReduce& run_all_reduce) {
  return TrainingRun(loaded, options, run_all_reduce).run();
}

}  // namespace coppice::system
