#include "system/verification.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/random.h"

namespace coppice::system {
namespace {

using schedule::Chunk;
using schedule::Collective;
using schedule::Schedule;
using topology::NodeId;

constexpr Bytes kElement = sizeof(float);

// The part of the buffer that accelerator `a` owns: chunk a of n.
Chunk owned(const Schedule& schedule, NodeId a) {
  const auto count = static_cast<int>(schedule.nodes.size());
  return schedule::split_into_chunks(schedule.size, schedule.element, count)[static_cast<std::size_t>(a)];
}

// The part in which `a` must hold final values afterwards.
Chunk owed(const Schedule& schedule, NodeId a) {
  return schedule.collective == Collective::kReduceScatter ? owned(schedule, a) : Chunk{0, schedule.size};
}

template <typename F>
void for_each_entry(const Schedule& schedule, F&& f) {
  for (const auto& node : schedule.nodes) {
    for (const auto& port : node.ports) {
      for (const auto& entry : port) {
        if (entry.op != schedule::Op::kNop) f(entry);
      }
    }
  }
}

class OffVerification final : public Verification {
 public:
  ni::GradientMemory& memory(NodeId) override { return memory_; }
  void verify() const override {}
  const char* name() const override { return "off"; }

 private:
  ni::NullMemory memory_;
};

class ValueVerification final : public Verification {
 public:
  ValueVerification(const Schedule& schedule, const schedule::CheckReport& report, std::uint64_t seed)
      : schedule_(schedule),
        sums_(static_cast<std::size_t>(schedule.size / kElement), 0.0),
        magnitudes_(sums_.size(), 0.0),
        additions_(sums_.size(), 0) {
    find_additions(schedule, report);
    for (NodeId a = 0; a < static_cast<NodeId>(schedule.nodes.size()); ++a) {
      memories_.emplace_back(initial_values(a, seed));
    }
    if (schedule.collective == Collective::kAllGather) keep_owned_only();
  }

  ni::GradientMemory& memory(NodeId a) override { return memories_[static_cast<std::size_t>(a)]; }

  void verify() const override {
    for (NodeId a = 0; a < static_cast<NodeId>(memories_.size()); ++a) verify_accelerator(a);
  }

  const char* name() const override { return "values"; }

 private:
  // The deepest reduction that touches an element. Many entries name the same part of the buffer.
  void find_additions(const Schedule& schedule, const schedule::CheckReport& report) {
    std::map<std::pair<Bytes, Bytes>, int> depths;  // (address, bytes)
    for_each_entry(schedule, [&](const schedule::TableEntry& entry) {
      int& depth = depths[{entry.address, entry.bytes}];
      depth = std::max(depth, report.additions[static_cast<std::size_t>(entry.flow)]);
    });
    for (const auto& [part, depth] : depths) {
      const auto first = additions_.begin() + part.first / kElement;
      std::for_each(first, first + part.second / kElement, [d = depth](int& a) { a = std::max(a, d); });
    }
  }

  // Gradients of mixed sign and magnitude, none of them zero.
  std::vector<float> initial_values(NodeId a, std::uint64_t seed) {
    Random random(seed, static_cast<std::uint64_t>(a) + 1);
    std::vector<float> values(sums_.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t bits = random.next();
      const double magnitude =
          std::ldexp(1.0 + static_cast<double>(bits >> 40) * 0x1.0p-24, -static_cast<int>(bits & 7));
      values[i] = static_cast<float>((bits & 8) != 0 ? magnitude : -magnitude);
      sums_[i] += values[i];
      magnitudes_[i] += std::abs(static_cast<double>(values[i]));
    }
    return values;
  }

  // An all-gather starts from final values at their owners; elsewhere a NaN shows what was never stored.
  void keep_owned_only() {
    std::vector<std::vector<float>> owned_values;
    for (NodeId a = 0; a < static_cast<NodeId>(memories_.size()); ++a) {
      const Chunk chunk = owned(schedule_, a);
      std::vector<float> values(sums_.size(), std::numeric_limits<float>::quiet_NaN());
      const auto source = memories_[static_cast<std::size_t>(a)].values();
      for (Bytes i = chunk.address / kElement; i < (chunk.address + chunk.bytes) / kElement; ++i) {
        const auto k = static_cast<std::size_t>(i);
        values[k] = source[k];
        sums_[k] = source[k];
      }
      owned_values.push_back(std::move(values));
    }
    for (std::size_t a = 0; a < memories_.size(); ++a)
      memories_[a] = ni::ValueMemory(std::move(owned_values[a]));
    std::fill(additions_.begin(), additions_.end(), 0);
  }

