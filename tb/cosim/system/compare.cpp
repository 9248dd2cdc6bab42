// coppice_cosim_check [BYTES [CASE]] compares systems whose network interfaces or routers are partly or
// completely in Verilog with the same systems in SystemC. It runs all-reduces of BYTES (default: 65536) on a
// 4x4 torus or mesh. Both versions must take the same number of cycles, send every flit in the same cycle on
// the same virtual channel, and end with identical bits in every gradient buffer. It then runs programs with
// several collectives in flight. Every operation must take the same cycles at every accelerator; sums may be
// rounded differently, because SystemC adds whole messages. Prints one line per case. The exit status is 1 if
// any case differs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "fabric/fabric.h"
#include "ni/memory/message_record.h"
#include "support/shipped_config.h"
#include "system/process/child_process.h"
#include "system/program/program_run.h"

extern "C" int sc_main(int /*argc*/, char** /*argv*/) {
  return 0;
}

namespace coppice::cosim {
namespace {

using nlohmann::ordered_json;
using Settings = std::vector<std::string>;

struct Case {
  std::string name;
  std::string system;        // name of a file in configs/systems
  Settings settings;         // apply to both runs
  Settings rtl;              // additional settings for the run with Verilog
  std::string program = {};  // text of a program; if empty, the case is a collective
};

constexpr int kRanks = 16;
constexpr int kContexts = 8;  // number of contexts in the Verilog network interface

std::string all_reduces(int count, Bytes bytes, const std::string& more = {}) {
  std::string text = fmt::format("ranks: {}\noperations:\n", kRanks);
  for (int i = 0; i < count; ++i)
    text += fmt::format("  - {{name: a{}, all_reduce: {} B{}}}\n", i, bytes, more);
  return text;
}

// A program with concurrent collectives of all rows, of all columns, and of the whole 4x4 torus.
std::string rows_and_columns(Bytes bytes) {
  std::string groups;
  std::string operations;
  for (int i = 0; i < 4; ++i) {
    groups += fmt::format("{}r{}: [{}, {}, {}, {}], c{}: [{}, {}, {}, {}]", i == 0 ? "" : ", ", i, 4 * i,
                          4 * i + 1, 4 * i + 2, 4 * i + 3, i, i, i + 4, i + 8, i + 12);
    operations += fmt::format("  - {{name: row{}, all_reduce: {} B, group: r{}}}\n", i, bytes, i);
    operations += fmt::format("  - {{name: column{}, reduce_scatter: {} B, group: c{}}}\n", i, bytes, i);
  }
  return fmt::format("ranks: {}\ngroups: {{{}}}\noperations:\n{}  - {{name: all, all_gather: {} B}}\n",
                     kRanks, groups, operations, bytes);
}

// A program that computes a backward pass and all-reduces each layer's gradients; earlier layers have higher
// priority.
std::string backward_pass(int layers, int iterations, Bytes bytes) {
  std::string text = fmt::format("ranks: {}\niterations: {}\noperations:\n", kRanks, iterations);
  std::string before = "forward";
  text += "  - {name: forward, compute: 300 ns, purpose: forward}\n";
  for (int layer = layers; layer > 0; --layer) {
    const std::string name = fmt::format("b{}", layer);
    text += fmt::format("  - {{name: {}, compute: {} ns, after: {}}}\n", name, 100 + 37 * layer, before);
    text += fmt::format("  - {{name: g{}, all_reduce: {} B, after: {}, priority: {}}}\n", layer,
                        bytes * (1 + layer % 3), name, layers - layer);
    before = name;
  }
  return text;
}

// A program of random collectives among groups of a 4x2 torus. Some collectives depend on others, and some
// ranks start late. A barrier separates iterations, because there are not enough contexts for two. In the
// Verilog, a flit waits for pending sums of the same words, and so do reads. The program avoids such waiting:
// chunks consist of whole flits, and no rank adds messages of two other ranks.
std::string drawn(std::uint32_t seed) {
  constexpr int kFewRanks = 8;
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint32_t>(n)); };
  std::vector<std::vector<int>> groups(3);
  for (auto& group : groups) {
    while (group.size() < 2) {
      group.clear();
      for (int rank = 0; rank < kFewRanks; ++rank) {
        if (below(2) == 0) group.push_back(rank);
      }
    }
  }
  std::string text = fmt::format("ranks: {}\niterations: {}\ngroups:\n", kFewRanks, 1 + seed % 2);
  for (std::size_t g = 0; g < groups.size(); ++g)
    text += fmt::format("  g{}: [{}]\n", g, fmt::join(groups[g], ", "));
  text += "operations:\n";
  std::vector<std::string> names;
  int collectives = 0;
  for (int i = 0; collectives < kContexts - 1; ++i) {
    std::vector<std::string> after;
    for (int before = std::max(0, i - 6); before < i; ++before) {
      if (below(4) == 0) after.push_back(fmt::format("o{}", before));
    }
    const int g = below(4);
    const std::string group = g == 3 ? "all" : fmt::format("g{}", g);
    std::string work;
    if (below(3) == 0) {
      work = fmt::format("rank: [{}], compute: {} ns",
                         fmt::join(groups[static_cast<std::size_t>(g % 3)], ", "), 1 + below(900));
    } else {
      static constexpr std::array kOps{"all_reduce", "reduce_scatter", "all_gather", "broadcast"};
      const auto op = static_cast<std::size_t>(below(4));
      const int root = g == 3 ? below(kFewRanks) : groups[static_cast<std::size_t>(g)].front();
      const auto members = g == 3 ? std::size_t{kFewRanks} : groups[static_cast<std::size_t>(g)].size();
      const std::size_t bytes = 16 * members * static_cast<std::size_t>(1 + below(20));
      work = fmt::format("{}: {} B, group: {}, priority: {}{}", kOps.at(op), bytes, group, below(5) - 2,
                         op == 3 ? fmt::format(", root: {}", root) : "");
      ++collectives;
    }
    text += fmt::format("  - {{name: o{}, {}, after: [{}]}}\n", i, work, fmt::join(after, ", "));
    names.push_back(fmt::format("o{}", i));
  }
  return text + fmt::format("  - {{name: end, barrier: all, after: [{}]}}\n", fmt::join(names, ", "));
}

