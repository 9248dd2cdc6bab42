#include "system/program/job_programs.h"

#include <gmock/gmock.h>

#include <fstream>

#include <fmt/format.h>

#include "base/error.h"
#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

// Jobs with two ranks that compute, send and reduce. They run on a torus of eight accelerators.
class JobPrograms : public ::testing::Test {
 protected:
  JobPrograms() {
    write("two.yaml",
          "ranks: 2\niterations: 3\noperations:\n"
          "  - {name: f, compute: 5 us}\n"
          "  - {name: x, send: 1 KiB, from: 1, to: 0, after: f}\n"
          "  - {name: a, all_reduce: 4 KiB, after: x}\n");
    write("placed.yaml",
          "ranks: 2\nplacement: [6, 1]\noperations:\n  - {name: b, broadcast: 8 B, root: 1}\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file(name)) << text;
  }
  // Loads a configuration with `jobs`, in which program files are named without their folder.
  config::Loaded load(std::string jobs) const {
    for (const char* name : {"two.yaml", "placed.yaml"}) {
      for (std::size_t at = 0; (at = jobs.find(std::string(" ") + name, at)) != std::string::npos;) {
        jobs.replace(at + 1, std::string(name).size(), folder_.file(name));
      }
    }
    write("c.yaml", "system: {topology: {kind: torus, dims: [4, 2]}}\nprogram:\n  jobs: [" + jobs + "]\n");
    return config::load(folder_.file("c.yaml"), {}, config::Purpose::kRun);
  }
  void refuses(const std::string& jobs, const std::string& what) const {
    EXPECT_THAT([&] { load_jobs(load(jobs)); }, ThrowsMessage<ConfigError>(HasSubstr(what)));
  }

  TemporaryDirectory folder_;
};

TEST_F(JobPrograms, AreConcatenatedToOneProgram) {
  const config::Loaded loaded = load("{file: two.yaml, name: p}, {file: two.yaml, name: q, arrival: 3 us}");
  const workload::Program program = load_jobs(loaded);
  EXPECT_NO_THROW(workload::check_program(program));
  ASSERT_THAT(program.ranks, SizeIs(4));
  EXPECT_THAT(program.placement, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(program.groups[0].name, "p");
  EXPECT_THAT(program.groups[1].ranks, ElementsAre(2, 3));
  const auto jobs = jobs_of(loaded.config, program);
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_EQ(jobs[1].name, "q");
  EXPECT_EQ(jobs[1].first_rank, 2);
  EXPECT_EQ(jobs[1].ranks, 2);
  EXPECT_EQ(jobs[1].arrival, 3'000'000'000);
  EXPECT_EQ(iterations_of(program, jobs[0]), 3);
  // The second job runs the first job's program on other accelerators.
  for (std::size_t i = 0; i < program.collectives.size() / 2; ++i) {
    const auto& mine = program.collectives[i];
    const auto& other = program.collectives[i + program.collectives.size() / 2];
    EXPECT_EQ(other.name, "q" + mine.name.substr(1));
    EXPECT_THAT(program.groups[static_cast<std::size_t>(mine.group)].ranks, ElementsAre(0, 1));
    EXPECT_THAT(program.groups[static_cast<std::size_t>(other.group)].ranks, ElementsAre(2, 3));
  }
  EXPECT_EQ(program.transfers.back().source, 3);
  EXPECT_EQ(program.transfers.back().destination, 2);
}

TEST_F(JobPrograms, UseTheirOwnAcceleratorsThenThoseOfTheFileThenFreeOnes) {
  EXPECT_THAT(load_jobs(load("{file: two.yaml, accelerators: [7, 3]}, {file: placed.yaml}, {file: two.yaml}"))
                  .placement,
              ElementsAre(7, 3, 6, 1, 0, 2));
  EXPECT_THAT(load_jobs(load("{file: placed.yaml, accelerators: [0, 1]}")).placement, ElementsAre(0, 1));
  refuses("{file: placed.yaml}, {file: placed.yaml}", "program.jobs[1]: accelerator 6 already has a rank");
  refuses("{file: two.yaml, accelerators: [1, 1]}", "program.jobs[0]: accelerator 1 already has a rank");
  refuses("{file: two.yaml, accelerators: [1, 2, 3]}",
          "has 2 ranks, but 3 accelerators are available to them");
  refuses("{file: two.yaml, accelerators: [1, 8]}",
          "accelerator 8 does not exist: the accelerators are 0 to 7");
}

TEST_F(JobPrograms, AreOneJobByDefault) {
  workload::Program program;
  program.ranks.resize(3);
  const auto jobs = jobs_of(config::Config(), program);
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(jobs[0].name, "program");
  EXPECT_EQ(jobs[0].ranks, 3);
  EXPECT_EQ(iterations_of(program, jobs[0]), 0);
  program.name = "own";
  EXPECT_EQ(jobs_of(config::Config(), program)[0].name, "own");
}

// The program that remains after some iterations is valid and contains only unfinished work. Each job keeps
// its own unfinished iterations.
TEST_F(JobPrograms, ContinueWithoutFinishedIterations) {
  const config::Loaded loaded = load("{file: two.yaml, name: p}, {file: two.yaml, name: q}");
  const workload::Program program = load_jobs(loaded);
  const auto jobs = jobs_of(loaded.config, program);
  EXPECT_EQ(without_iterations(program, jobs, {0, 0}), program);
  const workload::Program left = without_iterations(program, jobs, {1, 2});
  EXPECT_NO_THROW(workload::check_program(left));
  EXPECT_EQ(left.groups, program.groups);
  EXPECT_EQ(left.placement, program.placement);
  // Program p has two iterations left and program q has one. Each iteration contains a collective and a
  // transfer.
  EXPECT_THAT(left.collectives, SizeIs(3));
  EXPECT_THAT(left.transfers, SizeIs(3));
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const int done = rank < 2 ? 1 : 2;
    std::vector<std::string> names;
    std::vector<std::string> expected;
    for (const auto& operation : left.ranks[rank].operations) {
      EXPECT_GE(operation.iteration, done);
      names.push_back(fmt::format("{} {}", operation.name, operation.iteration));
    }
    for (const auto& operation : program.ranks[rank].operations) {
      if (operation.iteration < done) continue;
      expected.push_back(fmt::format("{} {}", operation.name, operation.iteration));
    }
    EXPECT_EQ(names, expected);
    EXPECT_THAT(left.ranks[rank].operations.front().after, IsEmpty());
  }
  const workload::Program none = without_iterations(program, jobs, {3, 3});
  EXPECT_THAT(none.collectives, IsEmpty());
  for (const auto& rank : none.ranks) EXPECT_THAT(rank.operations, IsEmpty());
}

}  // namespace
}  // namespace coppice::system
