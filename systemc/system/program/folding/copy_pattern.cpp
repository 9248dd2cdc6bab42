#include "system/program/folding/copy_pattern.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/index.h"

namespace coppice::system {
namespace {

using schedule::Op;
using schedule::Schedule;
using schedule::TableEntry;

// A one-to-one correspondence among the numbers 0 to `count` - 1, to which pairs are added one by one.
class Correspondence {
 public:
  explicit Correspondence(int count) : there_(index(count), -1), back_(index(count), -1) {}

  // Adds a pair. Returns false if either number already corresponds to a different one.
  bool add(std::int32_t one, std::int32_t other) {
    std::int32_t& there = there_[index(one)];
    std::int32_t& back = back_[index(other)];
    if (there < 0 && back < 0) {
      there = other;
      back = one;
    }
    return there == other && back == one;
  }

 private:
  std::vector<std::int32_t> there_;
  std::vector<std::int32_t> back_;
};

class PatternFinder {
 public:
  PatternFinder(const Schedule& schedule, std::span<const CopyMember> of,
                std::span<const std::int32_t> member_of, std::span<const Bytes> boundaries)
      : schedule_(schedule), of_(of), member_of_(member_of), boundaries_(boundaries) {}

  std::optional<CopyPattern> find() {
    if (!sort_members() || !read_entries()) return std::nullopt;
    if (!follow_messages() || !find_images()) return std::nullopt;
    for (std::size_t role = 0; role < roles(); ++role) {
      for (std::size_t copy = 1; copy < copies_; ++copy) {
        if (!same_flows(role, copy)) return std::nullopt;
      }
    }
    return std::move(pattern_);
  }

 private:
  // An entry that sends a message, at all members of a role.
  struct Label {
    std::size_t role;
    std::size_t port;
    std::size_t entry;
    std::size_t to_role = 0;
    std::vector<int> to{};    // [copy of the sender]: copy of the receiver
    std::vector<int> from{};  // [copy of the receiver]: copy of the sender
  };

  // Describes a segment of the buffer by a hash of all messages that contain it, and by the segment's number.
  // Lists of signatures are sorted.
  using Signature = std::pair<std::uint64_t, std::int32_t>;

  std::size_t roles() const { return pattern_.members.size(); }
  std::size_t member(std::size_t role, std::size_t copy) const { return index(pattern_.members[role][copy]); }
  const TableEntry& at(const Label& label, std::size_t copy) const {
    return entries_[member(label.role, copy)][label.port][label.entry];
  }

  bool sort_members() {
    for (const CopyMember& member : of_) {
      pattern_.members.resize(std::max(pattern_.members.size(), index(member.role) + 1));
      copies_ = std::max(copies_, index(member.copy) + 1);
    }
    for (auto& role : pattern_.members) role.assign(copies_, -1);
    for (std::size_t m = 0; m < of_.size(); ++m) {
      int& place = pattern_.members[index(of_[m].role)][index(of_[m].copy)];
      if (place >= 0) return false;
      place = static_cast<int>(m);
    }
    return of_.size() == roles() * copies_ && schedule_.adders == 0;
  }

  bool read_entries() {
    for (const schedule::NodeTables& node : schedule_.nodes) {
      auto& ports = entries_.emplace_back();
      for (const schedule::Table& table : node.ports) ports.emplace_back(table.begin(), table.end());
    }
    for (std::size_t role = 0; role < roles(); ++role) {
      const auto& first = entries_[member(role, 0)];
      for (std::size_t copy = 1; copy < copies_; ++copy) {
        const auto& other = entries_[member(role, copy)];
        if (other.size() != first.size()) return false;
        for (std::size_t port = 0; port < first.size(); ++port) {
          if (!std::ranges::equal(first[port], other[port], alike)) return false;
        }
      }
    }
    return true;
  }

