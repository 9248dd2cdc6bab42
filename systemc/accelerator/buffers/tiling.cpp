#include "accelerator/buffers/tiling.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::accelerator {
namespace {

constexpr std::array kOrders = {Tiling::kOutputReuse, Tiling::kWeightReuse, Tiling::kInputReuse};

std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

// The sides of a product.
struct Shape {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
};

Shape shape_of(const ProductOperands& operands) {
  return {operands.input.rows(), operands.input.columns(), operands.weight.columns()};
}

// The array's sides along m, k and n; 1 for the dimension that streams past it.
Shape units(const SystolicArray& array) {
  switch (array.dataflow()) {
    case Dataflow::kOutputStationary:
      return {array.rows(), 1, array.columns()};
    case Dataflow::kWeightStationary:
      return {1, array.rows(), array.columns()};
    case Dataflow::kInputStationary:
      break;
  }
  return {array.columns(), array.rows(), 1};
}

// Values of a buffer that a tile may take: none, no limit.
struct Room {
  bool stays = false;
  std::int64_t values = std::numeric_limits<std::int64_t>::max();
};

Room room(const std::optional<Bytes>& buffer, std::int64_t operand, Bytes value) {
  if (!buffer || operand * value <= *buffer) return {.stays = true};
  return {.stays = false, .values = *buffer / 2 / value};
}

// The numbers of blocks along m, k and n.
Shape blocks(const Shape& whole, const Shape& tile) {
  return {divide_up(whole.m, tile.m), divide_up(whole.k, tile.k), divide_up(whole.n, tile.n)};
}

// How often each operand passes between memory and buffer; halos of patches do not count.
struct Passes {
  std::int64_t input = 1;
  std::int64_t weight = 1;
  std::int64_t output = 1;
};

Passes passes(const Shape& count, Tiling order, const TilePlan& plan) {
  Passes result;
  const std::int64_t spills = 2 * count.k - 1;
  switch (order) {
    case Tiling::kLeastTraffic:
    case Tiling::kOutputReuse:
      result.input = count.k == 1 ? 1 : count.n;
      result.weight = count.k == 1 && count.n == 1 ? 1 : count.m;
      break;
    case Tiling::kWeightReuse:
      result.input = count.k == 1 && count.m == 1 ? 1 : count.n;
      result.output = count.m == 1 ? 1 : spills;
      break;
    case Tiling::kInputReuse:
      result.weight = count.k == 1 && count.n == 1 ? 1 : count.m;
      result.output = count.n == 1 ? 1 : spills;
      break;
  }
  if (plan.input_stays) result.input = 1;
  if (plan.weight_stays) result.weight = 1;
  if (plan.output_stays) result.output = 1;
  return result;
}

// Sizes of a side that are tried: the array's, doubled as long as it is smaller than the side, and the side.
std::vector<std::int64_t> sizes(std::int64_t side, std::int64_t unit) {
  std::vector<std::int64_t> list;
  for (std::int64_t size = unit; size < side; size *= 2) list.push_back(size);
  list.push_back(side);
  return list;
}

class Planner {
 public:
  Planner(const ProductOperands& operands, const SystolicArray& array, const BufferSizes& buffers,
          const ValueBytes& bytes)
      : array_(array),
        bytes_(bytes),
        whole_(shape_of(operands)),
        unit_(units(array)),
        values_{operands.input.values(), operands.weight.values(), operands.output.values()},
        input_(room(buffers.input, whole_.m * whole_.k, bytes.operand)),
        weight_(room(buffers.weight, whole_.k * whole_.n, bytes.operand)),
        output_(room(buffers.output, whole_.m * whole_.n, bytes.sum)) {
    unit_ = {std::min(unit_.m, whole_.m), std::min(unit_.k, whole_.k), std::min(unit_.n, whole_.n)};
    require_room();
  }

  TilePlan plan(Tiling tiling) {
    // Where everything stays, what is smallest overlaps best.
    if (input_.stays && weight_.stays && output_.stays) {
      Shape tile = unit_;
      streamed(tile) = streamed(whole_);
      return made(tile, tiling == Tiling::kLeastTraffic ? Tiling::kOutputReuse : tiling);
    }
    for (const Tiling order : kOrders) {
      if (tiling == Tiling::kLeastTraffic || tiling == order) try_sizes(order);
    }
    return best_;
  }

 private:
  std::int64_t& streamed(Shape& shape) const {
    if (array_.dataflow() == Dataflow::kOutputStationary) return shape.k;
    return array_.dataflow() == Dataflow::kWeightStationary ? shape.m : shape.n;
  }

  void require_room() const {
    const auto require = [&](const char* name, const Room& room, std::int64_t tile, Bytes value) {
      if (tile <= room.values) return;
      throw UnsupportedError(fmt::format(
          "the {} buffer is too small: half of it must hold {} values of {} B, a tile of the array", name,
          tile, value));
    };
    require("input", input_, unit_.m * unit_.k, bytes_.operand);
    require("weight", weight_, unit_.k * unit_.n, bytes_.operand);
    require("output", output_, unit_.m * unit_.n, bytes_.sum);
  }

  TilePlan made(const Shape& tile, Tiling order) const {
    return {tile.m, tile.k, tile.n, order, input_.stays, weight_.stays, output_.stays};
  }

  bool fits(const Shape& tile) const {
    return tile.m * tile.k <= input_.values && tile.k * tile.n <= weight_.values &&
           tile.m * tile.n <= output_.values;
  }

