// Tests rtl/ni/network_interface.v with two contexts and two ports. Each port receives what the other port
// sends, so all data is added to itself.
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include "Vnetwork_interface.h"
#include "clocked.h"

namespace coppice::cosim {
namespace {

constexpr unsigned kPorts = 2;
constexpr unsigned kContexts = 2;
constexpr unsigned kLanes = 4;
constexpr unsigned kAddressBits = 24;
constexpr unsigned kVcs = 4;
constexpr int kLatency = 4;  // of the DMA, in cycles
constexpr unsigned kCredits = 20;
constexpr int kBuffer = 16;  // capacity in flits of the buffer between DMA and injection
constexpr std::uint32_t kBufferWords = 64;
// The route of every entry. It has 42 bits, which reach up to the highest bit of a head flit.
constexpr std::uint64_t kRoute = 0x29d'3c5a'17e6;
constexpr std::uint32_t kMemoryAt = 0xabc000;  // address of the buffer's first word

enum Order : unsigned { kInTurns, kByPriority, kFirstToStart };

// A table entry that sends one packet to be added, or a nop if `words` is 0. The tests use flows in which
// every bit matters.
struct Add {
  unsigned flow = 0;
  unsigned dependencies = 0;
  unsigned address = 0;  // word address
  unsigned words = 0;
  unsigned step = 1;
  unsigned iterations = 1;
};

class Looped {
 public:
  explicit Looped(Order order) : memory_(kContexts * kBufferWords) {
    for (std::size_t word = 0; word < memory_.size(); ++word) memory_[word] = static_cast<float>(word + 1);
    rtl_->now_i = 0;
    rtl_->lockstep_i = 0;
    rtl_->dma_latency_i = kLatency;
    rtl_->payload_words_i = (1U << 20) - kLanes;  // so that every message is one packet
    rtl_->source_i = 1U << 10;                    // port 0 has the source 0 and port 1 the source 1
    rtl_->credits_i = kCredits | kCredits << 10;  // for two virtual channels
    rtl_->order_i = order;
  }

  void load(unsigned context, unsigned port, const std::vector<Add>& table) {
    for (unsigned index = 0; index < table.size(); ++index) {
      const Add& add = table[index];
      at_ = 0;
      for (unsigned word = 0; word < 7; ++word) rtl_->load_line_i[word] = 0;
      put(add.words > 0 ? 1 : 2, 2);
      put(add.flow, 8);
      put(add.dependencies, 10);
      put(add.step, 16);
      put(add.address, kAddressBits);
      put(add.words, 20);
      put(add.words, 20);
      put((add.words + kLanes - 1) / kLanes + 1, 24);  // flits
      put(1, 14);
      put(kRoute, 42);
      put(0, 10);
      put(add.iterations, 10);
      rtl_->load_index_i = index;
      rtl_->load_valid_i = 1U << (port * kContexts + context);
      step();
      rtl_->load_valid_i = 0;
    }
  }
  void commit(unsigned context, std::array<unsigned, kPorts> entries) { commit(context, entries, entries); }
  void commit(unsigned context, std::array<unsigned, kPorts> lines, std::array<unsigned, kPorts> entries) {
    rtl_->lines_i = lines[0] | lines[1] << 7;
    rtl_->count_i = entries[0] | entries[1] << 16;
    rtl_->commit_i = 1U << context;
    step();
    rtl_->commit_i = 0;
  }
  void open(unsigned context, unsigned id, unsigned arrivals, int priority = 0) {
    rtl_->open_i |= 1U << context;
    put_part(rtl_->id_i, context, 7, id);
    put_part(rtl_->base_i, context, kAddressBits, kMemoryAt + context * kBufferWords);
    put_part(rtl_->arrivals_i, context, 16, arrivals);
    put_part(rtl_->priority_i, context, 8, static_cast<std::uint8_t>(priority));
  }
  void stride(unsigned context, unsigned words, unsigned flows = 0) {
    put_part(rtl_->address_stride_i, context, kAddressBits, words);
    put_part(rtl_->flow_stride_i, context, 8, flows);
  }
  void keep_steps(unsigned absorbed) {
    rtl_->lockstep_i = 1;
    rtl_->absorbs_i = absorbed;
  }
  // Chooses whether credits are returned for the flits that the interface sends.
  void give_credits(bool gives) { gives_credits_ = gives; }
  // Discards the flits that the interface sends, as if they went to other nodes.
  void send_away() { sends_away_ = true; }
  std::size_t flits_without_credit() const { return credits_.size(); }
  bool busy() {
    rtl_.settle();
    return rtl_->busy_o != 0;
  }
  // Starts the contexts in the bit mask `contexts` in the next cycle. If both start, context 0 is first.
  void start(unsigned contexts) {
    rtl_->start_i = contexts;
    rtl_->turn_i = contexts == 3 ? 2 : 0;
  }

