#include "schedule/files/tacos_file.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "schedule/compile/table_builder.h"

namespace coppice::schedule {
namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr int kMostChunks = 1 << 20;
constexpr int kLinkCells = 4;  // before the chunks of a row

std::string_view trimmed(std::string_view cell) {
  const auto first = cell.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return cell.substr(first, cell.find_last_not_of(" \t\r") - first + 1);
}

struct Row {
  int line = 0;
  std::vector<std::string_view> cells;
};

// Rows with anything in them; a cell of nothing at the end, after a last comma, is left out.
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

// A link with the chunks that it forwards.
struct Link {
  int line = 0;
  NodeId src = 0;
  NodeId dst = 0;
  topology::ChannelId forward = -1;
  topology::ChannelId backward = -1;
  std::vector<int> chunks;
  std::size_t next = 0;
};

class TacosReader {
 public:
  TacosReader(std::string_view text, std::string file, const topology::Topology& topology)
      : file_(std::move(file)), topology_(topology), rows_(rows_of(text)) {}

  Schedule read(const CompileRequest& request) {
    read_head();
    for (; at_ < rows_.size(); ++at_) read_link(rows_[at_]);
    forward();
    return build_schedule(topology_, request, "tacos", cut(request), sends(request.collective));
  }

 private:
  struct Move {
    int link;
    int chunk;
    int round;
  };

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
      refuse(line, fmt::format("the algorithm is for {} NPUs; {} has {} accelerators", accelerators_,
                               topology_.name(), topology_.num_accelerators()));
    }
    if (chunks_ == 0 || chunks_ % accelerators_ != 0) {
      refuse(line, fmt::format(
                       "Chunks Count {} is no multiple of the {} NPUs: each begins with as many chunks of an "
                       "all-gather",
                       chunks_, accelerators_));
    }
  }

  void read_link(const Row& row) {
    Link link{
        row.line, number(row, 0, 0, accelerators_ - 1), number(row, 1, 0, accelerators_ - 1), -1, -1, {}, 0};
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

  // In rounds: every link forwards its next chunk if its sender has had it since before the round.
  void forward() {
    std::vector<std::vector<bool>> has(static_cast<std::size_t>(accelerators_),
                                       std::vector<bool>(static_cast<std::size_t>(chunks_), false));
    const int own = chunks_ / accelerators_;
    for (int c = 0; c < chunks_; ++c)
      has[static_cast<std::size_t>(c / own)][static_cast<std::size_t>(c)] = true;
    for (bool moved = true; moved;) {
      moved = false;
      ++rounds_;
      const std::size_t before = moves_.size();
      for (std::size_t l = 0; l < links_.size(); ++l) {
        Link& link = links_[l];
        if (link.next == link.chunks.size()) continue;
        const int chunk = link.chunks[link.next];
        if (!has[static_cast<std::size_t>(link.src)][static_cast<std::size_t>(chunk)]) continue;
        moves_.push_back({static_cast<int>(l), chunk, rounds_});
        ++link.next;
        moved = true;
      }
      for (std::size_t m = before; m < moves_.size(); ++m) {
        const Link& link = links_[static_cast<std::size_t>(moves_[m].link)];
        has[static_cast<std::size_t>(link.dst)][static_cast<std::size_t>(moves_[m].chunk)] = true;
      }
    }
    --rounds_;  // the last one moved nothing
    require_complete(has);
  }

  void require_complete(const std::vector<std::vector<bool>>& has) const {
    for (const Link& link : links_) {
      if (link.next == link.chunks.size()) continue;
      refuse(link.line, fmt::format("chunk {} never reaches NPU {}, which is to forward it",
                                    link.chunks[link.next], link.src));
    }
    for (std::size_t npu = 0; npu < has.size(); ++npu) {
      const auto missing = std::ranges::find(has[npu], false);
      if (missing == has[npu].end()) continue;
      refuse(rows_.front().line, fmt::format("NPU {} never gets chunk {}: this is no all-gather", npu,
                                             missing - has[npu].begin()));
    }
  }

  std::vector<Send> sends(Collective collective) const {
    std::vector<Send> sends;
    const bool reduces = collective != Collective::kAllGather;
    const bool gathers = collective != Collective::kReduceScatter;
    for (const Move& move : moves_) {
      const Link& link = links_[static_cast<std::size_t>(move.link)];
      if (reduces) {
        if (link.backward < 0) {
          refuse(link.line, fmt::format("{} has no link back from {} to {} to reduce over", topology_.name(),
                                        link.dst, link.src));
        }
        sends.push_back(
            {Op::kReduce, move.chunk, link.dst, link.src, rounds_ + 1 - move.round, link.backward, -1});
      }
      if (gathers) {
        const int begin = reduces ? rounds_ : 0;
        sends.push_back({Op::kGather, move.chunk, link.src, link.dst, begin + move.round, link.forward, -1});
      }
    }
    return sends;
  }

  // Chunks of an accelerator are parts of its share.
  std::vector<Chunk> cut(const CompileRequest& request) const {
    std::vector<Chunk> all;
    for (const Chunk& share : split_into_chunks(request.size, request.element, accelerators_)) {
      for (Chunk part : split_into_chunks(share.bytes, request.element, chunks_ / accelerators_)) {
        part.address += share.address;
        all.push_back(part);
      }
    }
    return all;
  }

  std::string file_;
  const topology::Topology& topology_;
  std::vector<Row> rows_;
  std::size_t at_ = 0;
  int accelerators_ = 0;
  int chunks_ = 0;
  int rounds_ = 0;
  std::map<std::pair<NodeId, NodeId>, int> ranks_;
  std::vector<Link> links_;
  std::vector<Move> moves_;
};

// What a channel forwards: timesteps and chunks.
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
              "TACOS forwards chunks over one link each: choose an algorithm of neighbours");
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
    throw UnsupportedError("a TACOS file is an all-gather: write --set collective.op=all_gather");
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
        fmt::format("TACOS has equal chunks: choose a collective.size that is a multiple of {} bytes",
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
