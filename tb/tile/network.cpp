// tile_network_PORTS_FLITBITS FOLDER simulates a network of Verilated tiles (rtl/tile/tile.v) whose memories
// and links are plain arrays. Like network_tb.v, it reads the files that tb/tile/simulate writes into FOLDER,
// and it prints the same lines.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <Vtile.h>
#include <Vtile___024root.h>
#include <verilated.h>

double sc_time_stamp() {
  return 0;
}

namespace coppice::tile {
namespace {

// The parameters of the Verilated tile. It has as many links as ports.
constexpr unsigned kPorts = COPPICE_TILE_PORTS;
constexpr unsigned kLinks = kPorts;
constexpr unsigned kFlitBits = COPPICE_TILE_FLIT_BITS;
constexpr unsigned kVcs = 4;
constexpr unsigned kVcBits = 2;
constexpr unsigned kLanes = kFlitBits / 32;
constexpr unsigned kAddressBits = 24;
constexpr unsigned kLineWords = 7;
constexpr unsigned kCountBits = 16;
constexpr unsigned kLinesBits = 11;  // enough for tables of 1024 lines

using FlitBits = std::array<std::uint32_t, kLanes>;

// Reads a file with one hexadecimal number per line. Each number is returned as 32-bit words, the lowest word
// first.
std::vector<std::vector<std::uint32_t>> read_hex(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<std::vector<std::uint32_t>> numbers;
  constexpr std::size_t kDigits = 8;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::uint32_t>& words = numbers.emplace_back();
    for (std::size_t end = line.size(); end > 0;) {
      const std::size_t begin = end - std::min(end, kDigits);
      words.push_back(static_cast<std::uint32_t>(std::stoul(line.substr(begin, end - begin), nullptr, 16)));
      end = begin;
    }
  }
  return numbers;
}

std::vector<std::uint32_t> read_words(const std::string& path) {
  std::vector<std::uint32_t> words;
  for (const auto& number : read_hex(path)) words.push_back(number.front());
  return words;
}

std::uint64_t field(const std::vector<std::uint32_t>& words, unsigned at, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned bit = 0; bit < width; ++bit) {
    const std::size_t word = (at + bit) / 32;
    if (word < words.size()) value |= std::uint64_t{(words[word] >> ((at + bit) % 32)) & 1} << bit;
  }
  return value;
}

// Reads bits of a port of the Verilated tile. Up to 64 bits, a port is an integer; wider ports are arrays of
// 32-bit words.
template <typename Port>
std::uint32_t get(const Port& port, unsigned at, unsigned width) {
  std::uint64_t bits = 0;
  if constexpr (std::is_integral_v<Port>) {
    bits = std::uint64_t{port} >> at;
  } else {
    bits = port[at / 32];
    if (at % 32 + width > 32) bits |= std::uint64_t{port[at / 32 + 1]} << 32;
    bits >>= at % 32;
  }
  return static_cast<std::uint32_t>(bits & ((std::uint64_t{1} << width) - 1));
}

// Sets bits of a port. If the port is an array, the bits must be in one word.
template <typename Port>
void set(Port& port, unsigned at, unsigned width, std::uint32_t value) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Port>) {
    port = static_cast<Port>((std::uint64_t{port} & ~(mask << at)) | std::uint64_t{value} << at);
  } else {
    const auto moved = static_cast<std::uint32_t>(mask << (at % 32));
    port[at / 32] = (port[at / 32] & ~moved) | value << (at % 32);
  }
}

template <typename Port>
FlitBits get_flit(const Port& port, unsigned number) {
  FlitBits bits{};
  for (unsigned lane = 0; lane < kLanes; ++lane) bits[lane] = get(port, (number * kLanes + lane) * 32, 32);
  return bits;
}

template <typename Port>
void set_flit(Port& port, unsigned number, const FlitBits& bits) {
  for (unsigned lane = 0; lane < kLanes; ++lane) set(port, (number * kLanes + lane) * 32, 32, bits[lane]);
}

// The contents of a link in one cycle: a flit in one direction and credits in the other.
struct Flit {
  bool valid = false;
  bool head = false;
  bool tail = false;
  unsigned vc = 0;
  FlitBits bits{};
};

