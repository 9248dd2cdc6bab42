#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "routing/placement.h"
#include "topology/networks/clos.h"
#include "topology/networks/hierarchy.h"
#include "topology/structure/faults.h"
#include "workload/collective_spec.h"
#include "workload/large_training.h"
#include "workload/text_workload.h"
#include "workload/training_timeline.h"

// The typed configuration: plain data, whose defaults are the machine in the MultiTree paper. Built once by
// config/loader.h, then passed by const reference; no code outside this folder sees YAML.
namespace coppice::config {

enum class Fidelity { kAuto, kFlit, kTrain, kFluid, kLeap };
enum class Check { kAuto, kValues, kContributions, kOff };
enum class FlowControl { kPacket, kMessage };
enum class Implementation { kSystemc, kRtl };
// The context that a network-interface port serves first if several could issue: in rotation, by the highest
// priority, or by the earliest start.
enum class ContextOrder { kRoundRobin, kPriority, kFifo };
// How messages of a collective are treated before the receiving accelerator has joined it: held until it
// joins, or added and stored on arrival, once the tables are loaded.
enum class EarlyMessages { kHeld, kAdded };
// The routing of packets of synthetic traffic (topology/networks/adaptive_routing.h): a precomputed shortest
// path; a path through a random node, drawn per packet; the least busy shortest path, chosen at every router;
// or the less busy of a shortest path and a path through a random node, chosen at the source.
enum class PacketRouting { kMinimal, kValiant, kAdaptive, kUgal };
// The packet that a router serves first among those that request a virtual channel or the switch: in
// rotation, or the one created first.
enum class Arbitration { kRoundRobin, kAge };

struct TopologyConfig {
  std::string kind;       // system.topology.kind, required
  std::vector<int> dims;  // topology/networks/builders.h defines their meaning for each kind; empty for file
  // For kind file: a graph (topology/files/graph_file.h), relative to the working directory.
  std::string file{};
  std::vector<topology::DimensionSpec> dimensions{};  // for kind hierarchy; all are bundled
  bool bundled = true;  // for kind hierarchy: whether an accelerator's links to a switch are one channel
  bool operator==(const TopologyConfig&) const = default;
};

// `check: auto` simulates values if the gradients of all accelerators have at most this size in total.
inline constexpr Bytes kValuesLimit = Bytes{256} << 20;

// Each list holds one value for all dimensions, or one value per dimension.
struct LinkConfig {
  std::vector<Bandwidth> bandwidth{{16'000'000'000}};
  std::vector<Femtoseconds> latency{150 * kFemtosecondsPerNanosecond};
  std::vector<double> efficiency{1.0};  // the fraction of the bandwidth that messages can use
  bool operator==(const LinkConfig&) const = default;
};

// A protocol for messages that network interfaces can choose (system.ni.protocols), such as those of NCCL.
struct ProtocolConfig {
  std::string name{};
  double efficiency = 1;                 // bytes of data per byte sent
  Femtoseconds setup = 0;                // replaces system.ni.message_setup
  std::optional<Femtoseconds> launch{};  // nullopt: system.ni.launch
  // The protocol applies to collectives of `from` to `up_to` bytes with these algorithms, operations and
  // numbers of accelerators; nullopt or empty: any.
  std::optional<Bytes> from{};
  std::optional<Bytes> up_to{};
  std::vector<std::string> algorithms{};
  std::vector<std::string> operations{};
  std::vector<int> ranks{};  // the smallest and the largest number of accelerators
  bool operator==(const ProtocolConfig&) const = default;
};

// Settings that all switches share.
struct SwitchConfig {
  // Bandwidth of the adder at a reducing switch's port; nullopt: the bandwidth of the port's channel.
  std::optional<Bandwidth> reduction_bandwidth{};
  bool operator==(const SwitchConfig&) const = default;
};

// Delays are in cycles of `system.clock`.
struct RouterConfig {
  int vcs = 4;
  int vc_depth = 318;  // flits
  int routing_delay = 1;
  int vc_alloc_delay = 1;
  int sw_alloc_delay = 1;
  int st_delay = 1;
  int credit_delay = 1;
  Implementation impl = Implementation::kSystemc;
  PacketRouting routing = PacketRouting::kMinimal;
  Arbitration arbitration = Arbitration::kRoundRobin;
  bool operator==(const RouterConfig&) const = default;
};

struct NiConfig {
  int ports = 0;  // 0: one per out-channel of the accelerator (resolved by system/)
  FlowControl flow_control = FlowControl::kPacket;
  Bytes payload = 256;  // per packet
  bool lockstep = true;
  int buffer = 896;     // flits per port between DMA and injection: 32 + 16 packets of 17 flits, plus 80
  int dma_latency = 4;  // cycles from request to the first flit
  int reduction_latency = 4;               // cycles of the adder pipeline
  Femtoseconds message_setup = 0;          // time before each message, during which the port moves no data
  double reduction_flits_per_cycle = 1.0;  // per port
  int contexts = 8;                        // maximum number of a program's collectives in flight
  ContextOrder context_order = ContextOrder::kRoundRobin;
  int table_load = 4;  // cycles to load an entry of a table through the registers
  EarlyMessages early_messages = EarlyMessages::kHeld;
  Implementation impl = Implementation::kSystemc;
  std::vector<int> rtl_nodes{};  // for impl rtl: the accelerators whose NI is Verilog; empty: all
  Femtoseconds launch = 0;       // time from the call of a collective until its first entry may issue
  // The fastest applicable protocol is used; empty: one protocol for all messages.
  std::vector<ProtocolConfig> protocols{};
  bool operator==(const NiConfig&) const = default;
};

// A GPU of the roofline model, by default a V100: its peaks, the fractions of them that its kernels reach,
// and the time to launch a kernel.
struct RooflineConfig {
  double peak_tflops = 15.7;
  double efficiency = 0.6;
  Bandwidth memory_bandwidth{900'000'000'000};
  double memory_efficiency = 1;
  Femtoseconds launch = 0;
  bool operator==(const RooflineConfig&) const = default;
};

// The sizes of a PE's buffers; nullopt: as large as the operand.
struct BuffersConfig {
  std::optional<Bytes> input = std::nullopt;
  std::optional<Bytes> weight = std::nullopt;
  std::optional<Bytes> output = std::nullopt;
  bool operator==(const BuffersConfig&) const = default;
};

struct AcceleratorConfig {
  std::string model = "systolic";  // systolic or roofline
  RooflineConfig roofline{};
  std::string kernels{};  // a table of measured times (workload/kernel_times.h); empty: none
  // The fraction by which an accelerator computes longer if it forwards messages of others (C-Cube, Sec. V-C:
  // 3 to 4%).
  double forwarding_cost = 0.035;
  int pes = 16;
  std::vector<int> array{32, 32};
  std::string dataflow = "output_stationary";
  Frequency clock{1'000'000'000};
  std::string timing = "formula";     // formula, or array, in which operands move through the PEs
  std::string convention = "causal";  // causal or scale_sim
  std::string split = "best";         // how the PEs divide a layer (accelerator/split.h)
  BuffersConfig buffers{};
  std::string tiling = "least_traffic";                      // see accelerator/buffers/tiling.h
  std::optional<Bytes> memory = std::nullopt;                // nullopt: unlimited
  std::optional<Bandwidth> memory_bandwidth = std::nullopt;  // nullopt: unlimited
  int pe_latency = 0;             // registers between a PE's multiplier and its adder
  std::string operands = "fp32";  // type of the arrays' operands: fp32, bf16 or int8
  bool operator==(const AcceleratorConfig&) const = default;
};

struct SystemConfig {
  TopologyConfig topology;
  LinkConfig link;
  Frequency clock{1'000'000'000};
  Bytes flit = 16;
  RouterConfig router;
  NiConfig ni;
  SwitchConfig switches{};  // system.switch
  AcceleratorConfig accelerator;
  bool operator==(const SystemConfig&) const = default;
};

// The settings for a program's collectives of one operation; empty or 0: as in `collective`.
struct CollectiveChoice {
  std::string algorithm{};
  int chunks = 0;
  bool operator==(const CollectiveChoice&) const = default;
};

// A program among several that share the machine.
struct ProgramJobConfig {
  std::string name{};
  std::string file{};               // a program (workload/program_file.h)
  Femtoseconds arrival = 0;         // earliest start of its operations
  std::vector<int> accelerators{};  // one per rank; empty: the first accelerators that no earlier job uses
  bool operator==(const ProgramJobConfig&) const = default;
};

// A link (in both directions) or an accelerator that fails while programs run.
struct ProgramFailureConfig {
  std::vector<int> link{};  // the nodes at its ends; empty: an accelerator fails
  int accelerator = -1;
  Femtoseconds at = 0;
  bool operator==(const ProgramFailureConfig&) const = default;
};

// A workload given as a program or a trace.
struct ProgramConfig {
  std::string file{};   // a program (workload/program_file.h)
  std::string trace{};  // files of a trace, with {rank} in place of the rank's number
  // Actual divided by nominal computation time: one value for all ranks, or one per rank; empty: 1.
  std::vector<double> jitter{};
  // The keys collectives.OP, by operation.
  std::map<workload::CollectiveOp, CollectiveChoice> collectives{};
  std::string groups{};         // for a trace: a file with the ranks of its groups
  bool follow_control = false;  // whether program.dependencies is `all`, not only data
  std::vector<ProgramJobConfig> jobs{};
  std::vector<ProgramFailureConfig> failures{};
  Femtoseconds restart = 0;  // time from a failure until the jobs that it stopped restart
  bool operator==(const ProgramConfig&) const = default;
};

// The training of a large model; used only if training.parallel is set.
struct LargeTrainingConfig {
  bool laid_out = false;  // not a key: whether training.parallel is set
  workload::ParallelSpec parallel{};
  bool sequence_parallel = false;  // training.parallel.sequence
  int micro_batches = 1;
  workload::PipelineSchedule schedule = workload::PipelineSchedule::kOneForwardOneBackward;
  int interleave = 0;         // chunks of layers per rank; 0: 2 for the interleaved schedule, otherwise 1
  std::int64_t sequence = 0;  // tokens per sample; 0: the model's
  int zero = 0;
  workload::Recomputation recompute = workload::Recomputation::kNone;
  workload::ContextExchange context_exchange = workload::ContextExchange::kRing;
  int iterations = 1;
  bool operator==(const LargeTrainingConfig&) const = default;
};

// An iteration of data-parallel training, with all-reduces by `collective.algorithm`.
struct TrainingConfig {
  std::string model;  // a table in configs/workloads/, or the path of a table; empty: no training
  int batch_per_accelerator = 16;  // samples
  workload::Overlap overlap = workload::Overlap::kNone;
  // Whether the size of an ALLGATHER in a text workload is one rank's input or the total.
  workload::AllGatherBytes all_gather_bytes = workload::AllGatherBytes::kInput;
  std::string optimizer = "momentum";  // see accelerator/footprint.h
  Bytes bucket = 25'000'000;  // for overlap bucketed: total size of the gradients that are reduced together
  LargeTrainingConfig large{};
  bool operator==(const TrainingConfig&) const = default;
};

// The inference of a large model: a prefill of prompts, then a decode step.
struct InferenceConfig {
  std::string model{};  // workload.inference.model; empty: none
  int batch = 1;        // number of requests
  int prompt = 1024;    // tokens per request
  int context = 0;      // tokens in the KV cache at the decode step; 0: the number of prompt tokens
  int tensor = 1;
  int pipeline = 1;
  int expert = 1;
  bool operator==(const InferenceConfig&) const = default;
};

// A training job of a routing study. Missing settings are those of the model or are chosen at random.
struct RoutedJobConfig {
  std::string model;      // one of workload/large_model.h; empty: copy, gradient and compute are set
  int data_parallel = 2;  // copies of the model, which is the number of accelerators in a ring
  std::optional<Femtoseconds> arrival = std::nullopt;
  std::optional<int> copy = std::nullopt;              // accelerators in a full copy
  std::optional<Bytes> gradient = std::nullopt;        // per accelerator
  std::optional<Femtoseconds> compute = std::nullopt;  // forward and backward pass of one iteration
  bool operator==(const RoutedJobConfig&) const = default;
};

// A spine that fails while jobs run.
struct SpineFailureConfig {
  int spine = 0;
  Femtoseconds at = 0;
  bool operator==(const SpineFailureConfig&) const = default;
};

enum class ComputeTime { kPublished, kPhysical };

// The controller and its hosts (Sec. 3.2 to 3.5 of the paper).
struct ControllerConfig {
  Femtoseconds round_trip = 20'000 * kFemtosecondsPerNanosecond;  // from host to controller and back
  // For an assignment that was not predicted.
  Femtoseconds compute_time = 500'000 * kFemtosecondsPerNanosecond;
  Femtoseconds timeout = 10'000'000 * kFemtosecondsPerNanosecond;  // after this time, hosts fall back to ECMP
  // Time that hosts take to detect a failed path.
  Femtoseconds detection = 1'000'000 * kFemtosecondsPerNanosecond;
  Bytes elephant = 1 << 20;  // smaller messages are hashed and never reported
  // Whether assignments for the next phases and for single failures are computed in advance.
  bool precompute = true;
  bool operator==(const ControllerConfig&) const = default;
};

// A study of path assignment: jobs on a Clos network ("Routing for Large ML Models").
struct RoutingConfig {
  std::string method = "greedy";
  std::vector<RoutedJobConfig> jobs;  // required by `route`
  routing::Placement placement = routing::Placement::kRandomHosts;
  int host = 8;  // accelerators per host
  int iterations = 10;
  // Jobs arrive in this window at uniformly distributed times.
  Femtoseconds arrival_window = 10 * kFemtosecondsPerSecond;
  ComputeTime compute = ComputeTime::kPublished;
  double utilization = 0.5;  // fraction of the accelerators' peak that they reach, for the physical time
  int random_failures = 0;   // number of randomly chosen spines that have failed for the whole run
  std::vector<SpineFailureConfig> failures;
  ControllerConfig controller;
  bool operator==(const RoutingConfig&) const = default;
};

// The hardware model; results have no hardware section if the technology is empty.
struct HardwareConfig {
  std::string technology{};  // hardware.technology: the process of area and energy results
  std::string energies{};    // hardware.energies: a file of energies (YAML) that replaces the built-in file
  bool operator==(const HardwareConfig&) const = default;
};

struct Config {
  SystemConfig system;
  workload::CollectiveSpec collective;
  TrainingConfig training;
  InferenceConfig inference{};  // workload.inference
  ProgramConfig program;
  Fidelity fidelity = Fidelity::kAuto;
  Check check = Check::kAuto;
  std::uint64_t seed = 1;
  Cycles max_cycles = 0;              // 0: no limit
  std::vector<int> observe_nodes{0};  // observe.nodes: accelerators that --vcd records
  RoutingConfig routing;
  // system.topology.failed_spines and failed_links: spines and (ToR, spine) links for kind clos, and links
  // between two nodes for other kinds.
  topology::ClosFailures failures;
  std::vector<topology::DegradedLink> degraded{};  // system.topology.degraded
  // Assumptions about details that input files do not specify, one sentence each. Not a key; results repeat
  // them.
  std::vector<std::string> assumptions{};
  // Warnings printed when the configuration was loaded, such as keys without effect. Not a key; results
  // repeat them.
  std::vector<std::string> warnings{};
  HardwareConfig hardware{};
  bool operator==(const Config&) const = default;
};

const char* to_string(Fidelity fidelity);
const char* to_string(Check check);
const char* to_string(FlowControl flow_control);
const char* to_string(Implementation implementation);
const char* to_string(ContextOrder order);
const char* to_string(EarlyMessages messages);
const char* to_string(PacketRouting routing);
const char* to_string(Arbitration arbitration);
const char* to_string(ComputeTime compute);

}  // namespace coppice::config
