#include "workload/kernel_times.h"

#include <gmock/gmock.h>

#include "sample_table.h"

namespace coppice::workload {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr Femtoseconds kUs = 1000 * kFemtosecondsPerNanosecond;

Program program_of(const std::vector<std::string>& names) {
  Program program;
  program.name = "sample";
  program.ranks.emplace_back();
  for (const std::string& name : names) {
    Operation operation;
    operation.name = name;
    operation.work = Compute{};
    program.ranks.front().operations.push_back(operation);
  }
  return program;
}

std::vector<Femtoseconds> durations(const std::vector<std::string>& names, const std::string& table) {
  Program program = program_of(names);
  const SampleTable file(table);
  set_kernel_times(program, read_kernel_times(file.path()));
  std::vector<Femtoseconds> found;
  for (const Operation& operation : program.ranks.front().operations) {
    found.push_back(std::get<Compute>(operation.work).duration);
  }
  return found;
}

TEST(KernelTimes, AreThoseOfTheFirstMatchingRow) {
  EXPECT_EQ(durations({"layer 0 attention", "layer 1 attention", "layer 1 mlp", "output"},
                      "kernel,time_us\nlayer 0 attention,7.5\nlayer * attention,20\n*mlp,30\n"),
            (std::vector<Femtoseconds>{kUs * 15 / 2, 20 * kUs, 30 * kUs, 0}));
}

TEST(KernelTimes, ReportRowsThatMatchNothing) {
  EXPECT_THAT([] { durations({"layer 0 mlp"}, "kernel,time_us\nlayer * mlp,1\nlayer * attention,2\n"); },
              ThrowsMessage<ConfigError>(HasSubstr(":3:1: no kernel of sample matches")));
}

TEST(KernelTimes, MustBePositive) {
  for (const char* const time : {"0", "-1", "fast", "1e12", "nan"}) {
    EXPECT_THAT([&] { durations({"mlp"}, std::string("kernel,time_us\nmlp,") + time + "\n"); },
                ThrowsMessage<ConfigError>(HasSubstr("time_us")));
  }
}

TEST(KernelTimes, NeedTheirColumns) {
  EXPECT_THAT([] { durations({"mlp"}, "name,time\nmlp,1\n"); },
              ThrowsMessage<ConfigError>(HasSubstr("kernel,time_us")));
  EXPECT_THAT([] { durations({"mlp"}, "kernel,time_us\nmlp,1,2\n"); },
              ThrowsMessage<ConfigError>(HasSubstr("3 cells")));
}

}  // namespace
}  // namespace coppice::workload
