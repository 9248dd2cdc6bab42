#include "accelerator/buffers/tile_walk.h"

#include <algorithm>
#include <array>
#include <utility>

#include "accelerator/buffers/product_shape.h"

namespace coppice::accelerator {
namespace {

// The range of a block along one dimension.
struct Range {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t length() const { return end - first; }
};

// The number of cycles of tiles according to the array's formula. There are only a few different values,
// because all blocks of a dimension except the last are equal.
class BlockCycles {
 public:
  BlockCycles(const SystolicArray& array, const ProductShape& whole, const ProductShape& count,
              const TilePlan& plan)
      : count_(count) {
    const ProductShape last{whole.m - (count.m - 1) * plan.m, whole.k - (count.k - 1) * plan.k,
                            whole.n - (count.n - 1) * plan.n};
    for (std::size_t i = 0; i < cycles_.size(); ++i) {
      cycles_[i] = array.cycles(
          {(i & 1) != 0 ? last.m : plan.m, (i & 2) != 0 ? last.k : plan.k, (i & 4) != 0 ? last.n : plan.n});
    }
  }

  PeCycles of(std::int64_t m, std::int64_t k, std::int64_t n) const {
    return cycles_[(m + 1 == count_.m ? 1U : 0U) + (k + 1 == count_.k ? 2U : 0U) +
                   (n + 1 == count_.n ? 4U : 0U)];
  }
  PeCycles all() const {
    PeCycles sum = 0;
    for (std::size_t i = 0; i < cycles_.size(); ++i) {
      sum += cycles_[i] * ((i & 1) != 0 ? 1 : count_.m - 1) * ((i & 2) != 0 ? 1 : count_.k - 1) *
             ((i & 4) != 0 ? 1 : count_.n - 1);
    }
    return sum;
  }

 private:
  ProductShape count_;
  // Bits of the index: whether the tile is in the last block of m, of k and of n.
  std::array<PeCycles, 8> cycles_{};
};

// Walks through the tiles in order and keeps track of the contents of the buffers.
class Walker {
 public:
  Walker(const ProductOperands& operands, const SystolicArray& array, const TilePlan& plan,
         const TileCycles& cycles, const ValueBytes& bytes)
      : plan_(plan),
        cycles_(cycles),
        bytes_(bytes),
        whole_(shape_of(operands)),
        count_(blocks(whole_, {plan.m, plan.k, plan.n})),
        formula_(array, whole_, count_, plan),
        input_(operands.input, plan.m, plan.k, plan.input_stays),
        weight_(operands.weight, plan.k, plan.n, plan.weight_stays),
        output_(operands.output, plan.m, plan.n, plan.output_stays),
        input_seen_(flags(plan.input_stays, count_.m * count_.k)),
        weight_seen_(flags(plan.weight_stays, count_.k * count_.n)) {}

  TileWalk walk() {
    walk_.steps.reserve(static_cast<std::size_t>(count_.m * count_.k * count_.n));
    walk_.output_stays = plan_.output_stays;
    switch (plan_.order) {
      case Tiling::kLeastTraffic:  // never occurs in a plan
      case Tiling::kOutputReuse:
        nest(count_.m, count_.n, count_.k, [&](auto m, auto n, auto k) { visit(m, k, n); });
        break;
      case Tiling::kWeightReuse:
        nest(count_.n, count_.k, count_.m, [&](auto n, auto k, auto m) { visit(m, k, n); });
        break;
      case Tiling::kInputReuse:
        nest(count_.m, count_.k, count_.n, [&](auto m, auto k, auto n) { visit(m, k, n); });
        break;
    }
    return std::move(walk_);
  }

 private:
  static std::vector<bool> flags(bool stays, std::int64_t blocks) {
    return std::vector<bool>(stays ? static_cast<std::size_t>(blocks) : 0);
  }

  template <typename Visit>
  static void nest(std::int64_t outer, std::int64_t middle, std::int64_t inner, Visit visit) {
    for (std::int64_t i = 0; i < outer; ++i) {
      for (std::int64_t j = 0; j < middle; ++j) {
        for (std::int64_t l = 0; l < inner; ++l) visit(i, j, l);
      }
    }
  }

