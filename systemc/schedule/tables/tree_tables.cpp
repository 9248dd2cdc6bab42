#include "schedule/tables/tree_tables.h"

#include <algorithm>
#include <utility>

namespace coppice::schedule {

std::int64_t TreeTables::messages(std::size_t slot) const {
  const auto begin = spec_.flows.begin();
  return std::count_if(begin + static_cast<std::ptrdiff_t>(spec_.first[slot]),
                       begin + static_cast<std::ptrdiff_t>(spec_.first[slot + 1]),
                       [](Flow flow) { return flow != kIdle; });
}

std::vector<std::int32_t> TreeTables::routes(std::size_t slot, NodeId /*node*/) const {
  if (spec_.routes[slot] < 0) return {};
  return {spec_.routes[slot]};
}

void TreeTables::read_message(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const {
  const Flow flow = spec_.flows[spec_.first[slot] + i];
  entry.step = static_cast<std::int32_t>(i) + 1;
  entry.parent = topology::kNoNode;
  entry.arrival = 0;
  entry.padding = 0;
  if (flow == kIdle) {
    entry.op = Op::kNop;
    entry.flow = -1;
    entry.children.clear();
    entry.dependencies = 0;
    entry.address = 0;
    entry.bytes = spec_.longest[i + 1];
    entry.route = -1;
    return;
  }
  const Place here = place(node, flow);
  entry.flow = flow;
  entry.dependencies = here.children;
  entry.address = spec_.chunks[flow].address;
  entry.bytes = spec_.chunks[flow].bytes;
  entry.route = spec_.routes[slot];
  if (i < spec_.reduce_steps) {
    entry.op = Op::kReduce;
    entry.parent = spec_.neighbours[slot];
    entry.children.clear();
    return;
  }
  entry.op = Op::kGather;
  if (here.up != Place::kRoot) ++entry.dependencies;
  entry.children.resize(1);
  entry.children.front() = spec_.neighbours[slot];
}

void TreeTables::read(std::size_t slot, std::size_t i, NodeId node, TableEntry& entry) const {
  read_message(slot, i, node, entry);
  if (entry.op == Op::kReduce) entry.children = sources(node, static_cast<Flow>(entry.flow));
  if (entry.op == Op::kGather) entry.parent = parent(node, entry.flow);
}

// The accelerators whose sums `node` receives, in the order of arrival.
NodeList TreeTables::sources(NodeId node, Flow tree) const {
  boost::container::small_vector<std::pair<std::size_t, NodeId>, 8> found;  // {step, source}
  for (std::size_t port = 0; port < spec_.ports; ++port) {
    const std::size_t slot = slot_of(node, port);
    const NodeId child = spec_.neighbours[slot];
    if (child == topology::kNoNode || place(child, tree).up != spec_.back[slot]) continue;
    const auto begin =
        spec_.flows.begin() + static_cast<std::ptrdiff_t>(spec_.first[slot_of(child, spec_.back[slot])]);
    const auto end = begin + static_cast<std::ptrdiff_t>(spec_.reduce_steps);
    found.emplace_back(static_cast<std::size_t>(std::find(begin, end, tree) - begin), child);
  }
  std::ranges::stable_sort(found, {}, &std::pair<std::size_t, NodeId>::first);
  NodeList list;
  for (const auto& [step, child] : found) list.push_back(child);
  return list;
}

}  // namespace coppice::schedule
