#include "system/training_run.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "accelerator/accelerator.h"
#include "base/error.h"
#include "schedule/hierarchical.h"
#include "system/build.h"
#include "system/model_files.h"
#include "system/subprocess_run.h"
#include "system/training_result.h"
#include "workload/training_timeline.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;

accelerator::Accelerator make_accelerator(const config::AcceleratorConfig& config) {
  const auto dataflow = accelerator::parse_dataflow(config.dataflow);
  return accelerator::Accelerator(
      {config.pes, accelerator::SystolicArray(config.array.at(0), config.array.at(1), dataflow), config.clock,
       config.memory_bandwidth});
}

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
        model_(load_model(loaded)),
        accelerators_(build_topology(loaded).num_accelerators()),
        chunk_(smallest_chunk(loaded, accelerators_)),
        costs_(time_layers()) {
    for (const Bytes bytes : all_reduce_sizes(costs_, training().overlap)) ++counts_[padded(bytes)];
  }

  Json run() {
    require_all_reduce();
    measure();
    const auto timeline = at_batch(loaded_, [&] {
      return make_timeline(costs_, training().overlap, [&](Bytes bytes) { return duration(padded(bytes)); });
    });
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
    return make_training_result(
        {loaded_.config, model_, accelerators_, costs_, timeline, results_, counts_, wall.count()});
  }

 private:
  const config::TrainingConfig& training() const { return loaded_.config.training; }

  std::vector<workload::LayerCost> time_layers() const {
    return at_batch(loaded_, [&] {
      return make_accelerator(loaded_.config.system.accelerator)
          .costs(model_, training().batch_per_accelerator);
    });
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
      results_[size] = run_all_reduce_(with_size(size), options_);
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