  // Runs one cycle. Returns a bit mask of the contexts that ended in this cycle.
  unsigned step() {
    bring();
    rtl_.settle();
    for (unsigned port = 0; port < kPorts; ++port) {
      const unsigned issued = (rtl_->issue_o >> (port * kContexts)) & 3;
      EXPECT_NE(issued, 3U) << "two entries issued at port " << port << " in cycle " << now_;
      if (issued != 0) issues_.push_back({now_, port, issued >> 1});
    }
    for (unsigned part = 0; part < kPorts * kContexts; ++part) {
      const auto issued = static_cast<std::uint16_t>(rtl_->issued_o >> (part * 16));
      EXPECT_TRUE(issued <= left_[part] || was_busy_)
          << "an entry left in a cycle without a clock, " << now_ - 1;
      left_[part] = issued;
    }
    was_busy_ = rtl_->busy_o != 0;
    EXPECT_EQ(rtl_->overflow_o, 0);
    EXPECT_EQ(rtl_->stray_o, 0);
    take();
    const unsigned done = rtl_->done_o;
    rtl_.tick();
    ++now_;
    rtl_->now_i = now_;
    rtl_->open_i = 0;
    rtl_->start_i = 0;
    return done;
  }
  // Runs until all of these contexts have ended. Returns the cycle in which each of them ended; the last sums
  // are written to memory one cycle later.
  std::array<int, kContexts> run(unsigned contexts, int cycles = 500) {
    std::array<int, kContexts> ended{-1, -1};
    for (int left = cycles; contexts != 0 && left > 0; --left) {
      const int cycle = now_;
      const unsigned done = step();
      EXPECT_EQ(done & ~contexts, 0U) << "ended twice, or without a start";
      for (unsigned c = 0; c < kContexts; ++c) {
        if ((done >> c) & 1) ended[c] = cycle;
      }
      contexts &= ~done;
    }
    EXPECT_EQ(contexts, 0U) << "did not end";
    return ended;
  }

  int now() const { return now_; }

  struct Issue {
    int cycle;
    unsigned port;
    unsigned context;
  };
  std::vector<Issue> issues_;
  // The value of a word as a multiple of its initial value. The value doubles each time the word is added to
  // itself.
  float times(unsigned context, unsigned word) const {
    const unsigned at = context * kBufferWords + word;
    return memory_[at] / static_cast<float>(at + 1);
  }

 private:
  struct Flit {
    int at;
    unsigned port;
    unsigned vc;
    bool head;
    bool tail;
    std::array<std::uint32_t, kLanes> words;
  };
  struct Data {
    int at;
    unsigned port;
    std::array<std::uint32_t, kLanes> words;
  };

