#include "system/program/shared_passes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "system/machine/configured_accelerator.h"

namespace coppice::system {
namespace {

using accelerator::PassWork;
using workload::Compute;
using workload::Operation;
using workload::Purpose;
using workload::RankProgram;

// A set of collectives and transfers of one rank.
class Exchanges {
 public:
  explicit Exchanges(std::size_t size) : words_((size + kBits - 1) / kBits) {}
  void add(std::size_t exchange) { words_[exchange / kBits] |= std::uint64_t{1} << (exchange % kBits); }
  void add(const Exchanges& others) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
  }
  std::size_t size() const {
    std::size_t size = 0;
    for (const std::uint64_t word : words_) size += static_cast<std::size_t>(std::popcount(word));
    return size;
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words_;
};

std::vector<std::size_t> in_order(const RankProgram& rank) {
  std::vector<std::vector<std::size_t>> followers(rank.operations.size());
  std::vector<std::size_t> waits(rank.operations.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rank.operations.size(); ++i) {
    waits[i] = rank.operations[i].after.size();
    if (waits[i] == 0) order.push_back(i);
    for (const std::int32_t before : rank.operations[i].after) {
      followers[static_cast<std::size_t>(before)].push_back(i);
    }
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::size_t follower : followers[order[next]]) {
      if (--waits[follower] == 0) order.push_back(follower);
    }
  }
  return order;
}

bool exchanges(const workload::Program& program, const Operation& operation) {
  if (const auto* join = std::get_if<workload::JoinCollective>(&operation.work)) {
    const auto& collective = program.collectives[static_cast<std::size_t>(join->collective)];
    return program.groups[static_cast<std::size_t>(collective.group)].ranks.size() > 1;
  }
  return std::holds_alternative<workload::Send>(operation.work) ||
         std::holds_alternative<workload::Receive>(operation.work);
}

// Whether a computation is described by its operations and bytes instead of by a layer.
bool streams(const Compute& compute) {
  return compute.layer < 0 && compute.duration == 0 && compute.bytes > 0;
}

// The operation's computation if it accesses memory; nullptr otherwise.
const Compute* pass_of(const Operation& operation) {
  const auto* const compute = std::get_if<Compute>(&operation.work);
  return compute != nullptr && (compute->layer >= 0 || streams(*compute)) ? compute : nullptr;
}

// Divides a computation into equal pieces, each of which is loaded while the previous one is computed. If
// nothing else uses the memory, the whole computation takes the time given by the roofline, which is the
// longer of its loading and computing times. To achieve this, the first piece needs no loading, and the last
// one needs no computing.
PassWork stream_of(const Compute& compute, const config::AcceleratorConfig& config) {
  const double rate = 2.0 * config.array.front() * config.array.back() * config.pes;
  const auto cycles = static_cast<std::int64_t>(std::ceil(compute.operations / rate - 1e-9));
  const auto bytes = static_cast<Bytes>(std::ceil(compute.bytes));
  constexpr std::int64_t kSteps = SharedPasses::kPieces - 1;
  accelerator::TileSequence run;
  for (std::int64_t i = 0; i <= kSteps; ++i) {
    const auto part = [i](std::int64_t whole, std::int64_t first) {
      const std::int64_t step = i - first;
      if (step < 0 || step >= kSteps) return std::int64_t{0};
      return whole / kSteps + (step < whole % kSteps ? 1 : 0);
    };
    run.tiles.push_back({part(cycles, 0), part(bytes, 1), 0, true, true});
  }
  PassWork work;
  const auto times = accelerator::run_pipeline(run.tiles, 1, false, {config.memory_bandwidth, config.clock});
  work.cost.cycles = cycles;
  work.cost.stall_cycles = times.end - cycles;
  work.cost.memory_cycles = times.memory_busy;
  work.cost.traffic.input = bytes;
  work.runs.push_back(std::move(run));
  return work;
}

PassWork work_of(const accelerator::Accelerator& accelerator, const workload::Layer& layer, Purpose purpose,
                 std::int64_t samples, const accelerator::Optimizer& optimizer) {
  switch (purpose) {
    case Purpose::kInputGradient:
      return accelerator.work(layer, workload::Pass::kInputGradient, samples);
    case Purpose::kWeightGradient:
      return accelerator.work(layer, workload::Pass::kWeightGradient, samples);
    case Purpose::kUpdate:
      return accelerator.update_work(layer, optimizer);
    default:
      return accelerator.work(layer, workload::Pass::kForward, samples);
  }
}

}  // namespace

