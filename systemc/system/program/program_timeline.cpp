#include "system/program/program_timeline.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "system/output/packed_numbers.h"

namespace coppice::system {
namespace {

using nlohmann::ordered_json;
using workload::Operation;

const std::string& kind_or_other(const std::string& kind) {
  static const std::string none = "other";
  return kind.empty() ? none : kind;
}

// A section of a lane in a report. `name` is the operation's index, or minus the number of operations that
// have been merged into the span.
struct Span {
  Cycles begin;
  Cycles end;
  std::size_t part;
  std::int64_t name;
};

// Merges spans of the same kind of activity across gaps, the smallest gaps first, until at most `most` spans
// are left or all remaining gaps would be visible on a screen. Returns whether any spans were merged.
bool join_spans(std::vector<Span>& spans, std::size_t most, Cycles end) {
  bool joined = false;
  for (Cycles gap = std::max<Cycles>(1, end / 8192); spans.size() > most && gap < end / 64; gap *= 2) {
    std::vector<Span> kept;
    std::map<std::size_t, std::size_t> last;  // [kind of activity]: index in `kept` of its last span
    for (const Span& span : spans) {
      const auto before = last.find(span.part);
      if (before == last.end() || span.begin - kept[before->second].end > gap) {
        last[span.part] = kept.size();
        kept.push_back(span);
        continue;
      }
      Span& all = kept[before->second];
      all.end = std::max(all.end, span.end);
      all.name = -((all.name < 0 ? -all.name : 1) + (span.name < 0 ? -span.name : 1));
    }
    spans = std::move(kept);
    joined = true;
  }
  return joined;
}

}  // namespace

ProgramTimeline::ProgramTimeline(const ProgramState& state, Femtoseconds period, Cycles stop)
    : state_(state), period_(period), stop_(stop) {
  std::map<std::int32_t, Cycles> ends;
  std::int32_t cut = std::numeric_limits<std::int32_t>::max();  // the first iteration that has not ended
  const auto& ranks = state.program().ranks;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto& times = state.times(static_cast<int>(rank));
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::int32_t iteration = ranks[rank].operations[i].iteration;
      Cycles& end = ends[iteration];
      end = std::max(end, times[i].ended);
      if (times[i].ended < 0) cut = std::min(cut, iteration);
    }
    stretches_.push_back(stretches(static_cast<int>(rank)));
  }
  ends.erase(ends.lower_bound(cut), ends.end());
  for (const auto& [iteration, end] : ends) ends_.push_back(std::max(end, ends_.empty() ? 0 : ends_.back()));
}

Cycles ProgramTimeline::end() const {
  if (stop_ > 0) return stop_;
  return ends_.empty() ? 0 : ends_.back();
}

std::optional<OperationTimes> ProgramTimeline::until_stop(const OperationTimes& times) const {
  if (times.ready < 0 || (stop_ > 0 && times.ready >= stop_)) return std::nullopt;
  if (times.ended >= 0) return times;
  OperationTimes cut = times;
  cut.ended = stop_;
  if (cut.begun < 0) cut.begun = stop_;
  return cut;
}

double ProgramTimeline::ns(double cycles) const {
  return cycles * static_cast<double>(period_) / static_cast<double>(kFemtosecondsPerNanosecond);
}

void ProgramTimeline::Sums::add(const Sums& other) {
  compute += other.compute;
  memory += other.memory;
  exposed += other.exposed;
  waiting += other.waiting;
  idle += other.idle;
  for (const auto& [kind, cycles] : other.kinds) kinds[kind] += cycles;
}

// Adds a member's waiting time, which ends when the last member joins, and the communication after that.
void ProgramTimeline::add_exchange(std::vector<Stretch>& list, std::size_t operation,
                                   const OperationTimes& times, ni::ContextId id,
                                   const std::string& kind) const {
  const ExchangeState& exchange = state_.exchange(id);
  const std::size_t members = exchange.compiled == nullptr ? 1 : exchange.compiled->accelerators.size();
  const bool complete = static_cast<std::size_t>(exchange.joined) >= members;
  const Cycles all = complete ? std::clamp(exchange.last_joined, times.ready, times.ended) : times.ended;
  list.push_back({times.ready, all, Part::kWaiting, operation});
  list.push_back({all, times.ended, Part::kExposed, operation, kind_or_other(kind)});
}

