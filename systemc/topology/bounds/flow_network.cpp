#include "topology/bounds/flow_network.h"
#include "base/index.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace coppice::topology {
namespace {}  // namespace

FlowNetwork::FlowNetwork(const Topology& topology, Direction direction, std::span<const Vertex> vertex_of) {
  for (const Channel& channel : topology.channels()) {
    unit_ = std::gcd(unit_, channel.bandwidth.bytes_per_second);
  }
  Vertex last = vertex_of.empty() ? topology.num_nodes() - 1 : 0;
  for (const Vertex vertex : vertex_of) last = std::max(last, vertex);
  std::vector<std::pair<std::pair<Vertex, Vertex>, Capacity>> links;
  links.reserve(2 * topology.channels().size());
  for (const Channel& channel : topology.channels()) {
    Vertex src = vertex_of.empty() ? channel.src : vertex_of[index(channel.src)];
    Vertex dst = vertex_of.empty() ? channel.dst : vertex_of[index(channel.dst)];
    if (src == dst) continue;
    if (direction == Direction::kIn) std::swap(src, dst);
    links.push_back({{src, dst}, Capacity{channel.bandwidth.bytes_per_second / unit_}});
    links.push_back({{dst, src}, Capacity{0}});
  }
  std::ranges::sort(links, {}, [](const auto& link) { return link.first; });

  first_.assign(index(last) + 2, 0);
  Vertex from = -1;
  for (const auto& [ends, bandwidth] : links) {
    if (from == ends.first && head_.back() == ends.second) {
      bandwidth_.back() += bandwidth;
      continue;
    }
    from = ends.first;
    ++first_[index(from) + 1];
    head_.push_back(ends.second);
    bandwidth_.push_back(bandwidth);
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  // Arcs are sorted by source and then by target. Therefore, the arcs into a vertex appear in the same order
  // as the arcs out of it, and the reverse of an arc is the next arc of its target that has not been paired
  // yet.
  std::vector<Arc> next(first_.begin(), first_.end() - 1);
  reverse_.resize(head_.size());
  for (std::size_t arc = 0; arc < head_.size(); ++arc) reverse_[arc] = next[index(head_[arc])]++;

  const std::size_t vertices = index(num_vertices());
  level_.resize(vertices);
  met_.resize(vertices);
  next_arc_.resize(vertices);
  room_.resize(vertices);
  ended_.resize(vertices);
  reset(1);
}

bool FlowNetwork::symmetric() const {
  for (std::size_t arc = 0; arc < head_.size(); ++arc) {
    if (bandwidth_[arc] != bandwidth_[index(reverse_[arc])]) return false;
  }
  return true;
}

Capacity FlowNetwork::exit_capacity(Vertex vertex) const {
  Capacity sum = 0;
  for (Arc arc = first_[index(vertex)]; arc < first_[index(vertex) + 1]; ++arc) sum += bandwidth_[index(arc)];
  return sum;
}

Capacity FlowNetwork::exit_capacity(const std::vector<bool>& inside) const {
  Capacity sum = 0;
  for (std::size_t arc = 0; arc < head_.size(); ++arc) {
    if (inside[index(arc_source(static_cast<Arc>(arc)))] && !inside[index(head_[arc])])
      sum += bandwidth_[arc];
  }
  return sum;
}

std::vector<FlowNetwork::Vertex> FlowNetwork::near_to_far(Vertex start, int count) const {
  std::vector<bool> met(index(num_vertices()));
  std::vector<Vertex> queue{start};
  met[index(start)] = true;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    for (Arc arc = first_[index(queue[at])]; arc < first_[index(queue[at]) + 1]; ++arc) {
      const Vertex next = head_[index(arc)];
      if (met[index(next)]) continue;
      met[index(next)] = true;
      queue.push_back(next);
    }
  }
  std::erase_if(queue, [&](Vertex vertex) { return vertex >= count; });
  return queue;
}

void FlowNetwork::reset(Capacity scale) {
  residual_ = bandwidth_;
  unlimited_ = 1;
  for (Capacity& residual : residual_) {
    residual *= scale;
    unlimited_ += residual;
  }
  std::ranges::fill(room_, 0);
  std::ranges::fill(ended_, 0);
  paths_.clear();
  path_arcs_.clear();
}

