#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "topology/hierarchy.h"
#include "workload/training_timeline.h"

// The typed configuration: plain data with the defaults of the MultiTree machine (FACTS in the README's
// sources). Built once by config/loader.h, then passed by const reference; nothing below this folder sees
// YAML.
namespace coppice::config {

enum class Fidelity { kAuto, kFlit, kTrain, kFluid };
enum class Check { kAuto, kValues, kContributions, kOff };
enum class FlowControl { kPacket, kMessage };
enum class Implementation { kSystemc, kRtl };

struct TopologyConfig {
  std::string kind;       // system.topology.kind, required
  std::vector<int> dims;  // topology/builders.h says what they mean to each kind; none for file
  std::string file{};     // of kind file: a graph (topology/graph_file.h), relative to the working directory
  std::vector<topology::DimensionSpec> dimensions{};  // of kind hierarchy
  bool operator==(const TopologyConfig&) const = default;
};

// `check: auto` carries values while the gradients of all accelerators take no more.
inline constexpr Bytes kValuesLimit = Bytes{256} << 20;

// One value for every dimension, or a list with one per dimension.
struct LinkConfig {
  std::vector<Bandwidth> bandwidth{{16'000'000'000}};
  std::vector<Femtoseconds> latency{150 * kFemtosecondsPerNanosecond};
  bool operator==(const LinkConfig&) const = default;
};

// The delays are cycles of `system.clock`.
struct RouterConfig {
  int vcs = 4;
  int vc_depth = 318;  // flits
  int routing_delay = 1;
  int vc_alloc_delay = 1;
  int sw_alloc_delay = 1;
  int st_delay = 1;
  int credit_delay = 1;
  Implementation impl = Implementation::kSystemc;
  bool operator==(const RouterConfig&) const = default;
};

struct NiConfig {
  int ports = 0;  // 0: one per out-channel of the accelerator (resolved by system/)
  FlowControl flow_control = FlowControl::kPacket;
  Bytes payload = 256;  // of a packet
  bool lockstep = true;
  int buffer = 896;  // flits a port holds between DMA and injection: 32 + 16 packets of 17 flits, and 80 more
  int dma_latency = 4;                     // cycles from request to the first flit
  int reduction_latency = 4;               // cycles, the adder pipeline
  double reduction_flits_per_cycle = 1.0;  // per port
  Implementation impl = Implementation::kSystemc;
  bool operator==(const NiConfig&) const = default;
};

struct AcceleratorConfig {
  int pes = 16;
  std::vector<int> array{32, 32};
  std::string dataflow = "output_stationary";
  Frequency clock{1'000'000'000};
  std::optional<Bandwidth> memory_bandwidth = std::nullopt;  // unlimited
  bool operator==(const AcceleratorConfig&) const = default;
};

struct SystemConfig {
  TopologyConfig topology;
  LinkConfig link;
  Frequency clock{1'000'000'000};
  Bytes flit = 16;
  RouterConfig router;
  NiConfig ni;
  AcceleratorConfig accelerator;
  bool operator==(const SystemConfig&) const = default;
};

// `collective.algorithm` of tables that are read and not compiled.
inline constexpr const char* kAlgorithmFile = "file";

struct CollectiveConfig {
  std::string op = "all_reduce";
  std::string algorithm;  // required by run and schedule
  std::string file{};     // of algorithm file: tables as JSON, relative to the working directory
  Bytes size = 0;         // required by schedule, and by run unless it trains; whole elements of 4 B
  int root = 0;           // of broadcast and reduce: the accelerator that has, or gets, all the data
  int chunks = 1;         // that move on their own; schedule/compiler.h says of what
  bool operator==(const CollectiveConfig&) const = default;
};

// An iteration of data-parallel training, its all-reduces by `collective.algorithm`.
struct TrainingConfig {
  std::string model;  // a table in configs/workloads/, or the path of one; empty: nothing is trained
  int batch_per_accelerator = 16;  // samples
  workload::Overlap overlap = workload::Overlap::kNone;
  bool operator==(const TrainingConfig&) const = default;
};

struct Config {
  SystemConfig system;
  CollectiveConfig collective;
  TrainingConfig training;
  Fidelity fidelity = Fidelity::kAuto;
  Check check = Check::kAuto;
  std::uint64_t seed = 1;
  Cycles max_cycles = 0;              // 0: no limit
  std::vector<int> observe_nodes{0};  // observe.nodes: accelerators that --vcd records
  bool operator==(const Config&) const = default;
};

const char* to_string(Fidelity fidelity);
const char* to_string(Check check);
const char* to_string(FlowControl flow_control);
const char* to_string(Implementation implementation);

}  // namespace coppice::config
