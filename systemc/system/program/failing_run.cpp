#include "system/program/failing_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/pending/disjoint_sets.hpp>

#include "base/error.h"
#include "system/machine/build.h"
#include "system/process/child_process.h"
#include "system/program/job_programs.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;
using topology::NodeId;
using topology::Topology;

double to_ns(Femtoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
}

using Link = std::pair<NodeId, NodeId>;  // the smaller node number comes first

Link link_of(const topology::Channel& channel) {
  return std::minmax(channel.src, channel.dst);
}

// The connected components of a network without the failed links.
class Parts {
 public:
  Parts(const Topology& whole, const std::set<Link>& failed)
      : sets_(static_cast<std::size_t>(whole.num_nodes())) {
    for (const topology::Channel& channel : whole.channels()) {
      if (!failed.contains(link_of(channel))) join(link_of(channel));
    }
  }

  bool joined(const Link& link) { return set(link.first) == set(link.second); }
  void join(const Link& link) {
    sets_.union_set(static_cast<std::size_t>(link.first), static_cast<std::size_t>(link.second));
  }

 private:
  std::size_t set(NodeId node) { return sets_.find_set(static_cast<std::size_t>(node)); }

  boost::disjoint_sets_with_storage<> sets_;
};

// Removes the failed links, but keeps one link between any two components, since routes are computed between
// all nodes. Traffic within a component cannot use such a link, since no other link leads back.
Topology without_links(const Topology& whole, const std::set<Link>& failed) {
  Parts parts(whole, failed);
  std::set<Link> bridges;
  for (const Link& link : failed) {
    if (parts.joined(link)) continue;
    parts.join(link);
    bridges.insert(link);
  }
  Topology left(topology::Kind::kFile, {}, whole.num_accelerators(), whole.num_switches());
  for (const topology::Channel& channel : whole.channels()) {
    const Link link = link_of(channel);
    if (failed.contains(link) && !bridges.contains(link)) continue;
    left.add_channel(channel.src, channel.dst, channel.bandwidth, channel.latency);
  }
  return left;
}

class FailingRun {
 public:
  FailingRun(const config::Loaded& loaded, const workload::Program& program, const RunOptions& options,
             const RunStretch& run)
      : loaded_(loaded),
        options_(options),
        run_(run),
        whole_(build_topology(loaded)),
        program_(program),
        jobs_(jobs_of(loaded.config, program)),
        progress_{std::vector<int>(jobs_.size(), 0), std::vector<std::vector<double>>(jobs_.size()),
                  Json::array()},
        reasons_(jobs_.size()),
        stopped_ns_(jobs_.size()),
        failures_(loaded.config.program.failures) {
    for (const Job& job : jobs_) iterations_.push_back(iterations_of(program, job));
    if (program_.placement.empty()) {
      program_.placement.resize(program_.ranks.size());
      std::iota(program_.placement.begin(), program_.placement.end(), 0);
    }
    std::ranges::stable_sort(failures_, {}, &config::ProgramFailureConfig::at);
    for (const auto& failure : failures_) require_known(failure);
  }

  Json run() {
    std::size_t next = 0;
    while (!finished()) {
      std::optional<Femtoseconds> until;
      if (next < failures_.size()) until = failures_[next].at;
      if (until && *until <= begin_) {
        if (fail(failures_[next++])) begin_ = std::max(begin_, *until + loaded_.config.program.restart);
        continue;
      }
      const Progress before = progress_;
      if (!run_stretch(until)) break;
      if (next < failures_.size() && !finished()) {
        const auto& failure = failures_[next++];
        if (fail(failure)) {
          begin_ = failure.at + loaded_.config.program.restart;
        } else {
          progress_ = before;  // the failure stopped nothing, so repeat the stretch past it
        }
      }
    }
    for (; next < failures_.size(); ++next)
      report(failures_[next], "no effect, since the run had already ended");
    return result();
  }

 private:
  struct Progress {
    std::vector<int> done;                  // [job]: finished iterations
    std::vector<std::vector<double>> ends;  // [job]: the times at which these iterations ended, in ns
    Json stretches;
  };

