#include "config/schema.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "config/document/value_schema.h"
#include "config/document/values.h"
#include "config/files/technology.h"
#include "config/keys/dimensions.h"
#include "config/keys/idle_keys.h"
#include "config/keys/key_builders.h"
#include "config/keys/key_groups.h"
#include "config/settings/shape.h"
#include "schedule/registry.h"
#include "topology/networks/kinds.h"

namespace coppice::config {
namespace {

constexpr Purposes kEverywhere{Purpose::kRun,   Purpose::kTraffic, Purpose::kSchedule,
                               Purpose::kBound, Purpose::kRoute,   Purpose::kTextRun};
constexpr Purposes kSimulations{Purpose::kRun, Purpose::kTraffic, Purpose::kRoute};
// The purposes for which link and router times matter. Compiling a schedule is one of them, since the times
// determine the order of the chunks in a hierarchy.
constexpr Purposes kTimed{Purpose::kRun, Purpose::kTraffic, Purpose::kRoute, Purpose::kSchedule};
constexpr Purposes kMessages{Purpose::kRun, Purpose::kRoute};
constexpr Purposes kRunOnly{Purpose::kRun};
// kTraffic is included so that results contain the area of a network without work.
constexpr Purposes kHardware{Purpose::kRun, Purpose::kTraffic};
constexpr Purposes kRuns{Purpose::kRun, Purpose::kTextRun};
constexpr Purposes kTrained{Purpose::kRun, Purpose::kLayers};

const std::vector kImplementations{Implementation::kSystemc, Implementation::kRtl};
constexpr std::size_t kMostDimensions = 16;
constexpr int kMostNodes = 1 << 20;
constexpr Bandwidth kSlowestLink{1'000};
constexpr Bandwidth kFastestLink{100'000'000'000'000};
constexpr int kDeepestBuffer = 1 << 22;  // enough for twice the longest latency
constexpr Frequency kSlowestClock{1'000};
constexpr Frequency kFastestClock{100'000'000'000};

std::string idle_group(const Config& config, const Use& /*use*/) {
  if (!names_collectives(config) && config.training.model.empty()) return "";
  return config.training.model.empty() ? "the program specifies the groups of its collectives"
                                       : "all accelerators reduce the gradients of training.model";
}

Key dims_key() {
  Key key;
  key.path = "system.topology.dims";
  key.example = "[8, 8]";
  key.form = "a list of whole numbers, or 8x8";
  int least = 1;
  for (const topology::KindInfo& info : topology::topology_kinds()) least = std::min(least, info.least_dim);
  const auto extent = value_schema::integer(least, kMostNodes);
  key.schema = value_schema::any_of({extent, value_schema::pattern("[0-9]+(x[0-9]+)*"),
                                     value_schema::list(extent, 1, static_cast<int>(kMostDimensions))});
  key.read = [path = key.path](const Node& value, Config& config) {
    auto& widths = config.system.topology.dims;
    const topology::KindInfo* const kind = kind_of(config);
    widths = read_dims(value, path, kind == nullptr ? 1 : kind->least_dim, kMostNodes, kMostDimensions);
    std::int64_t nodes = 1;
    for (const int width : widths)
      nodes = std::min<std::int64_t>(nodes * width, std::int64_t{kMostNodes} + 1);
    if (nodes > kMostNodes) {
      throw ConfigError(value.place, fmt::format("{} describes more than {} accelerators, which is the limit",
                                                 path, kMostNodes));
    }
  };
  key.write = [](const Config& config) {
    const auto& widths = config.system.topology.dims;
    return widths.empty() ? Json() : Json(widths);
  };
  key.excused = [](const Loaded& loaded, Purpose) { return !has_dims(loaded.config); };
  return key;
}

void add_topology_keys(std::vector<Key>& keys) {
  std::vector<std::string> kinds;
  for (const topology::KindInfo& info : topology::topology_kinds()) kinds.emplace_back(info.name);
  declare(keys, name_key(COPPICE_KEY(system.topology.kind), kinds),
          "The kind of network; 'coppice list' describes all kinds.", kEverywhere, nullptr, kEverywhere);
  declare(keys, dims_key(),
          "The dimensions of the network; 'coppice list' explains their meaning for each kind.", kEverywhere,
          idle_dims, kEverywhere);
  declare(keys,
          file_key(COPPICE_KEY(system.topology.file), "the name of a graph file", "network.graph")
              .excused_if([](const Loaded& loaded, Purpose) {
                return !described_by(loaded.config, topology::DescribedBy::kFile);
              }),
          "The graph file that describes a network of kind file.", kEverywhere, idle_file, kEverywhere);
  declare(keys, dimensions_key(),
          "The dimensions of a hierarchy, innermost first, or the name of an ASTRA-sim network file.",
          kEverywhere, idle_dimensions, kEverywhere);
  declare(keys, flag_key(COPPICE_KEY(system.topology.bundled)).unless_usual(true),
          "Whether an accelerator's links to a switch of a hierarchy act as one channel with their total "
          "bandwidth.",
          kEverywhere, idle_dimensions);
  add_failure_keys(keys, kEverywhere);
}

// The value is a fraction, or a list with one fraction per level. Results omit the key if messages can use
// the entire bandwidth.
Key efficiency_key() {
  Key key;
  key.path = "system.link.efficiency";
  key.example = "0.8";
  key.form = "a number from 0.01 to 1, or a list with a number for every dimension";
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
    if (shares.empty()) refuse(value, path, "one share, or a list with a share for every dimension");
  };
  key.write = [](const Config& config) {
    const std::vector<double>& shares = config.system.link.efficiency;
    if (shares.size() > 1) return Json(shares);
    return shares.front() == 1 ? Json() : Json(shares.front());
  };
  return key;
}

// Makes a key accept `auto`, which is read as 0 and later replaced by fit_machine().
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
  constexpr Purposes kBounded{Purpose::kRun, Purpose::kTraffic, Purpose::kBound, Purpose::kRoute,
                              Purpose::kSchedule};
  declare(keys,
          per_dimension_key(COPPICE_KEY(system.link.bandwidth), parse_bandwidth, format_bandwidth,
                            kSlowestLink, kFastestLink),
          "The bandwidth of a link, in each direction.", kBounded, idle_bandwidth);
  declare(keys,
          per_dimension_key(COPPICE_KEY(system.link.latency), parse_duration, format_duration,
                            Femtoseconds{0}, kFemtosecondsPerSecond),
          "The latency of a link.", kTimed, idle_latency);
  declare(keys, efficiency_key(),
          "The share of a link's bandwidth that messages can use; the rest is spent on encoding, headers and "
          "acknowledgements.",
          kBounded, idle_efficiency);
  declare(keys,
          quantity_key(COPPICE_KEY(system.clock), parse_frequency, format_frequency, kSlowestClock,
                       kFastestClock),
          "The clock of routers and network interfaces; cycles in results are cycles of this clock.", kTimed,
          idle_clock);
  declare(
      keys,
      or_automatic(quantity_key(COPPICE_KEY(system.flit), parse_bytes, format_bytes, Bytes{1}, Bytes{4096}),
                   [](Config& config) { config.system.flit = 0; }),
      "The size of a flit, the unit in which links transfer and buffers store data. auto: the smallest "
      "power of two, at least 16 B, that lets the fastest link run at its full rate.",
      {Purpose::kRun, Purpose::kTraffic, Purpose::kSchedule}, idle_timing);
}

void add_router_keys(std::vector<Key>& keys) {
  // The number of virtual channels affects schedules, since their routes specify the virtual channel of each
  // hop.
  declare(keys, integer_key(COPPICE_KEY(system.router.vcs), 1, 32),
          "The number of virtual channels per router port.", kTimed, idle_router);
  // The buffer depth affects schedules, since it limits the length of the pieces that wait in a buffer.
  declare(keys,
          or_automatic(integer_key(COPPICE_KEY(system.router.vc_depth), 1, kDeepestBuffer),
                       [](Config& config) { config.system.router.vc_depth = 0; }),
          "The buffer size of a virtual channel in flits. auto: 318, or more if needed to cover the "
          "credit loop of every link.",
          kTimed, idle_buffer);
  declare(keys, integer_key(COPPICE_KEY(system.router.routing_delay), 0, 64),
          "The number of cycles to compute the route of a head flit.", kTimed, idle_delay);
  declare(keys, integer_key(COPPICE_KEY(system.router.vc_alloc_delay), 1, 64),
          "The number of cycles to allocate a virtual channel.", kTimed, idle_delay);
  declare(keys, integer_key(COPPICE_KEY(system.router.sw_alloc_delay), 1, 64),
          "The number of cycles to allocate the switch.", kTimed, idle_delay);
  declare(keys, integer_key(COPPICE_KEY(system.router.st_delay), 1, 64),
          "The number of cycles to traverse the switch.", kTimed, idle_delay);
  declare(keys, integer_key(COPPICE_KEY(system.router.credit_delay), 0, 64),
          "The number of cycles until a router returns a credit, in addition to the link latency.",
          kSimulations, idle_router);
  declare(keys,
          enum_key(COPPICE_KEY(system.router.routing),
                   std::vector{PacketRouting::kMinimal, PacketRouting::kValiant, PacketRouting::kAdaptive,
                               PacketRouting::kUgal})
              .unless_usual("minimal"),
          "How packets of synthetic traffic are routed: on a precomputed shortest path (minimal), through a "
          "random node (valiant), on the least busy shortest path (adaptive), or on the less busy of a "
          "minimal and a valiant path (ugal).",
          {Purpose::kTraffic}, idle_router);
  declare(keys,
          enum_key(COPPICE_KEY(system.router.arbitration),
                   std::vector{Arbitration::kRoundRobin, Arbitration::kAge})
              .unless_usual("round_robin"),
          "Which packet a router serves first: the next in rotation, or the oldest (age).",
          {Purpose::kRun, Purpose::kTraffic}, idle_router);
  // Routing studies ignore this key and system.ni.impl, since they always use SystemC models.
  declare(keys, enum_key(COPPICE_KEY(system.router.impl), kImplementations),
          "The router implementation: the SystemC model or the Verilated Verilog.",
          {Purpose::kRun, Purpose::kTraffic}, idle_router);
}

Key rtl_nodes_key() {
  Key key;
  key.path = "system.ni.rtl_nodes";
  key.example = "[0, 3]";
  key.form = "all, or a list of accelerators";
  key.schema = value_schema::or_word("all", value_schema::list(value_schema::integer(0, kMostNodes - 1), 1));
  key.read = [path = key.path](const Node& value, Config& config) {
    const bool all = value.kind == Node::Kind::kScalar && value.text == "all";
    config.system.ni.rtl_nodes = all ? std::vector<int>{} : read_integers(value, path, 0, kMostNodes - 1);
  };
  key.write = [](const Config& config) {
    if (config.system.ni.impl != Implementation::kRtl) return Json();
    return config.system.ni.rtl_nodes.empty() ? Json("all") : Json(config.system.ni.rtl_nodes);
  };
  return key;
}

void add_ni_keys(std::vector<Key>& keys) {
  // The purposes that include compiling a schedule. These keys affect schedules because the cost of messages
  // determines the best number of chunks, and because each table entry contains the numbers of flits and
  // packets of its message.
  constexpr Purposes kCompiled{Purpose::kRun, Purpose::kRoute, Purpose::kSchedule};
  declare(keys, automatic_key(COPPICE_KEY(system.ni.ports), 0, 1, 64),
          "The number of ports of an accelerator's network interface; auto: one per link.",
          {Purpose::kRun, Purpose::kSchedule}, idle_ni);
  declare(
      keys,
      enum_key(COPPICE_KEY(system.ni.flow_control), std::vector{FlowControl::kPacket, FlowControl::kMessage}),
      "How gradients travel: in packets with one head flit each, or in messages with a single head flit.",
      kCompiled, idle_ni);
  declare(keys,
          or_automatic(quantity_key(COPPICE_KEY(system.ni.payload), parse_bytes, format_bytes, Bytes{1},
                                    Bytes{1 << 20}),
                       [](Config& config) { config.system.ni.payload = 0; }),
          "The payload of a packet. auto: 16 flits.", kCompiled, idle_payload);
  // The lockstep affects schedules, since tables contain nops only if it is used.
  declare(keys, flag_key(COPPICE_KEY(system.ni.lockstep)),
          "Whether network interfaces delay a timestep until the nominal end of the previous one.", kCompiled,
          idle_ni);
  declare(keys, integer_key(COPPICE_KEY(system.ni.buffer), 1, 1 << 20),
          "The number of flits that a port buffers between memory and the network.", kMessages,
          idle_ni_buffer);
  declare(keys, integer_key(COPPICE_KEY(system.ni.dma_latency), 1, 1'000'000),
          "The number of cycles from a memory request to its first flit.", kCompiled, idle_message_time);
  declare(keys, integer_key(COPPICE_KEY(system.ni.reduction_latency), 1, 1'000'000),
          "The latency of the adder pipeline in cycles.", kMessages, idle_reduction_latency);
  declare(keys,
          quantity_key(COPPICE_KEY(system.ni.launch), parse_duration, format_duration, Femtoseconds{0},
                       kFemtosecondsPerSecond)
              .shown_as("5 us")
              .unless_usual("0 ns"),
          "The time from the call of a collective to its first message, which covers the kernel launch, the "
          "doorbell and synchronisation.",
          kMessages, idle_ni);
  declare(keys,
          quantity_key(COPPICE_KEY(system.ni.message_setup), parse_duration, format_duration, Femtoseconds{0},
                       kFemtosecondsPerSecond),
          "The time a port needs to set up a message, before any of its data moves.", kCompiled,
          idle_message_time);
  declare(
      keys, protocols_key(),
      "The protocols available to collectives. Each collective uses the one with the shortest expected time.",
      kCompiled, idle_message_time);
  declare(
      keys, reduction_bandwidth_key(),
      "The bandwidth at which a port of a reducing switch accepts data (default: the bandwidth of its link).",
      kCompiled, idle_ni);
  declare(keys, number_key(COPPICE_KEY(system.ni.reduction_flits_per_cycle), 0.001, 1024),
          "The number of flits per cycle that a port's adder accepts.", kSimulations, idle_reduction_rate);
  declare(keys, enum_key(COPPICE_KEY(system.ni.impl), kImplementations),
          "The network interface implementation: the SystemC model or the Verilated Verilog.", kRunOnly,
          idle_ni);
  declare(keys, rtl_nodes_key(),
          "The accelerators that have a Verilog network interface, if system.ni.impl is rtl.", kRunOnly,
          idle_rtl_nodes);
}

bool trains(const Loaded& loaded) {
  return loaded.places.contains("training");
}

Key model_key() {
  Key key;
  key.path = "training.model";
  key.schema = value_schema::text();
  key.example = "resnet50";
  key.form = "a model listed by 'coppice list', or the path of a layer table (CSV)";
  key.read = [path = key.path](const Node& value, Config& config) {
    const std::string expected = "a model listed by 'coppice list', or the name of a layer table (CSV)";
    const std::string text = read_name_or_file(value, path, expected);
    if (text.empty()) refuse(value, path, expected);
    config.training.model = text;
  };
  key.write = [](const Config& config) { return Json(config.training.model); };
  key.excused = [](const Loaded& loaded, Purpose purpose) {
    return purpose == Purpose::kRun && (!trains(loaded) || runs_program(loaded.config));
  };
  return key;
}

void add_training_keys(std::vector<Key>& keys) {
  // Results contain these keys only if a model is trained.
  const auto named = [](const Config& config) { return !config.training.model.empty(); };
  declare(keys, model_key().written_if(named), "The neural network to train, or its layer table.",
          {Purpose::kRun, Purpose::kTextRun, Purpose::kLayers}, nullptr, kTrained);
  declare(keys, integer_key(COPPICE_KEY(training.batch_per_accelerator), 1, 65536).written_if(named),
          "The number of samples per accelerator per iteration.", kTrained, idle_batch);
  using workload::Overlap;
  declare(keys,
          enum_key(COPPICE_KEY(training.overlap),
                   std::vector{Overlap::kNone, Overlap::kLayerWise, Overlap::kBucketed, Overlap::kChained})
              .shown_as("layer_wise")
              .written_if(named),
          "Which communication of an iteration overlaps with its computation.", kRuns, idle_copies);
  declare(keys,
          quantity_key(COPPICE_KEY(training.bucket), parse_bytes, format_bytes, Bytes{1}, Bytes{1} << 40)
              .shown_as("25 MB")
              .written_if([named](const Config& config) {
                return named(config) && config.training.overlap == Overlap::kBucketed;
              }),
          "The size of the gradient buckets, if overlap is bucketed.", kRunOnly, idle_bucket);
  using workload::AllGatherBytes;
  declare(keys,
          enum_key(COPPICE_KEY(training.all_gather_bytes),
                   std::vector{AllGatherBytes::kInput, AllGatherBytes::kTotal})
              .written_if(trains_text_workload),
          "Whether the size of an all-gather in a text workload is one rank's input or the total.", kRuns,
          idle_all_gather_bytes);
  declare(keys, name_key(COPPICE_KEY(training.optimizer), {"sgd", "momentum", "adam"}).written_if(named),
          "The optimizer, which determines how much data a weight update moves and stores.", kTrained,
          idle_optimizer);
}

// A key whose value "auto" leaves the choice to the scheduler.
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

Key group_key() {
  Key key;
  key.path = "collective.group";
  key.example = "[0, 1, 2, 3]";
  key.form = "at least two accelerators";
  key.schema = value_schema::list(value_schema::integer(0, kMostNodes - 1), 2);
  key.read = [path = key.path](const Node& value, Config& config) {
    config.collective.group = read_integers(value, path, 0, kMostNodes - 1);
    if (config.collective.group.size() < 2) refuse(value, path, "at least two accelerators");
  };
  key.write = [](const Config& config) {
    return config.collective.group.empty() ? Json() : Json(config.collective.group);
  };
  return key;
}

std::string idle_collective_chunks(const Config& config, const Use& use) {
  const bool runs = use.purpose == Purpose::kRun || work_of(config) == Work::kGroup;
  return runs ? idle_chunks(config, config.collective.op) : "";
}

void add_collective_keys(std::vector<Key>& keys) {
  constexpr Purposes kCollectives{Purpose::kRun, Purpose::kSchedule, Purpose::kBound};
  constexpr Purposes kCompiled{Purpose::kRun, Purpose::kSchedule};
  constexpr Purposes kPlanned{Purpose::kRun, Purpose::kSchedule, Purpose::kTextRun};
  declare(keys,
          enum_key(COPPICE_KEY(collective.op),
                   std::vector(workload::kNamedCollectives.begin(), workload::kNamedCollectives.end())),
          "The operation that the collective performs.", kCollectives, idle_op);
  declare(keys, integer_key(COPPICE_KEY(collective.root), 0, kMostNodes - 1),
          "The accelerator that sends a broadcast or receives the result of a reduce.", kCollectives,
          idle_root);
  declare(
      keys,
      name_key(COPPICE_KEY(collective.algorithm), schedule::algorithms_that([](const auto&) { return true; }))
          .excused_if([](const Loaded& loaded, Purpose) { return names_collectives(loaded.config); }),
      "The scheduling algorithm; 'coppice list' describes all algorithms.", kPlanned, nullptr, kCompiled);
  declare(keys,
          file_key(COPPICE_KEY(collective.file), "the name of a schedule (JSON)", "schedule.json")
              .excused_if([](const Loaded& loaded, Purpose) { return !reads_tables(loaded.config); }),
          "The schedule file to run if collective.algorithm is file.", kCompiled, idle_schedule_file,
          kCompiled);
  declare(
      keys,
      quantity_key(COPPICE_KEY(collective.size), parse_bytes, format_bytes, Bytes{1}, Bytes{1} << 40)
          .shown_as("1 MiB")
          .written_if([](const Config& config) { return config.collective.size != 0; })
          .excused_if([](const Loaded& loaded, Purpose purpose) {
            return purpose == Purpose::kRun && (trains(loaded) || names_collectives(loaded.config));
          }),
      "The size of every accelerator's buffer, padded to a whole number of 4-byte elements per accelerator.",
      kCollectives, idle_size, kCollectives);
  declare(keys, group_key(), "The accelerators that participate, in this order (default: all).", kCollectives,
          idle_group);
  declare(keys, automatic_key(COPPICE_KEY(collective.chunks), schedule::kAutomaticChunks, 1, 1 << 20),
          "The number of chunks that move independently; auto lets Coppice choose it.", kPlanned,
          idle_collective_chunks);
  declare(
      keys, integer_key(COPPICE_KEY(collective.planes), 0, kMostNodes - 1),
      "How many planes of the network (interchangeable switches or parallel links), starting with the "
      "fastest, an algorithm written for one plane uses; 0: all of them, in proportion to their bandwidth.",
      kCompiled, idle_planes);
  using schedule::TreePlacement;
  declare(
      keys,
      enum_key(COPPICE_KEY(collective.trees), std::vector{TreePlacement::kAuto, TreePlacement::kRouted,
                                                          TreePlacement::kEmbedded, TreePlacement::kCcube}),
      "How the trees of tree algorithms are placed on the network.", kCompiled, idle_trees);
  using schedule::ChunkScheduler;
  declare(
      keys,
      enum_key(
          KeyAt(
              "collective.scheduler", [](auto& c) -> auto& { return c.collective.chunk_policy.scheduler; }),
          std::vector{ChunkScheduler::kBaseline, ChunkScheduler::kThemis, ChunkScheduler::kThemisPlus}),
      "How the dimension order of each chunk of a hierarchical collective is chosen.", kPlanned,
      idle_scheduler);
  declare(keys, intra_dimension_key(),
          "Which chunk a dimension serves first; auto: the scheduler's usual order.", kPlanned,
          idle_scheduler);
  declare(keys, dimension_algorithms_key(),
          "The algorithm of every dimension of a hierarchy (default: ring for rings, direct for fully "
          "connected groups, halving_doubling for switches).",
          kPlanned, idle_scheduler);
}

Key seed_key() {
  Key key;
  key.path = "seed";
  key.schema = {{"type", "integer"}, {"minimum", 0}};
  key.form = "a whole number from 0 to 18446744073709551615";
  key.read = [path = key.path](const Node& value, Config& config) {
    config.seed = read_unsigned(value, path);
  };
  key.write = [](const Config& config) { return Json(config.seed); };
  return key;
}

Key observed_nodes_key() {
  Key key;
  key.path = "observe.nodes";
  key.schema = value_schema::list(value_schema::integer(0, kMostNodes - 1), 1);
  key.form = "a list of accelerators";
  key.read = [path = key.path](const Node& value, Config& config) {
    config.observe_nodes = read_integers(value, path, 0, kMostNodes - 1);
  };
  key.write = [](const Config& config) { return Json(config.observe_nodes); };
  return key;
}

void add_run_keys(std::vector<Key>& keys) {
  declare(keys,
          enum_key(COPPICE_KEY(fidelity), std::vector{Fidelity::kAuto, Fidelity::kFlit, Fidelity::kLeap,
                                                      Fidelity::kTrain, Fidelity::kFluid}),
          "The level of detail at which the network is simulated: flits, leaps, trains or fluid flows.",
          kMessages);
  declare(
      keys,
      enum_key(COPPICE_KEY(check),
               std::vector{Check::kAuto, Check::kValues, Check::kContributions, Check::kOff}),
      "How sums are verified: by values, by contributions, or not at all (off); auto lets Coppice choose.",
      kMessages);
  declare(keys, seed_key(), "The seed of all random numbers.", kSimulations, idle_seed);
  declare(keys, integer_key(COPPICE_KEY(max_cycles), 0, std::numeric_limits<std::int64_t>::max()),
          "The number of cycles after which an unfinished run fails; 0 means no limit.", kSimulations);
  declare(keys, observed_nodes_key(), "The accelerators whose signals are written to waveforms.", kRunOnly,
          idle_observation);
}

// The hardware keys. Results omit them unless one is set.
void add_hardware_keys(std::vector<Key>& keys) {
  std::vector<std::string> names;
  for (const Technology& technology : technologies()) names.emplace_back(technology.name);
  declare(keys, name_key(COPPICE_KEY(hardware.technology), names),
          "The process technology for which results contain area and energy.", kHardware);
  declare(keys,
          file_key(COPPICE_KEY(hardware.energies), "the name of a YAML file of areas and energies",
                   "energies.yaml"),
          "A file of areas and energies to use instead of the built-in one.", kHardware, idle_energies);
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
  return keys;
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> all = make_keys();
  return all;
}

const RetiredKey* find_retired_key(std::string_view path) {
  static constexpr std::array kRetired{
      RetiredKey{"routing.order", "leave it out: the greedy method assigns flows in the order of the jobs"},
      RetiredKey{"routing.threads",
                 "leave it out: assigning paths to a job takes microseconds on one thread"},
      RetiredKey{"routing.annealing", "leave it out: annealing uses Hedera's parameters"}};
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
