#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "programs.h"

namespace coppice::system_test {
namespace {

using Json = nlohmann::ordered_json;

TEST_F(Programs, SendAndReceiveOverAnyNetwork) {
  const std::string program =
      "ranks: 4\n"
      "operations:\n"
      "  - {rank: 0, name: f0, compute: 5 us}\n"
      "  - {name: x, send: 100 kB, from: 0, to: 3, after: f0, kind: pipeline}\n"
      "  - {rank: 3, name: f1, compute: 5 us, after: x}\n"
      "  - {name: y, send: 1 B, from: 3, to: 0, after: f1}\n";
  for (const char* topology : {"kind: mesh, dims: [2, 2]", "kind: switch, dims: [4]", "kind: ring, dims: [4]",
                               "kind: fat_tree, dims: [2, 2]"}) {
    const Json flits = run(topology, program, {"fidelity=flit"});
    const Json trains = run(topology, program, {"fidelity=train"});
    EXPECT_EQ(flits["cycles"], trains["cycles"]) << topology;
    EXPECT_EQ(flits["verified"], "values");
    EXPECT_GT(flits["cycles"].get<std::int64_t>(), 10'000 + 100'000 / 16);
  }
}

// If a flit takes a fractional number of cycles, a message may be sent in the cycle after the channel has
// accepted the previous one, although the channel is busy for a fraction of this cycle. Trains must take the
// same times as flits, or be replaced by them.
TEST_F(Programs, SendMessagesCloselyOneAfterAnotherAtAnyBandwidth) {
  struct Case {
    const char* bandwidth;
    int payload;
    int latency;
    int first;
    int second;
    const char* fidelity;
  };
  for (const Case& one :
       {Case{"1.7 GB/s", 128, 35, 6438, 1870, "train"}, Case{"11.7 GB/s", 64, 29, 4522, 1267, "train"},
        Case{"1.7 GB/s", 128, 58, 255, 5736, "train"}, Case{"13.3 GB/s", 256, 40, 8000, 300, "train"},
        Case{"9.6 GB/s", 1024, 2, 4597, 247, "auto"}, Case{"9.6 GB/s", 1024, 2, 11029, 578, "auto"},
        Case{"10 GB/s", 1024, 2, 7422, 120, "auto"}}) {
    const std::string program = fmt::format(
        "ranks: 5\n"
        "operations:\n"
        "  - {{name: a, send: {0} B, from: 0, to: 2}}\n"
        "  - {{name: b, send: {1} B, from: 0, to: 2}}\n"
        "  - {{name: c, send: {0} B, from: 0, to: 1}}\n",
        one.first, one.second);
    const std::vector<std::string> overrides{fmt::format("system.link.bandwidth={}", one.bandwidth),
                                             fmt::format("system.link.latency={} ns", one.latency),
                                             fmt::format("system.ni.payload={} B", one.payload),
                                             "system.router.vc_depth=400"};
    const auto ends = [&](const std::string& fidelity) {
      std::vector<std::string> all = overrides;
      all.push_back("fidelity=" + fidelity);
      std::vector<double> found;
      for (const Json& message : run("kind: ring, dims: [5]", program, all)["collectives"])
        found.push_back(message["end_ns"].get<double>());
      return found;
    };
    EXPECT_EQ(ends(one.fidelity), ends("flit")) << one.bandwidth << " " << one.first;
  }
}

// A message ends at the port of its last channel, so messages from different channels do not contend at a
// port.
TEST_F(Programs, ReceiveFromEveryChannelAtOnce) {
  const std::string levels =
      "kind: hierarchy, dimensions: [{kind: switch, size: 4, bandwidth: 16 GB/s, latency: 100 ns}, "
      "{kind: switch, size: 3, bandwidth: 4 GB/s, latency: 200 ns}]";
  const std::string inner =
      "ranks: 12\ngroups: {g: [4, 5, 6, 7]}\noperations:\n"
      "  - {name: a, all_reduce: 256 KiB, group: g}\n";
  const Json alone = run(levels, inner);
  for (const char* other :
       {"  - {name: s, send: 64 KiB, from: 1, to: 5}\n", "  - {name: s, send: 64 KiB, from: 0, to: 4}\n"}) {
    for (const char* fidelity : {"train", "flit"}) {
      const Json both = run(levels, inner + other, {fmt::format("fidelity={}", fidelity)});
      EXPECT_EQ(both["collectives"][0]["end_ns"], alone["collectives"][0]["end_ns"]) << other << fidelity;
    }
  }
}

}  // namespace
}  // namespace coppice::system_test
