#include "config/files/booksim_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "config/document/values.h"
#include "config/files/booksim_keys.h"
#include "config/files/file_kind.h"

namespace coppice::config {
namespace {

// A routing that Coppice supports: its name in BookSim2's routing_function, and in system.router.routing.
struct Routing {
  const char* theirs;
  const char* ours;
};
struct Network {
  const char* name;
  std::vector<Routing> routings;
};
const std::vector<Network>& networks() {
  static const std::vector<Network> known{
      {"mesh",
       {{"dor", "minimal"},
        {"dim_order", "minimal"},
        {"none", "minimal"},
        {"valiant", "valiant"},
        {"min_adapt", "adaptive"}}},
      {"torus",
       {{"dim_order", "minimal"},
        {"dor", "minimal"},
        {"none", "minimal"},
        {"valiant", "valiant"},
        {"min_adapt", "adaptive"}}},
      {"anynet", {{"min", "minimal"}, {"none", "minimal"}}},
      {"fattree", {{"nca", "valiant"}, {"anca", "adaptive"}}},
      {"dragonflynew", {{"min", "minimal"}, {"ugal", "ugal"}}},
  };
  return known;
}

// The networks of BookSim2 that are not supported, each with the reason or with what to write instead.
constexpr std::array kOtherNetworks{
    std::pair{"fly",
              "its one-way channels connect separate sources and sinks, whereas an accelerator is both"},
    std::pair{"cmesh", "in Coppice, every router of a grid has exactly one accelerator"},
    std::pair{"flatfly", "write it as kind hyperx, dims [c, k, ...]"},
    std::pair{"qtree", "write it as a fat tree or as anynet"},
    std::pair{"tree4", "write it as a fat tree or as anynet"},
};

// Adds a key to a map, at the location of its value.
void add(Node& map, const char* name, Node value) {
  const SourceLocation place = value.place;
  config::put(map, name, std::move(value), place);
}

class Translation {
 public:
  explicit Translation(const std::string& path) : file_(path) {}

  BooksimExperiment read() {
    refuse_other_machines();
    Node system = empty_map({file_.path()});
    add(system, "topology", topology());
    add(system, "link", link());
    add(system, "clock", scalar("1 GHz", {file_.path()}));
    add(system, "flit", scalar("16 B", {file_.path()}));
    add(system, "router", router());
    experiment_.document = empty_map({file_.path()});
    add(experiment_.document, "system", std::move(system));
    add(experiment_.document, "seed", file_["seed"]);
    traffic();
    if (kind() != "mesh" && kind() != "torus") {
      assume(
          "every node has its own router, which adds a hop at each end; in BookSim2, a node attaches "
          "directly to a port of the network's router");
    }
    assume("a cycle is 1 ns and a flit 16 B; latencies in cycles do not depend on either");
    if (!file_.unread().empty()) assume(fmt::format("ignored keys: {}", fmt::join(file_.unread(), ", ")));
    return std::move(experiment_);
  }

 private:
  void assume(const std::string& what) { experiment_.assumptions.push_back(file_.path() + ": " + what); }

  void refuse_other_machines() const {
    file_.require("router", "iq", "Coppice's routers are input-queued");
    file_.require("speculative", "0", "Coppice's routers do not allocate the switch speculatively");
    file_.require("input_speedup", "1", "Coppice's crossbars have no speedup");
    file_.require("output_speedup", "1", "Coppice's crossbars have no speedup");
    if (file_.number("internal_speedup", 0, 1000) != 1) {
      file_.require("internal_speedup", "1.0", "Coppice's routers run at the channels' clock");
    }
    file_.require("hold_switch_for_packet", "0", "the switch is allocated flit by flit");
    file_.require("link_failures", "0", "Coppice does not read link failures from BookSim2 files");
    file_.require("subnets", "1", "Coppice models one network");
    file_.require("classes", "1", "Coppice models one traffic class");
    if (kind() == "mesh" || kind() == "torus")
      file_.require("c", "1", "every router of a grid has exactly one node");
  }

  const Network& network() const {
    const Node topology = file_["topology"];
    std::vector<std::string> known;
    for (const Network& network : networks()) {
      if (topology.text == network.name) return network;
      known.emplace_back(network.name);
    }
    for (const auto& [name, reason] : kOtherNetworks) {
      if (topology.text == name)
        throw ConfigError(topology.place, fmt::format("topology = {}: {}", name, reason));
    }
    throw ConfigError(topology.place, fmt::format("topology = {} is not one of {}; describe other networks "
                                                  "with system.topology (`coppice list`) or as anynet",
                                                  topology.text, fmt::join(known, ", ")));
  }

  std::string kind() const { return network().name; }

