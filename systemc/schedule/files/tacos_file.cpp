#include "schedule/files/tacos_file.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "schedule/compile/table_builder.h"
#include "schedule/files/block_execution.h"

namespace coppice::schedule {
namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr int kMostChunks = 1 << 20;
constexpr int kLinkCells = 4;  // number of cells before the chunks in a row

std::string_view trimmed(std::string_view cell) {
  const auto first = cell.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return cell.substr(first, cell.find_last_not_of(" \t\r") - first + 1);
}

struct Row {
  int line = 0;
  std::vector<std::string_view> cells;
};

// Returns the rows that are not empty. An empty cell after a trailing comma is dropped.
std::vector<Row> rows_of(std::string_view text) {
  std::vector<Row> rows;
  int line = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    Row row{++line, {}};
    while (true) {
      const auto comma = rest.find(',');
      row.cells.push_back(trimmed(rest.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    while (!row.cells.empty() && row.cells.back().empty()) row.cells.pop_back();
    if (!row.cells.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

// A link and the chunks that the link forwards.
struct Link {
  int line = 0;
  NodeId src = 0;
  NodeId dst = 0;
  topology::ChannelId forward = -1;
  topology::ChannelId backward = -1;
  std::vector<int> chunks;
};

class TacosReader {
 public:
  TacosReader(std::string_view text, std::string file, const topology::Topology& topology)
      : file_(std::move(file)), topology_(topology), rows_(rows_of(text)) {}

  Schedule read(const CompileRequest& request) {
    read_head();
    for (; at_ < rows_.size(); ++at_) read_link(rows_[at_]);
    const BlockProgram program = forwarding();
    Schedule schedule;
    try {
      BlockExecution execution(program);
      schedule = build_schedule(topology_, request, "tacos", program.buffers.cut(request),
                                sends(execution.run(), request.collective));
    } catch (const BlockFault& fault) {
      refuse(static_cast<int>(fault.place), describe(fault));
    }
    return schedule;
  }

 private:
  [[noreturn]] void refuse(int line, const std::string& what) const {
    throw ConfigError({file_, line, 1}, what);
  }

  int number(const Row& row, std::size_t cell, int least, int most) const {
    const std::string_view text = cell < row.cells.size() ? row.cells[cell] : std::string_view();
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
      refuse(row.line, fmt::format("cell {} must be a whole number from {} to {}, not '{}'", cell + 1, least,
                                   most, text));
    }
    return value;
  }

  void read_head() {
    for (; at_ < rows_.size() && rows_[at_].cells.front() != "SrcID"; ++at_) {
      const Row& row = rows_[at_];
      if (row.cells.front() == "NPUs Count") accelerators_ = number(row, 1, 2, 1 << 20);
      if (row.cells.front() == "Chunks Count") chunks_ = number(row, 1, 1, kMostChunks);
    }
    const int line = rows_.empty() ? 1 : rows_.front().line;
    if (at_++ == rows_.size())
      refuse(line, "the row 'SrcID,DestID,Latency (ns),Bandwidth (GB/s),Chunks' is missing");
    if (accelerators_ != topology_.num_accelerators()) {
      refuse(line, fmt::format("the algorithm is for {} NPUs, but {} has {} accelerators", accelerators_,
                               topology_.name(), topology_.num_accelerators()));
    }
    if (chunks_ == 0 || chunks_ % accelerators_ != 0) {
      refuse(line, fmt::format("Chunks Count {} is not a multiple of the {} NPUs: each NPU must begin with "
                               "the same number of all-gather chunks",
                               chunks_, accelerators_));
    }
  }

  void read_link(const Row& row) {
    Link link{row.line, number(row, 0, 0, accelerators_ - 1), number(row, 1, 0, accelerators_ - 1), -1, -1,
              {}};
    const int rank = ranks_[{link.src, link.dst}]++;
    link.forward = channel_between(link.src, link.dst, rank);
    link.backward = channel_between(link.dst, link.src, rank);
    if (link.forward < 0) {
      refuse(row.line,
             fmt::format("{} has no link {} from {} to {}", topology_.name(), rank + 1, link.src, link.dst));
    }
    for (std::size_t cell = kLinkCells; cell < row.cells.size(); ++cell) {
      if (row.cells[cell] == "None" || row.cells[cell].empty()) continue;
      link.chunks.push_back(number(row, cell, 0, chunks_ - 1));
    }
    links_.push_back(std::move(link));
  }

  topology::ChannelId channel_between(NodeId src, NodeId dst, int rank) const {
    for (const topology::ChannelId id : topology_.out_channels(src)) {
      if (topology_.channel(id).dst == dst && rank-- == 0) return id;
    }
    return -1;
  }

  // Builds an all-gather in which every link is represented by two thread blocks, one at the sender and one
  // at the receiver. The chunks of a link are sent in sequence, each after it has reached the sender.
  BlockProgram forwarding() const {
    BlockProgram program{
        {"all_gather", accelerators_, chunks_, true},
        std::vector<std::vector<ThreadBlock>>(static_cast<std::size_t>(accelerators_)),
        std::vector<std::ptrdiff_t>(static_cast<std::size_t>(accelerators_), rows_.front().line)};
    std::map<std::pair<NodeId, NodeId>, int> channels;
    std::vector<int> numbers;
    for (const Link& link : links_) numbers.push_back(channels[{link.src, link.dst}]++);
    // Receivers are added first, so that a chunk can be forwarded in the same round in which it is received.
    const std::vector<Receipt> received = add_receivers(program, numbers);
    for (std::size_t l = 0; l < links_.size(); ++l) {
      const Link& link = links_[l];
      ThreadBlock sender{.send_to = link.dst, .channel = numbers[l], .place = link.line};
      for (const int chunk : link.chunks) {
        const Receipt& receipt = received[receipt_of(link.src, chunk)];
        if (receipt.block < 0 && chunk / own() != link.src) {
          refuse(link.line,
                 fmt::format("chunk {} never reaches NPU {}, which should forward it", chunk, link.src));
        }
        sender.steps.push_back({.kind = kSendStep,
                                .source = {'o', chunk},
                                .destination = {'o', chunk},
                                .block_before = receipt.block,
                                .step_before = receipt.step,
                                .place = link.line});
      }
      program.blocks[static_cast<std::size_t>(link.src)].push_back(std::move(sender));
    }
    return program;
  }

  // The step in which an NPU receives a chunk.
  struct Receipt {
    int block = -1;
    int step = -1;
    int line = 0;
  };
  std::size_t receipt_of(NodeId npu, int chunk) const {
    return static_cast<std::size_t>(npu) * static_cast<std::size_t>(chunks_) +
           static_cast<std::size_t>(chunk);
  }
  int own() const { return chunks_ / accelerators_; }

  std::vector<Receipt> add_receivers(BlockProgram& program, std::span<const int> numbers) const {
    std::vector<Receipt> received(static_cast<std::size_t>(accelerators_) *
                                  static_cast<std::size_t>(chunks_));
    for (std::size_t l = 0; l < links_.size(); ++l) {
      const Link& link = links_[l];
      auto& blocks = program.blocks[static_cast<std::size_t>(link.dst)];
      ThreadBlock receiver{.receive_from = link.src, .channel = numbers[l], .place = link.line};
      for (const int chunk : link.chunks) {
        Receipt& receipt = received[receipt_of(link.dst, chunk)];
        if (receipt.block >= 0 || chunk / own() == link.dst) {
          refuse(link.line,
                 fmt::format("chunk {} arrives at NPU {}, which already {}: leave this transfer out", chunk,
                             link.dst,
                             receipt.block < 0 ? std::string("holds it at the beginning")
                                               : fmt::format("receives it in line {}", receipt.line)));
        }
        receipt = {static_cast<int>(blocks.size()), static_cast<int>(receiver.steps.size()), link.line};
        receiver.steps.push_back(
            {.kind = kReceiveStep, .source = {'o', chunk}, .destination = {'o', chunk}, .place = link.line});
      }
      blocks.push_back(std::move(receiver));
    }
    return received;
  }

  static std::string describe(const BlockFault& fault) {
    if (fault.kind == BlockFault::Kind::kDeadlock) {
      return fmt::format("NPU {} waits forever for a chunk that it must forward: links wait for each other",
                         fault.gpu);
    }
    if (fault.kind == BlockFault::Kind::kOutput) {
      return fmt::format("NPU {} never receives chunk {}: this is not an all-gather", fault.gpu, fault.chunk);
    }
    return fault.what();
  }

  std::vector<Send> sends(std::span<const BlockMessage> messages, Collective collective) const {
    std::vector<Send> sends;
    const bool reduces = collective != Collective::kAllGather;
    const bool gathers = collective != Collective::kReduceScatter;
    const std::int32_t rounds = messages.empty() ? 0 : messages.back().round;
    std::map<std::tuple<NodeId, NodeId, int>, std::size_t> links;
    for (const Link& link : links_) {
      int number = 0;
      while (!links.try_emplace({link.src, link.dst, number}, links.size()).second) ++number;
    }
    for (const BlockMessage& message : messages) {
      const Link& link = links_[links.at({message.src, message.dst, message.channel})];
      if (reduces) {
        if (link.backward < 0) {
          refuse(link.line, fmt::format("{} has no reverse link from {} to {}, which the reduction needs",
                                        topology_.name(), link.dst, link.src));
        }
        sends.push_back(
            {Op::kReduce, message.chunk, link.dst, link.src, rounds + 1 - message.round, link.backward, -1});
      }
      if (gathers) {
        const int begin = reduces ? rounds : 0;
        sends.push_back(
            {Op::kGather, message.chunk, link.src, link.dst, begin + message.round, link.forward, -1});
      }
    }
    return sends;
  }

  std::string file_;
  const topology::Topology& topology_;
  std::vector<Row> rows_;
  std::size_t at_ = 0;
  int accelerators_ = 0;
  int chunks_ = 0;
  std::map<std::pair<NodeId, NodeId>, int> ranks_;
  std::vector<Link> links_;
};

// The chunks that each channel forwards, with their timesteps.
using Forwarded = std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>>;

Forwarded forwarded(const topology::Topology& topology, const Schedule& schedule, Bytes grain) {
  Forwarded chunks(topology.channels().size());
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    for (const Table& port : schedule.nodes[node].ports) {
      port.for_each_entry([&](const TableEntry& entry) {
        if (entry.op == Op::kNop || entry.bytes == 0) return;
        const auto out = schedule.routes[static_cast<std::size_t>(entry.route)].front().out_port;
        const topology::ChannelId id = topology.out_channels(static_cast<NodeId>(node))[out];
        if (topology.channel(id).dst != entry.destination()) {
          throw UnsupportedError(
              "TACOS forwards each chunk over one link: choose an algorithm that sends to neighbours");
        }
        for (Bytes at = 0; at < entry.bytes; at += grain) {
          chunks[static_cast<std::size_t>(id)].emplace_back(entry.step, (entry.address + at) / grain);
        }
      });
    }
  }
  for (auto& channel : chunks)
    std::stable_sort(channel.begin(), channel.end(), [](auto& a, auto& b) { return a.first < b.first; });
  return chunks;
}

}  // namespace

bool looks_like_tacos(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text.substr(first).starts_with("NPUs Count");
}

Schedule parse_tacos(std::string_view text, const std::string& file, const topology::Topology& topology,
                     const CompileRequest& request) {
  return TacosReader(text, file, topology).read(request);
}

std::string to_tacos(const topology::Topology& topology, const Schedule& schedule) {
  if (collective_name(schedule) != "all_gather") {
    throw UnsupportedError("a TACOS file must be an all-gather: add --set collective.op=all_gather");
  }
  Bytes grain = schedule.size;
  for (const NodeTables& node : schedule.nodes) {
    for (const Table& port : node.ports) {
      port.for_each_entry([&](const TableEntry& entry) {
        if (entry.op != Op::kNop && entry.bytes > 0)
          grain = std::gcd(grain, std::gcd(entry.address, entry.bytes));
      });
    }
  }
  const std::int64_t chunks = schedule.size / std::max<Bytes>(grain, 1);
  if (chunks % schedule.accelerators() != 0 || chunks > kMostChunks) {
    throw UnsupportedError(
        fmt::format("TACOS needs equal chunks: choose a collective.size that is a multiple of {} bytes",
                    schedule.accelerators() * schedule.element));
  }
  const Forwarded rows = forwarded(topology, schedule, grain);
  std::string text = fmt::format(
      "NPUs Count,{}\nLinks Count,{}\nChunks Count,{}\nChunk Size,{},B\n"
      "SrcID,DestID,Latency (ns),Bandwidth (GB/s),Chunks\n",
      schedule.accelerators(), rows.size(), chunks, grain);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const topology::Channel& channel = topology.channels()[c];
    fmt::format_to(std::back_inserter(text), "{},{},{},{}", channel.src, channel.dst,
                   static_cast<double>(channel.latency) / static_cast<double>(kFemtosecondsPerNanosecond),
                   static_cast<double>(channel.bandwidth.bytes_per_second) / kGibibyte);
    for (const auto& [step, chunk] : rows[c]) fmt::format_to(std::back_inserter(text), ",{}", chunk);
    text += rows[c].empty() ? ",None\n" : "\n";
  }
  return text;
}

}  // namespace coppice::schedule
