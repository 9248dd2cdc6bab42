#include "schedule/proof/checker.h"

#include <fmt/format.h>

#include "schedule/proof/contention.h"
#include "schedule/proof/data_proof.h"
#include "schedule/proof/program_check.h"
#include "schedule/proof/replay.h"
#include "schedule/proof/symmetric_check.h"
#include "schedule/proof/tree_check.h"

namespace coppice::schedule {

using topology::Topology;

std::string to_string(const Topology& topology, const SharedChannel& shared) {
  std::string what;
  if (shared.channel >= 0) {
    const topology::Channel& channel = topology.channel(shared.channel);
    what = fmt::format("channel {}->{} (port {})", channel.src, channel.dst, channel.src_port);
  } else {
    what = fmt::format("{} port {} of accelerator {}", shared.ejection ? "ejection" : "injection",
                       shared.ni_port, shared.node);
  }
  if (shared.late) {
    return fmt::format("{} in step {}: messages of an earlier step may still be on it", what, shared.step);
  }
  return fmt::format("{} in step {}: {} messages", what, shared.step, shared.messages);
}

namespace {

// Requires that a schedule with several copies of the data (Schedule::copies) is a reduce-scatter that leaves
// one copy with every accelerator.
void require_copies(const Schedule& schedule) {
  const auto refuse = [&](const std::string& reason) {
    throw ScheduleError(
        fmt::format("the schedule reduces {} copies of the data, but {}", schedule.copies, reason));
  };
  if (schedule.collective != Collective::kReduceScatter) {
    refuse(fmt::format("its collective is {}, not reduce_scatter", to_string(schedule.collective)));
  }
  if (schedule.copies != schedule.accelerators()) {
    refuse(fmt::format("there are {} accelerators", schedule.accelerators()));
  }
  std::vector<Bytes> owned(static_cast<std::size_t>(schedule.copies));
  for (const Share& share : share_out(schedule)) {
    if (share.owner < schedule.copies) owned[static_cast<std::size_t>(share.owner)] += share.data.bytes;
  }
  for (int owner = 0; owner < schedule.copies; ++owner) {
    const Bytes bytes = owned[static_cast<std::size_t>(owner)];
    if (bytes * schedule.copies == schedule.size) continue;
    refuse(fmt::format("accelerator {} owns {} of {} bytes instead of an equal share", owner, bytes,
                       schedule.size));
  }
}

}  // namespace

CheckReport check_schedule(const Topology& topology, const Schedule& schedule) {
  if (schedule.copies != 1) require_copies(schedule);
  if (schedule.element < 1 || schedule.size < 0 || schedule.size % schedule.element != 0) {
    throw ScheduleError(fmt::format("a buffer of {} bytes does not consist of whole elements of {} bytes",
                                    schedule.size, schedule.element));
  }
  if (const TablePattern* pattern = symmetry_of(topology, schedule)) {
    return check_symmetric(topology, schedule, *pattern);
  }
  if (const ProgramTables* tables = alike_programs(topology, schedule)) {
    if (auto report = check_programs(topology, schedule, *tables)) return *std::move(report);
  }
  if (const TreeTables* tables = tree_tables_of(topology, schedule)) {
    if (auto report = check_trees(topology, schedule, *tables)) return *std::move(report);
  }
  if (has_patterns(schedule)) return check_schedule(topology, with_stored_entries(schedule));
  std::vector<Message> messages = collect_messages(topology, schedule);
  CheckReport report;
  replay(schedule, messages);
  find_contention(topology, schedule, messages, report);
  report.additions = prove_data(schedule, messages);
  return report;
}

}  // namespace coppice::schedule