  void put(std::uint64_t value, unsigned width) {
    for (unsigned bit = 0; bit < width; ++bit, ++at_) {
      if ((value >> bit) & 1) rtl_->load_line_i[at_ / 32] |= 1U << (at_ % 32);
    }
  }
  template <typename Input>
  static void put_part(Input& input, unsigned context, unsigned bits, std::uint64_t value) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    input = static_cast<Input>((input & ~(mask << (context * bits))) | (value << (context * bits)));
  }
  static std::uint32_t address(std::uint64_t addresses, unsigned port) {
    const auto at =
        static_cast<std::uint32_t>(addresses >> (port * kAddressBits)) & ((1U << kAddressBits) - 1);
    return at - kMemoryAt;
  }
  std::uint32_t word(std::uint32_t at) const {
    return at < memory_.size() ? std::bit_cast<std::uint32_t>(memory_[at]) : 0;
  }

  std::array<std::uint32_t, kLanes> words(std::uint32_t at) const {
    std::array<std::uint32_t, kLanes> found{};
    for (unsigned lane = 0; lane < kLanes; ++lane) found[lane] = word(at + lane);
    return found;
  }

  // Applies the inputs of this cycle. A flit arrives three cycles after it was sent, and its credit returns
  // one cycle later.
  void bring() {
    rtl_->flit_valid_i = rtl_->flit_head_i = rtl_->flit_tail_i = rtl_->credit_i = 0;
    rtl_->dma_data_valid_i = 0;
    while (gives_credits_ && !credits_.empty() && credits_.front().at <= now_) {
      const unsigned credit = 1U << (credits_.front().port * kVcs + credits_.front().vc);
      if ((rtl_->credit_i & credit) != 0) break;  // a port returns one credit per virtual channel per cycle
      rtl_->credit_i |= credit;
      credits_.pop_front();
    }
    while (!flits_.empty() && flits_.front().at <= now_) {
      const Flit& flit = flits_.front();
      const unsigned to = 1 - flit.port;
      rtl_->flit_valid_i |= 1U << (to * kVcs + flit.vc);
      rtl_->flit_head_i |= static_cast<unsigned>(flit.head) << to;
      rtl_->flit_tail_i |= static_cast<unsigned>(flit.tail) << to;
      for (unsigned lane = 0; lane < kLanes; ++lane) rtl_->flit_i[to * kLanes + lane] = flit.words[lane];
      flits_.pop_front();
    }
    while (!data_.empty() && data_.front().at <= now_) {
      const Data& data = data_.front();
      rtl_->dma_data_valid_i |= 1U << data.port;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        rtl_->dma_data_i[data.port * kLanes + lane] = data.words[lane];
      data_.pop_front();
    }
    for (const Data& read : reads_) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        rtl_->read_data_i[read.port * kLanes + lane] = read.words[lane];
    }
    reads_.clear();
  }

