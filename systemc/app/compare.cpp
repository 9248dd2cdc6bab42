// coppice compare: compares all applicable algorithms with each other and with the lower bound.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/comparison.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "base/error.h"
#include "config/settings/shape.h"
#include "schedule/registry.h"
#include "system/machine/build.h"
#include "system/process/subprocess_run.h"
#include "system/program/lone_collective.h"
#include "system/program/program_run.h"

namespace coppice::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kText = "text";
constexpr const char* kNcclTests = "nccl-tests";

struct CompareLine {
  Input input;
  std::string sizes;
  std::string out;
  std::string format = kText;
  bool exact = false;
};

// Runs with fewer flits than this take so little time that they are always simulated.
constexpr double kQuickFlits = 1e7;
// An algorithm is not simulated if its estimate exceeds the shortest time by this factor.
constexpr double kClose = 1.5;

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

// Loads the configuration with the given algorithm and size. If the algorithm supports it, the number of
// chunks is chosen automatically.
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

// Returns {"refused": the reason} if the group ran an algorithm other than `algorithm`, which is thus not
// applicable; otherwise null.
Json refusal(const std::string& algorithm, const std::string& ran) {
  const schedule::AlgorithmInfo* const other = schedule::find_algorithm(ran);
  if (other == nullptr || ran == algorithm || algorithm == "auto") return {};
  return {{"refused", fmt::format("{} does not apply to this group; {} does", algorithm, ran)}};
}

// Simulates one algorithm. Returns the result or, if the algorithm is not applicable, only the reason.
Json run_one(const Input& input, const std::string& algorithm, Bytes size,
             const std::atomic<bool>& interrupted) {
  try {
    system::RunOptions options;
    options.interrupted = &interrupted;
    const config::Loaded loaded = load_one(input, algorithm, size);
    Json result = system::run_program(loaded, system::make_lone_collective(loaded), options);
    if (!result.contains("collectives")) return result;
    const Json refused = refusal(algorithm, result.at("collectives").at(0).at("algorithm"));
    return refused.is_null() ? result : refused;
  } catch (const ConfigError& error) {
    return {{"refused", error.what()}};
  }
}

// Estimates one algorithm. Returns the fields of a result that can be estimated or, if the algorithm is not
// applicable, only the reason.
Json estimate_one(const Input& input, const std::string& algorithm, Bytes size) {
  try {
    const config::Loaded loaded = load_one(input, algorithm, size);
    const system::LoneEstimate estimate = system::estimate_lone_collective(loaded);
    if (!loaded.config.collective.group.empty()) {
      const Json refused = refusal(algorithm, estimate.algorithm);
      if (!refused.is_null()) return refused;
    }
    return {{"time_ns", estimate.time_ns},
            {"algbw_gb_s", estimate.algbw_gb_s},
            {"busbw_gb_s", estimate.busbw_gb_s},
            {"verified", "off"},
            {"efficiency", estimate.efficiency},
            {"bound", {{"time_ns", estimate.bound_ns}, {"latency_ns", 0.0}}},
            {"ni_overhead", {{"table_bytes_per_node", estimate.table_bytes}}},
            {"chosen", estimate.chosen}};
  } catch (const ConfigError& error) {
    return {{"refused", error.what()}};
  }
}

// The size of a node's tables, which are folded if pieces repeat.
Bytes table_bytes_of(const Json& overhead) {
  return overhead.contains("folded") ? overhead.at("folded").at("table_bytes_per_node")
                                     : overhead.at("table_bytes_per_node");
}

ComparedRun to_run(const Json& result, const std::string& algorithm, Bytes size) {
  return {.algorithm = algorithm,
          .size = size,
          .time_ns = result.at("time_ns"),
          .algbw_gb_s = result.at("algbw_gb_s"),
          .busbw_gb_s = result.at("busbw_gb_s"),
          .verified = result.at("verified") != "off",
          .efficiency = result.at("efficiency"),
          .bound_ns = std::max(result.at("bound").at("time_ns").get<double>(),
                               result.at("bound").at("latency_ns").get<double>()),
          .table_bytes = table_bytes_of(result.at("ni_overhead")),
          .chosen = result.value("chosen", "")};
}

// A comparison of algorithms for several sizes, with the results obtained so far.
class Comparison {
 public:
  Comparison(std::vector<std::string> algorithms, std::vector<Bytes> sizes)
      : algorithms_(std::move(algorithms)),
        sizes_(std::move(sizes)),
        refused_(algorithms_.size() * sizes_.size()),
        runs_(refused_.size()) {}

