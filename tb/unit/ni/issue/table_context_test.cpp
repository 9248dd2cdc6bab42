#include "ni/issue/table_context.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "two_nodes.h"

namespace coppice::ni {
namespace {

// Runs collectives of one message each, from node 0 to node 1, in contexts. The interfaces' own tables are
// empty.
class Contexts : public ::testing::Test {
 protected:
  struct Collective {
    schedule::Schedule schedule;
    ValueMemory source{std::vector<float>(128, 1.0F)};
    ValueMemory sink{std::vector<float>(128, 10.0F)};
  };

  Collective& add(Bytes bytes, int priority) {
    auto one = std::make_unique<Collective>();
    TableEntry entry;
    entry.op = schedule::Op::kReduce;
    entry.flow = 0;
    entry.step = 1;
    entry.bytes = bytes;
    entry.route = 0;
    entry.parent = 1;
    one->schedule.size = bytes;
    one->schedule.flows = 1;
    one->schedule.routes = {{{0, {0, 4}}, {1, {0, 4}}}};
    one->schedule.nodes.resize(2);
    for (auto& node : one->schedule.nodes) node.ports.resize(1);
    one->schedule.nodes[0].ports[0].push_back(entry);
    priorities.push_back(priority);
    collectives.push_back(std::move(one));
    return *collectives.back();
  }

  // Runs all collectives. The receiver starts all of them in cycle `joins`. The sender starts them in cycle
  // 0, except for the last `later`, which it starts one after another in cycle `at`, after all other events
  // of that cycle. If `at` is -1, the sender starts the last collective when the first one ends.
  void run(Cycles joins, config::ContextOrder order = config::ContextOrder::kFifo, std::size_t later = 0,
           Cycles at = 0) {
    nodes.system.ni.context_order = order;
    nodes.before_start = [this, joins, later, at] {
      for (std::size_t i = 0; i < collectives.size(); ++i) {
        const auto id = static_cast<ContextId>(i + 1);
        for (NodeId node = 0; node < 2; ++node) {
          Collective& one = *collectives[i];
          NetworkInterface& interface = *nodes.interfaces[static_cast<std::size_t>(node)];
          interface.on_context_done = [this, node, at](ContextId done, Cycles now) {
            ended.push_back({node, done, now});
            if (at < 0 && node == 0 && done == 1) {
              nodes.interfaces[0]->start_context(static_cast<ContextId>(collectives.size()), now);
            }
          };
          interface.load({.id = id,
                          .schedule = &one.schedule,
                          .tables = &one.schedule.nodes[static_cast<std::size_t>(node)],
                          .contents = node == 0 ? &one.source : &one.sink,
                          .arrivals = node,
                          .priority = priorities[i]},
                         0);
          const bool waits = node == 0 ? i + later >= collectives.size() : joins > 0;
          if (!waits) interface.start_context(id, 0);
        }
      }
      if (joins > 0) starts.push_back(std::make_unique<Start>("receiver", *this, 1, 0, joins));
      if (later > 0 && at > 0)
        starts.push_back(std::make_unique<Start>("sender", *this, 0, collectives.size() - later, at));
    };
    nodes.run();
  }

  // Starts all collectives from number `first` on at one node. Waits for the effects of each start before the
  // next one.
  struct Start final : sc_core::sc_module {
    Start(const sc_core::sc_module_name& name, Contexts& test, NodeId node, std::size_t first, Cycles at)
        : sc_module(name), test_(&test), node_(node), first_(first), at_(at) {
      SC_HAS_PROCESS(Start);
      SC_THREAD(start);
    }
    void start() {
      wait(fabric::to_sc_time(at_ * kCycle));
      for (std::size_t i = first_; i < test_->collectives.size(); ++i) {
        constexpr int kDeltas = 10;
        for (int delta = 0; delta < kDeltas; ++delta) wait(sc_core::SC_ZERO_TIME);
        test_->nodes.interfaces[static_cast<std::size_t>(node_)]->start_context(static_cast<ContextId>(i + 1),
                                                                                at_);
      }
    }
    Contexts* test_;
    NodeId node_;
    std::size_t first_;
    Cycles at_;
  };

  // The cycle in which each collective's only message was issued.
  std::vector<Cycles> issues() const {
    std::vector<Cycles> cycles(collectives.size(), -1);
    for (const MessageRecord& message : nodes.recorder.messages) cycles[message.context - 1] = message.issued;
    return cycles;
  }
  Cycles end(NodeId node, ContextId id) const {
    for (const Done& done : ended) {
      if (done.node == node && done.id == id) return done.at;
    }
    return -1;
  }

