#include "config/keys/key_groups.h"

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

// A key whose value is a quantity, or the word "unlimited", which is stored as nullopt.
template <typename Field, typename Quantity>
Key limit_key(KeyAt<Field> at, Quantity (*parse)(std::string_view), std::string (*format)(Quantity),
              Quantity lowest, Quantity highest) {
  Key key;
  key.read = [=](const Node& value, Config& config) {
    auto& limit = at.field(config);
    limit.reset();
    if (value.kind == Node::Kind::kScalar && value.text == kUnlimited) return;
    limit = read_quantity(value, at.path, parse, format, lowest, highest);
  };
  key.write = [=](const Config& config) {
    const auto& limit = at.field(config);
    return Json(limit ? format(*limit) : kUnlimited);
  };
  key.form = fmt::format("unlimited, or from {} to {}", format(lowest), format(highest));
  key.schema = value_schema::or_word(kUnlimited, value_schema::quantity(parse));
  key.path = at.path;
  return key;
}

Key array_key() {
  Key key;
  key.path = "system.accelerator.array";
  key.form = "[rows, columns]";
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
  declare(keys, number_key(COPPICE_KEY(system.accelerator.roofline.peak_tflops), 1e-6, 1e6),
          "The peak compute rate of the roofline, in TFLOPS.", kTrained, idle_roofline);
  declare(keys, number_key(COPPICE_KEY(system.accelerator.roofline.efficiency), 0.001, 1),
          "The share of the peak compute rate that kernels reach.", kTrained, idle_roofline);
  declare(keys,
          quantity_key(COPPICE_KEY(system.accelerator.roofline.memory_bandwidth), parse_bandwidth,
                       format_bandwidth, kSlowestMemory, kFastestMemory),
          "The memory bandwidth of the roofline.", kTrained, idle_roofline);
  declare(keys, number_key(COPPICE_KEY(system.accelerator.roofline.memory_efficiency), 0.001, 1),
          "The share of the memory bandwidth that kernels reach.", kTrained, idle_roofline);
  declare(keys,
          quantity_key(COPPICE_KEY(system.accelerator.roofline.launch), parse_duration, format_duration,
                       Femtoseconds{0}, kFemtosecondsPerSecond)
              .shown_as("3 us")
              .unless_usual("0 ns"),
          "The launch time added to every kernel.", kTrained, idle_roofline);
}

void add_systolic_keys(std::vector<Key>& keys) {
  const auto add = [&](Key key, const char* summary, const IdleRule& idle = idle_tiles) {
    declare(keys, std::move(key), summary, kTrained, idle);
  };
  add(integer_key(COPPICE_KEY(system.accelerator.pes), 1, 65536),
      "The number of processing elements in an accelerator, each with one systolic array.", idle_systolic);
  add(array_key(), "The numbers of rows and columns of a systolic array.", idle_systolic);
  add(name_key(COPPICE_KEY(system.accelerator.dataflow),
               {"output_stationary", "weight_stationary", "input_stationary"}),
      "The operand that stays in the systolic array.");
  add(quantity_key(COPPICE_KEY(system.accelerator.clock), parse_frequency, format_frequency, kSlowestClock,
                   kFastestClock),
      "The clock of the systolic arrays.", idle_array_clock);
  add(name_key(COPPICE_KEY(system.accelerator.timing), {"formula", "array"}),
      "How the cycles of the arrays are determined: by a formula, or by moving operands through the PEs.");
  add(name_key(COPPICE_KEY(system.accelerator.convention), {"causal", "scale_sim"}),
      "Which cycles of a tile are counted: all that it needs (causal), or those that SCALE-Sim counts.");
  add(name_key(COPPICE_KEY(system.accelerator.split), {"best", "batch", "rows", "columns", "filters"}),
      "How the processing elements split the work: by samples, rows or columns of outputs, or filters; best: "
      "the fastest of these.");
  // Results omit these keys while they have their default values.
  add(integer_key(COPPICE_KEY(system.accelerator.pe_latency), 0, 64).unless_usual(0),
      "The number of registers between a PE's multiplier and its adder; each adds one cycle to every tile.",
      idle_pe_latency);
  add(name_key(COPPICE_KEY(system.accelerator.operands), {"fp32", "bf16", "int8"}).unless_usual("fp32"),
      "The operand type of the PEs, which sets the size of activations and weights. Sums are fp32, or 32-bit "
      "integers for int8.",
      idle_operands);
  add(limit_key(COPPICE_KEY(system.accelerator.buffers.input), parse_bytes, format_bytes, kSmallestBuffer,
                kLargestMemory),
      "The total size of both halves of a processing element's buffer for the operand from the left.");
  add(limit_key(COPPICE_KEY(system.accelerator.buffers.weight), parse_bytes, format_bytes, kSmallestBuffer,
                kLargestMemory),
      "The total size of both halves of a processing element's buffer for the operand from the top.");
  add(limit_key(COPPICE_KEY(system.accelerator.buffers.output), parse_bytes, format_bytes, kSmallestBuffer,
                kLargestMemory),
      "The total size of both halves of a processing element's buffer for sums.");
  add(name_key(COPPICE_KEY(system.accelerator.tiling),
               {"least_traffic", "output_reuse", "weight_reuse", "input_reuse"}),
      "The operand whose tiles stay in their buffer while the other operands' tiles change.", idle_tiling);
  // The network interface uses the same memory, so this key also limits communication.
  add(limit_key(COPPICE_KEY(system.accelerator.memory_bandwidth), parse_bandwidth, format_bandwidth,
                kSlowestMemory, kFastestMemory),
      "The bandwidth between an accelerator's memory and its arrays.", idle_memory_bandwidth);
}

}  // namespace

void add_accelerator_keys(std::vector<Key>& keys) {
  declare(keys, name_key(COPPICE_KEY(system.accelerator.model), {"systolic", "roofline"}),
          "The model that determines computation times: systolic arrays or a roofline.", kTrained,
          idle_accelerator);
  declare(keys, number_key(COPPICE_KEY(system.accelerator.forwarding_cost), 0, 0.9),
          "The fraction by which computations take longer on an accelerator that forwards others' messages.",
          {Purpose::kRun}, idle_forwarding);
  add_roofline_keys(keys);
  declare(keys,
          file_key(COPPICE_KEY(system.accelerator.kernels), "the name of a kernel-time table (CSV)",
                   "kernels.csv"),
          "A CSV table with the columns kernel and time_us, whose measured times replace those of the "
          "accelerator's model.",
          {Purpose::kRun}, idle_kernels);
  add_systolic_keys(keys);
  declare(keys,
          limit_key(COPPICE_KEY(system.accelerator.memory), parse_bytes, format_bytes, kSmallestBuffer,
                    kLargestMemory),
          "The size of an accelerator's memory, which must hold all data of an iteration.", kTrained,
          idle_memory);
}

}  // namespace coppice::config
