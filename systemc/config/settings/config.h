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

// The configuration as plain data. Its defaults describe the machine in the MultiTree paper. The loader
// (config/loader.h) builds it once, and it is then passed by const reference; no code outside config/ reads
// YAML.
namespace coppice::config {

enum class Fidelity { kAuto, kFlit, kTrain, kFluid, kLeap };
enum class Check { kAuto, kValues, kContributions, kOff };
enum class FlowControl { kPacket, kMessage };
enum class Implementation { kSystemc, kRtl };
// Which context a network-interface port serves first if several could issue a message: the next in rotation,
// the one with the highest priority, or the one that started first.
enum class ContextOrder { kRoundRobin, kPriority, kFifo };
// The treatment of a collective's messages that arrive before the receiving accelerator has joined the
// collective: they are held until it joins or, once its tables are loaded, added and stored on arrival.
enum class EarlyMessages { kHeld, kAdded };
// How packets of synthetic traffic are routed (topology/networks/adaptive_routing.h): on a precomputed
// shortest path; through a node that is chosen at random for each packet; on the least busy shortest path,
// chosen at every router; or on the less busy of a shortest path and a path through a random node, chosen at
// the source.
enum class PacketRouting { kMinimal, kValiant, kAdaptive, kUgal };
// Which packet a router serves first if several request a virtual channel or the switch: the next in
// rotation, or the one that was created first.
enum class Arbitration { kRoundRobin, kAge };

struct TopologyConfig {
  std::string kind;       // system.topology.kind; required
  std::vector<int> dims;  // topology/networks/builders.h defines their meaning; empty for the kind `file`
  // For the kind `file`: the name of a graph file (topology/files/graph_file.h).
  std::string file{};
  std::vector<topology::DimensionSpec> dimensions{};  // for kind `hierarchy`; each has `bundled` set
  bool bundled = true;  // for kind `hierarchy`: whether an accelerator's links to a switch are one channel
  bool operator==(const TopologyConfig&) const = default;
};

// With `check: auto`, values are simulated if the gradients of all accelerators together have at most this
// size.
inline constexpr Bytes kValuesLimit = Bytes{256} << 20;

// Each list contains one value for all dimensions, or one for each dimension.
struct LinkConfig {
  std::vector<Bandwidth> bandwidth{{16'000'000'000}};
  std::vector<Femtoseconds> latency{150 * kFemtosecondsPerNanosecond};
  std::vector<double> efficiency{1.0};  // the fraction of the bandwidth that messages can use
  bool operator==(const LinkConfig&) const = default;
};

// A protocol that network interfaces can use for messages (system.ni.protocols), such as one of NCCL's.
struct ProtocolConfig {
  std::string name{};
  double efficiency = 1;                 // the share of the sent bytes that is data
  Femtoseconds setup = 0;                // replaces system.ni.message_setup
  std::optional<Femtoseconds> launch{};  // nullopt: system.ni.launch
  // The protocol applies to collectives of `from` to `up_to` bytes with these algorithms, operations and
  // numbers of accelerators; nullopt or empty: any.
  std::optional<Bytes> from{};
  std::optional<Bytes> up_to{};
  std::vector<std::string> algorithms{};
  std::vector<std::string> operations{};
  std::vector<int> ranks{};  // the smallest and the largest number of accelerators; empty: any
  bool operator==(const ProtocolConfig&) const = default;
};

// Settings that apply to all switches.
struct SwitchConfig {
  // The bandwidth of the adder at each port of a reducing switch; nullopt: that of the port's channel.
  std::optional<Bandwidth> reduction_bandwidth{};
  bool operator==(const SwitchConfig&) const = default;
};

// Delays are in cycles of `system.clock`.
struct RouterConfig {
  int vcs = 4;
  int vc_depth = 318;  // in flits
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
  int ports = 0;  // 0: one for each channel that leaves the accelerator
  FlowControl flow_control = FlowControl::kPacket;
  Bytes payload = 256;  // bytes per packet
  bool lockstep = true;
  int buffer = 896;     // flits per port between DMA and injection: (32 + 16) packets of 17 flits, plus 80
  int dma_latency = 4;  // cycles from a memory request to its first flit
  int reduction_latency = 4;               // latency of the adder pipeline in cycles
  Femtoseconds message_setup = 0;          // the time before each message during which the port moves no data
  double reduction_flits_per_cycle = 1.0;  // per port
  int contexts = 8;                        // maximum number of a program's collectives in flight
  ContextOrder context_order = ContextOrder::kRoundRobin;
  int table_load = 4;  // cycles to load one table entry through the registers
  EarlyMessages early_messages = EarlyMessages::kHeld;
  Implementation impl = Implementation::kSystemc;
  std::vector<int> rtl_nodes{};  // for impl `rtl`: the accelerators with a Verilog NI; empty: all
  Femtoseconds launch = 0;       // the time from the call of a collective until its first entry may issue
  // Each collective uses the fastest protocol that applies to it; empty: all messages use the same protocol.
  std::vector<ProtocolConfig> protocols{};
  bool operator==(const NiConfig&) const = default;
};

// A GPU in the roofline model, by default a V100: its peak rates, the fractions of them that its kernels
// reach, and the time to launch a kernel.
struct RooflineConfig {
  double peak_tflops = 15.7;
  double efficiency = 0.6;
  Bandwidth memory_bandwidth{900'000'000'000};
  double memory_efficiency = 1;
  Femtoseconds launch = 0;
  bool operator==(const RooflineConfig&) const = default;
};

// The sizes of a PE's buffers; nullopt: large enough for the whole operand.
struct BuffersConfig {
  std::optional<Bytes> input = std::nullopt;
  std::optional<Bytes> weight = std::nullopt;
  std::optional<Bytes> output = std::nullopt;
  bool operator==(const BuffersConfig&) const = default;
};

struct AcceleratorConfig {
  std::string model = "systolic";  // systolic or roofline
  RooflineConfig roofline{};
  std::string kernels{};  // name of a table of measured times (workload/kernel_times.h); empty: none
  // The fraction by which computations take longer on an accelerator that forwards other accelerators'
  // messages (C-Cube, Sec. V-C: 3 to 4%).
  double forwarding_cost = 0.035;
  int pes = 16;
  std::vector<int> array{32, 32};
  std::string dataflow = "output_stationary";
  Frequency clock{1'000'000'000};
  std::string timing = "formula";     // formula, or array, which moves operands through the PEs
  std::string convention = "causal";  // causal or scale_sim
  std::string split = "best";         // how the PEs divide a layer (accelerator/split.h)
  BuffersConfig buffers{};
  std::string tiling = "least_traffic";                      // see accelerator/buffers/tiling.h
  std::optional<Bytes> memory = std::nullopt;                // nullopt: unlimited
  std::optional<Bandwidth> memory_bandwidth = std::nullopt;  // nullopt: unlimited
  int pe_latency = 0;             // number of registers between a PE's multiplier and its adder
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

// Settings for a program's collectives with one operation; empty or 0: those of `collective` apply.
struct CollectiveChoice {
  std::string algorithm{};
  int chunks = 0;
  bool operator==(const CollectiveChoice&) const = default;
};

// One of several programs that share the machine.
struct ProgramJobConfig {
  std::string name{};
  std::string file{};        // name of a program file (config/files/program_file.h)
  Femtoseconds arrival = 0;  // the earliest time at which its operations may start
  // The accelerator of each rank; empty: the first accelerators that no earlier job uses.
  std::vector<int> accelerators{};
  bool operator==(const ProgramJobConfig&) const = default;
};

// A link, which fails in both directions, or an accelerator that fails while programs run.
struct ProgramFailureConfig {
  std::vector<int> link{};  // the nodes at its ends; empty if an accelerator fails
  int accelerator = -1;
  Femtoseconds at = 0;
  bool operator==(const ProgramFailureConfig&) const = default;
};

// A workload that is given as a program or as a trace.
struct ProgramConfig {
  std::string file{};   // name of a program file (config/files/program_file.h)
  std::string trace{};  // name of a trace's files, in which {rank} stands for the rank's number
  // The actual computation time divided by the nominal time: one value for all ranks, or one for each rank;
  // empty: 1.
  std::vector<double> jitter{};
  // [operation]: the keys collectives.OP.
  std::map<workload::CollectiveOp, CollectiveChoice> collectives{};
  std::string groups{};         // for a trace: name of a file that lists the ranks of its groups
  bool follow_control = false;  // whether program.dependencies is `all` instead of `data`
  std::vector<ProgramJobConfig> jobs{};
  std::vector<ProgramFailureConfig> failures{};
  Femtoseconds restart = 0;  // the time from a failure until the jobs that it stopped resume
  bool operator==(const ProgramConfig&) const = default;
};

// The training of a large model. Used only if training.parallel is set.
struct LargeTrainingConfig {
  bool laid_out = false;  // whether training.parallel is set; not a key itself
  workload::ParallelSpec parallel{};
  bool sequence_parallel = false;  // training.parallel.sequence
  int micro_batches = 1;
  workload::PipelineSchedule schedule = workload::PipelineSchedule::kOneForwardOneBackward;
  int interleave = 0;  // number of layer chunks per rank; 0: 2 for the interleaved schedule, otherwise 1
  std::int64_t sequence = 0;  // tokens per sample; 0: the model's default
  int zero = 0;
  workload::Recomputation recompute = workload::Recomputation::kNone;
  workload::ContextExchange context_exchange = workload::ContextExchange::kRing;
  int iterations = 1;
  bool operator==(const LargeTrainingConfig&) const = default;
};

// An iteration of data-parallel training, whose gradients are reduced by `collective.algorithm`.
struct TrainingConfig {
  std::string model;  // a table in configs/workloads/, or the path of a table; empty: no training
  int batch_per_accelerator = 16;  // samples
  workload::Overlap overlap = workload::Overlap::kNone;
  // Whether the size of an ALLGATHER in a text workload is the input of one rank or the total.
  workload::AllGatherBytes all_gather_bytes = workload::AllGatherBytes::kInput;
  std::string optimizer = "momentum";  // see accelerator/footprint.h
  Bytes bucket = 25'000'000;  // for overlap `bucketed`: the total size of gradients that are reduced together
  LargeTrainingConfig large{};
  bool operator==(const TrainingConfig&) const = default;
};

// The inference of a large model: a prefill of all prompts, then one decode step.
struct InferenceConfig {
  std::string model{};  // workload.inference.model; empty: none
  int batch = 1;        // number of requests
  int prompt = 1024;    // number of tokens per request
  int context = 0;      // tokens in the KV cache at the decode step; 0: as many as in the prompt
  int tensor = 1;
  int pipeline = 1;
  int expert = 1;
  bool operator==(const InferenceConfig&) const = default;
};

// A training job of a routing study. Settings that are missing come from the model or are random.
struct RoutedJobConfig {
  std::string model;  // a model of workload/large_model.h; empty: `copy`, `gradient` and `compute` are set
  int data_parallel = 2;  // number of copies of the model, which is also the number of accelerators per ring
  std::optional<Femtoseconds> arrival = std::nullopt;
  std::optional<int> copy = std::nullopt;        // number of accelerators per copy
  std::optional<Bytes> gradient = std::nullopt;  // bytes per accelerator
  // Time of the forward and backward pass of an iteration.
  std::optional<Femtoseconds> compute = std::nullopt;
  bool operator==(const RoutedJobConfig&) const = default;
};

// A spine that fails while jobs run.
struct SpineFailureConfig {
  int spine = 0;
  Femtoseconds at = 0;
  bool operator==(const SpineFailureConfig&) const = default;
};

enum class ComputeTime { kPublished, kPhysical };

// The path controller in "Routing for Large ML Models" (Sec. 3.2 to 3.5), and the hosts that report to it.
struct ControllerConfig {
  // The time for a message to travel from a host to the controller and back.
  Femtoseconds round_trip = 20'000 * kFemtosecondsPerNanosecond;
  // The time to compute an assignment that was not precomputed.
  Femtoseconds compute_time = 500'000 * kFemtosecondsPerNanosecond;
  // The time after which hosts fall back to ECMP.
  Femtoseconds timeout = 10'000'000 * kFemtosecondsPerNanosecond;
  // The time that hosts need to detect a failed path.
  Femtoseconds detection = 1'000'000 * kFemtosecondsPerNanosecond;
  Bytes elephant = 1 << 20;  // smaller messages are hashed and not reported to the controller
  // Whether the controller computes in advance the assignments for the next phases and for single failures.
  bool precompute = true;
  bool operator==(const ControllerConfig&) const = default;
};

// A study of path assignment ("Routing for Large ML Models"): training jobs that share a Clos network.
struct RoutingConfig {
  std::string method = "greedy";
  std::vector<RoutedJobConfig> jobs;  // required by `coppice route`
  routing::Placement placement = routing::Placement::kRandomHosts;
  int host = 8;  // number of accelerators per host
  int iterations = 10;
  // Jobs without an arrival time arrive at random times, uniformly distributed over this window.
  Femtoseconds arrival_window = 10 * kFemtosecondsPerSecond;
  ComputeTime compute = ComputeTime::kPublished;
  double utilization = 0.5;  // the fraction of its peak rate that an accelerator reaches, for kPhysical
  int random_failures = 0;   // number of randomly chosen spines that have already failed at the start
  std::vector<SpineFailureConfig> failures;
  ControllerConfig controller;
  bool operator==(const RoutingConfig&) const = default;
};

// Settings for area and energy. Results have no hardware section if the technology is empty.
struct HardwareConfig {
  std::string technology{};  // hardware.technology: the process for area and energy
  // hardware.energies: a YAML file of areas and energies that replaces the built-in one.
  std::string energies{};
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
  std::vector<int> observe_nodes{0};  // observe.nodes: the accelerators that waveforms show
  RoutingConfig routing;
  // system.topology.failed_spines and failed_links: spines and (ToR, spine) links for the kind `clos`; for
  // other kinds, links between two nodes.
  topology::ClosFailures failures;
  std::vector<topology::DegradedLink> degraded{};  // system.topology.degraded
  // Assumptions about details that input files do not specify, one sentence each. This is not a key, but
  // results contain the assumptions.
  std::vector<std::string> assumptions{};
  // Warnings that were printed when the configuration was loaded, such as keys without effect. This is not a
  // key, but results contain the warnings.
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
