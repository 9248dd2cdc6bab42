#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "topology/dims.h"
#include "topology/files/foreign_networks.h"
#include "topology/files/graph_lexer.h"
#include "topology/files/named_network.h"

namespace coppice::topology {
namespace {

constexpr std::size_t kPlainCounts = 3;  // numbers of nodes, switches and links
// The numbers of nodes, GPUs per server, NVSwitches, switches and links; a GPU type may follow.
constexpr std::size_t kSimaiCounts = 5;
constexpr std::size_t kLinkWords = 5;  // src dst rate delay error

template <typename Parse>
auto quantity_of(const Word& word, Parse parse) {
  try {
    return parse(word.text);
  } catch (const std::invalid_argument& error) {
    throw ConfigError(word.where, error.what());
  }
}

class Ns3Reader {
 public:
  Ns3Reader(std::string_view text, const std::string& file)
      : lines_(split_lines(text, file)), network_([this](NamedNetwork::Place line) {
          return lines_[static_cast<std::size_t>(line)].front().where;
        }) {}

  GraphFile read(const GraphFileDefaults& defaults) {
    const Line& counts = lines_.front();
    const bool simai = counts.size() >= kSimaiCounts;
    if (!simai && counts.size() != kPlainCounts) {
      throw ConfigError(
          counts.front().where,
          "the first line must contain the numbers of nodes, switches and links (ns-3), or of nodes, GPUs "
          "per server, NVSwitches, switches and links, and then the GPU's type (SimAI)");
    }
    const int nodes = count(counts, 0, 1);
    const int nvswitches = simai ? count(counts, 2, 0) : 0;
    const int switches = nvswitches + count(counts, simai ? 3 : 1, 0);
    for (int node = 0; node < nodes; ++node) network_.add_node(std::to_string(node), true, 0);
    const std::size_t links_at = switches > 0 ? 2 : 1;
    if (switches > 0) read_switches(switches, nodes);
    const auto links = static_cast<std::size_t>(count(counts, simai ? 4 : 2, 0));
    if (lines_.size() - links_at < links) {
      throw ConfigError(counts.front().where, fmt::format("the first line states {} links, but {} follow",
                                                          links, lines_.size() - links_at));
    }
    for (std::size_t i = links_at; i < links_at + links; ++i) read_link(i, nodes);
    network_.assume("links are bidirectional; their error rates are ignored");
    return network_.build(defaults);
  }

 private:
  static int count(const Line& line, std::size_t at, int least) {
    return static_cast<int>(parse_number(line[at], "a count", least, kMaxNodes));
  }

  void read_switches(int switches, int nodes) {
    if (lines_.size() < 2 || lines_[1].size() != static_cast<std::size_t>(switches)) {
      throw ConfigError(lines_[lines_.size() < 2 ? 0 : 1].front().where,
                        fmt::format("the second line must list the {} switches", switches));
    }
    for (const Word& word : lines_[1]) {
      network_.set_accelerator(static_cast<int>(parse_number(word, "a node", 0, nodes - 1)), false);
    }
  }

  void read_link(std::size_t at, int nodes) {
    const Line& line = lines_[at];
    if (line.size() != kLinkWords) {
      throw ConfigError(
          line.front().where,
          "a link must be written as src dst rate delay error, for example 0 8 200Gbps 0.0005ms 0");
    }
    network_.add_link({.a = static_cast<int>(parse_number(line[0], "a node", 0, nodes - 1)),
                       .b = static_cast<int>(parse_number(line[1], "a node", 0, nodes - 1)),
                       .bandwidth = quantity_of(line[2], parse_foreign_bandwidth),
                       .latency = quantity_of(line[3], parse_duration),
                       .place = static_cast<NamedNetwork::Place>(at)});
  }

  std::vector<Line> lines_;
  NamedNetwork network_;
};

}  // namespace

GraphFile parse_ns3(std::string_view text, const std::string& file, const GraphFileDefaults& defaults) {
  return Ns3Reader(text, file).read(defaults);
}

}  // namespace coppice::topology
