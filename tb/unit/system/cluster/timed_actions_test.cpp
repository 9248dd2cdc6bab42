#include "system/cluster/timed_actions.h"

#include <gmock/gmock.h>

#include <string>

#include "base/error.h"
#include "support/child.h"

namespace coppice::system {
namespace {

using ::coppice::testing::in_child;

TEST(Conductor, CallsInTheOrderOfTimesAndThenOfRequests) {
  EXPECT_EQ(in_child([]() -> std::string {
              fabric::set_time_resolution();
              fabric::Failure failure;
              Conductor conductor("conductor", failure);
              std::string order;
              conductor.at(20, [&] { order += "c"; });
              conductor.at(10, [&] {
                order += "a";
                conductor.at(20, [&] { order += "e"; });
                conductor.at(10, [&] { order += "b"; });
              });
              conductor.at(20, [&] { order += "d"; });
              conductor.at(30, [&] { order += std::to_string(Conductor::now()); });
              sc_core::sc_start(fabric::to_sc_time(100));
              failure.rethrow();
              return order;
            }),
            "abcde30");
}

TEST(Conductor, PassesOnTheExceptionOfAnAction) {
  EXPECT_EQ(in_child([]() -> std::string {
              fabric::set_time_resolution();
              fabric::Failure failure;
              Conductor conductor("conductor", failure);
              conductor.at(5, [] { throw ModelError("a job is lost"); });
              sc_core::sc_start(fabric::to_sc_time(100));
              try {
                failure.rethrow();
              } catch (const ModelError& error) {
                return error.what();
              }
              return "nothing";
            }),
            "a job is lost");
}

// An action may be scheduled for the current time, but not for the past.
TEST(Conductor, RejectsTimesThatCannotBeRepresented) {
  EXPECT_EQ(in_child([]() -> std::string {
              fabric::set_time_resolution();
              fabric::Failure failure;
              Conductor conductor("conductor", failure);
              try {
                conductor.at(kLongestTime + 1, [] {});
              } catch (const TimeLimitError& error) {
                return error.what();
              }
              return "nothing";
            }).substr(0, 9),
            "the study");
}

}  // namespace
}  // namespace coppice::system
