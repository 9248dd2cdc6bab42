#include "system/training/training_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accelerator/roofline.h"
#include "base/error.h"
#include "base/time_limit.h"
#include "schedule/compile/latency_model.h"
#include "schedule/tables/detour_nodes.h"
#include "schedule/tables/final_chunks.h"
#include "system/machine/build.h"
#include "system/program/program_run.h"
#include "system/training/trained_accelerator.h"
#include "system/training/training_program.h"
#include "system/training/training_result.h"
#include "workload/training_timeline.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;
using topology::NodeId;

// Calls `time` and rethrows errors of the layer timing as ConfigErrors at the responsible key.
template <typename Time>
auto at_batch(const config::Loaded& loaded, Time time) {
  try {
    return time();
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place("training.batch_per_accelerator"), error.what());
  }
}

// The size of the smallest chunk, which has one element for each accelerator in each direction of the rings.
Bytes smallest_chunk(const config::Loaded& loaded, int accelerators) {
  const auto& dimensions = loaded.config.system.topology.dimensions;
  const bool rings = std::any_of(dimensions.begin(), dimensions.end(), [](const auto& dimension) {
    return dimension.kind == topology::DimensionKind::kRing;
  });
  return schedule::pieces_of_a_chunk(accelerators, rings) * workload::kElementBytes;
}

class TrainingRun {
 public:
  TrainingRun(const config::Loaded& loaded, const RunOptions& options)
      : loaded_(loaded),
        options_(options),
        model_(trained_model(loaded)),
        accelerators_(build_topology(loaded).num_accelerators()),
        chunk_(smallest_chunk(loaded, accelerators_)),
        costs_(time_layers()) {
    require_room();
    require_op();
    require_covered_gradients();
  }

  Json run() {
    // This throws if times are too long; its result is not needed.
    computation(costs_);
    const std::vector<workload::LayerCost> costs = whole_cycles(costs_);
    TrainingProgram made =
        make_training_program(costs, training().overlap, training().bucket, chunk_, accelerators_, &model_);
    made.program.name = model_.name;
    made.program.samples = training().batch_per_accelerator;
    for (const auto& collective : made.program.collectives) ++counts_[collective.bytes];
    Json shared;
    prepare(made, shared);
    const Json ran = run_program(loaded_, made.program, options_, made.chain);
    for (const char* key : {"fidelity", "verified"}) shared[key] = ran.at(key);
    gather_sizes(ran, shared);
    const auto timeline = read_timeline(costs, made, ran);
    Json result = make_training_result({loaded_.config, model_, accelerators_, costs_, timeline, results_,
                                        counts_, chained_forward_ns(ran)});
    for (const char* key : {"iterations", "collectives", "accelerators", "link_utilization", "channels",
                            "flit_hops", "time_breakdown_cycles", "statistics"}) {
      result[key] = ran.at(key);
    }
    if (!loaded_.config.hardware.technology.empty()) result["flits"] = ran.at("flits");
    for (const char* key :
         {"passes", "dimensions", "window_ns", "leap", "trains", "fluid", "fidelity_reason", "profile"}) {
      if (ran.contains(key)) result[key] = ran[key];
    }
    const Json& warnings = ran.at("warnings");
    for (std::size_t i = loaded_.config.warnings.size(); i < warnings.size(); ++i) {
      result["warnings"].push_back(warnings[i]);
    }
    result["simulator"] = ran.at("simulator");
    result["simulator"]["simulations"] = 1;
    return result;
  }

 private:
  const config::TrainingConfig& training() const { return loaded_.config.training; }
  bool chained() const { return training().overlap == workload::Overlap::kChained; }

  // Whether a single all-reduce reduces the gradients of all layers.
  bool reduces_at_once() const { return chained() || training().overlap == workload::Overlap::kNone; }

  // Rounds all times up to whole cycles of system.clock.
  std::vector<workload::LayerCost> whole_cycles(std::vector<workload::LayerCost> costs) const {
    const Femtoseconds period = loaded_.config.system.clock.period();
    for (workload::LayerCost& cost : costs) {
      for (Femtoseconds* time : {&cost.forward, &cost.input_gradient, &cost.weight_gradient, &cost.update}) {
        *time = (*time + period - 1) / period * period;
      }
    }
    return costs;
  }