  void take() {
    for (unsigned port = 0; port < kPorts; ++port) {
      if ((rtl_->flit_valid_o >> port) & 1) {
        Flit flit{now_ + 3,
                  port,
                  (static_cast<unsigned>(rtl_->flit_vc_o) >> (2 * port)) & 3,
                  ((rtl_->flit_head_o >> port) & 1) != 0,
                  ((rtl_->flit_tail_o >> port) & 1) != 0,
                  {}};
        for (unsigned lane = 0; lane < kLanes; ++lane) flit.words[lane] = rtl_->flit_o[port * kLanes + lane];
        if (flit.head) {
          EXPECT_EQ(flit.words[2] >> 22 | std::uint64_t{flit.words[3]} << 10, kRoute) << "in cycle " << now_;
        }
        if (!flit.head) --asked_[port];
        if (!sends_away_) flits_.push_back(flit);
        flit.at = now_ + 4;
        credits_.push_back(flit);
        EXPECT_LE(credits_.size(), 2 * kPorts * kCredits) << "in cycle " << now_;
      }
      if ((rtl_->dma_valid_o >> port) & 1) {
        EXPECT_LE(++asked_[port], kBuffer) << "more than the buffer holds, in cycle " << now_;
        data_.push_back({now_ + kLatency - 1, port, words(address(rtl_->dma_address_o, port))});
      }
      if ((rtl_->read_valid_o >> port) & 1)
        reads_.push_back({now_ + 1, port, words(address(rtl_->read_address_o, port))});
    }
    // Memory writes take effect at the end of the cycle, so data can be read in the next cycle.
    for (unsigned port = 0; port < kPorts; ++port) {
      if ((rtl_->sum_valid_o >> port) & 1) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          if ((rtl_->sum_lanes_o >> (port * kLanes + lane)) & 1) {
            memory_.at(address(rtl_->sum_address_o, port) + lane) =
                std::bit_cast<float>(rtl_->sum_data_o[port * kLanes + lane]);
          }
        }
      }
    }
  }

  Clocked<Vnetwork_interface> rtl_;
  std::vector<float> memory_;
  std::deque<Flit> flits_, credits_;
  std::deque<Data> data_;
  std::vector<Data> reads_;
  std::array<int, kPorts> asked_{};  // data flits that were requested from memory and have not left
  bool gives_credits_ = true;
  bool sends_away_ = false;
  std::array<std::uint16_t, kPorts * kContexts> left_{};  // entries that were issued before this cycle
  bool was_busy_ = false;
  unsigned at_ = 0;  // number of bits of the table line that have been set
  int now_ = 0;
};

// Loads tables into both contexts. Port 0 has two entries, of which the second waits for an arrival; port 1
// has one entry.
void load_both(Looped& interface) {
  for (unsigned context = 0; context < kContexts; ++context) {
    interface.load(context, 0, {{.flow = 0xc3, .words = 8}, {.flow = 0xc3, .dependencies = 1, .words = 8}});
    interface.load(context, 1, {{.flow = 0x34, .address = 16, .words = 12}});
    interface.commit(context, {2, 1});
  }
}

void open_both(Looped& interface, unsigned first_id) {
  interface.open(0, first_id, 3);
  interface.open(1, first_id + 1, 3, 1);
  interface.step();
}

void expect_sums(const Looped& interface, unsigned context, float first, float second) {
  for (unsigned word = 0; word < 8; ++word) EXPECT_EQ(interface.times(context, word), first) << word;
  for (unsigned word = 8; word < 16; ++word) EXPECT_EQ(interface.times(context, word), 1) << word;
  for (unsigned word = 16; word < 28; ++word) EXPECT_EQ(interface.times(context, word), second) << word;
  for (unsigned word = 28; word < 32; ++word) EXPECT_EQ(interface.times(context, word), 1) << word;
}

TEST(NetworkInterfaceWithContexts, RunsTwoSimultaneousCollectivesInTheirOwnBuffers) {
  Looped interface(kInTurns);
  load_both(interface);
  open_both(interface, 5);
  interface.start(3);
  interface.run(3);
  interface.step();
  for (unsigned context = 0; context < kContexts; ++context) expect_sums(interface, context, 4, 2);
  for (int cycle = 0; cycle < 10; ++cycle) interface.step();
  EXPECT_FALSE(interface.busy());
}

TEST(NetworkInterfaceWithContexts, ServesTheFirstOfSeveralContextsThatStartInACycle) {
  // Context 1 has a higher priority, but priorities count only from the cycle after the start.
  for (const Order order : {kInTurns, kByPriority, kFirstToStart}) {
    Looped interface(order);
    load_both(interface);
    open_both(interface, 5);
    interface.start(3);
    interface.run(3);
    ASSERT_GE(interface.issues_.size(), 4U);
    EXPECT_EQ(interface.issues_[0].context, 0U);
    EXPECT_EQ(interface.issues_[1].context, 0U);
    EXPECT_EQ(interface.issues_[2].context, 1U);
    EXPECT_EQ(interface.issues_[2].cycle, interface.issues_[0].cycle + 1);
  }
}

