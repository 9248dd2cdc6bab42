#pragma once

#include <optional>
#include <vector>

#include "schedule/proof/data_groups.h"

namespace coppice::schedule {

// Groups whose proof stands for others. Chunks that move alike differ in nothing that the proof looks at but
// the places where their data is cut: if the messages of two groups agree one by one in accelerators,
// operations, dependencies, families and the cuts between which they lie, then whatever was proven of one
// group holds of the other, with its bytes for the other's.
class ProvenGroups {
 public:
  explicit ProvenGroups(const Schedule& schedule);

  // The additions (CheckReport::additions) of the group's flows, in its order, if a known group stands for
  // it.
  std::optional<std::vector<int>> find(const MessageGroup& group, std::span<const Share> shares);

  // `group` has been proven; its messages outlive this.
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
  std::vector<std::int32_t> place_;  // [flow]: in its group
  std::vector<Bytes> cuts_;          // of the group in question
  std::vector<Known> known_;
};

}  // namespace coppice::schedule