  void verify_accelerator(NodeId a) const {
    const Chunk part = owed(schedule_, a);
    const auto values = memories_[static_cast<std::size_t>(a)].values();
    const auto first = memories_.front().values();
    const bool replicated = schedule_.collective != Collective::kReduceScatter;
    for (Bytes i = part.address / kElement; i < (part.address + part.bytes) / kElement; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double error = std::abs(static_cast<double>(values[k]) - sums_[k]);
      if (!(error <= tolerance(k))) {
        throw ModelError(
            fmt::format("wrong sum: accelerator {} element {} holds {:.9g}, the true sum is {:.9g}; {} "
                        "additions explain an "
                        "error of {:.3g} at most",
                        a, i, values[k], sums_[k], additions_[k], tolerance(k)));
      }
      if (replicated && std::bit_cast<std::uint32_t>(values[k]) != std::bit_cast<std::uint32_t>(first[k])) {
        throw ModelError(fmt::format("accelerators 0 and {} disagree on element {}: {:.9g} and {:.9g}", a, i,
                                     first[k], values[k]));
      }
    }
  }

  double tolerance(std::size_t k) const {
    const double hu = additions_[k] * 0x1.0p-24;
    // The reference sum itself rounds in double precision.
    const double reference = static_cast<double>(memories_.size()) * 0x1.0p-53;
    return (hu / (1.0 - hu) + reference) * magnitudes_[k];
  }

  const Schedule& schedule_;
  std::vector<double> sums_;        // [element]
  std::vector<double> magnitudes_;  // [element] Σ|x_i|
  std::vector<int> additions_;      // [element] depth of its reduction tree
  std::vector<ni::ValueMemory> memories_;
};

class ContributionVerification final : public Verification {
 public:
  explicit ContributionVerification(const Schedule& schedule)
      : schedule_(schedule), boundaries_(find_boundaries(schedule)) {
    const auto accelerators = static_cast<int>(schedule.nodes.size());
    for (NodeId a = 0; a < accelerators; ++a) {
      memories_.emplace_back(boundaries_, accelerators, a);
      if (schedule.collective != Collective::kAllGather) continue;
      const Chunk chunk = owned(schedule, a);
      for (std::size_t s = 0; s < memories_.back().segments(); ++s) {
        const bool inside =
            (*boundaries_)[s] >= chunk.address && (*boundaries_)[s] < chunk.address + chunk.bytes;
        if (inside) {
          memories_.back().set_all(s);
        } else {
          memories_.back().clear(s);
        }
      }
    }
  }

  ni::GradientMemory& memory(NodeId a) override { return memories_[static_cast<std::size_t>(a)]; }

  void verify() const override {
    const auto accelerators = static_cast<NodeId>(memories_.size());
    for (NodeId a = 0; a < accelerators; ++a) {
      const Chunk part = owed(schedule_, a);
      for (std::size_t s = 0; s < boundaries_->size() - 1; ++s) {
        const Bytes address = (*boundaries_)[s];
        if (address < part.address || address >= part.address + part.bytes) continue;
        const auto bits = memories_[static_cast<std::size_t>(a)].contributions(s);
        for (NodeId c = 0; c < accelerators; ++c) {
          if ((bits[static_cast<std::size_t>(c) / 64] >> (c % 64) & 1) != 0) continue;
          throw ModelError(fmt::format(
              "wrong sum: accelerator {} lacks the contribution of accelerator {} to the bytes from {}", a, c,
              address));
        }
      }
    }
  }

  const char* name() const override { return "contributions"; }

 private:
  static std::shared_ptr<const std::vector<Bytes>> find_boundaries(const Schedule& schedule) {
    std::set<Bytes> addresses{0, schedule.size};
    for (const Chunk& chunk : schedule::split_into_chunks(schedule.size, schedule.element,
                                                          static_cast<int>(schedule.nodes.size()))) {
      addresses.insert(chunk.address);
    }
    for_each_entry(schedule, [&](const schedule::TableEntry& entry) {
      addresses.insert(entry.address);
      addresses.insert(entry.address + entry.bytes);
    });
    return std::make_shared<const std::vector<Bytes>>(addresses.begin(), addresses.end());
  }

  const Schedule& schedule_;
  std::shared_ptr<const std::vector<Bytes>> boundaries_;
  std::vector<ni::ContributionMemory> memories_;
};

}  // namespace

std::unique_ptr<Verification> make_verification(config::Check check, const Schedule& schedule,
                                                const schedule::CheckReport& report, std::uint64_t seed) {
  if (check == config::Check::kAuto) {
    const Bytes total = schedule.size * static_cast<Bytes>(schedule.nodes.size());
    check = total <= kValuesLimit ? config::Check::kValues : config::Check::kContributions;
  }
  switch (check) {
    case config::Check::kValues:
      return std::make_unique<ValueVerification>(schedule, report, seed);
    case config::Check::kContributions:
      return std::make_unique<ContributionVerification>(schedule);
    default:
      return std::make_unique<OffVerification>();
  }
}

}  // namespace coppice::system