  struct Done {
    NodeId node;
    ContextId id;
    Cycles at;
  };
  TwoNodes nodes;
  std::vector<std::unique_ptr<Collective>> collectives;
  std::vector<int> priorities;
  std::vector<Done> ended;
  std::vector<std::unique_ptr<Start>> starts;
};

TEST_F(Contexts, EndWhenEverythingHasLeftOrArrived) {
  Collective& one = add(64, 0);
  run(0);
  ASSERT_EQ(ended.size(), 2U);
  const MessageRecord& message = nodes.recorder.messages.front();
  EXPECT_EQ(ended[0].node, 0);
  EXPECT_EQ(ended[0].at, message.tail_injected + 1);
  EXPECT_EQ(ended[1].node, 1);
  EXPECT_EQ(ended[1].at, message.completed);
  EXPECT_EQ(one.sink.values()[0], 11.0F);
  EXPECT_TRUE(nodes.interfaces[0]->finished());
}

// The first collective issues a message first although its priority is low, because it was the only
// collective that had started.
TEST_F(Contexts, ShareAPortInOrder) {
  for (const int priority : {0, 0, 2, 1}) add(512, priority);
  run(0, config::ContextOrder::kPriority);
  std::vector<ContextId> order;
  for (const auto& message : nodes.recorder.messages) order.push_back(message.context);
  EXPECT_EQ(order, (std::vector<ContextId>{1, 3, 4, 2}));
  for (const auto& one : collectives) EXPECT_EQ(one->sink.values()[127], 11.0F);
}

// A message that arrives early is held until the receiver starts the collective. Then its 5 flits enter the
// adder, which takes 5 cycles.
TEST_F(Contexts, HoldEarlyMessages) {
  Collective& one = add(64, 0);
  run(500);
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[1].at, 500 + 5 + 5);
  EXPECT_EQ(one.sink.values()[0], 11.0F);
}

// A collective may start in a cycle in which the network interface has already been stepped.
TEST_F(Contexts, IssueOneEntryPerCycleAndPort) {
  for (int i = 0; i < 2; ++i) add(64, 0);
  run(0, config::ContextOrder::kRoundRobin, 2, 100);
  EXPECT_EQ(issues(), (std::vector<Cycles>{100, 101}));
}

TEST_F(Contexts, AreServedLastInTheCycleInWhichTheyStart) {
  // The first two messages fill the port's queue. The first message has 5 flits, and its tail leaves in cycle
  // 7, so its slot is free from cycle 8 on. The third collective has been waiting and gets the slot, although
  // the fourth has a higher priority.
  for (const int priority : {0, 0, 0, 5}) add(64, priority);
  run(0, config::ContextOrder::kPriority, 1, -1);
  const std::vector<Cycles> cycles = issues();
  ASSERT_EQ(end(0, 1), 8);
  EXPECT_EQ(cycles[2], 8);
  EXPECT_GT(cycles[3], 8);
}

// The second collective starts in the cycle in which the first message's tail leaves, so the interface is
// stepped once more in this cycle. The first collective must still end in the next cycle.
TEST_F(Contexts, EndInTheCycleAfterTheirLastTailHasLeft) {
  for (int i = 0; i < 2; ++i) add(64, 0);
  run(0, config::ContextOrder::kRoundRobin, 1, 7);
  ASSERT_EQ(nodes.recorder.messages.front().tail_injected, 7);
  EXPECT_EQ(end(0, 1), 8);
}

// A collective without messages ends in the cycle after its start.
TEST_F(Contexts, EndInTheCycleAfterTheirStartIfThereIsNoWork) {
  add(64, 0).schedule.nodes[0].ports[0].entries().clear();
  run(0);
  EXPECT_EQ(end(0, 1), 1);
}

// With `kAdded`, messages that arrive before the start are added immediately, within the adder's 5 cycles.
// The collective then ends in the cycle after its start.
TEST_F(Contexts, AddEarlyMessagesIfTheyAreLoaded) {
  nodes.system.ni.early_messages = config::EarlyMessages::kAdded;
  Collective& one = add(64, 0);
  run(500);
  ASSERT_EQ(ended.size(), 2U);
  const MessageRecord& message = nodes.recorder.messages.front();
  EXPECT_EQ(message.completed, message.tail_ejected + 5);
  EXPECT_LT(message.completed, 500);
  EXPECT_EQ(ended[1].at, 501);
  EXPECT_EQ(one.sink.values()[0], 11.0F);
}

TEST_F(Contexts, KeepBuffersWithSums) {
  nodes.system.ni.early_messages = config::EarlyMessages::kAdded;
  add(64, 0);
  run(200'000);
  EXPECT_THROW(nodes.interfaces[1]->unload(1), ModelError);
}

TEST_F(Contexts, RejectTablesThatAreLoadedTwiceOrNotAtAll) {
  Collective& one = add(64, 0);
  run(0);
  NetworkInterface& interface = *nodes.interfaces[0];
  EXPECT_THROW(interface.start_context(7, 0), ModelError);
  const ContextTables tables{
      .id = 7, .schedule = &one.schedule, .tables = &one.schedule.nodes[0], .contents = &one.source};
  interface.load(tables, 0);
  EXPECT_THROW(interface.load(tables, 0), ModelError);
  interface.unload(7);
  EXPECT_THROW(interface.unload(7), ModelError);
}

}  // namespace
}  // namespace coppice::ni