class Tile {
 public:
  Tile(unsigned node, unsigned seed, const std::map<std::string, std::uint32_t>& constants)
      : dma_(constants.at("DMA_LATENCY") - 1) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed + node));
    rtl_ = std::make_unique<Vtile>(&context_, "tile");
    rtl_->type_i = static_cast<CData>(constants.at("TYPE"));
    rtl_->lockstep_i = constants.at("LOCKSTEP") != 0;
    rtl_->absorbs_i = constants.at("ABSORBS");
    rtl_->dma_latency_i = constants.at("DMA_LATENCY");
    rtl_->payload_words_i = constants.at("PAYLOAD_WORDS");
    rtl_->flow_stride_i = static_cast<SData>(constants.at("FLOW_STRIDE"));
    rtl_->address_stride_i = constants.at("ADDRESS_STRIDE");
    rtl_->step_stride_i = static_cast<SData>(constants.at("STEP_STRIDE"));
    rtl_->source_i = static_cast<SData>(node * kPorts);
    rtl_->load_valid_i = 0;
    rtl_->start_i = 0;
    rtl_->flit_valid_i = 0;
    rtl_->credit_i = 0;
    rtl_->dma_data_valid_i = 0;
    rtl_->clk_i = 0;
    rtl_->rst_ni = 0;
    rtl_->eval();
  }
  ~Tile() { rtl_->final(); }
  Tile(const Tile&) = delete;
  Tile& operator=(const Tile&) = delete;

  Vtile& rtl() { return *rtl_; }
  // The number of ports at which a read waits for pending sums in this cycle.
  int reads_held() const { return std::popcount(rtl_->rootp->tile__DOT__i_ni__DOT__conflict); }

  void put_flit(unsigned port, const Flit& flit) {
    set(rtl_->flit_valid_i, port, 1, flit.valid);
    set(rtl_->flit_head_i, port, 1, flit.head);
    set(rtl_->flit_tail_i, port, 1, flit.tail);
    set(rtl_->flit_vc_i, port * kVcBits, kVcBits, flit.vc);
    set_flit(rtl_->flit_i, port, flit.bits);
  }
  void put_credits(unsigned port, unsigned credits) { set(rtl_->credit_i, port * kVcs, kVcs, credits); }
  Flit flit(unsigned port) const {
    return {get(rtl_->flit_valid_o, port, 1) != 0, get(rtl_->flit_head_o, port, 1) != 0,
            get(rtl_->flit_tail_o, port, 1) != 0, get(rtl_->flit_vc_o, port * kVcBits, kVcBits),
            get_flit(rtl_->flit_o, port)};
  }
  unsigned credits(unsigned port) const { return get(rtl_->credit_o, port * kVcs, kVcs); }

  // Performs the memory accesses that the tile requests, and then the rising clock edge. Reads see only the
  // writes of earlier cycles.
  void tick(std::vector<std::uint32_t>& memory, std::size_t first, std::size_t words) {
    const auto address = [](const auto& of, unsigned port) {
      return std::size_t{get(of, port * kAddressBits, kAddressBits)};
    };
    const auto read = [&](std::size_t at) {
      FlitBits bits{};
      for (unsigned lane = 0; lane < kLanes && at + lane < words; ++lane)
        bits[lane] = memory[first + at + lane];
      return bits;
    };
    if (rtl_->rst_ni == 0) {
      edge();
      return;
    }
    std::array<FlitBits, kPorts> sums{};
    DmaData asked;
    asked.valid = rtl_->dma_valid_o;
    for (unsigned port = 0; port < kPorts; ++port) {
      if (((rtl_->dma_valid_o >> port) & 1) != 0) asked.bits[port] = read(address(rtl_->dma_address_o, port));
      if (((rtl_->read_valid_o >> port) & 1) != 0) sums[port] = read(address(rtl_->read_address_o, port));
    }
    const unsigned reads = rtl_->read_valid_o;
    const auto write = [&](unsigned port, const auto& addresses, const auto& lanes, const auto& data) {
      const std::size_t at = address(addresses, port);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (get(lanes, port * kLanes + lane, 1) == 0) continue;
        if (at + lane >= words) throw std::runtime_error("a write beyond the end of the memory");
        memory[first + at + lane] = get(data, (port * kLanes + lane) * 32, 32);
      }
    };
    for (unsigned port = 0; port < kPorts; ++port) {
      if (((rtl_->sum_valid_o >> port) & 1) != 0)
        write(port, rtl_->sum_address_o, rtl_->sum_lanes_o, rtl_->sum_data_o);
      if (((rtl_->store_valid_o >> port) & 1) != 0)
        write(port, rtl_->store_address_o, rtl_->store_lanes_o, rtl_->store_data_o);
    }
    dma_data_.push_back(asked);
    edge();
    for (unsigned port = 0; port < kPorts; ++port) {
      if (((reads >> port) & 1) != 0) set_flit(rtl_->read_data_i, port, sums[port]);
    }
    rtl_->dma_data_valid_i = 0;
    if (dma_data_.size() < dma_) return;
    rtl_->dma_data_valid_i = static_cast<CData>(dma_data_.front().valid);
    for (unsigned port = 0; port < kPorts; ++port)
      set_flit(rtl_->dma_data_i, port, dma_data_.front().bits[port]);
    dma_data_.pop_front();
  }

 private:
  struct DmaData {
    unsigned valid = 0;
    std::array<FlitBits, kPorts> bits{};
  };

  void edge() {
    rtl_->clk_i = 1;
    rtl_->eval();
    rtl_->clk_i = 0;
  }

  VerilatedContext context_;
  std::unique_ptr<Vtile> rtl_;
  std::size_t dma_;  // number of cycles from a request to its data
  std::deque<DmaData> dma_data_;
};

