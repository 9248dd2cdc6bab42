#include "ni/message_record.h"

#include <gtest/gtest.h>

namespace coppice::ni {
namespace {

class Counter final : public MessageObserver {
 public:
  void message_completed(const MessageRecord& message) override { completed.push_back(message.completed); }
  std::vector<Cycles> completed;
};

TEST(MessageLog, TellsItsObserversAndReusesIdentities) {
  MessageLog log;
  Counter counter;
  log.add_observer(counter);
  const std::uint64_t first = log.open();
  const std::uint64_t second = log.open();
  EXPECT_NE(first, second);
  log[first].completed = 12;
  log[first].payload.values = {1};
  EXPECT_EQ(log.open_count(), 2);
  log.close(first);
  EXPECT_EQ(counter.completed, std::vector<Cycles>{12});
  EXPECT_EQ(log.open_count(), 1);
  EXPECT_EQ(log.completed_count(), 1);
  EXPECT_EQ(log.open(), first);
  EXPECT_EQ(log[first].completed, -1);
  EXPECT_TRUE(log[first].payload.values.empty());
}

}  // namespace
}  // namespace coppice::ni
