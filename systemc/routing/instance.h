#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "topology/networks/clos.h"

// Path assignment on two-level Clos networks ("Routing for Large ML Models", Sec. 3.4 and 4): each flow
// between two ToRs uses one of the spines. ToRs and spines are plain numbers; the code uses neither SystemC
// nor a topology graph.
namespace coppice::routing {

using topology::NodeId;

// A commodity of the paper: the traffic from one accelerator to another within a job.
struct Flow {
  NodeId src = 0;
  NodeId dst = 0;
  int src_tor = 0;
  int dst_tor = 0;
  int job = 0;
  // Whether both accelerators are on the same ToR, so that the flow uses no spine.
  bool local() const { return src_tor == dst_tor; }
  bool operator==(const Flow&) const = default;
};

inline constexpr int kNoSpine = -1;

// [flow]: its spine; kNoSpine for local flows.
using Assignment = std::vector<int>;

// The live links between ToRs and spines, separately for each direction.
class ClosLinks {
 public:
  // Starts with all links alive.
  ClosLinks(int tors, int spines);
  // Initially, only the links that have channels in `clos` are alive.
  explicit ClosLinks(const topology::Clos& clos);

  int tors() const { return tors_; }
  int spines() const { return spines_; }
  bool up(int tor, int spine) const { return live_up_[index(tor, spine)] != 0; }
  bool down(int spine, int tor) const { return live_down_[index(tor, spine)] != 0; }
  // Whether a flow between the ToRs can use `spine`.
  bool usable(int src_tor, int spine, int dst_tor) const {
    return up(src_tor, spine) && down(spine, dst_tor);
  }
  std::vector<int> live_spines(int src_tor, int dst_tor) const;

  void set_link(int tor, int spine, bool alive);
  void set_spine(int spine, bool alive);

  // Whether all ToRs have the same live spines, with both directions of their links alive. This holds if
  // whole spines have failed, but not if individual links have failed.
  bool uniform() const;

 private:
  std::size_t index(int tor, int spine) const {
    return static_cast<std::size_t>(tor) * static_cast<std::size_t>(spines_) +
           static_cast<std::size_t>(spine);
  }

  int tors_;
  int spines_;
  std::vector<std::uint8_t> live_up_;    // [tor * spines + spine]: link to the spine
  std::vector<std::uint8_t> live_down_;  // [tor * spines + spine]: link to the ToR
};

// Thrown if flows have no live path. what() names the first few of these flows, and flows() lists the indices
// of all of them.
class UnroutableError : public std::runtime_error {
 public:
  UnroutableError(const std::string& what, std::vector<std::size_t> flows)
      : std::runtime_error(what), flows_(std::move(flows)) {}
  const std::vector<std::size_t>& flows() const { return flows_; }

 private:
  std::vector<std::size_t> flows_;
};

// Throws UnroutableError if some flows have no live path.
void require_routable(const ClosLinks& links, std::span<const Flow> flows);

// The number of flows on the busiest link. Throws std::invalid_argument if a flow between ToRs has no spine
// or cannot use its spine.
int max_load(const ClosLinks& links, std::span<const Flow> flows, std::span<const int> assignment);

// The largest number of flows that any one ToR sends to other ToRs or receives from them.
int busiest_degree(const ClosLinks& links, std::span<const Flow> flows);

// A lower bound on max_load() of any assignment. If all ToRs have the same live spines, some assignment
// achieves it (edge_coloring.h). Otherwise it is the maximum, over all ToRs and directions, of the load that
// the ToR's own flows require.
int lower_bound(const ClosLinks& links, std::span<const Flow> flows);

}  // namespace coppice::routing