SharedPasses::SharedPasses(const config::Loaded& loaded, const workload::Program& program)
    : config_(loaded.config), program_(program) {
  const config::AcceleratorConfig& accelerator = config_.system.accelerator;
  if (accelerator.model != "systolic" || !accelerator.memory_bandwidth) return;
  const auto moves = [](const RankProgram& rank) {
    return std::ranges::any_of(rank.operations, [](const Operation& one) { return pass_of(one) != nullptr; });
  };
  if (std::ranges::none_of(program.ranks, moves)) return;
  // Tiles are timed by the formula. If array timing was requested, the result of the formula has already been
  // confirmed.
  accelerator_ = make_accelerator(loaded, accelerator::Timing::kFormula);
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const auto& operations = program.ranks[rank].operations;
    passes_ +=
        std::ranges::count_if(operations, [](const Operation& one) { return pass_of(one) != nullptr; });
    const bool alike = rank > 0 && program.ranks[rank] == program.ranks[rank - 1];
    shared_.push_back(alike ? shared_.back() : std::make_shared<Flags>(shared(program.ranks[rank])));
  }
}

// Marks the passes for which at least one collective or transfer is neither before nor after them in program
// order.
SharedPasses::Flags SharedPasses::shared(const RankProgram& rank) const {
  const auto& operations = rank.operations;
  std::vector<std::size_t> numbers(operations.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    numbers[i] = count;
    count += exchanges(program_, operations[i]) ? 1 : 0;
  }
  // [operation]: the collectives and transfers before it; later also those after it.
  std::vector<Exchanges> ordered(operations.size(), Exchanges(count));
  std::vector<Exchanges> later(operations.size(), Exchanges(count));
  const auto hand_on = [&](std::vector<Exchanges>& sets, std::size_t from, std::size_t to) {
    sets[to].add(sets[from]);
    if (exchanges(program_, operations[from])) sets[to].add(numbers[from]);
  };
  const std::vector<std::size_t> order = in_order(rank);
  for (const std::size_t i : order) {
    for (const std::int32_t before : operations[i].after) {
      hand_on(ordered, static_cast<std::size_t>(before), i);
    }
  }
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    for (const std::int32_t before : operations[*i].after) {
      hand_on(later, *i, static_cast<std::size_t>(before));
    }
  }
  Flags flags(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (pass_of(operations[i]) == nullptr) continue;
    ordered[i].add(later[i]);
    flags[i] = ordered[i].size() < count;
  }
  return flags;
}

bool SharedPasses::any(int rank) const {
  if (!accelerator_) return false;
  const Flags& flags = *shared_[static_cast<std::size_t>(rank)];
  return std::ranges::find(flags, true) != flags.end();
}

std::shared_ptr<const PassWork> SharedPasses::work(int rank, std::size_t operation) {
  if (!accelerator_ || !(*shared_[static_cast<std::size_t>(rank)])[operation]) return nullptr;
  const auto& work = program_.ranks[static_cast<std::size_t>(rank)].operations[operation].work;
  const auto& compute = std::get<Compute>(work);
  if (streams(compute)) {
    auto& stream = streams_[{compute.operations, compute.bytes}];
    if (stream == nullptr)
      stream = std::make_shared<PassWork>(stream_of(compute, config_.system.accelerator));
    return stream;
  }
  auto& kept = works_[{compute.layer, compute.purpose}];
  if (kept == nullptr) {
    const workload::Layer& layer = program_.layers[static_cast<std::size_t>(compute.layer)];
    kept = std::make_shared<PassWork>(work_of(*accelerator_, layer, compute.purpose, program_.samples,
                                              accelerator::find_optimizer(config_.training.optimizer)));
  }
  return kept;
}

Cycles SharedPasses::alone(const PassWork& work) const {
  const Femtoseconds period = config_.system.clock.period();
  return (work.cost.total() * config_.system.accelerator.clock.period() + period - 1) / period;
}

}  // namespace coppice::system
