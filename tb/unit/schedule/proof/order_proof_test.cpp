#include "schedule/proof/order_proof.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "all_executions.h"
#include "machine.h"
#include "schedule/compile/table_builder.h"
#include "schedule/proof/check_report.h"
#include "schedule/proof/data_groups.h"
#include "schedule/proof/replay.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

std::vector<Message> replayed(const Machine& machine, const Schedule& schedule) {
  std::vector<Message> messages = collect_messages(machine.topology, schedule);
  replay(schedule, messages);
  return messages;
}

// Proves the order of arrivals in every group of messages. Throws ScheduleError if a proof fails.
void prove_order(const Schedule& schedule, const std::vector<Message>& messages) {
  const MessageGroups groups(schedule, messages);
  Causality proof(schedule);
  for (const MessageGroup& group : groups.groups()) proof.prove(group.flows, group.messages);
}

// The tables that build_schedule() creates from `sends`.
Schedule tables_of(const Machine& machine, const std::vector<Chunk>& chunks, const std::vector<Send>& sends) {
  return build_schedule(machine.topology, machine.request(Collective::kAllReduce, 8), "sends", chunks, sends);
}

// An all-reduce on a line 0 - 1 - 2: nodes 0 and 2 send to node 1, which sends the sum back to both.
class OrderProofTest : public testing::Test {
 protected:
  TableEntry& entry(NodeId src, NodeId dst) {
    for (Table& table : schedule_.nodes[static_cast<std::size_t>(src)].ports) {
      for (TableEntry& entry : table) {
        if (entry.op != Op::kNop && entry.destination() == dst) return entry;
      }
    }
    throw std::logic_error("there is no such entry");
  }
  void refuses(const std::string& what) {
    EXPECT_THAT([&] { prove_order(schedule_, replayed(line_, schedule_)); },
                ThrowsMessage<ScheduleError>(HasSubstr(what)));
  }

  Machine line_ = mesh({3});
  Schedule schedule_ = tables_of(line_, {{0, 8}},
                                 {{.op = Op::kReduce, .src = 0, .dst = 1, .step = 1},
                                  {.op = Op::kReduce, .src = 2, .dst = 1, .step = 1},
                                  {.op = Op::kGather, .src = 1, .dst = 0, .step = 2},
                                  {.op = Op::kGather, .src = 1, .dst = 2, .step = 2}});
};

TEST_F(OrderProofTest, HoldsIfEntriesWaitForAllArrivals) {
  EXPECT_NO_THROW(prove_order(schedule_, replayed(line_, schedule_)));
}

// Node 1's gather waits for only one of its two arrivals, and either of them may be first.
TEST_F(OrderProofTest, RejectsACountThatOtherArrivalsReach) {
  entry(1, 0).dependencies = 1;
  refuses("flow 0 at bytes 0..8, accelerator 1, step 2: gather: the reduce of flow 0 from accelerator");
  refuses("may arrive before or after this entry, which waits for 1 of 2 arrivals");
}

TEST_F(OrderProofTest, RejectsAParentThatSentNothing) {
  entry(1, 0).parent = 2;
  refuses("its parent is accelerator 2, but the value it depends on came from no accelerator");
}

TEST_F(OrderProofTest, RejectsChildrenThatSentNothing) {
  entry(0, 1).children = {2};
  refuses("its children are [2], but the partial sums it depends on came from []");
}

// The message from 2 waits for nothing, so it may arrive before the message from 0, which would then
// overwrite the sum.
TEST_F(OrderProofTest, RejectsAStoreThatRacesWithAnAddition) {
  schedule_ = tables_of(line_, {{0, 8}, {4, 4}},
                        {{.op = Op::kGather, .flow = 0, .src = 0, .dst = 1, .step = 1},
                         {.op = Op::kReduce, .flow = 1, .src = 2, .dst = 1, .step = 2}});
  refuses(
      "flow 0 at bytes 0..8, accelerator 0, step 1: gather: may arrive at accelerator 1 before or after "
      "the reduce from accelerator 2 in step 2, which touches the same data");
  // In lockstep, the messages arrive in the order of their steps.
  schedule_.ordered_by_lockstep = true;
  EXPECT_NO_THROW(prove_order(schedule_, replayed(line_, schedule_)));
}

