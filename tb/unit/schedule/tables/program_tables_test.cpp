#include "schedule/tables/program_tables.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hierarchical_machine.h"
#include "machine.h"
#include "schedule/proof/checker.h"
#include "schedule/proof/program_check.h"
#include "schedule/proof/symmetric_check.h"
#include "table_comparison.h"

namespace coppice::schedule {
namespace {

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
  // On small systems, themis_plus may choose all-gather orders that programs cannot express, so these cases
  // are skipped.
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

// A network interface executes entries without knowing their parents and children.
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

}  // namespace
}  // namespace coppice::schedule
