#include "schedule/proof/sum_proof.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <set>
#include <string>

#include "machine.h"
#include "schedule/proof/check_report.h"

namespace coppice::schedule {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Builds messages of one flow in given rounds, among accelerators with buffers of equal size.
class SumProofTest : public testing::Test {
 protected:
  void buffer(int accelerators, Collective collective, Bytes size) {
    schedule_.nodes.resize(static_cast<std::size_t>(accelerators));
    schedule_.collective = collective;
    schedule_.size = size;
    schedule_.flows = 1;
    schedule_.steps = 9;
  }
  void send(int round, Op op, NodeId src, NodeId dst, Chunk data) {
    TableEntry entry{.op = op, .flow = 0, .children = {}, .step = round + 1};
    entry.address = data.address;
    entry.bytes = data.bytes;
    entries_.push_back(entry);
    messages_.push_back({.entry = &entries_.back(), .src = src, .dst = dst, .round = round});
  }
  void send(int round, Op op, NodeId src, NodeId dst) { send(round, op, src, dst, {0, schedule_.size}); }

  // The number of additions that the proof finds; throws if it fails.
  int prove(const std::vector<Share>& shares = {}) const {
    std::vector<int> additions(1, 0);
    const MessageGroups groups(schedule_, messages_);
    Contributions proof(schedule_, additions);
    for (const MessageGroup& group : groups.groups()) proof.prove(group, lay_out(group, shares));
    return additions[0];
  }
  void refuses(const std::string& what, const std::vector<Share>& shares = {}) const {
    EXPECT_THAT([&] { prove(shares); }, ThrowsMessage<ScheduleError>(HasSubstr(what)));
  }

  Schedule schedule_;
  std::deque<TableEntry> entries_;
  std::vector<Message> messages_;
};

// Accelerator 0 adds the values of three leaves, which makes three additions. In a chain, the last
// accelerator's value goes through as many.
TEST_F(SumProofTest, CountsTheAdditionsOfTheDeepestPath) {
  buffer(4, Collective::kReduceScatter, 4);
  const std::vector<Share> all{{{0, 4}, 0}};
  for (const NodeId leaf : {1, 2, 3}) send(0, Op::kReduce, leaf, 0);
  EXPECT_EQ(prove(all), 3);
  messages_.clear();
  send(0, Op::kReduce, 3, 2);
  send(0, Op::kReduce, 1, 0);
  send(1, Op::kReduce, 2, 0);
  EXPECT_EQ(prove(all), 3);  // 3's value goes through one addition at 2 and up to two at 0
}

// All messages of a round leave before any of them arrives, so two accelerators can exchange their values in
// one round.
TEST_F(SumProofTest, SendsTheDataFromBeforeTheRound) {
  buffer(2, Collective::kAllReduce, 8);
  send(0, Op::kReduce, 0, 1);
  send(0, Op::kReduce, 1, 0);
  EXPECT_EQ(prove(), 1);
  // If the messages are in successive rounds, the second one returns the first one's value.
  messages_[1].round = 1;
  refuses("adds the contribution of accelerator 0 a second time at accelerator 0");
}

TEST_F(SumProofTest, RejectsALostContribution) {
  buffer(3, Collective::kAllReduce, 8);
  send(0, Op::kReduce, 0, 1);
  send(1, Op::kGather, 1, 0);
  send(1, Op::kGather, 1, 2);
  refuses(
      "overwrites a value at accelerator 2 that includes the contribution of accelerator 2 with one that");
  messages_.pop_back();
  refuses("bytes 0..8, accelerator 0, after step 9: the final value lacks the contribution of accelerator 2");
}

TEST_F(SumProofTest, RejectsAValueThatIsAlreadyPresent) {
  buffer(2, Collective::kAllReduce, 8);
  send(0, Op::kReduce, 0, 1);
  send(1, Op::kGather, 1, 0);
  EXPECT_EQ(prove(), 1);
  send(2, Op::kGather, 0, 1);
  refuses("accelerator 1 already has this value");
}

TEST_F(SumProofTest, AllGathersReadOnlyFromOwnersOfTheData) {
  buffer(3, Collective::kAllGather, 8);
  const std::vector<Share> shares{{{0, 4}, 0}, {{4, 4}, 2}};
  send(0, Op::kGather, 0, 1, {0, 4});
  send(0, Op::kGather, 2, 1, {4, 4});
  send(1, Op::kGather, 1, 0, {4, 4});
  send(1, Op::kGather, 1, 2, {0, 4});
  EXPECT_EQ(prove(shares), 0);
  send(0, Op::kGather, 1, 0, {4, 4});
  refuses("sends a value that the accelerator does not have yet", shares);
  messages_.pop_back();
  send(2, Op::kReduce, 1, 0, {0, 4});
  refuses("an all-gather must not add", shares);
}

TEST_F(SumProofTest, ReduceScattersNeedSharesOnlyAtTheirOwners) {
  buffer(2, Collective::kReduceScatter, 8);
  send(0, Op::kReduce, 0, 1, {4, 4});
  send(0, Op::kReduce, 1, 0, {0, 4});
  EXPECT_EQ(prove({{{0, 4}, 0}, {{4, 4}, 1}}), 1);
  refuses("bytes 0..4, accelerator 1, after step 9: the final value lacks", {{{0, 4}, 1}, {{4, 4}, 0}});
}

// The data has more intervals than the proof handles at a time. A fault must be found in the first, middle
// and last intervals.
TEST_F(SumProofTest, FollowsEveryIntervalOfLongData) {
  const int parts = 140'000;  // their sets need 16 bytes each, and together more than 2 MiB
  buffer(2, Collective::kAllReduce, Bytes{4} * parts);
  send(0, Op::kReduce, 0, 1);
  send(1, Op::kGather, 1, 0);
  for (int part = 1; part < parts; ++part) send(2, Op::kGather, 0, 1, {Bytes{4} * part, 0});
  EXPECT_EQ(prove(), 1);
  for (const int late : {0, parts / 2, parts - 1}) {
    send(3, Op::kReduce, 0, 1, {Bytes{4} * late, 4});
    refuses("a second time at accelerator 1");
    messages_.pop_back();
  }
}

// A reducing switch has no data of its own to contribute.
TEST_F(SumProofTest, AddersContributeNothing) {
  buffer(3, Collective::kAllReduce, 4);
  schedule_.adders = 1;
  send(0, Op::kReduce, 0, 2);
  send(0, Op::kReduce, 1, 2);
  send(1, Op::kGather, 2, 0);
  send(1, Op::kGather, 2, 1);
  EXPECT_EQ(prove(), 2);
  std::swap(messages_[0].round, messages_[2].round);
  refuses("");
}

// In this ring, the first message of one flow is missing. The proof must refuse this flow and accept all
// others.
TEST(SumProof, FindsTheFlowWithAMissingContribution) {
  const Machine machine = torus({4});
  const Schedule schedule = machine.compile("ring", Collective::kAllReduce, 4096);
  std::vector<Message> messages = collect_messages(machine.topology, schedule);
  replay(schedule, messages);
  std::erase_if(messages, [](const Message& m) { return m.entry->step == 1 && m.entry->flow == 2; });
  const MessageGroups groups(schedule, messages);
  std::vector<int> additions(4, 0);
  for (const MessageGroup& group : groups.groups()) {
    Contributions proof(schedule, additions);
    const auto prove = [&] { proof.prove(group, lay_out(group, {})); };
    if (group.flows.front() == 2) {
      EXPECT_THAT(prove, ThrowsMessage<ScheduleError>(HasSubstr("the contribution of accelerator")));
    } else {
      EXPECT_NO_THROW(prove());
    }
  }
  additions.erase(additions.begin() + 2);
  EXPECT_THAT(additions, Each(3));
}

// The reference: represents each element as the set of its contributors and applies messages round by round.
// run() returns false if the proof must refuse the messages.
class SumsByHand {
 public:
  SumsByHand(int accelerators, int elements)
      : n_(accelerators), values_(static_cast<std::size_t>(accelerators * elements)) {
    for (int node = 0; node < n_; ++node) {
      for (int e = 0; e < elements; ++e) at(node, e) = {node};
    }
  }

