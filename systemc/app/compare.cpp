// coppice compare: every algorithm that applies, side by side, and against the least possible time.
#include <algorithm>
#include <atomic>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/comparison.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "base/error.h"
#include "config/settings/lone_collective_config.h"
#include "schedule/registry.h"
#include "system/process/subprocess_run.h"
#include "system/program/program_run.h"

namespace coppice::app {
namespace {

using Json = nlohmann::ordered_json;

struct CompareLine {
  Input input;
  std::string sizes;
  std::string out;
};

std::vector<Bytes> parse_sizes(const CompareLine& line, const config::Loaded& loaded) {
  std::vector<Bytes> sizes;
  std::stringstream words(line.sizes);
  for (std::string word; std::getline(words, word, ',');) {
    try {
      sizes.push_back(parse_bytes(word));
    } catch (const std::invalid_argument& error) {
      throw ConfigError({"--sizes"}, fmt::format("--sizes: {}", error.what()));
    }
  }
  if (sizes.empty()) sizes.push_back(loaded.config.collective.size);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// The configuration with one algorithm and size; automatic chunks where the algorithm has them.
config::Loaded load_one(const Input& input, const std::string& algorithm, Bytes size) {
  Input own = input;
  own.overrides.push_back("collective.algorithm=" + algorithm);
  own.overrides.push_back(fmt::format("collective.size={} B", size));
  std::erase_if(own.overrides, [](const std::string& set) { return set.starts_with("collective.chunks="); });
  own.overrides.emplace_back("collective.chunks=auto");
  try {
    return config::load(own.path, own.overrides, config::Purpose::kRun);
  } catch (const ConfigError&) {
    own.overrides.back() = "collective.chunks=1";
    return config::load(own.path, own.overrides, config::Purpose::kRun);
  }
}

// A run's result, or nothing but why the algorithm does not apply.
Json run_one(const Input& input, const std::string& algorithm, Bytes size,
             const std::atomic<bool>& interrupted) {
  try {
    system::RunOptions options;
    options.interrupted = &interrupted;
    const config::Loaded loaded = load_one(input, algorithm, size);
    Json result = system::run_collective(loaded, options);
    if (!result.contains("collectives")) return result;
    // A group takes one that fits where the algorithm does not.
    const std::string ran = result.at("collectives").at(0).at("algorithm");
    const schedule::AlgorithmInfo* const other = schedule::find_algorithm(ran);
    if (other == nullptr || ran == algorithm || algorithm == "auto") return result;
    return {{"refused", fmt::format("{} does not apply to the group: {} does", algorithm, ran)}};
  } catch (const ConfigError& error) {
    return {{"refused", error.what()}};
  }
}

// Folded, if its pieces repeat.
Bytes table_bytes_of(const Json& overhead) {
  return overhead.contains("folded") ? overhead.at("folded").at("table_bytes_per_node")
                                     : overhead.at("table_bytes_per_node");
}

ComparedRun to_run(const Json& result, const std::string& algorithm, Bytes size) {
  return {.algorithm = algorithm,
          .size = size,
          .time_ns = result.at("time_ns"),
          .algbw_gb_s = result.at("algbw_gb_s"),
          .efficiency = result.at("efficiency"),
          .bound_ns = std::max(result.at("bound").at("time_ns").get<double>(),
                               result.at("bound").at("latency_ns").get<double>()),
          .table_bytes = table_bytes_of(result.at("ni_overhead")),
          .chosen = result.value("chosen", "")};
}

std::vector<Json> run_all(const std::vector<system::SubprocessJob>& jobs,
                          const std::atomic<bool>& interrupted) {
  ProgressLine progress("compare");
  const auto show = progress.callback();
  std::size_t done = 0;
  const auto count = [&](std::size_t /*job*/) {
    ++done;
    if (show) show(static_cast<double>(done) / static_cast<double>(jobs.size()));
  };
  return system::run_in_subprocesses(
      jobs, {.at_once = system::available_processors(), .interrupted = &interrupted, .job_done = count});
}

std::vector<std::string> algorithms_of(const std::string& op) {
  if (op == "all_to_all") return config::all_to_all_algorithms();
  std::vector<std::string> algorithms;
  for (const schedule::AlgorithmInfo& info : schedule::algorithms()) {
    if (!info.from_file) algorithms.push_back(info.name);
  }
  return algorithms;
}

void execute(const CompareLine& line) {
  const std::atomic<bool>& interrupted = catch_interrupts();
  const config::Loaded loaded = config::load(line.input.path, line.input.overrides, config::Purpose::kRun);
  Outputs outputs(line.input.path, loaded);
  system::ResultFile* out = outputs.add("--out", line.out);
  const std::vector<Bytes> sizes = parse_sizes(line, loaded);
  const std::vector<std::string> algorithms = algorithms_of(loaded.config.collective.op);
  std::vector<system::SubprocessJob> jobs;
  for (const Bytes size : sizes) {
    for (const std::string& algorithm : algorithms) {
      jobs.emplace_back([&line, &interrupted, algorithm, size] {
        return run_one(line.input, algorithm, size, interrupted);
      });
    }
  }
  const std::vector<Json> results = run_all(jobs, interrupted);
  std::vector<ComparedRun> runs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].contains("refused")) continue;
    runs.push_back(to_run(results[i], algorithms[i % algorithms.size()], sizes[i / algorithms.size()]));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (std::ranges::find(runs, sizes[i], &ComparedRun::size) != runs.end()) continue;
    throw ConfigError(
        line.sizes.empty() ? loaded.place("collective.op") : SourceLocation{"--sizes"},
        fmt::format("no algorithm does {} of {} here: {}", loaded.config.collective.op,
                    format_bytes(sizes[i]), results[i * algorithms.size()].at("refused").get<std::string>()));
  }
  std::ranges::stable_sort(runs, {}, [](const ComparedRun& run) { return std::pair{run.size, run.time_ns}; });
  if (out == nullptr) {
    print(comparison_text(runs));
  } else if (line.out.ends_with(".csv")) {
    out->write(comparison_csv(runs));
  } else if (line.out.ends_with(".svg")) {
    out->write(comparison_svg(runs, fmt::format("{}, {}", line.input.path, loaded.config.collective.op)));
  } else {
    out->write(comparison_json(runs));
  }
}

}  // namespace

Command add_compare(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "compare", "every algorithm that applies, side by side, and against the least possible time");
  auto line = std::make_shared<CompareLine>();
  add_input(*app, line->input);
  app->add_option("--sizes", line->sizes, "sizes to compare at, as 64KiB,1MiB; else the configuration's")
      ->type_name("SIZES");
  app->add_option("--out", line->out, "write the comparison: .csv and .svg as such, else JSON")
      ->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