TEST_F(OrderProofTest, AcceptsStoresOfOtherData) {
  schedule_ = tables_of(line_, {{0, 4}, {4, 4}},
                        {{.op = Op::kGather, .flow = 0, .src = 0, .dst = 1, .step = 1},
                         {.op = Op::kReduce, .flow = 1, .src = 2, .dst = 1, .step = 2}});
  EXPECT_NO_THROW(prove_order(schedule_, replayed(line_, schedule_)));
}

// In a ring, a chunk that is sent without waiting for its data is correct only if messages arrive in the
// replay's order.
TEST(OrderProof, RejectsAnEntryThatWaitsForTooFewArrivals) {
  const Machine machine = torus({4});
  Schedule schedule = machine.compile("ring", Collective::kAllReduce, 4096);
  const std::vector<Message> messages = replayed(machine, schedule);
  EXPECT_NO_THROW(prove_order(schedule, messages));
  for (NodeTables& node : schedule.nodes) {
    for (Table& port : node.ports) {
      for (TableEntry& entry : port.entries()) {
        if (entry.step == 3 && entry.flow == 0 && entry.op == Op::kReduce) entry.dependencies = 0;
      }
    }
  }
  EXPECT_THROW(prove_order(schedule, messages), ScheduleError);
}

// Sets the parents and children of all entries to match the order in which the replay delivers messages.
void name_families(Schedule& schedule, const std::vector<Message>& messages) {
  for (const Message& sending : messages) {
    std::vector<const Message*> counted;
    for (const Message& arrival : messages) {
      const bool counts = arrival.dst == sending.src && arrival.entry->flow == sending.entry->flow &&
                          arrival.arrival < sending.entry->dependencies;
      if (counts) counted.push_back(&arrival);
    }
    std::ranges::sort(counted, {}, [](const Message* arrival) { return arrival->arrival; });
    const auto port = static_cast<std::size_t>(sending.src_port);
    auto& entries = schedule.nodes[static_cast<std::size_t>(sending.src)].ports[port].entries();
    TableEntry& entry = entries[static_cast<std::size_t>(sending.entry - entries.data())];
    NodeList sources;
    NodeId stored_from = topology::kNoNode;
    for (const Message* arrival : counted) {
      if (arrival->entry->op == Op::kGather) {
        sources.clear();
        stored_from = arrival->src;
      } else {
        sources.push_back(arrival->src);
      }
    }
    if (entry.op == Op::kGather) {
      entry.parent = stored_from;
    } else {
      entry.children = sources;
    }
  }
}

int below(int n) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n));
}

// Tables for up to six messages of one or two flows among three accelerators, with random dependencies.
Schedule random_tables(const Machine& machine) {
  const std::vector<Chunk> chunks{{0, 8}, *rc::gen::element(Chunk{0, 8}, Chunk{4, 4}, Chunk{0, 4})};
  std::vector<Send> sends;
  for (int i = 1 + below(6); i > 0; --i) {
    const NodeId src = below(3);
    sends.push_back({.op = below(3) > 0 ? Op::kReduce : Op::kGather,
                     .flow = below(4) == 0 ? 1 : 0,
                     .src = src,
                     .dst = (src + 1 + below(2)) % 3,
                     .step = 1 + below(4)});
  }
  Schedule schedule = tables_of(machine, chunks, sends);
  schedule.steps = 4;
  for (NodeTables& node : schedule.nodes) {
    for (Table& table : node.ports) {
      for (TableEntry& entry : table) {
        if (entry.op != Op::kNop && below(3) == 0) entry.dependencies = below(entry.dependencies + 2);
      }
    }
  }
  return schedule;
}

