#include "ni/memory_port.h"

#include <gmock/gmock.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "base/error.h"

namespace coppice::ni {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Femtoseconds kPeriod = kFemtosecondsPerNanosecond;
constexpr Cycles kDmaLatency = 7;

// Owns a memory socket, like a network interface.
class Owner : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket_optional<Owner> memory{"memory"};
  MemoryPort port{memory, kPeriod, kDmaLatency};

  explicit Owner(const sc_core::sc_module_name& name) : sc_module(name) {}
};

class Refusing : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Refusing> dma{"dma"};

  explicit Refusing(const sc_core::sc_module_name& name) : sc_module(name) {
    dma.register_b_transport(this, &Refusing::transport);
  }

 private:
  void transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& /*delay*/) {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
};

class MemoryPortTest : public ::testing::Test {
 protected:
  MemoryPortTest() {
    entry.op = schedule::Op::kReduce;
    entry.address = 4;
    entry.bytes = 8;
    tables.contents = &contents;
    message.entry = &entry;
    message.flits = 5;
    message.serialization = 5;
  }

  void elaborate() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    owner.port.ask_for_direct_access();
  }

  ValueMemory contents{{1, 2, 3, 4}};
  TableEntry entry;
  ContextTables tables;
  MessageRecord message;
  Owner owner{"owner"};
};

TEST_F(MemoryPortTest, ReadsTheBufferItselfWithoutAMemory) {
  elaborate();
  EXPECT_EQ(owner.port.read(tables, message, kPeriod, 100), 100 + kDmaLatency);
  EXPECT_THAT(message.payload.values, ElementsAre(2, 3));
  EXPECT_EQ(owner.port.write(tables, message, 100), 100);
}

TEST_F(MemoryPortTest, TakesTheTimeOfAnUnlimitedMemory) {
  Memory memory("memory", contents, 3 * kPeriod);
  owner.memory.bind(memory.dma);
  elaborate();
  EXPECT_EQ(owner.port.read(tables, message, kPeriod, 100), 103);
  EXPECT_THAT(message.payload.values, ElementsAre(2, 3));
  EXPECT_EQ(owner.port.write(tables, message, 100), 100);
  EXPECT_EQ(memory.moved().dma, 8 + 2 * 8);
}

// Transactions must return the same results as direct access.
TEST_F(MemoryPortTest, IsAnsweredTheSameByTransactions) {
  Memory memory("memory", contents, 3 * kPeriod);
  owner.memory.bind(memory.dma);
  elaborate();
  owner.port.direct_access_ends();
  EXPECT_EQ(owner.port.read(tables, message, kPeriod, 100), 103);
  EXPECT_THAT(message.payload.values, ElementsAre(2, 3));
  EXPECT_EQ(owner.port.write(tables, message, 100), 100);
  EXPECT_EQ(memory.moved().dma, 8 + 2 * 8);
}

TEST_F(MemoryPortTest, WaitsForAMemoryOfLimitedBandwidth) {
  MemoryPace pace;
  pace.bandwidth = Bandwidth{1'000'000'000};  // one byte per cycle
  Memory memory("memory", contents, 3 * kPeriod, pace);
  owner.memory.bind(memory.dma);
  elaborate();
  EXPECT_GT(owner.port.read(tables, message, kPeriod, 100), 103);
  // The addition reads the old value and then writes the sum, so the write follows the read.
  EXPECT_EQ(owner.port.write(tables, message, 108), 100 + 8 + 2 * 8);
}

TEST_F(MemoryPortTest, ReportsTheReasonOfAnError) {
  Refusing memory("memory");
  owner.memory.bind(memory.dma);
  elaborate();
  try {
    owner.port.read(tables, message, kPeriod, 100);
    FAIL() << "the refused read succeeded";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("owner.memory: the memory refused access to 8 B at address 4"));
  }
}

}  // namespace
}  // namespace coppice::ni
