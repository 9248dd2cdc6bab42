#include "config/booksim_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/input_file.h"
#include "config/nearest.h"
#include "config/values.h"

namespace coppice::config {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr const char* kExpected = "a configuration file of BookSim2, 'key = value;' in every line";

// What BookSim2 takes where a file is silent.
constexpr std::array kDefaults{
    std::pair{"topology", "torus"},
    std::pair{"k", "8"},
    std::pair{"n", "2"},
    std::pair{"c", "1"},
    std::pair{"routing_function", "none"},
    std::pair{"network_file", ""},
    std::pair{"use_noc_latency", "1"},
    std::pair{"num_vcs", "16"},
    std::pair{"vc_buf_size", "8"},
    std::pair{"buf_size", "-1"},
    std::pair{"routing_delay", "1"},
    std::pair{"vc_alloc_delay", "1"},
    std::pair{"sw_alloc_delay", "1"},
    std::pair{"st_prepare_delay", "0"},
    std::pair{"st_final_delay", "1"},
    std::pair{"credit_delay", "0"},
    std::pair{"router", "iq"},
    std::pair{"speculative", "0"},
    std::pair{"internal_speedup", "1.0"},
    std::pair{"input_speedup", "1"},
    std::pair{"output_speedup", "1"},
    std::pair{"hold_switch_for_packet", "0"},
    std::pair{"subnets", "1"},
    std::pair{"classes", "1"},
    std::pair{"traffic", "uniform"},
    std::pair{"injection_rate", "0.1"},
    std::pair{"injection_rate_uses_flits", "0"},
    std::pair{"injection_process", "bernoulli"},
    std::pair{"packet_size", "1"},
    std::pair{"use_read_write", "0"},
    std::pair{"warmup_periods", "3"},
    std::pair{"sample_period", "1000"},
    std::pair{"max_samples", "10"},
    std::pair{"sim_type", "latency"},
    std::pair{"sim_count", "1"},
    std::pair{"seed", "0"},
};

// What changes no network or has a counterpart that is always on: allocators, and what is printed.
constexpr std::array kUnread{"vc_allocator",
                             "sw_allocator",
                             "alloc_iters",
                             "wait_for_tail_credit",
                             "priority",
                             "vc_busy_when_full",
                             "vc_prioritize_empty",
                             "vc_shuffle_requests",
                             "output_buffer_size",
                             "noq",
                             "latency_thres",
                             "warmup_thres",
                             "stopping_thres",
                             "acc_warmup_thres",
                             "acc_stopping_thres",
                             "deadlock_warn_timeout",
                             "include_queuing",
                             "print_activity",
                             "print_csv_results",
                             "stats_out",
                             "watch_file",
                             "watch_flits",
                             "watch_packets",
                             "watch_out",
                             "viewer_trace",
                             "spec_check_elig",
                             "spec_check_cred",
                             "spec_mask_by_reqs",
                             "spec_sw_allocator",
                             "arb_type",
                             "sim_power",
                             "power_output_file",
                             "tech_file",
                             "channel_width",
                             "channel_sweep",
                             "vc_buffer_pool",
                             "buffer_policy",
                             "private_bufs",
                             "private_buf_size",
                             "output_delay",
                             "pair_stats",
                             "measure_stats",
                             "measure_latency",
                             "drain_measured_only",
                             "interconnect"};

class File {
 public:
  explicit File(const std::string& path) : path_(path) {
    std::string text;
    try {
      text = read_input_file(path);
    } catch (const UnreadableError& error) {
      throw ConfigError({path}, fmt::format("cannot read the configuration of BookSim2: {}", error.what()));
    }
    blank_comments(text);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find(';', begin);
      const std::string_view statement = std::string_view(text).substr(begin, end - begin);
      if (statement.find_first_not_of(kBlanks) != std::string_view::npos) {
        const std::size_t first = begin + statement.find_first_not_of(kBlanks);
        if (end == std::string::npos)
          throw ConfigError(place(text, first), "a ';' is missing: " + expected());
        add(text, first, end);
      }
      if (end == std::string::npos) break;
      begin = end + 1;
    }
    if (values_.empty()) throw ConfigError({path}, "holds nothing: " + expected());
  }

  const std::string& path() const { return path_; }
  const std::vector<std::string>& unread() const { return unread_; }

