// coppice compare: compare every applicable algorithm with the others and with the lower bound.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
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
    Json result = system::run_program(loaded, system::make_lone_collective(loaded), options);
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
          .busbw_gb_s = result.at("busbw_gb_s"),
          .verified = result.at("verified") != "off",
          .efficiency = result.at("efficiency"),
          .bound_ns = std::max(result.at("bound").at("time_ns").get<double>(),
                               result.at("bound").at("latency_ns").get<double>()),
          .table_bytes = table_bytes_of(result.at("ni_overhead")),
          .chosen = result.value("chosen", "")};
}

// The comparison: its algorithms and sizes, and the results so far.
class Comparison {
 public:
  Comparison(std::vector<std::string> algorithms, std::vector<Bytes> sizes)
      : algorithms_(std::move(algorithms)),
        sizes_(std::move(sizes)),
        refused_(algorithms_.size() * sizes_.size()) {}

  // Runs everything, many runs at a time; calls `interrupting` before an interruption ends running
  // simulations.
  void run(const Input& input, const std::atomic<bool>& interrupted,
           const std::function<void()>& interrupting) {
    std::vector<system::SubprocessJob> jobs;
    for (const Bytes size : sizes_) {
      for (const std::string& algorithm : algorithms_) {
        jobs.emplace_back(
            [&input, &interrupted, algorithm, size] { return run_one(input, algorithm, size, interrupted); });
      }
    }
    ProgressLine progress("compare");
    const auto show = progress.callback();
    std::size_t done = 0;
    const auto take = [&](std::size_t job, const Json& result) {
      add(job, result);
      ++done;
      if (show) show(static_cast<double>(done) / static_cast<double>(jobs.size()));
    };
    system::run_in_subprocesses(jobs, {.at_once = system::available_processors(),
                                       .interrupted = &interrupted,
                                       .job_done = take,
                                       .interrupting = interrupting});
  }

  // The runs sorted by size, then by time.
  std::vector<ComparedRun> runs() const {
    std::vector<ComparedRun> sorted = runs_;
    std::ranges::stable_sort(sorted, {}, [](const ComparedRun& run) {
      return std::pair{run.size, run.time_ns};
    });
    return sorted;
  }

  // Throws ConfigError at `place` for a size that no algorithm has.
  void require_every_size(const SourceLocation& place, const std::string& op) const {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (std::ranges::find(runs_, sizes_[i], &ComparedRun::size) != runs_.end()) continue;
      throw ConfigError(place, fmt::format("no algorithm can run {} of {} here: {}", op,
                                           format_bytes(sizes_[i]), refused_[i * algorithms_.size()]));
    }
  }

 private:
  void add(std::size_t job, const Json& result) {
    if (result.contains("refused")) {
      refused_[job] = result.at("refused");
    } else {
      runs_.push_back(
          to_run(result, algorithms_[job % algorithms_.size()], sizes_[job / algorithms_.size()]));
    }
  }

  std::vector<std::string> algorithms_;
  std::vector<Bytes> sizes_;
  std::vector<ComparedRun> runs_;     // as they end
  std::vector<std::string> refused_;  // [job]: why there is none
};

std::vector<std::string> algorithms_of(workload::CollectiveOp op) {
  if (op == workload::CollectiveOp::kAllToAll) return config::all_to_all_algorithms();
  return schedule::algorithms_that([](const auto& info) { return info.make != nullptr; });
}

void require_suffix(const std::string& out) {
  const std::string suffix = std::filesystem::path(out).extension().string();
  if (suffix.empty() || suffix == ".json" || suffix == ".csv" || suffix == ".svg") return;
  throw ConfigError({"--out " + out}, fmt::format("'{}' is none of .json, .csv and .svg", suffix));
}

std::string file_text(const CompareLine& line, const std::string& op, const std::vector<ComparedRun>& runs) {
  if (line.out.ends_with(".csv")) return comparison_csv(runs);
  if (line.out.ends_with(".svg")) return comparison_svg(runs, fmt::format("{}, {}", line.input.path, op));
  return comparison_json(runs);
}

// The text alone does not need the network.
NcclTest nccl_test_of(const CompareLine& line, const config::Loaded& loaded) {
  if (line.format == kText) return {};
  const workload::CollectiveSpec& collective = loaded.config.collective;
  const auto members = static_cast<int>(collective.group.size());
  return {to_string(collective.op), collective.root,
          members > 0 ? members : system::build_topology(loaded).num_accelerators()};
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
  const auto tell = [&] {
    const std::vector<ComparedRun> runs = comparison.runs();
    if (runs.empty()) return;
    print(line.format == kText ? comparison_text(runs) : comparison_nccl_tests(runs, test));
    if (out != nullptr) out->write(file_text(line, op, runs));
  };
  comparison.run(line.input, interrupted, tell);
  comparison.require_every_size(
      line.sizes.empty() ? loaded.place("collective.op") : SourceLocation{"--sizes"}, op);
  tell();
}

}  // namespace

Command add_compare(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "compare", "compare every applicable algorithm with the others and with the lower bound");
  auto line = std::make_shared<CompareLine>();
  add_input(*app, line->input);
  app->add_option("--sizes", line->sizes, "sizes to compare, such as 64KiB,1MiB (default: collective.size)")
      ->type_name("SIZES");
  app->add_option(
         "--format", line->format,
         "text, or nccl-tests: the fastest algorithm of each size, printed as nccl-tests prints measurements")
      ->type_name("FORMAT")
      ->capture_default_str();
  app->add_option("--out", line->out, "write the comparison to a .json, .csv or .svg file")
      ->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
