#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/random.h"

namespace coppice::schedule {

// Executes an MSCCL algorithm on numbers, as GPUs would. Thread blocks run concurrently in random order. A
// step has two halves (read, then write and send), and other blocks may run between them. Shares no code with
// the reader and writer of MSCCL files.
class MscclInterpreter {
 public:
  // The rule by which the next thread block is chosen among the blocks that can run.
  enum class Order { kRandom, kEager, kReluctant };

  // Throws std::runtime_error if GPUs could not load the file.
  explicit MscclInterpreter(const std::string& xml, int root = 0) : root_(root) {
    pugi::xml_document document;
    if (!document.load_string(xml.c_str())) fail("not valid XML");
    const pugi::xml_node algo = document.child("algo");
    collective_ = algo.attribute("coll").value();
    gpus_ = algo.attribute("ngpus").as_int();
    chunks_ = algo.attribute("nchunksperloop").as_int();
    in_place_ = algo.attribute("inplace").as_int() != 0;
    const int channels = algo.attribute("nchannels").as_int();
    const bool per_gpu =
        collective_ == "allgather" || collective_ == "reducescatter" || collective_ == "alltoall";
    if (gpus_ < 2 || chunks_ < 1 || (per_gpu && chunks_ % gpus_ != 0)) fail("invalid attributes of <algo>");
    own_ = chunks_ / gpus_;
    for (const pugi::xml_node gpu : algo.children("gpu")) {
      if (gpu.attribute("id").as_int() != static_cast<int>(sizes_.size())) fail("wrong GPU id");
      sizes_.push_back({gpu.attribute("i_chunks").as_int(), gpu.attribute("o_chunks").as_int(),
                        gpu.attribute("s_chunks").as_int()});
      for (const pugi::xml_node tb : gpu.children("tb")) {
        Block block;
        block.gpu = static_cast<int>(sizes_.size()) - 1;
        block.id = tb.attribute("id").as_int();
        block.send = tb.attribute("send").as_int();
        block.recv = tb.attribute("recv").as_int();
        block.channel = tb.attribute("chan").as_int();
        if (block.channel < 0 || block.channel >= channels) fail("invalid channel");
        for (const pugi::xml_node step : tb.children("step")) {
          if (step.attribute("s").as_int() != static_cast<int>(block.steps.size())) fail("wrong step number");
          const std::string type = step.attribute("type").value();
          block.steps.push_back({type, is(type, {"r", "rrc", "rrs", "rcs", "rrcs"}),
                                 is(type, {"s", "rrs", "rcs", "rrcs"}), step.attribute("srcbuf").value()[0],
                                 step.attribute("dstbuf").value()[0], step.attribute("srcoff").as_int(),
                                 step.attribute("dstoff").as_int(), step.attribute("cnt").as_int(),
                                 step.attribute("depid").as_int(), step.attribute("deps").as_int(),
                                 step.attribute("hasdep").as_int() != 0});
        }
        blocks_.push_back(std::move(block));
      }
    }
    if (static_cast<int>(sizes_.size()) != gpus_) fail("wrong number of GPUs");
    connect();
  }

  std::size_t blocks() const { return blocks_.size(); }

