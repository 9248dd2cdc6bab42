#include "system/program/all_to_all.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "schedule/proof/replay.h"
#include "small_program.h"

namespace coppice::system {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

schedule::Schedule compiled(const SmallMachine& machine, Bytes bytes) {
  return compile_all_to_all(machine.loaded(), machine.topology(), machine.routing(), bytes).schedule;
}

std::string chosen(const std::string& algorithm) {
  return "collectives.all_to_all.algorithm=" + algorithm;
}

// Executes the tables by one rule only: an entry sends its block if its accelerator holds the block by then.
RC_GTEST_PROP(AllToAll, SendsEveryBlockToItsDestination, ()) {
  const auto algorithm =
      *rc::gen::element<std::string>("direct", "at_once", "pairwise", "ring", "hierarchical");
  const SmallMachine machine(
      *rc::gen::element<std::string>("kind: torus, dims: [4, 2]", "kind: mesh, dims: [2, 2, 2]",
                                     "kind: ring, dims: [4]", "kind: torus, dims: [2, 8]",
                                     "kind: hierarchy, dimensions: [{kind: ring, size: 4, links: 2, "
                                     "bandwidth: 16 GB/s, latency: 100 ns}, "
                                     "{kind: switch, size: 2, bandwidth: 8 GB/s, latency: 200 ns}]"),
      {chosen(algorithm)});
  const int n = machine.topology().num_accelerators();
  const Bytes bytes = 1 + *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Bytes>(0, 500));
  const schedule::Schedule schedule = compiled(machine, bytes);
  RC_ASSERT(schedule.algorithm == "all_to_all_" + algorithm);
  const Bytes block = schedule.size / (Bytes{n} * n);
  RC_ASSERT(block % 4 == 0);
  RC_ASSERT(block * n >= bytes);
  RC_ASSERT((block - 4) * n < bytes + 4);
  std::vector<schedule::Message> messages = schedule::collect_messages(machine.topology(), schedule);
  schedule::replay(schedule, messages);
  std::ranges::stable_sort(messages, {}, &schedule::Message::round);
  std::set<std::pair<int, topology::NodeId>> holds;  // pairs of a block and an accelerator that holds it
  for (int number = 0; number < n * n; ++number) holds.emplace(number, number / n);
  std::vector<std::pair<int, topology::NodeId>> arriving;
  std::int32_t round = 0;
  std::map<std::pair<int, topology::NodeId>, int> arrivals;
  for (const schedule::Message& message : messages) {
    if (message.round != round) {
      holds.insert(arriving.begin(), arriving.end());
      arriving.clear();
      round = message.round;
    }
    const auto number = static_cast<int>(message.entry->address / block);
    RC_ASSERT(message.entry->bytes == block);
    RC_ASSERT(holds.contains({number, message.src}));
    RC_ASSERT(++arrivals[std::pair(number, message.dst)] == 1);
    arriving.emplace_back(number, message.dst);
  }
  holds.insert(arriving.begin(), arriving.end());
  for (int number = 0; number < n * n; ++number) RC_ASSERT(holds.contains({number, number % n}));
  // The direct and pairwise algorithms move each block directly to its destination.
  if (algorithm == "direct" || algorithm == "pairwise") {
    RC_ASSERT(static_cast<int>(messages.size()) == n * (n - 1));
    RC_ASSERT(schedule.steps == n - 1);
  }
}

TEST(AllToAll, RejectsAlgorithmsThatDoNotFitTheNetwork) {
  const auto refuses = [](const std::string& topology, const std::string& algorithm,
                          const std::string& what) {
    const SmallMachine machine(topology, {chosen(algorithm)});
    EXPECT_THAT([&] { compiled(machine, 1024); }, ThrowsMessage<ConfigError>(HasSubstr(what)));
  };
  refuses("kind: ring, dims: [6]", "pairwise",
          "collectives.all_to_all.algorithm: pairwise needs a power-of-two number of accelerators, not 6");
  refuses("kind: fat_tree, dims: [4, 2]", "hierarchical", "moves blocks dimension by dimension");
}

TEST(AllToAll, VerifiesEveryBlock) {
  const SmallMachine machine("kind: ring, dims: [2]");
  const schedule::Schedule schedule =
      compiled(machine, 8);  // the blocks (0, 0), (0, 1), (1, 0) and (1, 1) of 4 bytes each
  const auto verification = make_all_to_all_verification(schedule);
  EXPECT_STREQ(verification->name(), "contributions");
  const auto refuses = [&](const std::string& what) {
    EXPECT_THAT([&] { verification->verify(); }, ThrowsMessage<ModelError>(HasSubstr(what)));
  };
  refuses("accelerator 0 holds nothing instead of the block from 1");
  const auto move = [&](topology::NodeId from, topology::NodeId to, Bytes address) {
    verification->memory(to).store(address, 4, verification->memory(from).copy(address, 4));
  };
  move(0, 1, 4);
  refuses("accelerator 0 holds nothing");
  move(1, 0, 8);
  EXPECT_NO_THROW(verification->verify());
  // Replaces the block that accelerator 0 received from accelerator 1 with its own.
  verification->memory(0).store(8, 4, verification->memory(0).copy(0, 4));
  refuses("accelerator 0 holds the block from 0 instead of the block from 1");
  EXPECT_THAT([&] { verification->memory(1).reduce(4, 4, {}); },
              ThrowsMessage<ModelError>(HasSubstr("data is added to block 1")));
}

}  // namespace
}  // namespace coppice::system
