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

// How the trees of tree algorithms lie on the network (tree_compilers.h).
enum class TreePlacement { kAuto, kRouted, kEmbedded, kCcube };
const char* to_string(TreePlacement placement);

// CompileRequest::chunks: the best number for algorithms of Chunking::kChosen; 1 for those of kWhole.
inline constexpr int kAutomaticChunks = 0;

// Everything a compiler gets besides the topology.
struct CompileRequest {
  Collective collective = Collective::kAllReduce;
  Bytes size = 0;
  Bytes element = 4;
  int ni_ports = 1;  // tables per accelerator
  // For messages between accelerators that are not neighbours.
  const topology::RoutingFunction* routing = nullptr;
  std::uint64_t seed = 1;  // of compilers that break ties at random
  // Pieces that move on their own: of every accelerator's chunk (multitree_optimal), of all the data
  // (CompileRequest::root), of every tree's part of
  // the data (tree, double_tree and their overlapped forms), of all the data (hierarchical). Other algorithms
  // take 1 only.
  int chunks = 1;
  // The root of a broadcast (an all-gather of what it alone has) or of a reduce (a reduce-scatter that leaves
  // everything to it). For algorithms with AlgorithmInfo::rooted only.
  NodeId root = topology::kNoNode;
  // The fixed cost of a step: alpha of the cost model that chooses the number of chunks.
  Femtoseconds step_latency = 0;
  // The part of it in which the port moves nothing: messages that follow one another are so far apart.
  Femtoseconds message_gap = 0;
  TreePlacement trees = TreePlacement::kAuto;
  // How many planes of the network are used, for algorithms of AlgorithmInfo::one_plane; 0: all (spread.h).
  int planes = 0;
  // A schedule that is the same seen from every accelerator is kept as one accelerator's tables
  // (table_pattern.h) if there are more accelerators than this.
  int pattern_beyond = 256;
  // For algorithms with AlgorithmInfo::over_dimensions only.
  ChunkPolicy chunk_policy = {};
  StepTiming timing = {};
};

struct AllToAllAlgorithm;

// Turns a collective on a topology into reduce-schedule tables. One final class per algorithm, one file each.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // Throws UnsupportedError with the reason where the algorithm is not defined.
  virtual Schedule compile(const topology::Topology& topology, const CompileRequest& request) const = 0;
};

// How an algorithm takes CompileRequest::chunks.
enum class Chunking : std::uint8_t {
  kWhole,   // 1 only, which kAutomaticChunks means to it
  kGiven,   // as many as its tables have
  kChosen,  // as many as are asked for, or as many as it finds best for kAutomaticChunks
};

// How `algorithm: auto` tries an algorithm.
struct AutomaticTrial {
  int turn = 0;  // the lowest first: those that are fastest as a rule, and last what gives up when others are
  int chunks = 1;
  // An estimate of the CPU seconds to compile and time its tables on the network, by which choose_algorithm()
  // decides whether to try it (effort.h); null if negligible.
  double (*seconds)(const topology::Topology& topology, const CompileRequest& request) = nullptr;
  bool first = false;  // is given its time before the others
};

// All that is to be known of an algorithm: no other place asks for one by its name. Its compiler says it, in
// a static function info().
struct AlgorithmInfo {
  std::string name{};     // in configurations
  std::string summary{};  // one line
  Chunking chunking = Chunking::kWhole;
  bool rooted = false;           // compiles broadcast and reduce: the tree of an accelerator gives them
  bool places_trees = false;     // lays trees on the network as CompileRequest::trees says
  bool over_dimensions = false;  // moves chunks through the dimensions of a hierarchy, where switches may add
  bool from_file = false;        // has no compiler: its tables are read
  bool one_plane = false;        // takes one of several planes or parallel links: spread.h gives it all
  bool chooses_algorithm = false;        // compiles others and keeps the fastest
  std::vector<AutomaticTrial> trials{};  // the algorithms that `algorithm: auto` considers
  // The time of an all-reduce by the equations of the linear cost model; null if none describes it.
  double (*predicted_ns)(const CostModel& model, const Schedule& schedule) = nullptr;
  // Filled in by the registry: the compiler of collectives, and the all-to-all of this name
  // (schedule/all_to_all/all_to_all.h). At least one is set unless the algorithm reads tables.
  std::unique_ptr<Compiler> (*make)() = nullptr;
  const AllToAllAlgorithm* exchange = nullptr;
};

// For compilers that do not cut chunks into pieces: throws UnsupportedError unless CompileRequest::chunks
// is 1 or left to them.
void require_whole_chunks(const CompileRequest& request, const std::string& algorithm);

}  // namespace coppice::schedule
