#include "schedule/all_to_all/all_to_all.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "machine.h"

namespace coppice::schedule {
namespace {

// The automatic choice must know the number of messages of each algorithm without building its tables.
TEST(AllToAll, CountsMessagesBeforeTheyAreCreated) {
  for (const Machine& machine :
       {torus({4, 2}), torus({5, 3}), torus({2, 2, 2}), mesh({3, 4}), mesh({8}), dgx1(), fat_tree({4, 2})}) {
    for (const AllToAllAlgorithm& algorithm : all_to_all_algorithms()) {
      try {
        const BlockExchange exchange = algorithm.exchange(machine.topology, 64);
        EXPECT_EQ(static_cast<double>(exchange.sends.size()) / exchange.parts,
                  algorithm.messages(machine.topology))
            << machine.topology.name() << algorithm.name;
      } catch (const UnsupportedError& error) {
        EXPECT_THAT(algorithm.name, testing::AnyOf("pairwise", "hierarchical", "pxn", "balanced"))
            << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace coppice::schedule
