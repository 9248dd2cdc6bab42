// coppice traffic: measures the latency and throughput of a network under synthetic traffic.
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "base/error.h"
#include "config/files/booksim_file.h"
#include "config/loader.h"
#include "system/traffic/patterns.h"
#include "system/traffic/traffic.h"

namespace coppice::app {
namespace {

// The options in the form in which they were given, so that errors can quote them.
struct TrafficLine {
  Input input;
  std::string booksim;
  std::string pattern;
  std::string rate;
  std::string packet_flits;
  std::string warmup;
  std::string measure;
  std::string hotspots;
  std::string permutation;
  std::string bursts;
  std::string request_reply;
  std::string writes;
  std::string trace;
  std::string seed;
  std::string out;
  std::string statistics;
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

// Reads the whole number that was given for `option`. `what` names the quantity in error messages, with an
// example.
template <typename Number>
Number whole_number(const std::string& option, const std::string& text, Number least, Number most,
                    const std::string& what) {
  Number number = 0;
  if (read(text, number) && number >= least && number <= most) return number;
  throw ConfigError({option + " " + text},
                    fmt::format("'{}' is not a whole number from {} to {}: {}", text, least, most, what));
}

std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string piece; std::getline(stream, piece, ',');) all.push_back(piece);
  return all;
}

// Reads a number from 0 to 1.
double read_part(const std::string& option, const std::string& text) {
  double part = 0;
  if (read(text, part) && part >= 0 && part <= 1) return part;
  throw ConfigError({option}, fmt::format("'{}' is not a number from 0 to 1, for example 0.2", text));
}

// Reads a list of NODE or NODE:WEIGHT, separated by commas.
std::vector<system::Hotspot> read_hotspots(const std::string& text) {
  constexpr int kMost = 1 << 20;
  std::vector<system::Hotspot> hotspots;
  for (const std::string& piece : pieces(text)) {
    const std::size_t colon = piece.find(':');
    system::Hotspot& hotspot = hotspots.emplace_back();
    hotspot.node = whole_number("--hotspots", piece.substr(0, colon), 0, kMost,
                                "an accelerator, optionally with a weight after a colon, for example 0,9:2");
    if (colon == std::string::npos) continue;
    hotspot.weight = whole_number("--hotspots", piece.substr(colon + 1), 1, kMost, "a weight, for example 2");
  }
  return hotspots;
}

system::Bursts read_bursts(const std::string& text) {
  const std::vector<std::string> parts = pieces(text);
  if (parts.size() != 2) {
    throw ConfigError(
        {"--bursts " + text},
        "expected the probabilities per cycle that a source turns on and turns off, for example 0.01,0.05");
  }
  return {read_part("--bursts", parts[0]), read_part("--bursts", parts[1])};
}

system::RequestReply read_request_reply(const TrafficLine& line) {
  const std::vector<std::string> parts = pieces(line.request_reply);
  if (parts.size() != 4) {
    throw ConfigError({"--request-reply " + line.request_reply},
                      "expected the flits per read request, read reply, write request and write reply, for "
                      "example 1,5,5,1");
  }
  const auto flits = [&](std::size_t i) {
    return whole_number("--request-reply", parts[i], 1, 65536, "flits per packet, for example 5");
  };
  system::RequestReply requests;
  requests.read_request = flits(0);
  requests.read_reply = flits(1);
  requests.write_request = flits(2);
  requests.write_reply = flits(3);
  if (!line.writes.empty()) requests.writes = read_part("--writes", line.writes);
  return requests;
}

double read_rate(const std::string& text) {
  double rate = 0;
  // This form of the comparison also rejects "nan".
  if (read(text, rate) && rate > 0 && rate <= 1) return rate;
  throw ConfigError({"--rate " + text},
                    fmt::format("'{}' is not a number above 0 and at most 1, for example 0.1: an injection "
                                "channel accepts at most one flit per cycle",
                                text));
}

system::TrafficOptions read_options(const TrafficLine& line) {
  constexpr Cycles kMostCycles = std::numeric_limits<Cycles>::max();
  system::TrafficOptions traffic;
  traffic.trace = line.trace;
  if (traffic.trace.empty()) {
    traffic.pattern = parse_pattern(line.pattern);
    traffic.rate = read_rate(line.rate);
  }
  traffic.packet_flits = whole_number("--packet-flits", line.packet_flits, 1, 65536,
                                      "flits per packet, including its head, for example 1");
  const auto cycles = [&](const char* option, const std::string& text, Cycles least, Cycles usual) {
    return text.empty()
               ? usual
               : whole_number(option, text, least, kMostCycles, fmt::format("cycles, for example {}", usual));
  };
  traffic.warmup = cycles("--warmup", line.warmup, 0, traffic.warmup);
  traffic.measure = cycles("--measure", line.measure, 1, traffic.measure);
  traffic.hotspots = read_hotspots(line.hotspots);
  traffic.permutation = line.permutation;
  if (!line.bursts.empty()) traffic.bursts = read_bursts(line.bursts);
  if (!line.request_reply.empty()) traffic.request_reply = read_request_reply(line);
  if (!line.seed.empty()) {
    whole_number<std::uint64_t>("--seed", line.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                                "seed of the random numbers, for example 1");
  }
  return traffic;
}

std::string figure(const nlohmann::ordered_json& result, const char* key) {
  const auto& value = result.at(key);
  return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : std::string("none measured");
}

std::string summarize(const nlohmann::ordered_json& result, const TrafficLine& line,
                      const system::TrafficOptions& traffic) {
  std::string text =
      traffic.trace.empty()
          ? fmt::format("{} traffic, {}, {} flits per node per cycle{}\n", line.pattern,
                        traffic.request_reply ? std::string("requests and replies")
                                              : fmt::format("{}-flit packets", traffic.packet_flits),
                        traffic.rate, result.at("saturated").get<bool>() ? ": saturated" : "")
          : fmt::format("{} packets of {} in {} cycles\n", result.at("packets_measured").get<std::int64_t>(),
                        traffic.trace, result.at("cycles").get<std::int64_t>());
  if (result.contains("transaction_latency_mean")) {
    text += fmt::format("  mean latency from request to reply {} cycles\n",
                        figure(result, "transaction_latency_mean"));
  }
  text += fmt::format("  mean packet latency {} cycles, mean flit latency {}\n",
                      figure(result, "packet_latency_mean"), figure(result, "flit_latency_mean"));
  text += fmt::format("  accepted {} flits per node per cycle, {} routers traversed on average\n",
                      figure(result, "accepted_flits_per_node_cycle"), figure(result, "hops_mean"));
  return text;
}

// Sets options that are missing on the command line from the BookSim2 file. With neither such a file nor a
// packet trace, the pattern, the rate and the packet size are required.
TrafficLine completed(TrafficLine line, const std::optional<config::BooksimExperiment>& experiment) {
  if (line.booksim.empty() == line.input.path.empty()) {
    throw ConfigError({"coppice traffic"}, "pass either a CONFIG.yaml, or a BookSim2 file with --booksim");
  }
  const auto complete = [&](std::string& text, const char* option, auto value) {
    if (!text.empty()) return;
    if (!experiment) {
      throw ConfigError(
          {"coppice traffic"},
          fmt::format("{} is missing: write, for example, --pattern uniform --rate 0.1 --packet-flits 1",
                      option));
    }
    text = fmt::format("{}", value(*experiment));
  };
  if (!line.trace.empty()) {
    if (line.packet_flits.empty()) line.packet_flits = "1";
    return line;
  }
  complete(line.pattern, "--pattern", [](const auto& e) { return e.pattern; });
  complete(line.rate, "--rate", [](const auto& e) { return e.rate; });
  complete(line.packet_flits, "--packet-flits", [](const auto& e) { return e.packet_flits; });
  if (experiment) {
    complete(line.warmup, "--warmup", [](const auto& e) { return e.warmup; });
    complete(line.measure, "--measure", [](const auto& e) { return e.measure; });
    complete(line.hotspots, "--hotspots", [](const auto& e) { return e.hotspots; });
    complete(line.bursts, "--bursts", [](const auto& e) { return e.bursts; });
    complete(line.request_reply, "--request-reply", [](const auto& e) { return e.request_reply; });
    complete(line.writes, "--writes", [](const auto& e) { return e.writes; });
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
  outputs.keep(line.trace);
  system::ResultFile* out = outputs.add("--out", line.out);
  outputs.add("--statistics", line.statistics);

  system::RunOptions options;
  options.interrupted = &catch_interrupts();
  options.statistics_path = line.statistics;
  nlohmann::ordered_json result;
  {
    ProgressLine progress(line.trace.empty() ? line.pattern : line.trace);
    options.progress = progress.callback();
    result = system::run_traffic(loaded, traffic, options);
  }
  if (out != nullptr) out->write(json_text(result));
  print_result(line.style, result, summarize(result, line, traffic));
}

}  // namespace

Command add_traffic(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("traffic", "measure the network under synthetic traffic");
  auto line = std::make_shared<TrafficLine>();
  add_input(*app, line->input);
  app->get_option("CONFIG.yaml")->required(false);
  app->add_option("--booksim", line->booksim,
                  "run the experiment in this BookSim2 configuration file, instead of CONFIG.yaml")
      ->type_name("FILE");
  add_style(*app, line->style);
  std::string patterns;
  for (const system::PatternInfo& pattern : system::traffic_patterns()) {
    patterns += patterns.empty() ? pattern.name : std::string(", ") + pattern.name;
  }
  app->add_option("--pattern", line->pattern, "destinations of packets: " + patterns)->type_name("NAME");
  app->add_option("--hotspots", line->hotspots,
                  "for pattern hotspot: accelerators, each optionally with a weight after a colon")
      ->type_name("NODE[:WEIGHT],...");
  app->add_option("--permutation", line->permutation,
                  "for pattern permutation: a file with a line 'source target' for every accelerator")
      ->type_name("FILE");
  app->add_option("--bursts", line->bursts,
                  "for on-off sources: the probabilities per cycle of turning on and off")
      ->type_name("BEGIN,END");
  app->add_option("--request-reply", line->request_reply,
                  "send requests that are answered by replies: flits per read request, read reply, write "
                  "request and write reply")
      ->type_name("N,N,N,N");
  app->add_option("--writes", line->writes, "the share of requests that are writes")
      ->type_name("PART")
      ->default_str("0.5");
  app->add_option("--trace", line->trace, "use a packet trace, as printed by Netrace, instead of a pattern")
      ->type_name("FILE");
  app->add_option("--rate", line->rate, "offered load in flits per node per cycle, including replies")
      ->type_name("FLITS");
  app->add_option("--packet-flits", line->packet_flits, "flits per packet")->type_name("N");
  const system::TrafficOptions usual;
  app->add_option("--warmup", line->warmup, "number of cycles before the measurement")
      ->type_name("CYCLES")
      ->default_str(std::to_string(usual.warmup));
  app->add_option("--measure", line->measure, "number of measured cycles")
      ->type_name("CYCLES")
      ->default_str(std::to_string(usual.measure));
  app->add_option("--seed", line->seed, "seed of the random numbers, instead of the key 'seed'")
      ->type_name("N");
  app->add_option("--out", line->out, "write the result as JSON")->type_name("RESULT.json");
  app->add_option("--statistics", line->statistics, "write every module's statistics as CSV")
      ->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
