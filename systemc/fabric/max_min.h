#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace coppice::fabric {

// Max-min fair rates of flows over links, kept while flows come, go and move: no flow's rate can grow without
// a smaller or equal one shrinking (Bertsekas and Gallager, Data Networks, Sec. 6.5.2). Found by progressive
// filling: the link with the least share per unfinished flow fixes its flows at that share, and so on.
//
// Incremental and exact: after a change, the flows of the changed links are filled again while the others
// keep their rates; a flow outside that has no bottleneck any more (a full link on which no flow is faster),
// or that is faster on a link that is the bottleneck of one inside, joins them, until none does. Then every
// flow has a bottleneck, and the allocation in which every flow has one is unique.
class MaxMinRates {
 public:
  using FlowId = std::int32_t;

  // Bytes per second of every link.
  explicit MaxMinRates(std::vector<double> capacities);

  // A flow over distinct links, at least one. Identities are reused.
  FlowId add(std::span<const std::int32_t> links);
  void remove(FlowId flow);
  void reroute(FlowId flow, std::span<const std::int32_t> links);
  // 0: the flows over the link stand still.
  void set_capacity(std::int32_t link, double capacity);

  // Brings rates up to date with all changes since the last call; the flows whose rates are others now.
  std::span<const FlowId> update();

  double rate(FlowId flow) const { return flows_[index(flow)].rate; }
  std::span<const std::int32_t> links(FlowId flow) const { return flows_[index(flow)].links; }
  double capacity(std::int32_t link) const { return links_[index(link)].capacity; }
  // Whether every flow has a bottleneck and no link is above its capacity, to 1e-9: the definition itself.
  bool is_max_min_fair() const;
  // Flows filled again so far, for those who measure.
  std::int64_t work() const { return work_; }

 private:
  struct Flow {
    std::vector<std::int32_t> links;
    double rate = 0;
    double before = 0;  // its rate at the last update
    bool alive = false;
    bool inside = false;     // filled again in this update
    bool fixed = false;      // in this filling
    std::int64_t round = 0;  // in which its bottleneck was looked for last
  };
  struct Link {
    double capacity = 0;
    std::vector<FlowId> flows;
    bool dirty = false;
    bool touched = false;    // has flows inside
    double left = 0;         // in this filling: capacity for flows not fixed yet
    std::int32_t open = 0;   // those flows
    double wanted = 0;       // by them, each as fast as the rest of its way lets it
    bool narrowest = false;  // has the least left of all links of one of them
    // Of its flows' rates, as they were when last asked for; stale since one has changed.
    mutable bool stale = true;
    mutable bool full = false;
    mutable double fastest = 0;
  };

  static std::size_t index(std::int32_t id) { return static_cast<std::size_t>(id); }
  void attach(FlowId flow, std::span<const std::int32_t> links);
  void detach(FlowId flow);
  void mark(std::int32_t link);
  void take_in(FlowId flow);
  void fill();
  bool take_in_violators();
  void take_in_all_reached();
  const Link& seen(std::int32_t link) const;
  bool has_bottleneck(const Flow& flow) const;

  std::vector<Flow> flows_;
  std::vector<Link> links_;
  std::vector<FlowId> free_;
  std::vector<std::int32_t> dirty_;  // links changed since the last update
  std::vector<FlowId> inside_;
  std::vector<std::int32_t> touched_;  // links of flows inside
  std::vector<std::pair<double, std::int32_t>> heap_;
  std::vector<FlowId> changed_;
  std::int64_t work_ = 0;
  std::int64_t round_ = 0;  // of looking for flows that join
};

}  // namespace coppice::fabric
