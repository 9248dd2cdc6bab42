#include "ni/table_context.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "two_nodes.h"

namespace coppice::ni {
namespace {

// Collectives of a message each from node 0 to node 1, beside tables of their own that are empty.
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

  // The receiver's start in cycle `joins`; the sender's in cycle 0.
  void run(Cycles joins, config::ContextOrder order = config::ContextOrder::kFifo) {
    nodes.system.ni.context_order = order;
    nodes.before_start = [this, joins] {
      for (std::size_t i = 0; i < collectives.size(); ++i) {
        const auto id = static_cast<ContextId>(i + 1);
        for (NodeId node = 0; node < 2; ++node) {
          Collective& one = *collectives[i];
          NetworkInterface& interface = *nodes.interfaces[static_cast<std::size_t>(node)];
          interface.on_context_done = [this, node](ContextId done, Cycles now) {
            ended.push_back({node, done, now});
          };
          interface.load({.id = id,
                          .schedule = &one.schedule,
                          .tables = &one.schedule.nodes[static_cast<std::size_t>(node)],
                          .contents = node == 0 ? &one.source : &one.sink,
                          .arrivals = node,
                          .priority = priorities[i]},
                         0);
          if (node == 0 || joins == 0) interface.start_context(id, 0);
        }
      }
      if (joins > 0) late = std::make_unique<Late>("late", *this, joins);
    };
    nodes.run();
  }

  struct Late final : sc_core::sc_module {
    Late(const sc_core::sc_module_name& name, Contexts& test, Cycles joins) : sc_module(name), test_(&test) {
      SC_HAS_PROCESS(Late);
      SC_METHOD(start);
      dont_initialize();
      sensitive << event_;
      event_.notify(fabric::to_sc_time(joins * kCycle));
    }
    void start() {
      for (std::size_t i = 0; i < test_->collectives.size(); ++i) {
        test_->nodes.interfaces[1]->start_context(
            static_cast<ContextId>(i + 1), static_cast<Cycles>(sc_core::sc_time_stamp().value()) / kCycle);
      }
    }
    Contexts* test_;
    sc_core::sc_event event_;
  };

  struct Done {
    NodeId node;
    ContextId id;
    Cycles at;
  };
  TwoNodes nodes;
  std::vector<std::unique_ptr<Collective>> collectives;
  std::vector<int> priorities;
  std::vector<Done> ended;
  std::unique_ptr<Late> late;
};

TEST_F(Contexts, EndWhenAllHasLeftOrCome) {
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

TEST_F(Contexts, ShareAPortInTheirOrder) {
  for (const int priority : {0, 2, 1}) add(512, priority);
  run(0, config::ContextOrder::kPriority);
  std::vector<ContextId> order;
  for (const auto& message : nodes.recorder.messages) order.push_back(message.context);
  EXPECT_EQ(order, (std::vector<ContextId>{2, 3, 1}));
  for (const auto& one : collectives) EXPECT_EQ(one->sink.values()[127], 11.0F);
}

// What comes before its collective is joined is added then, and not before: 5 flits and the adder's 5 cycles.
TEST_F(Contexts, HoldWhatComesEarly) {
  Collective& one = add(64, 0);
  run(500);
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[1].at, 500 + 5 + 5);
  EXPECT_EQ(one.sink.values()[0], 11.0F);
}

TEST_F(Contexts, RefuseWhatIsLoadedTwiceOrNotAtAll) {
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
