#pragma once

#include <optional>
#include <vector>

#include "schedule/proof/data_groups.h"

namespace coppice::schedule {

// Reuses the proof of one group for isomorphic groups. Two groups are isomorphic if their corresponding
// messages have the same accelerators, operations, dependencies, parents and children, and begin and end at
// corresponding cuts of the data. The addresses of the cuts may differ, because they do not matter for the
// proof.
class ProvenGroups {
 public:
  explicit ProvenGroups(const Schedule& schedule);

  // Returns the additions (CheckReport::additions) of the group's flows, in the group's order, if an
  // isomorphic group has been proven.
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
  std::vector<std::int32_t> place_;  // [flow]: index of the flow in its group
  std::vector<Bytes> cuts_;          // addresses of the cuts of the group being looked up
  std::vector<Known> known_;
};

}  // namespace coppice::schedule