std::vector<ProgramTimeline::Stretch> ProgramTimeline::stretches(int rank) const {
  const workload::Program& program = state_.program();
  const auto& operations = program.ranks[static_cast<std::size_t>(rank)].operations;
  std::vector<Stretch> list;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto seen = until_stop(state_.times(rank)[i]);
    if (!seen) continue;
    const OperationTimes& times = *seen;
    const auto& work = operations[i].work;
    if (std::holds_alternative<workload::Compute>(work)) {
      list.push_back({times.begun, times.ended, Part::kCompute, i});
    } else if (std::holds_alternative<workload::MemoryAccess>(work)) {
      list.push_back({times.begun, times.ended, Part::kMemory, i});
    } else if (const auto* join = std::get_if<workload::JoinCollective>(&work)) {
      add_exchange(list, i, times, state_.context_of(*join),
                   program.collectives[static_cast<std::size_t>(join->collective)].kind);
    } else if (const auto* send = std::get_if<workload::Send>(&work)) {
      // The sender starts at once, whether or not the receiver is ready, so it has no waiting time.
      const auto& kind = program.transfers[static_cast<std::size_t>(send->transfer)].kind;
      list.push_back({times.ready, times.ended, Part::kExposed, i, kind_or_other(kind)});
    } else if (const auto* receive = std::get_if<workload::Receive>(&work)) {
      add_exchange(list, i, times, state_.context_of_transfer(receive->transfer),
                   program.transfers[static_cast<std::size_t>(receive->transfer)].kind);
    }
  }
  std::erase_if(list, [](const Stretch& stretch) { return stretch.begin >= stretch.end; });
  std::ranges::stable_sort(list, {}, &Stretch::begin);
  return list;
}

// While several activities overlap, only the first of them in the order of Part counts. Among exposed
// collectives and transfers, only the first to begin counts.
std::vector<ProgramTimeline::Sums> ProgramTimeline::sums(int rank, std::span<const Cycles> ends) const {
  struct Event {
    Cycles at;
    std::size_t stretch;
    bool begins;
  };
  const auto& list = stretches_[static_cast<std::size_t>(rank)];
  std::vector<Event> events;
  events.reserve(2 * list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    events.push_back({list[i].begin, i, true});
    events.push_back({list[i].end, i, false});
  }
  std::ranges::sort(events, {}, &Event::at);
  std::vector<Sums> parts(ends.size());
  std::set<std::pair<Part, std::size_t>> active;
  Cycles at = 0;
  std::size_t window = 0;
  const auto pass = [&](Cycles until) {
    while (window < ends.size() && ends[window] <= until) {
      add_time(parts[window], list, active, ends[window] - std::exchange(at, ends[window]));
      ++window;
    }
    if (window < ends.size()) add_time(parts[window], list, active, until - std::exchange(at, until));
  };
  for (const Event& event : events) {
    pass(event.at);
    const std::pair one{list[event.stretch].part, event.stretch};
    if (event.begins) {
      active.insert(one);
    } else {
      active.erase(one);
    }
  }
  if (!ends.empty()) pass(ends.back());
  return parts;
}

void ProgramTimeline::add_time(Sums& sums, const std::vector<Stretch>& list,
                               const std::set<std::pair<Part, std::size_t>>& active, Cycles time) {
  const auto cycles = static_cast<double>(time);
  if (cycles == 0) return;
  if (active.empty()) {
    sums.idle += cycles;
    return;
  }
  const auto [part, stretch] = *active.begin();
  switch (part) {
    case Part::kCompute:
      sums.compute += cycles;
      break;
    case Part::kMemory:
      sums.memory += cycles;
      break;
    case Part::kExposed:
      sums.exposed += cycles;
      sums.kinds[list[stretch].kind] += cycles;
      break;
    case Part::kWaiting:
      sums.waiting += cycles;
      break;
  }
}

