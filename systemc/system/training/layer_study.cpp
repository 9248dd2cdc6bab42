#include "system/training/layer_study.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "system/output/result_frame.h"
#include "system/process/cost_meter.h"
#include "system/training/trained_accelerator.h"

namespace coppice::system {
namespace {

using accelerator::PassCost;
using Json = nlohmann::ordered_json;
using workload::Pass;

constexpr const char* kUpdate = "update";

// The name of a pass in the result, with underscores instead of spaces.
const char* name_of(Pass pass) {
  switch (pass) {
    case Pass::kForward:
      return "forward";
    case Pass::kInputGradient:
      return "input_gradient";
    case Pass::kWeightGradient:
      return "weight_gradient";
  }
  return "?";
}

// Returns "memory" if the memory is busy for longer than the arrays and their post-processing, otherwise
// "compute".
const char* bound_by(const PassCost& cost) {
  return cost.memory_cycles > cost.cycles ? "memory" : "compute";
}

Json entry(const std::string& name, const char* pass, const PassCost& cost) {
  const bool multiplies = cost.product.count > 0;
  Json json{
      {"name", name},
      {"pass", pass},
      {"m", multiplies ? cost.product.m : 0},
      {"n", multiplies ? cost.product.n : 0},
      {"k", multiplies ? cost.product.k : 0},
      {"count", cost.product.count},
      {"cycles", cost.cycles},
      {"stall_cycles", cost.stall_cycles},
      {"utilization", cost.utilization},
      {"mapping_efficiency", cost.mapping_efficiency},
      {"bytes", cost.traffic.total()},
      {"bound_by", bound_by(cost)},
      {"macs", multiplies ? cost.product.macs() : 0},
      {"aggregation_cycles", cost.aggregation},
      {"memory_cycles", cost.memory_cycles},
      {"traffic",
       {{"input", cost.traffic.input}, {"weight", cost.traffic.weight}, {"output", cost.traffic.output}}}};
  if (pass != kUpdate) json["split"] = to_string(cost.split);
  if (multiplies) {
    json["tile"] = {
        {"order", to_string(cost.plan.order)}, {"m", cost.plan.m}, {"k", cost.plan.k}, {"n", cost.plan.n}};
  }
  return json;
}

class LayerStudy {
 public:
  explicit LayerStudy(const config::Loaded& loaded)
      : loaded_(loaded), model_(trained_model(loaded)), accelerator_(make_accelerator(loaded)) {}

  Json run() {
    const auto wall_start = std::chrono::steady_clock::now();
    const double user_start = cpu_seconds();
    for (const workload::Layer& layer : model_.layers) add(layer);
    const accelerator::Footprint needs = require_memory(loaded_, model_, partial_sums_);
    const config::AcceleratorConfig& config = loaded_.config.system.accelerator;
    const double clock = static_cast<double>(config.clock.hertz);
    Json json = begin_result("coppice.layers/1", loaded_.config);
    for (const std::string& warning : model_.warnings) json["warnings"].push_back(warning);
    json["model"] = model_.name;
    json["timing"] = config.timing;
    json["convention"] = config.convention;
    json["batch_per_accelerator"] = loaded_.config.training.batch_per_accelerator;
    json["pes"] = config.pes;
    json["peak_macs_per_cycle"] = std::int64_t{config.pes} * config.array.at(0) * config.array.at(1);
    json["memory_bytes_per_cycle"] =
        config.memory_bandwidth ? Json(static_cast<double>(config.memory_bandwidth->bytes_per_second) / clock)
                                : Json();
    json["cycles"] = cycles_;
    json["stall_cycles"] = stalls_;
    json["time_ns"] = static_cast<double>(cycles_ + stalls_) / clock * 1e9;
    json["footprint"] = {{"bytes", needs.total()},           {"weights", needs.weights},
                         {"gradients", needs.gradients},     {"optimizer", needs.optimizer},
                         {"activations", needs.activations}, {"partial_sums", needs.partial_sums}};
    json["layers"] = std::move(layers_);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
    json["simulator"] = {{"wall_s", wall.count()}, {"user_s", cpu_seconds() - user_start}};
    return json;
  }

