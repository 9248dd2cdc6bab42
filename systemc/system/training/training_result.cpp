#include "system/training/training_result.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/readable_time.h"
#include "config/loader.h"
#include "system/output/result_frame.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;

double to_ns(Femtoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
}

// The fidelities at which all-reduces were simulated, separated by slashes if they differ.
std::string fidelity(const MeasuredTraining& measured) {
  std::vector<std::string> seen;
  for (const auto& [bytes, result] : measured.all_reduces) {
    const std::string value = result.at("fidelity");
    if (std::find(seen.begin(), seen.end(), value) == seen.end()) seen.push_back(value);
  }
  return seen.empty() ? "none" : fmt::format("{}", fmt::join(seen, "/"));
}

// How the sums of all-reduces were verified; if in several ways, the weakest one.
std::string verified(const MeasuredTraining& measured) {
  for (const char* check : {"off", "contributions", "values"}) {
    for (const auto& [bytes, result] : measured.all_reduces) {
      if (result.at("verified") == check) return check;
    }
  }
  return "off";
}

Json all_reduces(const MeasuredTraining& measured) {
  Json list = Json::array();
  for (const auto& [bytes, result] : measured.all_reduces) {
    Json entry{{"bytes", bytes}, {"count", measured.counts.at(bytes)}};
    for (const char* key : {"cycles", "time_ns", "algbw_gb_s", "efficiency", "steps", "fidelity", "verified",
                            "contention_free"}) {
      entry[key] = result.at(key);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json layers(const MeasuredTraining& measured) {
  Json list = Json::array();
  for (std::size_t i = 0; i < measured.costs.size(); ++i) {
    const workload::LayerCost& cost = measured.costs[i];
    const workload::LayerTimes& times = measured.timeline.layers[i];
    Json entry{{"name", cost.name},
               {"forward_ns", to_ns(cost.forward)},
               {"input_gradient_ns", i == 0 ? 0.0 : to_ns(cost.input_gradient)},
               {"weight_gradient_ns", to_ns(cost.weight_gradient)},
               {"update_ns", to_ns(cost.update)},
               {"gradient_bytes", cost.gradient_bytes},
               {"gradient_ready_ns", to_ns(times.gradient_ready)}};
    if (times.all_reduce_end > times.all_reduce_begin) {
      entry["all_reduce_begin_ns"] = to_ns(times.all_reduce_begin);
      entry["all_reduce_end_ns"] = to_ns(times.all_reduce_end);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

// How long the passes of an iteration take on an accelerator that forwards no messages and never waits.
struct Computation {
  double forward_ns = 0;
  double backward_ns = 0;
  double update_ns = 0;
  double total_ns() const { return forward_ns + backward_ns + update_ns; }
};

Computation computation(const MeasuredTraining& measured) {
  Computation sum;
  for (std::size_t i = 0; i < measured.costs.size(); ++i) {
    const workload::LayerCost& cost = measured.costs[i];
    sum.forward_ns += to_ns(cost.forward);
    sum.backward_ns += to_ns(cost.weight_gradient) + (i == 0 ? 0.0 : to_ns(cost.input_gradient));
    sum.update_ns += to_ns(cost.update);
  }
  return sum;
}

// [accelerator]: the computation time divided by the duration of the iteration.
Json accelerator_performance(const MeasuredTraining& measured) {
  const Computation alone = computation(measured);
  Json list = Json::array();
  for (int a = 0; a < measured.accelerators; ++a) {
    double factor = 1;
    for (const auto& [bytes, result] : measured.all_reduces) {
      const Json through = result.value("forwarding", Json::array());
      if (std::find(through.begin(), through.end(), a) != through.end()) {
        factor = 1 + measured.config.system.accelerator.forwarding_cost;
      }
    }
    const double time_ns =
        measured.forward_ns.empty()
            ? alone.total_ns() * factor + to_ns(measured.timeline.exposed_communication)
            : alone.backward_ns * factor + measured.forward_ns[static_cast<std::size_t>(a)];
    list.push_back(time_ns > 0 ? alone.total_ns() / time_ns : 1.0);
  }
  return list;
}

Json training(const MeasuredTraining& measured) {
  const workload::TrainingTimeline& timeline = measured.timeline;
  const double total_ns = to_ns(timeline.total);
  const config::AcceleratorConfig& accelerator = measured.config.system.accelerator;
  return {{"model", measured.model.name},
          {"normalized_performance", total_ns > 0 ? computation(measured).total_ns() / total_ns : 1.0},
          {"accelerator_performance", accelerator_performance(measured)},
          {"overlap", to_string(measured.config.training.overlap)},
          {"timing", accelerator.model == "roofline" ? accelerator.model : accelerator.timing},
          {"batch_per_accelerator", measured.config.training.batch_per_accelerator},
          {"accelerators", measured.accelerators},
          {"parameters", measured.model.parameters()},
          {"gradient_bytes", measured.model.gradient_bytes()},
          {"macs_per_sample", measured.model.macs()},
          {"forward_ns", to_ns(timeline.forward)},
          {"backward_ns", to_ns(timeline.backward)},
          {"update_ns", to_ns(timeline.update)},
          {"compute_ns", to_ns(timeline.compute)},
          {"communication_ns", to_ns(timeline.communication)},
          {"exposed_communication_ns", to_ns(timeline.exposed_communication)},
          {"overlapped_ns", to_ns(timeline.overlapped)},
          {"total_ns", to_ns(timeline.total)},
          {"all_reduces", all_reduces(measured)},
          {"layers", layers(measured)}};
}

std::string part(const char* name, double ns, double total_ns) {
  return fmt::format("    {:<24} {:>10}  {:>5.1f}%\n", name, readable_time(ns),
                     total_ns > 0 ? 100 * ns / total_ns : 0);
}

}  // namespace

Json make_training_result(const MeasuredTraining& measured) {
  const Femtoseconds period = measured.config.system.clock.period();
  Json json = begin_result("coppice.result/1", measured.config);
  for (const std::string& warning : measured.model.warnings) json["warnings"].push_back(warning);
  json["verified"] = verified(measured);
  json["fidelity"] = fidelity(measured);
  json["contention_free"] =
      std::all_of(measured.all_reduces.begin(), measured.all_reduces.end(),
                  [](const auto& entry) { return entry.second.at("contention_free").template get<bool>(); });
  json["cycles"] = measured.timeline.total / period + (measured.timeline.total % period != 0 ? 1 : 0);
  json["time_ns"] = to_ns(measured.timeline.total);
  json["training"] = training(measured);
  if (!measured.all_reduces.empty() && measured.all_reduces.rbegin()->second.contains("ni_overhead")) {
    // Write the overhead of the largest all-reduce, whose table entries are the widest.
    json["ni_overhead"] = measured.all_reduces.rbegin()->second.at("ni_overhead");
  }
  return json;
}

std::string summarize_training(const Json& result) {
  const Json& training = result.at("training");
  const auto ns = [&](const char* key) { return training.at(key).get<double>(); };
  const double total = ns("total_ns");
  std::string text =
      fmt::format("training iteration of {} by {} on {} accelerators, {} samples each, overlap: {}\n",
                  training.at("model").get<std::string>(),
                  result.at("config").at("collective").at("algorithm").get<std::string>(),
                  training.at("accelerators").get<int>(), training.at("batch_per_accelerator").get<int>(),
                  training.at("overlap").get<std::string>());
  text += fmt::format("  {} in total ({} fidelity, verified: {})\n", readable_time(total),
                      result.at("fidelity").get<std::string>(), result.at("verified").get<std::string>());
  text += part("compute", ns("compute_ns"), total);
  text += part("  forward", ns("forward_ns"), total);
  text += part("  backward", ns("backward_ns"), total);
  text += part("  update", ns("update_ns"), total);
  text += part("exposed communication", ns("exposed_communication_ns"), total);
  text += part("overlapped communication", ns("overlapped_ns"), total);
  text += fmt::format("  {:.1f}% of the performance without communication\n",
                      100 * training.at("normalized_performance").get<double>());
  text +=
      fmt::format("  {} parameters, {:.1f} MB of gradients reduced in {}\n",
                  training.at("parameters").get<std::int64_t>(),
                  training.at("gradient_bytes").get<double>() * 1e-6, readable_time(ns("communication_ns")));
  const Json& simulator = result.at("simulator");
  const int simulations = simulator.at("simulations").get<int>();
  text += fmt::format("  {} all-reduce{} simulated in {:.2f} s ({:.2f} s CPU time)\n", simulations,
                      simulations == 1 ? "" : "s of different sizes", simulator.at("wall_s").get<double>(),
                      simulator.at("user_s").get<double>());
  return text;
}

}  // namespace coppice::system
