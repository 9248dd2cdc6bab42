#include "base/record_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

namespace coppice {
namespace {

TEST(RecordStore, DoesNotMoveRecords) {
  RecordStore<int> store;
  Shelf<int> shelf(store);
  const std::uint64_t first = shelf.take();
  int* const place = &store[first];
  *place = 7;
  for (int i = 0; i < 10'000; ++i) store[shelf.take()] = i;
  EXPECT_EQ(&store[first], place);
  EXPECT_EQ(store[first], 7);
  shelf.release(first);
  EXPECT_EQ(shelf.take(), first);
}

TEST(RecordStore, EveryThreadHasItsOwnIdentities) {
  constexpr int kThreads = 4;
  constexpr int kRecords = 5'000;
  RecordStore<int> store;
  std::vector<std::vector<std::uint64_t>> taken(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&store, &mine = taken[static_cast<std::size_t>(t)], t] {
        Shelf<int> shelf(store);
        for (int i = 0; i < kRecords; ++i) {
          mine.push_back(shelf.take());
          store[mine.back()] = t;
        }
      });
    }
  }
  std::set<std::uint64_t> all;
  for (int t = 0; t < kThreads; ++t) {
    for (const std::uint64_t id : taken[static_cast<std::size_t>(t)]) {
      EXPECT_EQ(store[id], t);
      all.insert(id);
    }
  }
  EXPECT_EQ(all.size(), std::size_t{kThreads} * kRecords);
}

TEST(Shelf, ReusesFreeEntries) {
  RecordStore<int> store;
  Shelf<int> one(store);
  Shelf<int> other(store);
  constexpr std::uint64_t kMany = 100'000;
  // Records that one thread takes are released by another, and level() balances the free records.
  std::uint64_t largest = 0;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    const std::uint64_t id = one.take();
    largest = std::max(largest, id);
    other.release(id);
    Shelf<int>::level(one, other);
  }
  EXPECT_LT(largest, kMany / 5);
}

}  // namespace
}  // namespace coppice
