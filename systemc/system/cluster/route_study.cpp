// Simulates the jobs of a routing study and measures their all-reduces. Section numbers refer to "Routing for
// Large ML Models".
#include "system/cluster/route_study.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "system/cluster/cluster_plan.h"
#include "system/cluster/flow_paths.h"
#include "system/cluster/job_statistics.h"
#include "system/cluster/route_timeline.h"
#include "system/cluster/spine_routing.h"
#include "system/cluster/study_program.h"
#include "system/cluster/study_sample.h"
#include "system/cluster/timed_actions.h"
#include "system/machine/time_guard.h"
#include "system/output/link_utilization.h"
#include "system/output/result_frame.h"
#include "system/process/cost_meter.h"
#include "system/program/fluid_error.h"
#include "system/program/program_machine.h"

namespace coppice::system {
namespace {

using nlohmann::ordered_json;
using topology::NodeId;

double seconds(Femtoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerSecond);
}

// The configuration for the simulation: each network interface has one port and runs ring algorithms. A
// routing study ignores all other keys of interfaces, accelerators and programs.
config::Loaded machine_of(const config::Loaded& loaded) {
  config::Loaded machine = loaded;
  config::SystemConfig& system = machine.config.system;
  const config::SystemConfig usual;
  system.router.impl = usual.router.impl;
  system.ni.impl = usual.ni.impl;
  system.ni.ports = 1;
  system.ni.contexts = 1;
  system.accelerator = usual.accelerator;
  machine.config.program = {};
  machine.config.collective = {};
  machine.config.collective.algorithm = "ring";
  return machine;
}

config::Fidelity fidelity_of(const config::Config& config) {
  return config.fidelity == config::Fidelity::kFlit ? config.fidelity : config::Fidelity::kFluid;
}

RunOptions observed_by(ni::MessageObserver& observer, const RunOptions& options) {
  RunOptions observed = options;
  observed.message_observers.insert(observed.message_observers.begin(), &observer);
  return observed;
}

// Runs the study: models the controller that assigns paths to the flows, and delays each all-reduce until its
// hosts have paths.
class RouteStudy final : private ni::MessageObserver, private CollectiveGate {
 public:
  RouteStudy(const config::Loaded& loaded, const RunOptions& options, ClusterPlan plan)
      : loaded_(loaded),
        options_(observed_by(*this, options)),
        routing_(loaded.config.routing),
        plan_(std::move(plan)),
        clos_(plan_.topology),
        paths_(routing_, loaded.config.seed, loaded.config.system.router.vcs, clos_, plan_),
        machine_config_(machine_of(loaded)),
        program_(study_program(plan_.jobs, routing_.iterations)),
        program_jobs_(study_jobs(plan_.jobs)),
        prepared_(machine_config_, "routing.jobs", program_, program_jobs_, plan_.topology,
                  std::make_unique<SpineRouting>(clos_, loaded.config.system.router.vcs),
                  GroupRouting::kRouted),
        machine_({.loaded = machine_config_,
                  .program = program_,
                  .jobs = program_jobs_,
                  .prepared = prepared_,
                  .fidelity = fidelity_of(loaded.config),
                  .gate = this,
                  .paths = &paths_.table(),
                  .how_far = [this] { return unfinished(); }},
                 options_),
        conductor_("conductor", machine_.failure()),
        timeline_(machine_.trace(), names()) {
    paths_.attach(machine_.route_changes());
    for (std::size_t j = 0; j < plan_.jobs.size(); ++j) add_job(j);
  }

  ordered_json run() {
    const CostMeter cost;
    for (std::size_t j = 0; j < jobs_.size(); ++j) note(plan_.jobs[j].arrival, "arrival", j);
    for (const config::SpineFailureConfig& failure : routing_.failures) {
      conductor_.at(failure.at, [this, spine = failure.spine] { fail(spine); });
    }
    machine_.run();
    if (machine_.trace() != nullptr) machine_.trace()->finish();
    return result(cost);
  }

