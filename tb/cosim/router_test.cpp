#include "fabric/flits/router.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "Vrouter.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

constexpr int kPorts = 5;
constexpr int kVcs = 4;
constexpr int kDepth = 16;
constexpr unsigned kRouteAt = 81;
constexpr unsigned kRouteBits = 42;
constexpr unsigned kHopBits = 7;

// Records the model's outputs of one cycle.
class Environment final : public fabric::RouterEnvironment {
 public:
  struct Sent {
    int vc;
    fabric::Flit flit;
  };
  fabric::RouteDecision route(topology::NodeId, fabric::PacketId packet) override {
    return {hops.at(packet), true};
  }
  void send_flit(topology::NodeId, int out_port, int vc, fabric::Flit flit) override {
    sent[out_port] = {vc, flit};
  }
  void send_credit(topology::NodeId, int in_port, int vc) override { credits |= 1U << (in_port * kVcs + vc); }

  std::vector<topology::Hop> hops;  // the hop of each packet at this router
  std::map<int, Sent> sent;
  std::uint32_t credits = 0;
};

using FlitWords = std::array<std::uint32_t, 4>;

// Offers packets on all input virtual channels as far as credits permit, and compares the Verilog router with
// the model.
class Bench {
 public:
  Bench(std::uint64_t seed, int outputs, std::uint32_t longest)
      : random_(seed), outputs_(outputs), longest_(longest) {
    begin();
  }

  void begin() {
    rtl_->credits_i = 0;
    for (int port = 0; port < kPorts; ++port) rtl_->credits_i |= kDepth << (5 * port);
    rtl_.reset();
    environment_ = std::make_unique<Environment>();
    config::RouterConfig config;
    config.vcs = kVcs;
    config.vc_depth = kDepth;
    model_ = std::make_unique<fabric::Router>(0, kPorts, config, std::vector<fabric::OutputRate>(kPorts),
                                              kFemtosecondsPerNanosecond, *environment_);
    places_.fill(kDepth);
    under_way_.fill(0);
    left_.fill(0);
  }

  void run(Cycles cycles) {
    for (Cycles now = 0; now < cycles && !testing::Test::HasFatalFailure(); ++now) {
      if (now % 200 == 0) {
        flit_share_ = random_.below(101);
        credit_share_ = random_.below(101);
      }
      give_flits(now);
      give_credits();
      environment_->sent.clear();
      environment_->credits = 0;
      model_->step(now);
      rtl_.settle();
      compare_credits(now);
      rtl_.tick();
      rtl_.settle();  // flits that won the switch appear at the outputs
      compare_flits(now);
      if (random_.one_in(3000)) {
        begin();
      }
    }
  }

