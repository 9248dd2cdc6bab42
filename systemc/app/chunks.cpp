// coppice chunks: prints the order in which each chunk of a hierarchical collective uses the dimensions, as
// chosen by its scheduler (Themis), and the expected times. It neither compiles tables nor simulates a
// network.
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "base/error.h"
#include "config/settings/shape.h"
#include "schedule/hierarchical/chunk_planning.h"
#include "schedule/hierarchical/chunk_prediction.h"
#include "system/machine/build.h"
#include "system/machine/time_guard.h"
#include "system/training/text_prediction.h"

namespace coppice::app {
namespace {

using schedule::ChunkPlan;
using schedule::ChunkStudy;
using schedule::LatencyModel;

struct ChunksLine {
  Input input;
  std::string out;
  std::string window = "100 us";  // Themis, Fig. 9
  std::string workload;           // path of a text workload to predict
};

double to_ns(Femtoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
}

LatencyModel model_of(const config::Loaded& loaded, const schedule::CompileRequest& request) {
  try {
    return latency_model(schedule::dimension_models(system::build_topology(loaded)), request);
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place("system.topology"), error.what());
  }
}

void require_chunks(const config::Loaded& loaded) {
  if (config::runs_over_dimensions(loaded.config)) return;
  throw ConfigError(loaded.place("collective.algorithm"),
                    fmt::format("collective.algorithm: {} does not move chunks through dimensions: write {}",
                                loaded.config.collective.algorithm,
                                fmt::join(config::algorithms_over_dimensions(), " or ")));
}

void require_whole(const config::Loaded& loaded) {
  const bool group = !loaded.config.collective.group.empty();
  if (!group && loaded.config.collective.op != workload::CollectiveOp::kAllToAll) return;
  const char* const key = group ? "collective.group" : "collective.op";
  throw ConfigError(loaded.place(key),
                    fmt::format("{}: coppice chunks supports neither groups nor all-to-alls: {}", key,
                                "leave out collective.group, or write another collective.op"));
}

Femtoseconds parse_window(const std::string& text) {
  try {
    const Femtoseconds window = parse_duration(text);
    if (window > 0) return window;
  } catch (const std::invalid_argument& error) {
    throw ConfigError({"--window"}, error.what());
  }
  throw ConfigError({"--window"}, "must be longer than 0 ns, for example 100 us");
}

nlohmann::ordered_json plans_json(const std::vector<ChunkPlan>& plans) {
  auto list = nlohmann::ordered_json::array();
  for (const ChunkPlan& plan : plans) {
    list.push_back(
        {{"bytes", plan.bytes}, {"reduce_scatter", plan.reduce_scatter}, {"all_gather", plan.all_gather}});
  }
  return list;
}

nlohmann::ordered_json dimensions_json(const LatencyModel& model, const ChunkStudy& study) {
  auto list = nlohmann::ordered_json::array();
  for (std::size_t d = 0; d < model.dimensions(); ++d) {
    const ChunkStudy::Dimension& dimension = study.dimensions[d];
    auto operations = nlohmann::ordered_json::array();
    for (const schedule::ChunkOperation& operation : dimension.operations) {
      operations.push_back({{"chunk", operation.chunk},
                            {"stage", operation.stage},
                            {"came_ns", to_ns(operation.came)},
                            {"began_ns", to_ns(operation.began)},
                            {"sent_ns", to_ns(operation.sent)},
                            {"complete_ns", to_ns(operation.complete)}});
    }
    list.push_back({{"kind", topology::to_string(model.dimension(d).kind)},
                    {"size", model.dimension(d).size},
                    {"bandwidth_gb_s", model.dimension(d).bandwidth.gb_per_s()},
                    {"bytes_per_accelerator", dimension.sent},
                    {"utilization", dimension.utilization},
                    {"activity", dimension.activity},
                    {"operations", operations}});
  }
  return list;
}

void print_study(const workload::CollectiveSpec& collective, std::size_t chunks, const LatencyModel& model,
                 const ChunkStudy& study) {
  print(fmt::format("{} of {} in {} chunks, {}: {:.3f} us expected, {:.3f} us ideal, utilization {:.2f} %\n",
                    to_string(collective.op), format_bytes(collective.size), chunks,
                    to_string(collective.chunk_policy.scheduler), to_ns(study.finish) / 1000,
                    to_ns(study.ideal) / 1000, 100 * study.utilization));
  for (std::size_t d = 0; d < model.dimensions(); ++d) {
    print(fmt::format("dimension {}: {} of {}, {}: {} sent per accelerator, utilization {:.2f} %\n", d,
                      topology::to_string(model.dimension(d).kind), model.dimension(d).size,
                      format_bandwidth(model.dimension(d).bandwidth), format_bytes(study.dimensions[d].sent),
                      100 * study.dimensions[d].utilization));
  }
}

// Predicts how long an iteration of a text workload takes.
void predict_workload(const ChunksLine& line) {
  Input input = line.input;
  input.overrides.push_back("training.model=" + line.workload);
  const config::Loaded loaded = load(input, config::Purpose::kTextRun);
  Outputs outputs(line.input.path, loaded);
  system::ResultFile* out = outputs.add("--out", line.out);
  const nlohmann::ordered_json json = system::predict_text_training(loaded);
  if (out == nullptr) {
    print(system::summarize_text_training(json));
  } else {
    out->write(json_text(json));
  }
}

void execute(const ChunksLine& line) {
  catch_interrupts();
  if (!line.workload.empty()) {
    predict_workload(line);
    return;
  }
  const config::Loaded loaded = load(line.input, config::Purpose::kSchedule);
  const Femtoseconds window = parse_window(line.window);
  Outputs outputs(line.input.path, loaded);
  system::ResultFile* out = outputs.add("--out", line.out);

  const workload::CollectiveSpec& collective = loaded.config.collective;
  require_whole(loaded);
  require_chunks(loaded);
  schedule::CompileRequest request;
  request.collective = tables_of(collective.op);
  request.size = system::padded_size(collective, loaded.config.system,
                                     static_cast<int>(config::count_accelerators(loaded.config)));
  request.chunks = collective.chunks;
  request.chunk_policy = collective.chunk_policy;
  request.timing = system::step_timing(loaded.config.system);
  std::optional<ProgressLine> progress(to_string(collective.chunk_policy.scheduler));
  const LatencyModel model = model_of(loaded, request);
  std::vector<ChunkPlan> plans;
  const ChunkStudy study = system::within_time(loaded, "collective.size", [&] {
    const LatencyModel machine(model.all_dimensions(), request.element, request.timing);
    auto planned = plan_chunks(model, request);
    plans = std::move(planned.plans);
    try {
      return study_chunks(model, machine, request.collective, plans, planned.intra_dimension, window);
    } catch (const TimeLimitError&) {
      throw;
    } catch (const UnsupportedError& error) {
      throw ConfigError({"--window " + line.window}, error.what());
    }
  });
  progress.reset();
  if (out == nullptr) {
    print_study(collective, plans.size(), model, study);
    return;
  }
  nlohmann::ordered_json json;
  json["schema"] = "coppice.chunks/1";
  json["version"] = COPPICE_VERSION;
  config::write_config(loaded.config, json);
  json["time_ns"] = to_ns(study.finish);
  json["ideal_time_ns"] = to_ns(study.ideal);
  json["utilization"] = study.utilization;
  json["window_ns"] = to_ns(window);
  json["dimensions"] = dimensions_json(model, study);
  json["chunks"] = plans_json(plans);
  out->write(json_text(json));
}

}  // namespace

Command add_chunks(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "chunks",
      "show the order in which chunks use the dimensions of a hierarchy, and predict a collective's time");
  auto line = std::make_shared<ChunksLine>();
  add_input(*app, line->input);
  app->add_option("--window", line->window, "length of the time windows for which activity is reported")
      ->type_name("TIME");
  app->add_option("--workload", line->workload, "predict the time of an iteration of this text workload")
      ->type_name("FILE");
  app->add_option("--out", line->out, "write plans, operations and activity as JSON")->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