// Enumerates all executions to check that an accepted schedule has exactly one outcome, whatever the timing.
void accepts_one_outcome_only(bool lockstep) {
  const Machine machine = built(topology::Kind::kFullyConnected, {3});
  Schedule schedule = random_tables(machine);
  schedule.ordered_by_lockstep = lockstep;
  std::vector<Message> messages;
  try {
    messages = replayed(machine, schedule);
  } catch (const ScheduleError&) {
    RC_TAG("stuck");
    return;
  }
  name_families(schedule, messages);
  bool accepted = true;
  try {
    prove_order(schedule, messages);
  } catch (const ScheduleError& error) {
    const std::string what = error.what();
    RC_ASSERT(what.find("its parent") == std::string::npos);
    RC_ASSERT(what.find("its children") == std::string::npos);
    accepted = false;
  }
  const AllExecutions executions(schedule, lockstep);
  RC_TAG(accepted ? "accepted" : executions.ends().size() == 1 ? "refused" : "refused rightly");
  if (!accepted) return;
  RC_ASSERT(executions.ends().size() == 1U);
  RC_ASSERT(!executions.gets_stuck());
}

RC_GTEST_PROP(OrderProof, AcceptsOnlyOneOutcome, ()) {
  accepts_one_outcome_only(false);
}

RC_GTEST_PROP(OrderProof, AcceptsOnlyOneOutcomeInLockstep, ()) {
  accepts_one_outcome_only(true);
}

// Accelerator 0 waits for one of two arrivals of its own timestep. The lockstep does not order arrivals
// within a timestep, so the outcome depends on timing.
TEST(OrderProof, DoesNotRelyOnLockstepWithinAStep) {
  const Machine machine = built(topology::Kind::kFullyConnected, {3});
  Schedule schedule = tables_of(machine, {{0, 8}},
                                {{.op = Op::kReduce, .src = 1, .dst = 0, .step = 1},
                                 {.op = Op::kReduce, .src = 2, .dst = 0, .step = 1},
                                 {.op = Op::kGather, .src = 0, .dst = 1, .step = 2}});
  schedule.ordered_by_lockstep = true;
  EXPECT_NO_THROW(prove_order(schedule, replayed(machine, schedule)));
  EXPECT_THAT(AllExecutions(schedule, true).ends(), SizeIs(1));
  TableEntry& entry = schedule.nodes[0].ports[0].entries().back();
  ASSERT_EQ(entry.dependencies, 2);
  entry.step = 1;
  entry.dependencies = 1;
  EXPECT_THAT(AllExecutions(schedule, true).ends(), SizeIs(testing::Gt(1U)));
  EXPECT_THAT([&] { prove_order(schedule, replayed(machine, schedule)); },
              ThrowsMessage<ScheduleError>(HasSubstr(
                  "waits for the reduce from accelerator 1 in step 1, but that step must be earlier")));
}

// Two accelerators that exchange values without dependencies have three possible outcomes, but only one in
// lockstep.
TEST(OrderProof, RejectsTwoPossibleOutcomes) {
  const Machine machine = built(topology::Kind::kFullyConnected, {3});
  const Schedule schedule = tables_of(machine, {{0, 8}},
                                      {{.op = Op::kReduce, .src = 0, .dst = 1, .step = 1},
                                       {.op = Op::kReduce, .src = 1, .dst = 0, .step = 1}});
  EXPECT_THAT(AllExecutions(schedule, false).ends(), SizeIs(3));
  EXPECT_THROW(prove_order(schedule, replayed(machine, schedule)), ScheduleError);
  EXPECT_THAT(AllExecutions(schedule, true).ends(), SizeIs(1));
}

}  // namespace
}  // namespace coppice::schedule
