#include "schedule/proof/data_proof.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>

#include "machine.h"
#include "schedule/proof/check_report.h"
#include "schedule/proof/replay.h"

namespace coppice::schedule {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

class DataProofTest : public testing::Test {
 protected:
  std::vector<Message> replayed() const {
    std::vector<Message> messages = collect_messages(machine_.topology, schedule_);
    replay(schedule_, messages);
    return messages;
  }

  Machine machine_ = torus({4});
  Schedule schedule_ = machine_.compile("ring", Collective::kAllReduce, 4096);
};

// In a ring of four, each chunk is the sum of four values, so every flow has three additions.
TEST_F(DataProofTest, CountsTheAdditionsOfEveryFlow) {
  const std::vector<Message> messages = replayed();
  const std::vector<int> additions = prove_data(schedule_, messages);
  ASSERT_THAT(additions, SizeIs(4));
  EXPECT_THAT(additions, Each(3));
}

TEST_F(DataProofTest, RejectsDataThatNoMessageCarries) {
  std::vector<Message> messages = replayed();
  std::erase_if(messages, [](const Message& m) { return m.entry->flow == 1; });
  EXPECT_THAT([&] { prove_data(schedule_, messages); },
              ThrowsMessage<ScheduleError>(HasSubstr("no message carries these bytes")));
}

TEST_F(DataProofTest, RejectsSharesOutsideTheBuffer) {
  schedule_ = machine_.compile("ring", Collective::kReduceScatter, 4096);
  const std::vector<Message> messages = replayed();
  EXPECT_NO_THROW(prove_data(schedule_, messages));
  const auto refuses = [&](const std::vector<Share>& shares, const std::string& what) {
    schedule_.shares = shares;
    EXPECT_THAT([&] { prove_data(schedule_, messages); }, ThrowsMessage<ScheduleError>(HasSubstr(what)));
  };
  refuses({{{0, 1024}, 0}, {{1020, 3076}, 1}}, "the next share must begin at byte 1024");
  refuses({{{0, 1024}, 0}, {{1028, 3068}, 1}}, "the share of accelerator 1 at bytes 1028..4096");
  refuses({{{0, 4096}, 4}}, "the share of accelerator 4");
  refuses({{{0, 4096}, -1}}, "the share of accelerator -1");
  refuses({{{0, 0}, 0}, {{0, 4096}, 1}}, "the share of accelerator 0 at bytes 0..0");
  refuses({{{0, 4092}, 0}}, "bytes 4092..4096 are not in any accelerator's share");
}

TEST_F(DataProofTest, RejectsDataThatIsOnlyPartlyCarried) {
  schedule_.size += 4;
  EXPECT_THAT([&] { prove_data(schedule_, replayed()); },
              ThrowsMessage<ScheduleError>(HasSubstr("bytes 4096..4100, every accelerator, all steps")));
}

// Proving the flows separately gives the same numbers of additions as proving all flows together.
TEST_F(DataProofTest, ProvesFlowsSeparately) {
  std::vector<Message> messages = replayed();
  std::ranges::stable_sort(messages, {}, &Message::round);
  for (std::int32_t flow = 0; flow < 4; ++flow) {
    std::vector<Message> own;
    std::ranges::copy_if(messages, std::back_inserter(own),
                         [&](const Message& m) { return m.entry->flow == flow; });
    EXPECT_EQ(prove_flow(schedule_, own), 3);
    own.pop_back();
    EXPECT_THROW(prove_flow(schedule_, own), ScheduleError);
  }
  EXPECT_THAT([&] { prove_flow(schedule_, {}); },
              ThrowsMessage<ScheduleError>(HasSubstr("the schedule sends no message")));
}

}  // namespace
}  // namespace coppice::schedule