// A case with the random program that `seed` determines.
Case drawn_case(std::uint32_t seed) {
  static constexpr std::array kOrders{"round_robin", "priority", "fifo"};
  return {fmt::format("program_drawn_{}", seed),
          "torus_4x4",
          {"system.topology.dims=[4, 2]", "collective.algorithm=ring", "system.ni.early_messages=added",
           fmt::format("system.ni.context_order={}", kOrders.at(seed % kOrders.size())),
           fmt::format("system.ni.flow_control={}", seed % 5 == 4 ? "message" : "packet"),
           fmt::format("system.ni.table_load={}", 2 + seed % 4)},
          {"system.ni.impl=rtl"},
          drawn(seed)};
}

void add_programs(std::vector<Case>& list) {
  const auto add = [&list](const std::string& name, const std::string& program, Settings settings) {
    settings.push_back("system.ni.early_messages=added");
    list.push_back({"program_" + name, "torus_4x4", std::move(settings), {"system.ni.impl=rtl"}, program});
  };
  add("two", all_reduces(2, 16384), {});
  for (const std::string order : {"round_robin", "priority", "fifo"})
    add("eight_" + order, all_reduces(8, 4096),
        {"collective.algorithm=ring", "system.ni.context_order=" + order});
  add("rows", rows_and_columns(4096), {"collective.algorithm=ring"});
  add("rows_message", rows_and_columns(4096),
      {"collective.algorithm=ring", "system.ni.flow_control=message"});
  for (const std::string order : {"round_robin", "priority", "fifo"})
    add("backward_" + order, backward_pass(6, 1, 2048), {"system.ni.context_order=" + order});
  // There are more collectives than contexts, so tables are loaded while other collectives run.
  add("reloaded", backward_pass(6, 3, 1024), {"system.ni.contexts=3", "collective.algorithm=ring"});
  add("no_lockstep", backward_pass(5, 2, 2048),
      {"system.ni.lockstep=false", "system.ni.context_order=priority"});
  add("mesh", backward_pass(5, 2, 2048), {"system.topology.kind=mesh", "collective.algorithm=ring"});
  add("repeating", all_reduces(4, 16384),
      {"collective.algorithm=double_tree", "collective.chunks=8", "system.ni.flow_control=message"});
  constexpr std::uint32_t kDrawn = 12;
  for (std::uint32_t seed = 0; seed < kDrawn; ++seed) list.push_back(drawn_case(seed));
}