  static bool alike(const TableEntry& a, const TableEntry& b) {
    return a.op == b.op && a.step == b.step && a.dependencies == b.dependencies && a.arrival == b.arrival &&
           a.bytes == b.bytes && a.padding == b.padding;
  }

  // Finds the receiver of every message, and the copy from which the corresponding message arrives at copy 0.
  bool follow_messages() {
    pattern_.senders.resize(roles());
    for (std::size_t role = 0; role < roles(); ++role) {
      const auto& ports = entries_[member(role, 0)];
      pattern_.senders[role].resize(ports.size());
      for (std::size_t port = 0; port < ports.size(); ++port) {
        pattern_.senders[role][port].assign(ports[port].size(), -1);
        for (std::size_t i = 0; i < ports[port].size(); ++i) {
          if (ports[port][i].op == Op::kNop) continue;
          if (!follow({role, port, i})) return false;
          pattern_.senders[role][port][i] = labels_.back().from.front();
        }
      }
    }
    return true;
  }

  bool follow(Label label) {
    label.to.assign(copies_, -1);
    label.from.assign(copies_, -1);
    for (std::size_t copy = 0; copy < copies_; ++copy) {
      const std::int32_t receiver = member_of_[index(at(label, copy).destination())];
      if (receiver < 0) return false;
      const CopyMember& to = of_[index(receiver)];
      if (copy == 0) label.to_role = index(to.role);
      if (index(to.role) != label.to_role || label.from[index(to.copy)] >= 0) return false;
      label.to[copy] = to.copy;
      label.from[index(to.copy)] = static_cast<int>(copy);
    }
    labels_.push_back(std::move(label));
    return true;
  }

  // Finds the images for copies that send to copy 0. No others are needed, since all images are compositions
  // of these.
  bool find_images() {
    std::set<int> senders;
    for (const Label& label : labels_) {
      senders.insert(label.from.front());
      moves_.insert({{label.role, label.to_role}, label.to});
    }
    std::vector<std::int32_t> same(of_.size());
    std::iota(same.begin(), same.end(), 0);
    const std::vector<Signature> own = signatures(same);
    pattern_.images.resize(copies_);
    for (const int copy : senders) {
      auto image = std::make_shared<CopyPattern::Image>();
      if (!find_members(index(copy), image->members) || !find_segments(own, *image)) return false;
      pattern_.images[index(copy)] = std::move(image);
    }
    return true;
  }

  // Finds the renumbering of members that maps the messages of copy 0 to those of `copy`. It must map the
  // receiver of every message to the receiver of the corresponding message.
  bool find_members(std::size_t copy, std::vector<std::int32_t>& members) const {
    std::vector<std::vector<int>> image(
        roles(), std::vector<int>(copies_, -1));  // [role][copy]: the copy onto which it is mapped
    std::vector<std::pair<std::size_t, std::size_t>> known;
    for (std::size_t role = 0; role < roles(); ++role) {
      image[role][0] = static_cast<int>(copy);
      known.emplace_back(role, 0);
    }
    for (std::size_t next = 0; next < known.size(); ++next) {
      const auto [role, from] = known[next];
      for (const auto& [ends, to] : moves_) {
        if (ends.first != role) continue;
        int& there = image[ends.second][index(to[from])];
        const int expected = to[index(image[role][from])];
        if (there >= 0 && there != expected) return false;
        if (there >= 0) continue;
        there = expected;
        known.emplace_back(ends.second, index(to[from]));
      }
    }
    if (known.size() != of_.size()) return false;
    members.resize(of_.size());
    for (std::size_t m = 0; m < of_.size(); ++m) {
      const int there = image[index(of_[m].role)][index(of_[m].copy)];
      members[m] = pattern_.members[index(of_[m].role)][index(there)];
    }
    return true;
  }

