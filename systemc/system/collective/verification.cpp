#include "system/collective/verification.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
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
// The maximum total size of contribution sets if every segment is tracked, and if only sampled elements are
// tracked.
constexpr Bytes kExactBytes = Bytes{160} << 20;
constexpr Bytes kSampleBytes = Bytes{32} << 20;

// The parts of the buffer that each accelerator owns, and the parts for which it must end with final values.
class Ownership {
 public:
  explicit Ownership(const Schedule& schedule)
      : schedule_(schedule),
        shares_(share_out(schedule)),
        parts_(static_cast<std::size_t>(schedule.accelerators())) {
    for (const schedule::Share& share : shares_) {
      parts_[static_cast<std::size_t>(share.owner)].push_back(share.data);
    }
  }

  // The parts of the buffer that accelerator `a` owns.
  const std::vector<Chunk>& owned(NodeId a) const { return parts_[static_cast<std::size_t>(a)]; }
  NodeId owner_of(Bytes address) const {
    const auto after = std::ranges::upper_bound(
        shares_, address, {}, [](const schedule::Share& share) { return share.data.address; });
    return (after - 1)->owner;
  }
  // The parts of the buffer for which `a` must hold final values after the collective.
  std::vector<Chunk> owed(NodeId a) const {
    if (schedule_.collective == Collective::kReduceScatter) return owned(a);
    return {Chunk{0, schedule_.size}};
  }

 private:
  const Schedule& schedule_;
  std::vector<schedule::Share> shares_;
  std::vector<std::vector<Chunk>> parts_;  // [accelerator]: the parts that it owns
};

template <typename F>
void for_each_message(const Schedule& schedule, F&& f) {
  for (const auto& node : schedule.nodes) {
    for (const auto& port : node.ports) {
      port.for_each_entry([&f](const schedule::TableEntry& entry) {
        if (entry.op != schedule::Op::kNop) f(entry);
      });
    }
  }
}

class OffVerification final : public Verification {
 public:
  ni::GradientMemory& memory(NodeId) override { return memory_; }
  void verify() const override {}
  bool restart() override { return true; }
  const char* name() const override { return "off"; }

 private:
  ni::NullMemory memory_;
};

class ValueVerification final : public Verification {
 public:
  ValueVerification(const Schedule& schedule, const schedule::CheckReport& report, std::uint64_t seed)
      : schedule_(schedule),
        ownership_(schedule),
        sums_(static_cast<std::size_t>(schedule.size / kElement), 0.0),
        magnitudes_(sums_.size(), 0.0),
        additions_(sums_.size(), 0) {
    find_additions(schedule, report);
    for (NodeId a = 0; a < schedule.accelerators(); ++a) memories_.emplace_back(initial_values(a, seed));
    if (schedule.collective == Collective::kAllGather) keep_owned_only();
    // The accumulators of reducing switches start at zero.
    for (int adder = 0; adder < schedule.adders; ++adder) {
      memories_.emplace_back(std::vector<float>(sums_.size(), 0.0F));
    }
  }

  ni::GradientMemory& memory(NodeId a) override { return memories_[static_cast<std::size_t>(a)]; }

  void verify() const override {
    for (NodeId a = 0; a < schedule_.accelerators(); ++a) verify_accelerator(a);
  }

  const char* name() const override { return "values"; }

 private:
  // Finds the maximum depth of reduction for each element. Since many entries describe the same part of the
  // buffer, they are merged first.
  void find_additions(const Schedule& schedule, const schedule::CheckReport& report) {
    std::map<std::pair<Bytes, Bytes>, int> depths;  // (address, bytes)
    for_each_message(schedule, [&](const schedule::TableEntry& entry) {
      int& depth = depths[{entry.address, entry.bytes}];
      depth = std::max(depth, report.additions[static_cast<std::size_t>(entry.flow)]);
    });
    for (const auto& [part, depth] : depths) {
      const auto first = additions_.begin() + part.first / kElement;
      std::for_each(first, first + part.second / kElement, [d = depth](int& a) { a = std::max(a, d); });
    }
  }

  // Generates nonzero gradients of mixed sign and magnitude, and adds them to the reference sums.
  std::vector<float> initial_values(NodeId a, std::uint64_t seed) {
    Random random(seed, static_cast<std::uint64_t>(a) + 1);
    std::vector<float> values(sums_.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t bits = random.next();
      // This is a power of two, so the products are exact.
      const double scale = 1.0 / static_cast<double>(1U << (bits & 7));
      const double magnitude = (1.0 + static_cast<double>(bits >> 40) * 0x1.0p-24) * scale;
      values[i] = static_cast<float>((bits & 8) != 0 ? magnitude : -magnitude);
      sums_[i] += values[i];
      magnitudes_[i] += std::abs(static_cast<double>(values[i]));
    }
    return values;
  }