class Network {
 public:
  Network(const std::string& folder, unsigned seed) : folder_(folder) {
    std::ifstream file(folder + "/system.txt");
    for (std::string name; file >> name;) file >> constants_[name];
    if (constants_["LINKS"] != kLinks || constants_["PORTS"] != kPorts || constants_["FLIT_W"] != kFlitBits) {
      throw std::runtime_error(folder + "/system.txt: tiles have " + std::to_string(kPorts) +
                               " links and ports and flits of " + std::to_string(kFlitBits) + " bits here");
    }
    nodes_ = constants_["NODES"];
    words_ = constants_["WORDS"];
    memory_ = read_words(folder + "/memory.hex");
    sums_ = read_words(folder + "/sums.hex");
    sources_ = read_words(folder + "/sources.hex");
    for (unsigned node = 0; node < nodes_; ++node)
      tiles_.push_back(std::make_unique<Tile>(node, seed, constants_));
    const std::size_t latency = constants_["LATENCY"];
    flits_.assign(latency, std::vector<Flit>(nodes_ * kLinks));
    credits_.assign(latency, std::vector<unsigned>(nodes_ * kLinks));
  }

  bool run() {
    constexpr int kResetCycles = 3;
    for (int i = 0; i < kResetCycles; ++i) cycle();
    for (const auto& tile : tiles_) tile->rtl().rst_ni = 1;
    load();
    bool good = true;
    for (std::uint32_t run = 0; run < constants_["RUNS"]; ++run) good = collective(run) && good;
    return good;
  }

 private:
  void load() {
    for (const auto& words : read_hex(folder_ + "/tables.hex")) {
      const unsigned line_bits = constants_["LINE_W"];
      Vtile& rtl = tiles_[field(words, line_bits + 32, 16)]->rtl();
      rtl.load_valid_i = static_cast<CData>(1U << field(words, line_bits + 16, 16));
      rtl.load_index_i = static_cast<SData>(field(words, line_bits, 16));
      for (unsigned word = 0; word < kLineWords; ++word) {
        const unsigned left = line_bits - 32 * word;
        rtl.load_line_i[word] = static_cast<std::uint32_t>(field(words, 32 * word, std::min(left, 32U)));
      }
      cycle();
      rtl.load_valid_i = 0;
    }
  }

  void start() {
    const auto sizes = read_hex(folder_ + "/sizes.hex");
    for (unsigned node = 0; node < nodes_; ++node) {
      Vtile& rtl = tiles_[node]->rtl();
      const auto size = [&](unsigned at) {
        return static_cast<std::uint32_t>(field(sizes[node], 16 * at, 16));
      };
      for (unsigned port = 0; port < kPorts; ++port) {
        set(rtl.lines_i, port * kLinesBits, kLinesBits, size(port));
        set(rtl.count_i, port * kCountBits, kCountBits, size(kPorts + port));
      }
      rtl.arrivals_i = static_cast<SData>(size(2 * kPorts));
      rtl.start_i = 1;
    }
    cycle();
    for (const auto& tile : tiles_) tile->rtl().start_i = 0;
  }