  // Finds the renumbering of segments that fits the renumbering of members: corresponding messages carry
  // corresponding segments. Segments correspond if corresponding messages contain them, their lengths are
  // equal and, unless all members receive all data, their owners correspond.
  bool find_segments(const std::vector<Signature>& own, CopyPattern::Image& image) const {
    const std::vector<Signature> there = signatures(image.members);
    image.segments.resize(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].first != there[i].first) return false;
      image.segments[index(there[i].second)] = own[i].second;
    }
    return true;
  }

  // `image` [member]: the member whose messages replace this member's.
  std::vector<Signature> signatures(const std::vector<std::int32_t>& image) const {
    const std::size_t segments = boundaries_.size() - 1;
    std::vector<std::uint64_t> changes(segments + 1, 0);
    for (std::size_t number = 0; number < labels_.size(); ++number) {
      const Label& label = labels_[number];
      for (std::size_t copy = 0; copy < copies_; ++copy) {
        const std::size_t from = member(label.role, copy);
        const TableEntry& entry = entries_[index(image[from])][label.port][label.entry];
        const std::uint64_t hash = mixed(number * of_.size() + from + 1);
        changes[segment(entry.address)] += hash;
        changes[segment(entry.address + entry.bytes)] -= hash;
      }
    }
    std::vector<std::int32_t> is_image_of(of_.size());
    for (std::size_t m = 0; m < of_.size(); ++m) is_image_of[index(image[m])] = static_cast<std::int32_t>(m);
    const bool owned = schedule_.collective != topology::Collective::kAllReduce;
    std::vector<Signature> found;
    std::uint64_t messages = 0;
    for (std::size_t s = 0; s < segments; ++s) {
      messages += changes[s];
      const auto length = static_cast<std::uint64_t>(boundaries_[s + 1] - boundaries_[s]);
      const std::uint64_t owner = owned ? index(is_image_of[index(owner_of(boundaries_[s]))]) + 1 : 0;
      found.emplace_back(mixed(mixed(messages + length) + owner), static_cast<std::int32_t>(s));
    }
    std::ranges::sort(found);
    return found;
  }

  // A hash function that spreads numbers over all 64-bit values (the finalizer of SplitMix64).
  static std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
  }

  // Whether the entries of a role wait for corresponding arrivals in this copy and in copy 0.
  bool same_flows(std::size_t role, std::size_t copy) const {
    Correspondence flows(schedule_.flows);
    for (const Label& label : labels_) {
      if (label.to_role == role &&
          !flows.add(at(label, index(label.from[0])).flow, at(label, index(label.from[copy])).flow)) {
        return false;
      }
      if (label.role == role && !flows.add(at(label, 0).flow, at(label, copy).flow)) return false;
    }
    return true;
  }

  std::size_t segment(Bytes address) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(boundaries_, address) - boundaries_.begin());
  }
  std::int32_t owner_of(Bytes address) const {
    const auto after = std::ranges::upper_bound(
        shares_, address, {}, [](const schedule::Share& share) { return share.data.address; });
    return (after - 1)->owner;
  }

  const Schedule& schedule_;
  std::span<const CopyMember> of_;
  std::span<const std::int32_t> member_of_;
  std::span<const Bytes> boundaries_;
  std::size_t copies_ = 0;
  const std::vector<schedule::Share> shares_ = share_out(schedule_);
  std::vector<std::vector<std::vector<TableEntry>>> entries_;  // [member][port]: its entries
  std::vector<Label> labels_;
  // The destinations of messages: the roles of sender and receiver, and for every copy of the sender, the
  // receiver's copy.
  std::set<std::pair<std::pair<std::size_t, std::size_t>, std::vector<int>>> moves_;
  CopyPattern pattern_;
};

}  // namespace

std::optional<CopyPattern> find_copy_pattern(const Schedule& schedule, std::span<const CopyMember> of,
                                             std::span<const std::int32_t> member_of,
                                             std::span<const Bytes> boundaries) {
  return PatternFinder(schedule, of, member_of, boundaries).find();
}

}  // namespace coppice::system
