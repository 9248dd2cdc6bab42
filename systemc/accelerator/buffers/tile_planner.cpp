#include "accelerator/buffers/tile_planner.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "accelerator/buffers/tile_walk.h"
#include "base/error.h"

namespace coppice::accelerator {
namespace {

// The dimensions of the array along m, k and n; 1 for the dimension that is streamed through the array.
ProductShape units(const SystolicArray& array) {
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

// The number of times that each block of an operand is transferred between memory and buffer.
struct Passes {
  std::int64_t input = 1;
  std::int64_t weight = 1;
  std::int64_t output = 1;  // one transfer of complete results, after any transfers of incomplete sums
};

// The number of transfers of each operand. A block that the next tile needs again is not transferred again.
Passes passes(const ProductShape& count, const TilePlan& plan) {
  Passes result;
  const std::int64_t spills = 2 * count.k - 1;
  switch (plan.order) {
    case Tiling::kLeastTraffic:
      throw std::invalid_argument("least_traffic must be resolved to another order before it is used");
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

// The candidate sizes of a dimension: the array's size and its doublings that are smaller than the dimension,
// and the size of the dimension itself.
std::vector<std::int64_t> sizes(std::int64_t side, std::int64_t unit) {
  std::vector<std::int64_t> list;
  for (std::int64_t size = unit; size < side; size *= 2) list.push_back(size);
  list.push_back(side);
  return list;
}

}  // namespace

TilePlanner::TilePlanner(std::vector<CountedProduct> products, const SystolicArray& array,
                         const BufferSizes& buffers, const ValueBytes& bytes)
    : products_(std::move(products)), array_(array), bytes_(bytes), unit_(units(array)) {
  for (const CountedProduct& product : products_) {
    sums_.push_back({OperandSums(product.operands.input), OperandSums(product.operands.weight),
                     OperandSums(product.operands.output)});
  }
  whole_ = shape_of(products_.front().operands);
  unit_ = {std::min(unit_.m, whole_.m), std::min(unit_.k, whole_.k), std::min(unit_.n, whole_.n)};
  input_ = room(buffers.input, whole_.m * whole_.k, bytes.operand);
  weight_ = room(buffers.weight, whole_.k * whole_.n, bytes.operand);
  output_ = room(buffers.output, whole_.m * whole_.n, bytes.sum);
  require_room();
}

TilePlanner::Room TilePlanner::room(const std::optional<Bytes>& buffer, std::int64_t operand, Bytes value) {
  if (!buffer || operand * value <= *buffer) return {.stays = true};
  return {.stays = false, .values = *buffer / 2 / value};
}

void TilePlanner::require_room() const {
  const auto require = [&](const char* name, const Room& room, std::int64_t tile, Bytes value) {
    if (tile <= room.values) return;
    throw UnsupportedError(fmt::format(
        "the {} buffer is too small: half of it must hold a tile of the array's size, {} values of {} B",
        name, tile, value));
  };
  require("input", input_, unit_.m * unit_.k, bytes_.operand);
  require("weight", weight_, unit_.k * unit_.n, bytes_.operand);
  require("output", output_, unit_.m * unit_.n, bytes_.sum);
}

std::int64_t& TilePlanner::streamed(ProductShape& shape) const {
  if (array_.dataflow() == Dataflow::kOutputStationary) return shape.k;
  return array_.dataflow() == Dataflow::kWeightStationary ? shape.m : shape.n;
}

// Makes the streamed dimension as long as the buffers allow, because a longer tile is never worse.
void TilePlanner::lengthen(ProductShape& tile) const {
  ProductShape whole = whole_;
  std::int64_t longest = streamed(whole);
  switch (array_.dataflow()) {
    case Dataflow::kOutputStationary:
      longest = std::min({longest, input_.values / tile.m, weight_.values / tile.n});
      break;
    case Dataflow::kWeightStationary:
      longest = std::min({longest, output_.values / tile.n, input_.values / tile.k});
      break;
    case Dataflow::kInputStationary:
      longest = std::min({longest, output_.values / tile.m, weight_.values / tile.k});
      break;
  }
  streamed(tile) = std::max<std::int64_t>(longest, 1);
}

bool TilePlanner::fits(const ProductShape& tile) const {
  return tile.m * tile.k <= input_.values && tile.k * tile.n <= weight_.values &&
         tile.m * tile.n <= output_.values;
}

std::vector<ProductShape> TilePlanner::sizes_to_try() const {
  const auto list = [&](Dataflow streams_here, std::int64_t side, std::int64_t unit) {
    return array_.dataflow() == streams_here ? std::vector<std::int64_t>{1} : sizes(side, unit);
  };
  std::vector<ProductShape> tiles;
  for (const std::int64_t m : list(Dataflow::kWeightStationary, whole_.m, unit_.m)) {
    for (const std::int64_t k : list(Dataflow::kOutputStationary, whole_.k, unit_.k)) {
      for (const std::int64_t n : list(Dataflow::kInputStationary, whole_.n, unit_.n)) {
        ProductShape tile{m, k, n};
        lengthen(tile);
        if (fits(tile)) tiles.push_back(tile);
      }
    }
  }
  return tiles;
}

TilePlan TilePlanner::made(const ProductShape& tile, Tiling order) const {
  return {tile.m, tile.k, tile.n, order, input_.stays, weight_.stays, output_.stays};
}

TilePlan TilePlanner::plan(Tiling order) {
  // If all operands stay in their buffers, the smallest tile has the best overlap of transfers and
  // computation.
  if (input_.stays && weight_.stays && output_.stays) {
    ProductShape tile = unit_;
    ProductShape whole = whole_;
    streamed(tile) = streamed(whole);
    return made(tile, order);
  }
  TilePlan best;
  std::tuple<Bytes, PeCycles, std::int64_t> least{std::numeric_limits<Bytes>::max(), 0, 0};
  for (const ProductShape& tile : sizes_to_try()) {
    const TilePlan plan = made(tile, order);
    const Bytes moved = traffic(plan).total();
    if (moved > std::get<0>(least)) continue;
    const ProductShape count = blocks(whole_, tile);
    const std::tuple cost(moved, tiles_compute(products_.front().operands, array_, plan),
                          count.m * count.k * count.n);
    if (cost >= least) continue;
    least = cost;
    best = plan;
  }
  return best;
}

Traffic TilePlanner::traffic(const TilePlan& plan) {
  Traffic sum;
  for (std::size_t i = 0; i < products_.size(); ++i) sum += traffic_of(i, plan);
  return sum;
}

Traffic TilePlanner::traffic_of(std::size_t product, const TilePlan& plan) {
  const CountedProduct& counted = products_[product];
  Sums& sums = sums_[product];
  const Passes often = passes(blocks(shape_of(counted.operands), {plan.m, plan.k, plan.n}), plan);
  const std::int64_t inputs = sums.input.values(plan.m, plan.k, plan.input_stays);
  const std::int64_t weights = sums.weight.values(plan.k, plan.n, plan.weight_stays);
  const std::int64_t outputs = sums.output.values(plan.m, plan.n, plan.output_stays);
  return {counted.inputs * often.input * inputs * bytes_.operand,
          counted.weights * often.weight * weights * bytes_.operand,
          counted.outputs * outputs * (bytes_.result + (often.output - 1) * bytes_.sum)};
}

}  // namespace coppice::accelerator
