#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

  // Adds `spent`, spread evenly over the time from `begin` to `end`, for `count` members of a series.
  void add(std::size_t series, Femtoseconds begin, Femtoseconds end, Femtoseconds spent,
           std::int64_t count = 1);
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
// or stored. Both are averaged over all accelerators and ports. If a channel has images, one of them is
// tracked, and its times count for all of them.
class DimensionActivity final : public fabric::FabricObserver {
 public:
  // `schedules`: the schedules of the messages. All references must outlive this object. The topology must
  // have the same dimensions at all accelerators.
  DimensionActivity(const topology::Topology& topology, const config::SystemConfig& system,
                    std::vector<const schedule::Schedule*> schedules);

  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override;
  void channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) override;
  void channels_busy(std::span<const topology::ChannelId> images, Cycles begin, Cycles end,
                     Femtoseconds used) override;
  // Adds a message. If the channel by which it leaves its source has images, so does the message, and all of
  // them are added.
  void message_completed(const ni::MessageRecord& message, std::size_t schedule = 0);

  Femtoseconds window() const { return windows_.window(); }
  // Returns a copy whose windows extend to `end` (see TimeWindows::until()).
  DimensionActivity until(Femtoseconds end) const;
  // [window up to `end`]: the fraction of time for which the channels of dimension `d` were busy.
  std::vector<double> busy(std::size_t d, Femtoseconds end) const;
  // [window up to `end`]: the fraction of time for which messages were active in dimension `d`.
  std::vector<double> active(std::size_t d, Femtoseconds end) const;

 private:
  struct Span {
    Femtoseconds begin;
    Femtoseconds end;
  };
  // Ports of accelerators that do the same in the same cycles.
  struct Images {
    std::size_t tracked = 0;          // the port whose times count for all of them
    std::vector<std::int64_t> count;  // [dimension]: number of these ports
  };

  std::size_t port_of(const topology::Channel& channel) const {
    return static_cast<std::size_t>(channel.src) * out_ports_ + static_cast<std::size_t>(channel.src_port);
  }
  // The images of a port; nullptr if it has none.
  const Images* images_of(std::size_t port) const {
    return image_numbers_.empty() || image_numbers_[port] < 0
               ? nullptr
               : &images_[static_cast<std::size_t>(image_numbers_[port])];
  }
  void add_images(std::span<const topology::ChannelId> images);
  // Counts the channel of a port as busy for `used`. This time lies between `begin` and the end of the last
  // flit. The last flit starts at `last_flit` or, if that is later, when the previous flit ends.
  void keep_busy(std::size_t port, Femtoseconds begin, Femtoseconds last_flit, Femtoseconds used);
  // Adds the part of `span` that covered_[port] does not contain to the messages of the port's dimension, and
  // merges the span into covered_[port]. Spans must be added in the order of their ends.
  void cover(std::size_t port, Span span);
  // Adds the time that a port, and each of its images, spends: `first` is the series of dimension 0.
  void add(std::size_t first, std::size_t port, Femtoseconds begin, Femtoseconds end, Femtoseconds spent);

  double ports(std::size_t d) const { return static_cast<double>(ports_[d]) * topology_->num_accelerators(); }

  const topology::Topology* topology_;
  std::vector<const schedule::Schedule*> schedules_;
  Femtoseconds period_;
  std::size_t out_ports_;                // per accelerator
  std::vector<int> ports_;               // [dimension]: number of ports per accelerator
  std::vector<Femtoseconds> flit_time_;  // [out-port of an accelerator]: the time of a flit
  std::vector<std::size_t> dimension_;   // [out-port of an accelerator]: its dimension
  // A port is numbered accelerator * out_ports_ + out-port.
  std::vector<Femtoseconds> free_at_;  // [port]: end of the channel's last flit
  // [port]: the times at which a message was active, disjoint and in ascending order.
  std::vector<std::vector<Span>> covered_;
  std::vector<Images> images_;
  std::vector<int> image_numbers_;  // [port]: index into images_, or -1; empty if no port has images
  TimeWindows windows_;  // series: the channels of each dimension, then the messages of each dimension
};

}  // namespace coppice::system
