#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/usable_bandwidth.h"
#include "topology/files/graph_file.h"
#include "topology/files/graph_lexer.h"

namespace coppice::topology {
namespace {

constexpr std::int64_t kMaxId = 1 << 20;
constexpr std::int64_t kMaxCycles = 1'000'000;
constexpr std::int64_t kDefaultCycles = 1;

// One end of a connection: "router 3" or "node 3".
struct End {
  bool is_router = false;
  int id = 0;
  SourceLocation where;
};

// The router of a node, the latency of the connection between them, and the position of the connection in the
// file.
struct Attachment {
  int router = 0;
  std::optional<std::int64_t> cycles;
  SourceLocation where;
};

// The latencies of channels between routers, by direction. A latency is nullopt if it is given only for the
// other direction.
using RouterChannels = std::map<std::pair<int, int>, std::optional<std::int64_t>>;

class AnynetParser {
 public:
  void parse(const Line& line);
  GraphFile build(const GraphFileDefaults& defaults, const SourceLocation& start) const;

 private:
  void connect(const End& head, const End& body, std::optional<std::int64_t> cycles);
  void attach(const End& node, int router, std::optional<std::int64_t> cycles);
  bool is_accelerator_router(int router) const;

  std::map<int, std::vector<int>> routers_;  // nodes of each router
  std::map<int, Attachment> nodes_;
  RouterChannels channels_;
};

End parse_end(const Line& line, std::size_t i) {
  const Word& type = line[i];
  if (type.text != "router" && type.text != "node") {
    throw ConfigError(type.where, fmt::format("expected 'router' or 'node' instead of '{}'", type.text));
  }
  if (i + 1 == line.size())
    throw ConfigError(end_of(line), fmt::format("'{}' must be followed by a number", type.text));
  const auto id = parse_number(line[i + 1], "the number of a " + type.text, 0, kMaxId);
  return {.is_router = type.text == "router", .id = static_cast<int>(id), .where = type.where};
}

void AnynetParser::parse(const Line& line) {
  const End head = parse_end(line, 0);
  if (head.is_router) routers_[head.id];
  std::size_t i = 2;
  while (i < line.size()) {
    const End body = parse_end(line, i);
    i += 2;
    std::optional<std::int64_t> cycles;
    if (i < line.size() && line[i].text != "router" && line[i].text != "node") {
      cycles = parse_number(line[i++], "a latency in cycles", 1, kMaxCycles);
    }
    connect(head, body, cycles);
  }
}

void AnynetParser::connect(const End& head, const End& body, std::optional<std::int64_t> cycles) {
  if (!head.is_router && !body.is_router) {
    throw ConfigError(body.where, fmt::format("node {} cannot be connected to node {}, only to a router",
                                              head.id, body.id));
  }
  if (!head.is_router) return attach(head, body.id, cycles);
  if (!body.is_router) return attach(body, head.id, cycles);
  if (head.id == body.id) {
    throw ConfigError(body.where, fmt::format("router {} cannot be connected to itself", head.id));
  }
  routers_[body.id];
  auto& written = channels_[{head.id, body.id}];
  const std::int64_t latency = cycles.value_or(kDefaultCycles);
  if (written.value_or(latency) != latency) {
    throw ConfigError(body.where,
                      fmt::format("the channel from router {} to router {} already has latency {}", head.id,
                                  body.id, *written));
  }
  written = latency;
  channels_.try_emplace({body.id, head.id});
}

void AnynetParser::attach(const End& node, int router, std::optional<std::int64_t> cycles) {
  const auto [known, added] = nodes_.try_emplace(node.id, Attachment{router, cycles, node.where});
  if (added) {
    routers_[router].push_back(node.id);
  } else if (known->second.router != router) {
    throw ConfigError(
        node.where,
        fmt::format("node {} cannot be connected to router {}: it is already connected to router {}", node.id,
                    router, known->second.router));
  } else if (cycles) {
    known->second.cycles = cycles;
  }
}

bool AnynetParser::is_accelerator_router(int router) const {
  const std::vector<int>& nodes = routers_.at(router);
  return nodes.size() == 1 && !nodes_.at(nodes.front()).cycles;
}

GraphFile AnynetParser::build(const GraphFileDefaults& defaults, const SourceLocation& start) const {
  if (nodes_.empty())
    throw ConfigError(start, "the network has no nodes: write, for example, router 0 node 0 router 1");
  std::map<int, NodeId> accelerator;  // [node number]
  std::vector<SourceLocation> places;
  for (const auto& [node, attachment] : nodes_) {
    accelerator[node] = static_cast<NodeId>(accelerator.size());
    places.push_back(attachment.where);
  }
  std::map<int, NodeId> place_of;  // [router number]
  int switches = 0;
  for (const auto& [router, nodes] : routers_) {
    place_of[router] = is_accelerator_router(router) ? accelerator.at(nodes.front())
                                                     : static_cast<NodeId>(nodes_.size()) + switches++;
  }

  GraphFile result{.topology = Topology(Kind::kFile, {}, static_cast<int>(nodes_.size()), switches)};
  const auto add = [&](NodeId src, NodeId dst, std::int64_t cycles) {
    result.topology.add_channel(src, dst, usable_bandwidth(defaults.link.bandwidth, defaults.efficiency),
                                cycles * defaults.cycle);
    result.uses_default_bandwidth = true;
  };
  for (const auto& [router, nodes] : routers_) {
    if (is_accelerator_router(router)) continue;
    for (const int node : std::set(nodes.begin(), nodes.end())) {
      const std::int64_t cycles = nodes_.at(node).cycles.value_or(kDefaultCycles);
      add(accelerator.at(node), place_of.at(router), cycles);
      add(place_of.at(router), accelerator.at(node), cycles);
    }
  }
  for (const auto& [ends, cycles] : channels_) {
    add(place_of.at(ends.first), place_of.at(ends.second), cycles.value_or(kDefaultCycles));
  }
  require_usable(result.topology, places);
  return result;
}

}  // namespace

GraphFile parse_anynet(std::string_view text, const std::string& file, const GraphFileDefaults& defaults) {
  AnynetParser parser;
  for (const Line& line : split_lines(text, file)) parser.parse(line);
  return parser.build(defaults, {.file = file, .line = 1, .column = 1});
}

}  // namespace coppice::topology
