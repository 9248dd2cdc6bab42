#include "ni/memory/memory.h"

#include <gmock/gmock.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>

namespace coppice::ni {
namespace {

using ::testing::ElementsAre;

constexpr Femtoseconds kLatency = 7 * kFemtosecondsPerNanosecond;

// Stands in for a network interface: the initiator of a memory socket.
class Asker : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket_optional<Asker> memory{"memory"};

  explicit Asker(const sc_core::sc_module_name& name) : sc_module(name) {
    transaction_.set_extension(&data_);
  }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  ~Asker() override { transaction_.clear_extension(&data_); }

  bool granted(tlm::tlm_dmi& access) { return memory->get_direct_mem_ptr(transaction_, access); }
  GradientData& data() { return data_; }
  sc_core::sc_time access(tlm::tlm_command command, Bytes address, unsigned bytes) {
    transaction_.set_command(command);
    transaction_.set_address(static_cast<sc_dt::uint64>(address));
    transaction_.set_data_length(bytes);
    sc_core::sc_time delay;
    memory->b_transport(transaction_, delay);
    return delay;
  }

 private:
  tlm::tlm_generic_payload transaction_;
  GradientData data_;
};

class MemoryTest : public ::testing::Test {
 protected:
  ValueMemory contents{{1, 2, 3, 4}};
};

TEST_F(MemoryTest, GrantsTheTimesOfTransactions) {
  Memory memory("memory", contents, kLatency);
  Memory asked("asked", contents, kLatency);
  Asker direct("direct");
  Asker transacts("transacts");
  direct.memory.bind(memory.dma);
  transacts.memory.bind(asked.dma);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  tlm::tlm_dmi access;
  ASSERT_TRUE(direct.granted(access));
  ASSERT_EQ(direct.data().direct, &memory);

  EXPECT_EQ(access.get_read_latency(), transacts.access(tlm::TLM_READ_COMMAND, 4, 8));
  Payload data;
  memory.read_directly(4, 8, data);
  EXPECT_THAT(data.values, ElementsAre(2, 3));
  EXPECT_EQ(data.values, transacts.data().payload.values);

  for (const bool accumulate : {false, true}) {
    transacts.data().accumulate = accumulate;
    EXPECT_EQ(transacts.access(tlm::TLM_WRITE_COMMAND, 8, 4), sc_core::SC_ZERO_TIME);
    memory.write_directly(4, accumulate);
  }
  EXPECT_EQ(memory.moved(), asked.moved());
  EXPECT_EQ(memory.moved().dma, 8 + 4 + 8);
}

// If bandwidth is limited, the duration of an access depends on previous accesses, so the memory must not
// grant direct access.
TEST_F(MemoryTest, GrantsNothingIfBandwidthIsLimited) {
  MemoryPace pace;
  pace.bandwidth = Bandwidth{16'000'000'000};
  Memory memory("memory", contents, kLatency, pace);
  Asker asker("asker");
  asker.memory.bind(memory.dma);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  tlm::tlm_dmi access;
  EXPECT_FALSE(asker.granted(access));
  EXPECT_EQ(asker.data().direct, nullptr);
}

}  // namespace
}  // namespace coppice::ni
