#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "accelerator/array/systolic_array.h"
#include "accelerator/buffers/operand_blocks.h"
#include "accelerator/buffers/product_shape.h"
#include "accelerator/buffers/tiling.h"

namespace coppice::accelerator {

// A product, and the number of times that the memory moves each of its operands: once if the PEs share the
// operand, or once per PE if each PE has its own.
struct CountedProduct {
  ProductOperands operands;
  std::int64_t inputs = 1;
  std::int64_t weights = 1;
  std::int64_t outputs = 1;
};

// Finds tilings of products for an array and its buffers. For a given order, it chooses the tile sizes that
// move the fewest bytes, counted exactly and including the halos of patches. If several sizes do, it chooses
// those with the fewest cycles, and then those with the fewest tiles. The candidates for a dimension are the
// array's size, its doublings that are smaller than the dimension, and the dimension itself.
class TilePlanner {
 public:
  // The buffers must be able to hold tiles of the first of `products`; the plan applies to all products.
  // Throws an UnsupportedError that names the buffer if a buffer is too small for a tile of the array's size.
  TilePlanner(std::vector<CountedProduct> products, const SystolicArray& array, const BufferSizes& buffers,
              const ValueBytes& bytes = {});

  // The best plan for `order`, which must be one of kTileOrders.
  TilePlan plan(Tiling order);
  // The number of bytes that all products move under `plan`. The result equals that of walk_tiles() but is
  // computed without a walk.
  Traffic traffic(const TilePlan& plan);

 private:
  // The number of values that a tile may occupy in a buffer.
  struct Room {
    bool stays = false;
    std::int64_t values = std::numeric_limits<std::int64_t>::max();
  };
  struct Sums {
    OperandSums input;
    OperandSums weight;
    OperandSums output;
  };

  static Room room(const std::optional<Bytes>& buffer, std::int64_t operand, Bytes value);
  void require_room() const;
  std::int64_t& streamed(ProductShape& shape) const;
  void lengthen(ProductShape& tile) const;
  bool fits(const ProductShape& tile) const;
  // All tile sizes that fit into the buffers. In each of them, the streamed dimension is as long as possible.
  std::vector<ProductShape> sizes_to_try() const;
  TilePlan made(const ProductShape& tile, Tiling order) const;
  Traffic traffic_of(std::size_t product, const TilePlan& plan);

  std::vector<CountedProduct> products_;
  std::vector<Sums> sums_;  // [product]
  SystolicArray array_;
  ValueBytes bytes_;
  ProductShape whole_;
  ProductShape unit_;
  Room input_;
  Room weight_;
  Room output_;
};

}  // namespace coppice::accelerator
