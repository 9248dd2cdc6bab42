#include "ni/memory/reduction_unit.h"

#include <array>
#include <bit>

#include <gtest/gtest.h>

#include "Vreduction_unit.h"
#include "clocked.h"
#include "ni/memory/reduction_queues.h"

namespace coppice::cosim {
namespace {

constexpr unsigned kPorts = 4;
constexpr unsigned kLanes = 4;
constexpr unsigned kAddressBits = 24;
constexpr unsigned kWaitingBits = 5;

std::uint32_t address_of(const VlWide<3>& addresses, unsigned port) {
  const unsigned at = port * kAddressBits;
  const std::uint64_t two =
      addresses[at / 32] | (at / 32 < 2 ? std::uint64_t{addresses[at / 32 + 1]} << 32 : 0);
  return static_cast<std::uint32_t>(two >> (at % 32)) & 0xffffffU;
}

struct Flit {
  bool add;
  std::uint32_t address;
  unsigned lanes;  // number of used lanes
  std::array<float, kLanes> data;
};

// The reduction unit with a gradient memory, which is read during a cycle and written at the end of the
// cycle.
class Bench {
 public:
  explicit Bench(std::size_t words) : memory(words, 0.0F) { unit->vc_i = (1U << kPorts) - 1; }

  void offer(unsigned port, const Flit& flit) {
    unit->valid_i |= static_cast<std::uint8_t>(1U << port);
    if (flit.add) unit->add_i |= static_cast<std::uint8_t>(1U << port);
    const unsigned at = port * kAddressBits;
    const std::uint64_t bits = std::uint64_t{flit.address} << (at % 32);
    unit->address_i[at / 32] |= static_cast<std::uint32_t>(bits);
    if (at / 32 < 2) unit->address_i[at / 32 + 1] |= static_cast<std::uint32_t>(bits >> 32);
    unit->lanes_i |= static_cast<std::uint16_t>(((1U << flit.lanes) - 1) << (port * kLanes));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      unit->data_i[port * kLanes + lane] = std::bit_cast<std::uint32_t>(flit.data[lane]);
    }
  }
  void cycle() {
    unit.settle();
    std::array<std::uint32_t, kPorts * kLanes> read{};
    for (unsigned port = 0; port < kPorts; ++port) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const std::size_t from = address_of(unit->read_address_o, port) + lane;
        if ((unit->read_valid_o >> port) & 1 && from < memory.size()) {
          read[port * kLanes + lane] = std::bit_cast<std::uint32_t>(memory[from]);
        }
        write(port, lane, unit->sum_valid_o, unit->sum_lanes_o, unit->sum_address_o, unit->sum_data_o);
        write(port, lane, unit->store_valid_o, unit->store_lanes_o, unit->store_address_o,
              unit->store_data_o);
      }
      // The unit must count all flits that have arrived but not left as waiting, until it reports an
      // overflow.
      const std::uint32_t waiting = (unit->waiting_o >> (port * kWaitingBits)) & ((1U << kWaitingBits) - 1);
      EXPECT_TRUE(waiting == waiting_[port] || unit->overflow_o) << "port " << port;
      waiting_[port] += (unit->valid_i >> port) & 1;
      waiting_[port] -= ((unit->read_valid_o | unit->store_valid_o) >> port) & 1;
    }
    unit.tick();
    for (unsigned i = 0; i < read.size(); ++i) unit->read_data_i[i] = read[i];
    unit->valid_i = 0;
    unit->add_i = 0;
    unit->lanes_i = 0;
    for (unsigned i = 0; i < 3; ++i) unit->address_i[i] = 0;
  }
  bool busy() {
    unit.settle();
    return unit->busy_o;
  }

  Clocked<Vreduction_unit> unit;
  std::vector<float> memory;

 private:
  void write(unsigned port, unsigned lane, unsigned valid, unsigned lanes, const VlWide<3>& addresses,
             const VlWide<16>& data) {
    if (!((valid >> port) & 1) || !((lanes >> (port * kLanes + lane)) & 1)) return;
    memory.at(address_of(addresses, port) + lane) = std::bit_cast<float>(data[port * kLanes + lane]);
  }

  std::array<std::uint32_t, kPorts> waiting_{};
};

