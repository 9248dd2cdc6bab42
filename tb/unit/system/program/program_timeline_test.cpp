#include "system/program/program_timeline.h"

#include <gmock/gmock.h>

#include <variant>

#include "small_program.h"

namespace coppice::system {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using Json = nlohmann::ordered_json;

// Two ranks that compute, all-reduce and send in each of two iterations. The tests set all times; a cycle
// takes 1 ns.
class ProgramTimelineTest : public ::testing::Test {
 protected:
  // Sets the times of a rank's operation. In each of two iterations, a rank has three operations: compute,
  // all-reduce, and send or receive.
  void at(int rank, std::size_t operation, Cycles ready, Cycles begun, Cycles ended) {
    one_.state->times(rank, operation) = {.ready = ready, .begun = begun, .ended = ended};
  }
  void exchange(std::size_t number, Cycles first, Cycles last, Cycles ended) {
    const auto id = static_cast<ni::ContextId>(number);
    one_.state->joined(id, first);
    one_.state->joined(id, last);
    for (int member = 0; member < 2; ++member) one_.state->done(id, ended);
  }
  ProgramTimeline timeline() const { return {*one_.state, kFemtosecondsPerNanosecond}; }

  SmallProgram one_{"kind: ring, dims: [4]",
                    "ranks: 2\niterations: 2\noperations:\n"
                    "  - {name: f, compute: 10 ns}\n"
                    "  - {name: a, all_reduce: 64 B, kind: data}\n"
                    "  - {name: s, send: 64 B, from: 0, to: 1}\n",
                    {"check=off"}};
};

TEST_F(ProgramTimelineTest, HasTheOperationsOfTheseTests) {
  for (const auto& rank : one_.program.ranks) {
    ASSERT_THAT(rank.operations, SizeIs(6));
    EXPECT_TRUE(std::holds_alternative<workload::Compute>(rank.operations[0].work));
    EXPECT_TRUE(std::holds_alternative<workload::JoinCollective>(rank.operations[4].work));
    EXPECT_EQ(rank.operations[3].iteration, 1);
  }
}

// Rank 0 computes until 10 and waits until rank 1 joins at 30; then its communication is exposed until 50,
// and its send from 50 to 60. Rank 1 computes until 25 and is idle until 30.
TEST_F(ProgramTimelineTest, DividesTheTimeByActivity) {
  at(0, 0, 0, 0, 10);
  at(0, 1, 10, 10, 50);
  at(0, 2, 50, 50, 60);
  at(1, 0, 0, 0, 25);
  at(1, 1, 30, 30, 50);
  at(1, 2, 50, 50, 64);
  exchange(1, 10, 30, 50);
  exchange(3, 50, 50, 64);
  const Json iterations = timeline().iterations();
  ASSERT_THAT(iterations, SizeIs(1));  // the second iteration is incomplete
  const Json& first = iterations[0];
  EXPECT_DOUBLE_EQ(first["time_ns"], 64);
  EXPECT_DOUBLE_EQ(first["compute_ns"], (10 + 25) / 2.0);
  EXPECT_DOUBLE_EQ(first["bubble_ns"], 20 / 2.0);
  EXPECT_DOUBLE_EQ(first["exposed_ns"], (20 + 10 + 20 + 14) / 2.0);
  EXPECT_DOUBLE_EQ(first["exposed"]["data"], 40 / 2.0);
  EXPECT_DOUBLE_EQ(first["exposed"]["other"], 24 / 2.0);
  EXPECT_DOUBLE_EQ(first["idle_ns"], (4 + 5) / 2.0);
  const Json accelerators = timeline().accelerators();
  EXPECT_DOUBLE_EQ(accelerators[0]["idle_ns"], 4);
  EXPECT_DOUBLE_EQ(accelerators[1]["compute_ns"], 25);
  EXPECT_DOUBLE_EQ(accelerators[1]["operations"][1]["ready_ns"], 30);
}

// A moment counts once: as computation if the rank computes, otherwise as communication, otherwise as
// waiting.
TEST_F(ProgramTimelineTest, CountsEveryMomentOnce) {
  at(0, 0, 0, 20, 40);
  at(0, 1, 0, 0, 50);    // waits until 10; then exposed until 50, except while the rank computes
  at(0, 2, 45, 45, 70);  // exposed from the end of the all-reduce until 70
  at(1, 0, 0, 0, 70);
  at(1, 1, 10, 10, 50);
  at(1, 2, 0, 0, 70);
  exchange(1, 0, 10, 50);
  exchange(3, 0, 45, 70);
  const Json accelerators = timeline().accelerators();
  const Json& busy = accelerators[0];
  EXPECT_DOUBLE_EQ(busy["compute_ns"], 20);
  EXPECT_DOUBLE_EQ(busy["bubble_ns"], 10);
  EXPECT_DOUBLE_EQ(busy["exposed"]["data"], 10 + 10);
  EXPECT_DOUBLE_EQ(busy["exposed"]["other"], 20);
  EXPECT_DOUBLE_EQ(busy["idle_ns"], 0);
  EXPECT_DOUBLE_EQ(accelerators[1]["compute_ns"], 70);
  EXPECT_DOUBLE_EQ(accelerators[1]["exposed_ns"], 0);
}

// An iteration lasts from the end of the previous iteration to its own end, even if some of its operations
// begin earlier.
TEST_F(ProgramTimelineTest, DividesTimeAtTheEndsOfIterations) {
  for (const int rank : {0, 1}) {
    for (std::size_t i = 0; i < 6; ++i) at(rank, i, 0, 0, 1);
  }
  at(0, 0, 0, 0, 30);
  at(1, 3, 10, 10, 50);
  const Json iterations = timeline().iterations();
  ASSERT_THAT(iterations, SizeIs(2));
  EXPECT_DOUBLE_EQ(iterations[0]["time_ns"], 30);
  EXPECT_DOUBLE_EQ(iterations[1]["time_ns"], 20);
  EXPECT_DOUBLE_EQ(iterations[1]["compute_ns"], 20 / 2.0);
  // If the second iteration ends before the first one, it takes no time.
  at(0, 0, 0, 0, 90);
  EXPECT_DOUBLE_EQ(timeline().iterations()[1]["time_ns"], 0);
  const Json jobs = timeline().jobs();
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_DOUBLE_EQ(jobs[0]["end_ns"], 90);
  EXPECT_DOUBLE_EQ(jobs[0]["iterations"][1]["end_ns"], 90);
}

// If an operation spans the end of an iteration, each iteration counts its own share. The parts of all
// iterations add up to those of the whole run.
TEST_F(ProgramTimelineTest, DividesOperationsInProgressAtTheEndsOfIterations) {
  at(0, 0, 0, 0, 10);
  at(0, 1, 0, 0, 70);  // waits until 5; then exposed until 70, except while the rank computes
  at(0, 2, 70, 70, 70);
  at(1, 0, 0, 0, 10);
  at(1, 1, 5, 5, 20);
  at(1, 2, 70, 70, 70);
  at(0, 3, 10, 60, 80);
  at(0, 4, 80, 80, 95);
  at(0, 5, 95, 95, 95);
  at(1, 3, 20, 20, 30);
  at(1, 4, 80, 80, 95);
  at(1, 5, 95, 95, 95);
  exchange(1, 0, 5, 70);
  exchange(2, 80, 80, 95);
  const Json iterations = timeline().iterations();
  ASSERT_THAT(iterations, SizeIs(2));
  EXPECT_DOUBLE_EQ(iterations[0]["time_ns"], 70);
  EXPECT_DOUBLE_EQ(iterations[1]["time_ns"], 25);
  EXPECT_DOUBLE_EQ(iterations[0]["compute_ns"], (10 + 10 + 10 + 10) / 2.0);
  EXPECT_DOUBLE_EQ(iterations[1]["compute_ns"], 10 / 2.0);
  for (const char* part : {"compute_ns", "exposed_ns", "bubble_ns", "idle_ns"}) {
    double of_iterations = 0;
    double of_accelerators = 0;
    for (const Json& one : iterations) of_iterations += 2 * one[part].get<double>();
    for (const Json& one : timeline().accelerators()) of_accelerators += one[part].get<double>();
    EXPECT_DOUBLE_EQ(of_iterations, of_accelerators) << part;
  }
}

// Memory access times are added over all ranks. Time in which a rank computes does not count as memory
// access, and time in which it accesses memory does not count as exposed communication.
TEST(ProgramTimelineParts, CountTheMemorysTime) {
  SmallProgram one("kind: ring, dims: [4]",
                   "ranks: 2\noperations:\n"
                   "  - {name: r, read: 64 B}\n"
                   "  - {name: f, compute: 10 ns}\n"
                   "  - {name: a, all_reduce: 64 B}\n",
                   {"check=off", "system.accelerator.memory_bandwidth=16 GB/s"});
  const auto at = [&](int rank, std::size_t operation, Cycles begun, Cycles ended) {
    one.state->times(rank, operation) = {.ready = begun, .begun = begun, .ended = ended};
  };
  at(0, 0, 0, 30);
  at(0, 1, 20, 40);
  at(0, 2, 40, 60);
  at(1, 0, 5, 50);
  at(1, 1, 0, 5);
  at(1, 2, 40, 60);
  one.state->joined(1, 40);
  one.state->joined(1, 40);
  for (int member = 0; member < 2; ++member) one.state->done(1, 60);
  const ProgramTimeline timeline(*one.state, kFemtosecondsPerNanosecond);
  const Json iterations = timeline.iterations();
  ASSERT_THAT(iterations, SizeIs(1));
  EXPECT_DOUBLE_EQ(iterations[0]["memory_ns"], (20 + 45) / 2.0);
  EXPECT_DOUBLE_EQ(iterations[0]["compute_ns"], (20 + 5) / 2.0);
  EXPECT_DOUBLE_EQ(iterations[0]["exposed_ns"], (20 + 10) / 2.0);
  const Json accelerators = timeline.accelerators();
  EXPECT_DOUBLE_EQ(accelerators[0]["memory_ns"], 20);
  EXPECT_DOUBLE_EQ(accelerators[1]["memory_ns"], 45);
  for (const Json& parts : accelerators) {
    EXPECT_DOUBLE_EQ(parts["compute_ns"].get<double>() + parts["memory_ns"].get<double>() +
                         parts["exposed_ns"].get<double>() + parts["bubble_ns"].get<double>() +
                         parts["idle_ns"].get<double>(),
                     parts["time_ns"].get<double>());
  }
}

TEST_F(ProgramTimelineTest, ListsCollectivesAndTransfersThatHaveEnded) {
  EXPECT_THAT(timeline().collectives(), IsEmpty());
  exchange(1, 5, 20, 52);
  exchange(3, 52, 52, 60);
  const Json list = timeline().collectives();
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[0]["op"], "all_reduce");
  EXPECT_EQ(list[0]["kind"], "data");
  EXPECT_DOUBLE_EQ(list[0]["begin_ns"], 5);
  EXPECT_DOUBLE_EQ(list[0]["joined_ns"], 20);
  EXPECT_DOUBLE_EQ(list[0]["end_ns"], 52);
  EXPECT_DOUBLE_EQ(list[0]["bandwidth_gb_s"], 64 / 47.0);
  EXPECT_EQ(list[1]["op"], "send");
  EXPECT_EQ(list[1]["source"], 0);
  EXPECT_EQ(list[1]["destination"], 1);
  EXPECT_FALSE(list[1].contains("group"));
}

TEST_F(ProgramTimelineTest, OfNothingIsEmpty) {
  EXPECT_THAT(timeline().iterations(), IsEmpty());
  EXPECT_DOUBLE_EQ(timeline().accelerators()[0]["time_ns"], 0);
  EXPECT_THAT(timeline().jobs()[0]["iterations"], IsEmpty());
}

}  // namespace
}  // namespace coppice::system