  // Simulates every algorithm for the sizes for which `estimates_first` is false. For other sizes, it
  // estimates every algorithm, then simulates those that may be the fastest and those that choose an
  // algorithm, such as `auto`. Jobs run in parallel. If the user interrupts, `interrupting` is called before
  // simulations are ended.
  void run(const Input& input, const std::function<bool(Bytes)>& estimates_first,
           const std::atomic<bool>& interrupted, const std::function<void()>& interrupting) {
    const system::SubprocessOptions options{.at_once = system::available_processors(),
                                            .interrupted = &interrupted,
                                            .job_done = {},
                                            .interrupting = interrupting};
    std::vector<std::size_t> exact;
    std::vector<std::size_t> estimated;
    for (std::size_t job = 0; job < runs_.size(); ++job)
      (estimates_first(size_of(job)) ? estimated : exact).push_back(job);
    const auto estimate = [&](std::size_t job) {
      return estimate_one(input, algorithm_of(job), size_of(job));
    };
    const auto simulate = [&](std::size_t job) {
      return run_one(input, algorithm_of(job), size_of(job), interrupted);
    };
    run_jobs("estimate", estimated, estimate, true, options);
    while (!exact.empty() || !estimated.empty()) {
      for (const std::size_t job : may_be_fastest()) exact.push_back(job);
      if (exact.empty()) break;
      std::ranges::sort(exact);
      run_jobs("compare", exact, simulate, false, options);
      exact.clear();
    }
  }

  // The runs, sorted by size and then by time.
  std::vector<ComparedRun> runs() const {
    std::vector<ComparedRun> sorted;
    for (const auto& run : runs_) {
      if (run) sorted.push_back(*run);
    }
    std::ranges::stable_sort(sorted, {}, [](const ComparedRun& run) {
      return std::pair{run.size, run.time_ns};
    });
    return sorted;
  }

  // Throws ConfigError at `place` if there is a size that no algorithm supports.
  void require_every_size(const SourceLocation& place, const std::string& op) const {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const auto first = runs_.begin() + static_cast<std::ptrdiff_t>(i * algorithms_.size());
      const auto last = first + static_cast<std::ptrdiff_t>(algorithms_.size());
      if (std::any_of(first, last, [](const auto& run) { return run.has_value(); })) continue;
      throw ConfigError(place, fmt::format("no algorithm supports {} of {} on this network: {}", op,
                                           format_bytes(sizes_[i]), refused_[i * algorithms_.size()]));
    }
  }

 private:
  const std::string& algorithm_of(std::size_t job) const { return algorithms_[job % algorithms_.size()]; }
  Bytes size_of(std::size_t job) const { return sizes_[job / algorithms_.size()]; }

  // Runs the jobs with these numbers, and stores their results in runs_. The results come from simulations
  // or, if `estimated` is set, from estimates.
  void run_jobs(const char* name, const std::vector<std::size_t>& numbers,
                const std::function<Json(std::size_t)>& run, bool estimated,
                system::SubprocessOptions options) {
    std::vector<system::SubprocessJob> jobs;
    for (const std::size_t number : numbers) {
      jobs.emplace_back([&run, number] { return run(number); });
    }
    ProgressLine progress(name);
    const auto show = progress.callback();
    std::size_t done = 0;
    options.job_done = [&](std::size_t job, const Json& result) {
      const std::size_t number = numbers[job];
      if (result.contains("refused")) {
        runs_[number].reset();
        refused_[number] = result.at("refused");
      } else {
        runs_[number] = to_run(result, algorithm_of(number), size_of(number));
        runs_[number]->estimated = estimated;
      }
      ++done;
      if (show) show(static_cast<double>(done) / static_cast<double>(jobs.size()));
    };
    system::run_in_subprocesses(jobs, options);
  }

  // The jobs that have only been estimated but must be simulated: those whose estimate is close to the
  // shortest time for their size, and those of algorithms that choose another one, such as `auto`.
  std::vector<std::size_t> may_be_fastest() const {
    std::map<Bytes, double> shortest;
    for (const auto& run : runs_) {
      if (!run) continue;
      double& time = shortest.try_emplace(run->size, run->time_ns).first->second;
      time = std::min(time, run->time_ns);
    }
    std::vector<std::size_t> found;
    for (std::size_t job = 0; job < runs_.size(); ++job) {
      const auto& run = runs_[job];
      if (!run || !run->estimated) continue;
      if (run->time_ns <= kClose * shortest[run->size] || !run->chosen.empty()) found.push_back(job);
    }
    return found;
  }

  std::vector<std::string> algorithms_;
  std::vector<Bytes> sizes_;
  std::vector<std::string> refused_;              // [job]: why the job has no result; empty if it has one
  std::vector<std::optional<ComparedRun>> runs_;  // [job]: the result; nullopt if there is none
};

