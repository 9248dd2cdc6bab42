// Tests rtl/ni/ni_port.v with one context: the signals between its table, counters and decoder.
#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

#include "Vni_port.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

constexpr unsigned kFlow = 0x2ad;       // uses all of the 10 bits
constexpr unsigned kStep = 0x9123;      // uses all of the 16 bits
constexpr unsigned kFlits = 0x91'2345;  // uses all of the 24 bits
constexpr unsigned kFlowStride = 0x40;
constexpr unsigned kStepStride = 0x1111;
constexpr unsigned kIterations = 4;

class Port {
 public:
  Port() {
    rtl_->now_i = 0;
    rtl_->lockstep_i = 1;
    rtl_->absorbs_i = 0;
    rtl_->dma_latency_i = 4;
    rtl_->payload_words_i = 64;
    rtl_->flow_stride_i = kFlowStride;
    rtl_->step_stride_i = kStepStride;
    rtl_->satisfied_i = 1;
  }

  // Loads a nop with several iterations, whose fields use every bit.
  void load_nop(unsigned iterations) {
    unsigned at = 0;
    const auto put = [&](std::uint64_t value, unsigned width) {
      for (unsigned bit = 0; bit < width; ++bit, ++at) {
        if ((value >> bit) & 1) rtl_->load_line_i[at / 32] |= 1U << (at % 32);
      }
    };
    std::fill_n(&rtl_->load_line_i[0], 7, 0);
    put(2, 2);
    put(kFlow, 10);
    put(0, 10);
    put(kStep, 16);
    put(0, 24);
    put(0, 20);
    put(0, 20);
    put(kFlits, 24);
    put(1, 14);
    put(0, 42);
    put(0, 10);
    put(iterations, 10);
    rtl_->load_index_i = 0;
    rtl_->load_valid_i = 1;
    step();
    rtl_->load_valid_i = 0;
    rtl_->lines_i = 1;
    rtl_->count_i = iterations;
    rtl_->start_i = 1;
    step();
    rtl_->start_i = 0;
  }
  void step() {
    rtl_.tick();
    ++rtl_->now_i;
    rtl_.settle();
  }
  // Advances time to the cycle before `cycle`.
  void wait_until(std::uint32_t cycle) {
    rtl_->now_i = cycle - 1;
    rtl_.settle();
  }
  const Vni_port& state() { return *rtl_.operator->(); }

 private:
  Clocked<Vni_port> rtl_;
};

TEST(NiPort, ReportsFlowStepAndTimeOfEachIteration) {
  Port port;
  port.load_nop(kIterations);
  for (unsigned iteration = 0; iteration < kIterations; ++iteration) {
    EXPECT_EQ(port.state().query_flow_o, kFlow + iteration * kFlowStride);
    int waits = 0;
    while (port.state().issued_o == iteration && waits < 5) {
      port.step();
      ++waits;
    }
    ASSERT_EQ(port.state().issued_o, iteration + 1);
    EXPECT_EQ(port.state().timestep_o, kStep + iteration * kStepStride);
    // The nop was issued in the previous cycle. In the lockstep, it lasts kFlits cycles.
    const std::uint32_t release = port.state().now_i - 1 + kFlits;
    EXPECT_EQ(port.state().release_o, release);
    EXPECT_EQ(port.state().lockstep_o, kFlits - 1);
    port.wait_until(release);
    port.step();
    EXPECT_EQ(port.state().issued_o, iteration + 1) << "before its time";
  }
  EXPECT_EQ(port.state().ended_o, 1);
}

}  // namespace
}  // namespace coppice::cosim
