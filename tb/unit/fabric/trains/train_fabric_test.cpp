#include "fabric/trains/train_fabric.h"

#include <gmock/gmock.h>

#include <list>
#include <vector>

#include "small_fabric.h"

namespace coppice::fabric {
namespace {

// Offers whole messages in order, never before their start cycles.
class MessageSource final : public Injector {
 public:
  struct Offer {
    Message message;
    Cycles at;
  };
  std::vector<Offer> offers;
  std::vector<Cycles> left;  // the cycle in which the tail of each message left

  Answer next_packet(Cycles /*now*/, Packet& /*packet*/) override { return Answer::kSleep; }
  void packet_injected(const Packet& /*packet*/, Cycles /*now*/) override {}
  Pending next_message() override {
    if (next_ == offers.size()) return {};
    return {&offers[next_].message, offers[next_].at};
  }
  void message_started(std::uint64_t /*message*/, Cycles /*now*/) override { ++next_; }
  void message_injected(std::uint64_t /*message*/, Cycles now) override { left.push_back(now); }

 private:
  std::size_t next_ = 0;
};

class MessageSink final : public Ejector {
 public:
  explicit MessageSink(std::int64_t flits) : flits_(flits) {}
  void packet_ejected(const Packet& /*packet*/, Cycles /*now*/) override {}
  std::int64_t message_ejected(std::uint64_t /*message*/, Cycles now) override {
    arrivals.push_back(now);
    return flits_;
  }
  std::vector<Cycles> arrivals;

 private:
  std::int64_t flits_;
};

// The middle node of three, which sends messages of a head and one data flit alternately to both neighbours.
class Middle {
 public:
  Middle(const char* name, const config::SystemConfig& system, const std::vector<Cycles>& times)
      : topology_(mesh({3})), routing_(topology::make_dimension_order_routing(topology_, system.router.vcs)) {
    set_time_resolution();
    Framing framing;
    framing.flow_control = config::FlowControl::kMessage;
    fabric_ = std::make_unique<TrainFabric>(name, topology_, system, framing, 1, failure_);
    routes_ = {topology::make_route(topology_, *routing_, 1, 0, 0, 0),
               topology::make_route(topology_, *routing_, 1, 2, 0, 0)};
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Message message{i, 1, i % 2 == 0 ? 0 : 2, &routes_[i % 2], 16, kCycle};
      source_.offers.push_back({message, times[i]});
    }
    for (NodeId node = 0; node < 3; ++node) {
      sinks_.emplace_back(2);
      fabric_->connect(node, 0, node == 1 ? source_ : others_[static_cast<std::size_t>(node)], sinks_.back());
    }
    fabric_->wake(1, 0, times.front());
  }
  void run() const {
    run_cycles(1000);
    failure_.rethrow();
  }
  const std::vector<Cycles>& left() const { return source_.left; }

 private:
  topology::Topology topology_;
  std::unique_ptr<topology::RoutingFunction> routing_;
  Failure failure_;
  std::vector<topology::Route> routes_;
  MessageSource source_;
  std::array<MessageSource, 3> others_;
  std::list<MessageSink> sinks_;
  std::unique_ptr<TrainFabric> fabric_;
};

// Routers whose delay for a head exceeds the time in which packets rotate through two virtual channels of two
// flits each.
config::SystemConfig slow_routers() {
  config::SystemConfig system = system_config(2);
  system.router.routing_delay = 5;
  system.router.vc_alloc_delay = 2;
  return system;
}

TEST(TrainFabric, RejectsAMessageThatFollowsWithinTheRoutersDelay) {
  const Middle close("close", slow_routers(), {0, 6});
  EXPECT_THROW(close.run(), ContentionError);
}

TEST(TrainFabric, AcceptsAMessageAfterTheRoutersDelay) {
  const Middle apart("apart", slow_routers(), {0, 7, 14});
  apart.run();
  EXPECT_THAT(apart.left(), ::testing::ElementsAre(1, 8, 15));
}

// If flits contend for an output, their virtual channels affect the result. Trains do not model these, so no
// train may use an output port that leads to such an output.
TEST(TrainFabric, KeepsTrainsOffPortsThatLeadToContendingFlits) {
  const topology::Topology line = mesh({4});
  const config::SystemConfig system = system_config(8);
  const auto routing = topology::make_dimension_order_routing(line, system.router.vcs);
  set_time_resolution();
  Framing framing;
  framing.flow_control = config::FlowControl::kMessage;
  Failure failure;
  Meetings meetings;
  TrainFabric fabric("fabric", line, system, framing, 1, failure);
  fabric.record_meetings(meetings);
  const topology::Route flits = topology::make_route(line, *routing, 0, 2, 0, 0);
  const topology::Route train = topology::make_route(line, *routing, 0, 1, 0, 0);
  const auto first = static_cast<std::int32_t>(fabric.output_index(0, flits[0].out_port));
  const auto second = static_cast<std::int32_t>(fabric.output_index(1, flits[1].out_port));
  fabric.flits_come(std::vector{first, second}, 0, flits.data(), 0, 0);
  fabric.flits_passed({.output = second,
                       .begin = 0,
                       .last_head = 0,
                       .tail = 2,
                       .left_next = 4,
                       .held_up = true,
                       .vcs = flits[1].vcs,
                       .src = 0,
                       .dst = 2},
                      5);
  EXPECT_FALSE(meetings.met());
  MessageSource source;
  source.offers.push_back({{0, 0, 1, &train, 16, kCycle}, 50});
  std::array<MessageSource, 4> others;
  std::list<MessageSink> sinks;
  for (NodeId node = 0; node < 4; ++node) {
    sinks.emplace_back(2);
    fabric.connect(node, 0, node == 0 ? source : others[static_cast<std::size_t>(node)], sinks.back());
  }
  fabric.wake(0, 0, 50);
  run_cycles(1000);
  EXPECT_TRUE(meetings.met());
  EXPECT_EQ(meetings.at(), 50);
}

// With eight virtual channels, rotating through them takes longer than the router's delay, so messages may
// follow each other immediately.
TEST(TrainFabric, AcceptsMessagesAtOnceIfVirtualChannelsOutlastTheRouter) {
  const Middle many("many", system_config(8), {0, 2, 4});
  many.run();
  EXPECT_THAT(many.left(), ::testing::ElementsAre(1, 3, 5));
}

}  // namespace
}  // namespace coppice::fabric
