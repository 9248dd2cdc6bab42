#include "schedule/proof/proof_cache.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "machine.h"
#include "schedule/proof/check_report.h"
#include "schedule/proof/data_proof.h"

namespace coppice::schedule {
namespace {

using testing::ElementsAre;

// Two chunks that use the same tree. Only the first is recorded as proven, with 5 additions.
class ProofCacheTest : public testing::Test {
 protected:
  std::vector<Message> replayed() const {
    std::vector<Message> messages = collect_messages(machine_.topology, schedule_);
    replay(schedule_, messages);
    return messages;
  }
  // Applies `change` to a message of the second chunk, and then looks up the chunk in the cache. A
  // reduce-scatter needs `shares`.
  std::optional<std::vector<int>> found(const std::function<void(Message&)>& change = {},
                                        const std::vector<Share>& shares = {}) {
    std::vector<Message> messages = replayed();
    if (change) {
      change(*std::ranges::find_if(messages, [](const Message& m) { return m.entry->flow == 1; }));
    }
    const MessageGroups groups(schedule_, messages);
    EXPECT_EQ(groups.groups().size(), 2U);
    ProvenGroups known(schedule_);
    EXPECT_FALSE(known.find(groups.groups()[0], shares).has_value());
    known.add(groups.groups()[0], lay_out(groups.groups()[0], shares), {5});
    return known.find(groups.groups()[1], shares);
  }
  // Like found(), but applies `change` to the message's table entry.
  std::optional<std::vector<int>> found_with(const std::function<void(TableEntry&)>& change) {
    TableEntry changed;
    return found([&](Message& message) {
      changed = *message.entry;
      change(changed);
      message.entry = &changed;
    });
  }
  static CompileRequest two_chunks(CompileRequest request) {
    request.chunks = 2;
    return request;
  }