  // Prepares an all-gather, in which only the owner of an element starts with its value. All others start
  // with NaN, which reveals data that was never stored.
  void keep_owned_only() {
    std::vector<std::vector<float>> owned_values;
    for (NodeId a = 0; a < static_cast<NodeId>(memories_.size()); ++a) {
      std::vector<float> values(sums_.size(), std::numeric_limits<float>::quiet_NaN());
      const auto source = memories_[static_cast<std::size_t>(a)].values();
      for (const Chunk& part : ownership_.owned(a)) {
        for (Bytes i = part.address / kElement; i < (part.address + part.bytes) / kElement; ++i) {
          const auto k = static_cast<std::size_t>(i);
          values[k] = source[k];
          sums_[k] = source[k];
        }
      }
      owned_values.push_back(std::move(values));
    }
    for (std::size_t a = 0; a < memories_.size(); ++a)
      memories_[a] = ni::ValueMemory(std::move(owned_values[a]));
    std::fill(additions_.begin(), additions_.end(), 0);
  }

  void verify_accelerator(NodeId a) const {
    for (const Chunk& part : ownership_.owed(a)) verify_part(a, part);
  }

  void verify_part(NodeId a, const Chunk& part) const {
    const auto values = memories_[static_cast<std::size_t>(a)].values();
    const auto first = memories_.front().values();
    const bool replicated = schedule_.collective != Collective::kReduceScatter;
    for (Bytes i = part.address / kElement; i < (part.address + part.bytes) / kElement; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double error = std::abs(static_cast<double>(values[k]) - sums_[k]);
      if (!(error <= tolerance(k))) {
        throw ni::WrongDataError(
            fmt::format("wrong sum: at accelerator {}, element {} is {:.9g}, but the true sum is {:.9g}; the "
                        "rounding of {} additions can cause an error of at most {:.3g}",
                        a, i, values[k], sums_[k], additions_[k], tolerance(k)));
      }
      if (replicated && std::bit_cast<std::uint32_t>(values[k]) != std::bit_cast<std::uint32_t>(first[k])) {
        throw ni::WrongDataError(fmt::format(
            "accelerators 0 and {} disagree on element {}: {:.9g} and {:.9g}", a, i, first[k], values[k]));
      }
    }
  }

  double tolerance(std::size_t k) const {
    const double hu = additions_[k] * 0x1.0p-24;
    // The reference sum is itself rounded, to double precision.
    const double reference = static_cast<double>(memories_.size()) * 0x1.0p-53;
    return (hu / (1.0 - hu) + reference) * magnitudes_[k];
  }

  const Schedule& schedule_;
  Ownership ownership_;
  std::vector<double> sums_;        // [element]: the true sum
  std::vector<double> magnitudes_;  // [element]: Σ|x_i|
  std::vector<int> additions_;      // [element]: depth of its reduction tree
  std::vector<ni::ValueMemory> memories_;
};

class ContributionVerification final : public Verification {
 public:
  explicit ContributionVerification(const Schedule& schedule)
      : ContributionVerification(schedule, find_boundaries(schedule), all_of(schedule)) {}

  // See make_contribution_verification(). If `boundaries` is nullptr, only a sample of the elements is
  // tracked.
  ContributionVerification(const Schedule& schedule, std::shared_ptr<const std::vector<Bytes>> boundaries,
                           std::vector<NodeId> members)
      : schedule_(schedule),
        ownership_(schedule),
        addresses_(std::move(boundaries)),
        members_(std::move(members)) {
    using Segments = ni::ContributionMemory::Segments;
    if (addresses_ == nullptr) draw_sample();
    const auto kind = sampled_ ? Segments::kSampledElements : Segments::kBetweenBoundaries;
    for (const NodeId a : members_) memories_.emplace_back(addresses_, schedule.accelerators(), a, kind);
    if (schedule.collective == Collective::kAllGather) keep_owned_only();
    add_adders(kind);
  }

  ni::GradientMemory& memory(NodeId a) override { return memories_[static_cast<std::size_t>(a)]; }

