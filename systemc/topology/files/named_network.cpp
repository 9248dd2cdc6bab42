#include "topology/files/named_network.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/usable_bandwidth.h"
#include "topology/dims.h"
#include "topology/files/graph_lexer.h"

namespace coppice::topology {
namespace {

std::string lower(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return all;
}

// A suffix of an attribute's name, and the unit that the suffix implies for a number without a unit.
struct Suffix {
  std::string_view name;
  double unit = 1;  // unit in bytes per second or femtoseconds
};
constexpr std::array kBandwidthSuffixes{
    Suffix{"gb_s", 1e9},      Suffix{"gbs", 1e9},   Suffix{"gbytes_s", 1e9}, Suffix{"mb_s", 1e6},
    Suffix{"b_s", 1},         Suffix{"tb_s", 1e12}, Suffix{"gbps", 125e6},   Suffix{"gbit_s", 125e6},
    Suffix{"mbps", 125e3},    Suffix{"kbps", 125},  Suffix{"tbps", 125e9},   Suffix{"bps", 0.125},
    Suffix{"gib_s", 1 << 30},
};
constexpr std::array kLatencySuffixes{Suffix{"ps", 1e3}, Suffix{"ns", 1e6}, Suffix{"us", 1e9},
                                      Suffix{"ms", 1e12}, Suffix{"s", 1e15}};

std::optional<double> to_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0)) return std::nullopt;
  return number;
}

// Returns the value, in bytes per second or femtoseconds, of an attribute whose name begins with one of
// `words`; nullopt for other attributes.
template <std::size_t kSuffixes, typename Parse>
std::optional<std::int64_t> read_quantity(const std::string& name, const std::string& value,
                                          std::initializer_list<std::string_view> words,
                                          const std::array<Suffix, kSuffixes>& suffixes, const char* right,
                                          Parse parse, const std::function<SourceLocation()>& where) {
  const std::string all = lower(name);
  const auto word = std::ranges::find_if(words, [&](std::string_view w) { return all.starts_with(w); });
  if (word == words.end()) return std::nullopt;
  std::string_view rest = std::string_view(all).substr(word->size());
  while (!rest.empty() && std::isalnum(static_cast<unsigned char>(rest.front())) == 0) rest.remove_prefix(1);
  const auto suffix = std::ranges::find(suffixes, rest, &Suffix::name);
  const auto number = to_number(value);
  if (number && suffix != suffixes.end()) {
    const double scaled = *number * suffix->unit;
    if (scaled < 9e18) return std::llround(scaled);
  }
  try {
    if (!number) return parse(value);
  } catch (const std::invalid_argument& error) {
    throw ConfigError(where(), fmt::format("{}: {}", name, error.what()));
  }
  throw ConfigError(where(), fmt::format("{} '{}' has no unit: {}", name, value, right));
}

}  // namespace

Bandwidth parse_foreign_bandwidth(std::string_view text) {
  std::string words(text);
  if (words.ends_with("bps") || words.ends_with("Bps")) words.replace(words.size() - 2, 2, "/s");
  if (const std::size_t kilo = words.find('K'); kilo != std::string::npos && words.find('i') > words.size()) {
    words[kilo] = 'k';
  }
  return parse_bandwidth(words);
}

void read_link_attribute(const std::string& name, const std::string& value, NamedNetwork::Link& link,
                         const std::function<SourceLocation()>& where) {
  const auto bandwidth = read_quantity(
      name, value, {"bandwidth", "capacity", "weight", "speed", "rate"}, kBandwidthSuffixes,
      "write \"25 GB/s\" or \"200 Gb/s\", or name the attribute bandwidth_gb_s or bandwidth_gbps",
      [](const std::string& text) { return parse_foreign_bandwidth(text).bytes_per_second; }, where);
  if (bandwidth) link.bandwidth = Bandwidth{*bandwidth};
  const auto latency = read_quantity(
      name, value, {"latency", "delay"}, kLatencySuffixes,
      "write \"150 ns\", or name the attribute latency_ns",
      [](const std::string& text) { return parse_duration(text); }, where);
  if (latency) link.latency = *latency;
}

std::optional<bool> says_accelerator(std::string_view name, std::string_view value) {
  const std::string attribute = lower(name);
  const std::string word = lower(value);
  const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view w) { return word.starts_with(w); });
  };
  if (attribute == "shape") {
    if (word == "circle") return true;
    if (word == "box") return false;
    return std::nullopt;
  }
  if (attribute != "kind" && attribute != "type" && attribute != "role") return std::nullopt;
  if (is_one_of({"accelerator", "gpu", "xpu", "npu", "tpu", "host", "server", "endpoint"})) return true;
  if (is_one_of({"switch", "router", "leaf", "spine", "core", "tor", "nvswitch", "cpu", "nic", "pci"})) {
    return false;
  }
  return std::nullopt;
}

int NamedNetwork::add_node(const std::string& name, bool accelerator, Place place) {
  const auto [at, fresh] = numbers_.emplace(name, num_nodes());
  if (!fresh) throw ConfigError(locate_(place), fmt::format("another node already has the name '{}'", name));
  nodes_.push_back({name, accelerator, false, place});
  return at->second;
}

int NamedNetwork::find(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? -1 : found->second;
}

int NamedNetwork::num_accelerators() const {
  return static_cast<int>(std::ranges::count_if(nodes_, [](const Node& n) { return n.accelerator; }));
}

std::vector<std::vector<std::size_t>> NamedNetwork::links_of_nodes() const {
  std::vector<std::vector<std::size_t>> all(nodes_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    all[static_cast<std::size_t>(links_[i].a)].push_back(i);
    all[static_cast<std::size_t>(links_[i].b)].push_back(i);
  }
  return all;
}

