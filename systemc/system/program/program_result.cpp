#include "system/program/program_result.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "schedule/compile/latency_model.h"
#include "schedule/registry.h"
#include "schedule/tables/detour_nodes.h"
#include "system/machine/attainable.h"
#include "system/machine/build.h"
#include "system/output/dimension_load.h"
#include "system/output/leaps.h"
#include "system/output/link_utilization.h"
#include "system/output/possible.h"
#include "system/output/result.h"
#include "system/output/result_frame.h"
#include "system/process/auto_fidelity.h"
#include "system/program/folding/copy_counts.h"

namespace coppice::system {
namespace {

using nlohmann::ordered_json;
using topology::NodeId;

// The program's only collective; nullptr if the program contains anything else.
const CompiledCollective* only_collective(const ProgramState& state) {
  const workload::Program& program = state.program();
  const bool one = program.collectives.size() == 1 && program.transfers.empty() &&
                   std::ranges::all_of(program.ranks, [](const workload::RankProgram& rank) {
                     return rank.operations.size() == 1;
                   });
  return one ? state.exchange(1).compiled : nullptr;
}

class Record {
 public:
  Record(const ProgramSetup& setup, const ProgramMachine& machine, const ProgramTimeline& timeline)
      : setup_(setup),
        machine_(machine),
        timeline_(timeline),
        topology_(setup.prepared.topology),
        only_(only_collective(machine.state())),
        detailed_(!is_collective(setup.program)),
        cycles_(detailed_ ? timeline.end() : machine.observers().last()),
        json_(begin_result("coppice.result/1", config())) {}

  ordered_json write(const std::string& statistics_path, const CostMeter& cost) {
    write_what_ran();
    if (only_ != nullptr) write_schedule();
    json_["cycles"] = cycles_;
    json_["time_ns"] = time_ns();
    if (detailed_) write_program();
    if (only_ != nullptr) write_bandwidth();
    write_moved();
    if (only_ != nullptr) {
      json_["ni_overhead"] = schedule::to_json(ni_overhead(config().system, topology_, only_->schedule));
    }
    if (machine_.complete())
      json_["time_breakdown_cycles"] = machine_.observers().breakdown().to_json(cycles_);
    end_result(json_, machine_.machine(), statistics_path, cost);
    if (setup_.copies != nullptr) count_copies(*setup_.copies, json_);
    write_account();
    require_possible(json_, only_ != nullptr && machine_.complete()
                                ? framed_bound_ns(framing(), only_->bandwidth_ns, only_->least.latency_ns)
                                : 0);
    return std::move(json_);
  }

 private:
  const config::Config& config() const { return setup_.loaded.config; }
  fabric::Framing framing() const { return framing_of(config().system); }
  const ProgramState& state() const { return machine_.state(); }
  double time_ns() const {
    return static_cast<double>(cycles_) * static_cast<double>(machine_.fabric().period()) /
           static_cast<double>(kFemtosecondsPerNanosecond);
  }

  void write_what_ran() {
    const workload::Program& program = setup_.program;
    // A configuration copied from a result may already contain the program's assumptions.
    for (const std::string& assumption : program.assumptions) {
      auto& all = json_["assumptions"];
      if (std::find(all.begin(), all.end(), assumption) == all.end()) all.push_back(assumption);
    }
    if (detailed_) {
      json_["program"] = {{"name", program.name},
                          {"ranks", program.ranks.size()},
                          {"operations", state().operations()},
                          {"messages", state().messages()}};
    }
    json_["verified"] = state().verified();
    const CheckedElements checked = only_ != nullptr ? state().exchange(1).checked : CheckedElements{};
    if (checked.elements > 0) {
      json_["verified_sample"] = {{"elements", checked.elements}, {"of", checked.of}};
    }
    json_["fidelity"] = config::to_string(setup_.fidelity);
  }

  void write_schedule() {
    // Messages that share no channel on the group's own network may still share one on the machine.
    const bool met = detailed_ && (setup_.fidelity != config::Fidelity::kTrain ||
                                   (setup_.meetings != nullptr && !setup_.meetings->given().empty()));
    json_["contention_free"] = only_->report.contention_free && !met;
    json_["steps"] = only_->schedule.steps;
    if (only_->schedule.chunks > 0) json_["chunks"] = only_->schedule.chunks;
  }

  void write_program() {
    json_["iterations"] = timeline_.iterations();
    if (!machine_.complete()) json_["lost"] = timeline_.lost();
    json_["collectives"] = timeline_.collectives(&machine_.observers());
    if (!config().program.jobs.empty() || !config().program.failures.empty())
      json_["jobs"] = timeline_.jobs();
    json_["accelerators"] = timeline_.accelerators();
    if (machine_.passes().limited()) json_["passes"] = passes();
  }