  // The value of system.router.routing that corresponds to routing_function in the file.
  Node routing() const {
    const Node theirs = file_["routing_function"];
    std::vector<std::string> known;
    for (const Routing& routing : network().routings) {
      if (theirs.text == routing.theirs) return scalar(routing.ours, theirs.place);
      known.emplace_back(routing.theirs);
    }
    throw ConfigError(theirs.place,
                      fmt::format("routing_function = {} is not supported for {}: write one of {}",
                                  theirs.text, kind(), fmt::join(known, ", ")));
  }

  Node topology() const {
    const std::string name = kind();
    const Node value = file_["topology"];
    Node topology = empty_map(value.place);
    if (name == "anynet") {
      add(topology, "kind", scalar("file", value.place));
      Node file = file_["network_file"];
      if (file.text.empty()) throw ConfigError(file.place, "topology = anynet needs a network_file");
      const auto folder = std::filesystem::path(file_.path()).parent_path();
      if (!std::filesystem::exists(file.text)) file.text = (folder / file.text).string();
      add(topology, "file", file);
      return topology;
    }
    const bool grid = name == "mesh" || name == "torus";
    const char* const ours = grid ? name.c_str() : name == "fattree" ? "fat_tree" : "dragonfly";
    add(topology, "kind", scalar(ours, value.place));
    const std::int64_t k = file_.integer("k", 2, 1 << 16);
    const std::int64_t n = file_.integer("n", 1, 16);
    std::vector<std::int64_t> widths{k, n};
    if (grid) widths.assign(static_cast<std::size_t>(n), k);
    if (name == "dragonflynew") {
      file_.require("n", "1", "the routers of a group are fully connected");
      widths = {k, 2 * k, k};
    }
    add(topology, "dims", list(widths, file_["k"].place));
    return topology;
  }

  static Node list(const std::vector<std::int64_t>& values, const SourceLocation& place) {
    Node node;
    node.kind = Node::Kind::kList;
    node.place = place;
    for (const std::int64_t value : values) node.children.push_back(scalar(std::to_string(value), place));
    return node;
  }

  // The links. A torus is folded, so its channels have a latency of two cycles.
  Node link() const {
    const bool folded = kind() == "torus" && file_.integer("use_noc_latency", 0, 1) == 1;
    Node link = empty_map({file_.path()});
    add(link, "bandwidth", scalar("16 GB/s", {file_.path()}));
    Node latency = scalar(folded ? "2 ns" : "1 ns", {file_.path()});
    if (kind() == "dragonflynew") {
      // latencies of links to accelerators, of links within groups, and of links between groups
      latency = list({}, {file_.path()});
      for (const char* level : {"1 ns", "10 ns", "100 ns"}) {
        latency.children.push_back(scalar(level, {file_.path()}));
      }
    }
    add(link, "latency", std::move(latency));
    return link;
  }

  Node router() {
    constexpr std::int64_t kMost = 1 << 20;
    Node router = empty_map({file_.path()});
    const std::int64_t vcs = file_.integer("num_vcs", 1, kMost);
    Node used = file_["num_vcs"];
    if (kind() == "torus" && routing().text == "adaptive" && vcs > 3) {
      used.text = "3";
      assume(
          "on a torus, min_adapt uses only one virtual channel besides the two of dimension-order routing, "
          "so the model has 3");
    }
    add(router, "vcs", used);
    add(router, "routing", routing());
    const Node priority = file_["priority"];
    if (priority.text != "none" && priority.text != "age") {
      throw ConfigError(priority.place,
                        fmt::format("priority = {} is not supported: write none or age", priority.text));
    }
    add(router, "arbitration", scalar(priority.text == "age" ? "age" : "round_robin", priority.place));
    const std::int64_t shared = file_.integer("buf_size", -1, kMost * kMost);
    if (shared > 0 && shared != vcs * file_.integer("vc_buf_size", 1, kMost)) {
      throw ConfigError(file_["buf_size"].place,
                        "every virtual channel has its own buffer in Coppice: leave buf_size out");
    }
    add(router, "vc_depth", file_["vc_buf_size"]);
    add(router, "routing_delay", file_["routing_delay"]);
    add(router, "vc_alloc_delay", file_["vc_alloc_delay"]);
    add(router, "sw_alloc_delay", file_["sw_alloc_delay"]);
    const std::int64_t traversal =
        file_.integer("st_prepare_delay", 0, kMost) + file_.integer("st_final_delay", 0, kMost);
    add(router, "st_delay", scalar(std::to_string(traversal), file_["st_final_delay"].place));
    add(router, "credit_delay", file_["credit_delay"]);
    return router;
  }

