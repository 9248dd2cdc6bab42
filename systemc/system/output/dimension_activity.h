#pragma once

#include <cstddef>
#include <vector>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "ni/memory/message_record.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::system {

// Time spent in windows of equal length, series by series. Over time, windows are merged two by two, so that
// there are never more than kMost.
class TimeWindows {
 public:
  static constexpr std::size_t kMost = 64;

  // The initial length of a window is `first`.
  TimeWindows(std::size_t series, Femtoseconds first) : spent_(series), window_(first) {}

  // Adds `spent` of the time from `begin` to `end`, spread evenly; by default all of it.
  void add(std::size_t series, Femtoseconds begin, Femtoseconds end) { add(series, begin, end, end - begin); }
  void add(std::size_t series, Femtoseconds begin, Femtoseconds end, Femtoseconds spent);
  Femtoseconds window() const { return window_; }
  // A copy whose kMost windows reach `end`, even if nothing has been spent for long.
  TimeWindows until(Femtoseconds end) const;
  // [window]: the fraction of its length that a series spent, over `count`; the last window ends at `end`.
  std::vector<double> parts(std::size_t series, double count, Femtoseconds end) const;

 private:
  void join();

  std::vector<std::vector<Femtoseconds>> spent_;  // [series][window]
  Femtoseconds window_;
};

// Observed activity of the dimensions of a hierarchy over time: of their channels (the time for which flits,
// including heads, occupy those that leave accelerators) and of their messages (Themis, Fig. 9: a port's
// dimension is active while one of its messages is in it, from when the message's data is available until it
// has been reduced or stored). Both are means over all accelerators and ports.
class DimensionActivity final : public fabric::FabricObserver {
 public:
  // `schedules` are those of the messages. All references must outlive this object; the topology must have
  // dimensions, equal at all accelerators.
  DimensionActivity(const topology::Topology& topology, const config::SystemConfig& system,
                    std::vector<const schedule::Schedule*> schedules);

  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override;
  void channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) override;
  void message_completed(const ni::MessageRecord& message, std::size_t schedule = 0);

  Femtoseconds window() const { return windows_.window(); }
  // The observations, in windows of which TimeWindows::kMost reach `end`.
  DimensionActivity until(Femtoseconds end) const;
  // [window up to `end`]: the fraction in which an accelerator's channels of dimension `d` were busy.
  std::vector<double> busy(std::size_t d, Femtoseconds end) const;
  // The activity of messages.
  std::vector<double> active(std::size_t d, Femtoseconds end) const;

 private:
  // Counts a channel as busy for `used` from `begin` until its last flit is done; that flit may be granted up
  // to a cycle before the previous one is done.
  void keep_busy(topology::NodeId node, std::size_t port, Femtoseconds begin, Femtoseconds last_flit,
                 Femtoseconds used);

  struct Span {
    Femtoseconds begin;
    Femtoseconds end;
  };
  // Adds to a series the part of a span that is outside `covered`, and joins it to them. `covered` is
  // disjoint and in ascending order; no span ends before earlier ones do.
  void cover(std::vector<Span>& covered, std::size_t series, Span span);

  double ports(std::size_t d) const { return static_cast<double>(ports_[d]) * topology_->num_accelerators(); }

  const topology::Topology* topology_;
  std::vector<const schedule::Schedule*> schedules_;
  Femtoseconds period_;
  std::size_t out_ports_;                   // per accelerator
  std::vector<int> ports_;                  // [dimension]: ports per accelerator
  std::vector<Femtoseconds> flit_time_;     // [out-port of an accelerator]
  std::vector<std::size_t> dimension_;      // [out-port of an accelerator]
  std::vector<Femtoseconds> free_at_;       // [accelerator][out-port]: when the channel's last flit is done
  std::vector<std::vector<Span>> covered_;  // [accelerator][out-port]: the times in which it had messages
  TimeWindows windows_;  // series: the channels of each dimension, then the messages of each
};

}  // namespace coppice::system
