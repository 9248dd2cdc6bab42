#include "schedule/files/msccl_print.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include "base/error.h"
#include "machine.h"
#include "msccl_interpreter.h"
#include "schedule/all_to_all/all_to_all.h"
#include "schedule/files/msccl_file.h"
#include "schedule/proof/checker.h"
#include "schedule/registry.h"

namespace coppice::schedule {
namespace {

std::vector<Machine> shapes() {
  std::vector<Machine> machines;
  for (const std::vector<int>& dims : std::vector<std::vector<int>>{
           {2, 2}, {2, 3}, {3, 2}, {3, 3}, {2, 4}, {4, 2}, {4, 3}, {4, 4}, {5, 3}}) {
    machines.push_back(torus(dims));
    machines.push_back(mesh(dims));
  }
  for (const int n : {2, 3, 4, 6}) machines.push_back(built(topology::Kind::kRing, {n}));
  machines.push_back(built(topology::Kind::kFullyConnected, {5}));
  machines.push_back(built(topology::Kind::kSwitch, {6}));
  machines.push_back(dgx1());
  return machines;
}

// Requires that the written file computes correct sums in random orders of its thread blocks, and that it can
// be read back.
void expect_right(const Machine& machine, const Schedule& schedule) {
  const std::string text = to_msccl(machine.topology, schedule);
  const std::string name =
      fmt::format("{} {} on {}", schedule.algorithm, collective_name(schedule), machine.topology.name());
  EXPECT_EQ(MscclInterpreter(text).find_fault(3, 4), "") << name;
  check_schedule(machine.topology, parse_msccl(text, "a.xml", machine.topology,
                                               machine.request(schedule.collective, schedule.size)));
}

TEST(MscclPrint, IsRightInEveryOrderOfThreadBlocks) {
  int written = 0;
  for (const Machine& machine : shapes()) {
    if (machine.topology.num_accelerators() > 9) continue;
    const Bytes size = Bytes{4} * 12 * machine.topology.num_accelerators();
    for (const AlgorithmInfo& info : algorithms()) {
      if (info.make == nullptr || info.chooses_algorithm) continue;
      for (const Collective collective :
           {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
        try {
          const Schedule schedule = machine.compile(info.name, collective, size);
          if (schedule.ordered_by_lockstep) continue;
          expect_right(machine, schedule);
          ++written;
        } catch (const UnsupportedError&) {
          continue;  // not supported on this network, or the chunks are too unequal
        }
      }
    }
  }
  EXPECT_GT(written, 300);
}

// A 2D ring relies on the lockstep's order of timesteps. MSCCL has no lockstep, so the file must state this
// order as dependencies.
TEST(MscclPrint, OrdersMessagesThatOnlyLockstepOrders) {
  int written = 0;
  for (const Machine& machine : shapes()) {
    for (const Bytes elements : {1, 6}) {
      try {
        const Schedule schedule = machine.compile("ring2d", Collective::kAllReduce,
                                                  4 * elements * machine.topology.num_accelerators());
        if (!schedule.ordered_by_lockstep) continue;
        const std::string text = to_msccl(machine.topology, schedule);
        EXPECT_EQ(MscclInterpreter(text).find_fault(8, 12), "") << machine.topology.name();
        ++written;
      } catch (const UnsupportedError&) {
        continue;
      }
    }
  }
  EXPECT_GT(written, 20);
}

TEST(MscclPrint, WritesAllToAllsThatAreRightInEveryOrder) {
  int written = 0;
  for (const Machine& machine : shapes()) {
    const Bytes n = machine.topology.num_accelerators();
    CompileRequest request = timed(machine.request(Collective::kAllGather, 8 * n * n));
    for (const AllToAllAlgorithm& algorithm : all_to_all_algorithms()) {
      try {
        const std::string text =
            all_to_all_to_msccl(machine.topology, compile_all_to_all(machine.topology, request, algorithm));
        EXPECT_EQ(MscclInterpreter(text).find_fault(2, 3), "")
            << algorithm.name << " on " << machine.topology.name();
        EXPECT_EQ(parse_msccl(text, "a.xml", machine.topology, request).size, 8 * n * n);
        ++written;
      } catch (const UnsupportedError&) {
        continue;
      }
    }
  }
  EXPECT_GT(written, 20);
}

}  // namespace
}  // namespace coppice::schedule