  void traffic() {
    pattern();
    experiment_.packet_flits = static_cast<int>(file_.integer("packet_size", 1, 65536));
    const double packet = request_reply();
    const bool flits = file_.integer("injection_rate_uses_flits", 0, 1) == 1;
    const double rate = file_.number("injection_rate", 1e-9, 1);
    experiment_.rate = flits ? rate : rate * packet;
    bursts(flits ? rate / packet : rate);
    if (experiment_.rate > 1) {
      throw ConfigError(file_["injection_rate"].place,
                        fmt::format("an injection_rate of {} packets of {} flits exceeds the capacity of an "
                                    "injection channel, which is one flit per cycle",
                                    rate, packet));
    }
    const std::int64_t period = file_.integer("sample_period", 1, 1 << 30);
    experiment_.warmup = period * file_.integer("warmup_periods", 0, 1 << 20);
    experiment_.measure = period * file_.integer("max_samples", 1, 1 << 20);
    assume(
        fmt::format("{} cycles are measured after {} cycles of warm-up (max_samples, warmup_periods), "
                    "whereas BookSim2 stops once its means are steady",
                    experiment_.measure, experiment_.warmup));
  }

  void pattern() {
    static const std::vector<std::string> known{"uniform",  "transpose",  "bitcomp",    "tornado",
                                                "neighbor", "bitrev",     "shuffle",    "randperm",
                                                "diagonal", "asymmetric", "bad_dragon", "hotspot"};
    Node value = file_["traffic"];
    const BooksimCall call = read_booksim_call(value);
    value.text = call.name;
    experiment_.pattern = read_name(value, "traffic", known);
    if (call.name == "bad_dragon") experiment_.pattern = "next_group";
    if (call.name == "randperm")
      assume("for the same perm_seed, randperm yields a different permutation than in BookSim2");
    if (call.name != "hotspot") return;
    if (call.lists.empty() || call.lists[0].front().empty() || call.lists[0].front().front() == '-') {
      throw ConfigError(
          value.place,
          "traffic = hotspot names no nodes, and Coppice does not choose them at random: write, "
          "for example, hotspot({{0,9},{1,2}})");
    }
    const std::vector<std::string>& nodes = call.lists[0];
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      experiment_.hotspots += (i == 0 ? "" : ",") + nodes[i];
      if (call.lists.size() < 2) continue;
      experiment_.hotspots += ":" + call.lists[1][std::min(i, call.lists[1].size() - 1)];
    }
  }

  // Reads the packet sizes of requests and replies. Returns the mean number of flits of a request and its
  // reply together or, if the file does not use requests, the number of flits per packet.
  double request_reply() {
    if (file_.integer("use_read_write", 0, 1) == 0) return experiment_.packet_flits;
    std::array<std::int64_t, 4> sizes{};
    constexpr std::array kSizes{"read_request_size", "read_reply_size", "write_request_size",
                                "write_reply_size"};
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = file_.integer(kSizes[i], 1, 65536);
    const double writes = file_.number("write_fraction", 0, 1);
    experiment_.request_reply = fmt::format("{}", fmt::join(sizes, ","));
    experiment_.writes = fmt::format("{}", writes);
    assume(
        "requests and replies share all virtual channels (read_request_begin_vc and similar keys are "
        "ignored), which is safe because network interfaces always accept arriving packets");
    return (1 - writes) * static_cast<double>(sizes[0] + sizes[1]) +
           writes * static_cast<double>(sizes[2] + sizes[3]);
  }

  // Reads the injection process. `rate` is its mean number of packets per cycle.
  void bursts(double rate) {
    const Node value = file_["injection_process"];
    const BooksimCall call = read_booksim_call(value);
    if (call.name == "bernoulli") return;
    if (call.name != "on_off") {
      throw ConfigError(
          value.place,
          fmt::format("injection_process = {} is not supported: write bernoulli or on_off", call.name));
    }
    const auto part = [&](std::size_t i, const char* key) {
      Node node = file_[key];
      if (i < call.lists.size()) node = scalar(call.lists[i].front(), value.place);
      return read_number(node, key, -1, 1);
    };
    double alpha = part(0, "burst_alpha");
    double beta = part(1, "burst_beta");
    const double on = part(2, "burst_r1");
    if (alpha < 0) alpha = beta * rate / (on - rate);
    if (beta < 0) beta = alpha * (on - rate) / rate;
    if (!(alpha > 0 && beta > 0)) {
      throw ConfigError(
          value.place,
          "on_off: set two of burst_alpha, burst_beta and burst_r1, and the third to a value below 0");
    }
    experiment_.bursts = fmt::format("{:.10g},{:.10g}", alpha, beta);
  }

  BooksimKeys file_;
  BooksimExperiment experiment_;
};

}  // namespace

BooksimExperiment read_booksim(const std::string& path) {
  return read_as({FileKind::kBooksim}, path, [&] { return Translation(path).read(); });
}

}  // namespace coppice::config
