#include "config/schema.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "config/document/value_schema.h"
#include "config/document/values.h"
#include "config/files/hardware_file.h"
#include "config/keys/accelerator_keys.h"
#include "config/keys/dimension_algorithms.h"
#include "config/keys/dimensions.h"
#include "config/keys/idle_keys.h"
#include "config/keys/key_builders.h"
#include "config/keys/key_descriptions.h"
#include "config/keys/parallel_keys.h"
#include "config/keys/program_keys.h"
#include "config/keys/protocol_keys.h"
#include "config/keys/routing_keys.h"
#include "config/settings/shape.h"
#include "schedule/registry.h"
#include "topology/networks/kinds.h"

namespace coppice::config {
namespace {

constexpr Purposes kEverywhere{Purpose::kRun,   Purpose::kTraffic, Purpose::kSchedule,
                               Purpose::kBound, Purpose::kRoute,   Purpose::kTextRun};
constexpr Purposes kSimulations{Purpose::kRun, Purpose::kTraffic, Purpose::kRoute};
// Chunks of a hierarchy take their turns by them.
constexpr Purposes kTimed{Purpose::kRun, Purpose::kTraffic, Purpose::kRoute, Purpose::kSchedule};
constexpr Purposes kMessages{Purpose::kRun, Purpose::kRoute};
constexpr Purposes kRunOnly{Purpose::kRun};
constexpr Purposes kHardware{Purpose::kRun, Purpose::kTraffic};  // kTraffic: of a network alone
constexpr Purposes kRuns{Purpose::kRun, Purpose::kTextRun};
constexpr Purposes kTrained{Purpose::kRun, Purpose::kLayers};

constexpr std::size_t kMostDimensions = 16;
constexpr int kMostNodes = 1 << 20;
constexpr Bandwidth kSlowestLink{1'000};
constexpr Bandwidth kFastestLink{100'000'000'000'000};
constexpr int kDeepestBuffer = 1 << 22;  // the longest latency twice
constexpr Frequency kSlowestClock{1'000};
constexpr Frequency kFastestClock{100'000'000'000};

std::string idle_group(const Config& config, const Use& /*use*/) {
  if (!names_collectives(config) && config.training.model.empty()) return "";
  return config.training.model.empty() ? "the program states the groups of its collectives"
                                       : "the gradients of training.model are reduced by all accelerators";
}

void add_topology_keys(std::vector<Key>& keys) {
  std::vector<std::string> kinds;
  for (const topology::KindInfo& info : topology::topology_kinds()) kinds.emplace_back(info.name);
  keys.push_back(
      with(name_key(
               "system.topology.kind", [](auto& c) -> auto& { return c.system.topology.kind; }, kinds),
           kEverywhere, kEverywhere));
  Key dims;
  dims.path = "system.topology.dims";
  dims.example = "[8, 8]";
  int least = 1;
  for (const topology::KindInfo& info : topology::topology_kinds()) least = std::min(least, info.least_dim);
  const auto extent = value_schema::integer(least, kMostNodes);
  dims.schema = value_schema::any_of({extent, value_schema::pattern("[0-9]+(x[0-9]+)*"),
                                      value_schema::list(extent, 1, static_cast<int>(kMostDimensions))});
  dims.read = [path = dims.path](const Node& value, Config& config) {
    auto& widths = config.system.topology.dims;
    const topology::KindInfo* const kind = kind_of(config);
    widths = read_dims(value, path, kind == nullptr ? 1 : kind->least_dim, kMostNodes, kMostDimensions);
    std::int64_t nodes = 1;
    for (const int width : widths)
      nodes = std::min<std::int64_t>(nodes * width, std::int64_t{kMostNodes} + 1);
    if (nodes > kMostNodes) {
      throw ConfigError(value.place, fmt::format("{} makes more than {} accelerators, which is the limit",
                                                 path, kMostNodes));
    }
  };
  dims.write = [](const Config& config) {
    const auto& widths = config.system.topology.dims;
    return widths.empty() ? Json() : Json(widths);
  };
  dims.excused = [](const Loaded& loaded, Purpose) { return !has_dims(loaded.config); };
  keys.push_back(unless(with(dims, kEverywhere, kEverywhere), idle_dims));
  Key file = file_key(
      "system.topology.file", [](auto& c) -> auto& { return c.system.topology.file; },
      "the name of a graph file", "network.graph");
  file.excused = [](const Loaded& loaded, Purpose) {
    return !described_by(loaded.config, topology::DescribedBy::kFile);
  };
  keys.push_back(unless(with(file, kEverywhere, kEverywhere), idle_file));
  keys.push_back(unless(with(dimensions_key(), kEverywhere, kEverywhere), idle_dimensions));
  Key bundled = flag_key(
      "system.topology.bundled", [](auto& c) -> auto& { return c.system.topology.bundled; });
  bundled.example = "true";
  bundled.write = [](const Config& config) { return config.system.topology.bundled ? Json() : Json(false); };
  keys.push_back(unless(with(bundled, kEverywhere), idle_dimensions));
  add_failure_keys(keys, kEverywhere);
}

// One share, or a list with one for every level; not written while everything is payload.
Key efficiency_key() {
  Key key;
  key.path = "system.link.efficiency";
  key.example = "0.8";
  key.form = "a number from 0.01 to 1, or a list with one for every dimension";
  key.schema = value_schema::any_of(
      {value_schema::number(0.01, 1), value_schema::list(value_schema::number(0.01, 1), 1)});
  key.read = [path = key.path](const Node& value, Config& config) {
    std::vector<double>& shares = config.system.link.efficiency;
    shares.clear();
    if (value.kind != Node::Kind::kList) {
      shares.push_back(read_number(value, path, 0.01, 1));
      return;
    }
    for (const Node& item : value.children) {
      shares.push_back(read_number(item, fmt::format("{}[{}]", path, shares.size()), 0.01, 1));
    }
    if (shares.empty()) refuse(value, path, "one share, or a list with one for every dimension");
  };
  key.write = [](const Config& config) {
    const std::vector<double>& shares = config.system.link.efficiency;
    if (shares.size() > 1) return Json(shares);
    return shares.front() == 1 ? Json() : Json(shares.front());
  };
  return key;
}

// `auto` reads as 0, which fit_machine() replaces.
Key or_automatic(Key key, void (*leave)(Config& config)) {
  key.read = [read = std::move(key.read), leave](const Node& value, Config& config) {
    if (value.kind == Node::Kind::kScalar && value.text == "auto") {
      leave(config);
    } else {
      read(value, config);
    }
  };
  key.form = "auto, or " + key.form;
  key.schema = value_schema::or_word("auto", std::move(key.schema));
  return key;
}

void add_link_keys(std::vector<Key>& keys) {
  keys.push_back(
      unless(with(per_dimension_key<>(
                      "system.link.bandwidth", [](auto& c) -> auto& { return c.system.link.bandwidth; },
                      parse_bandwidth, format_bandwidth, kSlowestLink, kFastestLink),
                  {Purpose::kRun, Purpose::kTraffic, Purpose::kBound, Purpose::kRoute, Purpose::kSchedule}),
             idle_bandwidth));
  keys.push_back(
      unless(with(per_dimension_key<>(
                      "system.link.latency", [](auto& c) -> auto& { return c.system.link.latency; },
                      parse_duration, format_duration, Femtoseconds{0}, kFemtosecondsPerSecond),
                  kTimed),
             idle_latency));
  keys.push_back(unless(with(efficiency_key(), {Purpose::kRun, Purpose::kTraffic, Purpose::kBound,
                                                Purpose::kRoute, Purpose::kSchedule}),
                        idle_efficiency));
  keys.push_back(unless(with(quantity_key(
                                 "system.clock", [](auto& c) -> auto& { return c.system.clock; },
                                 parse_frequency, format_frequency, kSlowestClock, kFastestClock),
                             kTimed),
                        idle_clock));
  keys.push_back(unless(with(or_automatic(quantity_key(
                                              "system.flit", [](auto& c) -> auto& { return c.system.flit; },
                                              parse_bytes, format_bytes, Bytes{1}, Bytes{4096}),
                                          [](Config& config) { config.system.flit = 0; }),
                             {Purpose::kRun, Purpose::kTraffic, Purpose::kSchedule}),
                        idle_timing));
}

// Omits a value equal to the default.
std::function<Json(const Config&)> unless_usual(std::function<Json(const Config&)> write, const char* usual) {
  return [write = std::move(write), usual](const Config& config) {
    Json value = write(config);
    return value == usual ? Json() : value;
  };
}

void add_router_keys(std::vector<Key>& keys) {
  const auto add = [&](Key key) { keys.push_back(unless(with(std::move(key), kSimulations), idle_router)); };
  Key vcs = integer_key(
      "system.router.vcs", [](auto& c) -> auto& { return c.system.router.vcs; }, 1, 32);
  // A route names the virtual channels of each hop.
  keys.push_back(unless(with(vcs, {Purpose::kRun, Purpose::kTraffic, Purpose::kSchedule, Purpose::kRoute}),
                        idle_router));
  // Pieces that wait in a buffer are no longer than the buffer.
  keys.push_back(unless(
      with(or_automatic(integer_key(
                            "system.router.vc_depth",
                            [](auto& c) -> auto& { return c.system.router.vc_depth; }, 1, kDeepestBuffer),
                        [](Config& config) { config.system.router.vc_depth = 0; }),
           kTimed),
      idle_buffer));
  const auto add_delay = [&](Key key) { keys.push_back(unless(with(std::move(key), kTimed), idle_delay)); };
  add_delay(integer_key(
      "system.router.routing_delay", [](auto& c) -> auto& { return c.system.router.routing_delay; }, 0, 64));
  add_delay(integer_key(
      "system.router.vc_alloc_delay", [](auto& c) -> auto& { return c.system.router.vc_alloc_delay; }, 1,
      64));
  add_delay(integer_key(
      "system.router.sw_alloc_delay", [](auto& c) -> auto& { return c.system.router.sw_alloc_delay; }, 1,
      64));
  add_delay(integer_key(
      "system.router.st_delay", [](auto& c) -> auto& { return c.system.router.st_delay; }, 1, 64));
  add(integer_key(
      "system.router.credit_delay", [](auto& c) -> auto& { return c.system.router.credit_delay; }, 0, 64));
  Key routing = enum_key<>(
      "system.router.routing", [](auto& c) -> auto& { return c.system.router.routing; },
      std::vector{PacketRouting::kMinimal, PacketRouting::kValiant, PacketRouting::kAdaptive,
                  PacketRouting::kUgal});
  routing.write = unless_usual(routing.write, "minimal");
  routing.example = "minimal";
  keys.push_back(unless(with(routing, {Purpose::kTraffic}), idle_router));
  Key arbitration = enum_key<>(
      "system.router.arbitration", [](auto& c) -> auto& { return c.system.router.arbitration; },
      std::vector{Arbitration::kRoundRobin, Arbitration::kAge});
  arbitration.write = unless_usual(arbitration.write, "round_robin");
  arbitration.example = "round_robin";
  keys.push_back(unless(with(arbitration, {Purpose::kRun, Purpose::kTraffic}), idle_router));
  // Routing studies simulate only the SystemC model; this holds for the network interfaces below, too.
  keys.push_back(unless(with(enum_key<>(
                                 "system.router.impl", [](auto& c) -> auto& { return c.system.router.impl; },
                                 std::vector{Implementation::kSystemc, Implementation::kRtl}),
                             {Purpose::kRun, Purpose::kTraffic}),
                        idle_router));
}

Key ports_key() {
  Key key;
  key.path = "system.ni.ports";
  key.schema = value_schema::or_word("auto", value_schema::integer(1, 64));
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
  const auto add = [&](Key key, auto idle) { keys.push_back(unless(with(std::move(key), kMessages), idle)); };
  // Message costs determine the best number of chunks.
  const auto add_timed = [&](Key key, auto idle) {
    keys.push_back(unless(with(std::move(key), {Purpose::kRun, Purpose::kRoute, Purpose::kSchedule}), idle));
  };
  keys.push_back(unless(with(ports_key(), {Purpose::kRun, Purpose::kSchedule}), idle_ni));
  // Table entries count the flits and packets of their messages.
  const Purposes compiled{Purpose::kRun, Purpose::kSchedule, Purpose::kRoute};
  keys.push_back(
      unless(with(enum_key<>(
                      "system.ni.flow_control", [](auto& c) -> auto& { return c.system.ni.flow_control; },
                      std::vector{FlowControl::kPacket, FlowControl::kMessage}),
                  compiled),
             idle_ni));
  keys.push_back(
      unless(with(or_automatic(quantity_key(
                                   "system.ni.payload", [](auto& c) -> auto& { return c.system.ni.payload; },
                                   parse_bytes, format_bytes, Bytes{1}, Bytes{1 << 20}),
                               [](Config& config) { config.system.ni.payload = 0; }),
                  compiled),
             idle_payload));
  // Nops are in a table only if they hold a lockstep.
  keys.push_back(unless(with(flag_key(
                                 "system.ni.lockstep", [](auto& c) -> auto& { return c.system.ni.lockstep; }),
                             compiled),
                        idle_ni));
  add(integer_key(
          "system.ni.buffer", [](auto& c) -> auto& { return c.system.ni.buffer; }, 1, 1 << 20),
      idle_ni_buffer);
  add_timed(
      integer_key(
          "system.ni.dma_latency", [](auto& c) -> auto& { return c.system.ni.dma_latency; }, 1, 1'000'000),
      idle_message_time);
  add(integer_key(
          "system.ni.reduction_latency", [](auto& c) -> auto& { return c.system.ni.reduction_latency; }, 1,
          1'000'000),
      idle_reduction_latency);
  Key launch = quantity_key(
      "system.ni.launch", [](auto& c) -> auto& { return c.system.ni.launch; }, parse_duration,
      format_duration, Femtoseconds{0}, kFemtosecondsPerSecond);
  launch.write = unless_usual(launch.write, "0 ns");
  launch.example = "5 us";
  add(launch, idle_ni);
  add_timed(quantity_key(
                "system.ni.message_setup", [](auto& c) -> auto& { return c.system.ni.message_setup; },
                parse_duration, format_duration, Femtoseconds{0}, kFemtosecondsPerSecond),
            idle_message_time);
  add_timed(protocols_key(), idle_message_time);
  keys.push_back(
      unless(with(reduction_bandwidth_key(), {Purpose::kRun, Purpose::kRoute, Purpose::kSchedule}), idle_ni));
  keys.push_back(
      unless(with(number_key(
                      "system.ni.reduction_flits_per_cycle",
                      [](auto& c) -> auto& { return c.system.ni.reduction_flits_per_cycle; }, 0.001, 1024),
                  kSimulations),
             idle_reduction_rate));
  keys.push_back(unless(with(enum_key<>(
                                 "system.ni.impl", [](auto& c) -> auto& { return c.system.ni.impl; },
                                 std::vector{Implementation::kSystemc, Implementation::kRtl}),
                             kRunOnly),
                        idle_ni));
  Key nodes;
  nodes.path = "system.ni.rtl_nodes";
  nodes.schema =
      value_schema::or_word("all", value_schema::list(value_schema::integer(0, kMostNodes - 1), 1));
  nodes.example = "[0, 3]";
  nodes.read = [path = nodes.path](const Node& value, Config& config) {
    const bool all = value.kind == Node::Kind::kScalar && value.text == "all";
    config.system.ni.rtl_nodes = all ? std::vector<int>{} : read_integers(value, path, 0, kMostNodes - 1);
  };
  nodes.write = [](const Config& config) {
    if (config.system.ni.impl != Implementation::kRtl) return Json();
    return config.system.ni.rtl_nodes.empty() ? Json("all") : Json(config.system.ni.rtl_nodes);
  };
  keys.push_back(unless(with(nodes, kRunOnly), idle_rtl_nodes));
}

bool trains(const Loaded& loaded) {
  return loaded.places.contains("training");
}

// Values of a section that is not there are not written.
Key when_training(Key key) {
  key.write = [write = key.write](const Config& config) {
    return config.training.model.empty() ? Json() : write(config);
  };
  return key;
}

void add_training_keys(std::vector<Key>& keys) {
  Key model;
  model.path = "training.model";
  model.schema = value_schema::text();
  model.example = "resnet50";
  model.read = [path = model.path](const Node& value, Config& config) {
    const std::string expected = "a model of 'coppice list', or the name of a layer table (CSV)";
    const std::string text = read_name_or_file(value, path, expected);
    if (text.empty()) refuse(value, path, expected);
    config.training.model = text;
  };
  model.write = [](const Config& config) { return Json(config.training.model); };
  model.excused = [](const Loaded& loaded, Purpose purpose) {
    return purpose == Purpose::kRun && (!trains(loaded) || runs_program(loaded.config));
  };
  keys.push_back(with(when_training(model), {Purpose::kRun, Purpose::kTextRun, Purpose::kLayers}, kTrained));
  Key batch = integer_key(
      "training.batch_per_accelerator", [](auto& c) -> auto& { return c.training.batch_per_accelerator; }, 1,
      65536);
  batch.example = "16";
  keys.push_back(unless(with(when_training(batch), kTrained), idle_batch));
  Key overlap = enum_key<>(
      "training.overlap", [](auto& c) -> auto& { return c.training.overlap; },
      std::vector{workload::Overlap::kNone, workload::Overlap::kLayerWise, workload::Overlap::kBucketed,
                  workload::Overlap::kChained});
  overlap.example = "layer_wise";
  keys.push_back(unless(with(when_training(overlap), kRuns), idle_copies));
  Key bucket = quantity_key(
      "training.bucket", [](auto& c) -> auto& { return c.training.bucket; }, parse_bytes, format_bytes,
      Bytes{1}, Bytes{1} << 40);
  bucket.example = "25 MB";
  bucket.write = [write = bucket.write](const Config& config) {
    return config.training.overlap == workload::Overlap::kBucketed ? write(config) : Json();
  };
  keys.push_back(unless(with(when_training(bucket), kRunOnly), idle_bucket));
  Key gathered = enum_key<>(
      "training.all_gather_bytes", [](auto& c) -> auto& { return c.training.all_gather_bytes; },
      std::vector{workload::AllGatherBytes::kInput, workload::AllGatherBytes::kTotal});
  gathered.example = "input";
  gathered.write = [write = gathered.write](const Config& config) {
    return trains_text_workload(config) ? write(config) : Json();
  };
  keys.push_back(unless(with(gathered, kRuns), idle_all_gather_bytes));
  Key optimizer = name_key("training.optimizer", [](auto& c) -> auto& { return c.training.optimizer; },
                           {"sgd", "momentum", "adam"});
  keys.push_back(unless(with(when_training(optimizer), kTrained), idle_optimizer));
}

Key chunks_key() {
  Key key;
  key.path = "collective.chunks";
  key.schema = value_schema::or_word("auto", value_schema::integer(1, 1 << 20));
  key.read = [path = key.path](const Node& value, Config& config) {
    const bool automatic = value.kind == Node::Kind::kScalar && value.text == "auto";
    config.collective.chunks =
        automatic ? schedule::kAutomaticChunks : static_cast<int>(read_integer(value, path, 1, 1 << 20));
  };
  key.write = [](const Config& config) {
    const int chunks = config.collective.chunks;
    return chunks == schedule::kAutomaticChunks ? Json("auto") : Json(chunks);
  };
  return key;
}

// "auto" leaves the choice to the scheduler.
Key intra_dimension_key() {
  using enum schedule::IntraDimension;
  std::vector<std::string> names{"auto"};
  for (const auto policy : {kFifo, kSmallestChunkFirst, kLeastToSendFirst}) {
    names.emplace_back(to_string(policy));
  }
  Key key;
  key.path = "collective.intra_dimension";
  key.schema = value_schema::names(names);
  key.form = fmt::format("{}", fmt::join(names, ", "));
  key.read = [path = key.path, names](const Node& value, Config& config) {
    const std::string name = read_name(value, path, names);
    auto& chosen = config.collective.chunk_policy.intra_dimension;
    chosen.reset();
    for (const auto policy : {kFifo, kSmallestChunkFirst, kLeastToSendFirst}) {
      if (name == to_string(policy)) chosen = policy;
    }
  };
  key.write = [](const Config& config) {
    const auto& chosen = config.collective.chunk_policy.intra_dimension;
    return Json(chosen ? to_string(*chosen) : "auto");
  };
  return key;
}

void add_collective_keys(std::vector<Key>& keys) {
  constexpr Purposes kCollectives{Purpose::kRun, Purpose::kSchedule, Purpose::kBound};
  constexpr Purposes kCompiled{Purpose::kRun, Purpose::kSchedule};
  constexpr Purposes kPlanned{Purpose::kRun, Purpose::kSchedule, Purpose::kTextRun};
  keys.push_back(
      unless(with(enum_key<>(
                      "collective.op", [](auto& c) -> auto& { return c.collective.op; },
                      std::vector(workload::kNamedCollectives.begin(), workload::kNamedCollectives.end())),
                  kCollectives),
             idle_op));
  keys.push_back(unless(
      with(integer_key(
               "collective.root", [](auto& c) -> auto& { return c.collective.root; }, 0, kMostNodes - 1),
           kCollectives),
      idle_root));
  std::vector<std::string> algorithms;
  for (const auto& algorithm : schedule::algorithms()) algorithms.push_back(algorithm.name);
  Key algorithm = name_key(
      "collective.algorithm", [](auto& c) -> auto& { return c.collective.algorithm; }, algorithms);
  algorithm.excused = [](const Loaded& loaded, Purpose) { return names_collectives(loaded.config); };
  keys.push_back(with(algorithm, kPlanned, kCompiled));
  Key file = file_key(
      "collective.file", [](auto& c) -> auto& { return c.collective.file; }, "the name of a schedule (JSON)",
      "schedule.json");
  file.excused = [](const Loaded& loaded, Purpose) { return !reads_tables(loaded.config); };
  keys.push_back(unless(with(file, kCompiled, kCompiled), idle_schedule_file));
  Key size = quantity_key(
      "collective.size", [](auto& c) -> auto& { return c.collective.size; }, parse_bytes, format_bytes,
      Bytes{1}, Bytes{1} << 40);
  size.example = "1 MiB";
  size.write = [](const Config& config) {
    return config.collective.size == 0 ? Json() : Json(format_bytes(config.collective.size));
  };
  Key own_size = unless(with(size, kCollectives, kCollectives), idle_size);
  own_size.excused = [](const Loaded& loaded, Purpose purpose) {
    return purpose == Purpose::kRun && (trains(loaded) || names_collectives(loaded.config));
  };
  keys.push_back(own_size);
  Key group;
  group.path = "collective.group";
  group.example = "[0, 1, 2, 3]";
  group.form = "at least two accelerators";
  group.schema = value_schema::list(value_schema::integer(0, kMostNodes - 1), 2);
  group.read = [path = group.path](const Node& value, Config& config) {
    config.collective.group = read_integers(value, path, 0, kMostNodes - 1);
    if (config.collective.group.size() < 2) refuse(value, path, "at least two accelerators");
  };
  group.write = [](const Config& config) {
    return config.collective.group.empty() ? Json() : Json(config.collective.group);
  };
  keys.push_back(unless(with(group, kCollectives), idle_group));
  keys.push_back(unless(with(chunks_key(), kPlanned), [](const Config& config, const Use& use) {
    const bool runs = use.purpose == Purpose::kRun || work_of(config) == Work::kGroup;
    return runs ? idle_chunks(config, config.collective.op) : "";
  }));
  keys.push_back(unless(
      with(integer_key(
               "collective.planes", [](auto& c) -> auto& { return c.collective.planes; }, 0, kMostNodes - 1),
           kCompiled),
      idle_planes));
  using schedule::TreePlacement;
  const auto trees = enum_key<>(
      "collective.trees", [](auto& c) -> auto& { return c.collective.trees; },
      std::vector{TreePlacement::kAuto, TreePlacement::kRouted, TreePlacement::kEmbedded,
                  TreePlacement::kCcube});
  keys.push_back(unless(with(trees, kCompiled), idle_trees));
  using schedule::ChunkScheduler;
  const auto scheduler = enum_key<>(
      "collective.scheduler", [](auto& c) -> auto& { return c.collective.chunk_policy.scheduler; },
      std::vector{ChunkScheduler::kBaseline, ChunkScheduler::kThemis, ChunkScheduler::kThemisPlus});
  keys.push_back(unless(with(scheduler, kPlanned), idle_scheduler));
  keys.push_back(unless(with(intra_dimension_key(), kPlanned), idle_scheduler));
  keys.push_back(unless(with(dimension_algorithms_key(), kPlanned), idle_scheduler));
}

void add_run_keys(std::vector<Key>& keys) {
  keys.push_back(with(
      enum_key<>(
          "fidelity", [](auto& c) -> auto& { return c.fidelity; },
          std::vector{Fidelity::kAuto, Fidelity::kFlit, Fidelity::kLeap, Fidelity::kTrain, Fidelity::kFluid}),
      kMessages));
  keys.push_back(with(enum_key<>(
                          "check", [](auto& c) -> auto& { return c.check; },
                          std::vector{Check::kAuto, Check::kValues, Check::kContributions, Check::kOff}),
                      kMessages));
  Key seed;
  seed.path = "seed";
  seed.schema = {{"type", "integer"}, {"minimum", 0}};
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
  nodes.schema = value_schema::list(value_schema::integer(0, kMostNodes - 1), 1);
  nodes.read = [path = nodes.path](const Node& value, Config& config) {
    config.observe_nodes = read_integers(value, path, 0, kMostNodes - 1);
  };
  nodes.write = [](const Config& config) { return Json(config.observe_nodes); };
  keys.push_back(unless(with(nodes, kRunOnly), idle_observation));
}

// Not written where nothing is said of hardware.
void add_hardware_keys(std::vector<Key>& keys) {
  std::vector<std::string> names;
  for (const Technology& technology : technologies()) names.emplace_back(technology.name);
  keys.push_back(
      with(name_key(
               "hardware.technology", [](auto& c) -> auto& { return c.hardware.technology; }, names),
           kHardware));
  keys.push_back(unless(with(file_key(
                                 "hardware.energies", [](auto& c) -> auto& { return c.hardware.energies; },
                                 "the name of a file of areas and energies (YAML)", "energies.yaml"),
                             kHardware),
                        idle_energies));
}

void add_descriptions(std::vector<Key>& keys) {
  for (Key& key : keys) {
    const KeyDescription* description = describe_key(key.path);
    if (description == nullptr) continue;  // a test names keys without one
    key.summary = description->summary;
    if (key.form.empty()) key.form = description->form;
  }
}

// Uses defaults as examples.
void add_examples(std::vector<Key>& keys) {
  for (Key& key : keys) {
    if (!key.example.empty()) continue;
    const Json value = key.write(Config{});
    key.example = value.is_string() ? value.get<std::string>() : value.dump();
  }
}

std::vector<Key> make_keys() {
  std::vector<Key> keys;
  add_topology_keys(keys);
  add_link_keys(keys);
  add_router_keys(keys);
  add_ni_keys(keys);
  add_accelerator_keys(keys);
  add_collective_keys(keys);
  add_training_keys(keys);
  add_parallel_keys(keys);
  add_inference_keys(keys);
  add_program_keys(keys);
  add_routing_keys(keys);
  add_run_keys(keys);
  add_hardware_keys(keys);
  add_examples(keys);
  add_descriptions(keys);
  return keys;
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> all = make_keys();
  return all;
}

const RetiredKey* find_retired_key(std::string_view path) {
  static constexpr std::array kRetired{
      RetiredKey{"routing.order", "leave it out: the greedy method takes flows in the order of the jobs"},
      RetiredKey{"routing.threads",
                 "leave it out: assigning paths to a job takes microseconds on one thread"},
      RetiredKey{"routing.annealing", "leave it out: annealing is Hedera's"}};
  const auto found = std::ranges::find(kRetired, path, &RetiredKey::path);
  return found == kRetired.end() ? nullptr : &*found;
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