std::vector<Case> cases() {
  const Settings all{"system.ni.impl=rtl"};
  std::vector<Case> list;
  for (const std::string algorithm : {"ring", "multitree"}) {
    for (const std::string kind : {"torus", "mesh"}) {
      for (const std::string flow_control : {"packet", "message"}) {
        list.push_back({algorithm + "_" + kind + "_" + flow_control,
                        kind + "_4x4",
                        {"collective.algorithm=" + algorithm, "system.ni.flow_control=" + flow_control},
                        all});
      }
    }
  }
  const Settings some{"system.ni.impl=rtl", "system.ni.rtl_nodes=[0, 2, 3, 5, 8, 9, 14]"};
  list.push_back({"mixed_torus_packet", "torus_4x4", {"collective.algorithm=multitree"}, some});
  list.push_back({"mixed_mesh_message",
                  "mesh_4x4",
                  {"collective.algorithm=multitree", "system.ni.flow_control=message"},
                  some});
  const Settings routers{"system.router.impl=rtl"};
  const Settings everything{"system.ni.impl=rtl", "system.router.impl=rtl"};
  list.push_back({"routers_torus_ring", "torus_4x4", {"collective.algorithm=ring"}, routers});
  list.push_back({"routers_mesh_shallow",
                  "mesh_4x4",
                  {"collective.algorithm=multitree", "system.router.vc_depth=20"},
                  routers});
  list.push_back({"everything_torus", "torus_4x4", {"collective.algorithm=multitree"}, everything});
  list.push_back({"everything_mesh",
                  "mesh_4x4",
                  {"collective.algorithm=multitree", "system.ni.flow_control=message"},
                  everything});
  list.push_back(
      {"no_lockstep", "torus_4x4", {"collective.algorithm=multitree", "system.ni.lockstep=false"}, all});
  list.push_back(
      {"shallow_buffers", "mesh_4x4", {"collective.algorithm=multitree", "system.router.vc_depth=20"}, all});
  list.push_back(
      {"odd_chunks", "torus_4x4", {"collective.algorithm=multitree", "collective.size=4660 B"}, all});
  // C-Cube's trees on eight nodes, with layers that are released from the gradient queues.
  for (const std::string algorithm : {"overlapped_tree", "overlapped_double_tree"}) {
    list.push_back({algorithm,
                    "torus_4x4",
                    {"system.topology.dims=[2, 4]", "collective.algorithm=" + algorithm,
                     "collective.trees=embedded", "collective.chunks=8", "system.ni.flow_control=message"},
                    all});
  }
  // Tables with repeated pieces: with nops for the lockstep, without nops, and with lines that are skipped.
  list.push_back({"repeating_packed_trees",
                  "mesh_4x4",
                  {"collective.algorithm=packed_trees", "collective.chunks=8", "collective.size=64 KiB",
                   "system.ni.flow_control=message"},
                  all});
  list.push_back(
      {"repeating_double_tree",
       "torus_4x4",
       {"collective.algorithm=double_tree", "collective.chunks=24", "system.ni.flow_control=message"},
       all});
  list.push_back(
      {"repeating_no_lockstep",
       "torus_4x4",
       {"collective.algorithm=overlapped_double_tree", "collective.chunks=24", "system.ni.lockstep=false"},
       some});
  list.push_back(
      {"repeating_chained",
       "mesh_4x4",
       {"collective.algorithm=chained_multitree", "collective.chunks=12", "system.ni.flow_control=message"},
       all});
  // The nops of empty pieces have no duration.
  list.push_back({"pieces_of_a_word",
                  "torus_4x4",
                  {"system.topology.dims=[3, 3]", "system.link.latency=1 ns", "system.ni.payload=512 B",
                   "collective.algorithm=multitree_optimal", "collective.chunks=12", "collective.size=64 B"},
                  all});
  add_programs(list);
  return list;
}