  Machine machine_ = torus({4});
  Schedule schedule_ = make_compiler("tree")->compile(
      machine_.topology, two_chunks(machine_.request(Collective::kAllReduce, 4096)));
};

TEST_F(ProofCacheTest, AChunkRepresentsOthersWithTheSameMessages) {
  const auto additions = found();
  ASSERT_TRUE(additions.has_value());
  EXPECT_THAT(*additions, ElementsAre(5));
}

TEST_F(ProofCacheTest, NoChunkRepresentsOtherMessages) {
  EXPECT_FALSE(found([](Message& m) { ++m.dst; }));
  EXPECT_FALSE(found([](Message& m) { ++m.src; }));
  EXPECT_FALSE(found([](Message& m) { ++m.arrival; }));
  EXPECT_FALSE(found_with([](TableEntry& e) { e.op = e.op == Op::kReduce ? Op::kGather : Op::kReduce; }));
  EXPECT_FALSE(found_with([](TableEntry& e) { ++e.dependencies; }));
  EXPECT_FALSE(found_with([](TableEntry& e) { ++e.parent; }));
  EXPECT_FALSE(found_with([](TableEntry& e) { e.children.push_back(2); }));
  EXPECT_FALSE(found_with([](TableEntry& e) { e.bytes -= 4; }));
  EXPECT_FALSE(found_with([](TableEntry& e) {
    e.address += 4;
    e.bytes -= 4;
  }));
  // Proofs do not depend on these fields, so chunks that differ in them are equivalent.
  EXPECT_TRUE(found_with([](TableEntry& e) { ++e.step; }));
  EXPECT_TRUE(found([](Message& m) { m.ejection_port = 3; }));
}

// In a ring, each chunk starts at another accelerator, so no chunk's proof covers another chunk.
TEST_F(ProofCacheTest, ChunksOfARingRepresentNoOthers) {
  schedule_ = machine_.compile("ring", Collective::kAllReduce, 4096);
  const std::vector<Message> messages = replayed();
  const MessageGroups groups(schedule_, messages);
  ProvenGroups known(schedule_);
  for (const MessageGroup& group : groups.groups()) {
    EXPECT_FALSE(known.find(group, {}).has_value());
    known.add(group, lay_out(group, {}), {3});
  }
  EXPECT_TRUE(known.find(groups.groups()[3], {}).has_value());
}

// Chunks are equivalent only if the same messages share a round, since all messages of a round leave before
// any of them arrives.
TEST_F(ProofCacheTest, RoundsMustAgree) {
  std::vector<Message> messages = replayed();
  for (Message& message : messages) {
    if (message.entry->flow == 1) message.round *= 2;
  }
  EXPECT_TRUE(found());
  const MessageGroups spread(schedule_, messages);
  ProvenGroups known(schedule_);
  EXPECT_FALSE(known.find(spread.groups()[0], {}));
  known.add(spread.groups()[0], lay_out(spread.groups()[0], {}), {5});
  EXPECT_TRUE(known.find(spread.groups()[1], {}).has_value());
  std::int32_t next = 0;
  for (Message& message : messages) {
    if (message.entry->flow == 1) message.round = next++;
  }
  const MessageGroups apart(schedule_, messages);
  EXPECT_FALSE(known.find(apart.groups()[1], {}).has_value());
}

TEST_F(ProofCacheTest, NothingIsCachedInLockstep) {
  schedule_.ordered_by_lockstep = true;
  EXPECT_FALSE(found().has_value());
}

TEST_F(ProofCacheTest, SharesMustHaveTheSameOwners) {
  EXPECT_TRUE(found({}, {{{0, 2048}, 1}, {{2048, 2048}, 1}}));
  // The first chunk contains a share boundary where the second chunk has none, so the chunks are not
  // equivalent.
  EXPECT_FALSE(found({}, {{{0, 1024}, 1}, {{1024, 1024}, 1}, {{2048, 2048}, 1}}));
  EXPECT_FALSE(found({}, {{{0, 2048}, 1}, {{2048, 2048}, 2}}));
  EXPECT_FALSE(found({}, {{{0, 2048}, 1}, {{2048, 1024}, 1}, {{3072, 1024}, 2}}));
}

// Looks up the pieces of a tree, most of the time with one wrong entry. Cached numbers of additions must
// equal those that a separate proof of the piece finds.
RC_GTEST_PROP(ProofCache, KnownAdditionsAreThoseOfAProof, ()) {
  const Machine machine = random_machine(3);
  CompileRequest request = machine.request(Collective::kAllReduce, 4 * *rc::gen::inRange<Bytes>(8, 60));
  request.chunks = *rc::gen::inRange(2, 5);
  RC_PRE(machine.topology.num_accelerators() > 1);
  Schedule schedule = make_compiler("tree")->compile(machine.topology, request);
  const auto below = [](std::size_t n) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, n));
  };
  auto& ports = schedule.nodes[below(schedule.nodes.size())].ports;
  auto& table = ports[below(ports.size())].entries();
  if (!table.empty() && below(3) > 0) {
    TableEntry& entry = table[below(table.size())];
    if (entry.op != Op::kNop) entry.dependencies += *rc::gen::element(-1, 1);
  }
  std::vector<Message> messages;
  try {
    messages = collect_messages(machine.topology, schedule);
    replay(schedule, messages);
  } catch (const ScheduleError&) {
    RC_DISCARD("stuck");
  }
  const MessageGroups groups(schedule, messages);
  ProvenGroups known(schedule);
  for (const MessageGroup& group : groups.groups()) {
    std::vector<Message> own;
    for (const Message* message : group.messages) own.push_back(*message);
    const std::int32_t flow = group.flows.front();
    RC_ASSERT(group.flows.size() == 1U);
    std::optional<int> proven;
    try {
      proven = prove_flow(schedule, own);
    } catch (const ScheduleError&) {
      proven.reset();
    }
    const auto additions = known.find(group, {});
    RC_TAG(additions ? "known" : "new", proven ? "right" : "wrong");
    if (additions) {
      RC_ASSERT(additions->front() == proven.value_or(-1));
    } else if (proven) {
      known.add(group, lay_out(group, {}), {*proven});
    }
    RC_ASSERT(flow < schedule.flows);
  }
}

}  // namespace
}  // namespace coppice::schedule