std::vector<std::string> algorithms_of(workload::CollectiveOp op) {
  if (op == workload::CollectiveOp::kAllToAll) return config::all_to_all_algorithms();
  return schedule::algorithms_that([](const auto& info) { return info.make != nullptr; });
}

void require_suffix(const std::string& out) {
  const std::string suffix = std::filesystem::path(out).extension().string();
  if (suffix.empty() || suffix == ".json" || suffix == ".csv" || suffix == ".svg") return;
  throw ConfigError({"--out " + out}, fmt::format("'{}' is not one of .json, .csv and .svg", suffix));
}

std::string file_text(const CompareLine& line, const config::Config& config,
                      const std::vector<ComparedRun>& runs) {
  if (line.out.ends_with(".csv")) return comparison_csv(runs);
  if (line.out.ends_with(".svg"))
    return comparison_svg(runs, fmt::format("{}, {}", line.input.path, to_string(config.collective.op)));
  return comparison_json(runs, config);
}

// Describes the runs for output in the format of nccl-tests; for text, an empty description is sufficient.
NcclTest nccl_test_of(const CompareLine& line, const config::Loaded& loaded) {
  if (line.format == kText) return {};
  const workload::CollectiveSpec& collective = loaded.config.collective;
  const auto members = static_cast<int>(collective.group.size());
  return {to_string(collective.op), collective.root,
          members > 0 ? members : system::build_topology(loaded).num_accelerators()};
}

// Returns whether runs of a given size take so long that they should be estimated first.
std::function<bool(Bytes)> estimates_first(const CompareLine& line, const config::Loaded& loaded) {
  const auto own = static_cast<double>(loaded.config.collective.group.size());
  const double members = own > 0 ? own : system::build_topology(loaded).num_accelerators();
  const auto flit = static_cast<double>(loaded.config.system.flit);
  return [exact = line.exact, members, flit](Bytes size) {
    return !exact && members * static_cast<double>(size) / flit > kQuickFlits;
  };
}

void execute(const CompareLine& line) {
  const std::atomic<bool>& interrupted = catch_interrupts();
  require_suffix(line.out);
  if (line.format != kText && line.format != kNcclTests) {
    throw ConfigError({"--format " + line.format},
                      fmt::format("'{}' is neither text nor nccl-tests", line.format));
  }
  const config::Loaded loaded = config::load(line.input.path, line.input.overrides, config::Purpose::kRun);
  Outputs outputs(line.input.path, loaded);
  system::ResultFile* out = outputs.add("--out", line.out);
  const std::string op = to_string(loaded.config.collective.op);
  Comparison comparison(algorithms_of(loaded.config.collective.op), parse_sizes(line, loaded));
  const NcclTest test = nccl_test_of(line, loaded);
  const auto report = [&] {
    const std::vector<ComparedRun> runs = comparison.runs();
    if (runs.empty()) return;
    print(line.format == kText ? comparison_text(runs) : comparison_nccl_tests(runs, test));
    if (out != nullptr) out->write(file_text(line, loaded.config, runs));
  };
  comparison.run(line.input, estimates_first(line, loaded), interrupted, report);
  comparison.require_every_size(
      line.sizes.empty() ? loaded.place("collective.op") : SourceLocation{"--sizes"}, op);
  report();
}

}  // namespace

Command add_compare(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "compare", "compare all applicable algorithms with each other and with the lower bound");
  auto line = std::make_shared<CompareLine>();
  add_input(*app, line->input);
  app->add_option("--sizes", line->sizes, "sizes to compare, such as 64KiB,1MiB (default: collective.size)")
      ->type_name("SIZES");
  app->add_option(
         "--format", line->format,
         "text, or nccl-tests: the fastest algorithm for each size, in the output format of nccl-tests")
      ->type_name("FORMAT")
      ->capture_default_str();
  app->add_flag(
      "--exact", line->exact,
      "simulate every algorithm; by default, large runs that cannot be the fastest are only estimated");
  app->add_option("--out", line->out, "write the comparison to a .json, .csv or .svg file")
      ->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
