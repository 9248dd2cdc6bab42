#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace coppice::fabric {

// Max-min fair rates of flows over links, updated while flows arrive, leave and move: no flow's rate can grow
// unless that of a flow with an equal or smaller rate shrinks (Bertsekas and Gallager, Data Networks, Sec.
// 6.5.2). In progressive filling, all rates rise together. When a link is full, the rates of its flows stay
// at the current level, and the link is the bottleneck of these flows.
//
// Updates are incremental and exact. Like progressive filling, an update rises through the levels, but it
// examines only links whose flows or capacity have changed. All rates below the current level are final, so a
// link is examined at the first level where it could be full and at the level where it was full before. If it
// is no longer full at that level, its flows continue to rise, and the other links of these flows are
// examined too. The cost is proportional to the number of flows whose rates change, and to the number of
// their links.
class MaxMinRates {
 public:
  using FlowId = std::int32_t;

  // `capacities` contains the bytes per second of every link.
  explicit MaxMinRates(std::vector<double> capacities);

  // Adds a flow over one or more distinct links. The IDs of removed flows are reused.
  FlowId add(std::span<const std::int32_t> links);
  void remove(FlowId flow);
  void reroute(FlowId flow, std::span<const std::int32_t> links);
  // Sets the capacity of a link in bytes per second; 0 stalls the flows over the link.
  void set_capacity(std::int32_t link, double capacity);

  // Updates the rates after all changes since the last call. Returns the flows whose rates have changed.
  std::span<const FlowId> update();

  double rate(FlowId flow) const { return flows_[index(flow)].rate; }
  std::span<const std::int32_t> links(FlowId flow) const { return paths_[index(flow)]; }
  // The index, within the flow's links, of the first link that limited the flow to its rate at the last
  // update.
  std::size_t bottleneck(FlowId flow) const;
  double capacity(std::int32_t link) const { return links_[index(link)].capacity; }
  // The total number of times that any flow's rate has been recomputed, for measurements.
  std::int64_t work() const { return work_; }

 private:
  enum class State : std::uint8_t {
    kKept,   // has kept its previous rate so far
    kOpen,   // rises until a link limits the flow
    kFixed,  // has reached its final rate
  };
  struct Flow {
    double rate = 0;
    std::int32_t bottleneck = -1;
    State state = State::kKept;
    bool touched = false;
    bool alive = false;
    double before = 0;  // rate at the last update, set once the flow is touched
  };
  struct Link {
    double capacity = 0;
    double level = 0;  // level at which the link is full; infinite if it never is
    double next = 0;   // level at which the link is examined next
    bool queued = false;
    bool stale = false;  // whether `next` is only a lower bound
    bool dirty = false;
    std::vector<FlowId> flows;
  };

  static std::size_t index(std::int32_t id) { return static_cast<std::size_t>(id); }
  void attach(FlowId flow, std::span<const std::int32_t> links);
  void detach(FlowId flow);
  void mark(std::int32_t link);
  void touch(FlowId flow);
  void enqueue(std::int32_t link, double level);
  void look_at(std::int32_t link, double level);
  void hold(std::int32_t link, double level);
  void release(std::int32_t link, double level);
  void start();
  double level_of(std::int32_t link) const;

  std::vector<Flow> flows_;
  std::vector<std::vector<std::int32_t>> paths_;  // links of each flow
  std::vector<Link> links_;
  std::vector<FlowId> free_;
  std::vector<std::int32_t> dirty_;  // links changed since the last update
  std::vector<std::pair<double, std::int32_t>> heap_;
  std::vector<std::int32_t> reached_;  // links of the flows that have been released
  std::vector<FlowId> touched_;
  std::vector<FlowId> changed_;
  mutable std::vector<double> lower_;  // scratch space for the rates on a link
  std::int64_t work_ = 0;
};

}  // namespace coppice::fabric