  // As the file has it, else BookSim2's.
  Node operator[](const char* key) const {
    const auto found = std::ranges::find(values_, key, &Node::name);
    if (found != values_.end()) return *found;
    Node value;
    value.kind = Node::Kind::kScalar;
    value.name = key;
    value.place = {path_};
    value.text = std::ranges::find(kDefaults, std::string_view(key), [](const auto& entry) {
                   return std::string_view(entry.first);
                 })->second;
    return value;
  }

  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most) const {
    return read_integer((*this)[key], key, least, most);
  }
  double number(const char* key, double least, double most) const {
    return read_number((*this)[key], key, least, most);
  }

  // Refuses any value but `only`.
  void require(const char* key, std::string_view only, std::string_view why) const {
    const Node value = (*this)[key];
    if (value.text == only) return;
    throw ConfigError(value.place,
                      fmt::format("{} = {}: {}; write {} = {}", key, value.text, why, key, only));
  }

 private:
  static std::string expected() { return std::string(kExpected) + " is expected"; }

  static void blank_comments(std::string& text) {
    for (std::size_t at = text.find("//"); at != std::string::npos; at = text.find("//", at)) {
      for (; at < text.size() && text[at] != '\n'; ++at) text[at] = ' ';
    }
  }

  SourceLocation place(std::string_view text, std::size_t at) const {
    const auto before = text.substr(0, at);
    const auto line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? at : at - start - 1;
    return {path_, line, static_cast<int>(column) + 1};
  }

  Node piece(std::string_view text, std::size_t begin, std::size_t end) const {
    while (begin < end && kBlanks.find(text[begin]) != std::string_view::npos) ++begin;
    while (end > begin && kBlanks.find(text[end - 1]) != std::string_view::npos) --end;
    Node node;
    node.kind = Node::Kind::kScalar;
    node.text = std::string(text.substr(begin, end - begin));
    node.place = place(text, begin);
    return node;
  }

  void add(std::string_view text, std::size_t begin, std::size_t end) {
    const std::size_t equals = text.find('=', begin);
    if (equals == std::string_view::npos || equals > end) {
      throw ConfigError(place(text, begin),
                        fmt::format("'{}' has no '=': {}", piece(text, begin, end).text, expected()));
    }
    const Node key = piece(text, begin, equals);
    Node value = piece(text, equals + 1, end);
    if (value.text.size() > 1 && value.text.front() == '"' && value.text.back() == '"') {
      value.text = value.text.substr(1, value.text.size() - 2);
    }
    value.name = key.text;
    value.name_place = key.place;
    if (std::ranges::find(kUnread, key.text) != kUnread.end()) {
      unread_.push_back(key.text);
      return;
    }
    require_known(key);
    // The last one counts.
    std::erase_if(values_, [&](const Node& other) { return other.name == value.name; });
    values_.push_back(std::move(value));
  }

  static void require_known(const Node& key) {
    std::vector<std::string> known;
    for (const auto& [name, value] : kDefaults) known.emplace_back(name);
    if (std::ranges::find(known, key.text) != known.end()) return;
    throw ConfigError(key.place,
                      fmt::format("unknown key '{}' of a configuration of BookSim2; did you mean '{}'?",
                                  key.text, nearest(key.text, known)));
  }

  std::string path_;
  std::vector<Node> values_;
  std::vector<std::string> unread_;
};

// A key stands where its value does.
void put(Node& map, const char* name, Node value) {
  const SourceLocation place = value.place;
  config::put(map, name, std::move(value), place);
}

class Translation {
 public:
  explicit Translation(const std::string& path) : file_(path) {}

  BooksimExperiment read() {
    refuse_other_machines();
    Node system = empty_map({file_.path()});
    put(system, "topology", topology());
    put(system, "link", link());
    put(system, "clock", scalar("1 GHz", {file_.path()}));
    put(system, "flit", scalar("16 B", {file_.path()}));
    put(system, "router", router());
    experiment_.document = empty_map({file_.path()});
    put(experiment_.document, "system", std::move(system));
    put(experiment_.document, "seed", file_["seed"]);
    traffic();
    if (kind() == "anynet") {
      assume(
          "every node has a router of its own in front of its router, a hop more at either end: in "
          "BookSim2 it is a port of its router");
    }
    assume("a cycle is 1 ns and a flit 16 B: latencies in cycles depend on neither");
    if (!file_.unread().empty()) assume(fmt::format("not read: {}", fmt::join(file_.unread(), ", ")));
    return std::move(experiment_);
  }

 private:
  void assume(const std::string& what) { experiment_.assumptions.push_back(file_.path() + ": " + what); }

  void refuse_other_machines() const {
    file_.require("router", "iq", "Coppice has input-queued routers");
    file_.require("speculative", "0", "the switch is not allocated ahead of virtual channels here");
    file_.require("input_speedup", "1", "crossbars here have no speedup");
    file_.require("output_speedup", "1", "crossbars here have no speedup");
    if (file_.number("internal_speedup", 0, 1000) != 1) {
      file_.require("internal_speedup", "1.0", "routers here run at the channels' clock");
    }
    file_.require("hold_switch_for_packet", "0", "the switch is allocated flit by flit");
    file_.require("subnets", "1", "there is one network");
    file_.require("classes", "1", "traffic is of one class");
    file_.require("use_read_write", "0", "traffic is of one class");
    file_.require("injection_process", "bernoulli", "packets are injected independently in each cycle");
    file_.require("c", "1", "every router of a grid has one node");
  }