 private:
  struct StudiedJob {
    std::size_t first_rank = 0;
    std::int64_t messages = 0;                        // number of messages of one all-reduce
    std::vector<std::function<void(Cycles)>> begins;  // [rank of the job]; set for ranks that have joined
    std::size_t joined = 0;
    std::int64_t outstanding = 0;
    int iteration = 0;
    Femtoseconds started = 0;
    JobStatistics statistics;
  };

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const PlannedJob& job : plan_.jobs) names.push_back(job.name);
    return names;
  }

  void add_job(std::size_t j) {
    const PlannedJob& planned = plan_.jobs[j];
    StudiedJob job;
    job.first_rank = job_of_rank_.size();
    for (const auto& ring : planned.rings) {
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const auto& first = program_.ranks[job_of_rank_.size()].operations[1].work;
        const auto& join = std::get<workload::JoinCollective>(first);
        // Every member of a ring shares the ring's message count, so add it only once.
        if (i == 0) job.messages += state().exchange(state().context_of(join)).compiled->messages;
        job_of_rank_.push_back(j);
      }
    }
    job.begins.resize(job_of_rank_.size() - job.first_rank);
    jobs_.push_back(std::move(job));
  }

  const ProgramState& state() const { return machine_.state(); }

  // -- all-reduces: once all ranks of a job have joined, it requests paths, and then the all-reduces begin

  void join(int rank, std::int32_t /*collective*/, Cycles /*now*/,
            std::function<void(Cycles)> begin) override {
    const std::size_t j = job_of_rank_[static_cast<std::size_t>(rank)];
    StudiedJob& job = jobs_[j];
    job.begins[static_cast<std::size_t>(rank) - job.first_rank] = std::move(begin);
    if (++job.joined < job.begins.size()) return;
    job.joined = 0;
    // If several jobs make requests at the same time, serve the job with the lowest number first.
    requesting_.insert(j);
    conductor_.at(Conductor::now(),
                  [this] { request_paths(requesting_.extract(requesting_.begin()).value()); });
  }

  // Hosts report their new flows, and start sending when they have received paths or the timeout has passed
  // (Sec. 3.5.4).
  void request_paths(std::size_t j) {
    StudiedJob& job = jobs_[j];
    const Femtoseconds now = Conductor::now();
    job.started = now;
    note(now, "all_reduce_starts", j);
    paths_.begin(j);
    if (!paths_.controlled(j)) {
      start(j);
      return;
    }
    const Response response = respond(job.iteration > 0);
    const bool late = response.after > routing_.controller.timeout;
    note(now, "request", j,
         {{"flows", plan_.jobs[j].flows.size()}, {"message_bytes", plan_.jobs[j].message}});
    if (late) {
      conductor_.at(now + routing_.controller.timeout, [this, j] {
        ++fallbacks_;
        note(Conductor::now(), "late_answer_ecmp", j);
        start(j);
      });
    }
    answer(response, [this, j, late] {
      if (!late) start(j);
    });
  }

  void start(std::size_t j) {
    StudiedJob& job = jobs_[j];
    const Cycles cycle = Conductor::now() / machine_.fabric().period() + 1;
    job.outstanding = job.messages;
    for (const auto& begin : job.begins) begin(cycle);
  }

  void message_completed(const ni::MessageRecord& message) override {
    const std::size_t j = job_of_rank_[static_cast<std::size_t>(state().rank_on(message.src))];
    StudiedJob& job = jobs_[j];
    const Femtoseconds flow_time =
        (message.tail_ejected - message.head_injected) * machine_.fabric().period();
    job.statistics.add_flow(message.entry->bytes, flow_time);
    ++completed_;
    if (--job.outstanding == 0) conductor_.at(Conductor::now(), [this, j] { finish(j); });
  }

  void finish(std::size_t j) {
    StudiedJob& job = jobs_[j];
    paths_.end(j);
    job.statistics.add_all_reduce(Conductor::now() - job.started);
    note(Conductor::now(), "all_reduce_ends", j);
    // The controller also reassigns paths when flows end (Sec. 3.4).
    if (paths_.any_communicates() && paths_.controlled(j)) answer(respond(true), [] {});
    if (++job.iteration == routing_.iterations) note(Conductor::now(), "departure", j);
  }

  // -- the controller --------------------------------------------------------------------------------------

  struct Response {
    Femtoseconds after = 0;
    bool precomputed = false;
  };

  // The controller has precomputed the assignments that it can predict (Sec. 3.4.2): those for the next phase
  // of a job seen before, and those for any single failure. Precomputation is unfinished if flows changed
  // less than the controller's compute time ago.
  Response respond(bool predictable) {
    const Femtoseconds now = Conductor::now();
    const config::ControllerConfig& controller = routing_.controller;
    const bool ready = controller.precompute && predictable && now - last_change_ >= controller.compute_time;
    last_change_ = now;
    ++(ready ? predicted_ : surprises_);
    return {controller.round_trip + (ready ? 0 : controller.compute_time), ready};
  }

  // Assigns paths to all flows that are communicating, and delivers them to the hosts when the response
  // arrives.
  void answer(const Response& response, std::function<void()> then) {
    auto decision = std::make_shared<const FlowPaths::Decision>(paths_.decide());
    const std::int64_t number = ++asked_;
    const Femtoseconds at = Conductor::now() + response.after;
    conductor_.at(at, [this, decision, number, response, then = std::move(then)] {
      if (number > answered_) {
        answered_ = number;
        apply(*decision, response.precomputed);
      }
      then();
    });
  }

  void apply(const FlowPaths::Decision& decision, bool precomputed) {
    paths_.apply(decision);
    note(Conductor::now(), "assignment", std::nullopt,
         {{"flows", decision.flows.size()},
          {"precomputed", precomputed},
          {"moved", decision.answer.moved},
          {"max_load", decision.answer.max_load},
          {"lower_bound", decision.answer.lower_bound}});
  }

  // -- failures --------------------------------------------------------------------------------------------

  void fail(int spine) {
    note(Conductor::now(), "spine_fails", std::nullopt, {{"spine", spine}});
    paths_.fail(spine);
    conductor_.at(Conductor::now() + routing_.controller.detection, [this, spine] { recover(spine); });
  }

  // Hosts that have lost their path hash over live spines until the controller's answer arrives (Sec. 3.5.5).
  // The answer for any single failure is precomputed.
  void recover(int spine) {
    const FlowPaths::Fallback fallback = paths_.fall_back(spine);
    fallbacks_ += fallback.moved > 0 ? 1 : 0;
    note(Conductor::now(), "degraded_path_ecmp", std::nullopt, {{"spine", spine}, {"moved", fallback.moved}});
    if (fallback.communicates) answer(respond(true), [] {});
  }

  // -- result -----------------------------------------------------------------------------------------------

  std::string unfinished() const {
    std::string text;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      if (jobs_[j].iteration >= routing_.iterations) continue;
      text += fmt::format("{}job {} ({}) has finished {} of {} iterations", text.empty() ? "" : ", ", j,
                          plan_.jobs[j].name, jobs_[j].iteration, routing_.iterations);
    }
    return text;
  }

  void note(Femtoseconds time, const char* what, std::optional<std::size_t> job,
            const ordered_json& details = {}) {
    timeline_.note(time, what, job, details);
  }

  // The time of an all-reduce among D replicas that sends 2(D - 1) rounds of the largest chunk at the NIC's
  // rate.
  double ideal(const PlannedJob& job) const {
    const Bandwidth nic = plan_.topology.channels().front().bandwidth;
    return 2.0 * (job.replicas - 1) * static_cast<double>(job.message) /
           static_cast<double>(nic.bytes_per_second);
  }

  ordered_json result(const CostMeter& cost) {
    ordered_json jobs = ordered_json::array();
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      const PlannedJob& planned = plan_.jobs[j];
      ordered_json job{{"model", planned.name},
                       {"copy", planned.copy},
                       {"data_parallel", planned.replicas},
                       {"message_bytes", planned.message},
                       {"arrival_s", seconds(planned.arrival)},
                       {"compute_s", seconds(planned.compute)}};
      job.update(jobs_[j].statistics.to_json(ideal(planned)));
      jobs.push_back(std::move(job));
    }
    ordered_json json = begin_result("coppice.route/1", loaded_.config);
    json["verified"] = state().verified();
    json["fidelity"] = config::to_string(fidelity_of(loaded_.config));
    json["method"] = routing_.method;
    json["failed_spines"] = plan_.failed_spines;
    const ordered_json timeline = timeline_.to_json();
    json["time_s"] = timeline.back()["time_s"];
    json["jobs"] = std::move(jobs);
    json["controller"] = paths_.assignments().to_json();
    json["controller"]["predicted"] = predicted_;
    json["controller"]["surprises"] = surprises_;
    json["controller"]["fallbacks"] = fallbacks_;
    json["all_flows"] =
        compare_methods(routing::ClosLinks(clos_), paths_.table().flows(), loaded_.config.seed);
    json["messages"] = completed_;
    json["timeline"] = timeline;
    const fabric::FabricStatistics statistics = machine_.fabric().statistics();
    const double length = json["time_s"].get<double>() * static_cast<double>(kFemtosecondsPerSecond);
    write_channels(machine_config_.config.system, plan_.topology, statistics,
                   static_cast<Femtoseconds>(length), json);
    json["simulator"] = cost.to_json(statistics.flit_hops);
    const bool flits = fidelity_of(loaded_.config) == config::Fidelity::kFlit;
    if (!flits) json["simulator"].erase("flit_hops_per_s");  // flows are simulated, not flits
    return json;
  }

  const config::Loaded& loaded_;
  const RunOptions options_;
  const config::RoutingConfig& routing_;
  const ClusterPlan plan_;
  const topology::Clos clos_;
  FlowPaths paths_;
  const config::Loaded machine_config_;
  const workload::Program program_;
  const std::vector<Job> program_jobs_;
  PreparedProgram prepared_;
  ProgramMachine machine_;
  Conductor conductor_;
  RouteTimeline timeline_;
  std::vector<StudiedJob> jobs_;
  std::vector<std::size_t> job_of_rank_;
  std::set<std::size_t> requesting_;  // jobs that request paths in this cycle
  Femtoseconds last_change_ = 0;
  std::int64_t asked_ = 0;
  std::int64_t answered_ = 0;
  std::int64_t predicted_ = 0;
  std::int64_t surprises_ = 0;
  std::int64_t fallbacks_ = 0;
  std::int64_t completed_ = 0;
};

