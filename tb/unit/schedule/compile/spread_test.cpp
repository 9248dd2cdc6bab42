#include "schedule/compile/spread.h"

#include <gmock/gmock.h>

#include <set>

#include "machine.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

constexpr Femtoseconds kLatency = 100 * kFemtosecondsPerNanosecond;

// A box in which each of `accelerators` accelerators has a link of 16 GB/s to each of `switches` switches.
Machine box(int accelerators, int switches) {
  topology::Topology network(topology::Kind::kFile, {}, accelerators, switches);
  for (NodeId node = 0; node < accelerators; ++node) {
    for (NodeId hub = accelerators; hub < accelerators + switches; ++hub) {
      network.add_channel(node, hub, {16'000'000'000}, kLatency);
      network.add_channel(hub, node, {16'000'000'000}, kLatency);
    }
  }
  return make_machine(std::move(network));
}

class OverPlanes : public testing::TestWithParam<const char*> {};

// Spreading data over four planes must be nearly four times as fast as using one plane, with correct tables.
TEST_P(OverPlanes, UsesAllOfThem) {
  const Machine machine = box(8, 4);
  const AlgorithmInfo& info = *find_algorithm(GetParam());
  for (const Collective collective :
       {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
    CompileRequest request = timed(machine.request(collective, Bytes{1} << 20));
    const Schedule all = compile_spread(info, machine.topology, request);
    EXPECT_NO_THROW(check_schedule(machine.topology, all));
    request.planes = 1;
    const Schedule one = compile_spread(info, machine.topology, request);
    request.planes = 2;
    const Schedule two = compile_spread(info, machine.topology, request);
    EXPECT_NO_THROW(check_schedule(machine.topology, two));
    const auto time = [&](const Schedule& schedule) {
      return static_cast<double>(expected_time(machine.topology, request, schedule));
    };
    EXPECT_LT(time(all), 0.3 * time(one));
    EXPECT_LT(time(two), 0.6 * time(one));
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, OverPlanes, testing::Values("ring", "halving_doubling"));

// One of two parallel links has 1 GB/s and carries a quarter of the data; the other has 3 GB/s and carries
// the rest.
TEST(CompileSpread, DistributesDataByBandwidth) {
  topology::Topology pair(topology::Kind::kFile, {}, 2, 0);
  for (const std::int64_t rate : {1, 3}) {
    pair.add_channel(0, 1, {rate * 1'000'000'000}, kLatency);
    pair.add_channel(1, 0, {rate * 1'000'000'000}, kLatency);
  }
  const Machine machine = make_machine(std::move(pair));
  const Schedule schedule = compile_spread(*find_algorithm("direct"), machine.topology,
                                           machine.request(Collective::kAllReduce, 8192));
  EXPECT_NO_THROW(check_schedule(machine.topology, schedule));
  std::vector<Bytes> sent;
  for (const Table& table : schedule.nodes.front().ports) {
    Bytes bytes = 0;
    for (const TableEntry& entry : table) bytes += entry.op == Op::kNop ? 0 : entry.bytes;
    sent.push_back(bytes);
  }
  EXPECT_THAT(sent, testing::ElementsAre(2048, 6144));
}

}  // namespace
}  // namespace coppice::schedule
