#pragma once

#include <optional>
#include <vector>

#include "schedule/proof/data_groups.h"

namespace coppice::schedule {

// Reuses the proof of one group for isomorphic groups. For the proof, chunks that move alike differ only in
// the addresses at which their data is cut: if corresponding messages of two groups have the same
// accelerators, operations, dependencies, families and cut indices, a proof for one group also holds for the
// other.
class ProvenGroups {
 public:
  explicit ProvenGroups(const Schedule& schedule);

  // The additions (CheckReport::additions) of the group's flows, in the group's order, if an isomorphic group
  // is known.
  std::optional<std::vector<int>> find(const MessageGroup& group, std::span<const Share> shares);

  // Records that `group` has been proven; its messages must outlive this object.
  void add(const MessageGroup& group, GroupLayout layout, std::vector<int> additions);

 private:
  struct Known {
    MessageGroup group;
    GroupLayout layout;
    std::vector<int> additions;
  };

  bool stands_for(const Known& known, const MessageGroup& group, std::span<const Share> shares);
  bool same_owners(const Known& known, std::span<const Share> shares) const;

  const Schedule& schedule_;
  std::vector<std::int32_t> place_;  // [flow]: its index in its group
  std::vector<Bytes> cuts_;          // of the group being looked up
  std::vector<Known> known_;
};

}  // namespace coppice::schedule