  // Lengthens the computations of accelerators that forward messages, if forwarding takes compute capacity.
  // Returns these accelerators.
  std::vector<NodeId> slow_down(workload::Program& program, const topology::Topology& topology,
                                const schedule::Schedule& schedule) const {
    std::vector<NodeId> forwarding = schedule::forwarders(topology, schedule);
    const double factor = 1 + loaded_.config.system.accelerator.forwarding_cost;
    for (const NodeId node : forwarding) {
      for (workload::Operation& operation : program.ranks[static_cast<std::size_t>(node)].operations) {
        auto* const compute = std::get_if<workload::Compute>(&operation.work);
        if (compute == nullptr) continue;
        compute->duration = std::llround(static_cast<double>(compute->duration) * factor);
      }
    }
    return forwarding;
  }

  // Compiles the largest all-reduce, writes those of its properties that are known before it runs, and slows
  // down the accelerators that forward its messages.
  void prepare(TrainingProgram& made, Json& shared) {
    if (counts_.empty() || accelerators_ < 2) return;
    const topology::Topology topology = build_topology(loaded_);
    const auto routing = build_routing(loaded_, topology);
    const CheckedSchedule checked =
        build_schedule(loaded_, of_size(counts_.rbegin()->first), topology, *routing);
    if (chained() && !schedule::find_final_chunks(checked.schedule)) {
      throw ConfigError(loaded_.place("collective.algorithm"),
                        fmt::format("collective.algorithm: {} on {} has no chunks that become final "
                                    "individually, which a chained forward pass needs: use a tree algorithm",
                                    checked.schedule.algorithm, topology.name()));
    }
    const std::vector<NodeId> forwarding = slow_down(made.program, topology, checked.schedule);
    if (!forwarding.empty()) shared["forwarding"] = forwarding;
    shared["ni_overhead"] = schedule::to_json(ni_overhead(loaded_.config.system, topology, checked.schedule));
    if (reduces_at_once()) shared["contention_free"] = checked.report.contention_free;
  }

  // The result's key for the time at which an all-reduce begins. A single all-reduce begins when all
  // accelerators have joined it; one of several begins when the first accelerator's gradients are available.
  const char* begin_key() const { return reduces_at_once() ? "joined_ns" : "begin_ns"; }

  // The timeline of the layers if there were no communication.
  workload::TrainingTimeline computation(const std::vector<workload::LayerCost>& costs) const {
    return at_batch(loaded_, [&] { return lay_out_computation(costs); });
  }

  // Averages the times and efficiencies of all all-reduces of the same size.
  void gather_sizes(const Json& ran, const Json& shared) {
    const double period_ns = static_cast<double>(loaded_.config.system.clock.period()) /
                             static_cast<double>(kFemtosecondsPerNanosecond);
    for (const auto& [bytes, count] : counts_) {
      double time_ns = 0;
      double efficiency = 0;
      Json& one = results_[bytes] = shared;
      for (const Json& collective : ran.at("collectives")) {
        if (collective.at("bytes") != bytes) continue;
        time_ns += (collective.at("end_ns").get<double>() - collective.at(begin_key()).get<double>()) / count;
        efficiency += collective.value("efficiency", 0.0) / count;
        one["steps"] = collective.at("steps");
      }
      one["time_ns"] = time_ns;
      one["cycles"] = std::llround(time_ns / period_ns);
      one["algbw_gb_s"] = time_ns > 0 ? static_cast<double>(bytes) / time_ns : 0.0;
      one["efficiency"] = efficiency;
      if (!one.contains("contention_free"))
        one["contention_free"] = ran.at("fidelity") == "train" && !ran.contains("trains");
    }
  }

  // Reads the timeline of an iteration from a result. If accelerators differ, returns the timeline of the
  // slowest one.
  workload::TrainingTimeline read_timeline(const std::vector<workload::LayerCost>& costs,
                                           const TrainingProgram& made, const Json& ran) const {
    const auto fs = [](const Json& ns) {
      return std::llround(ns.get<double>() * static_cast<double>(kFemtosecondsPerNanosecond));
    };
    const bool slowed = !results_.empty() && results_.begin()->second.contains("forwarding");
    auto timeline = computation(slowed ? whole_cycles(slowest_costs(costs)) : costs);
    std::vector<std::pair<Femtoseconds, Femtoseconds>> moving;
    for (const Json& one : ran.at("collectives"))
      moving.emplace_back(fs(one.at(begin_key())), fs(one.at("end_ns")));
    for (std::size_t layer = 0; layer < costs.size() && !reduces_at_once(); ++layer) {
      if (made.collective_of[layer] < 0) continue;
      const auto& [begin, end] = moving[static_cast<std::size_t>(made.collective_of[layer])];
      timeline.layers[layer].all_reduce_begin = begin;
      timeline.layers[layer].all_reduce_end = end;
    }
    std::ranges::sort(moving);
    Femtoseconds until = 0;
    for (const auto& [begin, end] : moving) {
      timeline.communication += std::max<Femtoseconds>(0, end - std::max(begin, until));
      until = std::max(until, end);
    }
    timeline.total = fs(ran.at("time_ns"));
    timeline.exposed_communication = std::max<Femtoseconds>(0, timeline.total - timeline.compute);
    timeline.overlapped = std::max<Femtoseconds>(0, timeline.communication - timeline.exposed_communication);
    return timeline;
  }

