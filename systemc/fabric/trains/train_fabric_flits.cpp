// Functions for messages that move as flits through the same output ports as trains.
#include <algorithm>

#include <fmt/format.h>

#include "fabric/trains/train_fabric.h"

namespace coppice::fabric {

void TrainFabric::record_meetings(Meetings& meetings) {
  meetings_ = &meetings;
  meetings.set_size(outputs_.size(), ports_.size());
}

// Records that the message being started, whose path is in stages_, passes its output ports.
void TrainFabric::record_passing(std::int32_t port, const Message& message, const Train& train, Cycles now) {
  passing_.clear();
  for (const Stage& stage : stages_) {
    passing_.push_back(index(*stage.output));
    stage.output->trained = true;
    if (stage.output->flits_only) meet(*stage.output, now);
  }
  ++meetings_->messages;
  meetings_->sends(port, train.flits * static_cast<std::int64_t>(stages_.size()), now);
  meetings_->passes(port, message.route->data(), passing_);
}

void TrainFabric::flits_come(std::span<const std::int32_t> outputs, std::int32_t port,
                             const topology::Hop* route, Cycles begin, Cycles now) {
  std::int32_t feeder = -1;
  for (const std::int32_t o : outputs) {
    Output& output = outputs_[static_cast<std::size_t>(o)];
    ++output.flits_coming;
    output.flits_since = std::min(output.flits_since, begin);
    if (feeder >= 0) {
      auto& feeders = feeders_[o];
      if (std::find(feeders.begin(), feeders.end(), feeder) == feeders.end()) {
        feeders.push_back(feeder);
        if (output.shared) keep_trains_off(outputs_[static_cast<std::size_t>(feeder)], now);
      }
    }
    feeder = o;
  }
  meetings_->passes(port, route, outputs);
}

void TrainFabric::flits_passed(const OutputInterval& flits, Cycles now) {
  Output& output = outputs_[static_cast<std::size_t>(flits.output)];
  const bool last = output.to == topology::kNoNode;
  const Cycles delay = timing_.routing_and_allocation();
  Interval interval{flits.begin, flits.tail, 0, 0, flits.vcs, true};
  // If the flit time is fractional, the channel carries a flit's wait for the clock edge over to the next
  // flit, so its state settles one cycle later.
  const Cycles given_back = output.pace.cycles > 0 ? 0 : 1;
  const Cycles channel_free = timing_.cycles(flits.tail * period_ + output.pace.flit_time) + given_back;
  const Cycles credits_back = flits.left_next - (last ? 0 : delay) + output.credit_loop;
  interval.free = std::max({channel_free, flits.last_head + delay, flits.left_next + 1, credits_back,
                            flits.tail + 1 + vc_alloc_delay_});
  interval.free_of_vc = interval.free;
  occupy(output, interval, flits.src, flits.dst, now);
  if (flits.held_up) share(output, now);
  if (--output.flits_coming == 0) output.flits_since = kNoFlits;
}

// Records that flits meet at the output. From now on, the arbitration depends on the pointers of the output
// and on the virtual channels on which flits arrive.
void TrainFabric::share(Output& output, Cycles now) {
  if (output.shared) return;
  output.shared = true;
  keep_trains_off(output, now);
  const auto feeders = feeders_.find(index(output));
  if (feeders == feeders_.end()) return;
  for (const std::int32_t feeder : feeders->second)
    keep_trains_off(outputs_[static_cast<std::size_t>(feeder)], now);
}

void TrainFabric::keep_trains_off(Output& output, Cycles now) {
  output.flits_only = true;
  if (output.trained) meet(output, now);
}

// Records that a train passes, or has passed, an output port that only flits may use.
void TrainFabric::meet(Output& output, Cycles now) {
  if (output.shared) {
    meetings_->want_users_and_feeders(index(output));
  } else {
    meetings_->want_users(index(output));
  }
  if (!first_contention(now)) return;
  contend(now, fmt::format("contention on {} at cycle {}: a train has passed this port, but flits meet here "
                           "or at a port to which it leads",
                           place(output), now));
}

}  // namespace coppice::fabric
