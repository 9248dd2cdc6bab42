#include "system/process/subprocess_run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "fabric/trains/train_fabric.h"
#include "system/program/program_run.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;
using Json = nlohmann::ordered_json;

// A job that runs until it is stopped.
Json wait_for_ever() {
  while (true) ::pause();
}

void expect_no_children() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

std::vector<Json> run(const std::vector<SubprocessJob>& jobs, int at_once = 2) {
  SubprocessOptions options;
  options.at_once = at_once;
  return run_in_subprocesses(jobs, options);
}

TEST(SubprocessRun, ReturnsValuesInOrder) {
  std::vector<SubprocessJob> jobs;
  for (int i = 0; i < 7; ++i) jobs.emplace_back([i] { return Json{{"square", i * i}}; });
  const auto values = run(jobs);
  ASSERT_EQ(values.size(), 7U);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)]["square"], i * i);
  expect_no_children();
}

TEST(SubprocessRun, AcceptsAnEmptyList) {
  EXPECT_TRUE(run({}).empty());
}

TEST(SubprocessRun, IsolatesItsJobs) {
  static int touched = 0;
  const SubprocessJob touch = [] { return Json(++touched); };
  EXPECT_EQ(run({touch, touch, touch}), (std::vector<Json>{1, 1, 1}));
  EXPECT_EQ(touched, 0);
}

TEST(SubprocessRun, CarriesValuesLargerThanAPipe) {
  const std::string large(3 << 20, 'x');
  const auto values = run({[&] { return Json(large); }, [&] { return Json(large + "y"); }});
  EXPECT_EQ(values[0].get<std::string>().size(), large.size());
  EXPECT_EQ(values[1].get<std::string>(), large + "y");
}

TEST(SubprocessRun, ReportsWhenEachJobIsDone) {
  std::vector<std::size_t> done;
  SubprocessOptions options;
  options.job_done = [&](std::size_t job, const Json& /*value*/) { done.push_back(job); };
  const SubprocessJob job = [] { return Json(1); };
  run_in_subprocesses({job, job, job}, options);
  EXPECT_THAT(done, ::testing::ElementsAre(0, 1, 2));  // with one process, jobs complete in order
}

TEST(SubprocessRun, RunsNoMoreAtOnceThanAllowed) {
  // Each job takes a token from a shared pipe and returns it later. There are only two tokens, so a third
  // simultaneous job would fail to get one.
  int tokens[2];
  ASSERT_EQ(::pipe2(tokens, O_NONBLOCK), 0);
  ASSERT_EQ(::write(tokens[1], "ab", 2), 2);
  const SubprocessJob job = [&] {
    char token = 0;
    const bool got = ::read(tokens[0], &token, 1) == 1;
    ::usleep(1000);
    return Json(got && ::write(tokens[1], &token, 1) == 1);
  };
  for (const Json& got : run(std::vector<SubprocessJob>(12, job), 2)) EXPECT_TRUE(got.get<bool>());
  ::close(tokens[0]);
  ::close(tokens[1]);
}

TEST(SubprocessRun, ThrowsTheExceptionOfAJob) {
  const SubprocessJob fine = [] { return Json(1); };
  EXPECT_THAT(
      [&] {
        run({fine, []() -> Json { throw ModelError("wrong sum"); }});
      },
      ThrowsMessage<ModelError>(StrEq("wrong sum")));
  EXPECT_THAT(
      [&] {
        run({[]() -> Json { throw UnsupportedError("not on a ring"); }, fine});
      },
      ThrowsMessage<UnsupportedError>(StrEq("not on a ring")));
  EXPECT_THAT([&] { run({[]() -> Json { throw Interrupted("at cycle 5"); }}); },
              ThrowsMessage<Interrupted>(StrEq("at cycle 5")));
  EXPECT_THAT([&] { run({[]() -> Json { throw std::runtime_error("other"); }}); },
              ThrowsMessage<ModelError>(StrEq("other")));
  EXPECT_THAT([&] { run({[]() -> Json { throw fabric::ContentionError("two meet"); }}); },
              ThrowsMessage<fabric::ContentionError>(StrEq("two meet")));
  EXPECT_THROW(run({[]() -> Json { throw std::bad_alloc(); }}), std::bad_alloc);
  expect_no_children();
}

TEST(SubprocessRun, KeepsTheLocationOfAConfigError) {
  try {
    run({[]() -> Json { throw ConfigError({"c.yaml", 3, 7}, "too small"); }});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "c.yaml:3:7: too small");
    EXPECT_EQ(error.where().line, 3);
    EXPECT_EQ(error.where().column, 7);
  }
}

TEST(SubprocessRun, EndsTheOthersWhenOneFails) {
  EXPECT_THROW(run({wait_for_ever, []() -> Json { throw ModelError("deadlock"); }, wait_for_ever}),
               ModelError);
  expect_no_children();
}

TEST(SubprocessRun, ReportsAChildThatDies) {
  EXPECT_THAT(
      [] {
        run({[]() -> Json {
          ::raise(SIGKILL);
          return {};
        }});
      },
      ThrowsMessage<ModelError>(AllOf(HasSubstr("signal 9"), HasSubstr("memory"))));
  EXPECT_THAT([] { run({[]() -> Json { ::_exit(3); }}); },
              ThrowsMessage<ModelError>(HasSubstr("exited with status 3 and without a result")));
  EXPECT_THAT([] { run({[]() -> Json { ::_exit(0); }}); },
              ThrowsMessage<ModelError>(HasSubstr("exited with status 0 and without a result")));
  expect_no_children();
}

TEST(SubprocessRun, EndsAllWhenInterrupted) {
  std::atomic<bool> interrupted{false};
  SubprocessOptions options;
  options.at_once = 2;
  options.interrupted = &interrupted;
  options.job_done = [&](std::size_t, const Json&) { interrupted = true; };
  EXPECT_THAT(
      [&] {
        run_in_subprocesses({[] { return Json(1); }, wait_for_ever, wait_for_ever}, options);
      },
      ThrowsMessage<Interrupted>(HasSubstr("after 1 of 3 simulations")));
  expect_no_children();
}

// A job that is asked to stop writes one byte before it ends.
TEST(SubprocessRun, LetsJobsCleanUp) {
  static int traces[2];
  ASSERT_EQ(::pipe(traces), 0);
  std::atomic<bool> interrupted{false};
  SubprocessOptions options;
  options.at_once = 3;
  options.interrupted = &interrupted;
  options.job_done = [&](std::size_t, const Json&) { interrupted = true; };
  // The last job ends only after both other jobs have installed their signal handlers: each of them sends a
  // token, and the last job waits for both tokens.
  static int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const SubprocessJob tell = []() -> Json {
    std::signal(SIGTERM, [](int) { ::_exit(::write(traces[1], "x", 1) == 1 ? 0 : 1); });
    return ::write(ready[1], "r", 1) == 1 ? wait_for_ever() : Json();
  };
  const SubprocessJob last = [] {
    char token = 0;
    return Json(::read(ready[0], &token, 1) + ::read(ready[0], &token, 1));
  };
  EXPECT_THROW(run_in_subprocesses({tell, tell, last}, options), Interrupted);
  char left[3];
  EXPECT_EQ(::read(traces[0], left, sizeof left), 2);
}

TEST(SubprocessRun, FindsAtLeastOneProcessor) {
  EXPECT_GE(available_processors(), 1);
}

}  // namespace
}  // namespace coppice::system
