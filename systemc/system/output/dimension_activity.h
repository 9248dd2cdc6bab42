#pragma once

#include <cstddef>
#include <vector>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "ni/memory/message_record.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::system {

// The time that each of several series spends in windows of equal length. Pairs of windows are merged as
// needed, so that there are never more than kMost.
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
  // [window]: the time spent by a series divided by the window's length and by `count`; the last window ends
  // at `end`.
  std::vector<double> parts(std::size_t series, double count, Femtoseconds end) const;

 private:
  void join();

  std::vector<std::vector<Femtoseconds>> spent_;  // [series][window]
  Femtoseconds window_;
};

// Observes the activity of a hierarchy's dimensions over time. The activity of channels is the time for which
// flits, including heads, occupy the channels that leave accelerators. The activity of messages (Themis, Fig.
// 9) is the time for which one of a port's messages is in the dimension, from when its data is available
// until it has been reduced or stored. Both are averaged over all accelerators and ports.
class DimensionActivity final : public fabric::FabricObserver {
 public:
  // `schedules`: the schedules of the messages. All references must outlive this object; the topology must
  // have dimensions, which must be the same at all accelerators.
  DimensionActivity(const topology::Topology& topology, const config::SystemConfig& system,
                    std::vector<const schedule::Schedule*> schedules);

  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override;
  void channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) override;
  void message_completed(const ni::MessageRecord& message, std::size_t schedule = 0);

  Femtoseconds window() const { return windows_.window(); }
  // Returns a copy whose windows extend to `end` (see TimeWindows::until()).
  DimensionActivity until(Femtoseconds end) const;
  // [window up to `end`]: the fraction of time for which an accelerator's channels of dimension `d` were
  // busy.
  std::vector<double> busy(std::size_t d, Femtoseconds end) const;
  // [window up to `end`]: the fraction of time for which messages were active in dimension `d`.
  std::vector<double> active(std::size_t d, Femtoseconds end) const;

 private:
  // Counts a channel as busy for `used` between `begin` and the end of its last flit, which starts at
  // `last_flit` or when the previous flit ends, whichever is later.
  void keep_busy(topology::NodeId node, std::size_t port, Femtoseconds begin, Femtoseconds last_flit,
                 Femtoseconds used);

  struct Span {
    Femtoseconds begin;
    Femtoseconds end;
  };
  // Adds the part of `span` that is outside `covered` to a series, and merges the span into `covered`, which
  // is disjoint and in ascending order. No span may end earlier than the spans of previous calls.
  void cover(std::vector<Span>& covered, std::size_t series, Span span);

  double ports(std::size_t d) const { return static_cast<double>(ports_[d]) * topology_->num_accelerators(); }

  const topology::Topology* topology_;
  std::vector<const schedule::Schedule*> schedules_;
  Femtoseconds period_;
  std::size_t out_ports_;                   // per accelerator
  std::vector<int> ports_;                  // [dimension]: ports per accelerator
  std::vector<Femtoseconds> flit_time_;     // [out-port of an accelerator]
  std::vector<std::size_t> dimension_;      // [out-port of an accelerator]
  std::vector<Femtoseconds> free_at_;       // [accelerator][out-port]: end of the channel's last flit
  std::vector<std::vector<Span>> covered_;  // [accelerator][out-port]: times with messages
  TimeWindows windows_;                     // series: channels by dimension, then messages by dimension
};

}  // namespace coppice::system