  // Runs one collective, checks its sums and prints a line with the outcome.
  bool collective(std::uint32_t run) {
    start();
    const std::uint64_t begin = cycles_;
    flits_sent_ = 0;
    reads_held_ = 0;
    const auto all = [this](auto&& holds) { return std::all_of(tiles_.begin(), tiles_.end(), holds); };
    const auto sound = [](const auto& tile) { return tile->rtl().error_o == 0; };
    const auto done = [](const auto& tile) { return tile->rtl().done_o != 0; };
    std::uint64_t last = 0;
    std::vector<unsigned> arrived(nodes_);
    while (cycles_ - begin < constants_["MOST_CYCLES"] && !(all(done) && cycles_ > begin + 2) && all(sound)) {
      const std::uint64_t now = cycles_ - begin;
      cycle();
      for (unsigned node = 0; node < nodes_; ++node) {
        const unsigned count = tiles_[node]->rtl().arrived_o;
        if (count != arrived[node]) last = now;
        arrived[node] = count;
      }
    }
    // A message that is stored counts from the cycle after its tail, hence one more.
    ++last;
    std::size_t wrong = 0;
    for (std::size_t at = 0; at < memory_.size(); ++at) {
      const std::uint32_t right = sums_[run * memory_.size() + at];
      if (memory_[at] == right) continue;
      if (++wrong <= 5) {
        std::printf("tile %zu word %zu: %08x, should be %08x\n", at / words_, at % words_, memory_[at],
                    right);
      }
    }
    if (!all(sound)) {
      std::printf("FAILED: run %u: something was lost\n", run);
    } else if (!all(done)) {
      std::printf("FAILED: run %u: not done after %llu cycles\n", run,
                  static_cast<unsigned long long>(cycles_ - begin));
    } else if (wrong > 0) {
      std::printf("FAILED: run %u: %zu words are wrong\n", run, wrong);
    } else {
      std::printf(
          "verified: run %u: %llu cycles, %zu words, %llu flits on links, reads held for %llu cycles\n", run,
          static_cast<unsigned long long>(last), memory_.size(), static_cast<unsigned long long>(flits_sent_),
          static_cast<unsigned long long>(reads_held_));
      return true;
    }
    return false;
  }

  void cycle() {
    std::vector<Flit>& flits = flits_[at_];
    std::vector<unsigned>& credits = credits_[at_];
    for (unsigned input = 0; input < sources_.size(); ++input) {
      const unsigned output = sources_[input];
      tiles_[input / kLinks]->put_flit(input % kLinks, flits[output]);
      tiles_[output / kLinks]->put_credits(output % kLinks, credits[input]);
    }
    for (const auto& tile : tiles_) tile->rtl().eval();
    for (unsigned link = 0; link < sources_.size(); ++link) {
      Tile& tile = *tiles_[link / kLinks];
      if (tile.rtl().rst_ni == 0) continue;  // links are reset together with tiles
      flits[link] = tile.flit(link % kLinks);
      credits[link] = tile.credits(link % kLinks);
      flits_sent_ += flits[link].valid;
    }
    for (const auto& tile : tiles_) reads_held_ += static_cast<std::uint64_t>(tile->reads_held());
    for (std::size_t node = 0; node < nodes_; ++node) tiles_[node]->tick(memory_, node * words_, words_);
    at_ = at_ + 1 == flits_.size() ? 0 : at_ + 1;
    ++cycles_;
  }

  std::string folder_;
  std::map<std::string, std::uint32_t> constants_;
  std::size_t nodes_ = 0;
  std::size_t words_ = 0;
  std::vector<std::uint32_t> memory_;   // words of all tiles, one tile after another
  std::vector<std::uint32_t> sums_;     // expected sums after each run
  std::vector<std::uint32_t> sources_;  // for each input of a link, the output that drives it
  std::vector<std::unique_ptr<Tile>> tiles_;
  // The contents of the links, by cycle modulo the latency and by output or input. In each cycle, an element
  // is read by the input before the output overwrites it.
  std::vector<std::vector<Flit>> flits_;
  std::vector<std::vector<unsigned>> credits_;
  std::size_t at_ = 0;
  std::uint64_t cycles_ = 0;
  std::uint64_t flits_sent_ = 0;
  std::uint64_t reads_held_ = 0;  // cycles in which the DMA waited for sums, added over all ports
};

}  // namespace
}  // namespace coppice::tile

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("the argument must be a folder written by tb/tile/simulate");
    constexpr unsigned kSeed = 7;  // for the initial values of registers without a reset
    return coppice::tile::Network(argv[1], kSeed).run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tile_network: %s\n", error.what());
    return 1;
  }
}