  // How many passes over layers were timed by the formula, how many tile by tile, and how long network
  // interfaces delayed the latter.
  ordered_json passes() const {
    const SharedPasses& passes = machine_.passes();
    const double ns = static_cast<double>(passes.delay()) * static_cast<double>(machine_.fabric().period()) /
                      static_cast<double>(kFemtosecondsPerNanosecond);
    return {{"formula", passes.by_formula()},
            {"tiles", passes.by_tiles()},
            {"delayed_ns", ns / static_cast<double>(setup_.program.ranks.size())}};
  }

  void write_bandwidth() {
    const double time = time_ns();
    const auto members = static_cast<int>(only_->accelerators.size());
    const Bytes bytes = detailed_ ? setup_.program.collectives.front().bytes : only_->schedule.data_size();
    const double algbw = time > 0 ? static_cast<double>(bytes) / time : 0.0;
    json_["algbw_gb_s"] = algbw;
    json_["busbw_gb_s"] = algbw * bus_factor(only_->op, members);
    auto groups = ordered_json::array();
    for (const auto& group : only_->least.bandwidth.groups) {
      auto list = ordered_json::array();
      for (const NodeId member : group) list.push_back(only_->accelerators[static_cast<std::size_t>(member)]);
      groups.push_back(std::move(list));
    }
    const double latency_ns = only_->least.latency_ns;
    json_["bound"] = {{"time_ns", only_->bandwidth_ns},
                      {"latency_ns", latency_ns},
                      {"attainable", attainable_efficiency(framing(), only_->bandwidth_ns, latency_ns)},
                      {"groups", groups}};
    json_["efficiency"] = time > 0 ? only_->least_ns / time : 1.0;
  }

  void write_moved() {
    const fabric::FabricStatistics& statistics = machine_.fabric().statistics();
    json_["flits"] = statistics.flits_injected;
    json_["flit_hops"] = statistics.flit_hops;
    // After a stop, skip these sections, in which unfinished collectives would count in full.
    if (!machine_.complete()) return;
    const Femtoseconds end = cycles_ * machine_.fabric().period();
    if (setup_.copies == nullptr) {
      write_channels(config().system, topology_, statistics, end, json_);
    } else {
      const FoldedCopies& copies = *setup_.copies;
      write_channels(config().system, copies.machine, of_all_channels(copies, statistics), end, json_);
    }
    if (topology_.dimension_kinds().empty()) return;
    DimensionLoad load(topology_);
    for (ni::ContextId id = 1; id <= state().exchanges(); ++id) {
      const CompiledCollective* const compiled = state().exchange(id).compiled;
      if (compiled != nullptr) load.add(compiled->schedule, compiled->interfaces);
    }
    load.write(machine_.observers().activity(), end, json_);
  }

  // Writes the predicted times, leaps, gradients and chosen algorithm.
  void write_account() {
    if (only_ != nullptr) predict();
    if (setup_.fidelity == config::Fidelity::kLeap) {
      const Machine& machine = machine_.machine();
      json_["leap"] = leaps(cycles_, machine.leapt(), topology_.num_nodes(), machine.stretched());
    }
    write_flits_beside_trains(setup_.meetings, json_);
    if (only_ == nullptr) return;
    if (auto gradients = machine_.observers().gradients(1); !gradients.is_null()) {
      json_["gradients"] = std::move(gradients);
    }
    write_choice(only_->expected, json_);
    if (!setup_.prepared.alone) return;  // a group's tables are in its network's order, not the machine's
    const auto through = schedule::forwarders(topology_, only_->schedule);
    if (!through.empty()) json_["forwarding"] = through;
  }

  // Writes the times that C-Cube's equations predict for ring and tree algorithms on the whole network.
  void predict() {
    if (!setup_.prepared.alone || only_->op == workload::CollectiveOp::kAllToAll) return;
    const auto model = schedule::cost_model(topology_, step_latency(config().system, topology_));
    const auto predicted = schedule::predicted_ns(model, only_->schedule);
    if (!predicted) return;
    json_["cost_model"] = {
        {"alpha_ns", model.alpha_ns}, {"beta_ns_per_byte", model.beta_ns_per_byte}, {"time_ns", *predicted}};
  }

  const ProgramSetup& setup_;
  const ProgramMachine& machine_;
  const ProgramTimeline& timeline_;
  const topology::Topology& topology_;
  const CompiledCollective* only_;
  bool detailed_;  // whether the result lists operations
  Cycles cycles_;
  ordered_json json_;
};

}  // namespace

bool is_collective(const workload::Program& program) {
  return program.collectives.size() == 1 && program.collectives.front().as_configured;
}

ordered_json make_result(const ProgramSetup& setup, const ProgramMachine& machine,
                         const ProgramTimeline& timeline, const std::string& statistics_path,
                         const CostMeter& cost) {
  return Record(setup, machine, timeline).write(statistics_path, cost);
}

}  // namespace coppice::system
