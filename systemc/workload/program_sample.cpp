#include "workload/program_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace coppice::workload {
namespace {

constexpr Bytes kLeast = 64;

// Selects those objects of a list that are in use. They keep their order, and their old indices are mapped to
// new ones.
template <typename Object>
class Kept {
 public:
  explicit Kept(const std::vector<Object>& all) : all_(&all), number_(all.size(), -1) {}

  void use(std::int32_t index) { number_[static_cast<std::size_t>(index)] = 0; }
  std::vector<Object> list() {
    std::vector<Object> kept;
    for (std::size_t i = 0; i < number_.size(); ++i) {
      if (number_[i] < 0) continue;
      number_[i] = static_cast<std::int32_t>(kept.size());
      kept.push_back((*all_)[i]);
    }
    return kept;
  }
  std::int32_t operator[](std::int32_t index) const { return number_[static_cast<std::size_t>(index)]; }

 private:
  const std::vector<Object>* all_;
  std::vector<std::int32_t> number_;
};

// Copies the operations of one iteration. Returns false if one of them waits for an operation of another
// iteration.
bool keep_iteration(const RankProgram& all, std::int32_t iteration, RankProgram& kept) {
  std::vector<std::int32_t> number(all.operations.size(), -1);
  for (std::size_t i = 0; i < all.operations.size(); ++i) {
    if (all.operations[i].iteration != iteration) continue;
    number[i] = static_cast<std::int32_t>(kept.operations.size());
    kept.operations.push_back(all.operations[i]);
  }
  for (Operation& operation : kept.operations) {
    for (std::int32_t& before : operation.after) {
      before = number[static_cast<std::size_t>(before)];
      if (before < 0) return false;
    }
  }
  return true;
}

Bytes scaled_bytes(Bytes bytes, double scale, Bytes least) {
  const auto part = static_cast<Bytes>(std::llround(static_cast<double>(bytes) * scale / kLeast)) * kLeast;
  return std::min(bytes, std::max(part, least));
}

}  // namespace

Program first_iteration(const Program& program) {
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  for (const RankProgram& rank : program.ranks) {
    for (const Operation& operation : rank.operations) least = std::min(least, operation.iteration);
  }
  Program first = program;
  Kept<GroupCollective> collectives(program.collectives);
  Kept<Transfer> transfers(program.transfers);
  for (std::size_t r = 0; r < program.ranks.size(); ++r) {
    first.ranks[r].operations.clear();
    if (!keep_iteration(program.ranks[r], least, first.ranks[r])) return program;
    for (const Operation& operation : first.ranks[r].operations) {
      if (const auto* join = std::get_if<JoinCollective>(&operation.work)) collectives.use(join->collective);
      if (const auto* send = std::get_if<Send>(&operation.work)) transfers.use(send->transfer);
      if (const auto* receive = std::get_if<Receive>(&operation.work)) transfers.use(receive->transfer);
    }
  }
  first.collectives = collectives.list();
  first.transfers = transfers.list();
  for (RankProgram& rank : first.ranks) {
    for (Operation& operation : rank.operations) {
      if (auto* join = std::get_if<JoinCollective>(&operation.work))
        join->collective = collectives[join->collective];
      if (auto* send = std::get_if<Send>(&operation.work)) send->transfer = transfers[send->transfer];
      if (auto* receive = std::get_if<Receive>(&operation.work))
        receive->transfer = transfers[receive->transfer];
    }
  }
  return first;
}

Program scaled(const Program& program, double scale) {
  Program small = program;
  for (GroupCollective& collective : small.collectives) {
    const auto ranks =
        static_cast<Bytes>(program.groups[static_cast<std::size_t>(collective.group)].ranks.size());
    collective.bytes = scaled_bytes(collective.bytes, scale, ranks * kLeast);
  }
  for (Transfer& transfer : small.transfers) transfer.bytes = scaled_bytes(transfer.bytes, scale, kLeast);
  small.samples = std::max<std::int64_t>(1, std::llround(static_cast<double>(program.samples) * scale));
  for (RankProgram& rank : small.ranks) {
    for (Operation& operation : rank.operations) {
      if (auto* compute = std::get_if<Compute>(&operation.work)) {
        compute->duration = std::llround(static_cast<double>(compute->duration) * scale);
        compute->operations *= scale;
        compute->bytes *= scale;
      }
      if (auto* access = std::get_if<MemoryAccess>(&operation.work)) {
        access->bytes = scaled_bytes(access->bytes, scale, kLeast);
      }
    }
  }
  return small;
}

}  // namespace coppice::workload
