#include "schedule/packed_trees/flow_graph.h"
#include "base/index.h"

#include <algorithm>
#include <utility>

namespace coppice::schedule {
namespace {}  // namespace

int FlowGraph::find(int from, int to) const {
  for (const int arc : arcs_of_[index(from)]) {
    if (arcs_[index(arc)].head == to) return arc;
  }
  return -1;
}

int FlowGraph::find_or_add(int from, int to) {
  const int known = find(from, to);
  if (known >= 0) return known;
  const int arc = static_cast<int>(arcs_.size());
  arcs_.push_back({to, arc + 1, 0, 0});
  arcs_.push_back({from, arc, 0, 0});
  arcs_of_[index(from)].push_back(arc);
  arcs_of_[index(to)].push_back(arc + 1);
  return arc;
}

FlowGraph::Amount FlowGraph::capacity(int from, int to) const {
  const int arc = find(from, to);
  return arc < 0 ? 0 : arcs_[index(arc)].capacity;
}

void FlowGraph::change_capacity(int from, int to, Amount by) {
  arcs_[index(find_or_add(from, to))].capacity += by;
}

std::vector<int> FlowGraph::heads(int from) const {
  std::vector<int> result;
  for (const int arc : arcs_of_[index(from)]) {
    if (arcs_[index(arc)].capacity > 0) result.push_back(arcs_[index(arc)].head);
  }
  return result;
}

std::vector<int> FlowGraph::tails(int to) const {
  std::vector<int> result;
  for (const int arc : arcs_of_[index(to)]) {
    const Arc& in = arcs_[index(arcs_[index(arc)].reverse)];
    if (in.capacity > 0) result.push_back(arcs_[index(arc)].head);
  }
  return result;
}

FlowGraph::Amount FlowGraph::max_flow(int source, int sink, Amount limit, std::span<const Joined> joined) {
  for (Arc& arc : arcs_) arc.residual = arc.capacity;
  for (const Joined& join : joined) {
    const int arc = join.to == source ? find_or_add(source, join.vertex) : find_or_add(join.vertex, sink);
    arcs_[index(arc)].residual = kUnlimited;
  }
  Amount flow = 0;
  while (flow < limit && find_levels(source, sink)) {
    next_.assign(arcs_of_.size(), 0);
    while (flow < limit) {
      const Amount more = advance(source, sink, limit - flow);
      if (more == 0) break;
      flow += more;
    }
  }
  return flow;
}

bool FlowGraph::find_levels(int source, int sink) {
  level_.assign(arcs_of_.size(), -1);
  level_[index(source)] = 0;
  queue_.assign(1, source);
  for (std::size_t i = 0; i < queue_.size() && level_[index(sink)] < 0; ++i) {
    for (const int arc : arcs_of_[index(queue_[i])]) {
      const int head = arcs_[index(arc)].head;
      if (arcs_[index(arc)].residual <= 0 || level_[index(head)] >= 0) continue;
      level_[index(head)] = level_[index(queue_[i])] + 1;
      queue_.push_back(head);
    }
  }
  return level_[index(sink)] >= 0;
}

FlowGraph::Amount FlowGraph::advance(int at, int sink, Amount limit) {
  if (at == sink) return limit;
  Amount sent = 0;
  for (std::size_t& i = next_[index(at)]; i < arcs_of_[index(at)].size(); ++i) {
    Arc& arc = arcs_[index(arcs_of_[index(at)][i])];
    if (arc.residual <= 0 || level_[index(arc.head)] != level_[index(at)] + 1) continue;
    const Amount more = advance(arc.head, sink, std::min(limit - sent, arc.residual));
    arc.residual -= more;
    arcs_[index(arc.reverse)].residual += more;
    sent += more;
    if (sent == limit) return sent;
  }
  return sent;
}

}  // namespace coppice::schedule
