#include "schedule/proof/replay.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

// A ring all-reduce among 4 accelerators. Each phase has 3 timesteps of 4 messages.
class ReplayTest : public testing::Test {
 protected:
  // The schedule's messages with the rounds and arrival numbers that the replay assigns.
  std::vector<Message> replayed() const {
    std::vector<Message> messages = collect_messages(machine_.topology, schedule_);
    replay(schedule_, messages);
    return messages;
  }
  TableEntry& first_entry_of_step(int step) {
    for (NodeTables& node : schedule_.nodes) {
      for (Table& port : node.ports) {
        for (TableEntry& entry : port.entries()) {
          if (entry.op != Op::kNop && entry.step == step) return entry;
        }
      }
    }
    throw std::logic_error("there is no such step");
  }

  Machine machine_ = torus({4});
  Schedule schedule_ = machine_.compile("ring", Collective::kAllReduce, 4096);
};

TEST_F(ReplayTest, CollectsEveryEntryThatSends) {
  const std::vector<Message> messages = collect_messages(machine_.topology, schedule_);
  ASSERT_THAT(messages, SizeIs(24));
  for (const Message& message : messages) {
    EXPECT_EQ(message.dst, message.entry->destination());
    EXPECT_EQ(message.round, -1);
  }
}

// In a ring, each message waits for the arrival of the previous step, so rounds equal steps.
TEST_F(ReplayTest, RoundsFollowTheDependencies) {
  for (const Message& message : replayed()) {
    EXPECT_EQ(message.round, message.entry->step - 1) << place_of(message);
    EXPECT_GE(message.arrival, 0);
  }
}

TEST_F(ReplayTest, NumbersTheArrivalsOfAFlowAtANode) {
  std::vector<std::vector<int>> numbers(16);
  for (const Message& message : replayed()) {
    numbers[static_cast<std::size_t>(message.entry->flow * 4 + message.dst)].push_back(message.arrival);
  }
  for (auto& at_node : numbers) {
    std::ranges::sort(at_node);
    for (std::size_t i = 0; i < at_node.size(); ++i) EXPECT_EQ(at_node[i], static_cast<int>(i));
  }
}

TEST_F(ReplayTest, ReportsTheEarliestEntryThatIsNeverIssued) {
  TableEntry& entry = first_entry_of_step(2);
  entry.dependencies = 7;
  EXPECT_THAT([&] { replayed(); },
              ThrowsMessage<ScheduleError>(testing::AllOf(HasSubstr("step 2"), HasSubstr("7"))));
}

TEST_F(ReplayTest, RejectsARouteToAnotherNode) {
  TableEntry& entry = first_entry_of_step(1);
  entry.route = -1;
  EXPECT_THAT([&] { collect_messages(machine_.topology, schedule_); },
              ThrowsMessage<ScheduleError>(HasSubstr("route -1 does not exist")));
}

TEST(PlaceOf, StatesFlowBytesAcceleratorAndStep) {
  const TableEntry entry{.op = Op::kReduce, .flow = 3, .children = {}, .step = 7, .address = 64, .bytes = 64};
  EXPECT_EQ(place_of({.entry = &entry, .src = 5}), "flow 3 at bytes 64..128, accelerator 5, step 7: reduce");
}

}  // namespace
}  // namespace coppice::schedule
