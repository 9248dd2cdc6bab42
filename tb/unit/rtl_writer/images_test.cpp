#include "rtl_writer/images.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <coppice_tile.h>
#include "small_design.h"

namespace coppice::rtl_writer {
namespace {

using testing::SmallDesign;

// The tiles' registers after an image has been written, and the number of table lines written to each tile.
struct Registers {
  std::map<std::pair<unsigned, unsigned>, std::uint32_t>
      held;                       // keyed by (tile, offset); a write to tile 0xffff sets tiles 0 to 3
  std::map<unsigned, int> lines;  // the number of lines in each tile's table
  std::int64_t writes = 0;
};
Registers play(const std::string& image) {
  Registers registers;
  std::istringstream text(image);
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("//")) continue;
    const auto tile = static_cast<unsigned>(std::stoul(line.substr(0, 4), nullptr, 16));
    const auto offset = static_cast<unsigned>(std::stoul(line.substr(4, 2), nullptr, 16));
    const auto value = static_cast<std::uint32_t>(std::stoul(line.substr(7), nullptr, 16));
    ++registers.writes;
    if (offset == COPPICE_TILE_TABLE) ++registers.lines[tile];
    for (unsigned one = 0; one < 4; ++one) {
      if (tile == one || tile == 0xffff) registers.held[{one, offset}] = value;
    }
  }
  return registers;
}

TEST(BootImage, WritesEveryLineAndCountsEveryMessage) {
  const SmallDesign small;
  const BootImage image = boot_image(small.design(), shape_of(small.design()));
  Registers registers = play(image.text);
  EXPECT_EQ(registers.writes, image.writes);
  std::int64_t messages = 0;
  std::uint32_t arrivals = 0;
  for (unsigned tile = 0; tile < 4; ++tile) {
    std::uint32_t lines = 0;
    for (unsigned port = 0; port < 4; ++port) {
      lines += registers.held[{tile, COPPICE_TILE_LINES + 4 * port}];
      messages += small.design().schedule.nodes[tile].ports[port].messages();
    }
    EXPECT_EQ(registers.lines[tile], static_cast<int>(lines)) << tile;
    arrivals += registers.held[{tile, COPPICE_TILE_ARRIVALS}];
    EXPECT_EQ((registers.held[{tile, COPPICE_TILE_SOURCE}]), 4 * tile);
  }
  EXPECT_EQ(arrivals, messages);
}

TEST(BootImage, SetsTheValuesOfTheConfiguration) {
  const SmallDesign small({"system.ni.lockstep=false", "system.ni.dma_latency=6", "system.ni.payload=64 B"});
  Registers registers = play(boot_image(small.design(), shape_of(small.design())).text);
  EXPECT_EQ((registers.held[{3, COPPICE_TILE_CONFIG}]), 0U);
  EXPECT_EQ((registers.held[{3, COPPICE_TILE_DMA_LATENCY}]), 6U);
  EXPECT_EQ((registers.held[{3, COPPICE_TILE_PAYLOAD}]), 16U);
}

TEST(MemoryImage, HasTheBitsOfEveryValue) {
  EXPECT_EQ(memory_image(std::vector<float>{1.0F, -2.0F}), "3f800000\nc0000000\n");
}

}  // namespace
}  // namespace coppice::rtl_writer