 private:
  void give_flits(Cycles now) {
    rtl_->flit_valid_i = rtl_->flit_head_i = rtl_->flit_tail_i = 0;
    for (int port = 0; port < kPorts; ++port) {
      const auto vc = static_cast<int>(random_.below(kVcs));
      const auto input = static_cast<std::size_t>(port * kVcs + vc);
      if (places_[input] == 0 || !random_.percent(flit_share_)) continue;
      const bool head = left_[input] == 0;
      if (head) start_packet(input);
      const fabric::Flit flit{packet_[input], length_[input] - left_[input], left_[input] == 1 ? 1U : 0U};
      --left_[input];
      --places_[input];
      model_->receive_flit(port, vc, flit, now);
      rtl_->flit_valid_i |= 1U << (port * kVcs + vc);
      if (head) rtl_->flit_head_i |= 1U << port;
      if (flit.tail) rtl_->flit_tail_i |= 1U << port;
      auto* words = &rtl_->flit_i[static_cast<std::size_t>(4 * port)];
      words[0] = flit.packet;
      words[1] = flit.sequence;
      const topology::Hop& hop = environment_->hops[flit.packet];
      const unsigned code = hop.out_port | (static_cast<unsigned>(hop.vcs.begin) << 3) |
                            ((static_cast<unsigned>(hop.vcs.end) - 1) << 5);
      words[2] =
          head ? code << (kRouteAt - 64) | (random_.word() << (kRouteAt - 64 + kHopBits)) : random_.word();
      words[3] = random_.word();
      FlitWords& expected = under_way_words_[{flit.packet, flit.sequence}];
      std::copy_n(words, expected.size(), expected.begin());
      if (head) move_route(expected);
    }
  }
  // Removes the first hop from the route in a head flit, as the router does.
  static void move_route(FlitWords& words) {
    constexpr unsigned kLow = 32 - (kRouteAt - 64);  // number of bits of the route in the third word
    constexpr std::uint64_t kMask = (std::uint64_t{1} << kRouteBits) - 1;
    std::uint64_t route =
        ((std::uint64_t{words[2]} >> (kRouteAt - 64)) | (std::uint64_t{words[3]} << kLow)) & kMask;
    route >>= kHopBits;
    words[2] =
        (words[2] & ((1U << (kRouteAt - 64)) - 1)) | static_cast<std::uint32_t>(route << (kRouteAt - 64));
    words[3] = (words[3] & ~((1U << (kRouteBits - kLow)) - 1)) | static_cast<std::uint32_t>(route >> kLow);
  }
  void start_packet(std::size_t input) {
    length_[input] = left_[input] = 1 + random_.below(longest_);
    packet_[input] = static_cast<fabric::PacketId>(environment_->hops.size());
    const auto begin = static_cast<int>(random_.below(kVcs));
    const auto end = begin + 1 + static_cast<int>(random_.below(static_cast<std::uint32_t>(kVcs - begin)));
    topology::Hop hop;
    hop.out_port = static_cast<decltype(hop.out_port)>(random_.below(static_cast<std::uint32_t>(outputs_)));
    hop.vcs.begin = static_cast<decltype(hop.vcs.begin)>(random_.percent(50) ? 0 : begin);
    hop.vcs.end = static_cast<decltype(hop.vcs.end)>(random_.percent(50) ? kVcs : end);
    environment_->hops.push_back(hop);
  }
  void give_credits() {
    rtl_->credit_i = 0;
    for (int output = 0; output < kPorts * kVcs; ++output) {
      if (under_way_[static_cast<std::size_t>(output)] == 0 || !random_.percent(credit_share_)) continue;
      --under_way_[static_cast<std::size_t>(output)];
      model_->receive_credit(output / kVcs, output % kVcs);
      rtl_->credit_i |= 1U << output;
    }
  }
  void compare_credits(Cycles now) {
    ASSERT_EQ(rtl_->credit_o, environment_->credits) << "cycle " << now;
    for (std::size_t input = 0; input < places_.size(); ++input) {
      if ((environment_->credits >> input) & 1) ++places_[input];
    }
  }
  void compare_flits(Cycles now) {
    for (int port = 0; port < kPorts; ++port) {
      const auto sent = environment_->sent.find(port);
      ASSERT_EQ((rtl_->flit_valid_o >> port) & 1, sent != environment_->sent.end()) << "cycle " << now;
      if (sent == environment_->sent.end()) continue;
      const fabric::Flit& flit = sent->second.flit;
      ASSERT_EQ((rtl_->flit_vc_o >> (2 * port)) & 3, sent->second.vc) << "cycle " << now;
      ASSERT_EQ((rtl_->flit_head_o >> port) & 1, flit.is_head());
      ASSERT_EQ((rtl_->flit_tail_o >> port) & 1, flit.tail);
      const auto expected = under_way_words_.find({flit.packet, flit.sequence});
      ASSERT_NE(expected, under_way_words_.end());
      for (std::size_t word = 0; word < expected->second.size(); ++word) {
        ASSERT_EQ(rtl_->flit_o[static_cast<std::size_t>(4 * port) + word], expected->second[word])
            << "cycle " << now << " word " << word;
      }
      under_way_words_.erase(expected);
      ++under_way_[static_cast<std::size_t>(port * kVcs + sent->second.vc)];
    }
  }

  Clocked<Vrouter> rtl_;
  Stimulus random_;
  int outputs_;
  std::uint32_t longest_;
  std::unique_ptr<Environment> environment_;
  std::unique_ptr<fabric::Router> model_;
  std::uint32_t flit_share_ = 0;
  std::uint32_t credit_share_ = 0;
  std::array<int, kPorts * kVcs> places_{};
  std::array<int, kPorts * kVcs> under_way_{};
  std::array<std::uint32_t, kPorts * kVcs> left_{};
  std::array<std::uint32_t, kPorts * kVcs> length_{};
  std::array<fabric::PacketId, kPorts * kVcs> packet_{};
  // The expected contents of all flits in the router, keyed by packet and sequence number.
  std::map<std::pair<fabric::PacketId, std::uint32_t>, FlitWords> under_way_words_;
};

TEST(Router, SendsTheModelsFlitsInTheModelsCycles) {
  Bench(30, kPorts, 20).run(30'000);
}
TEST(Router, SendsTheModelsShortPackets) {
  Bench(31, kPorts, 2).run(30'000);
}
TEST(Router, ServesABusyOutputLikeTheModel) {
  Bench(32, 1, 6).run(30'000);
}

}  // namespace
}  // namespace coppice::cosim
