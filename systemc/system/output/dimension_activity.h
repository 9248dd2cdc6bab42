#pragma once

#include <cstddef>
#include <vector>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "ni/memory/message_record.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::system {

// The time that each of several series spends in windows of equal length. When more than kMost windows would
// be needed, adjacent windows are merged in pairs.
class TimeWindows {
 public:
  static constexpr std::size_t kMost = 64;

  // `first`: initial length of a window.
  TimeWindows(std::size_t series, Femtoseconds first) : spent_(series), window_(first) {}

  // Adds `spent` (by default end - begin), spread evenly over the time from `begin` to `end`.
  void add(std::size_t series, Femtoseconds begin, Femtoseconds end) { add(series, begin, end, end - begin); }
  void add(std::size_t series, Femtoseconds begin, Femtoseconds end, Femtoseconds spent);
  Femtoseconds window() const { return window_; }
  // Returns a copy whose kMost windows extend to `end`, even if no time was spent in the last windows.
  TimeWindows until(Femtoseconds end) const;
  // [window]: the fraction of the window that a member of a series spent, averaged over `count` members. The
  // last window ends at `end`.
  std::vector<double> parts(std::size_t series, double count, Femtoseconds end) const;

 private:
  void join();

  std::vector<std::vector<Femtoseconds>> spent_;  // [series][window]: the time spent
  Femtoseconds window_;
};

// Observes how active the dimensions of a hierarchy are over time. The channels that leave accelerators are
// active while flits, including heads, occupy them. A port is active with messages (Themis, Fig. 9) while
// at least one of its messages is in the dimension, from when its data is available until it has been reduced
// or stored. Both are averaged over all accelerators and ports.
class DimensionActivity final : public fabric::FabricObserver {
 public:
  // `schedules`: the schedules of the messages. All references must outlive this object. The topology must
  // have the same dimensions at all accelerators.
  DimensionActivity(const topology::Topology& topology, const config::SystemConfig& system,
                    std::vector<const schedule::Schedule*> schedules);

  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override;
  void channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) override;
  void message_completed(const ni::MessageRecord& message, std::size_t schedule = 0);

  Femtoseconds window() const { return windows_.window(); }
  // Returns a copy whose windows extend to `end` (see TimeWindows::until()).
  DimensionActivity until(Femtoseconds end) const;
  // [window up to `end`]: the fraction of time for which the channels of dimension `d` were busy.
  std::vector<double> busy(std::size_t d, Femtoseconds end) const;
  // [window up to `end`]: the fraction of time for which messages were active in dimension `d`.
  std::vector<double> active(std::size_t d, Femtoseconds end) const;

 private:
  // Counts the channel of an accelerator's port as busy for `used`. This time lies between `begin` and the
  // end of the last flit. The last flit starts at `last_flit` or, if that is later, when the previous flit
  // ends.
  void keep_busy(topology::NodeId node, std::size_t port, Femtoseconds begin, Femtoseconds last_flit,
                 Femtoseconds used);

  struct Span {
    Femtoseconds begin;
    Femtoseconds end;
  };
  // Adds to a series the part of `span` that `covered` does not contain, and merges the span into `covered`,
  // a list of disjoint spans in ascending order. Spans must be added in the order of their ends.
  void cover(std::vector<Span>& covered, std::size_t series, Span span);

  double ports(std::size_t d) const { return static_cast<double>(ports_[d]) * topology_->num_accelerators(); }

  const topology::Topology* topology_;
  std::vector<const schedule::Schedule*> schedules_;
  Femtoseconds period_;
  std::size_t out_ports_;                // per accelerator
  std::vector<int> ports_;               // [dimension]: number of ports per accelerator
  std::vector<Femtoseconds> flit_time_;  // [out-port of an accelerator]: the time of a flit
  std::vector<std::size_t> dimension_;   // [out-port of an accelerator]: its dimension
  std::vector<Femtoseconds> free_at_;    // [accelerator][out-port]: end of the channel's last flit
  // [accelerator][out-port]: the times at which a message was active.
  std::vector<std::vector<Span>> covered_;
  TimeWindows windows_;  // series: the channels of each dimension, then the messages of each dimension
};

}  // namespace coppice::system
