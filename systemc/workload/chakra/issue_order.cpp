#include "workload/chakra/issue_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace coppice::workload::chakra {
namespace {

using Entry = std::pair<std::uint64_t, std::size_t>;  // (id, index)

class Issuer {
 public:
  Issuer(const std::vector<Node>& nodes, const std::vector<std::vector<std::size_t>>& before)
      : nodes_(nodes), followers_(nodes.size()), waits_(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      waits_[i] = before[i].size();
      for (const std::size_t other : before[i]) followers_[other].push_back(i);
      if (on_stream(nodes[i])) streams_[*nodes[i].attributes.stream].insert(entry(i));
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (waits_[i] == 0) offer(i);
    }
    result_.order.reserve(nodes.size());
  }

  IssueOrder run() {
    while (!ready_.empty() || !held_.empty()) {
      if (ready_.empty()) {
        // On every stream, the next node waits for a later node of some stream, so issue a node out of order.
        ++result_.against_ids;
        ready_.insert(held_.extract(held_.begin()));
      }
      const std::size_t i = ready_.extract(ready_.begin()).value().second;
      result_.order.push_back(i);
      leave_stream(i);
      for (const std::size_t next : followers_[i]) {
        if (--waits_[next] == 0) offer(next);
      }
    }
    return std::move(result_);
  }

 private:
  Entry entry(std::size_t i) const { return {nodes_[i].id, i}; }
  std::set<Entry>& stream_of(std::size_t i) { return streams_[*nodes_[i].attributes.stream]; }

  void offer(std::size_t i) {
    const bool held = on_stream(nodes_[i]) && *stream_of(i).begin() != entry(i);
    (held ? held_ : ready_).insert(entry(i));
  }

  void leave_stream(std::size_t i) {
    if (!on_stream(nodes_[i])) return;
    std::set<Entry>& stream = stream_of(i);
    stream.erase(entry(i));
    if (stream.empty()) return;
    const auto next = held_.find(*stream.begin());
    if (next != held_.end()) ready_.insert(held_.extract(next));
  }

  const std::vector<Node>& nodes_;
  std::vector<std::vector<std::size_t>> followers_;
  std::vector<std::size_t> waits_;
  std::map<std::int64_t, std::set<Entry>> streams_;  // [stream]: nodes that have not been issued
  std::set<Entry> ready_;
  std::set<Entry> held_;  // nodes that wait only for nodes with lower ids on their stream
  IssueOrder result_;
};

}  // namespace

IssueOrder issue_order(const std::vector<Node>& nodes, const std::vector<std::vector<std::size_t>>& before) {
  return Issuer(nodes, before).run();
}

bool on_stream(const Node& node) {
  return node.attributes.stream && !node.attributes.on_host && node.kind != NodeKind::kMetadata;
}

}  // namespace coppice::workload::chakra
