#include "rtl_writer/images.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <coppice_tile.h>
#include "base/error.h"
#include "cosim/bit_fields.h"
#include "cosim/rtl_terminal.h"
#include "fabric/framing.h"
#include "schedule/tables/table_loop.h"

namespace coppice::rtl_writer {
namespace {

using cosim::NiLimits;
using schedule::Op;
using schedule::TableLine;

constexpr int kLineWords = COPPICE_TILE_LINE_COUNT;
using LineBits = std::array<std::uint32_t, kLineWords>;

std::uint32_t low_bits(std::int64_t value, int bits) {
  return static_cast<std::uint32_t>(value) & ((1U << bits) - 1);
}

// Collects the register writes. A tile's registers for a line keep their values, so only those that change
// are written.
class Writes {
 public:
  static constexpr unsigned kAllTiles = 0xffff;

  void comment(const std::string& text) { text_ += fmt::format("// {}\n", text); }
  void write(unsigned tile, unsigned offset, std::uint32_t value) {
    text_ += fmt::format("{:04x}{:02x}_{:08x}\n", tile, offset, value);
    ++count_;
  }
  void write_line(unsigned tile, const LineBits& line) {
    for (unsigned word = 0; word < kLineWords; ++word) {
      std::uint32_t& held = held_[{tile, word}];
      if (held == line[word]) continue;
      held = line[word];
      write(tile, COPPICE_TILE_LINE + 4 * word, held);
    }
  }
  BootImage take() && { return {std::move(text_), count_}; }

 private:
  std::string text_;
  std::int64_t count_ = 0;
  // [tile, register]: its value, which is zero after reset.
  std::map<std::pair<unsigned, unsigned>, std::uint32_t> held_;
};

class Tables {
 public:
  Tables(const Design& design, const Shape& shape)
      : design_(design),
        shape_(shape),
        framing_{design.system().ni.flow_control, design.system().flit, design.system().ni.payload},
        arrivals_(static_cast<std::size_t>(design.tiles())) {}

  BootImage write() && {
    settings();
    for (NodeId tile = 0; tile < design_.tiles(); ++tile) load(tile);
    writes_.comment("number of messages that each tile waits for");
    for (std::size_t tile = 0; tile < arrivals_.size(); ++tile) {
      if (arrivals_[tile] >= std::int64_t{1} << NiLimits::kTotalBits) {
        throw ConfigError(design_.loaded.place("collective"),
                          fmt::format("collective sends {} messages to accelerator {}, but the register that "
                                      "counts them is limited to 65535: use fewer chunks",
                                      arrivals_[tile], tile));
      }
      writes_.write(static_cast<unsigned>(tile), COPPICE_TILE_ARRIVALS,
                    static_cast<std::uint32_t>(arrivals_[tile]));
    }
    return std::move(writes_).take();
  }

 private:
  // Writes the settings that all tiles share.
  void settings() {
    constexpr std::uint32_t kBothInterrupts = 3;
    const config::NiConfig& ni = design_.system().ni;
    const bool message = ni.flow_control == config::FlowControl::kMessage;
    const auto flit_words = static_cast<std::uint32_t>(design_.system().flit / 4);
    const schedule::Repetition& stride = design_.schedule.repetition;
    const auto all = [&](unsigned offset, std::uint32_t value) {
      writes_.write(Writes::kAllTiles, offset, value);
    };
    writes_.comment("settings of all tiles");
    all(COPPICE_TILE_INTERRUPT_ENABLE, kBothInterrupts);
    all(COPPICE_TILE_CONFIG, ni.lockstep ? COPPICE_TILE_CONFIG_LOCKSTEP_MASK : 0);
    all(COPPICE_TILE_ABSORBS, static_cast<std::uint32_t>(ni.buffer));
    all(COPPICE_TILE_DMA_LATENCY, static_cast<std::uint32_t>(ni.dma_latency));
    // For message-based flow control, set a packet size that is larger than any message.
    all(COPPICE_TILE_PAYLOAD,
        message ? (1U << NiLimits::kLengthBits) - flit_words : static_cast<std::uint32_t>(ni.payload / 4));
    all(COPPICE_TILE_FLOW_STRIDE, low_bits(stride.flow, NiLimits::kFlowBits));
    all(COPPICE_TILE_ADDRESS_STRIDE, low_bits(stride.address / 4, NiLimits::kAddressBits));
    all(COPPICE_TILE_STEP_STRIDE, low_bits(stride.step, NiLimits::kStepBits));
  }