  // The streamed side is as long as fits: longer is never worse.
  void lengthen(Shape& tile) const {
    std::int64_t& length = streamed(tile);
    Shape whole = whole_;
    std::int64_t longest = streamed(whole);
    if (array_.dataflow() != Dataflow::kWeightStationary && tile.m > 0) {
      longest = std::min(longest, array_.dataflow() == Dataflow::kOutputStationary ? input_.values / tile.m
                                                                                   : output_.values / tile.m);
    }
    if (array_.dataflow() != Dataflow::kInputStationary) {
      longest = std::min(longest, array_.dataflow() == Dataflow::kOutputStationary ? weight_.values / tile.n
                                                                                   : output_.values / tile.n);
    }
    if (array_.dataflow() != Dataflow::kOutputStationary) {
      longest = std::min(longest, array_.dataflow() == Dataflow::kWeightStationary ? input_.values / tile.k
                                                                                   : weight_.values / tile.k);
    }
    length = std::max<std::int64_t>(longest, 1);
  }

  void try_sizes(Tiling order) {
    Shape ones = {1, 1, 1};
    Shape sides = whole_;
    const std::int64_t* skip = &streamed(ones);
    const auto list = [&](const std::int64_t& one, std::int64_t side, std::int64_t unit) {
      return &one == skip ? std::vector<std::int64_t>{1} : sizes(side, unit);
    };
    for (const std::int64_t m : list(ones.m, sides.m, unit_.m)) {
      for (const std::int64_t k : list(ones.k, sides.k, unit_.k)) {
        for (const std::int64_t n : list(ones.n, sides.n, unit_.n)) {
          Shape tile{m, k, n};
          lengthen(tile);
          if (fits(tile)) consider(made(tile, order), tile);
        }
      }
    }
  }

  void consider(const TilePlan& plan, const Shape& tile) {
    const Shape count = blocks(whole_, tile);
    const Passes often = passes(count, plan.order, plan);
    const Bytes results = bytes_.result + (often.output - 1) * bytes_.sum;
    const Bytes moved =
        bytes_.operand * (often.input * values_.m + often.weight * values_.k) + results * values_.n;
    // Tiles of the array are the same whatever the plan but where the streamed side is cut.
    const auto cost = std::tuple(moved, count.m * count.k * count.n);
    if (cost >= cost_) return;
    cost_ = cost;
    best_ = plan;
  }

  const SystolicArray& array_;
  ValueBytes bytes_;
  Shape whole_;
  Shape unit_;
  Shape values_;  // of input, weight and output
  Room input_;
  Room weight_;
  Room output_;
  TilePlan best_;
  std::tuple<std::int64_t, std::int64_t> cost_{std::numeric_limits<std::int64_t>::max(), 0};
};

// A side cut into blocks.
struct Range {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t length() const { return end - first; }
};

// The cycles of a tile by the array's formula: along each side all blocks are equal but the last.
class BlockCycles {
 public:
  BlockCycles(const SystolicArray& array, const Shape& whole, const Shape& count, const TilePlan& plan)
      : count_(count) {
    const Shape last{whole.m - (count.m - 1) * plan.m, whole.k - (count.k - 1) * plan.k,
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
  Shape count_;
  std::array<PeCycles, 8> cycles_{};  // bits: the last of m, of k, of n
};

// Walks the tiles and knows what is in the buffers.
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
      case Tiling::kLeastTraffic:
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

  // Whether a block of an operand must come from the memory.
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

  // Sums leave when they are complete, or when others take their place and they do not stay.
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
  Shape whole_;
  Shape count_;
  BlockCycles formula_;
  // Of an operand that stays, what has not come with a block before.
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

Tiling parse_tiling(const std::string& name) {
  for (const Tiling tiling :
       {Tiling::kLeastTraffic, Tiling::kOutputReuse, Tiling::kWeightReuse, Tiling::kInputReuse}) {
    if (name == to_string(tiling)) return tiling;
  }
  throw std::invalid_argument(
      fmt::format("'{}' is no tiling: least_traffic, output_reuse, weight_reuse and input_reuse are", name));
}

const char* to_string(Tiling tiling) {
  switch (tiling) {
    case Tiling::kLeastTraffic:
      return "least_traffic";
    case Tiling::kOutputReuse:
      return "output_reuse";
    case Tiling::kWeightReuse:
      return "weight_reuse";
    case Tiling::kInputReuse:
      return "input_reuse";
  }
  return "?";
}

Traffic& Traffic::operator+=(const Traffic& other) {
  input += other.input;
  weight += other.weight;
  output += other.output;
  return *this;
}

Traffic Traffic::operator*(std::int64_t times) const {
  return {input * times, weight * times, output * times};
}

TilePlan plan_tiles(const ProductOperands& operands, const SystolicArray& array, const BufferSizes& buffers,
                    Tiling tiling, const ValueBytes& bytes) {
  return Planner(operands, array, buffers, bytes).plan(tiling);
}

TileWalk walk_tiles(const ProductOperands& operands, const SystolicArray& array, const TilePlan& plan,
                    const TileCycles& cycles, const ValueBytes& bytes) {
  return Walker(operands, array, plan, cycles, bytes).walk();
}

PeCycles tiles_compute(const ProductOperands& operands, const SystolicArray& array, const TilePlan& plan) {
  const Shape whole = shape_of(operands);
  return BlockCycles(array, whole, blocks(whole, {plan.m, plan.k, plan.n}), plan).all();
}

}  // namespace coppice::accelerator