  bool run(const std::vector<Message>& messages, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const auto before = values_;
      for (const Message& m : messages) {
        if (m.round != round) continue;
        for (Bytes byte = m.entry->address; byte < m.entry->address + m.entry->bytes; byte += 4) {
          const auto& value = before[place(m.src, static_cast<int>(byte / 4))];
          auto& here = at(m.dst, static_cast<int>(byte / 4));
          if (m.entry->op == Op::kReduce) {
            for (const int who : value) {
              if (!here.insert(who).second) return false;
            }
            continue;
          }
          if (value == here || !std::ranges::includes(value, here)) return false;
          here = value;
        }
      }
    }
    return std::ranges::all_of(
        values_, [&](const std::set<int>& value) { return static_cast<int>(value.size()) == n_; });
  }

 private:
  std::size_t place(int node, int element) const { return static_cast<std::size_t>(element * n_ + node); }
  std::set<int>& at(int node, int element) { return values_[place(node, element)]; }

  int n_;
  std::vector<std::set<int>> values_;
};

// An all-reduce over a random tree, most of the time with an error, is accepted if and only if its sums are
// correct.
RC_GTEST_FIXTURE_PROP(SumProofTest, AcceptsCorrectSums, ()) {
  const auto below = [](int n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); };
  const int n = 2 + below(4);
  const int elements = 1 + below(3);
  buffer(n, Collective::kAllReduce, Bytes{4} * elements);
  // Every accelerator except 0 sends to a parent with a lower number. Higher numbers send first, so a sum
  // includes those of all children.
  for (NodeId node = n - 1; node > 0; --node) {
    const NodeId parent = below(node);
    send(n - 1 - node, Op::kReduce, node, parent);
    send(n + node, Op::kGather, parent, node);
  }
  const bool spoilt = below(4) > 0;
  if (spoilt) {
    auto& message = messages_[static_cast<std::size_t>(below(static_cast<int>(messages_.size())))];
    auto& entry = const_cast<TableEntry&>(*message.entry);
    switch (below(5)) {
      case 0:
        message.round = below(2 * n);
        break;
      case 1:
        entry.op = entry.op == Op::kReduce ? Op::kGather : Op::kReduce;
        break;
      case 2:
        message.src = below(n);
        break;
      case 3:
        entry.address += 4 * below(elements);
        entry.bytes = 4 * (1 + below(static_cast<int>((schedule_.size - entry.address) / 4)));
        break;
      default:
        send(below(2 * n), Op::kReduce, below(n), below(n));
    }
  }
  const bool right = SumsByHand(n, elements).run(messages_, 2 * n);
  RC_ASSERT(spoilt || right);
  RC_TAG(right ? "right" : "wrong");
  bool accepted = true;
  try {
    RC_ASSERT(prove() >= 1);
  } catch (const ScheduleError&) {
    accepted = false;
  }
  RC_ASSERT(accepted == right);
}

}  // namespace
}  // namespace coppice::schedule