// The flits of one message, which a port receives one per cycle.
std::vector<Flit> flits(Stimulus& random, bool add, std::uint32_t address, std::uint32_t words) {
  std::vector<Flit> list;
  for (std::uint32_t at = 0; at < words; at += kLanes) {
    Flit flit{add, address + at, std::min(kLanes, words - at), {}};
    for (float& value : flit.data) value = static_cast<float>(random.word()) * 0x1p-40F;
    list.push_back(flit);
  }
  return list;
}

void reduce_or_store(const std::vector<Flit>& list, ni::ValueMemory& model) {
  schedule::TableEntry entry;
  entry.op = list.front().add ? schedule::Op::kReduce : schedule::Op::kGather;
  entry.address = Bytes{list.front().address} * 4;
  ni::Payload payload;
  for (const auto& flit : list) {
    payload.values.insert(payload.values.end(), flit.data.begin(), flit.data.begin() + flit.lanes);
  }
  entry.bytes = static_cast<Bytes>(payload.values.size()) * 4;
  ni::ReductionUnit::apply(entry, payload, model);
}

// kWritten is the number of cycles from the arrival of a flit until its sum can be read. kLatency is the
// latency of the model's adder, after which a message counts as arrived.
constexpr int kWritten = 5;
constexpr int kLatency = kWritten - 1;

TEST(ReductionUnit, AddsOneFlitPerCycleAndPortAndWritesItInTheFifthCycle) {
  Bench bench(4096);
  ni::ValueMemory model(bench.memory);
  Stimulus random(20);
  std::array<std::vector<Flit>, kPorts> messages;
  for (unsigned port = 0; port < kPorts; ++port) {
    messages[port] =
        flits(random, true, port * 1000, 400 + port);  // messages of different ports use different words
    reduce_or_store(messages[port], model);
  }
  for (int cycle = 0; cycle < 101 + kWritten; ++cycle) {
    for (unsigned port = 0; port < kPorts; ++port) {
      if (static_cast<std::size_t>(cycle) < messages[port].size()) {
        bench.offer(port, messages[port][static_cast<std::size_t>(cycle)]);
      }
    }
    // The sum of a flit that arrives in cycle t can be read in cycle t + 5.
    if (cycle >= kWritten && cycle < 100 + kWritten) {
      const auto word = static_cast<std::size_t>(cycle - kWritten) * kLanes;
      EXPECT_EQ(bench.memory[word], messages[0].at(word / kLanes).data[0]) << "cycle " << cycle;
    }
    bench.cycle();
  }
  EXPECT_EQ(std::vector(model.values().begin(), model.values().end()), bench.memory);
}

TEST(ReductionUnit, AddsMessagesOfAllPortsToTheSameWordsInTheOrderOfPorts) {
  for (const bool add : {true, false}) {
    Bench bench(256);
    ni::ValueMemory model(bench.memory);
    Stimulus random(21);
    std::array<std::vector<Flit>, kPorts> messages;
    for (unsigned port = 0; port < kPorts; ++port) {
      messages[port] = flits(random, add, 3, 250);
      reduce_or_store(messages[port], model);
    }
    for (std::size_t cycle = 0; cycle < messages[0].size(); ++cycle) {
      for (unsigned port = 0; port < kPorts; ++port) bench.offer(port, messages[port][cycle]);
      bench.cycle();
    }
    int drain = 0;
    for (; bench.busy(); ++drain) bench.cycle();
    EXPECT_LE(drain, 4 * kWritten);
    EXPECT_EQ(std::vector(model.values().begin(), model.values().end()), bench.memory);
    EXPECT_EQ(bench.unit->overflow_o, 0);
  }
}