  void verify() const override {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      for (std::size_t s = 0; s < segments(); ++s) {
        const bool owes = schedule_.collective != Collective::kReduceScatter ||
                          ownership_.owner_of((*addresses_)[s]) == members_[m];
        if (owes) verify_segment(m, s);
      }
    }
  }

  // See contribution_boundaries().
  static std::shared_ptr<const std::vector<Bytes>> find_boundaries(const Schedule& schedule) {
    const auto most = static_cast<std::size_t>(kExactBytes / segment_bytes(schedule)) + 2;
    std::vector<Bytes> addresses{0, schedule.size};
    for (const schedule::Share& share : share_out(schedule)) addresses.push_back(share.data.address);
    const auto tidy = [&] {
      std::ranges::sort(addresses);
      addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    };
    tidy();
    if (addresses.size() > most) return nullptr;
    bool too_many = false;
    // [flow]: the part of the buffer that was added last. Most of a flow's entries repeat it and can be
    // skipped.
    std::vector<Chunk> added(static_cast<std::size_t>(schedule.flows));
    const auto add = [&](const schedule::TableEntry& entry) {
      if (too_many || entry.op == schedule::Op::kNop) return;
      Chunk& last = added[static_cast<std::size_t>(entry.flow)];
      if (entry.bytes > 0 && last.address == entry.address && last.bytes == entry.bytes) return;
      last = {entry.address, entry.bytes};
      addresses.push_back(entry.address);
      addresses.push_back(entry.address + entry.bytes);
      if (addresses.size() < 2 * most + 65536) return;
      tidy();
      too_many = addresses.size() > most;
    };
    for (const auto& node : schedule.nodes) {
      for (const auto& port : node.ports) {
        port.for_each_entry(add);
        if (too_many) return nullptr;
      }
    }
    tidy();
    if (addresses.size() > most) return nullptr;
    return std::make_shared<const std::vector<Bytes>>(std::move(addresses));
  }

  const char* name() const override { return "contributions"; }
  // An all-gather can restart, because keep_owned_only() does not depend on what the memories contain.
  bool restart() override {
    if (schedule_.collective != Collective::kAllGather || schedule_.adders > 0) return false;
    keep_owned_only();
    return true;
  }
  CheckedElements checked() const override {
    if (!sampled_) return {};
    return {static_cast<std::int64_t>(addresses_->size()), schedule_.size / schedule_.element};
  }

 private:
  std::size_t segments() const { return memories_.front().segments(); }

  void keep_owned_only() {
    for (std::size_t s = 0; s < segments(); ++s) {
      const NodeId owner = ownership_.owner_of((*addresses_)[s]);
      for (std::size_t m = 0; m < members_.size(); ++m) {
        if (members_[m] == owner) {
          memories_[m].set_all(s);
        } else {
          memories_[m].clear(s);
        }
      }
    }
  }

  // The accumulators of reducing switches start with no contributions.
  void add_adders(ni::ContributionMemory::Segments kind) {
    if (schedule_.adders == 0) return;
    ni::ContributionMemory empty(addresses_, schedule_.accelerators(), 0, kind);
    for (std::size_t s = 0; s < empty.segments(); ++s) empty.clear(s);
    memories_.insert(memories_.end(), static_cast<std::size_t>(schedule_.adders), empty);
  }

  void verify_segment(std::size_t member, std::size_t segment) const {
    const ni::ContributionMemory& memory = memories_[member];
    if (memory.is_full(segment)) return;
    const std::vector<std::uint64_t> bits = memory.contributions(segment);
    const auto accelerators = static_cast<std::size_t>(schedule_.accelerators());
    for (std::size_t word = 0; word < bits.size(); ++word) {
      const std::size_t left = accelerators - word * 64;
      const std::uint64_t all = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
      if (bits[word] == all) continue;
      throw ni::WrongDataError(
          fmt::format("wrong sum: accelerator {} lacks the contribution of accelerator {} at address {}",
                      members_[member], word * 64 + static_cast<std::size_t>(std::countr_one(bits[word])),
                      (*addresses_)[segment]));
    }
  }

  static std::vector<NodeId> all_of(const Schedule& schedule) {
    std::vector<NodeId> all(static_cast<std::size_t>(schedule.accelerators()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  // The size of the contribution sets that all accelerators and reducing switches need for one segment.
  static Bytes segment_bytes(const Schedule& schedule) {
    const Bytes accelerators = schedule.accelerators();
    return static_cast<Bytes>(schedule.nodes.size()) * ((accelerators + 63) / 64) *
           static_cast<Bytes>(sizeof(std::uint64_t));
  }

  // Divides the buffer into as many equal sections as can be tracked in kSampleBytes, but at least 16, and
  // selects a random element of each.
  void draw_sample() {
    sampled_ = true;
    const Bytes elements = schedule_.size / schedule_.element;
    const Bytes count = std::clamp<Bytes>(kSampleBytes / segment_bytes(schedule_), 16, elements);
    Random random(0);  // a fixed seed, so that runs with different values check the same elements
    std::vector<Bytes> addresses;
    for (Bytes i = 0; i < count; ++i) {
      const Bytes first = elements / count * i + std::min(i, elements % count);
      const Bytes width = elements / count + (i < elements % count ? 1 : 0);
      const auto place = static_cast<Bytes>(random.below(static_cast<std::uint64_t>(width)));
      addresses.push_back((first + place) * schedule_.element);
    }
    addresses_ = std::make_shared<const std::vector<Bytes>>(std::move(addresses));
  }

  const Schedule& schedule_;
  Ownership ownership_;
  std::shared_ptr<const std::vector<Bytes>> addresses_;  // boundaries of segments, or sampled elements
  std::vector<NodeId> members_;
  bool sampled_ = false;
  std::vector<ni::ContributionMemory> memories_;  // [member], followed by the reducing switches
};

}  // namespace

std::shared_ptr<const std::vector<Bytes>> contribution_boundaries(const Schedule& schedule) {
  return ContributionVerification::find_boundaries(schedule);
}

std::unique_ptr<Verification> make_contribution_verification(
    const Schedule& outline, std::shared_ptr<const std::vector<Bytes>> boundaries,
    std::vector<NodeId> members) {
  return std::make_unique<ContributionVerification>(outline, std::move(boundaries), std::move(members));
}

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