void require_fidelity(const config::Loaded& loaded) {
  const config::Fidelity fidelity = loaded.config.fidelity;
  if (fidelity == config::Fidelity::kTrain) {
    throw ConfigError(loaded.place("fidelity"),
                      "fidelity: train cannot simulate flows that share links: write fluid or flit");
  }
  if (fidelity == config::Fidelity::kLeap) {
    throw ConfigError(loaded.place("fidelity"),
                      "fidelity: leap does not support routing studies: write fluid or flit");
  }
  if (fidelity == config::Fidelity::kFlit && !loaded.config.routing.failures.empty()) {
    throw ConfigError(
        loaded.place("routing.failures"),
        "routing.failures: spines can fail during a run only at fidelity fluid: write fidelity: fluid");
  }
}

// The approximate maximum number of flit-hops in a study's sample, which takes about a second at flit
// fidelity.
constexpr double kStudiedFlitHops = 2e6;

// Measures the error of fluid times on a sample of the study; in the sample, paths are assigned without
// delay.
ordered_json measure_error(const config::Loaded& loaded, const RunOptions& options, const ClusterPlan& plan) {
  config::Loaded small = loaded;
  config::RoutingConfig& routing = small.config.routing;
  routing.iterations = 1;
  routing.failures.clear();
  routing.controller.round_trip = 0;
  routing.controller.compute_time = 0;
  const StudySample sample = sample_of(plan, loaded.config.system.flit, kStudiedFlitHops);
  const auto time = [&](config::Fidelity fidelity) -> ordered_json {
    small.config.fidelity = fidelity == config::Fidelity::kFluid ? fidelity : config::Fidelity::kFlit;
    RunOptions own;
    own.interrupted = options.interrupted;
    const ordered_json result = RouteStudy(small, own, sample.plan).run();
    double sum = 0;
    for (const ordered_json& job : result.at("jobs")) sum += job.at("all_reduce_s").get<double>();
    return {{"fidelity", result.at("fidelity")}, {"time_ns", sum * 1e9}};
  };
  return measure_fluid_error({{"scale", sample.scale}, {"all_reduces", plan.jobs.size()}}, time,
                             options.interrupted);
}

}  // namespace

ordered_json run_route_study(const config::Loaded& loaded, const RunOptions& options) {
  require_fidelity(loaded);
  return within_time(loaded, "routing.jobs", [&] {
    const ClusterPlan plan = plan_cluster(loaded);
    const bool fluid = fidelity_of(loaded.config) == config::Fidelity::kFluid;
    if (!fluid || !options.measures_fluid_error) return RouteStudy(loaded, options, plan).run();
    const ordered_json measured = measure_error(loaded, options, plan);
    ordered_json result = RouteStudy(loaded, options, plan).run();
    write_fluid_error(measured, result);
    return result;
  });
}

}  // namespace coppice::system
