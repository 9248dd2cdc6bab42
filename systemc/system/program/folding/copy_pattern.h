#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "schedule/tables/schedule.h"

namespace coppice::system {

// Identifies a member of a collective by the copy of the program to which it belongs, and its role in that
// copy.
struct CopyMember {
  int role = 0;
  int copy = 0;
  bool operator==(const CopyMember&) const = default;
};

// A collective among members of all copies that looks the same from every copy: entry i of a port has the
// same effect, on corresponding data, at all members of a role. The pattern describes it as seen from copy 0.
struct CopyPattern {
  // [role][copy]: the member's number in the collective.
  std::vector<std::vector<int>> members;
  // [role][port][entry]: a copy. When copy 0 sends the message of this entry, the corresponding message of
  // that copy arrives at copy 0. -1 for a nop.
  std::vector<std::vector<std::vector<int>>> senders;
  // [copy]: how the copy's members and data correspond to those of copy 0; nullptr for copies that send
  // nothing to copy 0.
  struct Image {
    std::vector<std::int32_t> members;   // [member]: the corresponding member
    std::vector<std::int32_t> segments;  // [segment between boundaries]: the segment to which it corresponds
  };
  std::vector<std::shared_ptr<const Image>> images;
};

// Finds the pattern of a schedule. `of`: the role and copy of each member; `member_of`: [node to which an
// entry refers]: member; `boundaries`: contribution_boundaries() of the schedule. Returns nullopt if copies
// differ in one of these ways: entries differ in operation, step, length or dependencies; the destinations of
// an entry in different copies are not a permutation of the copies; or no renumbering of members and data
// maps the messages of one copy to those of another.
std::optional<CopyPattern> find_copy_pattern(const schedule::Schedule& schedule,
                                             std::span<const CopyMember> of,
                                             std::span<const std::int32_t> member_of,
                                             std::span<const Bytes> boundaries);

}  // namespace coppice::system
