#include "workload/program_sample.h"

#include <gtest/gtest.h>

#include "workload/program.h"

namespace coppice::workload {
namespace {

constexpr Femtoseconds kMicrosecond = 1'000'000'000;

// A program in which two ranks compute and all-reduce in every iteration, and rank 0 then sends a message to
// rank 1.
Program iterated(int iterations) {
  Program program;
  program.name = "iterated";
  program.groups = {{"all", {0, 1}}};
  program.ranks.resize(2);
  for (std::int32_t i = 0; i < iterations; ++i) {
    program.collectives.push_back({.name = "sum", .bytes = 1 << 20, .kind = {}});
    program.transfers.push_back(
        {.name = "activations", .source = 0, .destination = 1, .bytes = 4096, .kind = {}});
    for (std::size_t r = 0; r < 2; ++r) {
      auto& operations = program.ranks[r].operations;
      const auto first = static_cast<std::int32_t>(operations.size());
      std::vector<std::int32_t> after;
      if (i > 0) after.push_back(first - 1);
      operations.push_back({"layer", Compute{.duration = 8 * kMicrosecond}, after, i});
      operations.push_back({"sum", JoinCollective{i}, {first}, i});
      if (r == 0) {
        operations.push_back({"out", Send{i}, {first + 1}, i});
      } else {
        operations.push_back({"in", Receive{i}, {first + 1}, i});
      }
    }
  }
  return program;
}

TEST(ProgramSample, FirstIterationIsASeparateProgram) {
  const Program first = first_iteration(iterated(3));
  EXPECT_NO_THROW(check_program(first));
  EXPECT_EQ(first, iterated(1));
}

TEST(ProgramSample, FirstIterationIsTheFirstOneInTheProgram) {
  Program later = iterated(2);
  for (RankProgram& rank : later.ranks) {
    for (Operation& operation : rank.operations) operation.iteration += 5;
  }
  const Program first = first_iteration(later);
  EXPECT_EQ(first.collectives.size(), 1U);
  EXPECT_EQ(first.ranks[0].operations.size(), 3U);
}

TEST(ProgramSample, IsTheWholeProgramIfTheFirstIterationDependsOnAnother) {
  Program mixed = iterated(2);
  mixed.ranks[0].operations[3].iteration = 0;
  mixed.ranks[0].operations[2].iteration = 1;
  EXPECT_EQ(first_iteration(mixed), mixed);
}

TEST(ProgramSample, ScalesBytesAndTimesEqually) {
  const Program small = scaled(iterated(2), 0.25);
  EXPECT_NO_THROW(check_program(small));
  EXPECT_EQ(small.collectives[1].bytes, 1 << 18);
  EXPECT_EQ(small.transfers[1].bytes, 1024);
  EXPECT_EQ(std::get<Compute>(small.ranks[1].operations[0].work).duration, 2 * kMicrosecond);
}

TEST(ProgramSample, KeepsAMessageForEveryRank) {
  const Program tiny = scaled(iterated(1), 1e-9);
  EXPECT_EQ(tiny.collectives[0].bytes, 128);
  EXPECT_EQ(tiny.transfers[0].bytes, 64);
  Program less = iterated(1);
  less.transfers[0].bytes = 8;
  EXPECT_EQ(scaled(less, 0.5).transfers[0].bytes, 8);
}

}  // namespace
}  // namespace coppice::workload
