#include "fabric/trains/meetings.h"

#include <gmock/gmock.h>

#include <array>

namespace coppice::fabric {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Outputs = std::vector<std::int32_t>;

class MeetingsTest : public ::testing::Test {
 protected:
  void pass(Meetings& meetings, std::int32_t port, std::size_t route, const Outputs& outputs) const {
    meetings.passes(port, &hops_.at(route), outputs);
  }

 private:
  std::array<topology::Hop, 8> hops_{};
};

TEST_F(MeetingsTest, FindsMessagesThatContendAndTheirFeeders) {
  Meetings meetings;
  meetings.set_size(10, 6);
  pass(meetings, 0, 0, {1, 2, 3});
  pass(meetings, 1, 1, {1, 5});
  pass(meetings, 2, 2, {4, 2});
  pass(meetings, 3, 3, {3});
  pass(meetings, 4, 4, {5});
  meetings.want_users_and_feeders(2);
  // Ports 0 and 2 use output 2, after outputs 1 and 4. Port 1 uses output 1, which leads to output 2. Ports 3
  // and 4 use only outputs that do not lead to output 2.
  EXPECT_THAT(meetings.flit_ports(), ElementsAre(0, 1, 2));
}

TEST_F(MeetingsTest, LaterMessagesBecomeFlitsToo) {
  Meetings meetings;
  meetings.set_size(10, 6);
  meetings.want_users_and_feeders(2);
  EXPECT_THAT(meetings.flit_ports(), IsEmpty());
  pass(meetings, 0, 0, {1, 2});
  pass(meetings, 1, 1, {1, 5});
  pass(meetings, 2, 2, {5});
  EXPECT_THAT(meetings.flit_ports(), ElementsAre(0, 1));
}

TEST_F(MeetingsTest, UsersWithoutContentionHaveNoFeeders) {
  Meetings meetings;
  meetings.set_size(10, 6);
  pass(meetings, 0, 0, {1, 2});
  pass(meetings, 1, 1, {1, 5});
  meetings.want_users(2);
  EXPECT_THAT(meetings.flit_ports(), ElementsAre(0));
  meetings.want_users_and_feeders(2);
  EXPECT_THAT(meetings.flit_ports(), ElementsAre(0, 1));
}

TEST_F(MeetingsTest, KeepsTheResultsOfThePreviousRun) {
  Meetings meetings({3});
  meetings.set_size(10, 6);
  EXPECT_FALSE(meetings.met());
  pass(meetings, 0, 0, {1});
  meetings.want_users(1);
  EXPECT_THAT(meetings.flit_ports(), ElementsAre(0, 3));
  EXPECT_THAT(meetings.given(), ElementsAre(3));
}

TEST_F(MeetingsTest, KeepsTheEarliestReason) {
  Meetings meetings;
  meetings.set_reason(20, "second");
  meetings.set_reason(10, "first");
  meetings.set_reason(15, "later");
  EXPECT_TRUE(meetings.met());
  EXPECT_EQ(meetings.at(), 10);
  EXPECT_EQ(meetings.reason(), "first");
}

TEST_F(MeetingsTest, ReportsIfTooManyPortsWouldSendFlits) {
  Meetings meetings({}, 0.5);
  meetings.set_size(10, 6);
  pass(meetings, 0, 0, {1});
  pass(meetings, 1, 1, {2});
  pass(meetings, 2, 2, {3});
  meetings.messages = 100;
  meetings.want_port(0);
  EXPECT_FALSE(meetings.too_many());
  meetings.want_users(3);
  EXPECT_TRUE(meetings.too_many());
  // With three messages, there is too little evidence for a decision.
  meetings.messages = 3;
  EXPECT_FALSE(meetings.too_many());
}

TEST_F(MeetingsTest, SavesTimeIfFlitsAreFewAndLeapsAreShort) {
  const auto run = [&](Cycles last) {
    Meetings meetings({}, 0.25);
    meetings.set_size(10, 6);
    for (std::int32_t port = 0; port < 5; ++port) {
      pass(meetings, port, static_cast<std::size_t>(port), {port});
      meetings.sends(port, port == 0 ? 1000 : 2000, last);
      ++meetings.messages;
    }
    meetings.want_port(0);
    return meetings.pays();
  };
  // The port that sends flits has a ninth of all flits and little idle time between its messages.
  EXPECT_TRUE(run(1000));
  // Here the messages are so far apart that leaps would skip most cycles.
  EXPECT_FALSE(run(1'000'000));
}

}  // namespace
}  // namespace coppice::fabric
