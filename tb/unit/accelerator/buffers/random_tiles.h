#pragma once

#include <vector>

#include <rapidcheck.h>

#include "accelerator/buffers/tile_pipeline.h"

namespace coppice::accelerator {

// Random tiles with short and long computations and transfers; some have no load or no store.
inline std::vector<TileDemand> any_tiles() {
  std::vector<TileDemand> tiles(*rc::gen::inRange<std::size_t>(1, 25));
  for (TileDemand& tile : tiles) {
    tile.compute = *rc::gen::inRange(1, 30);
    tile.load = *rc::gen::element(0, 1, *rc::gen::inRange(0, 40));
    tile.store = *rc::gen::element(0, 1, *rc::gen::inRange(0, 40));
    tile.new_output = *rc::gen::arbitrary<bool>();
    tile.takes_half = *rc::gen::arbitrary<bool>();
  }
  tiles.front().new_output = true;
  return tiles;
}

}  // namespace coppice::accelerator
