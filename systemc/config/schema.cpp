#include "config/schema.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "config/values.h"
#include "schedule/compiler.h"

namespace coppice::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr Purposes kEverywhere{Purpose::kRun, Purpose::kTraffic, Purpose::kSchedule, Purpose::kBound};
constexpr Purposes kSimulations{Purpose::kRun, Purpose::kTraffic};
constexpr Purposes kRunOnly{Purpose::kRun};

constexpr std::size_t kMostDimensions = 16;
constexpr int kMostNodes = 1 << 20;
constexpr Bandwidth kSlowestLink{1'000};
constexpr Bandwidth kFastestLink{100'000'000'000'000};
constexpr Frequency kSlowestClock{1'000};
constexpr Frequency kFastestClock{100'000'000'000};

// The builders below take `field`, a function from a Config, const or not, to a reference into it.

template <typename Field>
using FieldType = std::remove_reference_t<std::invoke_result_t<Field, Config&>>;

template <typename Field>
Key integer_key(std::string path, Field field, std::int64_t lowest, std::int64_t highest) {
  Key key;
  key.read = [=](const Node& value, Config& config) {
    field(config) = static_cast<FieldType<Field>>(read_integer(value, path, lowest, highest));
  };
  key.write = [=](const Config& config) { return Json(field(config)); };
  key.example = std::to_string(lowest);
  key.path = std::move(path);
  return key;
}

template <typename Field, typename Quantity>
Key quantity_key(std::string path, Field field, Quantity (*parse)(std::string_view),
                 std::string (*format)(Quantity), Quantity lowest, Quantity highest) {
  Key key;
  key.read = [=](const Node& value, Config& config) {
    field(config) = read_quantity(value, path, parse, format, lowest, highest);
  };
  key.write = [=](const Config& config) { return Json(format(field(config))); };
  key.example = format(lowest);
  key.path = std::move(path);
  return key;
}

// One quantity, or a list with one for every dimension.
template <typename Field, typename Quantity>
Key per_dimension_key(std::string path, Field field, Quantity (*parse)(std::string_view),
                      std::string (*format)(Quantity), Quantity lowest, Quantity highest) {
  Key key;
  key.read = [=](const Node& value, Config& config) {
    const auto read = [&](const Node& item, const std::string& item_path) {
      return read_quantity(item, item_path, parse, format, lowest, highest);
    };
    auto& quantities = field(config);
    quantities.clear();
    if (value.kind != Node::Kind::kList) {
      quantities.push_back(read(value, path));
      return;
    }
    for (const Node& item : value.children) {
      quantities.push_back(read(item, fmt::format("{}[{}]", path, quantities.size())));
    }
    if (quantities.empty()) refuse(value, path, "one value, or a list with one for every dimension");
  };
  key.write = [=](const Config& config) {
    const auto& quantities = field(config);
    if (quantities.size() == 1) return Json(format(quantities.front()));
    Json list = Json::array();
    for (const auto& quantity : quantities) list.push_back(format(quantity));
    return list;
  };
  key.example = format(lowest);
  key.path = std::move(path);
  return key;
}

// A text that is one of `names`, or not set.
template <typename Field>
Key name_key(std::string path, Field field, std::vector<std::string> names) {
  Key key;
  key.example = names.front();
  key.read = [=](const Node& value, Config& config) { field(config) = read_name(value, path, names); };
  key.write = [=](const Config& config) { return field(config).empty() ? Json() : Json(field(config)); };
  key.path = std::move(path);
  return key;
}

// An enumerator, written as to_string() does. `unavailable` are known but refused, with the reason.
template <typename Field, typename Enum>
Key enum_key(std::string path, Field field, std::vector<Enum> values,
             std::vector<std::pair<Enum, std::string>> unavailable = {}) {
  Key key;
  std::vector<std::string> names;
  for (const Enum value : values) names.emplace_back(to_string(value));
  key.example = names.front();
  key.read = [=](const Node& value, Config& config) {
    for (const auto& [refused, reason] : unavailable) {
      if (value.kind == Node::Kind::kScalar && value.text == to_string(refused)) {
        throw ConfigError(value.place, fmt::format("{}: '{}' {}", path, value.text, reason));
      }
    }
    const std::string name = read_name(value, path, names);
    field(config) = *std::find_if(values.begin(), values.end(), [&](Enum e) { return to_string(e) == name; });
  };
  key.write = [=](const Config& config) { return Json(to_string(field(config))); };
  key.path = std::move(path);
  return key;
}

Key with(Key key, Purposes used, Purposes required = {}) {
  key.used = used;
  key.required = required;
  return key;
}

template <typename Idle>
Key unless(Key key, Idle idle) {
  key.idle = idle;
  return key;
}

// Reasons why a key of a kind changes nothing in some configuration.

std::string idle_untrained(const Config&, const Use&) {
  return "nothing is trained";
}

std::string idle_link(const Config& config, const Use&) {
  const auto& dims = config.system.topology.dims;
  const bool none = std::all_of(dims.begin(), dims.end(), [](int width) { return width == 1; });
  return none ? "there is no link between accelerators" : "";
}

bool single_accelerator(const Config& config) {
  const auto& dims = config.system.topology.dims;
  return std::all_of(dims.begin(), dims.end(), [](int width) { return width == 1; });
}

std::string idle_router(const Config& config, const Use& use) {
  if (config.fidelity == Fidelity::kFluid) return "the fluid fabric has no routers";
  if (use.purpose == Purpose::kRun && single_accelerator(config)) return "a single accelerator sends nothing";
  return "";
}

std::string idle_ni(const Config& config, const Use&) {
  return single_accelerator(config) ? "a single accelerator sends nothing" : "";
}

std::string idle_payload(const Config& config, const Use& use) {
  if (config.system.ni.flow_control == FlowControl::kMessage)
    return "message-based flow control has no packets";
  return idle_ni(config, use);
}

std::string idle_reduction(const Config& config, const Use& use) {
  if (config.collective.op == "all_gather") return "an all-gather reduces nothing";
  return idle_ni(config, use);
}

std::string idle_seed(const Config& config, const Use& use) {
  const bool values = config.check == Check::kAuto || config.check == Check::kValues;
  if (use.purpose == Purpose::kRun && !values) return "it draws the gradients' values, which are not carried";
  return "";
}

std::string idle_observation(const Config&, const Use& use) {
  return use.records_waves ? "" : "no value change dump (--vcd) is written";
}

void add_topology_keys(std::vector<Key>& keys) {
  keys.push_back(with(name_key("system.topology.kind",
                               [](auto& c) -> auto& { return c.system.topology.kind; }, {"torus", "mesh"}),
                      kEverywhere, kEverywhere));
  Key dims;
  dims.path = "system.topology.dims";
  dims.example = "[8, 8]";
  dims.read = [path = dims.path](const Node& value, Config& config) {
    auto& widths = config.system.topology.dims;
    widths = read_dims(value, path, kMostNodes, kMostDimensions);
    std::int64_t nodes = 1;
    for (const int width : widths)
      nodes = std::min<std::int64_t>(nodes * width, std::int64_t{kMostNodes} + 1);
    if (nodes > kMostNodes) {
      throw ConfigError(
          value.place,
          fmt::format("{} makes more than {} accelerators, the most that are possible", path, kMostNodes));
    }
  };
  dims.write = [](const Config& config) { return Json(config.system.topology.dims); };
  keys.push_back(with(dims, kEverywhere, kEverywhere));
}

void add_link_keys(std::vector<Key>& keys) {
  keys.push_back(
      unless(with(per_dimension_key<>(
                      "system.link.bandwidth", [](auto& c) -> auto& { return c.system.link.bandwidth; },
                      parse_bandwidth, format_bandwidth, kSlowestLink, kFastestLink),
                  {Purpose::kRun, Purpose::kTraffic, Purpose::kBound}),
             idle_link));
  keys.push_back(
      unless(with(per_dimension_key<>(
                      "system.link.latency", [](auto& c) -> auto& { return c.system.link.latency; },
                      parse_duration, format_duration, Femtoseconds{0}, kFemtosecondsPerSecond),
                  kSimulations),
             idle_link));
  keys.push_back(with(quantity_key(
                          "system.clock", [](auto& c) -> auto& { return c.system.clock; }, parse_frequency,
                          format_frequency, kSlowestClock, kFastestClock),
                      kSimulations));
  keys.push_back(with(quantity_key(
                          "system.flit", [](auto& c) -> auto& { return c.system.flit; }, parse_bytes,
                          format_bytes, Bytes{1}, Bytes{4096}),
                      kSimulations));
}

void add_router_keys(std::vector<Key>& keys) {
  const auto add = [&](Key key) { keys.push_back(unless(with(std::move(key), kSimulations), idle_router)); };
  Key vcs = integer_key(
      "system.router.vcs", [](auto& c) -> auto& { return c.system.router.vcs; }, 1, 32);
  // A route names the virtual channels of each hop.
  keys.push_back(unless(with(vcs, {Purpose::kRun, Purpose::kTraffic, Purpose::kSchedule}), idle_router));
  add(integer_key(
      "system.router.vc_depth", [](auto& c) -> auto& { return c.system.router.vc_depth; }, 1, 65536));
  add(integer_key(
      "system.router.routing_delay", [](auto& c) -> auto& { return c.system.router.routing_delay; }, 0, 64));
  add(integer_key(
      "system.router.vc_alloc_delay", [](auto& c) -> auto& { return c.system.router.vc_alloc_delay; }, 1,
      64));
  add(integer_key(
      "system.router.sw_alloc_delay", [](auto& c) -> auto& { return c.system.router.sw_alloc_delay; }, 1,
      64));
  add(integer_key(
      "system.router.st_delay", [](auto& c) -> auto& { return c.system.router.st_delay; }, 1, 64));
  add(integer_key(
      "system.router.credit_delay", [](auto& c) -> auto& { return c.system.router.credit_delay; }, 0, 64));
  add(enum_key<>(
      "system.router.impl", [](auto& c) -> auto& { return c.system.router.impl; },
      std::vector{Implementation::kSystemc},
      {{Implementation::kRtl, "is not available: the router exists in SystemC only, write systemc"}}));
}

Key ports_key() {
  Key key;
  key.path = "system.ni.ports";
  key.example = "auto";
  key.read = [path = key.path](const Node& value, Config& config) {
    const bool automatic = value.kind == Node::Kind::kScalar && value.text == "auto";
    config.system.ni.ports = automatic ? 0 : static_cast<int>(read_integer(value, path, 1, 64));
  };
  key.write = [](const Config& config) {
    return config.system.ni.ports == 0 ? Json("auto") : Json(config.system.ni.ports);
  };
  return key;
}

void add_ni_keys(std::vector<Key>& keys) {
  const auto add = [&](Key key, auto idle) { keys.push_back(unless(with(std::move(key), kRunOnly), idle)); };
  keys.push_back(unless(with(ports_key(), {Purpose::kRun, Purpose::kSchedule}), idle_ni));
  add(enum_key<>(
          "system.ni.flow_control", [](auto& c) -> auto& { return c.system.ni.flow_control; },
          std::vector{FlowControl::kPacket, FlowControl::kMessage}),
      idle_ni);
  add(quantity_key(
          "system.ni.payload", [](auto& c) -> auto& { return c.system.ni.payload; }, parse_bytes,
          format_bytes, Bytes{1}, Bytes{1 << 20}),
      idle_payload);
  Key lockstep;
  lockstep.path = "system.ni.lockstep";
  lockstep.example = "true";
  lockstep.read = [path = lockstep.path](const Node& value, Config& config) {
    config.system.ni.lockstep = read_flag(value, path);
  };
  lockstep.write = [](const Config& config) { return Json(config.system.ni.lockstep); };
  add(lockstep, idle_ni);
  add(integer_key(
          "system.ni.buffer", [](auto& c) -> auto& { return c.system.ni.buffer; }, 1, 1 << 20),
      idle_ni);
  add(integer_key(
          "system.ni.dma_latency", [](auto& c) -> auto& { return c.system.ni.dma_latency; }, 0, 1'000'000),
      idle_ni);
  add(integer_key(
          "system.ni.reduction_latency", [](auto& c) -> auto& { return c.system.ni.reduction_latency; }, 0,
          1'000'000),
      idle_reduction);
  Key rate;
  rate.path = "system.ni.reduction_flits_per_cycle";
  rate.example = "1";
  rate.read = [path = rate.path](const Node& value, Config& config) {
    config.system.ni.reduction_flits_per_cycle = read_number(value, path, 0.001, 1024);
  };
  rate.write = [](const Config& config) { return Json(config.system.ni.reduction_flits_per_cycle); };
  add(rate, idle_reduction);
  add(enum_key<>("system.ni.impl", [](auto& c) -> auto& { return c.system.ni.impl; },
                 std::vector{Implementation::kSystemc},
                 {{Implementation::kRtl, "is not available yet: write systemc"}}),
      idle_ni);
}

void add_accelerator_keys(std::vector<Key>& keys) {
  const auto add = [&](Key key) { keys.push_back(unless(with(std::move(key), kRunOnly), idle_untrained)); };
  add(integer_key(
      "system.accelerator.pes", [](auto& c) -> auto& { return c.system.accelerator.pes; }, 1, 65536));
  Key array;
  array.path = "system.accelerator.array";
  array.example = "[32, 32]";
  array.read = [path = array.path](const Node& value, Config& config) {
    const std::vector<int> sides = read_integers(value, path, 1, 65536);
    if (sides.size() != 2) {
      throw ConfigError(value.place, path + " must be [rows, columns], for example [32, 32]");
    }
    config.system.accelerator.array = sides;
  };
  array.write = [](const Config& config) { return Json(config.system.accelerator.array); };
  add(array);
  add(name_key("system.accelerator.dataflow", [](auto& c) -> auto& { return c.system.accelerator.dataflow; },
               {"output_stationary", "weight_stationary", "input_stationary"}));
  add(quantity_key(
      "system.accelerator.clock", [](auto& c) -> auto& { return c.system.accelerator.clock; },
      parse_frequency, format_frequency, kSlowestClock, kFastestClock));
}

void add_collective_keys(std::vector<Key>& keys) {
  constexpr Purposes kCollectives{Purpose::kRun, Purpose::kSchedule, Purpose::kBound};
  constexpr Purposes kCompiled{Purpose::kRun, Purpose::kSchedule};
  keys.push_back(with(name_key("collective.op", [](auto& c) -> auto& { return c.collective.op; },
                               {"all_reduce", "reduce_scatter", "all_gather"}),
                      kCollectives));
  std::vector<std::string> algorithms;
  for (const auto& algorithm : schedule::algorithms()) algorithms.push_back(algorithm.name);
  keys.push_back(
      with(name_key(
               "collective.algorithm", [](auto& c) -> auto& { return c.collective.algorithm; }, algorithms),
           kCompiled, kCompiled));
  Key size = quantity_key(
      "collective.size", [](auto& c) -> auto& { return c.collective.size; }, parse_bytes, format_bytes,
      Bytes{4}, Bytes{1} << 40);
  size.example = "1 MiB";
  size.write = [](const Config& config) {
    return config.collective.size == 0 ? Json() : Json(format_bytes(config.collective.size));
  };
  keys.push_back(with(size, kCollectives, kCollectives));
}

void add_run_keys(std::vector<Key>& keys) {
  const std::string unavailable = "is not available for this kind of run: write auto or flit";
  keys.push_back(with(enum_key<>("fidelity", [](auto& c) -> auto& { return c.fidelity; },
                                 std::vector{Fidelity::kAuto, Fidelity::kFlit},
                                 {{Fidelity::kTrain, unavailable}, {Fidelity::kFluid, unavailable}}),
                      kRunOnly));
  keys.push_back(with(enum_key<>(
                          "check", [](auto& c) -> auto& { return c.check; },
                          std::vector{Check::kAuto, Check::kValues, Check::kContributions, Check::kOff}),
                      kRunOnly));
  Key seed;
  seed.path = "seed";
  seed.example = "1";
  seed.read = [path = seed.path](const Node& value, Config& config) {
    config.seed = read_unsigned(value, path);
  };
  seed.write = [](const Config& config) { return Json(config.seed); };
  keys.push_back(unless(with(seed, kSimulations), idle_seed));
  keys.push_back(with(integer_key(
                          "max_cycles", [](auto& c) -> auto& { return c.max_cycles; }, 0,
                          std::numeric_limits<std::int64_t>::max()),
                      kSimulations));
  Key nodes;
  nodes.path = "observe.nodes";
  nodes.example = "[0]";
  nodes.read = [path = nodes.path](const Node& value, Config& config) {
    config.observe_nodes = read_integers(value, path, 0, kMostNodes - 1);
  };
  nodes.write = [](const Config& config) { return Json(config.observe_nodes); };
  keys.push_back(unless(with(nodes, kRunOnly), idle_observation));
}

std::vector<Key> make_keys() {
  std::vector<Key> keys;
  add_topology_keys(keys);
  add_link_keys(keys);
  add_router_keys(keys);
  add_ni_keys(keys);
  add_accelerator_keys(keys);
  add_collective_keys(keys);
  add_run_keys(keys);
  return keys;
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> all = make_keys();
  return all;
}

const Key* find_key(std::string_view path) {
  for (const Key& key : keys()) {
    if (key.path == path) return &key;
  }
  return nullptr;
}

bool is_section(std::string_view path) {
  return std::any_of(keys().begin(), keys().end(), [&](const Key& key) {
    return key.path.size() > path.size() && key.path.starts_with(path) && key.path[path.size()] == '.';
  });
}

}  // namespace coppice::config
