// coppice traffic: latency and throughput of the network under synthetic traffic.
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "base/error.h"
#include "config/booksim_file.h"
#include "system/collective/run.h"

namespace coppice::app {
namespace {

// The options as they were written, so that what is wrong with one is said in its own words.
struct TrafficLine {
  Input input;
  std::string booksim;
  std::string pattern;
  std::string rate;
  std::string packet_flits;
  std::string warmup;
  std::string measure;
  std::string seed;
  std::string out;
  Style style;
};

system::Pattern parse_pattern(const std::string& name) {
  try {
    return system::parse_pattern(name);
  } catch (const std::invalid_argument& error) {
    throw ConfigError({"--pattern " + name}, error.what());
  }
}

template <typename Number>
bool read(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// The whole number behind `option`; `what` is what it counts, with an example.
template <typename Number>
Number whole_number(const std::string& option, const std::string& text, Number least, Number most,
                    const std::string& what) {
  Number number = 0;
  if (read(text, number) && number >= least && number <= most) return number;
  throw ConfigError({option + " " + text},
                    fmt::format("'{}' is no whole number from {} to {}: {}", text, least, most, what));
}

double read_rate(const std::string& text) {
  double rate = 0;
  // Written so that it refuses "nan" too.
  if (read(text, rate) && rate > 0 && rate <= 1) return rate;
  throw ConfigError(
      {"--rate " + text},
      fmt::format("'{}' is no number above 0 and at most 1: flits per node and cycle, of which the "
                  "injection channel takes one, for example 0.1",
                  text));
}

system::TrafficOptions read_options(const TrafficLine& line) {
  constexpr Cycles kMostCycles = std::numeric_limits<Cycles>::max();
  system::TrafficOptions traffic;
  traffic.pattern = parse_pattern(line.pattern);
  traffic.rate = read_rate(line.rate);
  traffic.packet_flits = whole_number("--packet-flits", line.packet_flits, 1, 65536,
                                      "flits of a packet, its head among them, for example 1");
  const auto cycles = [&](const char* option, const std::string& text, Cycles least, Cycles usual) {
    return text.empty()
               ? usual
               : whole_number(option, text, least, kMostCycles, fmt::format("cycles, for example {}", usual));
  };
  traffic.warmup = cycles("--warmup", line.warmup, 0, traffic.warmup);
  traffic.measure = cycles("--measure", line.measure, 1, traffic.measure);
  if (!line.seed.empty()) {
    whole_number<std::uint64_t>("--seed", line.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                                "of the random numbers, for example 1");
  }
  return traffic;
}

std::string figure(const nlohmann::ordered_json& result, const char* key) {
  const auto& value = result.at(key);
  return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : std::string("none measured");
}

std::string summarize(const nlohmann::ordered_json& result, const TrafficLine& line,
                      const system::TrafficOptions& traffic) {
  std::string text = fmt::format("{} traffic, {}-flit packets, {} flits per node and cycle{}\n", line.pattern,
                                 traffic.packet_flits, traffic.rate,
                                 result.at("saturated").get<bool>() ? ": saturated" : "");
  text += fmt::format("  packet latency {} cycles mean, flit latency {}\n",
                      figure(result, "packet_latency_mean"), figure(result, "flit_latency_mean"));
  text += fmt::format("  accepted {} flits per node and cycle, {} routers traversed mean\n",
                      figure(result, "accepted_flits_per_node_cycle"), figure(result, "hops_mean"));
  return text;
}

// What the line leaves out is as in the file of BookSim2, else it must be there.
TrafficLine completed(TrafficLine line, const std::optional<config::BooksimExperiment>& experiment) {
  if (line.booksim.empty() == line.input.path.empty()) {
    throw ConfigError({"coppice traffic"}, "name a CONFIG.yaml, or a file of BookSim2 behind --booksim");
  }
  const auto complete = [&](std::string& text, const char* option, auto value) {
    if (!text.empty()) return;
    if (!experiment) {
      throw ConfigError(
          {"coppice traffic"},
          fmt::format("{} is missing; for example --pattern uniform --rate 0.1 --packet-flits 1", option));
    }
    text = fmt::format("{}", value(*experiment));
  };
  complete(line.pattern, "--pattern", [](const auto& e) { return e.pattern; });
  complete(line.rate, "--rate", [](const auto& e) { return e.rate; });
  complete(line.packet_flits, "--packet-flits", [](const auto& e) { return e.packet_flits; });
  if (experiment) {
    complete(line.warmup, "--warmup", [](const auto& e) { return e.warmup; });
    complete(line.measure, "--measure", [](const auto& e) { return e.measure; });
  }
  return line;
}

void execute(const TrafficLine& given) {
  std::optional<config::BooksimExperiment> experiment;
  if (!given.booksim.empty()) experiment = config::read_booksim(given.booksim);
  const TrafficLine line = completed(given, experiment);
  const system::TrafficOptions traffic = read_options(line);
  Input input = line.input;
  if (!line.seed.empty()) input.overrides.push_back("seed=" + line.seed);
  const config::Loaded loaded = experiment ? config::load_booksim(line.booksim, *experiment, input.overrides)
                                           : load(input, config::Purpose::kTraffic);
  Outputs outputs(experiment ? line.booksim : line.input.path, loaded);
  system::ResultFile* out = outputs.add("--out", line.out);

  system::RunOptions options;
  options.interrupted = &catch_interrupts();
  nlohmann::ordered_json result;
  {
    ProgressLine progress(line.pattern);
    options.progress = progress.callback();
    result = system::run_traffic(loaded, traffic, options);
  }
  if (out != nullptr) out->write(result.dump(2) + "\n");
  print_result(line.style, result, summarize(result, line, traffic));
}

}  // namespace

Command add_traffic(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("traffic", "measure the network under synthetic traffic");
  auto line = std::make_shared<TrafficLine>();
  add_input(*app, line->input);
  app->get_option("CONFIG.yaml")->required(false);
  app->add_option("--booksim", line->booksim,
                  "run the experiment of a configuration file of BookSim2 instead of CONFIG.yaml")
      ->type_name("FILE");
  add_style(*app, line->style);
  app->add_option("--pattern", line->pattern, "uniform, transpose, bitcomp, tornado or neighbor")
      ->type_name("NAME");
  app->add_option("--rate", line->rate, "offered load in flits per node and cycle")->type_name("FLITS");
  app->add_option("--packet-flits", line->packet_flits, "flits of a packet")->type_name("N");
  const system::TrafficOptions usual;
  app->add_option("--warmup", line->warmup, "cycles before the measurement")
      ->type_name("CYCLES")
      ->default_str(std::to_string(usual.warmup));
  app->add_option("--measure", line->measure, "cycles of the measurement")
      ->type_name("CYCLES")
      ->default_str(std::to_string(usual.measure));
  app->add_option("--seed", line->seed, "of the random numbers, instead of the key 'seed'")->type_name("N");
  app->add_option("--out", line->out, "write the result as JSON")->type_name("RESULT.json");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
