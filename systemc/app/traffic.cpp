// coppice traffic: latency and throughput of the network under synthetic traffic.
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "base/error.h"
#include "system/collective/run.h"

namespace coppice::app {
namespace {

struct TrafficLine {
  Input input;
  std::string pattern;
  system::TrafficOptions traffic;
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

const std::string& checked_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return text;
  throw ConfigError({"--seed " + text}, fmt::format("'{}' is no whole number from 0 to {}", text,
                                                    std::numeric_limits<std::uint64_t>::max()));
}

std::string figure(const nlohmann::ordered_json& result, const char* key) {
  const auto& value = result.at(key);
  return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : std::string("none measured");
}

std::string summarize(const nlohmann::ordered_json& result, const TrafficLine& line) {
  std::string text = fmt::format("{} traffic, {}-flit packets, {} flits per node and cycle{}\n", line.pattern,
                                 line.traffic.packet_flits, line.traffic.rate,
                                 result.at("saturated").get<bool>() ? ": saturated" : "");
  text += fmt::format("  packet latency {} cycles mean, flit latency {}\n",
                      figure(result, "packet_latency_mean"), figure(result, "flit_latency_mean"));
  text += fmt::format("  accepted {} flits per node and cycle, {} routers traversed mean\n",
                      figure(result, "accepted_flits_per_node_cycle"), figure(result, "hops_mean"));
  return text;
}

void execute(const TrafficLine& line) {
  system::TrafficOptions traffic = line.traffic;
  traffic.pattern = parse_pattern(line.pattern);
  Input input = line.input;
  if (!line.seed.empty()) input.overrides.push_back("seed=" + checked_seed(line.seed));
  const config::Loaded loaded = load(input, config::Purpose::kTraffic);
  Outputs outputs(line.input.path);
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
  print_result(line.style, result, summarize(result, line));
}

}  // namespace

Command add_traffic(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("traffic", "measure the network under synthetic traffic");
  auto line = std::make_shared<TrafficLine>();
  add_input(*app, line->input);
  add_style(*app, line->style);
  app->add_option("--pattern", line->pattern, "uniform, transpose, bitcomp, tornado or neighbor")
      ->required()
      ->type_name("NAME");
  app->add_option("--rate", line->traffic.rate, "offered load in flits per node and cycle")
      ->required()
      ->type_name("FLITS");
  app->add_option("--packet-flits", line->traffic.packet_flits, "flits of a packet")
      ->required()
      ->type_name("N");
  app->add_option("--warmup", line->traffic.warmup, "cycles before the measurement")
      ->type_name("CYCLES")
      ->capture_default_str();
  app->add_option("--measure", line->traffic.measure, "cycles of the measurement")
      ->type_name("CYCLES")
      ->capture_default_str();
  app->add_option("--seed", line->seed, "of the random numbers, instead of the key 'seed'")->type_name("N");
  app->add_option("--out", line->out, "write the result as JSON")->type_name("RESULT.json");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
