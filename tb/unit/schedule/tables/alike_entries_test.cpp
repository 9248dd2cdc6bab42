#include "schedule/tables/alike_entries.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "hierarchical_machine.h"
#include "machine.h"
#include "schedule/tables/ni_overhead.h"

namespace coppice::schedule {
namespace {

// All fields in which entries must agree to count as alike.
using Kind = std::tuple<NodeId, Op, NodeId, std::int32_t, std::int32_t, std::int32_t, Bytes, std::int32_t>;
struct Sum {
  std::int64_t count = 0;
  Bytes address = 0;
  std::int32_t step = 0;
  bool operator==(const Sum&) const = default;
};

class Sums {
 public:
  void add(NodeId node, const TableEntry& entry, std::int64_t count) {
    Sum& sum = sums_[{node, entry.op, entry.destination(), entry.route, entry.dependencies, entry.arrival,
                      entry.bytes, entry.padding}];
    sum.count += count;
    sum.address = std::max(sum.address, entry.address);
    sum.step = std::max(sum.step, entry.step);
  }
  bool operator==(const Sums&) const = default;

 private:
  std::map<Kind, Sum> sums_;
};

Sums sums_of_alike(const Schedule& schedule) {
  Sums sums;
  for_each_alike_entry(schedule, [&](NodeId node, const TableEntry& entry, std::int64_t count) {
    sums.add(node, entry, count);
  });
  return sums;
}

RC_GTEST_PROP(AlikeEntries, AreAllEntries, ()) {
  const HierarchicalMachine machine(random_dimensions());
  const int chunks = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 9));
  CompileRequest request = machine.request(random_collective(), random_data(machine, chunks), chunks);
  request.chunk_policy.scheduler = *rc::gen::element(ChunkScheduler::kBaseline, ChunkScheduler::kThemis);
  request.ni_ports = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, request.ni_ports + 1));
  request.pattern_beyond = 0;
  Schedule schedule = HierarchicalCompiler().compile(machine.topology, request);
  RC_ASSERT(ProgramTables::of_all(schedule) != nullptr);
  Sums all;
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    for (const Table& port : schedule.nodes[node].ports) {
      for (const TableEntry& entry : port) all.add(static_cast<NodeId>(node), entry, 1);
    }
  }
  RC_ASSERT(sums_of_alike(schedule) == all);
  const Bytes longest = longest_message(schedule);
  const auto overhead = to_json(ni_overhead(machine.topology, schedule, {longest / 16 + 1, 1}));
  for (auto& node : schedule.nodes) {
    for (Table& port : node.ports) port.entries();
  }
  RC_ASSERT(ProgramTables::of_all(schedule) == nullptr);
  RC_ASSERT(sums_of_alike(schedule) == all);
  RC_ASSERT(longest_message(schedule) == longest);
  RC_ASSERT(to_json(ni_overhead(machine.topology, schedule, {longest / 16 + 1, 1})) == overhead);
}

}  // namespace
}  // namespace coppice::schedule