  static Range range(std::int64_t block, std::int64_t size, std::int64_t whole) {
    return {block * size, std::min((block + 1) * size, whole)};
  }

  // Whether a block of an operand is missing from the buffers and must be loaded from memory.
  static bool missing(std::vector<bool>& seen, bool stays, std::int64_t block, std::int64_t& held) {
    const bool absent = stays ? !seen[static_cast<std::size_t>(block)] : block != held;
    if (stays) seen[static_cast<std::size_t>(block)] = true;
    held = block;
    return absent;
  }

  PeCycles compute(std::int64_t m, std::int64_t k, std::int64_t n) const {
    if (!cycles_) return formula_.of(m, k, n);
    const Range in_m = range(m, plan_.m, whole_.m);
    const Range in_k = range(k, plan_.k, whole_.k);
    const Range in_n = range(n, plan_.n, whole_.n);
    return cycles_({in_m.first, in_m.length(), in_k.first, in_k.length(), in_n.first, in_n.length()});
  }

  void visit(std::int64_t m, std::int64_t k, std::int64_t n) {
    TileStep step;
    step.compute = compute(m, k, n);
    if (missing(input_seen_, plan_.input_stays, m * count_.k + k, input_held_)) {
      step.input = bytes_.operand * input_.values(m, k);
      step.takes_half = !plan_.input_stays;
    }
    if (missing(weight_seen_, plan_.weight_stays, k * count_.n + n, weight_held_)) {
      step.weight = bytes_.operand * weight_.values(k, n);
      step.takes_half = step.takes_half || !plan_.weight_stays;
    }
    add_output(step, m * count_.n + n, k, output_.values(m, n));
    walk_.compute += step.compute;
    walk_.traffic.input += step.input;
    walk_.traffic.weight += step.weight;
    walk_.steps.push_back(step);
  }

  // Sums are stored when they are complete. Incomplete sums are stored if they do not stay in the buffer and
  // other sums replace them.
  void add_output(TileStep& step, std::int64_t block, std::int64_t k, std::int64_t values) {
    const Bytes sums = values * bytes_.sum;
    const bool complete = k + 1 == count_.k;
    step.new_output = block != output_held_;
    if (step.new_output && !plan_.output_stays) {
      if (!walk_.steps.empty() && !output_complete_) {
        walk_.steps.back().sums_out += output_bytes_;
        walk_.traffic.output += output_bytes_;
      }
      if (k > 0) {
        step.sums_in = sums;
        step.takes_half = true;
        walk_.traffic.output += sums;
      }
    }
    if (complete) {
      step.sums_out += values * bytes_.result;
      walk_.traffic.output += values * bytes_.result;
    }
    output_held_ = block;
    output_complete_ = complete;
    output_bytes_ = sums;
  }

  const TilePlan& plan_;
  const TileCycles& cycles_;
  ValueBytes bytes_;
  ProductShape whole_;
  ProductShape count_;
  BlockCycles formula_;
  // If an operand stays in its buffer, only values that no earlier block has loaded are counted.
  OperandGrid input_;
  OperandGrid weight_;
  OperandGrid output_;
  std::vector<bool> input_seen_;
  std::vector<bool> weight_seen_;
  std::int64_t input_held_ = -1;
  std::int64_t weight_held_ = -1;
  std::int64_t output_held_ = -1;
  bool output_complete_ = true;
  Bytes output_bytes_ = 0;
  TileWalk walk_;
};

}  // namespace

TileWalk walk_tiles(const ProductOperands& operands, const SystolicArray& array, const TilePlan& plan,
                    const TileCycles& cycles, const ValueBytes& bytes) {
  return Walker(operands, array, plan, cycles, bytes).walk();
}

PeCycles tiles_compute(const ProductOperands& operands, const SystolicArray& array, const TilePlan& plan) {
  const ProductShape whole = shape_of(operands);
  return BlockCycles(array, whole, blocks(whole, {plan.m, plan.k, plan.n}), plan).all();
}

}  // namespace coppice::accelerator