  bool left(std::size_t job) const { return progress_.done[job] < iterations_[job] && reasons_[job].empty(); }
  bool finished() const {
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (left(job)) return false;
    }
    return true;
  }

  void require_known(const config::ProgramFailureConfig& failure) const {
    const auto refuse = [&](const std::string& what) {
      throw ConfigError(loaded_.place("program.failures"), "program.failures: " + what);
    };
    if (failure.link.empty()) {
      if (failure.accelerator < whole_.num_accelerators()) return;
      refuse(fmt::format("accelerator {} does not exist: the accelerators are 0 to {}", failure.accelerator,
                         whole_.num_accelerators() - 1));
    }
    for (const topology::Channel& channel : whole_.channels()) {
      if (link_of(channel) == Link(std::minmax(failure.link[0], failure.link[1]))) return;
    }
    refuse(fmt::format("nodes {} and {} have no link in {}: name two neighbours", failure.link[0],
                       failure.link[1], whole_.name()));
  }

  static std::string name(const config::ProgramFailureConfig& failure) {
    return failure.link.empty() ? fmt::format("accelerator {}", failure.accelerator)
                                : fmt::format("link {}-{}", failure.link[0], failure.link[1]);
  }

  void report(const config::ProgramFailureConfig& failure, const std::string& effect) {
    failures_reported_.push_back(
        {{"at_ns", to_ns(failure.at)}, {"failed", name(failure)}, {"effect", effect}});
  }

  void abandon(std::size_t job, const std::string& reason) {
    reasons_[job] = reason;
    stopped_ns_[job] = to_ns(failed_at_);
  }

  // Returns whether the failure stops the machine.
  bool fail(const config::ProgramFailureConfig& failure) {
    failed_at_ = failure.at;
    if (!failure.link.empty()) {
      links_.insert(std::minmax(failure.link[0], failure.link[1]));
      report(failure, "the run stopped");
      return true;
    }
    accelerators_.insert(failure.accelerator);
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      const auto first = program_.placement.begin() + jobs_[job].first_rank;
      const auto rank = std::find(first, first + jobs_[job].ranks, failure.accelerator);
      if (rank == first + jobs_[job].ranks || !left(job)) continue;
      const int spare = idle();
      if (spare >= 0) {
        *rank = spare;
        report(failure, fmt::format("the run stopped; its rank continued on accelerator {}", spare));
      } else {
        abandon(job, fmt::format("accelerator {} has failed and no other accelerator is idle",
                                 failure.accelerator));
        report(failure, "the run stopped; no other accelerator is idle");
      }
      return true;
    }
    report(failure, "no effect, since no rank ran on it");
    return false;
  }

  int idle() const {
    for (int at = 0; at < whole_.num_accelerators(); ++at) {
      if (accelerators_.contains(at)) continue;
      if (std::ranges::find(program_.placement, at) == program_.placement.end()) return at;
    }
    return -1;
  }

  // Gives up jobs whose ranks are no longer connected to each other.
  void end_those_cut() {
    if (links_.empty()) return;
    Parts parts(whole_, links_);
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      const auto first = program_.placement.begin() + jobs_[job].first_rank;
      const auto cut = std::find_if(first, first + jobs_[job].ranks, [&](NodeId at) {
        return !parts.joined({*first, at});
      });
      if (!left(job) || cut == first + jobs_[job].ranks) continue;
      abandon(job, fmt::format("the remaining links do not connect accelerators {} and {}", *first, *cut));
    }
  }

  // Runs the remaining work from begin_, up to `until` if it is set. Returns whether any job could run.
  bool run_stretch(std::optional<Femtoseconds> until) {
    end_those_cut();
    if (finished()) return false;
    std::vector<int> done = progress_.done;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (!left(job)) done[job] = iterations_[job];
    }
    const workload::Program program = without_iterations(program_, jobs_, done);
    std::vector<Job> jobs = jobs_;
    for (Job& job : jobs) job.arrival = std::max<Femtoseconds>(0, job.arrival - begin_);
    const Femtoseconds period = loaded_.config.system.clock.period();
    const Cycles stop = until ? std::max<Cycles>(1, (*until - begin_) / period) : 0;
    try {
      const Topology network = links_.empty() ? whole_ : without_links(whole_, links_);
      add(run_in_child([&] { return run_(program, jobs, network, stop); }, options_.interrupted), until);
      return true;
    } catch (const ConfigError& error) {
      if (links_.empty()) throw;
      for (std::size_t job = 0; job < jobs_.size(); ++job) {
        if (left(job)) abandon(job, std::string("on the remaining network: ") + error.what());
      }
      return false;
    }
  }

  static void shift_operations(Json& accelerators, double begin_ns) {
    for (Json& accelerator : accelerators) {
      if (!accelerator.contains("operations")) continue;
      for (Json& operation : accelerator["operations"]) {
        for (const char* time : {"ready_ns", "begin_ns", "end_ns"}) {
          operation[time] = operation[time].get<double>() + begin_ns;
        }
      }
    }
  }

  static void add_parts(Json& sum, const Json& parts) {
    if (sum.is_null()) sum = Json::object();
    for (const auto& [name, value] : parts.items()) {
      if (value.is_object()) {
        add_parts(sum[name], value);
      } else {
        sum[name] = sum.value(name, 0.0) + value.get<double>();
      }
    }
  }

  // Writes the work that failures destroyed, and the time between stretches during which the machine was
  // down.
  void write_losses(Json& json) const {
    Json lost = Json::object();
    double up = 0;
    for (const Json& stretch : progress_.stretches) {
      if (stretch.contains("lost")) add_parts(lost, stretch["lost"]);
      up += stretch["end_ns"].get<double>() - stretch["begin_ns"].get<double>();
    }
    json.erase("lost");
    if (!lost.empty()) json["lost"] = std::move(lost);
    json["down_ns"] = std::max(0.0, json["time_ns"].get<double>() - up);
  }

  // The result's `accelerators`, sorted by rank and summed over all stretches. Each rank is listed on the
  // accelerator on which it ran last.
  Json accelerators() const {
    Json all = Json::array();
    for (const Json& stretch : progress_.stretches) {
      for (std::size_t rank = 0; rank < stretch["accelerators"].size(); ++rank) {
        Json one = stretch["accelerators"][rank];
        if (rank == all.size()) {
          all.push_back(std::move(one));
          continue;
        }
        Json& sum = all[rank];
        sum["accelerator"] = one["accelerator"];
        for (const char* place : {"accelerator", "rank"}) one.erase(place);
        const Json operations = one.value("operations", Json::array());
        one.erase("operations");
        add_parts(sum, one);
        for (const Json& operation : operations) sum["operations"].push_back(operation);
      }
    }
    return all;
  }

  void add(Json stretch, std::optional<Femtoseconds> until) {
    const double begin_ns = to_ns(begin_);
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (!left(job)) continue;
      const Json& one = stretch["jobs"][job];
      for (const Json& end : one["iterations"]) {
        progress_.ends[job].push_back(begin_ns + end["end_ns"].get<double>());
        ++progress_.done[job];
      }
    }
    for (const char* list : {"collectives", "jobs"}) {
      for (Json& one : stretch[list]) {
        for (const char* time : {"arrival_ns", "begin_ns", "joined_ns", "end_ns"}) {
          if (one.contains(time)) one[time] = one[time].get<double>() + begin_ns;
        }
      }
    }
    shift_operations(stretch["accelerators"], begin_ns);
    const double end_ns = begin_ns + stretch["time_ns"].get<double>();
    Json kept{{"begin_ns", begin_ns}, {"end_ns", until && !finished() ? to_ns(*until) : end_ns}};
    for (const char* key :
         {"fidelity", "fidelity_reason", "fluid", "trains", "verified", "iterations", "lost", "collectives",
          "accelerators", "flits", "flit_hops", "link_utilization", "channels", "dimensions", "window_ns",
          "time_breakdown_cycles", "statistics", "profile"}) {
      if (stretch.contains(key)) kept[key] = stretch[key];
    }
    progress_.stretches.push_back(std::move(kept));
    last_ = std::move(stretch);
  }

  Json result() {
    if (last_.is_null()) {
      throw ConfigError(loaded_.place("program.failures"),
                        "program.failures: no job can run: " + reasons_.front());
    }
    Json json = std::move(last_);
    const Femtoseconds period = loaded_.config.system.clock.period();
    const double end = progress_.stretches.back()["end_ns"].get<double>();
    Json jobs = Json::array();
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      Json iterations = Json::array();
      for (const double one : progress_.ends[job]) iterations.push_back({{"end_ns", one}});
      const double last = progress_.ends[job].empty() ? 0 : progress_.ends[job].back();
      jobs.push_back({{"name", jobs_[job].name},
                      {"arrival_ns", to_ns(jobs_[job].arrival)},
                      {"end_ns", last},
                      {"iterations", std::move(iterations)},
                      {"of", iterations_[job]}});
      if (reasons_[job].empty()) continue;
      jobs.back()["unfinished"] = reasons_[job];
      jobs.back()["stopped_ns"] = stopped_ns_[job];
      json["warnings"].push_back(fmt::format("warning: {} finished only {} of {} iterations: {}",
                                             jobs_[job].name, progress_.done[job], iterations_[job],
                                             reasons_[job]));
    }
    std::size_t operations = 0;
    for (const workload::RankProgram& rank : program_.ranks) operations += rank.operations.size();
    json["program"]["operations"] = operations;
    json["time_ns"] = end;
    json["cycles"] = Cycles{
        std::llround(end * static_cast<double>(kFemtosecondsPerNanosecond) / static_cast<double>(period))};
    for (const char* list : {"iterations", "collectives"}) {
      json[list] = Json::array();
      for (const Json& stretch : progress_.stretches) {
        for (const Json& one : stretch[list]) json[list].push_back(one);
      }
    }
    for (const char* count : {"flits", "flit_hops"}) {
      std::int64_t sum = 0;
      for (const Json& stretch : progress_.stretches) sum += stretch[count].get<std::int64_t>();
      json[count] = sum;
    }
    json["accelerators"] = accelerators();
    write_losses(json);
    // Each stretch has its own machine, so these sections would describe only one stretch.
    for (const char* key : {"statistics", "dimensions", "window_ns", "time_breakdown_cycles", "profile"})
      json.erase(key);
    json["jobs"] = std::move(jobs);
    json["failures"] = failures_reported_;
    json["stretches"] = progress_.stretches;
    return json;
  }

  const config::Loaded& loaded_;
  const RunOptions& options_;
  const RunStretch& run_;
  Topology whole_;
  workload::Program program_;  // the remaining program, placed on the current accelerators
  std::vector<Job> jobs_;
  std::vector<int> iterations_;  // [job]: the number of iterations to run
  Progress progress_;
  std::vector<std::string> reasons_;  // [job]: why the job stays unfinished; empty if it does not
  std::vector<double> stopped_ns_;    // [job]: the time of the failure that left the job unfinished
  std::vector<config::ProgramFailureConfig> failures_;
  std::set<Link> links_;  // the links that have failed
  std::set<int> accelerators_;
  Femtoseconds begin_ = 0;      // the time at which the next stretch begins
  Femtoseconds failed_at_ = 0;  // the time of the last failure
  Json failures_reported_ = Json::array();
  Json last_;
};

}  // namespace

Json run_failing(const config::Loaded& loaded, const workload::Program& program, const RunOptions& options,
                 const RunStretch& run) {
  const auto refuse = [](const char* option, const std::string& path, const char* shown) {
    if (path.empty()) return;
    throw ConfigError({option}, fmt::format("a run with program.failures consists of several stretches, "
                                            "which a single {} cannot show: leave the option out",
                                            shown));
  };
  refuse("--trace", options.trace_path, "trace");
  refuse("--vcd", options.vcd_path, "value change dump");
  refuse("--fst", options.fst_path, "waveform");
  refuse("--statistics", options.statistics_path, "table of modules");
  return FailingRun(loaded, program, options, run).run();
}

}  // namespace coppice::system
