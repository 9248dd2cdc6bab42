#include "ni/messages/packetizer.h"

#include <gtest/gtest.h>

#include "Vpacketizer.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

constexpr std::uint32_t kWords = 1U << 20;

// Sends the packets of the model flit by flit, like an injection channel.
class ModelPort {
 public:
  explicit ModelPort(const fabric::Framing& framing) : packetizer(framing) {
    packetizer.on_head_injected = [](std::uint64_t, Cycles) {};
    packetizer.on_tail_injected = [](std::uint64_t, Cycles) {};
  }
  bool has_flit(Cycles now) {
    if (!in_packet) in_packet = packetizer.next_packet(now, packet) == fabric::Injector::Answer::kPacket;
    return in_packet;
  }
  bool head() const { return sent == 0; }
  bool tail() const { return sent + 1 == packet.flits; }
  void take(Cycles now) {
    ++sent;
    if (sent < packet.flits) return;
    packetizer.packet_injected(packet, now);
    in_packet = false;
    sent = 0;
  }

  ni::Packetizer packetizer;
  fabric::Packet packet;
  bool in_packet = false;
  std::uint32_t sent = 0;
};

struct Sent {
  std::uint32_t address, words, total;  // describe the part of the message that has not been sent
  bool add;
  std::uint32_t flow, packets;
  std::uint64_t route;
};

std::uint64_t bits(const VlWide<4>& flit, unsigned at, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    value |= std::uint64_t{(flit[(at + i) / 32] >> ((at + i) % 32)) & 1} << i;
  }
  return value;
}

void compare(const fabric::Framing& framing, std::uint64_t seed, bool starve) {
  static const topology::Route no_route{{0, {0, 4}}};
  Clocked<Vpacketizer> rtl;
  Stimulus random(seed);
  auto model = std::make_unique<ModelPort>(framing);
  std::deque<Sent> messages;
  std::uint32_t sequence = 0;
  std::uint32_t data_seen = 0;
  std::uint32_t taken_share = 100;
  rtl->source_i = 513;
  rtl->payload_words_i = framing.flow_control == config::FlowControl::kMessage
                             ? kWords - 4
                             : static_cast<std::uint32_t>(framing.payload / 4);
  for (Cycles now = 0; now < 60'000; ++now) {
    if (now % 300 == 0) taken_share = random.one_in(3) ? 100 : random.below(101);
    const bool place = model->packetizer.has_place(now);
    Sent next{random.below((1 << 24) - 1000),
              1 + random.below(random.percent(50) ? 20 : 300),
              0,
              random.percent(50),
              random.below(1024),
              0,
              (std::uint64_t{random.word()} << 32 | random.word()) & ((std::uint64_t{1} << 42) - 1)};
    next.total = next.words + (random.one_in(4) ? random.below(100) : 0);
    next.packets = static_cast<std::uint32_t>(framing.packets(Bytes{next.total} * 4));
    const std::uint32_t latency = 2 + random.below(6);
    rtl->push_i = place && random.percent(30);
    rtl->latency_i = latency;
    rtl->add_i = next.add;
    rtl->flow_i = next.flow;
    rtl->address_i = next.address;
    rtl->words_i = next.words;
    rtl->total_i = next.total;
    rtl->packets_i = next.packets;
    rtl->route_i = next.route;
    rtl->data_valid_i = !starve || random.percent(70);
    for (unsigned lane = 0; lane < 4; ++lane) rtl->data_i[lane] = random.word();
    const bool has_flit = model->has_flit(now);
    rtl.settle();
    ASSERT_EQ(rtl->place_o, place) << "cycle " << now;
    const bool on_data =
        has_flit && !model->head() && data_seen < std::min(messages[0].words, rtl->payload_words_i);
    if (on_data && !rtl->data_valid_i) {
      ASSERT_EQ(rtl->valid_o, 0);
    } else {
      ASSERT_EQ(rtl->valid_o, has_flit) << "cycle " << now;
    }
    rtl->taken_i = rtl->valid_o && random.percent(taken_share);
    rtl.settle();
    ASSERT_EQ(rtl->data_taken_o, on_data && rtl->taken_i);
    if (rtl->valid_o) {
      ASSERT_EQ(rtl->head_o, model->head());
      ASSERT_EQ(rtl->tail_o, model->tail());
      ASSERT_EQ(rtl->last_o, model->tail() && model->packet.last_of_message);
      const Sent& front = messages.front();
      if (model->head()) {
        ASSERT_EQ(bits(rtl->flit_o, 0, 1), front.add);
        ASSERT_EQ(bits(rtl->flit_o, 1, 10), front.flow);
        ASSERT_EQ(bits(rtl->flit_o, 11, 24), front.address);
        ASSERT_EQ(bits(rtl->flit_o, 35, 20), std::min(front.words, rtl->payload_words_i));
        ASSERT_EQ(bits(rtl->flit_o, 55, 10), 513U);
        ASSERT_EQ(bits(rtl->flit_o, 65, 2), sequence % 4);
        ASSERT_EQ(bits(rtl->flit_o, 67, 14), front.packets & 0x3fff);
        ASSERT_EQ(bits(rtl->flit_o, 81, 42), front.route);
        ASSERT_EQ(bits(rtl->flit_o, 123, 5), 0U);
      } else if (on_data) {
        for (unsigned lane = 0; lane < 4; ++lane) ASSERT_EQ(rtl->flit_o[lane], rtl->data_i[lane]);
      } else {
        for (unsigned lane = 0; lane < 4; ++lane) ASSERT_EQ(rtl->flit_o[lane], 0U);
      }
    }
    if (random.one_in(2000)) {
      rtl.reset();
      model = std::make_unique<ModelPort>(framing);
      messages.clear();
      sequence = 0;
      data_seen = 0;
      continue;
    }
    rtl.tick();
    if (rtl->push_i) {
      messages.push_back(next);
      model->packetizer.push({0, 0, 1, &no_route, Bytes{next.total} * 4, 0}, now + latency);
    }
    if (!rtl->taken_i) continue;
    if (on_data) data_seen += 4;
    if (model->tail()) {
      data_seen = 0;
      Sent& front = messages.front();
      const std::uint32_t words = std::min(front.words, rtl->payload_words_i);
      front.address += words;
      front.words -= words;
      front.total -= std::min(front.total, rtl->payload_words_i);
      if (model->packet.last_of_message) {
        messages.pop_front();
        ++sequence;
      }
    }
    model->take(now);
  }
}

TEST(Packetizer, SendsTheModelsPackets) {
  compare({config::FlowControl::kPacket, 16, 256}, 7, false);
}
TEST(Packetizer, SendsTheModelsShortPackets) {
  compare({config::FlowControl::kPacket, 16, 32}, 8, false);
}
TEST(Packetizer, SendsTheModelsMessages) {
  compare({config::FlowControl::kMessage, 16, 256}, 9, false);
}
TEST(Packetizer, WaitsOnlyForData) {
  compare({config::FlowControl::kPacket, 16, 64}, 10, true);
}

}  // namespace
}  // namespace coppice::cosim
