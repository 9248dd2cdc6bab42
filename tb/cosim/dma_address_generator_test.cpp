#include <deque>
#include <numeric>

#include <gtest/gtest.h>

#include "Vdma_address_generator.h"
#include "clocked.h"
#include "ni/memory/dma_engine.h"

namespace coppice::cosim {
namespace {

constexpr std::uint32_t kLanes = 4;
constexpr std::uint32_t kBase =
    (1 << 24) - 8192;  // word address of the buffer, chosen so that addresses use every bit

// Compares the words at the requested addresses with the payloads that the model's DMA engine reads.
TEST(DmaAddressGenerator, RequestsTheDataOfMessagesInOrderUnderBackPressure) {
  std::vector<float> values(4096);
  std::iota(values.begin(), values.end(), 0.0F);
  const ni::ValueMemory memory(values);
  const ni::DmaEngine engine(4);
  Clocked<Vdma_address_generator> dma;
  Stimulus random(6);
  struct Message {
    std::uint32_t address, words;
  };
  std::deque<Message> model;  // requests that the hardware has not made yet
  std::vector<float> read;
  std::vector<float> expected;
  std::uint32_t ready_share = 100;
  Message told{};  // the request announced for the next cycle
  for (int cycle = 0; cycle < 50'000; ++cycle) {
    if (cycle % 200 == 0) ready_share = random.below(101);
    const Message next{random.below(2048), 1 + random.below(random.percent(50) ? 9 : 300)};
    dma->push_i = model.size() < 2 && random.percent(30);
    dma->address_i = kBase + next.address;
    dma->words_i = next.words;
    dma->req_ready_i = random.percent(ready_share);
    dma.settle();
    ASSERT_EQ(dma->req_valid_o, !model.empty());
    ASSERT_EQ(dma->busy_o, !model.empty());
    if (!model.empty()) {
      ASSERT_EQ(dma->req_address_o, kBase + model.front().address);
      ASSERT_EQ(dma->req_lanes_o, (1U << std::min(kLanes, model.front().words)) - 1);
      ASSERT_EQ(dma->req_address_o, told.address);
      ASSERT_EQ(dma->req_lanes_o, told.words);
    }
    if (dma->next_o) told = {dma->next_address_o, dma->next_lanes_o};
    if (random.one_in(1000)) {
      dma.reset();
      model.clear();
      read.clear();
      expected.clear();
      continue;
    }
    if (!model.empty() && dma->req_ready_i) {
      Message& front = model.front();
      const std::uint32_t words = std::min(kLanes, front.words);
      const auto first = values.begin() + (dma->req_address_o - kBase);
      read.insert(read.end(), first, first + words);
      front.address += words;
      front.words -= words;
      if (front.words == 0) {
        model.pop_front();
        ASSERT_TRUE(std::equal(read.begin(), read.end(), expected.begin()));
        expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(read.size()));
        read.clear();
      }
    }
    if (dma->push_i) {
      model.push_back(next);
      ni::Payload payload;
      engine.request(memory, Bytes{next.address} * 4, Bytes{next.words} * 4, payload, cycle);
      expected.insert(expected.end(), payload.values.begin(), payload.values.end());
    }
    dma.tick();
  }
}

}  // namespace
}  // namespace coppice::cosim