int NamedNetwork::drop_dead_ends() {
  const auto links = links_of_nodes();
  std::vector<bool> cut(links_.size());
  // Returns the only neighbour of a node; -1 if the node has no neighbours, -2 if it has several.
  const auto only_neighbour = [&](int node) {
    int neighbour = -1;
    for (const std::size_t i : links[static_cast<std::size_t>(node)]) {
      if (cut[i]) continue;
      const int other = links_[i].a == node ? links_[i].b : links_[i].a;
      if (neighbour >= 0 && other != neighbour) return -2;
      neighbour = other;
    }
    return neighbour;
  };
  int dropped = 0;
  std::vector<int> open(nodes_.size());
  for (int node = 0; node < num_nodes(); ++node) open[static_cast<std::size_t>(node)] = node;
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    Node& node = nodes_[static_cast<std::size_t>(at)];
    if (node.accelerator || node.gone) continue;
    const int neighbour = only_neighbour(at);
    if (neighbour == -2) continue;
    node.gone = true;
    ++dropped;
    for (const std::size_t i : links[static_cast<std::size_t>(at)]) cut[i] = true;
    if (neighbour >= 0) open.push_back(neighbour);
  }
  std::size_t i = 0;
  std::erase_if(links_, [&](const Link&) { return cut[i++]; });
  return dropped;
}

int NamedNetwork::join_pass_through() {
  auto links = links_of_nodes();
  std::vector<bool> cut(links_.size());
  int joined = 0;
  for (int at = 0; at < num_nodes(); ++at) {
    Node& node = nodes_[static_cast<std::size_t>(at)];
    auto& own = links[static_cast<std::size_t>(at)];
    if (node.accelerator || node.gone || own.size() != 2) continue;
    Link& first = links_[own[0]];
    const Link& second = links_[own[1]];
    const int from = first.a == at ? first.b : first.a;
    const int to = second.a == at ? second.b : second.a;
    if (from == to || first.count != 1 || second.count != 1 || !first.both_ways || !second.both_ways)
      continue;
    node.gone = true;
    ++joined;
    cut[own[1]] = true;
    first.a = from;
    first.b = to;
    first.bandwidth = first.bandwidth && second.bandwidth ? std::min(*first.bandwidth, *second.bandwidth)
                      : first.bandwidth                   ? first.bandwidth
                                                          : second.bandwidth;
    if (first.latency || second.latency) {
      first.latency = first.latency.value_or(0) + second.latency.value_or(0);
    }
    std::ranges::replace(links[static_cast<std::size_t>(to)], own[1], own[0]);
  }
  std::size_t i = 0;
  std::erase_if(links_, [&](const Link&) { return cut[i++]; });
  return joined;
}

void NamedNetwork::add(Topology& topology, const std::vector<NodeId>& numbers, const Link& link,
                       const GraphFileDefaults& defaults) const {
  const auto refuse = [&](const LinkSpec& spec) {
    if (defaults.objection == nullptr) return;
    const std::string objection = (*defaults.objection)(spec);
    if (!objection.empty()) throw ConfigError(locate_(link.place), objection);
  };
  if (link.bandwidth) refuse({*link.bandwidth, 0});
  if (link.latency) refuse({Bandwidth{1}, *link.latency});
  const Bandwidth bandwidth =
      usable_bandwidth(link.bandwidth.value_or(defaults.link.bandwidth), defaults.efficiency);
  const Femtoseconds latency = link.latency.value_or(defaults.link.latency);
  const NodeId a = numbers[static_cast<std::size_t>(link.a)];
  const NodeId b = numbers[static_cast<std::size_t>(link.b)];
  try {
    for (int i = 0; i < link.count; ++i) {
      topology.add_channel(a, b, bandwidth, latency, link.dimension);
      if (link.both_ways) topology.add_channel(b, a, bandwidth, latency, link.dimension);
    }
  } catch (const UnsupportedError& error) {
    throw ConfigError(locate_(link.place), error.what());
  }
}

GraphFile NamedNetwork::build(const GraphFileDefaults& defaults) const {
  const int accelerators = num_accelerators();
  if (accelerators == 0) throw ConfigError(locate_(0), "the network has no accelerator");
  if (num_nodes() > kMaxNodes) {
    throw ConfigError(
        locate_(0), fmt::format("the network has {} nodes: at most {} are allowed", num_nodes(), kMaxNodes));
  }
  std::vector<NodeId> numbers(nodes_.size(), kNoNode);
  NodeId accelerator = 0;
  NodeId other = accelerators;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].gone) numbers[i] = nodes_[i].accelerator ? accelerator++ : other++;
  }
  GraphFile file{.topology = Topology(Kind::kFile, {}, accelerators, other - accelerators)};
  for (const Link& link : links_) {
    add(file.topology, numbers, link, defaults);
    file.uses_default_bandwidth |= !link.bandwidth;
    file.uses_default_latency |= !link.latency;
  }
  file.assumptions = assumptions_;
  if (file.uses_default_bandwidth) {
    file.assumptions.push_back(fmt::format("links without a bandwidth use system.link.bandwidth, {}",
                                           format_bandwidth(defaults.link.bandwidth)));
  }
  if (file.uses_default_latency) {
    file.assumptions.push_back(fmt::format("links without a latency use system.link.latency, {}",
                                           format_duration(defaults.link.latency)));
  }
  require_usable(file.topology, {locate_(0)});
  return file;
}

}  // namespace coppice::topology
