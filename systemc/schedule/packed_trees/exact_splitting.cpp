#include "schedule/packed_trees/exact_splitting.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "topology/bounds/partition_bound.h"
#include "topology/connectivity.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::NodeId;
using topology::Topology;

std::size_t index(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

constexpr int kAttempts = 4;            // at other orders of pairs
constexpr int kTries = 40;              // for the most that one pair may have
constexpr std::int64_t kRounding = 64;  // bytes per second that a partition may lack
constexpr std::int64_t kDust = 16'384;  // bytes per second that are none

// What is left of a way, in bytes per second.
struct Part {
  ChannelPath path;
  std::int64_t amount = 0;
};

class ExactSplitting {
 public:
  ExactSplitting(const Topology& topology, std::uint64_t seed, std::int64_t most_cuts)
      : topology_(topology),
        random_(seed, 0),
        cuts_left_(most_cuts),
        parts_(index(topology.num_nodes()) * index(topology.num_nodes())),
        total_(parts_.size(), 0) {}

  // False: it is not done.
  bool run() {
    if (!find_twins()) return false;
    weakest_ = topology::weakest_partition(topology_, topology::Direction::kOut);
    if (weakest_.joints() < 1) return false;
    for (ChannelId id = 0; id < static_cast<ChannelId>(topology_.channels().size()); ++id) {
      const topology::Channel& channel = topology_.channel(id);
      parts(channel.src, channel.dst).push_back({{id}, channel.bandwidth.bytes_per_second});
      total(channel.src, channel.dst) += channel.bandwidth.bytes_per_second;
    }
    for (NodeId node = topology_.num_accelerators(); node < topology_.num_nodes(); ++node) {
      if (!split_off(node)) return false;
    }
    return true;
  }

  std::int64_t cuts_left() const { return cuts_left_; }

  // What is left when all switches are split off.
  Circuits circuits(Femtoseconds router) const {
    Circuits result{Topology(topology::Kind::kFile, {}, topology_.num_accelerators(), 0), {}};
    std::map<ChannelPath, std::int64_t> rates;
    for (const std::vector<Part>& parts : parts_) {
      for (const Part& part : parts) {
        const bool whole = topology_.is_accelerator(topology_.channel(part.path.front()).src) &&
                           topology_.is_accelerator(topology_.channel(part.path.back()).dst);
        if (whole && part.amount > kDust) rates[part.path] += part.amount;
      }
    }
    for (const auto& [path, rate] : rates) {
      Femtoseconds latency = static_cast<Femtoseconds>(path.size() - 1) * router;
      for (const ChannelId id : path) latency += topology_.channel(id).latency;
      result.network.add_channel(topology_.channel(path.front()).src, topology_.channel(path.back()).dst,
                                 {rate}, latency);
      result.paths.push_back(path);
    }
    return result;
  }

 private:
  std::size_t at(NodeId from, NodeId to) const {
    return index(from) * index(topology_.num_nodes()) + index(to);
  }
  std::int64_t& total(NodeId from, NodeId to) { return total_[at(from, to)]; }
  std::vector<Part>& parts(NodeId from, NodeId to) { return parts_[at(from, to)]; }

  bool find_twins() {
    std::map<std::pair<NodeId, NodeId>, std::vector<ChannelId>> between;
    const auto rate = [&](ChannelId id) { return topology_.channel(id).bandwidth.bytes_per_second; };
    const auto count = static_cast<ChannelId>(topology_.channels().size());
    for (ChannelId id = 0; id < count; ++id)
      between[{topology_.channel(id).src, topology_.channel(id).dst}].push_back(id);
    for (auto& [ends, ids] : between) std::ranges::stable_sort(ids, std::ranges::greater{}, rate);
    twins_.assign(index(count), -1);
    for (const auto& [ends, ids] : between) {
      const auto back = between.find({ends.second, ends.first});
      if (back == between.end() || !std::ranges::equal(ids, back->second, {}, rate, rate)) return false;
      for (std::size_t i = 0; i < ids.size(); ++i) twins_[index(ids[i])] = back->second[i];
    }
    return true;
  }

  // What the weakest partition lacks to be as strong as at first, in bytes per second.
  std::int64_t lacking() {
    --cuts_left_;
    Topology rest(topology::Kind::kFile, {}, topology_.num_accelerators(), topology_.num_switches());
    for (NodeId a = 0; a < topology_.num_nodes(); ++a) {
      for (NodeId b = 0; b < topology_.num_nodes(); ++b) {
        if (total(a, b) > 0) rest.add_channel(a, b, {total(a, b)}, 0);
      }
    }
    if (topology::find_unreachable(rest)) return weakest_.bytes_per_second / weakest_.joints();
    const topology::Partition now = topology::weakest_partition(rest, topology::Direction::kOut);
    const topology::Capacity wanted = topology::Capacity{weakest_.bytes_per_second} * now.joints();
    return static_cast<std::int64_t>(wanted / weakest_.joints()) - now.bytes_per_second;
  }

  // Both ways; less than none takes it back.
  void take(NodeId u, NodeId w, NodeId t, std::int64_t amount) {
    for (int way = 0; way < 2; ++way) {
      total(u, w) -= amount;
      if (u == t) {
        total(w, u) -= amount;
        return;
      }
      total(w, t) -= amount;
      total(u, t) += amount;
      std::swap(u, t);
    }
  }

  // Makes as much as possible of u - w - t one link. A partition loses two or four times as much, if
  // anything.
  std::int64_t take_most(NodeId u, NodeId w, NodeId t, bool all_or_nothing) {
    std::int64_t amount = std::min(total(u, w), total(w, t));
    for (int tries = 0; tries < kTries && amount > 0; ++tries) {
      take(u, w, t, amount);
      const std::int64_t less = lacking();
      if (less <= kRounding) return amount;
      take(u, w, t, -amount);
      if (all_or_nothing) return 0;
      amount -= (less + 3) / 4;
    }
    return 0;
  }

  // Gives the parts what take_most() has done with the totals.
  void split_one_way(NodeId u, NodeId w, NodeId t, std::int64_t amount) {
    while (amount > 0) {
      const auto has_some = [](const Part& part) { return part.amount > 0; };
      Part& there = *std::ranges::find_if(parts(u, w), has_some);
      const std::int64_t first = std::min(amount, there.amount);
      there.amount -= first;
      const ChannelPath path = there.path;
      amount -= first;
      for (std::int64_t left = first; left > 0;) {
        Part& on = *std::ranges::find_if(parts(w, t), has_some);
        const std::int64_t now = std::min(left, on.amount);
        on.amount -= now;
        left -= now;
        if (u == t) continue;  // there and back again: of no use
        ChannelPath joined = path;
        joined.insert(joined.end(), on.path.begin(), on.path.end());
        ChannelPath back;
        for (auto id = joined.rbegin(); id != joined.rend(); ++id) back.push_back(twins_[index(*id)]);
        parts(u, t).push_back({std::move(joined), now});
        parts(t, u).push_back({std::move(back), now});
      }
    }
  }

  // Whole links first, then parts, then what is of no use.
  bool split_off(NodeId w) {
    std::vector<std::pair<NodeId, NodeId>> pairs;
    for (NodeId u = 0; u < topology_.num_nodes(); ++u) {
      for (NodeId t = u; t < topology_.num_nodes(); ++t) {
        if (total(u, w) > 0 && total(w, t) > 0) pairs.emplace_back(u, t);
      }
    }
    for (std::size_t i = pairs.size(); i > 1; --i) std::swap(pairs[i - 1], pairs[random_.below(i)]);
    for (int pass = 0; pass < 3; ++pass) {
      for (const auto& [u, t] : pairs) {
        if ((u == t) != (pass == 2) || total(u, w) == 0 || total(w, t) == 0) continue;
        if (cuts_left_ < 0) return false;
        joined_.push_back({u, w, t, take_most(u, w, t, pass == 0)});
      }
    }
    for (NodeId node = 0; node < topology_.num_nodes(); ++node) {
      if (total(node, w) > kDust) return false;
      total(node, w) = total(w, node) = 0;
    }
    for (const auto& [u, over, t, amount] : joined_) {
      split_one_way(u, over, t, amount);
      drop(t, over, u, amount);
    }
    joined_.clear();
    return true;
  }

  // The parts of the way back, which split_one_way() has joined the other way round.
  void drop(NodeId u, NodeId w, NodeId t, std::int64_t amount) {
    if (u == t) return;
    for (std::vector<Part>* all : {&parts(u, w), &parts(w, t)}) {
      std::int64_t left = amount;
      for (Part& part : *all) {
        const std::int64_t now = std::min(left, part.amount);
        part.amount -= now;
        left -= now;
      }
    }
  }

  struct Joined {
    NodeId u;
    NodeId w;
    NodeId t;
    std::int64_t amount;
  };

  const Topology& topology_;
  Random random_;
  std::int64_t cuts_left_;
  std::vector<ChannelId> twins_;  // [channel]
  topology::Partition weakest_;
  std::vector<std::vector<Part>> parts_;  // [from * nodes + to]
  std::vector<std::int64_t> total_;       // the same in sum
  std::vector<Joined> joined_;
};

}  // namespace

std::optional<Circuits> split_off_exactly(const Topology& topology, Femtoseconds router, std::uint64_t seed,
                                          std::int64_t most_cuts) {
  for (std::uint64_t attempt = 0; attempt < kAttempts && most_cuts > 0; ++attempt) {
    ExactSplitting splitting(topology, seed + attempt, most_cuts);
    if (splitting.run()) return splitting.circuits(router);
    most_cuts = splitting.cuts_left();
  }
  return std::nullopt;
}

}  // namespace coppice::schedule
