#include "schedule/proof/tree_order.h"

#include <gtest/gtest.h>

#include <random>

#include "machine.h"
#include "schedule/proof/check_report.h"
#include "schedule/proof/order_proof.h"
#include "schedule/proof/replay.h"

namespace coppice::schedule {
namespace {

std::vector<Message> replayed(const Machine& machine, const Schedule& schedule) {
  std::vector<Message> messages = collect_messages(machine.topology, schedule);
  replay(schedule, messages);
  return messages;
}

// The number of groups that TreeOrder proves. Causality, the general proof, must also accept these groups.
std::size_t proven(const Schedule& schedule, const std::vector<Message>& messages) {
  const MessageGroups groups(schedule, messages);
  TreeOrder tree(schedule);
  Causality causality(schedule);
  std::size_t count = 0;
  for (const MessageGroup& group : groups.groups()) {
    if (!tree.holds(group)) continue;
    ++count;
    EXPECT_NO_THROW(causality.prove(group.flows, group.messages));
  }
  return count;
}

TEST(TreeOrder, HoldsForTrees) {
  for (const Collective collective :
       {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
    const Machine machine = torus({4, 4});
    const Schedule schedule = machine.compile("multitree", collective, 4096);
    EXPECT_EQ(proven(schedule, replayed(machine, schedule)), 16U);
  }
}

// If an entry has been changed, TreeOrder accepts the tables only if Causality accepts them as well.
TEST(TreeOrder, ImpliesCausality) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t end) { return static_cast<std::int32_t>(random() % end); };
  int refused = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Machine machine = torus({2, 3});
    Schedule schedule = machine.compile("multitree", Collective::kAllReduce, 48);
    auto& ports = schedule.nodes[static_cast<std::size_t>(below(6))].ports;
    auto& entries = ports[static_cast<std::size_t>(below(ports.size()))].entries();
    if (entries.empty()) continue;
    TableEntry& entry = entries[static_cast<std::size_t>(below(entries.size()))];
    if (entry.op == Op::kNop) continue;
    switch (below(4)) {
      case 0:
        entry.dependencies = std::max(0, entry.dependencies - 1);
        break;
      case 1:
        if (entry.op == Op::kReduce) entry.children.push_back(below(6));
        break;
      case 2:
        if (entry.op == Op::kGather) entry.parent = below(6);
        break;
      default:
        entry.op = entry.op == Op::kReduce ? Op::kGather : Op::kReduce;
        if (entry.op == Op::kReduce) {
          entry.parent = entry.children.front();
          entry.children.clear();
        } else {
          entry.children = {entry.parent};
        }
        break;
    }
    try {
      const std::vector<Message> messages = replayed(machine, schedule);
      if (proven(schedule, messages) < 6) ++refused;
    } catch (const ScheduleError&) {
      // The changed tables deadlock in the replay.
    }
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace coppice::schedule
