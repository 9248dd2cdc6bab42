#include "workload/program.h"

#include <cmath>
#include <functional>
#include <string>

#include <gmock/gmock.h>

#include "base/error.h"

namespace coppice::workload {
namespace {

using ::testing::HasSubstr;

Operation join(int collective, std::vector<std::int32_t> after = {}) {
  return {"join", JoinCollective{collective}, std::move(after)};
}

// A program of two ranks: the first computes and sends a block to the second, and then both all-reduce.
Program two_ranks() {
  Program program;
  program.groups = {{"both", {0, 1}}};
  program.collectives = {{"sum", CollectiveOp::kAllReduce, 0, 64, 0, 0, "data"}};
  program.transfers = {{"block", 0, 1, 32, "pipeline"}};
  program.ranks.resize(2);
  program.ranks[0].operations = {{"work", Compute{5}, {}}, {"send", Send{0}, {0}}, join(0, {1})};
  program.ranks[1].operations = {{"receive", Receive{0}, {}}, {"load", MemoryAccess{8}, {0}}, join(0, {1})};
  return program;
}

// The error message of check_program() for two_ranks() after `change`, or "" if the program is accepted.
std::string complaint(const std::function<void(Program&)>& change) {
  Program program = two_ranks();
  change(program);
  try {
    check_program(program);
  } catch (const UnsupportedError& error) {
    return error.what();
  }
  return "";
}

TEST(Program, AcceptsACompleteProgram) {
  EXPECT_EQ(complaint([](Program&) {}), "");
  EXPECT_EQ(complaint([](Program& program) { program.placement = {7, 3}; }), "");
}

TEST(Program, AcceptsDependenciesOnLaterOperations) {
  EXPECT_EQ(complaint([](Program& program) {
              auto& operations = program.ranks[0].operations;
              std::swap(operations[0], operations[2]);
              operations[0].after = {1};
              operations[1].after = {2};
            }),
            "");
}

TEST(Program, NeedsRanksAndAnAcceleratorForEach) {
  EXPECT_THAT(complaint([](Program& program) { program = {}; }), HasSubstr("no ranks"));
  EXPECT_THAT(complaint([](Program& program) { program.placement = {0}; }),
              HasSubstr("1 accelerators for 2 ranks"));
  EXPECT_THAT(complaint([](Program& program) {
                program.placement = {4, 4};
              }),
              HasSubstr("rank 1 is placed on accelerator 4, which already has a rank"));
}

TEST(Program, NeedsGroupsOfExistingRanks) {
  EXPECT_THAT(complaint([](Program& program) { program.groups[0].ranks = {}; }),
              HasSubstr("group 'both' has no ranks"));
  EXPECT_THAT(complaint([](Program& program) {
                program.groups[0].ranks = {0, 2};
              }),
              HasSubstr("group 'both' names rank 2, but the program has ranks 0 to 1"));
  EXPECT_THAT(complaint([](Program& program) {
                program.groups[0].ranks = {1, 1};
              }),
              HasSubstr("group 'both' lists rank 1 twice"));
}

TEST(Program, RefusesCollectivesWithoutGroupOrRoot) {
  EXPECT_THAT(complaint([](Program& program) { program.collectives[0].group = 1; }),
              HasSubstr("collective 'sum' uses group 1"));
  EXPECT_THAT(complaint([](Program& program) { program.collectives[0].bytes = -1; }),
              HasSubstr("collective 'sum' has -1 bytes"));
  EXPECT_THAT(complaint([](Program& program) { program.collectives[0].root = 2; }),
              HasSubstr("collective 'sum' has root 2, but its group has members 0 to 1"));
}

TEST(Program, RejectsTransfersWithoutAReceiver) {
  EXPECT_THAT(complaint([](Program& program) { program.transfers[0].destination = 5; }),
              HasSubstr("transfer 'block' names rank 5"));
  EXPECT_THAT(complaint([](Program& program) { program.transfers[0].destination = 0; }),
              HasSubstr("transfer 'block' sends data from rank 0 to itself"));
  EXPECT_THAT(complaint([](Program& program) { program.transfers[0].bytes = -2; }),
              HasSubstr("transfer 'block' has -2 bytes"));
}

TEST(Program, RequiresEveryMemberToJoinOnce) {
  EXPECT_THAT(complaint([](Program& program) { program.ranks[1].operations.pop_back(); }),
              HasSubstr("rank 1 never joins its group's collective 'sum'"));
  EXPECT_THAT(complaint([](Program& program) { program.ranks[1].operations.push_back(join(0)); }),
              HasSubstr("rank 1, operation 'join' joins 'sum' a second time"));
  EXPECT_THAT(
      complaint([](Program& program) { program.groups[0].ranks = {0}; }),
      HasSubstr("rank 1, operation 'join' joins 'sum' of group 'both', which does not contain the rank"));
  EXPECT_THAT(complaint([](Program& program) { program.ranks[0].operations[2] = join(3); }),
              HasSubstr("joins collective 3, but the program has 1 collectives"));
}

TEST(Program, RequiresTransfersToBeSentAndReceivedOnce) {
  EXPECT_THAT(complaint([](Program& program) {
                program.ranks[0].operations[1] = {"idle", Compute{1}, {0}};
              }),
              HasSubstr("rank 0 never sends 'block'"));
  EXPECT_THAT(complaint([](Program& program) {
                program.ranks[1].operations[0] = {"idle", Compute{1}, {}};
              }),
              HasSubstr("rank 1 never receives 'block'"));
  EXPECT_THAT(complaint([](Program& program) {
                program.ranks[0].operations.push_back({"again", Send{0}, {}});
              }),
              HasSubstr("rank 0, operation 'again' sends 'block' a second time"));
  EXPECT_THAT(complaint([](Program& program) { program.ranks[1].operations[0].work = Send{0}; }),
              HasSubstr("a second time"));
  EXPECT_THAT(complaint([](Program& program) {
                std::swap(program.transfers[0].source, program.transfers[0].destination);
              }),
              HasSubstr("rank 0, operation 'send' sends 'block', whose source is rank 1"));
  EXPECT_THAT(complaint([](Program& program) { program.ranks[1].operations[0].work = Receive{1}; }),
              HasSubstr("receives transfer 1, but the program has 1 transfers"));
}

TEST(Program, RejectsCyclesAndUnknownDependencies) {
  EXPECT_THAT(complaint([](Program& program) { program.ranks[0].operations[0].after = {2}; }),
              HasSubstr("waits for itself through other operations"));
  EXPECT_THAT(complaint([](Program& program) { program.ranks[0].operations[1].after = {1}; }),
              HasSubstr("rank 0, operation 'send' waits for itself"));
  EXPECT_THAT(complaint([](Program& program) { program.ranks[0].operations[0].after = {-1}; }),
              HasSubstr("rank 0, operation 'work' comes after operation -1, but the rank has 3 operations"));
}

TEST(Program, RefusesNegativeSizes) {
  EXPECT_THAT(complaint([](Program& program) { program.ranks[0].operations[0].work = Compute{-1}; }),
              HasSubstr("rank 0, operation 'work' has a negative size"));
  EXPECT_THAT(complaint([](Program& program) {
                program.ranks[0].operations[0].work = Compute{0, std::nan(""), 0};
              }),
              HasSubstr("negative size"));
  EXPECT_THAT(complaint([](Program& program) { program.ranks[1].operations[1].work = MemoryAccess{-8}; }),
              HasSubstr("rank 1, operation 'load' has a negative size"));
}

}  // namespace
}  // namespace coppice::workload
