#include "ni/messages/depacketizer.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "Vdepacketizer.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

constexpr unsigned kVcs = 4;
constexpr std::uint32_t kPayload = 12;  // words per packet

void put(VlWide<4>& flit, unsigned at, unsigned width, std::uint64_t value) {
  for (unsigned i = 0; i < width; ++i) {
    const std::uint32_t bit = 1U << ((at + i) % 32);
    flit[(at + i) / 32] = (value >> i) & 1 ? flit[(at + i) / 32] | bit : flit[(at + i) / 32] & ~bit;
  }
}

struct Packet {
  std::uint64_t message;
  bool add;
  std::uint32_t flow, address, words, total, tag, packets;
};

// Sends messages in packets on random virtual channels, so that packets overtake each other.
class Traffic {
 public:
  // A source reuses message numbers after 1 to 4 messages, even if earlier messages are incomplete.
  explicit Traffic(Stimulus& random) : random_(&random), same_(1 + random.below(4)) {}

  void add_message(std::uint32_t source) {
    const std::uint32_t words = 1 + random_->below(60);
    const std::uint32_t total = words + (random_->one_in(3) ? random_->below(20) : 0);
    Packet packet{next_,
                  random_->percent(50),
                  static_cast<std::uint32_t>(next_ % 1024),
                  random_->below((1 << 24) - 1000),
                  0,
                  0,
                  source * 4 + sequence_[source]++ % same_,
                  (total + kPayload - 1) / kPayload};
    packets_of[next_++] = packet.packets;
    for (std::uint32_t at = 0; at < total; at += kPayload) {
      packet.words = at < words ? std::min(kPayload, words - at) : 0;
      packet.total = std::min(kPayload, total - at);
      waiting_[random_->below(kVcs)].push_back(packet);
      packet.address += packet.words;
    }
  }
  // The next flit to send, of a random virtual channel that has flits.
  struct Flit {
    unsigned vc;
    bool head, tail;
    Packet packet;
    std::uint32_t index;  // index of the flit in its packet
  };
  std::optional<Flit> draw() {
    const unsigned from = random_->below(kVcs);
    for (unsigned i = 0; i < kVcs; ++i) {
      const unsigned vc = (from + i) % kVcs;
      if (waiting_[vc].empty()) continue;
      const Packet packet = waiting_[vc].front();
      const std::uint32_t flits = 1 + (packet.total + 3) / 4;
      const std::uint32_t index = sent_[vc]++;
      if (index + 1 == flits) {
        sent_[vc] = 0;
        waiting_[vc].pop_front();
      }
      return Flit{vc, index == 0, index + 1 == flits, packet, index - 1};
    }
    return std::nullopt;
  }
  std::map<std::uint64_t, std::int64_t> packets_of;

 private:
  Stimulus* random_;
  std::uint32_t same_;
  std::uint64_t next_ = 0;
  std::array<std::uint32_t, 4> sequence_{};
  std::array<std::deque<Packet>, kVcs> waiting_;
  std::array<std::uint32_t, kVcs> sent_{};
};

TEST(Depacketizer, ReportsArrivalsAndDataLikeTheModel) {
  Clocked<Vdepacketizer> rtl;
  Stimulus random(15);
  auto traffic = std::make_unique<Traffic>(random);
  std::optional<std::uint64_t> arrived;
  std::unique_ptr<ni::Depacketizer> model;
  const auto begin = [&] {
    traffic = std::make_unique<Traffic>(random);
    model = std::make_unique<ni::Depacketizer>(
        [&](std::uint64_t id) {
          return ni::Depacketizer::Size{traffic->packets_of.at(id), 0};
        },
        [&](std::uint64_t id, Cycles) { arrived = id; });
  };
  begin();
  std::uint32_t source = 0;
  for (Cycles now = 0; now < 50'000; ++now) {
    if (random.one_in(30) && model->incomplete() < 4) traffic->add_message(source++ % 3);
    const auto flit = random.percent(80) ? traffic->draw() : std::nullopt;
    rtl->valid_i = flit ? 1U << flit->vc : 0;
    arrived.reset();
    if (flit) {
      rtl->head_i = flit->head;
      rtl->tail_i = flit->tail;
      for (unsigned lane = 0; lane < 4; ++lane) rtl->flit_i[lane] = random.word();
      if (flit->head) {
        put(rtl->flit_i, 0, 1, flit->packet.add);
        put(rtl->flit_i, 1, 10, flit->packet.flow);
        put(rtl->flit_i, 11, 24, flit->packet.address);
        put(rtl->flit_i, 35, 20, flit->packet.words);
        put(rtl->flit_i, 55, 12, flit->packet.tag);
        put(rtl->flit_i, 67, 14, flit->packet.packets);
      }
      if (flit->tail) {
        fabric::Packet packet;
        packet.tag = flit->packet.message;
        model->packet_ejected(packet, now);
      }
    }
    rtl.settle();
    ASSERT_EQ(rtl->arrived_o, arrived.has_value()) << "cycle " << now;
    if (arrived) {
      ASSERT_EQ(rtl->arrived_flow_o, flit->packet.flow);
      ASSERT_EQ(rtl->arrived_add_o, flit->packet.add);
      ASSERT_EQ(rtl->arrived_store_o, !flit->packet.add);
    }
    const bool data = flit && !flit->head && flit->index * 4 < flit->packet.words;
    ASSERT_EQ(rtl->data_valid_o, data) << "cycle " << now;
    if (data) {
      ASSERT_EQ(rtl->data_address_o, flit->packet.address + flit->index * 4);
      ASSERT_EQ(rtl->data_add_o, flit->packet.add);
      const std::uint32_t left = flit->packet.words - flit->index * 4;
      ASSERT_EQ(rtl->data_lanes_o, left >= 4 ? 15U : (1U << left) - 1);
      for (unsigned lane = 0; lane < 4; ++lane) ASSERT_EQ(rtl->data_o[lane], rtl->flit_i[lane]);
    }
    ASSERT_EQ(rtl->overflow_o, 0);
    if (random.one_in(3000)) {
      rtl.reset();
      begin();
      continue;
    }
    rtl.tick();
  }
}

TEST(Depacketizer, ReportsMoreIncompleteMessagesThanItCanHold) {
  Clocked<Vdepacketizer> rtl;
  for (std::uint32_t tag = 0; tag < 9; ++tag) {
    rtl->valid_i = 1;
    for (const bool tail : {false, true}) {
      rtl->head_i = !tail;
      rtl->tail_i = tail;
      put(rtl->flit_i, 35, 20, 4);
      put(rtl->flit_i, 55, 12, tag);
      put(rtl->flit_i, 67, 14, 2);
      rtl.settle();
      EXPECT_EQ(rtl->overflow_o, 0);
      rtl.tick();
    }
  }
  rtl.settle();
  EXPECT_EQ(rtl->overflow_o, 1);
}

}  // namespace
}  // namespace coppice::cosim
