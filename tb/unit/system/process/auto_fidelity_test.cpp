#include "system/process/auto_fidelity.h"

#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "base/error.h"

namespace coppice::system {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Each of the eight ports sends messages through an output of its own.
void all_send(fabric::Meetings& meetings) {
  static const std::array<topology::Hop, 8> routes{};
  meetings.set_size(8, 8);
  for (std::int32_t port = 0; port < 8; ++port) {
    const std::vector<std::int32_t> outputs{port};
    meetings.passes(port, &routes.at(static_cast<std::size_t>(port)), outputs);
    meetings.sends(port, 100, 10);
    ++meetings.messages;
  }
}

// All ports send, and messages contend at port 5 unless flit ports are given. Returns whether messages
// contend.
bool meet_unless_given(fabric::Meetings& meetings) {
  all_send(meetings);
  if (!meetings.given().empty()) return false;
  meetings.want_port(5);
  meetings.set_reason(7, "two met");
  return true;
}

ordered_json of(config::Fidelity fidelity, const fabric::Meetings* meetings) {
  ordered_json result{{"fidelity", config::to_string(fidelity)}};
  if (meetings != nullptr) result["given"] = meetings->given();
  return result;
}

TEST(AutoFidelity, UsesTrainsWithoutContention) {
  const auto result = run_auto(
      [](config::Fidelity fidelity, fabric::Meetings* meetings) {
        all_send(*meetings);
        return of(fidelity, meetings);
      },
      0, false, nullptr);
  EXPECT_EQ(result, ordered_json({{"fidelity", "train"}, {"given", ordered_json::array()}}));
}

TEST(AutoFidelity, UsesFlitsForMessagesThatContend) {
  const auto result = run_auto(
      [](config::Fidelity fidelity, fabric::Meetings* meetings) {
        meet_unless_given(*meetings);
        return of(fidelity, meetings);
      },
      0, false, nullptr);
  EXPECT_EQ(result, ordered_json({{"fidelity", "train"}, {"given", {5}}, {"fidelity_reason", "two met"}}));
}

TEST(AutoFidelity, AFailureAfterAMeetingIsPartOfIt) {
  const auto result = run_auto(
      [](config::Fidelity fidelity, fabric::Meetings* meetings) {
        if (meet_unless_given(*meetings)) throw ModelError("the sum is wrong");
        return of(fidelity, meetings);
      },
      0, false, nullptr);
  EXPECT_EQ(result["fidelity"], "train");
}

TEST(AutoFidelity, AFailureWithoutAMeetingIsOne) {
  EXPECT_THAT(
      [] {
        run_auto(
            [](config::Fidelity, fabric::Meetings* meetings) -> ordered_json {
              all_send(*meetings);
              throw ModelError("the sum is wrong");
            },
            0, false, nullptr);
      },
      ThrowsMessage<ModelError>(HasSubstr("the sum is wrong")));
}

TEST(AutoFidelity, UsesLeapsIfTooManyMessagesContend) {
  const auto result = run_auto(
      [](config::Fidelity fidelity, fabric::Meetings* meetings) {
        if (meetings != nullptr) {
          EXPECT_TRUE(meetings->given().empty());
          all_send(*meetings);
          for (const std::int32_t port : {0, 1, 2}) meetings->want_port(port);
          meetings->set_reason(7, "three met");
        }
        return of(fidelity, meetings);
      },
      0, false, nullptr);
  EXPECT_EQ(result, ordered_json({{"fidelity", "leap"}, {"fidelity_reason", "three met"}}));
}

TEST(AutoFidelity, UsesLeapsIfEveryRunFindsMoreContention) {
  const auto run = [](config::Fidelity fidelity, fabric::Meetings* meetings) {
    if (meetings != nullptr) {
      all_send(*meetings);
      meetings->want_port(meetings->given().empty() ? 0 : 1);
      meetings->set_reason(7, meetings->given().empty() ? "first" : "later");
    }
    return of(fidelity, meetings);
  };
  const auto result = run_auto(run, 0, false, nullptr);
  EXPECT_EQ(result, ordered_json({{"fidelity", "leap"}, {"fidelity_reason", "first"}}));
}

TEST(AutoFidelity, UsesFlowsIfFlitsWouldTakeHours) {
  const auto result = run_auto(
      [](config::Fidelity fidelity, fabric::Meetings* meetings) {
        if (meetings != nullptr) {
          all_send(*meetings);
          for (const std::int32_t port : {0, 1, 2}) meetings->want_port(port);
          meetings->set_reason(7, "three met");
        }
        return of(fidelity, meetings);
      },
      2 * kAffordableFlitHops, true, nullptr);
  EXPECT_EQ(result["fidelity"], "fluid");
  EXPECT_THAT(result["fidelity_reason"].get<std::string>(), HasSubstr("three met; simulating the run's"));
}

}  // namespace
}  // namespace coppice::system