constexpr Cycles kStretch = 256;

// FNV-1a.
class Digest {
 public:
  template <typename T>
  void add(const T& value) {
    std::array<unsigned char, sizeof(T)> bytes;
    std::copy_n(reinterpret_cast<const unsigned char*>(&value), sizeof(T), bytes.begin());
    for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 1099511628211ULL;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037ULL;
};

// Records every flit that leaves an interface or wins a switch: its cycle, location, virtual channel and
// identity. Keeps a digest per stretch of kStretch cycles.
class FlitTrace final : public fabric::FabricObserver {
 public:
  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override {
    ++flits_;
    const auto stretch = static_cast<std::size_t>(now / kStretch);
    if (stretch >= digests_.size()) digests_.resize(stretch + 1, 0);
    // Rows are summed, because nodes may be visited in any order within a cycle.
    std::uint64_t row = static_cast<std::uint64_t>(now);
    for (const std::int64_t field :
         {std::int64_t{event.node}, std::int64_t{event.out_port}, std::int64_t{event.ni_port},
          std::int64_t{event.vc}, std::int64_t{packet.src}, std::int64_t{packet.index},
          std::int64_t{event.flit.sequence}, std::int64_t{event.flit.tail}}) {
      row = (row ^ static_cast<std::uint64_t>(field + 1)) * 0x9e3779b97f4a7c15ULL;
      row ^= row >> 29;
    }
    digests_[stretch] += row;
  }
  std::int64_t flits() const { return flits_; }
  const std::vector<std::uint64_t>& digests() const { return digests_; }

