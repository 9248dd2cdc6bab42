#include "schedule/proof/checker.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "machine.h"
#include "random_execution.h"
#include "schedule/compile/table_builder.h"

namespace coppice::schedule {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::ThrowsMessage;

// A MultiTree all-reduce on the 4x4 torus, correct until a test changes it.
class CheckerTest : public testing::Test {
 protected:
  using Entries = std::vector<TableEntry>;

  void refuses(const std::string& what) {
    EXPECT_THAT([&] { check_schedule(machine_.topology, schedule_); },
                ThrowsMessage<ScheduleError>(
                    AllOf(HasSubstr(what), MatchesRegex("(flow [0-9]+ at )?bytes .*accelerator .*step.*"))));
  }

  // The table that contains the last entry accepted by `wanted`, and the entry's index.
  std::pair<Entries*, std::size_t> find(const std::function<bool(const TableEntry&)>& wanted) {
    std::pair<Entries*, std::size_t> found{nullptr, 0};
    for (NodeTables& node : schedule_.nodes) {
      for (Table& table : node.ports) {
        for (std::size_t i = 0; i < table.size(); ++i) {
          if (wanted(table[i])) found = {&table.entries(), i};
        }
      }
    }
    return found;
  }
  TableEntry& entry(const std::function<bool(const TableEntry&)>& wanted) {
    const auto [table, index] = find(wanted);
    return (*table)[index];
  }

  static bool is_reduce(const TableEntry& e) { return e.op == Op::kReduce; }
  static bool is_gather(const TableEntry& e) { return e.op == Op::kGather; }
  static bool is_inner_reduce(const TableEntry& e) { return is_reduce(e) && !e.children.empty(); }
  static bool is_inner_gather(const TableEntry& e) { return is_gather(e) && e.parent != topology::kNoNode; }