ordered_json ProgramTimeline::to_json(const Sums& sums, double time, double over) const {
  ordered_json json{{"time_ns", ns(time)},
                    {"compute_ns", ns(sums.compute / over)},
                    {"memory_ns", ns(sums.memory / over)},
                    {"exposed_ns", ns(sums.exposed / over)},
                    {"bubble_ns", ns(sums.waiting / over)},
                    {"idle_ns", ns(sums.idle / over)},
                    {"exposed", ordered_json::object()}};
  for (const auto& [kind, cycles] : sums.kinds) json["exposed"][kind] = ns(cycles / over);
  return json;
}

ordered_json ProgramTimeline::iterations() const {
  std::vector<Sums> all(ends_.size());
  for (std::size_t rank = 0; rank < stretches_.size(); ++rank) {
    const std::vector<Sums> own = sums(static_cast<int>(rank), ends_);
    for (std::size_t i = 0; i < own.size(); ++i) all[i].add(own[i]);
  }
  auto list = ordered_json::array();
  Cycles begin = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const Cycles end = ends_[i];
    list.push_back(to_json(all[i], static_cast<double>(end - std::exchange(begin, end)),
                           static_cast<double>(stretches_.size())));
  }
  return list;
}

ordered_json ProgramTimeline::collectives(const ProgramObservers* observers) const {
  const workload::Program& program = state_.program();
  auto list = ordered_json::array();
  const auto add = [&](ordered_json one, const ExchangeState& exchange, Bytes bytes) {
    const std::size_t members = exchange.compiled == nullptr ? 1 : exchange.compiled->accelerators.size();
    if (static_cast<std::size_t>(exchange.done) < members) return;
    one["bytes"] = bytes;
    one["algorithm"] = exchange.compiled == nullptr ? "none" : exchange.compiled->schedule.algorithm;
    one["steps"] = exchange.compiled == nullptr ? 0 : exchange.compiled->schedule.steps;
    const double time = ns(static_cast<double>(exchange.ended - exchange.first_joined));
    one["begin_ns"] = ns(static_cast<double>(exchange.first_joined));
    one["joined_ns"] = ns(static_cast<double>(exchange.last_joined));
    one["end_ns"] = ns(static_cast<double>(exchange.ended));
    one["bandwidth_gb_s"] = time > 0 ? static_cast<double>(bytes) / time : 0.0;
    const double least = exchange.compiled == nullptr ? 0 : exchange.compiled->least_ns;
    if (least > 0 && time > 0) one["efficiency"] = least / time;
    list.push_back(std::move(one));
  };
  for (std::size_t i = 0; i < program.collectives.size(); ++i) {
    const workload::GroupCollective& collective = program.collectives[i];
    const auto id = static_cast<ni::ContextId>(i + 1);
    const std::size_t before = list.size();
    add({{"name", collective.name},
         {"op", workload::to_string(collective.op)},
         {"kind", collective.kind},
         {"group", program.groups[static_cast<std::size_t>(collective.group)].name}},
        state_.exchange(id), collective.bytes);
    if (observers == nullptr || list.size() == before) continue;
    if (auto gradients = observers->gradients(id); !gradients.is_null()) {
      list.back()["gradients"] = std::move(gradients);
    }
  }
  for (std::size_t i = 0; i < program.transfers.size(); ++i) {
    const workload::Transfer& transfer = program.transfers[i];
    add({{"name", transfer.name},
         {"op", "send"},
         {"kind", transfer.kind},
         {"source", transfer.source},
         {"destination", transfer.destination}},
        state_.exchange(state_.context_of_transfer(static_cast<std::int32_t>(i))), transfer.bytes);
  }
  return list;
}