 private:
  void add(const workload::Layer& layer) {
    const int batch = loaded_.config.training.batch_per_accelerator;
    for (const Pass pass : {Pass::kForward, Pass::kInputGradient, Pass::kWeightGradient}) {
      add(layer, name_of(pass), [&] { return accelerator_.cost(layer, pass, batch); });
    }
    if (layer.parameters() == 0) return;
    const auto& optimizer = accelerator::find_optimizer(loaded_.config.training.optimizer);
    add(layer, kUpdate, [&] { return accelerator_.update(layer, optimizer); });
  }

  template <typename Cost>
  void add(const workload::Layer& layer, const char* pass, Cost cost_of) {
    try {
      const PassCost cost = cost_of();
      cycles_ += cost.cycles;
      stalls_ += cost.stall_cycles;
      partial_sums_ = std::max(partial_sums_, cost.partial_sums);
      layers_.push_back(entry(layer.name, pass, cost));
    } catch (const UnsupportedError& error) {
      throw ConfigError(loaded_.place("system.accelerator"),
                        fmt::format("system.accelerator: layer {}, {}: {}", layer.name, pass, error.what()));
    }
  }

  const config::Loaded& loaded_;
  workload::Model model_;
  accelerator::Accelerator accelerator_;
  accelerator::PeCycles cycles_ = 0;
  accelerator::PeCycles stalls_ = 0;
  Bytes partial_sums_ = 0;
  Json layers_ = Json::array();
};

constexpr std::array kColumns = {"name",   "pass",         "m",           "n",     "k",        "count",
                                 "cycles", "stall_cycles", "utilization", "bytes", "bound_by", "split"};

}  // namespace

Json study_layers(const config::Loaded& loaded) {
  constexpr const char* kModel = "system.accelerator.model";
  if (loaded.config.system.accelerator.model != "systolic") {
    throw ConfigError(loaded.place(kModel),
                      fmt::format("{} is {}, which has no arrays to study: write systolic", kModel,
                                  loaded.config.system.accelerator.model));
  }
  if (loaded.config.training.model.ends_with(".txt")) {
    throw ConfigError(loaded.place("training.model"),
                      "training.model: a text workload has durations but no layers: use a layer table");
  }
  return LayerStudy(loaded).run();
}

std::string summarize_layers(const Json& study) {
  const Json& footprint = study.at("footprint");
  std::string text = fmt::format(
      "{} on {} PEs, {} samples, {} timing, {} convention\n{:<28} {:<15} {:>9} {:>7} {:>9} {:>6} {:>13} "
      "{:>12} "
      "{:>6} {:>14} {:>8} {}\n",
      study.at("model").get<std::string>(), study.at("pes").get<int>(),
      study.at("batch_per_accelerator").get<int>(), study.at("timing").get<std::string>(),
      study.at("convention").get<std::string>(), "layer", "pass", "m", "n", "k", "count", "cycles", "stalls",
      "used", "bytes", "bound by", "split");
  for (const Json& layer : study.at("layers")) {
    text += fmt::format("{:<28} {:<15} {:>9} {:>7} {:>9} {:>6} {:>13} {:>12} {:>5.1f}% {:>14} {:>8} {}\n",
                        layer.at("name").get<std::string>(), layer.at("pass").get<std::string>(),
                        layer.at("m").get<std::int64_t>(), layer.at("n").get<std::int64_t>(),
                        layer.at("k").get<std::int64_t>(), layer.at("count").get<std::int64_t>(),
                        layer.at("cycles").get<std::int64_t>(), layer.at("stall_cycles").get<std::int64_t>(),
                        100 * layer.at("utilization").get<double>(), layer.at("bytes").get<std::int64_t>(),
                        layer.at("bound_by").get<std::string>(), layer.value("split", ""));
  }
  text +=
      fmt::format("{} cycles, {} stall cycles: {:.1f} us; memory footprint {}\n",
                  study.at("cycles").get<std::int64_t>(), study.at("stall_cycles").get<std::int64_t>(),
                  study.at("time_ns").get<double>() / 1000, format_bytes(footprint.at("bytes").get<Bytes>()));
  return text;
}

std::string layers_csv(const Json& study) {
  std::string text = fmt::format("{}\n", fmt::join(kColumns, ","));
  for (const Json& layer : study.at("layers")) {
    std::vector<std::string> cells;
    for (const char* column : kColumns) {
      const Json value = layer.value(column, Json(""));
      cells.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace coppice::system