// The values are small integers, whose sums are exact, so the order of additions does not matter.
TEST(ReductionUnit, LosesNothingUnderRandomOverlapAndReset) {
  Stimulus random(22);
  for (int round = 0; round < 200; ++round) {
    Bench bench(64);
    std::vector<float> expected(64, 0.0F);
    const std::uint32_t share = 5 + random.below(random.percent(50) ? 10 : 30);
    const std::uint32_t spread = 4 + random.below(57);
    for (int cycle = 0; cycle < 100; ++cycle) {
      for (unsigned port = 0; port < kPorts; ++port) {
        if (!random.percent(share)) continue;
        Flit flit{true, random.below(spread), 1 + random.below(4), {}};
        for (float& value : flit.data) value = static_cast<float>(random.below(100));
        for (unsigned lane = 0; lane < flit.lanes; ++lane) expected[flit.address + lane] += flit.data[lane];
        bench.offer(port, flit);
      }
      bench.cycle();
    }
    while (bench.busy()) bench.cycle();
    if (bench.unit->overflow_o) continue;  // sums may be wrong after an overflow
    ASSERT_EQ(expected, bench.memory) << "round " << round;
    bench.offer(0, {true, 0, 4, {1, 1, 1, 1}});
    bench.cycle();
    bench.unit.reset();
    for (int cycle = 0; cycle < 7; ++cycle) bench.cycle();
    ASSERT_EQ(expected, bench.memory) << "a sum under way survived the reset";
  }
}

// Sums of arbitrary real numbers are rounded, so the hardware must add in the same order as the model.
TEST(ReductionUnit, AddsAndStoresInTheModelsOrder) {
  Stimulus random(23);
  for (int round = 0; round < 300; ++round) {
    Bench bench(64);
    std::vector<float> expected(64, 0.0F);
    ni::ReductionQueues model(kPorts, kLatency);
    const std::uint32_t share = 5 + random.below(40);
    const std::uint32_t stores = random.percent(50) ? 0 : 20;
    const std::uint32_t spread = 4 + random.below(57);
    for (int cycle = 0; cycle < 60; ++cycle) {
      for (unsigned port = 0; port < kPorts; ++port) {
        if (!random.percent(share)) continue;
        Flit flit{!random.percent(stores), random.below(spread), 1 + random.below(4), {}};
        for (float& value : flit.data) value = static_cast<float>(random.word()) * 0x1p-30F;
        const std::span data(flit.data.data(), flit.lanes);
        model.take(static_cast<int>(port), {flit.add, flit.address, data}, cycle, expected);
        bench.offer(port, flit);
      }
      bench.cycle();
    }
    while (bench.busy()) bench.cycle();
    if (bench.unit->overflow_o) continue;
    model.settle(0, expected.size(), expected);
    ASSERT_TRUE(model.empty());
    ASSERT_EQ(expected, bench.memory) << "round " << round;
  }
}

// If a flit had to wait, its message counts as arrived before its sum has been written. A request for the
// same words must then be reported as a conflict.
TEST(ReductionUnit, ReportsPendingSumsToTheDma) {
  struct Request {
    std::uint32_t address;
    unsigned lanes;
    bool hit;  // whether the request overlaps words 11 to 13
  };
  for (const Request& request :
       {Request{7, 4, false}, {8, 4, true}, {8, 3, false}, {11, 1, true}, {13, 4, true}, {14, 4, false}}) {
    for (const bool waits : {false, true}) {
      Bench bench(64);
      bench.offer(2, {true, 11, 3, {1, 2, 3}});
      if (waits) bench.offer(3, {true, 11, 3, {4, 5, 6}});
      bench.unit->dma_next_i = 1;
      bench.unit->dma_next_address_i[0] = request.address;
      bench.unit->dma_next_lanes_i = static_cast<std::uint16_t>((1U << request.lanes) - 1);
      bench.cycle();
      bench.unit->dma_next_i = 0;
      constexpr int kBothWritten = 2 * kWritten;  // two successive sums of the same words
      for (int age = 1; age <= kBothWritten; ++age) {
        bench.unit->dma_valid_i = 1;
        bench.unit.settle();
        EXPECT_EQ(bench.unit->dma_conflict_o, waits && request.hit && age < kBothWritten ? 1 : 0)
            << "address " << request.address << " age " << age;
        bench.cycle();
      }
    }
  }
}

}  // namespace
}  // namespace coppice::cosim
