#include "random_system.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <stdexcept>

#include <fmt/format.h>

#include "schedule/registry.h"
#include "topology/networks/kinds.h"

namespace coppice::fuzz {
namespace {

using Strings = std::vector<std::string>;

// Picks one of `values`. RapidCheck shrinks towards the first value, so it should be the simplest.
template <typename T>
T pick(std::vector<T> values) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::sizedElementOf(std::move(values)));
}
int between(int least, int most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}
bool sometimes() {
  return pick<int>({0, 1}) == 1;
}

template <typename T>
std::string list(const std::vector<T>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::vector<int> random_dims() {
  const int count = pick<int>({2, 2, 1, 3});
  const int widest = count == 3 ? 3 : 5;
  std::vector<int> dims;
  for (int d = 0; d < count; ++d) dims.push_back(between(1, widest));
  if (std::all_of(dims.begin(), dims.end(), [](int width) { return width == 1; })) dims.front() = 2;
  return dims;
}

int product(const std::vector<int>& factors) {
  int result = 1;
  for (const int factor : factors) result *= factor;
  return result;
}

// Picks either one value for all dimensions or a separate value for each dimension.
std::string per_dimension(std::size_t dims, const std::function<std::string()>& draw) {
  if (!sometimes()) return draw();
  Strings values;
  for (std::size_t d = 0; d < dims; ++d) values.push_back(draw());
  return list(values);
}

struct Clock {
  const char* text;
  std::int64_t hertz;
};

// A bandwidth that is a fraction of one flit per cycle, so that many flit times are not whole cycles.
std::string random_bandwidth(std::int64_t flit, const Clock& clock) {
  const auto [over, under] = pick<std::pair<int, int>>(
      {{1, 1}, {1, 1}, {2, 1}, {3, 2}, {4, 3}, {3, 1}, {5, 3}, {11, 10}, {8, 1}, {17, 7}, {40, 1}});
  return fmt::format("{} B/s", flit * clock.hertz * under / over);
}

// A buffer depth that is either close to the minimum that trains need on the longest channel, or far from it.
int random_depth(int latency, int router_delays) {
  const int loop = 2 * latency + router_delays;
  switch (pick<int>({0, 0, 0, 1, 2, 3})) {
    case 0:
      return 400;
    case 1:
      return std::max(1, loop + between(0, 6) - 3);
    case 2:
      return std::max(1, loop / 2 + between(0, 6) - 3);
    default:
      return between(1, 20);
  }
}

std::string random_size(int accelerators, int flit) {
  const int elements_per_flit = std::max(1, flit / 4);
  switch (pick<int>({0, 1, 2, 3, 4})) {
    case 0:
      return fmt::format("{} B", 4 * between(accelerators, 4 * accelerators));
    case 1:
      return fmt::format("{} B", 4 * accelerators * elements_per_flit * between(1, 24));
    case 2:
      return fmt::format("{} B", 4 * between(accelerators, accelerators + 40));
    case 3:
      return fmt::format("{} B", 4 * between(accelerators, accelerators + 2000));
    default:
      return fmt::format("{} B", 4 * between(accelerators, std::max(accelerators, 24'000 / accelerators)) *
                                     elements_per_flit);
  }
}

// Half of the time, picks an algorithm that comes close to the lower bound, because it would reveal a bound
// that is too high.
std::string any_algorithm() {
  if (sometimes()) return pick<std::string>({"multitree", "packed_trees", "multitree_optimal"});
  return pick<std::string>(
      schedule::algorithms_that([](const auto& algorithm) { return algorithm.make != nullptr; }));
}

// The properties of a random network on which other settings depend.
struct Network {
  int accelerators = 1;
  int longest = 0;  // the longest latency of a link, in ns
  std::string algorithm;
};

using Set = std::function<void(const std::string& key, const std::string& value)>;

std::string random_latency(Network& network) {
  const int picoseconds = pick<int>({150'000, 1'000, 0, 10'000, 2'000, 37'500, 1'500});
  network.longest = std::max(network.longest, picoseconds / 1'000);
  return fmt::format("{} ps", picoseconds);
}

Network draw_grid(const Set& set, int flit, const Clock& clock) {
  const std::vector<int> dims = random_dims();
  Network network;
  network.accelerators = product(dims);
  set("system.topology.kind", pick<std::string>({"torus", "mesh"}));
  set("system.topology.dims", list(dims));
  set("system.link.bandwidth", per_dimension(dims.size(), [&] { return random_bandwidth(flit, clock); }));
  set("system.link.latency", per_dimension(dims.size(), [&] { return random_latency(network); }));
  network.algorithm = any_algorithm();
  return network;
}

// An algorithm that a dimension supports.
std::string random_method(const std::string& kind, int size) {
  if (kind == "ring") return kind;
  if (kind == "switch" && size != 3 && sometimes()) return "halving_doubling";
  return pick<std::string>({"direct", "ring"});
}

// Generates single links if the kind of dimension permits them, except for links to switches that are not
// bundled. Bundles of links would only change the bandwidth of channels.
Network draw_hierarchy(const Set& set, int flit, const Clock& clock) {
  Network network;
  Strings dimensions;
  Strings methods;
  const bool bundled = sometimes();
  for (int d = pick<int>({2, 1, 3}); d > 0; --d) {
    const auto kind = pick<std::string>({"switch", "ring", "fully_connected"});
    const int size = between(2, 4);
    const int to_switch = bundled ? 1 : between(1, 3);
    const int links = kind == "ring" ? 2 : kind == "switch" ? to_switch : size - 1;
    const bool adds = kind == "switch" && bundled && sometimes();
    methods.push_back(random_method(kind, size));
    network.accelerators *= size;
    dimensions.push_back(fmt::format("{{kind: {}, size: {}, links: {}, bandwidth: {}, latency: {}{}}}", kind,
                                     size, links, random_bandwidth(flit, clock), random_latency(network),
                                     adds ? ", in_network: true" : ""));
  }
  set("system.topology.kind", "hierarchy");
  set("system.topology.dimensions", list(dimensions));
  if (!bundled) set("system.topology.bundled", "false");
  if (sometimes()) set("collective.dimension_algorithms", list(methods));
  set("collective.scheduler", pick<std::string>({"baseline", "themis", "themis_plus"}));
  set("collective.intra_dimension", pick<std::string>({"auto", "fifo", "scf"}));
  network.algorithm = "hierarchical";
  return network;
}

// Generates a network with switches, or of another kind that is not a grid.
Network draw_other(const Set& set, int flit, const Clock& clock) {
  using Kind = std::pair<std::string, std::vector<int>>;
  const auto [kind, dims] = pick<Kind>({{"switch", {between(2, 6)}},
                                        {"ring", {between(2, 6)}},
                                        {"fully_connected", {between(2, 5)}},
                                        {"fat_tree", {2, 2}},
                                        {"fat_tree", {4, 2}},
                                        {"fat_tree", {2, 3}},
                                        {"bigraph", {2, 2}},
                                        {"bigraph", {2, 4}},
                                        {"clos", {2, 3, 2}},
                                        {"dragonfly", {1, 2, 1}},
                                        {"dragonfly", {2, 2, 1, between(1, 3)}},
                                        {"dragonfly", {between(1, 2), 1, 2}},
                                        {"hyperx", {between(1, 3), 2}},
                                        {"hyperx", {1, between(2, 4), 2}},
                                        {"hyperx", {2, 1, 3}},
                                        {"dgx1", {}}});
  const topology::Kind type = topology::find_kind(kind)->kind;
  Network network;
  network.accelerators = static_cast<int>(topology::count_accelerators(type, dims));
  set("system.topology.kind", kind);
  if (!dims.empty()) set("system.topology.dims", list(dims));
  const std::size_t levels = topology::num_link_levels(type, dims);
  set("system.link.bandwidth", per_dimension(levels, [&] { return random_bandwidth(flit, clock); }));
  set("system.link.latency", per_dimension(levels, [&] { return random_latency(network); }));
  network.algorithm = any_algorithm();
  return network;
}

// Writes `text` to a file whose name is a hash of the text, so that a failed configuration can be run again.
std::string graph_file(const std::string& text) {
  const auto folder = std::filesystem::temp_directory_path() / "coppice_fuzz";
  std::filesystem::create_directories(folder);
  const auto path = folder / fmt::format("{:016x}.graph", std::hash<std::string>{}(text));
  std::ofstream(path) << text;
  return path.string();
}

// Generates a random tree of accelerators and switches, plus a few links, some of which are one-way.
Network draw_graph(const Set& set, int flit, const Clock& clock) {
  Network network;
  network.accelerators = between(2, 6);
  const int switches = between(0, 3);
  const bool alike = sometimes();
  const std::string usual = random_bandwidth(flit, clock);
  const auto values = [&] {
    return fmt::format("bandwidth \"{}\" latency \"{}\"", alike ? usual : random_bandwidth(flit, clock),
                       random_latency(network));
  };
  const auto name = [&](int node) {
    return node < network.accelerators ? fmt::format("{}", node)
                                       : fmt::format("s{}", node - network.accelerators);
  };
  const int nodes = network.accelerators + switches;
  std::string text = fmt::format("accelerators {}\nswitches {}\n", network.accelerators, switches);
  // Connects the switches first, so that they are in the middle of the tree.
  for (int joined = 1; joined < nodes; ++joined) {
    const int other = between(0, joined - 1);
    text += fmt::format("link {} -- {} {}\n", name(nodes - 1 - joined), name(nodes - 1 - other), values());
  }
  for (int more = between(0, 5); more > 0; --more) {
    const int a = between(0, nodes - 1);
    const int b = (a + between(1, nodes - 1)) % nodes;
    const bool one_way = pick<int>({0, 0, 0, 1}) == 1;
    text += fmt::format("{} {} {} {} {}{}\n", one_way ? "channel" : "link", name(a), one_way ? "->" : "--",
                        name(b), values(), pick<std::string>({"", "", "", " x2"}));
  }
  set("system.topology.kind", "file");
  set("system.topology.file", graph_file(text));
  network.algorithm = any_algorithm();
  return network;
}

// Generates a graph of boxes, with one or more switches each, whose accelerators are also on rails.
Network draw_boxes(const Set& set, int flit, const Clock& clock) {
  Network network;
  const int boxes = between(2, 3);
  const int size = between(2, 4);
  const int planes = between(1, 3);
  network.accelerators = boxes * size;
  const auto values = [&] {
    return fmt::format("bandwidth \"{}\" latency \"{}\"", random_bandwidth(flit, clock),
                       random_latency(network));
  };
  const std::string in_box = values();
  const std::string on_rail = values();
  std::string text = fmt::format("accelerators {}\nswitches {}\n", boxes * size, boxes * planes + size);
  for (int node = 0; node < boxes * size; ++node) {
    for (int plane = 0; plane < planes; ++plane) {
      text += fmt::format("link {} -- s{} {}\n", node, node / size * planes + plane, in_box);
    }
    text += fmt::format("link {} -- s{} {}\n", node, boxes * planes + node % size, on_rail);
  }
  set("system.topology.kind", "file");
  set("system.topology.file", graph_file(text));
  network.algorithm = sometimes() ? "hierarchical" : any_algorithm();
  return network;
}

Network draw_network(const Set& set, int flit, const Clock& clock) {
  switch (pick<int>({0, 0, 1, 2, 3, 4})) {
    case 4:
      return draw_boxes(set, flit, clock);
    case 1:
      return draw_hierarchy(set, flit, clock);
    case 2:
      return draw_other(set, flit, clock);
    case 3:
      return draw_graph(set, flit, clock);
    default:
      return draw_grid(set, flit, clock);
  }
}

RandomSystem draw() {
  RandomSystem system;
  const auto set = [&system](const std::string& key, const auto& value) {
    system.settings.emplace_back(key, fmt::format("{}", value));
  };
  const int flit = pick<int>({16, 16, 4, 64});
  const Clock clock = pick<Clock>({{"1 GHz", 1'000'000'000},
                                   {"1 GHz", 1'000'000'000},
                                   {"700 MHz", 700'000'000},
                                   {"1300 MHz", 1'300'000'000}});
  const Network network = draw_network(set, flit, clock);
  set("system.clock", clock.text);
  set("system.flit", fmt::format("{} B", flit));

  const int routing = pick<int>({1, 0, 2, 5});
  const int vc_alloc = pick<int>({1, 2, 4});
  const int sw_alloc = pick<int>({1, 2, 3});
  const int traversal = pick<int>({1, 2, 3});
  const int credit = pick<int>({1, 0, 4});
  set("system.router.vcs", pick<int>({4, 2, 1, 3, 8}));
  set("system.router.vc_depth",
      random_depth(network.longest, routing + vc_alloc + 2 * sw_alloc + traversal + credit));
  set("system.router.routing_delay", routing);
  set("system.router.vc_alloc_delay", vc_alloc);
  set("system.router.sw_alloc_delay", sw_alloc);
  set("system.router.st_delay", traversal);
  set("system.router.credit_delay", credit);

  set("system.ni.ports", pick<std::string>({"auto", "auto", "1", "2", "3", "5"}));
  set("system.ni.flow_control", pick<std::string>({"packet", "message"}));
  set("system.ni.payload", fmt::format("{} B", flit * pick<int>({16, 1, 2, 5, 64})));
  set("system.ni.lockstep", pick<std::string>({"true", "true", "false"}));
  set("system.ni.buffer", pick<int>({896, 1, 20, 100}));
  set("system.ni.dma_latency", pick<int>({4, 1, 30}));
  set("system.ni.reduction_latency", pick<int>({4, 1, 30}));
  set("system.ni.message_setup", pick<std::string>({"0 ns", "0 ns", "0 ns", "20 ns", "333 ns"}));
  set("system.ni.reduction_flits_per_cycle", pick<std::string>({"1", "1", "1", "0.5", "0.7", "0.25"}));

  const bool rooted = pick<int>({0, 0, 0, 0, 1}) == 1;
  if (rooted) {
    set("collective.op", pick<std::string>({"broadcast", "reduce"}));
    set("collective.root", between(0, network.accelerators - 1));
  } else {
    set("collective.op", pick<std::string>({"all_reduce", "all_reduce", "reduce_scatter", "all_gather"}));
  }
  set("collective.algorithm", network.algorithm);
  set("collective.size", random_size(network.accelerators, flit));
  set("collective.chunks", pick<std::string>({"1", "auto", "1", "2", "3", "5"}));
  set("check", pick<std::string>({"values", "contributions"}));
  return system;
}

}  // namespace

const std::string& RandomSystem::value(const std::string& key) const {
  const auto at =
      std::find_if(settings.begin(), settings.end(), [&](const auto& s) { return s.first == key; });
  if (at == settings.end()) throw std::out_of_range("no setting " + key);
  return at->second;
}

std::string RandomSystem::yaml() const {
  std::string text;
  Strings open;  // sections that contain the previous key
  for (const auto& [key, value] : settings) {
    Strings sections;
    std::size_t from = 0;
    for (std::size_t dot = 0; (dot = key.find('.', from)) != std::string::npos; from = dot + 1) {
      sections.push_back(key.substr(from, dot - from));
    }
    std::size_t level = 0;
    while (level < open.size() && level < sections.size() && open[level] == sections[level]) ++level;
    for (; level < sections.size(); ++level) {
      text += fmt::format("{}{}:\n", std::string(2 * level, ' '), sections[level]);
    }
    text += fmt::format("{}{}: {}\n", std::string(2 * sections.size(), ' '), key.substr(from), value);
    open = sections;
  }
  return text;
}

rc::Gen<RandomSystem> random_system() {
  return rc::gen::exec([] { return draw(); });
}

void showValue(const RandomSystem& system, std::ostream& stream) {
  stream << "\n" << system.yaml();
}

}  // namespace coppice::fuzz
