#include <array>
#include <deque>
#include <numeric>

#include <gtest/gtest.h>

#include "Vcredit_return.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

constexpr int kVcs = 4;
constexpr int kCredits = 3;
constexpr int kQueue = 16;

// A credit_return block between a router that sends whenever it has free slots and a queue that drains at
// random.
class Bench {
 public:
  explicit Bench(std::uint64_t seed) : random_(seed) { begin(); }

  void begin() {
    rtl_->flit_valid_i = 0;
    rtl_->waiting_i = 0;
    rtl_.reset();
    places_.fill(kCredits);
    held_.fill(0);
    waiting_ = 0;
    last_ = kVcs - 1;
  }

  // Runs one cycle. `sends` and `drains` are the percentages of cycles in which a flit is sent or leaves the
  // queue.
  void step(std::uint32_t sends, std::uint32_t drains) {
    const auto vc = random_.below(kVcs);
    const bool flit = places_[vc] > 0 && random_.percent(sends);
    rtl_->flit_valid_i = flit ? 1U << vc : 0;
    rtl_->waiting_i = static_cast<CData>(waiting_);
    if (flit) --places_[vc];
    rtl_.settle();
    const unsigned given = rtl_->credit_o;
    const int held = std::accumulate(held_.begin(), held_.end(), 0);
    const int out =
        kVcs * kCredits - held;  // the slots that the router may still use, plus that of this cycle's flit
    ASSERT_EQ(rtl_->owes_o, held > 0);
    if (out + waiting_ >= kQueue) {
      ASSERT_EQ(given, 0U) << "the queue might overflow";
    } else if (held == 0) {
      ASSERT_EQ(given, flit ? 1U << vc : 0U) << "returned at once if the queue has room";
    } else {
      do last_ = (last_ + 1) % kVcs;
      while (held_[last_] == 0);
      ASSERT_EQ(given, 1U << last_) << "the next held credit";
    }
    if (flit) ++held_[vc];
    for (unsigned v = 0; v < kVcs; ++v) {
      if (((given >> v) & 1) == 0) continue;
      ASSERT_GT(held_[v], 0) << "virtual channel " << v;
      --held_[v];
      ++places_[v];
      longest_[v] = 0;
    }
    for (unsigned v = 0; v < kVcs; ++v) {
      longest_[v] = held_[v] > 0 && given != 0 ? longest_[v] + 1 : 0;
      ASSERT_LE(longest_[v], kVcs) << "virtual channel " << v << " starves";
    }
    if (waiting_ > 0 && random_.percent(drains)) --waiting_;
    if (flit) ++waiting_;
    ASSERT_LE(waiting_, kQueue);
    full_ += waiting_ == kQueue;
    held_back_ += held > 0;
    rtl_.tick();
  }
  bool one_in(std::uint32_t many) { return random_.one_in(many); }
  std::uint32_t share() { return random_.below(101); }
  int full() const { return full_; }
  int held_back() const { return held_back_; }
  // Once the queue is empty, all held credits must be returned.
  bool comes_to_rest() {
    for (int cycle = 0; cycle < kVcs * kCredits + kQueue; ++cycle) step(0, 100);
    return std::accumulate(places_.begin(), places_.end(), 0) == kVcs * kCredits;
  }

 private:
  Clocked<Vcredit_return> rtl_;
  Stimulus random_;
  std::array<int, kVcs> places_{};
  std::array<int, kVcs> held_{};
  std::array<int, kVcs> longest_{};
  unsigned last_ = kVcs - 1;  // the virtual channel of the held credit that was returned last
  int waiting_ = 0;
  int full_ = 0;
  int held_back_ = 0;
};

TEST(CreditReturn, NeverOverflowsTheQueueAndReturnsAllCredits) {
  Bench bench(33);
  std::uint32_t sends = 100;
  std::uint32_t drains = 0;
  for (int cycle = 0; cycle < 60'000 && !testing::Test::HasFatalFailure(); ++cycle) {
    if (cycle % 100 == 0) {
      sends = bench.share();
      drains = bench.share();
    }
    bench.step(sends, drains);
    if (bench.one_in(5000)) {
      ASSERT_TRUE(bench.comes_to_rest());
    }
    if (bench.one_in(5000)) bench.begin();
  }
  EXPECT_GT(bench.full(), 100);
  EXPECT_GT(bench.held_back(), 100);
}

}  // namespace
}  // namespace coppice::cosim