 private:
  std::int64_t flits_ = 0;
  std::vector<std::uint64_t> digests_;
};

// Counts the cycles in which a message was being sent but no flit left: bubbles between packets or
// sub-messages.
struct Gaps final : ni::MessageObserver {
  void message_completed(const ni::MessageRecord& message) override {
    cycles += message.tail_injected - message.head_injected + 1 - message.flits;
  }
  Cycles cycles = 0;
};

// A temporary file with a case's program.
class ProgramFile {
 public:
  explicit ProgramFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("coppice_cosim_{}.yaml", ::getpid())) {
    std::ofstream(path_) << text;
  }
  ProgramFile(const ProgramFile&) = delete;
  ProgramFile& operator=(const ProgramFile&) = delete;
  ~ProgramFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

ordered_json run_program(const Case& which, Settings settings) {
  const ProgramFile file(which.program);
  settings.push_back("program.file=" + file.path());
  const config::Loaded loaded = config::load(testing::shipped_config("systems/" + which.system + ".yaml"),
                                             settings, config::Purpose::kRun);
  const auto body = [&] {
    FlitTrace trace;
    Gaps gaps;
    system::RunOptions options;
    options.fabric_observers = {&trace};
    options.message_observers = {&gaps};
    const ordered_json result = system::run_program(loaded, system::load_program(loaded), options);
    const double seconds = std::max(1e-6, result["simulator"]["user_s"].get<double>());
    return ordered_json{{"cycles", result["cycles"]},
                        {"collectives", result["collectives"]},
                        {"accelerators", result["accelerators"]},
                        {"flits", trace.flits()},
                        {"trace", trace.digests()},
                        {"values", result["verified"]},
                        {"gaps", gaps.cycles},
                        {"speed", result["cycles"].get<double>() / seconds}};
  };
  return system::run_in_child(body, nullptr);
}

// Runs a case. Returns the results that must be equal in both runs, and the simulation speed.
ordered_json run(const Case& which, const Settings& settings) {
  if (!which.program.empty()) return run_program(which, settings);
  const config::Loaded loaded = config::load(testing::shipped_config("systems/" + which.system + ".yaml"),
                                             settings, config::Purpose::kRun);
  const auto body = [&] {
    FlitTrace trace;
    Digest values;
    system::RunOptions options;
    Gaps gaps;
    options.fabric_observers = {&trace};
    options.message_observers = {&gaps};
    options.final_values = [&values](int /*accelerator*/, std::span<const float> buffer) {
      for (const float value : buffer) values.add(value);
    };
    const ordered_json result = system::run_program(loaded, system::load_program(loaded), options);
    const double seconds = std::max(1e-6, result["simulator"]["user_s"].get<double>());
    return ordered_json{{"cycles", result["cycles"]},
                        {"gradients", result.value("gradients", ordered_json())},
                        {"flits", trace.flits()},
                        {"trace", trace.digests()},
                        {"values", values.value()},
                        {"gaps", gaps.cycles},
                        {"speed", result["cycles"].get<double>() / seconds}};
  };
  return system::run_in_child(body, nullptr);
}

std::string difference(const ordered_json& systemc, const ordered_json& rtl) {
  for (const char* key : {"cycles", "flits", "gaps", "gradients"}) {
    if (systemc.value(key, ordered_json()) != rtl.value(key, ordered_json()))
      return fmt::format("{} {} in SystemC", systemc[key].dump(), key);
  }
  for (std::size_t at = 0; at < std::min(systemc["trace"].size(), rtl["trace"].size()); ++at) {
    if (systemc["trace"][at] == rtl["trace"][at]) continue;
    const auto from = static_cast<Cycles>(at) * kStretch;
    return fmt::format("flits differ first in cycles {} to {}", from, from + kStretch - 1);
  }
  for (const char* key : {"collectives", "accelerators"}) {
    if (systemc.value(key, ordered_json()) != rtl.value(key, ordered_json()))
      return fmt::format("{} are not served in the same cycles", key);
  }
  return systemc["values"] != rtl["values"] ? "sums differ" : "";
}

bool compare(const Case& which, Bytes bytes) {
  Settings settings{fmt::format("collective.size={} B", bytes), "fidelity=flit", "check=values"};
  settings.insert(settings.end(), which.settings.begin(), which.settings.end());
  Settings with_rtl = settings;
  with_rtl.insert(with_rtl.end(), which.rtl.begin(), which.rtl.end());
  try {
    const ordered_json systemc = run(which, settings);
    const ordered_json rtl = run(which, with_rtl);
    std::string differs = difference(systemc, rtl);
    // These trees share no channels and their buffers cover a round trip, so messages must have no bubbles.
    const bool undisturbed = which.name.starts_with("multitree_torus") && bytes % 4096 == 0;
    if (differs.empty() && undisturbed && rtl["gaps"] != 0) differs = "bubbles within messages";
    const double speed = rtl["speed"].get<double>();
    fmt::print("{:<24} {:>9} {:>10} {:>14.0f} {:>14.0f} {:>6.2f}  {}\n", which.name, rtl["cycles"].dump(),
               rtl["flits"].dump(), systemc["speed"].get<double>(), speed,
               speed / systemc["speed"].get<double>(),
               differs.empty() ? "identical" : "DIFFERENT: " + differs);
    std::fflush(stdout);
    return differs.empty();
  } catch (const std::exception& error) {
    fmt::print("{:<24} FAILED: {}\n", which.name, error.what());
    return false;
  }
}

int compare_all(Bytes bytes, const std::string& only) {
  fmt::print("{:<24} {:>9} {:>10} {:>14} {:>14} {:>6}\n", fmt::format("all-reduce of {} B", bytes), "cycles",
             "flit-hops", "SystemC cyc/s", "Verilog cyc/s", "ratio");
  std::fflush(stdout);
  bool equal = true;
  int compared = 0;
  std::vector<Case> list = cases();
  const std::string drawn_name = "program_drawn_";
  if (only.starts_with(drawn_name))
    list = {drawn_case(static_cast<std::uint32_t>(std::atoll(only.c_str() + drawn_name.size())))};
  for (const Case& which : list) {
    if (!only.empty() && only != which.name) continue;
    ++compared;
    equal = compare(which, bytes) && equal;
  }
  if (compared == 0) fmt::print(stderr, "there is no case '{}'\n", only);
  return compared > 0 && equal ? 0 : 1;
}

}  // namespace
}  // namespace coppice::cosim

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const coppice::Bytes bytes = arguments.empty() ? 65536 : std::atoll(arguments[0].c_str());
  return coppice::cosim::compare_all(bytes, arguments.size() > 1 ? arguments[1] : std::string());
}