  std::vector<workload::LayerCost> time_layers() const {
    const config::AcceleratorConfig& accelerator = loaded_.config.system.accelerator;
    const accelerator::Optimizer& optimizer = accelerator::find_optimizer(training().optimizer);
    return at_batch(loaded_, [&] {
      if (accelerator.model == "roofline") {
        const config::RooflineConfig& roofline = accelerator.roofline;
        return accelerator::Roofline{roofline.peak_tflops, roofline.efficiency, roofline.memory_bandwidth,
                                     roofline.memory_efficiency, roofline.launch}
            .costs(model_, training().batch_per_accelerator, optimizer);
      }
      return make_accelerator(loaded_).costs(model_, training().batch_per_accelerator, optimizer);
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

  // The settings of an all-reduce of `size` bytes. A small all-reduce is divided into fewer chunks, so that
  // each chunk has at least one element per accelerator.
  workload::CollectiveSpec of_size(Bytes size) const {
    workload::CollectiveSpec spec = loaded_.config.collective;
    spec.size = size;
    if (spec.chunks > 1) spec.chunks = static_cast<int>(std::clamp<Bytes>(size / chunk_, 1, spec.chunks));
    spec.group.clear();  // all accelerators reduce gradients
    return spec;
  }

  // Throws if the collective is larger than the gradients of all layers, since the layer-chunk table of a
  // gradient queue could not refer to the rest.
  void require_covered_gradients() const {
    const Bytes size = loaded_.config.collective.size;
    if (!chained()) return;
    Bytes covered = 0;
    for (const workload::LayerCost& cost : costs_) covered += cost.gradient_bytes;
    if (covered >= size) return;
    throw ConfigError(loaded_.place("collective.size"),
                      fmt::format("collective.size is {}, but the layers of {}, for whose gradients a "
                                  "chained forward pass waits, have only {}; leave out collective.size",
                                  format_bytes(size), model_.name, format_bytes(covered)));
  }

  // The layers' costs on the slowest accelerators. Those that forward messages are slowed down.
  std::vector<workload::LayerCost> slowest_costs(std::vector<workload::LayerCost> costs) const {
    const double factor = 1 + loaded_.config.system.accelerator.forwarding_cost;
    for (workload::LayerCost& cost : costs) {
      for (Femtoseconds* time : {&cost.forward, &cost.input_gradient, &cost.weight_gradient, &cost.update}) {
        const double longer = static_cast<double>(*time) * factor;
        if (longer > static_cast<double>(kLongestTime)) throw TimeLimitError("layer " + cost.name);
        *time = std::llround(longer);
      }
    }
    return costs;
  }

  // [accelerator]: the time from when all accelerators have joined the all-reduce to the end of the forward
  // pass that is chained to it. An accelerator is idle only after this pass, since nothing follows it.
  std::vector<double> chained_forward_ns(const Json& ran) const {
    std::vector<double> times;
    if (!chained() || ran.at("collectives").empty()) return times;
    const double joined_ns = ran.at("collectives").front().at("joined_ns");
    for (const Json& accelerator : ran.at("accelerators")) {
      times.push_back(accelerator.at("time_ns").get<double>() - accelerator.at("idle_ns").get<double>() -
                      joined_ns);
    }
    return times;
  }

  void require_op() const {
    const workload::CollectiveOp op = loaded_.config.collective.op;
    if (op == workload::CollectiveOp::kAllReduce) return;
    throw ConfigError(
        loaded_.place("collective.op"),
        fmt::format("collective.op is {}, but training reduces gradients with all_reduce: write all_reduce",
                    to_string(op)));
  }

  const config::Loaded& loaded_;
  const RunOptions& options_;
  workload::Model model_;
  int accelerators_;
  Bytes chunk_;  // the size of the smallest chunk
  std::vector<workload::LayerCost> costs_;
  std::map<Bytes, int> counts_;
  std::map<Bytes, Json> results_;
};

}  // namespace

Json run_training(const config::Loaded& loaded, const RunOptions& options) {
  return TrainingRun(loaded, options).run();
}

}  // namespace coppice::system
