#include "schedule/proof/tree_order.h"

#include <algorithm>

namespace coppice::schedule {

TreeOrder::TreeOrder(const Schedule& schedule) : schedule_(schedule), nodes_(schedule.nodes.size()) {}

bool TreeOrder::holds(const MessageGroup& group) {
  const bool plain = !schedule_.numbered_arrivals && !schedule_.ordered_by_lockstep && schedule_.adders == 0;
  if (!plain || group.flows.size() != 1 || !read(group)) return false;
  return std::ranges::all_of(group.messages, [&](const Message* message) { return follows(*message); });
}

// Reads the messages to and from every accelerator; returns false if an accelerator sends two sums or
// receives two stores.
bool TreeOrder::read(const MessageGroup& group) {
  std::ranges::fill(nodes_, Node{});
  for (const Message* message : group.messages) {
    const TableEntry& entry = *message->entry;
    if (entry.address != group.begin || entry.address + entry.bytes != group.end) return false;
    Node& src = nodes_[static_cast<std::size_t>(message->src)];
    Node& dst = nodes_[static_cast<std::size_t>(message->dst)];
    if (entry.op == Op::kReduce) {
      if (src.summed_at != topology::kNoNode) return false;
      src.summed_at = message->dst;
      ++dst.sums;
    } else {
      if (dst.stored_from != topology::kNoNode) return false;
      dst.stored_from = message->src;
      dst.store = message->arrival;
    }
  }
  std::size_t first = 0;
  for (Node& node : nodes_) {
    node.first_source = first;
    first += static_cast<std::size_t>(node.sums);
  }
  sources_.resize(first);
  std::vector<std::size_t> next;
  next.reserve(nodes_.size());
  for (const Node& node : nodes_) next.push_back(node.first_source);
  for (const Message* message : group.messages) {
    if (message->entry->op != Op::kReduce) continue;
    sources_[next[static_cast<std::size_t>(message->dst)]++] = message->src;
  }
  return true;
}

bool TreeOrder::follows(const Message& message) {
  const TableEntry& entry = *message.entry;
  const Node& node = nodes_[static_cast<std::size_t>(message.src)];
  const bool stored = node.stored_from != topology::kNoNode;
  // The store must be the last arrival, and if the node sends a sum, the store must come from the destination
  // of that sum.
  if (stored && node.store != node.sums) return false;
  if (entry.op == Op::kReduce) {
    if (stored && node.stored_from != node.summed_at) return false;
    return entry.dependencies == node.sums && names_sources(entry, node);
  }
  if (entry.dependencies != node.sums + (stored ? 1 : 0) || entry.parent != node.stored_from) return false;
  // If sums arrive at the destination, it must already have sent their total to this node.
  const Node& dst = nodes_[static_cast<std::size_t>(message.dst)];
  if (dst.store != dst.sums) return false;
  return dst.sums == 0 ? dst.summed_at == topology::kNoNode || dst.summed_at == message.src
                       : dst.summed_at == message.src;
}

// Whether the entry names as children exactly the accelerators whose sums arrived at the node.
bool TreeOrder::names_sources(const TableEntry& entry, const Node& node) {
  const auto sources = std::span(sources_).subspan(node.first_source, static_cast<std::size_t>(node.sums));
  named_.assign(entry.children.begin(), entry.children.end());
  std::ranges::sort(named_);
  std::ranges::sort(sources);
  return std::ranges::equal(named_, sources);
}

}  // namespace coppice::schedule
