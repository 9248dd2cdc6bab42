#include "fabric/flits/injection_port.h"

#include <array>

#include <gtest/gtest.h>

#include "Vinjection_port.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

constexpr int kVcs = 4;

// Offers packets of random length, with pauses between them.
class Source final : public fabric::Injector {
 public:
  explicit Source(Stimulus& random) : random_(&random) {}
  void draw() {
    if (left_ == 0 && random_->percent(60)) left_ = flits_ = 2 + random_->below(20);
  }
  Answer next_packet(Cycles, fabric::Packet& packet) override {
    if (left_ == 0) return Answer::kPollAgain;
    packet.flits = flits_;
    return Answer::kPacket;
  }
  void packet_injected(const fabric::Packet&, Cycles) override {}
  bool has_flit() const { return left_ > 0; }
  bool head() const { return left_ == flits_; }
  void sent() { --left_; }

 private:
  Stimulus* random_;
  std::uint32_t flits_ = 0;
  std::uint32_t left_ = 0;
};

// Compares the Verilog, which has four virtual channels, with a model of `vcs` virtual channels. The other
// channels have no buffer slots.
void compare(int vcs, int depth, std::uint64_t seed) {
  Clocked<Vinjection_port> rtl;
  Stimulus random(seed);
  std::unique_ptr<Source> source;
  std::unique_ptr<fabric::InjectionPort> model;
  fabric::PacketPool packets;
  std::array<int, kVcs> out{};  // outstanding credits of each virtual channel
  const auto begin = [&] {
    source = std::make_unique<Source>(random);
    model = std::make_unique<fabric::InjectionPort>(vcs, depth, kFemtosecondsPerNanosecond);
    model->connect(*source);
    out = {};
    rtl->load_i = 1;
    rtl->credits_i = 0;
    for (int vc = 0; vc < vcs; ++vc) rtl->credits_i |= std::uint64_t(depth) << (10 * vc);
    rtl->credit_i = 0;
    rtl->flit_valid_i = 0;
    rtl.tick();
    rtl->load_i = 0;
  };
  begin();
  std::uint32_t credit_share = 50;
  for (Cycles now = 0; now < 50'000; ++now) {
    if (now % 200 == 0) credit_share = random.below(101);
    rtl->credit_i = 0;
    for (int vc = 0; vc < vcs; ++vc) {
      if (out[vc] == 0 || !random.percent(credit_share)) continue;
      --out[vc];
      rtl->credit_i |= static_cast<std::uint8_t>(1U << vc);
      model->receive_credit(vc);
    }
    source->draw();
    rtl->flit_valid_i = source->has_flit();
    rtl->flit_head_i = source->head();
    const auto outcome = model->step(now, packets);
    rtl.settle();
    ASSERT_EQ(rtl->flit_taken_o, outcome.sent) << "cycle " << now;
    if (outcome.sent) {
      ASSERT_EQ(rtl->vc_o, outcome.vc) << "cycle " << now;
      ++out[outcome.vc];
      source->sent();
    }
    rtl.tick();
    if (random.one_in(1000)) {
      rtl.reset();
      begin();
    }
  }
}

TEST(InjectionPort, UsesTheModelsVirtualChannels) {
  compare(4, 16, 11);
}
TEST(InjectionPort, UsesTheModelsVirtualChannelsWithOneSlotEach) {
  compare(4, 1, 12);
}
TEST(InjectionPort, IgnoresVirtualChannelsThatDoNotExist) {
  compare(3, 5, 13);
}
TEST(InjectionPort, CountsDeepBuffers) {
  compare(2, 1023, 14);
}

// After a reset, the port begins with the first virtual channel, whatever it sent before.
TEST(InjectionPort, StartsWithTheFirstVirtualChannelAfterAReset) {
  for (std::uint32_t packets = 0; packets < kVcs; ++packets) {
    Clocked<Vinjection_port> rtl;
    rtl->load_i = 1;
    rtl->credits_i = 1 | 1 << 10 | 1 << 20 | std::uint64_t{1} << 30;
    rtl->credit_i = 0;
    rtl->flit_valid_i = 0;
    rtl.tick();
    rtl->load_i = 0;
    rtl->flit_valid_i = 1;
    rtl->flit_head_i = 1;
    for (std::uint32_t packet = 0; packet < packets; ++packet) rtl.tick();
    rtl->flit_valid_i = 0;
    rtl.reset();
    rtl->credit_i = 0xf;
    rtl->flit_valid_i = 1;
    rtl.settle();
    EXPECT_EQ(rtl->flit_taken_o, 1);
    EXPECT_EQ(rtl->vc_o, 0) << "after " << packets << " packets";
  }
}

}  // namespace
}  // namespace coppice::cosim