  void load(NodeId tile) {
    const auto at = static_cast<unsigned>(tile);
    writes_.comment(fmt::format("tile {}", tile));
    writes_.write(at, COPPICE_TILE_SOURCE, at * static_cast<unsigned>(design_.ni_ports));
    const auto& tables = design_.schedule.nodes[static_cast<std::size_t>(tile)].ports;
    for (unsigned port = 0; port < tables.size(); ++port) {
      const schedule::TableLoop loop(tables[port], design_.schedule.repetition, design_.system().ni.lockstep);
      const auto lines = static_cast<std::uint32_t>(loop.lines().size());
      writes_.comment(fmt::format("tile {} port {}: {} lines", tile, port, lines));
      writes_.write(at, COPPICE_TILE_LINES + 4 * port, lines);
      writes_.write(at, COPPICE_TILE_COUNT + 4 * port, static_cast<std::uint32_t>(loop.entries()));
      for (std::uint32_t index = 0; index < lines; ++index) {
        const TableLine& line = loop.lines()[index];
        writes_.write_line(at, bits_of(tile, line));
        writes_.write(at, COPPICE_TILE_TABLE, port << COPPICE_TILE_TABLE_PORT_AT | index);
      }
    }
  }

  // Encodes the fields of rtl/ni/coppice_layout.vh, and counts the line's messages as arrivals at their
  // destination.
  LineBits bits_of(NodeId tile, const TableLine& line) {
    const cosim::NiLine values = cosim::line_of(framing_, line);
    LineBits bits{};
    cosim::Fields fields(bits);
    fields.put(values.op, 2);
    fields.put(values.flow, NiLimits::kFlowBits);
    fields.put(values.dependencies, NiLimits::kCountBits);
    fields.put(values.step, NiLimits::kStepBits);
    fields.put(values.address, NiLimits::kAddressBits);
    fields.put(values.words, NiLimits::kLengthBits);
    fields.put(values.total, NiLimits::kLengthBits);
    fields.put(values.flits, NiLimits::kFlitsBits);
    fields.put(values.packets, NiLimits::kPacketsBits);
    put_route(fields, tile, line);
    fields.put(values.first, NiLimits::kIterationBits);
    fields.put(values.end, NiLimits::kIterationBits);
    return bits;
  }

  void put_route(cosim::Fields<LineBits>& fields, NodeId tile, const TableLine& line) {
    int hops = 0;
    if (line.base.op != Op::kNop) {
      NodeId at = tile;
      for (const topology::Hop& hop : design_.schedule.routes[static_cast<std::size_t>(line.base.route)]) {
        const auto out = design_.topology.out_channels(at);
        const bool ejects = hop.out_port >= out.size();
        const auto links = static_cast<unsigned>(links_of(design_.topology, at));
        // A router's ports to the network interface follow its ports to links, including links without an
        // outgoing channel.
        const auto port = ejects ? hop.out_port - static_cast<unsigned>(out.size()) + links : hop.out_port;
        fields.put(port, static_cast<unsigned>(shape_.hop_port_bits));
        fields.put(hop.vcs.begin, static_cast<unsigned>(shape_.vc_bits));
        fields.put(hop.vcs.end - 1U, static_cast<unsigned>(shape_.vc_bits));
        ++hops;
        if (!ejects) at = design_.topology.channel(out[hop.out_port]).dst;
      }
      arrivals_[static_cast<std::size_t>(at)] += line.end - line.first;
    }
    for (; hops < shape_.hops; ++hops) fields.put(0, static_cast<unsigned>(shape_.hop_bits()));
  }

  const Design& design_;
  const Shape& shape_;
  fabric::Framing framing_;
  std::vector<std::int64_t> arrivals_;  // [tile]: number of messages that it receives
  Writes writes_;
};

}  // namespace

BootImage boot_image(const Design& design, const Shape& shape) {
  return Tables(design, shape).write();
}

std::string memory_image(std::span<const float> values) {
  std::string text;
  for (const float value : values) text += fmt::format("{:08x}\n", std::bit_cast<std::uint32_t>(value));
  return text;
}

}  // namespace coppice::rtl_writer
