// The proofs of sums, of order and of data that moves alike, each on a ring all-reduce that is right until a
// test spoils it.
#include "schedule/proof/data_proof.h"

#include <gmock/gmock.h>

#include "machine.h"
#include "schedule/proof/checker.h"
#include "schedule/proof/data_groups.h"
#include "schedule/proof/order_proof.h"
#include "schedule/proof/proof_cache.h"
#include "schedule/proof/replay.h"
#include "schedule/proof/sum_proof.h"

namespace coppice::schedule {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

class DataProofTest : public testing::Test {
 protected:
  std::vector<Message> replayed() const {
    std::vector<Message> messages = collect_messages(machine_.topology, schedule_);
    replay(schedule_, messages);
    return messages;
  }
  // All messages but those of one step and flow.
  static std::vector<Message> without(std::vector<Message> messages, int step, int flow) {
    std::erase_if(messages, [&](const Message& m) { return m.entry->step == step && m.entry->flow == flow; });
    return messages;
  }

  Machine machine_ = torus({4});
  Schedule schedule_ = machine_.compile("ring", Collective::kAllReduce, 4096);
};

// Three of a ring's four contributions are added on the way, one after another.
TEST_F(DataProofTest, CountsTheAdditionsOfEveryFlow) {
  const std::vector<Message> messages = replayed();
  const std::vector<int> additions = prove_data(schedule_, messages);
  ASSERT_THAT(additions, SizeIs(4));
  EXPECT_THAT(additions, Each(3));
}

TEST_F(DataProofTest, RefusesDataThatNoMessageCarries) {
  std::vector<Message> messages = replayed();
  std::erase_if(messages, [](const Message& m) { return m.entry->flow == 1; });
  EXPECT_THAT([&] { prove_data(schedule_, messages); },
              ThrowsMessage<ScheduleError>(HasSubstr("no message carries them")));
}

TEST_F(DataProofTest, SumsLackAContributionThatIsNotSent) {
  const std::vector<Message> messages = without(replayed(), 1, 2);
  const MessageGroups groups(schedule_, messages);
  std::vector<int> additions(4, 0);
  for (const MessageGroup& group : groups.groups()) {
    Contributions proof(schedule_, additions);
    const auto prove = [&] { proof.prove(group, lay_out(group, {})); };
    if (group.flows.front() == 2) {
      EXPECT_THAT(prove, ThrowsMessage<ScheduleError>(HasSubstr("the contribution of accelerator")));
    } else {
      EXPECT_NO_THROW(prove());
    }
  }
}

TEST_F(DataProofTest, SumsRefuseAContributionThatComesTwice) {
  std::vector<Message> messages = replayed();
  const auto first = std::ranges::find_if(
      messages, [](const Message& m) { return m.entry->flow == 0 && m.entry->op == Op::kReduce; });
  const Message again = *first;
  messages.push_back(again);
  const MessageGroups groups(schedule_, messages);
  std::vector<int> additions(4, 0);
  Contributions proof(schedule_, additions);
  EXPECT_THAT([&] { proof.prove(groups.groups()[0], lay_out(groups.groups()[0], {})); },
              ThrowsMessage<ScheduleError>(HasSubstr("a second time")));
}

// A chunk that goes on before what it waits for has come is right in the replay's order only.
TEST_F(DataProofTest, OrderRefusesAnEntryThatCountsTooFew) {
  const std::vector<Message> messages = replayed();
  for (NodeTables& node : schedule_.nodes) {
    for (Table& port : node.ports) {
      for (TableEntry& entry : port.entries()) {
        if (entry.step == 3 && entry.flow == 0 && entry.op == Op::kReduce) entry.dependencies = 0;
      }
    }
  }
  const MessageGroups groups(schedule_, messages);
  const MessageGroup& group = groups.groups()[0];
  EXPECT_THROW(Causality(schedule_).prove(group.flows, group.messages), ScheduleError);
}

TEST_F(DataProofTest, OrderHoldsForWhatTheCompilerMade) {
  const std::vector<Message> messages = replayed();
  const MessageGroups groups(schedule_, messages);
  Causality proof(schedule_);
  for (const MessageGroup& group : groups.groups()) EXPECT_NO_THROW(proof.prove(group.flows, group.messages));
}

// The chunks of a ring go the same way from other accelerators: none stands for another. Two chunks over one
// tree do.
TEST(ProofCacheTest, AGroupStandsForOthersOfTheSameMessagesOnly) {
  const Machine machine = torus({4});
  CompileRequest request = machine.request(Collective::kAllReduce, 4096);
  request.chunks = 2;
  const Schedule tree = make_compiler("tree")->compile(machine.topology, request);
  const Schedule ring = machine.compile("ring", Collective::kAllReduce, 4096);
  for (const Schedule* schedule : {&tree, &ring}) {
    std::vector<Message> messages = collect_messages(machine.topology, *schedule);
    replay(*schedule, messages);
    const MessageGroups groups(*schedule, messages);
    ASSERT_GE(groups.groups().size(), 2U);
    ProvenGroups known(*schedule);
    EXPECT_FALSE(known.find(groups.groups()[0], {}).has_value());
    known.add(groups.groups()[0], lay_out(groups.groups()[0], {}), {5});
    const auto found = known.find(groups.groups()[1], {});
    EXPECT_EQ(found.has_value(), schedule == &tree);
    if (found) {
      EXPECT_THAT(*found, testing::ElementsAre(5));
    }
  }
}

}  // namespace
}  // namespace coppice::schedule
