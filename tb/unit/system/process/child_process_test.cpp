#include "system/process/child_process.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>

#include "base/error.h"
#include "fabric/trains/train_fabric.h"
#include "system/program/program_run.h"

namespace coppice::system {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

template <typename Body>
auto child(Body body) {
  return [body] { (void)run_in_child(body, nullptr); };
}

TEST(RunInChild, ReturnsTheValue) {
  const ordered_json value{{"b", 1}, {"a", std::string(100'000, 'x')}};
  EXPECT_EQ(run_in_child([&] { return value; }, nullptr).dump(), value.dump());
}

TEST(RunInChild, DoesNotAffectTheParent) {
  int changed = 0;
  run_in_child([&]() -> ordered_json { return ++changed; }, nullptr);
  EXPECT_EQ(changed, 0);
}

TEST(RunInChild, PassesOnExceptionsUnchanged) {
  EXPECT_THAT(child([]() -> ordered_json { throw ModelError("deadlock"); }),
              ThrowsMessage<ModelError>(StrEq("deadlock")));
  EXPECT_THAT(child([]() -> ordered_json { throw fabric::ContentionError("two meet"); }),
              ThrowsMessage<fabric::ContentionError>(StrEq("two meet")));
  EXPECT_THAT(child([]() -> ordered_json { throw Interrupted("stop"); }),
              ThrowsMessage<Interrupted>(StrEq("stop")));
  EXPECT_THAT(child([]() -> ordered_json {
                throw ConfigError({"a.yaml", 3, 7}, "no: such");
              }),
              ThrowsMessage<ConfigError>(StrEq("a.yaml:3:7: no: such")));
  EXPECT_THAT(child([]() -> ordered_json { throw std::runtime_error("else"); }),
              ThrowsMessage<ModelError>(StrEq("else")));
}

TEST(RunInChild, ReportsTheDeathOfTheChild) {
  EXPECT_THAT(child([]() -> ordered_json {
                std::signal(SIGTERM, SIG_DFL);
                std::raise(SIGTERM);
                return {};
              }),
              ThrowsMessage<ModelError>(HasSubstr("killed by signal 15")));
  EXPECT_THAT(child([]() -> ordered_json { std::_Exit(9); }),
              ThrowsMessage<ModelError>(HasSubstr("status 9 and without a result")));
}

}  // namespace
}  // namespace coppice::system
