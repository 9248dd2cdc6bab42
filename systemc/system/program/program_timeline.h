#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "system/output/trace_writer.h"
#include "system/program/program_observers.h"
#include "system/program/program_state.h"

namespace coppice::system {

// How the accelerators of a program spent their time, from the times of their operations. At any time an
// accelerator computes, or accesses its memory. Otherwise, if an exchange that it has joined, sent or will
// receive is in flight between all its members, it is exposed to communication of that kind (of the first to
// begin). Otherwise, if members are still missing or the sender has not sent, it waits for others: the bubble
// of a pipeline, the skew of stragglers. Otherwise it is idle.
class ProgramTimeline {
 public:
  static constexpr std::int64_t kListedOperations = 20'000;

  // All references must outlive this object. `stop`: the cycle in which the run was stopped, which loses
  // unfinished work; 0: everything has ended.
  ProgramTimeline(const ProgramState& state, Femtoseconds period, Cycles stop = 0);

  // When the last operation ended, or the run was stopped.
  Cycles end() const;

  // A list of {time_ns, compute_ns, memory_ns, exposed_ns, exposed: {kind: ns}, bubble_ns, idle_ns}: means
  // over the ranks, which add up to the time. An iteration lasts from the end of the previous one, or from
  // the start, until the last operation of this or an earlier iteration has ended.
  nlohmann::ordered_json iterations() const;
  // Like an item of iterations(), for work lost at the stop: from the last finished iteration of a rank's
  // job, or from its arrival, up to the stop.
  nlohmann::ordered_json lost() const;
  // A list of {name, op, kind, group, bytes, algorithm, steps, begin_ns, joined_ns, end_ns, bandwidth_gb_s,
  // efficiency} of the collectives that have ended, then of the transfers, with {source, destination} instead
  // of a group. With `observers`, all-reduces whose chunks become final one by one also have gradients.
  nlohmann::ordered_json collectives(const ProgramObservers* observers = nullptr) const;
  // A list of {accelerator, rank, time_ns, compute_ns, memory_ns, exposed_ns, bubble_ns, idle_ns}, at a stop
  // with the lost_ns included in the time. Programs of at most kListedOperations operations also have
  // operations, a list of {name, ready_ns, begin_ns, end_ns} of those that have begun; they end at the stop
  // at the latest.
  nlohmann::ordered_json accelerators() const;

  // A list of {name, arrival_ns, end_ns, iterations: a list of {end_ns} of the iterations that have ended}.
  nlohmann::ordered_json jobs() const;

  // The activity of each group of ranks over time, for reports: {parts, names, lanes: [{ranks, spans}],
  // lanes_in_all, merged}. Ranks with equal operations share a lane, which shows the first of them. Spans are
  // packed (packed_numbers.h), four numbers each in cycles: begin relative to the previous begin, length,
  // part, name. If `merged`, short neighbours were merged; the name of a merged span is minus their number.
  // At most kMostLanes lanes and about kMostSpans spans.
  static constexpr std::size_t kMostLanes = 64;
  static constexpr std::size_t kMostSpans = 24'000;
  nlohmann::ordered_json lanes() const;

  // Adds a track for each rank's computation, and as many as needed for its operations in flight.
  void trace(TraceWriter& writer) const;

 private:
  enum class Part : std::uint8_t { kCompute, kMemory, kExposed, kWaiting };
  // An activity of a rank from `begin` to `end`, in cycles.
  struct Stretch {
    Cycles begin = 0;
    Cycles end = 0;
    Part part = Part::kCompute;
    std::size_t operation = 0;  // index in the rank
    std::string kind{};         // kind of exposed communication
  };
  struct Sums {
    double compute = 0;
    double memory = 0;
    double exposed = 0;
    double waiting = 0;
    double idle = 0;
    std::map<std::string, double> kinds{};
    void add(const Sums& other);
  };

  // An operation's times up to the stop; nullopt if it was not ready by then.
  std::optional<OperationTimes> until_stop(const OperationTimes& times) const;
  // The times at which the iterations of a job ended, by number, up to the first unfinished one.
  std::map<std::int32_t, Cycles> iteration_ends(const Job& job) const;
  // The time from which a job's work is lost; the stop if the job has ended.
  Cycles lost_from(const Job& job) const;
  std::vector<Stretch> stretches(int rank) const;
  void add_exchange(std::vector<Stretch>& list, std::size_t operation, const OperationTimes& times,
                    ni::ContextId id, const std::string& kind) const;
  // The ranks of each lane: those with equal operations.
  std::vector<std::vector<int>> alike() const;
  // A rank's time by activity from each of the ascending `ends` to the next, the first from the start; in one
  // sweep over any number of them.
  std::vector<Sums> sums(int rank, std::span<const Cycles> ends) const;
  // Counts `time` for the most important of the `active` stretches of `list`.
  static void add_time(Sums& sums, const std::vector<Stretch>& list,
                       const std::set<std::pair<Part, std::size_t>>& active, Cycles time);
  nlohmann::ordered_json to_json(const Sums& sums, double time, double over) const;
  nlohmann::ordered_json operations(int rank) const;
  double ns(double cycles) const;

  const ProgramState& state_;
  Femtoseconds period_;
  Cycles stop_;
  std::vector<std::vector<Stretch>> stretches_;  // [rank], sorted by begin
  std::vector<Cycles> ends_;                     // of iterations
};

}  // namespace coppice::system
