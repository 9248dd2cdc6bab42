#include "config/keys/accelerator_keys.h"

#include <optional>
#include <string>
#include <utility>

#include "config/document/values.h"
#include "config/keys/idle_keys.h"
#include "config/keys/key_builders.h"

namespace coppice::config {
namespace {

constexpr Purposes kTrained{Purpose::kRun, Purpose::kLayers};
constexpr Bandwidth kSlowestMemory{1'000};
constexpr Bandwidth kFastestMemory{100'000'000'000'000};
constexpr Frequency kSlowestClock{1'000};
constexpr Frequency kFastestClock{100'000'000'000};
constexpr Bytes kSmallestBuffer = 1;
constexpr Bytes kLargestMemory = Bytes{1} << 50;
constexpr const char* kUnlimited = "unlimited";

// A quantity, or "unlimited" for none.
template <typename Field, typename Quantity>
Key limit_key(std::string path, Field field, Quantity (*parse)(std::string_view),
              std::string (*format)(Quantity), Quantity lowest, Quantity highest) {
  Key key;
  key.read = [=](const Node& value, Config& config) {
    auto& limit = field(config);
    limit.reset();
    if (value.kind == Node::Kind::kScalar && value.text == kUnlimited) return;
    limit = read_quantity(value, path, parse, format, lowest, highest);
  };
  key.write = [=](const Config& config) {
    const auto& limit = field(config);
    return Json(limit ? format(*limit) : kUnlimited);
  };
  key.form = fmt::format("unlimited, or from {} to {}", format(lowest), format(highest));
  key.schema = value_schema::or_word(kUnlimited, value_schema::quantity(parse));
  key.path = std::move(path);
  return key;
}

Key array_key() {
  Key key;
  key.path = "system.accelerator.array";
  key.schema = value_schema::list(value_schema::integer(1, 65536), 2, 2);
  key.read = [path = key.path](const Node& value, Config& config) {
    const std::vector<int> sides = read_integers(value, path, 1, 65536, "[32, 32] for rows and columns");
    if (sides.size() != 2) {
      throw ConfigError(value.place, path + " must be [rows, columns], for example [32, 32]");
    }
    config.system.accelerator.array = sides;
  };
  key.write = [](const Config& config) { return Json(config.system.accelerator.array); };
  return key;
}

void add_roofline_keys(std::vector<Key>& keys) {
  const auto add = [&](Key key) { keys.push_back(unless(with(std::move(key), kTrained), idle_roofline)); };
  add(number_key(
      "system.accelerator.roofline.peak_tflops",
      [](auto& c) -> auto& { return c.system.accelerator.roofline.peak_tflops; }, 1e-6, 1e6));
  add(number_key(
      "system.accelerator.roofline.efficiency",
      [](auto& c) -> auto& { return c.system.accelerator.roofline.efficiency; }, 0.001, 1));
  add(quantity_key(
      "system.accelerator.roofline.memory_bandwidth",
      [](auto& c) -> auto& { return c.system.accelerator.roofline.memory_bandwidth; }, parse_bandwidth,
      format_bandwidth, kSlowestMemory, kFastestMemory));
  add(number_key(
      "system.accelerator.roofline.memory_efficiency",
      [](auto& c) -> auto& { return c.system.accelerator.roofline.memory_efficiency; }, 0.001, 1));
  Key launch = quantity_key(
      "system.accelerator.roofline.launch",
      [](auto& c) -> auto& { return c.system.accelerator.roofline.launch; }, parse_duration, format_duration,
      Femtoseconds{0}, kFemtosecondsPerSecond);
  launch.example = "3 us";
  launch.write = [write = launch.write](const Config& config) {
    return config.system.accelerator.roofline.launch == 0 ? Json() : write(config);
  };
  add(std::move(launch));
}

void add_systolic_keys(std::vector<Key>& keys) {
  const auto add_unless = [&](Key key, auto idle) {
    keys.push_back(unless(with(std::move(key), kTrained), idle));
  };
  const auto add = [&](Key key) { add_unless(std::move(key), idle_tiles); };
  const auto add_name = [&](const char* path, auto field, std::vector<std::string> names) {
    add(name_key(path, field, std::move(names)));
  };
  add_unless(
      integer_key(
          "system.accelerator.pes", [](auto& c) -> auto& { return c.system.accelerator.pes; }, 1, 65536),
      idle_systolic);
  add_unless(array_key(), idle_systolic);
  add_name("system.accelerator.dataflow", [](auto& c) -> auto& { return c.system.accelerator.dataflow; },
           {"output_stationary", "weight_stationary", "input_stationary"});
  add_unless(quantity_key(
                 "system.accelerator.clock", [](auto& c) -> auto& { return c.system.accelerator.clock; },
                 parse_frequency, format_frequency, kSlowestClock, kFastestClock),
             idle_array_clock);
  add_name("system.accelerator.timing", [](auto& c) -> auto& { return c.system.accelerator.timing; },
           {"formula", "array"});
  add_name("system.accelerator.convention", [](auto& c) -> auto& { return c.system.accelerator.convention; },
           {"causal", "scale_sim"});
  add_name("system.accelerator.split", [](auto& c) -> auto& { return c.system.accelerator.split; },
           {"best", "batch", "rows", "columns", "filters"});
  // Written only if they differ from the default; other results omit them.
  const auto add_rare = [&](Key key, auto idle, auto usual) {
    if (key.example.empty()) key.example = key.write(Config()).dump();
    key.write = [write = key.write, usual](const Config& config) {
      return usual(config.system.accelerator) ? Json() : write(config);
    };
    keys.push_back(unless(with(std::move(key), kTrained), idle));
  };
  add_rare(integer_key(
               "system.accelerator.pe_latency",
               [](auto& c) -> auto& { return c.system.accelerator.pe_latency; }, 0, 64),
           idle_pe_latency, [](const AcceleratorConfig& a) { return a.pe_latency == 0; });
  add_rare(name_key("system.accelerator.operands",
                    [](auto& c) -> auto& { return c.system.accelerator.operands; }, {"fp32", "bf16", "int8"}),
           idle_operands, [](const AcceleratorConfig& a) { return a.operands == "fp32"; });
  const auto add_buffer = [&](const char* path, auto field) {
    add(limit_key(path, field, parse_bytes, format_bytes, kSmallestBuffer, kLargestMemory));
  };
  add_buffer(
      "system.accelerator.buffers.input",
      [](auto& c) -> auto& { return c.system.accelerator.buffers.input; });
  add_buffer(
      "system.accelerator.buffers.weight",
      [](auto& c) -> auto& { return c.system.accelerator.buffers.weight; });
  add_buffer(
      "system.accelerator.buffers.output",
      [](auto& c) -> auto& { return c.system.accelerator.buffers.output; });
  add_unless(
      name_key("system.accelerator.tiling", [](auto& c) -> auto& { return c.system.accelerator.tiling; },
               {"least_traffic", "output_reuse", "weight_reuse", "input_reuse"}),
      idle_tiling);
  // The network interface shares the memory.
  keys.push_back(unless(with(limit_key(
                                 "system.accelerator.memory_bandwidth",
                                 [](auto& c) -> auto& { return c.system.accelerator.memory_bandwidth; },
                                 parse_bandwidth, format_bandwidth, kSlowestMemory, kFastestMemory),
                             kTrained),
                        idle_memory_bandwidth));
}

}  // namespace

void add_accelerator_keys(std::vector<Key>& keys) {
  const auto add = [&](Key key, Purposes used, auto idle) {
    keys.push_back(unless(with(std::move(key), used), idle));
  };
  add(name_key("system.accelerator.model", [](auto& c) -> auto& { return c.system.accelerator.model; },
               {"systolic", "roofline"}),
      kTrained, idle_accelerator);
  add(number_key(
          "system.accelerator.forwarding_cost",
          [](auto& c) -> auto& { return c.system.accelerator.forwarding_cost; }, 0, 0.9),
      {Purpose::kRun}, idle_forwarding);
  add_roofline_keys(keys);
  add(file_key(
          "system.accelerator.kernels", [](auto& c) -> auto& { return c.system.accelerator.kernels; },
          "the name of a table of kernel times (CSV)", "kernels.csv"),
      {Purpose::kRun}, idle_kernels);
  add_systolic_keys(keys);
  add(limit_key(
          "system.accelerator.memory", [](auto& c) -> auto& { return c.system.accelerator.memory; },
          parse_bytes, format_bytes, kSmallestBuffer, kLargestMemory),
      kTrained, idle_memory);
}

}  // namespace coppice::config