TEST(NetworkInterfaceWithContexts, RunsItsTablesAgainWithoutLoadingThem) {
  Looped interface(kFirstToStart);
  load_both(interface);
  open_both(interface, 5);
  interface.start(1);
  const auto first = interface.run(1);
  const std::size_t issued = interface.issues_.size();
  // Opens another collective in the cycle in which the context becomes free.
  interface.open(0, 7, 3);
  interface.start(1);
  const auto second = interface.run(1);
  EXPECT_EQ(interface.issues_[issued].cycle, first[0] + 1);
  EXPECT_EQ(interface.issues_[issued].cycle - interface.issues_[0].cycle, second[0] - first[0]);
  interface.step();
  expect_sums(interface, 0, 16, 4);
  expect_sums(interface, 1, 1, 1);
}

TEST(NetworkInterfaceWithContexts, RepeatsALineWithAdvancingAddresses) {
  for (unsigned context = 0; context < kContexts; ++context) {
    Looped interface(kInTurns);
    interface.load(context, 0, {{.flow = 0xc3, .words = 8, .iterations = 3}});
    interface.stride(context, 8);
    interface.commit(context, {1, 0}, {3, 0});
    interface.open(context, 5, 3);
    interface.step();
    interface.start(1U << context);
    interface.run(1U << context);
    interface.step();
    for (unsigned word = 0; word < kBufferWords; ++word) {
      EXPECT_EQ(interface.times(context, word), word < 24 ? 2 : 1) << word;
      EXPECT_EQ(interface.times(1 - context, word), 1) << word;
    }
  }
}

// Each iteration's entry at port 1 waits for the message that port 0 sends in the same iteration.
TEST(NetworkInterfaceWithContexts, DistinguishesIterationsByTheirFlows) {
  constexpr unsigned kWords = 32;
  for (unsigned context = 0; context < kContexts; ++context) {
    Looped interface(kInTurns);
    interface.load(context, 0, {{.flow = 0x13, .words = kWords, .iterations = 3}});
    interface.load(context, 1, {{.flow = 0x13, .dependencies = 1, .words = kLanes, .iterations = 3}});
    interface.stride(context, 0, 0x51);
    interface.commit(context, {1, 1}, {3, 3});
    interface.open(context, 5, 6);
    interface.step();
    interface.start(1U << context);
    interface.run(1U << context);
    int before = -1;
    for (const auto& issue : interface.issues_) {
      if (issue.port == 0) continue;
      if (before >= 0) {
        EXPECT_GE(issue.cycle - before, static_cast<int>(kWords / kLanes));
      }
      before = issue.cycle;
    }
  }
}

