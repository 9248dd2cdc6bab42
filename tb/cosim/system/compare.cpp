// coppice_cosim_check [BYTES [CASE]]: all-reduces of BYTES (65536) on a 4x4 torus or mesh whose network
// interfaces or routers are Verilog, or some of them, against the same systems in SystemC: the same cycles,
// every flit in the same cycle on the same channel and virtual channel, and the same bits in every gradient
// buffer. One line per case; exit status 1 if any differs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "fabric/fabric.h"
#include "ni/message_record.h"
#include "support/shipped_config.h"
#include "system/collective/run.h"
#include "system/process/child_process.h"

extern "C" int sc_main(int /*argc*/, char** /*argv*/) {
  return 0;
}

namespace coppice::cosim {
namespace {

using nlohmann::ordered_json;
using Settings = std::vector<std::string>;

struct Case {
  std::string name;
  std::string system;  // of configs/systems
  Settings settings;   // of both runs
  Settings rtl;        // of the run with Verilog
};

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
  // C-Cube's trees on eight nodes, with what their gradient queues see.
  for (const std::string algorithm : {"overlapped_tree", "overlapped_double_tree"}) {
    list.push_back({algorithm,
                    "torus_4x4",
                    {"system.topology.dims=[2, 4]", "collective.algorithm=" + algorithm,
                     "collective.trees=embedded", "collective.chunks=8", "system.ni.flow_control=message"},
                    all});
  }
  // Tables whose pieces repeat: with nops for the lockstep, without, and with lines that are passed over.
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

// Every flit that leaves an interface or wins a switch: its cycle, place, virtual channel and identity, as a
// digest of every stretch of cycles.
class FlitTrace final : public fabric::FabricObserver {
 public:
  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override {
    ++flits_;
    const auto stretch = static_cast<std::size_t>(now / kStretch);
    if (stretch >= digests_.size()) digests_.resize(stretch + 1, 0);
    // A sum: within a cycle, places are visited in no particular order.
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

// Cycles in which messages on their way into the network sent nothing: bubbles between their sub-messages or
// packets.
struct Gaps final : ni::MessageObserver {
  void message_completed(const ni::MessageRecord& message) override {
    cycles += message.tail_injected - message.head_injected + 1 - message.flits;
  }
  Cycles cycles = 0;
};

// Runs the case; what both runs must have in common, and how fast it was.
ordered_json run(const Case& which, const Settings& settings) {
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
    const ordered_json result = system::run_collective(loaded, options);
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
    if (systemc[key] != rtl[key]) return fmt::format("{} {} in SystemC", systemc[key].dump(), key);
  }
  for (std::size_t at = 0; at < std::min(systemc["trace"].size(), rtl["trace"].size()); ++at) {
    if (systemc["trace"][at] == rtl["trace"][at]) continue;
    const auto from = static_cast<Cycles>(at) * kStretch;
    return fmt::format("flits differ first in cycles {} to {}", from, from + kStretch - 1);
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
    // Nobody else uses the channels of these trees, and their buffers last for a round trip.
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
  for (const Case& which : cases()) {
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
