#include "schedule/tables/program_tables.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "hierarchical_machine.h"
#include "machine.h"
#include "schedule/proof/checker.h"
#include "schedule/proof/program_check.h"
#include "schedule/proof/symmetric_check.h"
#include "table_comparison.h"

namespace coppice::schedule {
namespace {

using topology::DimensionKind;

CompileRequest random_request(const HierarchicalMachine& machine) {
  const int chunks = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 6));
  CompileRequest request = machine.request(random_collective(), random_data(machine, chunks), chunks);
  request.chunk_policy.scheduler =
      *rc::gen::element(ChunkScheduler::kBaseline, ChunkScheduler::kThemis, ChunkScheduler::kThemisPlus);
  request.ni_ports = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, request.ni_ports + 1));
  return request;
}

RC_GTEST_PROP(ProgramTables, HaveTheEntriesAndTheProofOfStoredOnes, ()) {
  const HierarchicalMachine machine(random_dimensions());
  CompileRequest request = random_request(machine);
  request.pattern_beyond = 0;
  const Schedule shared = HierarchicalCompiler().compile(machine.topology, request);
  // themis_plus may let all-gathers of small systems go their own way, which programs do not express.
  RC_PRE(has_patterns(shared) || request.chunk_policy.scheduler != ChunkScheduler::kThemisPlus);
  request.pattern_beyond = 1 << 20;
  const Schedule stored = HierarchicalCompiler().compile(machine.topology, request);
  RC_ASSERT(has_patterns(shared));
  RC_ASSERT(!has_patterns(stored));
  require_same_tables(shared, stored);
  const ProgramTables* tables = alike_programs(machine.topology, shared);
  RC_ASSERT(tables != nullptr);
  const auto report = check_programs(machine.topology, shared, *tables);
  RC_ASSERT(report.has_value());
  require_same_report(*report, check_schedule(machine.topology, stored));
}

// An interface executes the entry without its family.
RC_GTEST_PROP(ProgramTables, ReadMessagesWithTheirDestination, ()) {
  const HierarchicalMachine machine(random_dimensions());
  CompileRequest request = random_request(machine);
  request.pattern_beyond = 0;
  const Schedule schedule = HierarchicalCompiler().compile(machine.topology, request);
  TableEntry whole;
  TableEntry message;
  for (const NodeTables& node : schedule.nodes) {
    for (const Table& table : node.ports) {
      for (std::size_t i = 0; i < table.size(); ++i) {
        table.read(i, whole);
        table.read_message(i, message);
        RC_ASSERT(message.destination() == whole.destination());
        message.parent = whole.parent;
        message.children = whole.children;
        RC_ASSERT(same(message, whole));
        RC_ASSERT(message.route == whole.route);
      }
    }
  }
}

class AlteredProgramsTest : public testing::Test {
 protected:
  AlteredProgramsTest() {
    CompileRequest request = machine_.request(Collective::kAllReduce, Bytes{4} * 32 * 3 * 7, 3);
    request.pattern_beyond = 0;
    schedule_ = HierarchicalCompiler().compile(machine_.topology, request);
  }

  const ProgramTables& tables() const {
    return dynamic_cast<const ProgramTables&>(*schedule_.nodes[0].ports[0].source());
  }
  // The same turns but for what `change` does to them.
  template <typename Change>
  void alter(Change change) {
    ProgramTables::Spec spec;
    spec.programs = tables().programs();
    const ChunkProgram& program = spec.programs.begin()->second;
    for (const auto& [key, sizes] : tables().sizes()) spec.sizes[{&program, key.second}] = sizes;
    for (const auto& chunk : tables().chunks()) {
      spec.chunks.push_back(
          {&program, &spec.sizes.at({&program, chunk.sizes->bounds.back()}), chunk.address});
    }
    for (std::size_t slot = 0; slot < tables().slots(); ++slot) {
      spec.slots.emplace_back(tables().turns(slot).begin(), tables().turns(slot).end());
    }
    change(spec);
    const auto altered = std::make_shared<const ProgramTables>(tables().moves(), std::move(spec));
    for (NodeTables& node : schedule_.nodes) {
      for (Table& table : node.ports) table = Table(altered, table.slot(), table.node());
    }
  }
  void refuses(const std::string& what) {
    EXPECT_THAT([&] { check_schedule(machine_.topology, schedule_); },
                testing::ThrowsMessage<ScheduleError>(testing::HasSubstr(what)));
  }

  HierarchicalMachine machine_{{dimension(DimensionKind::kRing, 4), dimension(DimensionKind::kSwitch, 4)}};
  Schedule schedule_;
};

TEST_F(AlteredProgramsTest, UnchangedAreRight) {
  alter([](ProgramTables::Spec&) {});
  const ProgramTables* tables = alike_programs(machine_.topology, schedule_);
  ASSERT_NE(tables, nullptr);
  EXPECT_TRUE(check_programs(machine_.topology, schedule_, *tables).has_value());
}

TEST_F(AlteredProgramsTest, AreRefusedForAMissingTurn) {
  alter([](ProgramTables::Spec& spec) { spec.slots.front().pop_back(); });
  refuses("");
}

TEST_F(AlteredProgramsTest, AreRefusedForATurnTakenTwice) {
  alter([](ProgramTables::Spec& spec) { spec.slots[0][1] = spec.slots[0][0]; });
  refuses("");
}

TEST_F(AlteredProgramsTest, AreRefusedForTurnsThatWaitForEachOther) {
  alter([](ProgramTables::Spec& spec) { std::ranges::reverse(spec.slots.front()); });
  refuses("waits for");
}

TEST_F(AlteredProgramsTest, AreRefusedForAGapBetweenChunks) {
  alter([](ProgramTables::Spec& spec) { spec.chunks[1].address += 4; });
  refuses("no message carries them");
}

TEST_F(AlteredProgramsTest, AreRefusedForARouteToElsewhere) {
  alter([](ProgramTables::Spec& spec) {
    ChunkProgram& program = spec.programs.begin()->second;
    program.set_route(5, 0, program.move(5, 1).route);
  });
  EXPECT_EQ(alike_programs(machine_.topology, schedule_), nullptr);
  refuses("its route leads to");
}

TEST_F(AlteredProgramsTest, AreProvenOneByOneWithATableOfItsOwn) {
  schedule_.nodes[3].ports[0].entries();
  EXPECT_EQ(alike_programs(machine_.topology, schedule_), nullptr);
  check_schedule(machine_.topology, schedule_);
}

TEST_F(AlteredProgramsTest, AreProvenOneByOneOverUnevenChannels) {
  const topology::Topology& even = machine_.topology;
  topology::Topology uneven(even.kind(), even.dims(), even.num_accelerators(), even.num_switches());
  for (const topology::Channel& channel : even.channels()) {
    uneven.add_channel(channel.src, channel.dst, channel.bandwidth,
                       channel.latency + (channel.src == 7 ? 1 : 0), channel.dimension);
  }
  EXPECT_NE(alike_programs(even, schedule_), nullptr);
  EXPECT_EQ(alike_programs(uneven, schedule_), nullptr);
  check_schedule(uneven, schedule_);
}

}  // namespace
}  // namespace coppice::schedule
