#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "routing/instance.h"
#include "routing/load_levels.h"

namespace coppice::routing {

// Uses alternating paths (Kempe chains) to place flows so that no link carries more than its cap. A flow from
// ToR u to ToR v is placed on a spine a with room at u. If the link from a to v overflows, a flow of v moves
// from a to a spine b with room at v. This may in turn force that flow's source ToR to move a flow from b to
// a, and so on. If all ToRs have the same live spines, caps of at least ceil(flows of the ToR / live spines)
// always suffice. The chain then terminates, because it never moves a flow twice and every end that it
// reaches has a flow that has not been moved yet (König's argument for the edge colouring of bipartite
// multigraphs, with capacities). All links of all ToRs can therefore have their least loads at the same time
// (equitable colouring, de Werra 1971), which is stronger than minimizing the maximum load.
class SpineBalancer {
 public:
  // `links` and `flows` must outlive the balancer.
  SpineBalancer(const ClosLinks& links, std::span<const Flow> flows);

  // Sets the caps of all links, either to the minimum possible for each ToR or to `most`.
  void cap_by_degree();
  void cap_all(int most);

  // Finds a spine for an unplaced flow between ToRs, moving other flows if necessary. Returns false and
  // changes nothing if it finds no spine within the caps.
  bool place(std::size_t flow);
  // Puts a flow on `spine` regardless of the caps.
  void put(std::size_t flow, int spine);
  // A lower bound on the number of flows that must move so that no link exceeds its cap. Each moved flow
  // relieves one uplink and one downlink.
  int least_excess() const;
  // Removes flows from links above their caps until no link exceeds its cap, and returns the removed flows.
  std::vector<std::size_t> remove_excess();

  const Assignment& spines() const { return spine_; }

 private:
  static constexpr std::int64_t kNone = -1;

  int end(std::size_t flow, bool source) const {
    return source ? loads_.up_end(flows_[flow].src_tor) : loads_.down_end(flows_[flow].dst_tor);
  }
  std::int64_t& head(int end, int spine) {
    return heads_[static_cast<std::size_t>(end) * static_cast<std::size_t>(links_->spines()) +
                  static_cast<std::size_t>(spine)];
  }
  std::int64_t& next(std::size_t flow, int end) { return next_[flow][end < links_->tors() ? 0 : 1]; }
  int cap(int end) const { return caps_[static_cast<std::size_t>(end)]; }

  void attach(std::size_t flow, int spine);
  void detach(std::size_t flow);
  void unlink(std::size_t flow, int end, int spine);
  bool assign_by_chain(std::size_t flow, int with_room_at_source, int with_room_at_destination);
  std::int64_t movable(int end, int from, int to);

  const ClosLinks* links_;
  std::span<const Flow> flows_;
  LoadLevels loads_;
  Assignment spine_;
  std::vector<int> caps_;            // [end]: maximum load of its links
  std::vector<std::int64_t> heads_;  // [end][spine]: first flow on the link
  // [flow]: the next flow on the same uplink, and the next flow on the same downlink.
  std::vector<std::array<std::int64_t, 2>> next_;
  std::vector<std::uint32_t> used_;  // [flow]: the last chain that moved it
  std::uint32_t chain_ = 0;
  // The flows that the current chain has moved, with the spines that they left.
  std::vector<std::pair<std::size_t, int>> moved_;
  bool uniform_;
};

}  // namespace coppice::routing
