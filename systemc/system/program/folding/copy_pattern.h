#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "schedule/tables/schedule.h"

namespace coppice::system {

// A member of a collective: which of several copies it belongs to, and its role there.
struct CopyMember {
  int role = 0;
  int copy = 0;
  bool operator==(const CopyMember&) const = default;
};

// A collective among the members of all copies, as seen from copy 0, if it looks the same from every copy:
// entry i of a port has the same effect, on corresponding data, at all members of a role.
struct CopyPattern {
  // [role][copy]: member.
  std::vector<std::vector<int>> members;
  // [role][port][entry]: the copy whose message arrives at copy 0 when copy 0 sends this entry's message; -1
  // for a nop.
  std::vector<std::vector<std::vector<int>>> senders;
  // The correspondence of a copy's members and data to those of copy 0. [copy]; nullptr for copies that send
  // nothing to copy 0.
  struct Image {
    std::vector<std::int32_t> members;   // [member]: its image
    std::vector<std::int32_t> segments;  // [segment between boundaries]: the segment of which it is the image
  };
  std::vector<std::shared_ptr<const Image>> images;
};

// Finds the pattern of a schedule. `of`: the role and copy of each member; `member_of`: [node named by an
// entry]: member; `boundaries`: contribution_boundaries() of the schedule. Returns nullopt if copies differ:
// if entries differ in operation, step, length or dependencies, if their destinations in different copies are
// not a permutation, or if no renumbering of members and data maps one copy's view of all messages to
// another's.
std::optional<CopyPattern> find_copy_pattern(const schedule::Schedule& schedule,
                                             std::span<const CopyMember> of,
                                             std::span<const std::int32_t> member_of,
                                             std::span<const Bytes> boundaries);

}  // namespace coppice::system
