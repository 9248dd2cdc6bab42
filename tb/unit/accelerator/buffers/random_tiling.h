#pragma once

#include <cstdint>
#include <optional>

#include <rapidcheck.h>

#include "accelerator/buffers/tile_planner.h"
#include "array/random_product.h"

namespace coppice::accelerator {

inline ProductOperands product(std::int64_t m, std::int64_t k, std::int64_t n) {
  return {OperandBlocks::plain(m, k), OperandBlocks::plain(k, n), OperandBlocks::plain(m, n)};
}

// A matrix product and an array with buffers, for tests of tile plans.
struct Case {
  std::int64_t m, k, n;
  SystolicArray array{1, 1, Dataflow::kOutputStationary};
  BufferSizes buffers;
  Tiling order = Tiling::kOutputReuse;
  ValueBytes bytes;
};

inline Case any_case() {
  const auto side = [] { return *rc::gen::inRange<std::int64_t>(1, 40); };
  const auto buffer = []() -> std::optional<Bytes> {
    if (*rc::gen::arbitrary<bool>()) return std::nullopt;
    return *rc::gen::inRange<Bytes>(8 * 5 * 5, 4000);
  };
  const auto array = [] { return *rc::gen::inRange(1, 6); };
  const int rows = array();
  const int columns = array();
  return {side(),
          side(),
          side(),
          SystolicArray(rows, columns, any_dataflow()),
          {buffer(), buffer(), buffer()},
          *rc::gen::elementOf(kTileOrders),
          {*rc::gen::element<Bytes>(1, 2, 4), *rc::gen::element<Bytes>(1, 2, 4), 4}};
}

inline TilePlan plan_of(const Case& c) {
  return TilePlanner({{product(c.m, c.k, c.n)}}, c.array, c.buffers, c.bytes).plan(c.order);
}

}  // namespace coppice::accelerator