// With more than 2^15 entries, the table must still recognise the last entry and be able to start again after
// it.
TEST(NetworkInterfaceWithContexts, CountsFortyThousandEntries) {
  constexpr unsigned kLines = 40;
  constexpr unsigned kIterations = 1000;
  Looped interface(kInTurns);
  interface.load(0, 0, std::vector<Add>(kLines, {.iterations = kIterations}));
  interface.commit(0, {kLines, 0}, {kLines * kIterations, 0});
  int start = 0;
  for (int run = 0; run < 2; ++run) {
    interface.open(0, 5, 0);
    if (run == 0) start = interface.now();
    interface.start(1);
    const int end = interface.run(1, 50'000)[0];
    EXPECT_EQ(end - start, static_cast<int>(kLines * kIterations) - 1) << "run " << run;
    start = end + 1;
  }
}

TEST(NetworkInterfaceWithContexts, DelaysTheNextStepByTheFlitsThatItsBufferDoesNotAbsorb) {
  constexpr unsigned kAbsorbed = 4;
  for (const unsigned words : {8U, 12U, 16U, 32U}) {
    Looped interface(kInTurns);
    interface.keep_steps(kAbsorbed);
    interface.load(0, 0, {{.flow = 1, .words = words}, {.flow = 2, .words = words, .step = 2}});
    interface.commit(0, {2, 0});
    interface.open(0, 5, 2);
    interface.step();
    interface.start(1);
    interface.run(1);
    const unsigned flits = words / kLanes + 1;
    ASSERT_EQ(interface.issues_.size(), 2U);
    EXPECT_EQ(interface.issues_[1].cycle - interface.issues_[0].cycle,
              static_cast<int>(flits > kAbsorbed ? flits - kAbsorbed : flits));
  }
}

// Both ports receive messages for the same words at the same time, so some flits have to wait for pending
// sums. A message that depends on both must read the final sums.
TEST(NetworkInterfaceWithContexts, DoesNotReadWordsWithPendingSums) {
  constexpr unsigned kWords = 32;
  for (unsigned address = 0; address < kWords; address += kLanes) {
    Looped interface(kInTurns);
    interface.load(0, 0,
                   {{.flow = 0x83, .words = kWords},
                    {.flow = 0x83, .dependencies = 2, .address = address, .words = kLanes}});
    interface.load(0, 1, {{.flow = 0x83, .words = kWords}});
    interface.commit(0, {2, 1});
    interface.open(0, 5, 3);
    interface.step();
    interface.start(1);
    interface.run(1);
    for (int cycle = 0; cycle < 20; ++cycle) interface.step();
    for (unsigned word = 0; word < kWords; ++word) {
      EXPECT_EQ(interface.times(0, word), word / kLanes == address / kLanes ? 6 : 3)
          << word << " of " << address;
    }
  }
}

// The number of flits in flight must never exceed the number of buffer slots, even if a second context
// starts.
TEST(NetworkInterfaceWithContexts, DoesNotExceedTheBufferIfAnotherContextStarts) {
  Looped interface(kInTurns);
  for (unsigned context = 0; context < kContexts; ++context) {
    const std::vector<Add> table(8, {.flow = 1, .words = kBufferWords});
    interface.load(context, 0, table);
    interface.load(context, 1, table);
    interface.commit(context, {8, 8});
  }
  open_both(interface, 5);
  interface.give_credits(false);
  interface.start(1);
  for (int cycle = 0; cycle < 100; ++cycle) interface.step();
  const std::size_t sent = interface.flits_without_credit();
  EXPECT_GE(sent, kPorts * kCredits);
  interface.start(2);
  for (int cycle = 0; cycle < 100; ++cycle) interface.step();
  EXPECT_EQ(interface.flits_without_credit(), sent);
  interface.give_credits(true);
  for (int cycle = 0; cycle < 500; ++cycle) interface.step();
  EXPECT_FALSE(interface.busy());
}

TEST(NetworkInterfaceWithContexts, EndsWhenItsLastMessageHasLeft) {
  Looped interface(kInTurns);
  interface.load(0, 0, std::vector<Add>(3, {.flow = 1, .words = kBufferWords}));
  interface.commit(0, {3, 0});
  interface.open(0, 5, 0);
  interface.step();
  interface.send_away();
  interface.give_credits(false);
  interface.start(1);
  for (int cycle = 0; cycle < 200; ++cycle) EXPECT_EQ(interface.step(), 0U) << cycle;
  EXPECT_LT(interface.flits_without_credit(), 3 * (kBufferWords / kLanes + 1));
  interface.give_credits(true);
  interface.run(1, 50);
}

TEST(NetworkInterfaceWithContexts, EndsInTheCycleOfItsStartIfThereIsNoWork) {
  Looped interface(kInTurns);
  interface.commit(1, {0, 0});
  interface.open(1, 4, 0);
  EXPECT_EQ(interface.step(), 0U);
  interface.start(2);
  EXPECT_EQ(interface.step(), 2U);
}

}  // namespace
}  // namespace coppice::cosim
