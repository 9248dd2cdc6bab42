#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "schedule/compile/chunk_policy.h"
#include "schedule/compile/cost_model.h"
#include "schedule/compile/latency_model.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// How tree algorithms map their trees onto the network (tree_compilers.h).
enum class TreePlacement { kAuto, kRouted, kEmbedded, kCcube };
const char* to_string(TreePlacement placement);

// The value of CompileRequest::chunks that stands for an automatic choice: an algorithm with
// Chunking::kChosen chooses the best number of chunks; one with kWhole uses 1.
inline constexpr int kAutomaticChunks = 0;

// A compiler's inputs other than the topology.
struct CompileRequest {
  Collective collective = Collective::kAllReduce;
  Bytes size = 0;
  Bytes element = 4;
  int ni_ports = 1;  // number of NI ports, and thus tables, per accelerator
  // The function that routes messages between accelerators that are not neighbours.
  const topology::RoutingFunction* routing = nullptr;
  std::uint64_t seed = 1;  // random seed for compilers that break ties at random
  // The number of independently moving pieces into which data is cut. Depending on the algorithm, this data
  // is every accelerator's chunk (multitree_optimal), the whole buffer (with a root, or hierarchical), or
  // every tree's part of the buffer (tree, double_tree and their overlapped forms). Other algorithms accept
  // only 1.
  int chunks = 1;
  // The root of a broadcast (an all-gather in which only the root has data) or of a reduce (a reduce-scatter
  // after which the root has all data). Only algorithms with AlgorithmInfo::rooted support it.
  NodeId root = topology::kNoNode;
  // The fixed cost of a step, which is alpha in the cost model that chooses the number of chunks.
  Femtoseconds step_latency = 0;
  // The part of step_latency during which the port sends nothing, that is, the gap between consecutive
  // messages.
  Femtoseconds message_gap = 0;
  TreePlacement trees = TreePlacement::kAuto;
  // The maximum number of planes of the network to use (spread.h), for algorithms with
  // AlgorithmInfo::one_plane; 0: all planes.
  int planes = 0;
  // If there are more accelerators than this, a schedule that looks the same from every accelerator is stored
  // as one accelerator's tables (translated_tables.h).
  int pattern_beyond = 256;
  // Used only by algorithms with AlgorithmInfo::over_dimensions.
  ChunkPolicy chunk_policy = {};
  StepTiming timing = {};
};

struct AllToAllAlgorithm;

// Compiles a collective on a topology into reduce-schedule tables. Every algorithm is a final class.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // Throws UnsupportedError with the reason if the algorithm does not support the request.
  virtual Schedule compile(const topology::Topology& topology, const CompileRequest& request) const = 0;
};

// The values of CompileRequest::chunks that an algorithm accepts.
enum class Chunking : std::uint8_t {
  kWhole,   // only 1, which is also used for kAutomaticChunks
  kGiven,   // only the number that the tables in a file already have
  kChosen,  // any number; for kAutomaticChunks the algorithm chooses the best
};

// How `algorithm: auto` tries an algorithm.
struct AutomaticTrial {
  // Trials run in ascending order of `turn`. The algorithms that are usually fastest come first, and
  // algorithms that give up once another algorithm is known to be faster come last.
  int turn = 0;
  int chunks = 1;
  // Estimates the CPU seconds needed to compile the algorithm's tables for the network and to predict their
  // time. choose_algorithm() uses the estimate to decide whether to try the algorithm (effort.h). nullptr:
  // the time is negligible.
  double (*seconds)(const topology::Topology& topology, const CompileRequest& request) = nullptr;
  bool first = false;  // whether this trial's seconds are reserved before those of other trials
  // For algorithms with AlgorithmInfo::over_dimensions: the scheduler, and whether switches run the direct
  // algorithm (direct_in_switches()). Trials other than the default are skipped if they make no difference or
  // if the request's ChunkPolicy names another scheduler or the methods.
  ChunkScheduler scheduler = ChunkScheduler::kBaseline;
  bool direct_in_switches = false;
};

// Everything the code knows about an algorithm; do not compare names elsewhere. Each compiler has a static
// function info() that returns its AlgorithmInfo.
struct AlgorithmInfo {
  std::string name{};     // name in configurations
  std::string summary{};  // one line of text
  Chunking chunking = Chunking::kWhole;
  bool rooted = false;              // supports collectives with a root: broadcast and reduce
  bool has_tree_placement = false;  // supports CompileRequest::trees
  bool over_dimensions = false;     // moves chunks through a hierarchy, whose switches may reduce
  bool from_file = false;           // has no compiler; its tables are read from a file
  // whether the compiler uses only one of several planes or parallel links; compile_spread() uses all planes
  bool one_plane = false;
  bool chooses_algorithm = false;        // compiles other algorithms and keeps the fastest of them
  std::vector<AutomaticTrial> trials{};  // trials by `algorithm: auto`; empty: never tried
  // The time of an all-reduce according to the equations of the linear cost model; nullptr if no equation
  // applies.
  double (*predicted_ns)(const CostModel& model, const Schedule& schedule) = nullptr;
  // Creates the compiler for collectives other than all-to-all. `exchange`, set by the registry, is the
  // all-to-all algorithm of this name (schedule/all_to_all/all_to_all.h). Only algorithms that read tables
  // have neither.
  std::unique_ptr<Compiler> (*make)() = nullptr;
  const AllToAllAlgorithm* exchange = nullptr;
};

// Throws UnsupportedError unless CompileRequest::chunks is 1 or automatic. For compilers that do not cut
// chunks into pieces.
void require_whole_chunks(const CompileRequest& request, const std::string& algorithm);

}  // namespace coppice::schedule