Capacity FlowNetwork::push(Vertex from, Capacity limit) {
  paths_.clear();
  path_arcs_.clear();
  Capacity sent = 0;
  while (sent < limit && find_levels(from)) sent += send_along_levels(from, limit - sent);
  return sent;
}

// Computes distances from a vertex until enough room for all flow that can leave the vertex has been found.
// Returns whether any room was found.
bool FlowNetwork::find_levels(Vertex from) {
  ++search_;
  reached_.assign(1, from);
  met_[index(from)] = search_;
  level_[index(from)] = 0;
  next_arc_[index(from)] = first_[index(from)];
  Capacity wanted = 0;
  for (Arc arc = first_[index(from)]; arc < first_[index(from) + 1]; ++arc) wanted += residual_[index(arc)];
  Capacity found = 0;
  std::int32_t last_level = std::numeric_limits<std::int32_t>::max();
  for (std::size_t at = 0; at < reached_.size(); ++at) {
    const Vertex vertex = reached_[at];
    if (level_[index(vertex)] == last_level) break;
    for (Arc arc = first_[index(vertex)]; arc < first_[index(vertex) + 1]; ++arc) {
      const Vertex next = head_[index(arc)];
      if (residual_[index(arc)] == 0 || met_[index(next)] == search_) continue;
      met_[index(next)] = search_;
      level_[index(next)] = level_[index(vertex)] + 1;
      next_arc_[index(next)] = first_[index(next)];
      reached_.push_back(next);
      found += room_[index(next)];
      if (found >= wanted) last_level = std::min(last_level, level_[index(next)]);
    }
  }
  return found > 0;
}

// Sends a blocking flow over arcs that lead to the next level.
Capacity FlowNetwork::send_along_levels(Vertex from, Capacity limit) {
  Capacity sent = 0;
  Vertex at = from;
  trail_.clear();
  while (sent < limit) {
    if (at != from && room_[index(at)] > 0) {
      sent += send(at, limit - sent);
      at = back_to_residual(from);
    } else if (!advance(at)) {
      if (at == from) break;
      at = arc_source(trail_.back());  // a dead end
      trail_.pop_back();
      ++next_arc_[index(at)];
    }
  }
  return sent;
}

// Shortens the trail so that it ends before its first saturated arc. Returns the vertex at the new end.
FlowNetwork::Vertex FlowNetwork::back_to_residual(Vertex from) {
  const auto full = std::ranges::find_if(trail_, [&](Arc arc) { return residual_[index(arc)] == 0; });
  trail_.erase(full, trail_.end());
  return trail_.empty() ? from : head_[index(trail_.back())];
}

// Extends the trail by the next arc that leads to the next level.
bool FlowNetwork::advance(Vertex& at) {
  for (Arc& arc = next_arc_[index(at)]; arc < first_[index(at) + 1]; ++arc) {
    const Vertex next = head_[index(arc)];
    if (residual_[index(arc)] == 0 || met_[index(next)] != search_) continue;
    if (level_[index(next)] != level_[index(at)] + 1) continue;
    trail_.push_back(arc);
    at = next;
    return true;
  }
  return false;
}

Capacity FlowNetwork::send(Vertex end, Capacity limit) {
  Capacity amount = std::min(limit, room_[index(end)]);
  for (const Arc arc : trail_) amount = std::min(amount, residual_[index(arc)]);
  paths_.push_back({path_arcs_.size(), end, amount});
  for (const Arc arc : trail_) {
    residual_[index(arc)] -= amount;
    residual_[index(reverse_[index(arc)])] += amount;
    path_arcs_.push_back(arc);
  }
  room_[index(end)] -= amount;
  ended_[index(end)] += amount;
  return amount;
}

void FlowNetwork::withdraw(Capacity amount) {
  while (amount > 0) {
    Path& path = paths_.back();
    const Capacity part = std::min(amount, path.amount);
    for (std::size_t a = path.first_arc; a < path_arcs_.size(); ++a) {
      const auto arc = index(path_arcs_[a]);
      residual_[arc] += part;
      residual_[index(reverse_[arc])] -= part;
    }
    room_[index(path.end)] += part;
    ended_[index(path.end)] -= part;
    amount -= part;
    path.amount -= part;
    if (path.amount > 0) break;
    path_arcs_.resize(path.first_arc);
    paths_.pop_back();
  }
}

}  // namespace coppice::topology