ordered_json ProgramTimeline::accelerators() const {
  auto list = ordered_json::array();
  const Cycles whole = end();
  for (const Job& job : state_.jobs()) {
    const Cycles lost = stop_ > 0 ? end() - lost_from(job) : 0;
    for (int rank = job.first_rank; rank < job.first_rank + job.ranks; ++rank) {
      ordered_json one{{"accelerator", state_.accelerator(rank)}, {"rank", rank}};
      one.update(to_json(sums(rank, {&whole, 1}).front(), static_cast<double>(whole), 1));
      if (stop_ > 0) one["lost_ns"] = ns(static_cast<double>(lost));
      if (state_.operations() <= kListedOperations) one["operations"] = operations(rank);
      list.push_back(std::move(one));
    }
  }
  return list;
}

std::map<std::int32_t, Cycles> ProgramTimeline::iteration_ends(const Job& job) const {
  std::map<std::int32_t, Cycles> ends;
  std::set<std::int32_t> cut;
  for (int rank = job.first_rank; rank < job.first_rank + job.ranks; ++rank) {
    const auto& operations = state_.program().ranks[static_cast<std::size_t>(rank)].operations;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const std::int32_t iteration = operations[i].iteration;
      const Cycles ended = state_.times(rank)[i].ended;
      ends[iteration] = std::max(ends[iteration], ended);
      if (ended < 0) cut.insert(iteration);
    }
  }
  if (!cut.empty()) ends.erase(ends.lower_bound(*cut.begin()), ends.end());
  return ends;
}

Cycles ProgramTimeline::lost_from(const Job& job) const {
  bool ended = true;
  for (int rank = job.first_rank; rank < job.first_rank + job.ranks; ++rank) {
    for (const OperationTimes& times : state_.times(rank)) ended = ended && times.ended >= 0;
  }
  if (ended) return end();
  Cycles from = (job.arrival + period_ - 1) / period_;
  for (const auto& [iteration, cycles] : iteration_ends(job)) from = std::max(from, cycles);
  return std::min(from, end());
}

ordered_json ProgramTimeline::lost() const {
  Sums all;
  double time = 0;
  for (const Job& job : state_.jobs()) {
    const Cycles from = lost_from(job);
    const std::array<Cycles, 2> between{from, end()};
    for (int rank = job.first_rank; rank < job.first_rank + job.ranks; ++rank) {
      all.add(sums(rank, between).back());
      time += static_cast<double>(end() - from);
    }
  }
  const auto ranks = static_cast<double>(stretches_.size());
  return to_json(all, time / ranks, ranks);
}

ordered_json ProgramTimeline::jobs() const {
  auto list = ordered_json::array();
  for (const Job& job : state_.jobs()) {
    auto iterations = ordered_json::array();
    double end = 0;
    for (const auto& [iteration, cycles] : iteration_ends(job)) {
      end = std::max(end, ns(static_cast<double>(cycles)));
      iterations.push_back({{"end_ns", end}});
    }
    list.push_back(
        {{"name", job.name},
         {"arrival_ns", static_cast<double>(job.arrival) / static_cast<double>(kFemtosecondsPerNanosecond)},
         {"end_ns", end},
         {"iterations", std::move(iterations)}});
  }
  return list;
}

ordered_json ProgramTimeline::operations(int rank) const {
  auto list = ordered_json::array();
  const auto& all = state_.times(rank);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto times = until_stop(all[i]);
    if (!times) continue;
    list.push_back({{"name", state_.program().ranks[static_cast<std::size_t>(rank)].operations[i].name},
                    {"ready_ns", ns(static_cast<double>(times->ready))},
                    {"begin_ns", ns(static_cast<double>(times->begun))},
                    {"end_ns", ns(static_cast<double>(times->ended))}});
  }
  return list;
}

