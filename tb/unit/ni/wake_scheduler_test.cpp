#include "ni/wake_scheduler.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace coppice::ni {
namespace {

using testing::ElementsAre;

constexpr Femtoseconds kPeriod = 2 * kFemtosecondsPerNanosecond;

class Recorder final : public AlarmClock::Sleeper {
 public:
  Recorder(std::string name, std::vector<std::pair<std::string, Cycles>>& woken)
      : name_(std::move(name)), woken_(&woken) {}
  void wake(Cycles now) override {
    EXPECT_EQ(sc_core::sc_time_stamp(), fabric::to_sc_time(now * kPeriod));
    woken_->emplace_back(name_, now);
    if (again > now) clock->set(again, *this);
  }

  AlarmClock* clock = nullptr;
  Cycles again = -1;  // the cycle of a second alarm, set when the first one rings; -1 for none

 private:
  std::string name_;
  std::vector<std::pair<std::string, Cycles>>* woken_;
};

TEST(AlarmClock, WakesInTheRequestedCycles) {
  fabric::set_time_resolution();
  fabric::Failure failure;
  AlarmClock clock("clock", kPeriod, failure);
  std::vector<std::pair<std::string, Cycles>> woken;
  Recorder a("a", woken);
  Recorder b("b", woken);
  clock.set(9, a);
  clock.set(4, b);
  clock.set(0, a);
  clock.set(4, a);
  b.clock = &clock;
  b.again = 5;
  sc_core::sc_start(fabric::to_sc_time(20 * kPeriod));
  failure.rethrow();
  EXPECT_THAT(woken, ElementsAre(std::pair("a", 0), std::pair("b", 4), std::pair("a", 4), std::pair("b", 5),
                                 std::pair("a", 9)));
}

}  // namespace
}  // namespace coppice::ni