  Machine machine_ = torus({4, 4});
  Schedule schedule_ = machine_.compile("multitree", Collective::kAllReduce, 1024);
};

TEST_F(CheckerTest, AcceptsTheOriginal) {
  const CheckReport report = check_schedule(machine_.topology, schedule_);
  EXPECT_TRUE(report.contention_free);
  EXPECT_THAT(report.shared, testing::IsEmpty());
  EXPECT_THAT(report.additions, testing::SizeIs(16));
}

TEST_F(CheckerTest, RejectsAMissingReduce) {
  const auto [table, index] = find(is_reduce);
  table->erase(table->begin() + static_cast<std::ptrdiff_t>(index));
  refuses("arrivals");
}

TEST_F(CheckerTest, RejectsAMissingGather) {
  const auto [table, index] = find(is_gather);
  table->erase(table->begin() + static_cast<std::ptrdiff_t>(index));
  refuses("lacks the contribution of accelerator");
}

TEST_F(CheckerTest, RejectsADuplicate) {
  for (const auto& kind : {is_reduce, is_gather, is_inner_gather}) {
    const Schedule original = schedule_;
    const auto [table, index] = find(kind);
    const TableEntry copy = (*table)[index];
    table->insert(table->begin() + static_cast<std::ptrdiff_t>(index), copy);
    refuses("");
    schedule_ = original;
  }
}

TEST_F(CheckerTest, RejectsAWrongParent) {
  entry(is_reduce).parent ^= 1;
  refuses("route leads to");
}

TEST_F(CheckerTest, RejectsAWrongParentOfAGather) {
  entry(is_inner_gather).parent ^= 1;
  refuses("but the value it depends on came from");
}

TEST_F(CheckerTest, RejectsWrongChildren) {
  entry(is_inner_reduce).children.push_back(3);
  refuses("its children are");
}

TEST_F(CheckerTest, RejectsTwoChildrenOfAGather) {
  entry(is_gather).children.push_back(3);
  refuses("one child");
}

TEST_F(CheckerTest, RejectsAWrongAddress) {
  entry(is_reduce).address += 4;
  refuses("");
}

TEST_F(CheckerTest, RejectsAnAddressOutsideTheBuffer) {
  entry(is_reduce).address = 1024 - 32;
  refuses("extends beyond the buffer of 1024 bytes");
}

TEST_F(CheckerTest, RejectsPartsOfElements) {
  entry(is_reduce).bytes -= 2;
  refuses("whole elements of 4 bytes");
}

TEST_F(CheckerTest, RejectsAShortMessage) {
  entry(is_gather).bytes -= 4;
  refuses("lacks the contribution");
}

TEST_F(CheckerTest, RejectsADependencyCountThatIsTooSmall) {
  --entry(is_inner_reduce).dependencies;
  refuses("");
}

TEST_F(CheckerTest, RejectsAGatherOfTheRootThatDoesNotWait) {
  entry([](const TableEntry& e) { return is_gather(e) && e.parent == topology::kNoNode; }).dependencies = 0;
  refuses("");
}

TEST_F(CheckerTest, RejectsADependencyThatIsNeverMet) {
  entry(is_inner_gather).dependencies += 5;
  refuses("arrivals of its flow, but only");
}

TEST_F(CheckerTest, RejectsADependencyCycle) {
  // With this dependency, a partial sum would wait for the final value that contains it.
  ++entry(is_reduce).dependencies;
  refuses("wait for this entry");
}

TEST_F(CheckerTest, RejectsAWrongRoute) {
  TableEntry& e = entry(is_reduce);
  const auto first_port = [&](int route) {
    return schedule_.routes[static_cast<std::size_t>(route)][0].out_port;
  };
  const int right = first_port(e.route);
  e.route = 0;
  while (first_port(e.route) == right) ++e.route;
  refuses("but its route leads to");
  e.route = 1000;
  refuses("route 1000 does not exist");
}

TEST_F(CheckerTest, RejectsRoutesWithAWrongEnd) {
  const auto spoil = [&](const std::function<void(topology::Route&)>& change, const std::string& what) {
    const auto original = schedule_.routes;
    change(schedule_.routes[0]);
    refuses(what);
    schedule_.routes = original;
  };
  spoil([](auto& route) { route.pop_back(); }, "without leaving the network");
  spoil([](auto& route) { route.back().out_port = 99; }, "NI port 95");
  spoil([](auto& route) { route.erase(route.begin()); }, "back to its source");
  spoil([](auto& route) { route.push_back(route.back()); }, "continues after ejection");
  spoil([](auto& route) { route.front().vcs = {2, 2}; }, "no virtual channel");
}

TEST_F(CheckerTest, RejectsAWrongFlow) {
  TableEntry& e = entry(is_reduce);
  e.flow = (e.flow + 1) % 16;
  refuses("");
  e.flow = 16;
  refuses("flows are 0 to 15");
}

TEST_F(CheckerTest, RejectsStepsOutOfOrder) {
  for (Table& table : schedule_.nodes[0].ports) std::swap(table.front().step, table.back().step);
  refuses("follows an entry of the later step");
  schedule_.steps = 3;
  refuses("");
}

TEST_F(CheckerTest, RejectsTablesForAnotherSystem) {
  schedule_.nodes.pop_back();
  EXPECT_THAT([&] { check_schedule(machine_.topology, schedule_); },
              ThrowsMessage<ScheduleError>(HasSubstr("tables for 15 accelerators")));
}

TEST_F(CheckerTest, RejectsAnAllGatherThatAdds) {
  schedule_ = machine_.compile("multitree", Collective::kReduceScatter, 1024);
  schedule_.collective = Collective::kAllGather;
  refuses("");
}

TEST_F(CheckerTest, RejectsSumsAtTheWrongAccelerator) {
  const std::vector<Chunk> chunks{{0, 32}, {32, 32}};
  const Machine pair = mesh({2});
  const std::vector<Send> sends{{.op = Op::kReduce, .flow = 0, .src = 0, .dst = 1, .step = 1},
                                {.op = Op::kReduce, .flow = 1, .src = 1, .dst = 0, .step = 1}};
  const Schedule swapped =
      build_schedule(pair.topology, pair.request(Collective::kReduceScatter, 64), "swapped", chunks, sends);
  EXPECT_THAT([&] { check_schedule(pair.topology, swapped); },
              ThrowsMessage<ScheduleError>(HasSubstr("bytes 0..32, accelerator 0, after step 1")));
}

TEST_F(CheckerTest, RejectsBytesThatNobodySends) {
  const Machine pair = mesh({2});
  const std::vector<Chunk> chunks{{0, 32}};
  const std::vector<Send> sends{{.op = Op::kReduce, .src = 0, .dst = 1, .step = 1},
                                {.op = Op::kGather, .src = 1, .dst = 0, .step = 2}};
  const Schedule half =
      build_schedule(pair.topology, pair.request(Collective::kAllReduce, 64), "half", chunks, sends);
  EXPECT_THAT([&] { check_schedule(pair.topology, half); },
              ThrowsMessage<ScheduleError>(HasSubstr("bytes 32..64, every accelerator")));
}

// A line of accelerators 0 - 1 - 2. 0 reduces into 1, and 1 into 2. Then 2 gathers the sum to 1, and 1 to 0.
TEST_F(CheckerTest, RejectsACountThatOtherArrivalsCouldReach) {
  const Machine line = mesh({3});
  const std::vector<Chunk> chunks{{0, 64}};
  const std::vector<Send> sends{{.op = Op::kReduce, .src = 0, .dst = 1, .step = 1},
                                {.op = Op::kReduce, .src = 1, .dst = 2, .step = 2},
                                {.op = Op::kGather, .src = 2, .dst = 1, .step = 3},
                                {.op = Op::kGather, .src = 1, .dst = 0, .step = 4}};
  Schedule schedule =
      build_schedule(line.topology, line.request(Collective::kAllReduce, 64), "line", chunks, sends);
  check_schedule(line.topology, schedule);
  // Without dependencies, 2 may send its value before 0's value reaches 1.
  schedule.nodes[2].ports[0].back().dependencies = 0;
  EXPECT_THAT([&] { check_schedule(line.topology, schedule); }, testing::Throws<ScheduleError>());
}

// Performs an all-reduce over each row of a 2x2 mesh and then over each column. If one row is late, an
// accelerator may receive a column's sum before its own row's.
class RowsThenColumns : public testing::Test {
 protected:
  RowsThenColumns() {
    const std::vector<Chunk> chunks{{0, 64}};
    std::vector<Send> sends;
    const auto all_reduce = [&](NodeId a, NodeId b, int step) {
      sends.push_back({.op = Op::kReduce, .src = a, .dst = b, .step = step});
      sends.push_back({.op = Op::kGather, .src = b, .dst = a, .step = step + 1});
    };
    all_reduce(0, 1, 1);
    all_reduce(2, 3, 1);
    all_reduce(0, 2, 3);
    all_reduce(1, 3, 3);
    schedule_ = build_schedule(machine_.topology, machine_.request(Collective::kAllReduce, 64), "rows",
                               chunks, sends);
  }
  Machine machine_ = mesh({2, 2});
  Schedule schedule_;
};

TEST_F(RowsThenColumns, AreRejectedWithoutLockstep) {
  EXPECT_THAT([&] { check_schedule(machine_.topology, schedule_); },
              ThrowsMessage<ScheduleError>(HasSubstr("may arrive before or after this entry")));
}

TEST_F(RowsThenColumns, AreCorrectInLockstep) {
  schedule_.ordered_by_lockstep = true;
  // Accelerator 3 adds one value of its row and a sum of two values from its column, in either order, which
  // makes three additions.
  EXPECT_EQ(check_schedule(machine_.topology, schedule_).additions, std::vector{3});
}

// For every algorithm, the accepted schedule must produce correct results under random timing.
RC_GTEST_PROP(CheckerSoundness, TreesOfRoutedMessagesSucceedUnderRandomTiming, ()) {
  const Machine machine = mesh({*rc::gen::element(1, 2, 4), *rc::gen::element(1, 2, 4)});
  const auto algorithm = *rc::gen::element<std::string>("halving_doubling", "double_tree");
  const Schedule schedule = machine.compile(algorithm, Collective::kAllReduce, random_size());
  check_schedule(machine.topology, schedule);
  RC_ASSERT(RandomExecution(schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
}

TEST(CheckerSharing, CountsChannelsAndPortsPerStep) {
  const Machine machine = mesh({3});
  const std::vector<Chunk> chunks{{0, 32}, {32, 32}};
  CompileRequest request = machine.request(Collective::kReduceScatter, 64);
  const std::vector<Send> sends{{.op = Op::kReduce, .flow = 0, .src = 0, .dst = 2, .step = 1},
                                {.op = Op::kReduce, .flow = 1, .src = 1, .dst = 2, .step = 1},
                                {.op = Op::kReduce, .flow = 1, .src = 0, .dst = 2, .step = 2},
                                {.op = Op::kReduce, .flow = 0, .src = 1, .dst = 2, .step = 3},
                                {.op = Op::kGather, .flow = 0, .src = 2, .dst = 0, .step = 4},
                                {.op = Op::kGather, .flow = 1, .src = 2, .dst = 1, .step = 5},
                                {.op = Op::kGather, .flow = 0, .src = 2, .dst = 1, .step = 5},
                                {.op = Op::kGather, .flow = 1, .src = 2, .dst = 0, .step = 6}};
  request.collective = Collective::kAllReduce;
  const CheckReport report =
      check_schedule(machine.topology, build_schedule(machine.topology, request, "star", chunks, sends));
  EXPECT_FALSE(report.contention_free);
  std::vector<std::string> shared;
  for (const SharedChannel& s : report.shared) shared.push_back(to_string(machine.topology, s));
  EXPECT_THAT(shared, testing::ElementsAre("channel 1->2 (port 0) in step 1: 2 messages",
                                           "ejection port 0 of accelerator 2 in step 1: 2 messages",
                                           "channel 2->1 (port 0) in step 5: 2 messages",
                                           "ejection port 1 of accelerator 1 in step 5: 2 messages",
                                           "injection port 0 of accelerator 2 in step 5: 2 messages"));
}

// Changes a random field of a random entry, or the order of a table.
void mutate(Schedule& schedule) {
  const auto pick = [](std::size_t count) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, count));
  };
  const auto node = pick(schedule.nodes.size());
  auto& ports = schedule.nodes[node].ports;
  auto& table = ports[pick(ports.size())].entries();
  if (table.empty()) return;
  const std::size_t index = pick(table.size());
  TableEntry& entry = table[index];
  if (entry.op == Op::kNop) return;
  const auto n = static_cast<NodeId>(schedule.nodes.size());
  switch (pick(10)) {
    case 0:
      entry.dependencies += *rc::gen::element(-2, -1, 1);
      break;
    case 1:
      entry.address += *rc::gen::element(-4, 4);
      break;
    case 2:
      entry.bytes += *rc::gen::element(-4, 4);
      break;
    case 3:
      entry.flow = static_cast<std::int32_t>(pick(static_cast<std::size_t>(schedule.flows)));
      break;
    case 4:
      entry.op = entry.op == Op::kReduce ? Op::kGather : Op::kReduce;
      break;
    case 5:
      table.erase(table.begin() + static_cast<std::ptrdiff_t>(index));
      break;
    case 6:
      table.insert(table.begin() + static_cast<std::ptrdiff_t>(index), TableEntry(entry));
      break;
    case 7:
      entry.parent = static_cast<NodeId>(pick(static_cast<std::size_t>(n)));
      break;
    case 8: {
      TableEntry& other = table[pick(table.size())];
      std::swap(entry, other);
      std::swap(entry.step, other.step);
      break;
    }
    default:
      entry.step = static_cast<std::int32_t>(1 + pick(static_cast<std::size_t>(schedule.steps)));
      break;
  }
}

// Randomly changed tables that the checker accepts must produce correct results under random timing.
RC_GTEST_PROP(CheckerSoundness, AcceptedTablesSucceedUnderRandomTiming, ()) {
  const Machine machine = random_machine(3);
  const auto algorithm = *rc::gen::element<std::string>("ring", "multitree", "multitree_optimal", "direct");
  const Collective collective = random_collective();
  Schedule schedule = machine.compile(algorithm, collective, 4 * *rc::gen::inRange<Bytes>(1, 40));
  const int mutations = *rc::gen::inRange(0, 3);
  for (int i = 0; i < mutations; ++i) mutate(schedule);
  try {
    check_schedule(machine.topology, schedule);
  } catch (const ScheduleError&) {
    RC_ASSERT(mutations > 0);
    RC_CLASSIFY(true, "refused");
    return;
  }
  RC_CLASSIFY(mutations > 0, "mutated and accepted");
  for (int run = 0; run < 3; ++run) {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    RC_ASSERT(RandomExecution(schedule, seed).succeeds());
  }
}

}  // namespace
}  // namespace coppice::schedule