std::vector<std::vector<int>> ProgramTimeline::alike() const {
  // [hash of the operations of a lane's ranks]: the lane's number.
  std::map<std::size_t, std::size_t> numbers;
  std::vector<std::vector<int>> lanes;
  const std::vector<Job>& jobs = state_.jobs();
  std::size_t job = 0;  // jobs have consecutive ranks
  for (std::size_t rank = 0; rank < stretches_.size(); ++rank) {
    while (job + 1 < jobs.size() && static_cast<int>(rank) >= jobs[job + 1].first_rank) ++job;
    std::size_t hash = job;
    for (const Operation& operation : state_.program().ranks[rank].operations) {
      hash = hash * 1'099'511'628'211U + std::hash<std::string>{}(operation.name) + operation.work.index();
    }
    const auto [lane, is_new] = numbers.try_emplace(hash, lanes.size());
    if (is_new) lanes.emplace_back();
    lanes[lane->second].push_back(static_cast<int>(rank));
  }
  return lanes;
}

ordered_json ProgramTimeline::lanes() const {
  const std::vector<std::vector<int>> all = alike();
  const std::size_t shown = std::min(all.size(), kMostLanes);
  std::map<std::string, std::size_t> kinds;
  std::map<std::string, std::size_t> names;
  ordered_json json{{"parts", {"compute", "memory", "waiting for others"}},
                    {"names", ordered_json::array()},
                    {"lanes", ordered_json::array()},
                    {"lanes_in_all", all.size()},
                    {"merged", false}};
  const auto number_of = [](const std::string& text, std::map<std::string, std::size_t>& known,
                            ordered_json& list) {
    const auto [place, is_new] = known.try_emplace(text, list.size());
    if (is_new) list.push_back(text);
    return place->second;
  };
  for (std::size_t lane = 0; lane < shown; ++lane) {
    const auto rank = static_cast<std::size_t>(all[lane].front());
    std::vector<Span> spans;
    for (const Stretch& stretch : stretches_[rank]) {
      std::size_t part = stretch.part == Part::kMemory ? 1 : stretch.part == Part::kWaiting ? 2 : 0;
      if (stretch.part == Part::kExposed) part = number_of(stretch.kind, kinds, json["parts"]);
      spans.push_back({stretch.begin, stretch.end, part, static_cast<std::int64_t>(stretch.operation)});
    }
    if (join_spans(spans, kMostSpans / shown, end())) json["merged"] = true;
    std::string packed;
    Cycles begin = 0;
    for (const Span& span : spans) {
      std::int64_t name = span.name;
      if (name >= 0) {
        const auto& operation = state_.program().ranks[rank].operations[static_cast<std::size_t>(name)];
        name = static_cast<std::int64_t>(number_of(operation.name, names, json["names"]));
      }
      append_packed(packed, span.begin - std::exchange(begin, span.begin));
      append_packed(packed, span.end - span.begin);
      append_packed(packed, static_cast<std::int64_t>(span.part));
      append_packed(packed, name);
    }
    json["lanes"].push_back({{"ranks", all[lane]}, {"spans", std::move(packed)}});
  }
  return json;
}

void ProgramTimeline::trace(TraceWriter& writer) const {
  const workload::Program& program = state_.program();
  int track = 0;
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const auto& operations = program.ranks[rank].operations;
    const auto& times = state_.times(static_cast<int>(rank));
    std::vector<std::size_t> order(operations.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return times[i].begun; });
    const int compute = track++;
    writer.name_actor(compute, fmt::format("accelerator {}", state_.accelerator(static_cast<int>(rank))));
    std::vector<Cycles> free;  // [further track]: the end of its last span
    for (const std::size_t i : order) {
      const auto& work = operations[i].work;
      const bool computes = std::holds_alternative<workload::Compute>(work);
      int on = compute;
      if (!computes) {
        const auto lane = std::ranges::find_if(free, [&](Cycles until) { return until <= times[i].begun; });
        const auto number = lane - free.begin();
        if (lane == free.end()) {
          free.push_back(0);
          writer.name_actor(track++, fmt::format("accelerator {} in flight {}",
                                                 state_.accelerator(static_cast<int>(rank)), number));
        }
        free[static_cast<std::size_t>(number)] = times[i].ended;
        on = compute + 1 + static_cast<int>(number);
      }
      writer.actor_phase(on, operations[i].name, times[i].begun * period_, times[i].ended * period_);
    }
  }
}

}  // namespace coppice::system
