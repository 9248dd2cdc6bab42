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

// How accelerators spent their time, derived from the times of their operations. At any time, only the first
// of these activities counts: the accelerator computes; it accesses its memory; it communicates, because it
// sends or because all members of a collective or transfer have joined (exposed communication of the kind
// that began first); it waits for members to join or for a sender, because of a pipeline bubble or of
// stragglers; or it is idle.
class ProgramTimeline {
 public:
  static constexpr std::int64_t kListedOperations = 20'000;

  // All references must outlive this object. `stop`: the cycle in which the run was stopped and unfinished
  // work was lost; 0 if the run was not stopped.
  ProgramTimeline(const ProgramState& state, Femtoseconds period, Cycles stop = 0);

  // The cycle in which the last operation ended or in which the run was stopped.
  Cycles end() const;

  // A list of {time_ns, compute_ns, memory_ns, exposed_ns, exposed: {kind: ns}, bubble_ns, idle_ns}. Values
  // are means over the ranks, and the times by activity sum to time_ns. An iteration lasts from the end of
  // the previous one, or from the start, until the last operation of this or any earlier iteration has ended.
  nlohmann::ordered_json iterations() const;
  // Like an item of iterations(), for the work that was lost at the stop. It covers the time from the end of
  // the last finished iteration of each rank's job, or from the job's arrival, to the stop.
  nlohmann::ordered_json lost() const;
  // A list of {name, op, kind, group, bytes, algorithm, steps, begin_ns, joined_ns, end_ns, bandwidth_gb_s,
  // efficiency} for the collectives that have ended. The transfers follow, with {source, destination} instead
  // of a group. With `observers`, all-reduces whose chunks become final individually also have `gradients`.
  nlohmann::ordered_json collectives(const ProgramObservers* observers = nullptr) const;
  // A list of {accelerator, rank, time_ns, compute_ns, memory_ns, exposed_ns, bubble_ns, idle_ns}. After a
  // stop, items also have lost_ns, which is part of time_ns. In programs of at most kListedOperations
  // operations, they have `operations`, a list of {name, ready_ns, begin_ns, end_ns} for operations that have
  // begun, with times cut off at the stop.
  nlohmann::ordered_json accelerators() const;

  // A list of {name, arrival_ns, end_ns, iterations}, where `iterations` lists {end_ns} for each finished
  // iteration.
  nlohmann::ordered_json jobs() const;

  // The activity of ranks over time, for reports: {parts, names, lanes: [{ranks, spans}], lanes_in_all,
  // merged}. Ranks with equal operations share a lane, which shows the first of these ranks. A span is packed
  // (packed_numbers.h) as four numbers: its beginning in cycles, relative to that of the previous span; its
  // length in cycles; an index in `parts`; and its name. The name of a span that was merged from shorter ones
  // is minus the number of operations in it, and `merged` is then set. There are at most kMostLanes lanes and
  // about kMostSpans spans.
  static constexpr std::size_t kMostLanes = 64;
  static constexpr std::size_t kMostSpans = 24'000;
  nlohmann::ordered_json lanes() const;

  // Adds a track for each rank's computation, and enough further tracks that its other operations do not
  // overlap on any track.
  void trace(TraceWriter& writer) const;

 private:
  enum class Part : std::uint8_t { kCompute, kMemory, kExposed, kWaiting };
  // An activity of a rank from `begin` to `end`, in cycles.
  struct Stretch {
    Cycles begin = 0;
    Cycles end = 0;
    Part part = Part::kCompute;
    std::size_t operation = 0;  // index in the rank's program
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

  // An operation's times, cut off at the stop; nullopt if the operation was not ready by then.
  std::optional<OperationTimes> until_stop(const OperationTimes& times) const;
  // [iteration number]: when each of a job's iterations ended, up to the first unfinished one.
  std::map<std::int32_t, Cycles> iteration_ends(const Job& job) const;
  // The cycle after which a job's work is lost; the cycle of the stop if the job has ended.
  Cycles lost_from(const Job& job) const;
  std::vector<Stretch> stretches(int rank) const;
  void add_exchange(std::vector<Stretch>& list, std::size_t operation, const OperationTimes& times,
                    ni::ContextId id, const std::string& kind) const;
  // Groups a job's ranks into lanes of ranks with equal operations.
  std::vector<std::vector<int>> alike() const;
  // A rank's time by activity in each interval between consecutive `ends`, which are in ascending order. The
  // first interval begins at the start of the run. Computed in one sweep over the rank's stretches.
  std::vector<Sums> sums(int rank, std::span<const Cycles> ends) const;
  // Adds `time` to the activity of the first of the `active` stretches in `list`.
  static void add_time(Sums& sums, const std::vector<Stretch>& list,
                       const std::set<std::pair<Part, std::size_t>>& active, Cycles time);
  nlohmann::ordered_json to_json(const Sums& sums, double time, double over) const;
  nlohmann::ordered_json operations(int rank) const;
  double ns(double cycles) const;

  const ProgramState& state_;
  Femtoseconds period_;
  Cycles stop_;
  std::vector<std::vector<Stretch>> stretches_;  // [rank]: sorted by begin
  std::vector<Cycles> ends_;                     // the cycles in which iterations ended
};

}  // namespace coppice::system