  // Executes the algorithm once and returns the error, or "" if the results are correct. Block `favourite`
  // runs whenever it can (kEager), or only if no other block can (kReluctant).
  std::string run(std::uint64_t seed, Order order, std::size_t favourite = 0) {
    try {
      start(seed);
      while (!able_.empty()) {
        std::size_t chosen = able_[static_cast<std::size_t>(random_->below(able_.size()))];
        const bool favoured = favourite < blocks_.size() && blocks_[favourite].place >= 0;
        if (order == Order::kEager && favoured) chosen = favourite;
        while (order == Order::kReluctant && chosen == favourite && able_.size() > 1)
          chosen = able_[static_cast<std::size_t>(random_->below(able_.size()))];
        advance(blocks_[chosen]);
        for (const std::size_t touched : blocks_[chosen].touches) update(touched);
      }
      return outcome();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  // Executes the algorithm in random orders, and then in eager and reluctant orders with about `favourites`
  // different favourite blocks. Returns the first error, or "" if there is none.
  std::string find_fault(int random_runs, std::size_t favourites = 1000) {
    for (int i = 0; i < random_runs; ++i) {
      const std::string fault = run(static_cast<std::uint64_t>(i), Order::kRandom);
      if (!fault.empty()) return fault;
    }
    const std::size_t stride = std::max<std::size_t>(1, blocks_.size() / favourites);
    for (std::size_t b = 0; b < blocks_.size(); b += stride) {
      for (const Order order : {Order::kEager, Order::kReluctant}) {
        const std::string fault = run(b, order, b);
        if (!fault.empty()) return fault;
      }
    }
    return {};
  }

 private:
  struct Step {
    std::string type;
    bool receives, sends;
    char source_buffer, destination_buffer;
    int source, destination, count, depends_block, depends_step;
    bool posts;
  };
  using Numbers = std::vector<std::uint64_t>;
  struct Block {
    int gpu = 0, id = 0, send = -1, recv = -1, channel = 0;
    std::vector<Step> steps;
    std::size_t next = 0;
    bool half = false;  // the first half of the step is done
    int posted = -1;    // the last completed step for which other blocks may wait
    Numbers held;
    std::map<int, std::size_t> depends_on;  // indices of the same GPU's blocks, keyed by block ID
    std::size_t fifo_in = 0, fifo_out = 0;  // indices into fifos_
    std::vector<std::size_t>
        touches;                // blocks that may become ready, or no longer be ready, when this block runs
    std::ptrdiff_t place = -1;  // index in able_, or -1 if the block must wait
  };
  struct Memory {
    Numbers i, o, s;
  };

  [[noreturn]] static void fail(const std::string& what) { throw std::runtime_error(what); }
  static bool is(const std::string& is, std::initializer_list<const char*> types) {
    return std::ranges::any_of(types, [&](const char* type) { return is == type; });
  }

  // Determines the connections of each block, and the blocks that share a connection or a GPU with it.
  void connect() {
    std::map<std::tuple<int, int, int>, std::size_t>
        numbers;  // numbers of connections, keyed by (sender, receiver, channel)
    const auto number = [&](int from, int to, int channel) {
      return numbers.try_emplace({from, to, channel}, numbers.size()).first->second;
    };
    for (Block& block : blocks_) {
      block.fifo_in = number(block.recv, block.gpu, block.channel);
      block.fifo_out = number(block.gpu, block.send, block.channel);
    }
    fifos_.resize(numbers.size());
    for (Block& block : blocks_) {
      for (std::size_t other = 0; other < blocks_.size(); ++other) {
        const Block& neighbour = blocks_[other];
        if (neighbour.gpu == block.gpu) block.depends_on[neighbour.id] = other;
        if (neighbour.gpu == block.gpu || neighbour.fifo_in == block.fifo_out ||
            neighbour.fifo_in == block.fifo_in) {
          block.touches.push_back(other);
        }
      }
    }
  }

  // The initial value of chunk `chunk` in the input of GPU `gpu`.
  std::uint64_t input(int gpu, int chunk) const {
    return (static_cast<std::uint64_t>(gpu) * 1'000'003 + static_cast<std::uint64_t>(chunk) + 1) *
           0x9e3779b97f4a7c15ULL;
  }

  void start(std::uint64_t seed) {
    random_.emplace(seed);
    for (auto& fifo : fifos_) fifo.clear();
    able_.clear();
    memory_.assign(static_cast<std::size_t>(gpus_), {});
    for (Block& block : blocks_) {
      block.next = 0;
      block.half = false;
      block.posted = -1;
      block.place = -1;
    }
    for (int gpu = 0; gpu < gpus_; ++gpu) {
      Memory& memory = memory_[static_cast<std::size_t>(gpu)];
      const auto junk = [&](int count) {
        Numbers numbers;
        for (int c = 0; c < count; ++c) numbers.push_back(random_->below(1ULL << 62));
        return numbers;
      };
      const bool gathers = collective_ == "allgather";
      memory.i = junk(gathers ? own_ : chunks_);
      memory.o = junk(collective_ == "reducescatter" ? own_ : chunks_);
      memory.s = junk(sizes_[static_cast<std::size_t>(gpu)][2]);
      if (collective_ == "broadcast" && gpu != root_) continue;
      for (int c = 0; c < static_cast<int>(memory.i.size()); ++c) {
        *at(gpu, 'i', c, true) = input(gpu, c);
      }
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) update(b);
  }

  // The memory of a buffer's chunk. In an in-place algorithm, input and output share memory.
  std::uint64_t* at(int gpu, char buffer, int offset, bool loading = false) {
    Memory& memory = memory_[static_cast<std::size_t>(gpu)];
    const auto& sizes = sizes_[static_cast<std::size_t>(gpu)];
    const int kind = buffer == 'i' ? 0 : buffer == 'o' ? 1 : buffer == 's' ? 2 : 3;
    if (kind == 3) fail("unknown buffer");
    Numbers* numbers = kind == 0 ? &memory.i : kind == 1 ? &memory.o : &memory.s;
    const int declared = sizes[static_cast<std::size_t>(kind)];
    const bool other = in_place_ && kind < 2 &&
                       declared == 0;  // a buffer without declared chunks is an alias of the other one
    if (!loading && offset >= declared && !other) fail("outside of a buffer");
    if (offset < 0 || offset >= static_cast<int>(numbers->size())) fail("outside of a buffer");
    if (in_place_ && kind < 2) {
      if (collective_ == "allgather") {
        if (kind == 0) offset += gpu * own_;
        numbers = &memory.o;
      } else {
        if (kind == 1 && collective_ == "reducescatter") offset += gpu * own_;
        numbers = &memory.i;
      }
    }
    return &(*numbers)[static_cast<std::size_t>(offset)];
  }

  // Adds the block to `able_` if it can run, and removes it otherwise.
  void update(std::size_t number) {
    Block& block = blocks_[number];
    const bool may = may_go(block);
    if (may == (block.place >= 0)) return;
    if (may) {
      block.place = static_cast<std::ptrdiff_t>(able_.size());
      able_.push_back(number);
      return;
    }
    blocks_[able_.back()].place = block.place;
    able_[static_cast<std::size_t>(block.place)] = able_.back();
    able_.pop_back();
    block.place = -1;
  }

  bool may_go(const Block& block) {
    if (block.next == block.steps.size()) return false;
    const Step& step = block.steps[block.next];
    if (block.half) return true;
    if (step.depends_block >= 0) {
      const auto found = block.depends_on.find(step.depends_block);
      if (found == block.depends_on.end()) fail("no such block");
      if (blocks_[found->second].posted < step.depends_step) return false;
    }
    return !step.receives || !fifos_[block.fifo_in].empty();
  }

  void advance(Block& block) {
    const Step& step = block.steps[block.next];
    if (!block.half) {
      read(block, step);
      block.half = true;
      return;
    }
    finish(block, step);
    block.half = false;
    if (step.posts) block.posted = static_cast<int>(block.next);
    ++block.next;
  }

  void read(Block& block, const Step& step) {
    block.held.clear();
    if (step.type == "nop") return;
    if (step.count < 1) fail("invalid count");
    if (step.receives) {
      if (block.recv < 0) fail("no GPU to receive from");
      auto& fifo = fifos_[block.fifo_in];
      block.held = fifo.front();
      fifo.pop_front();
      if (static_cast<int>(block.held.size()) != step.count) fail("unexpected message length");
    }
    for (int c = 0; c < step.count; ++c) {
      const bool first = is(step.type, {"s", "cpy"});
      if (first) block.held.push_back(*at(block.gpu, step.source_buffer, step.source + c));
      if (step.type == "re") {
        block.held.push_back(*at(block.gpu, step.source_buffer, step.source + c) +
                             *at(block.gpu, step.destination_buffer, step.destination + c));
      }
      if (is(step.type, {"rrc", "rrs", "rrcs"})) {
        block.held[static_cast<std::size_t>(c)] += *at(block.gpu, step.source_buffer, step.source + c);
      }
      if (!first && !step.receives && step.type != "re") fail("unknown step type");
    }
  }

  void finish(Block& block, const Step& step) {
    if (step.type == "nop") return;
    if (is(step.type, {"r", "cpy", "re", "rrc", "rcs", "rrcs"})) {
      for (int c = 0; c < step.count; ++c) {
        *at(block.gpu, step.destination_buffer, step.destination + c) =
            block.held[static_cast<std::size_t>(c)];
      }
    }
    if (!step.sends) return;
    if (block.send < 0 || block.send >= gpus_) fail("no GPU to send to");
    fifos_[block.fifo_out].push_back(block.held);
  }

  std::string outcome() {
    for (const Block& block : blocks_) {
      if (block.next < block.steps.size()) return "deadlock";
    }
    for (const auto& fifo : fifos_) {
      if (!fifo.empty()) return "a message was never received";
    }
    for (int gpu = 0; gpu < gpus_; ++gpu) {
      const int count = collective_ == "reducescatter" ? own_ : chunks_;
      for (int c = 0; c < count; ++c) {
        if (*at(gpu, 'o', c, true) != expected(gpu, c))
          return fmt::format("chunk {} of GPU {} is wrong", c, gpu);
      }
    }
    return {};
  }

  std::uint64_t expected(int gpu, int chunk) const {
    if (collective_ == "allgather") return input(chunk / own_, chunk % own_);
    if (collective_ == "alltoall") return input(chunk / own_, gpu * own_ + chunk % own_);
    if (collective_ == "broadcast") return input(root_, chunk);
    std::uint64_t sum = 0;
    for (int other = 0; other < gpus_; ++other) {
      sum += input(other, collective_ == "reducescatter" ? gpu * own_ + chunk : chunk);
    }
    return sum;
  }

  std::string collective_;
  int gpus_ = 0, chunks_ = 0, own_ = 0, root_ = 0;
  bool in_place_ = false;
  std::vector<std::array<int, 3>> sizes_;  // declared chunks per buffer, for each GPU
  std::vector<Block> blocks_;
  std::vector<Memory> memory_;
  std::vector<std::deque<Numbers>> fifos_;  // data in flight on each connection
  std::vector<std::size_t> able_;           // indices of the blocks that can run
  std::optional<Random> random_;
};

}  // namespace coppice::schedule