  std::string kind() const {
    const Node topology = file_["topology"];
    if (topology.text == "mesh" || topology.text == "torus" || topology.text == "anynet")
      return topology.text;
    static const std::vector<std::string> known{"mesh", "torus", "anynet"};
    throw ConfigError(
        topology.place,
        fmt::format("topology = {}: mesh, torus and anynet are read; describe another network by "
                    "system.topology (`coppice list`) or as anynet",
                    topology.text));
  }

  Node topology() const {
    const std::string name = kind();
    const Node value = file_["topology"];
    Node topology = empty_map(value.place);
    if (name == "anynet") {
      put(topology, "kind", scalar("file", value.place));
      Node file = file_["network_file"];
      if (file.text.empty()) throw ConfigError(file.place, "topology = anynet needs a network_file");
      const auto folder = std::filesystem::path(file_.path()).parent_path();
      if (!std::filesystem::exists(file.text)) file.text = (folder / file.text).string();
      put(topology, "file", file);
      return topology;
    }
    const std::vector<std::string> dimension_order{"dor", "dim_order", "none"};
    const Node routing = file_["routing_function"];
    if (std::ranges::find(dimension_order, routing.text) == dimension_order.end()) {
      throw ConfigError(routing.place, fmt::format("routing_function = {}: a {} is routed in dimension order "
                                                   "here; write dim_order",
                                                   routing.text, name));
    }
    put(topology, "kind", scalar(name, value.place));
    Node dims;
    dims.kind = Node::Kind::kList;
    dims.place = file_["k"].place;
    const std::int64_t k = file_.integer("k", 2, 1 << 16);
    for (std::int64_t d = file_.integer("n", 1, 16); d > 0; --d) {
      dims.children.push_back(scalar(std::to_string(k), dims.place));
    }
    put(topology, "dims", std::move(dims));
    return topology;
  }

  // A torus is folded: its channels take two cycles.
  Node link() const {
    const bool folded = kind() == "torus" && file_.integer("use_noc_latency", 0, 1) == 1;
    Node link = empty_map({file_.path()});
    put(link, "bandwidth", scalar("16 GB/s", {file_.path()}));
    put(link, "latency", scalar(folded ? "2 ns" : "1 ns", {file_.path()}));
    return link;
  }

  Node router() {
    constexpr std::int64_t kMost = 1 << 20;
    Node router = empty_map({file_.path()});
    put(router, "vcs", file_["num_vcs"]);
    const std::int64_t vcs = file_.integer("num_vcs", 1, kMost);
    const std::int64_t shared = file_.integer("buf_size", -1, kMost * kMost);
    if (shared > 0 && shared != vcs * file_.integer("vc_buf_size", 1, kMost)) {
      throw ConfigError(file_["buf_size"].place,
                        "buf_size: virtual channels here have buffers of their own; leave it out");
    }
    put(router, "vc_depth", file_["vc_buf_size"]);
    put(router, "routing_delay", file_["routing_delay"]);
    put(router, "vc_alloc_delay", file_["vc_alloc_delay"]);
    put(router, "sw_alloc_delay", file_["sw_alloc_delay"]);
    const std::int64_t traversal =
        file_.integer("st_prepare_delay", 0, kMost) + file_.integer("st_final_delay", 0, kMost);
    put(router, "st_delay", scalar(std::to_string(traversal), file_["st_final_delay"].place));
    put(router, "credit_delay", file_["credit_delay"]);
    return router;
  }

  void traffic() {
    static const std::vector<std::string> known{"uniform", "transpose", "bitcomp", "tornado", "neighbor"};
    experiment_.pattern = read_name(file_["traffic"], "traffic", known);
    experiment_.packet_flits = static_cast<int>(file_.integer("packet_size", 1, 65536));
    const bool flits = file_.integer("injection_rate_uses_flits", 0, 1) == 1;
    const double rate = file_.number("injection_rate", 1e-9, 1);
    experiment_.rate = flits ? rate : rate * experiment_.packet_flits;
    if (experiment_.rate > 1) {
      throw ConfigError(file_["injection_rate"].place,
                        fmt::format("injection_rate of {} packets of {} flits is more than the flit per node "
                                    "and cycle that an injection channel takes",
                                    rate, experiment_.packet_flits));
    }
    const std::int64_t period = file_.integer("sample_period", 1, 1 << 30);
    experiment_.warmup = period * file_.integer("warmup_periods", 0, 1 << 20);
    experiment_.measure = period * file_.integer("max_samples", 1, 1 << 20);
    assume(
        fmt::format("{} cycles are measured behind {} of warm-up (max_samples, warmup_periods), while "
                    "BookSim2 stops when its means are steady",
                    experiment_.measure, experiment_.warmup));
  }

  File file_;
  BooksimExperiment experiment_;
};

}  // namespace

BooksimExperiment read_booksim(const std::string& path) {
  return Translation(path).read();
}

}  // namespace coppice::config
