#include "ni/messages/message_log.h"

#include <gtest/gtest.h>

namespace coppice::ni {
namespace {

class Counter final : public MessageObserver {
 public:
  void message_completed(const MessageRecord& message) override {
    completed.push_back(message.completed);
    at.push_back(message.dst);
  }
  std::vector<Cycles> completed;
  std::vector<topology::NodeId> at;
};

TEST(MessageLog, NotifiesItsObserversAndReusesIdentities) {
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

// One thread opens messages and another closes them. The log reports messages in order of completion, and
// those of the same cycle in order of accelerators.
TEST(MessageLog, CollectsTheMessagesThatThreadsHaveClosed) {
  MessageLog log;
  log.keep(true);
  MessageLog& other = log.of_thread(1);
  Counter counter;
  log.add_observer(counter);
  const std::uint64_t late = log.open();
  const std::uint64_t early = log.open();
  const std::uint64_t tied = other.open();
  other[late].completed = 30;
  log[early].completed = 10;
  log[tied].completed = 10;
  log[early].dst = 5;
  log[tied].dst = 2;
  log[tied].payload.values = {1};
  TableEntry entry;
  entry.flow = 9;
  EXPECT_EQ(log.keep(tied, entry).flow, 9);
  other.close(late);
  other.close(early);
  log.close(tied);
  EXPECT_EQ(log.open_count(), 0);
  EXPECT_EQ(log.completed_count(), 3);
  EXPECT_TRUE(counter.completed.empty());
  log.flush();
  EXPECT_EQ(counter.completed, (std::vector<Cycles>{10, 10, 30}));
  EXPECT_EQ(counter.at, (std::vector<topology::NodeId>{2, 5, topology::kNoNode}));
  ASSERT_EQ(log.open(), tied);
  EXPECT_TRUE(log[tied].payload.values.empty());
  EXPECT_EQ(&log.of_thread(0), &log);
  EXPECT_EQ(&log.of_thread(1), &other);
}

}  // namespace
}  // namespace coppice::ni
