#include "system/machine/build.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

TEST(BuildTopology, EveryDimensionHasItsLinks) {
  const auto topology = build_topology(
      load_system("torus_4x4", {"system.topology.dims=[4, 3]", "system.link.latency=[10 ns, 20 ns]",
                                "system.link.bandwidth=[16 GB/s, 8 GB/s]"}));
  EXPECT_EQ(topology.num_accelerators(), 12);
  for (const auto& channel : topology.channels()) {
    EXPECT_EQ(channel.latency, (channel.dimension == 0 ? 10 : 20) * kFemtosecondsPerNanosecond);
    EXPECT_EQ(channel.bandwidth.gb_per_s(), channel.dimension == 0 ? 16 : 8);
  }
}

TEST(OverriddenLinkKeys, ListsKeysThatNoChannelOfTheFileUses) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("net.graph");
  const auto warnings = [&](const std::string& graph, config::Purpose purpose) {
    std::ofstream(path) << graph;
    auto loaded = load_system("torus_4x4");
    loaded.config.system.topology = {"file", {}, path};
    return overridden_link_keys(loaded, purpose);
  };
  const std::string own = "accelerators 2\nlink 0 -- 1 bandwidth \"8 GB/s\" latency \"3 ns\"\n";
  EXPECT_THAT(
      warnings(own, config::Purpose::kRun),
      ElementsAre(AllOf(HasSubstr("torus_4x4.yaml:"),
                        HasSubstr(": warning: system.link.bandwidth has no effect: every channel in " + path +
                                  " sets its own value")),
                  HasSubstr("warning: system.link.latency")));
  EXPECT_THAT(warnings(own, config::Purpose::kBound), ElementsAre(HasSubstr("system.link.bandwidth")));
  EXPECT_THAT(warnings("accelerators 2\nlink 0 -- 1 latency \"3 ns\"\n", config::Purpose::kRun),
              ElementsAre(HasSubstr("system.link.latency")));
  EXPECT_THAT(warnings("accelerators 2\nlink 0 -- 1\n", config::Purpose::kRun), IsEmpty());
  EXPECT_THAT(overridden_link_keys(load_system("torus_4x4"), config::Purpose::kRun), IsEmpty());
}

TEST(BuildTopology, DistinguishesTorusAndMesh) {
  EXPECT_EQ(build_topology(load_system("torus_4x4")).channels().size(), 64U);
  EXPECT_EQ(build_topology(load_system("mesh_4x4")).channels().size(), 48U);
}

TEST(ResolveNiPorts, IsOnePerChannelByDefault) {
  const auto loaded = load_system("torus_4x4");
  EXPECT_EQ(resolve_ni_ports(loaded.config, build_topology(loaded)), 4);
  const auto mesh = load_system("mesh_4x4", {"system.topology.dims=[2, 2]"});
  EXPECT_EQ(resolve_ni_ports(mesh.config, build_topology(mesh)), 2);
  const auto one = load_system("torus_4x4", {"system.ni.ports=1"});
  EXPECT_EQ(resolve_ni_ports(one.config, build_topology(one)), 1);
  const auto single = load_system("torus_4x4", {"system.topology.dims=[1]"});
  EXPECT_EQ(resolve_ni_ports(single.config, build_topology(single)), 1);
}

TEST(BuildSchedule, ChecksCompiledSchedules) {
  const auto loaded = load_system("torus_4x4");
  const auto topology = build_topology(loaded);
  const auto checked =
      build_schedule(loaded, loaded.config.collective, topology, *build_routing(loaded, topology));
  EXPECT_EQ(checked.schedule.algorithm, "multitree");
  EXPECT_EQ(checked.schedule.size, 1 << 20);
  EXPECT_TRUE(checked.report.contention_free);
}

TEST(BuildSchedule, LocatesAnUnknownAlgorithm) {
  auto loaded = load_system("torus_4x4");
  loaded.config.collective.algorithm = "star";
  const auto topology = build_topology(loaded);
  EXPECT_THAT(
      [&] { build_schedule(loaded, loaded.config.collective, topology, *build_routing(loaded, topology)); },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("torus_4x4.yaml:"), HasSubstr("'star'"))));
}

// Every size, even a single byte, is padded to whole elements and to at least one element per accelerator.
TEST(BuildSchedule, PadsToAnElementForEveryAccelerator) {
  const auto size_of = [](const std::string& system, const std::vector<std::string>& keys) {
    const auto loaded = load_system(system, keys);
    const auto topology = build_topology(loaded);
    return build_schedule(loaded, loaded.config.collective, topology, *build_routing(loaded, topology))
        .schedule.size;
  };
  for (const std::string algorithm : {"ring", "multitree", "double_tree", "halving_doubling", "auto"}) {
    const std::string key = "collective.algorithm=" + algorithm;
    EXPECT_EQ(size_of("torus_4x4", {key, "collective.size=1 B"}), 64) << algorithm;
    EXPECT_EQ(size_of("torus_4x4", {key, "collective.size=64 B"}), 64) << algorithm;
    EXPECT_EQ(size_of("torus_4x4", {key, "collective.size=65 B"}), 68) << algorithm;
  }
  EXPECT_EQ(size_of("torus_4x4", {"collective.op=broadcast", "collective.size=5 B"}), 8);
  // On a ring and a switch, a chunk needs a piece per accelerator and, on the ring, per direction.
  const auto hierarchy = load_system("themis/2D-SW_SW", {"collective.size=8 B", "collective.chunks=1"});
  EXPECT_EQ(padded_size(hierarchy.config.collective, hierarchy.config.system, 64), 4 * 64);
  EXPECT_EQ(padded_size(1, 4), 4);
  EXPECT_EQ(padded_size(9, 8), 12);
}

TEST(RequireDeadlockFree, AcceptsDimensionOrderWithDatelines) {
  for (const char* system : {"torus_4x4", "mesh_4x4"}) {
    const auto loaded = load_system(system);
    const auto topology = build_topology(loaded);
    EXPECT_NO_THROW(require_deadlock_free(loaded, topology, *build_routing(loaded, topology)));
  }
}

// Routes around a ring in one direction without a dateline, so that it can deadlock.
class Around final : public topology::RoutingFunction {
 public:
  topology::Hop next_hop(topology::NodeId at, topology::NodeId dst, topology::RouteState&,
                         int ejection_port) const override {
    return {static_cast<std::uint16_t>(at == dst ? 2 + ejection_port : 0), {0, 1}};
  }
  int num_tie_bits() const override { return 0; }
  int num_vcs() const override { return 1; }
};

TEST(RequireDeadlockFree, NamesTheCycle) {
  const auto loaded = load_system("torus_4x4", {"system.topology.dims=[4]"});
  EXPECT_THAT([&] { require_deadlock_free(loaded, build_topology(loaded), Around()); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("can deadlock"), HasSubstr("channel 0->1 vc 0"),
                                               HasSubstr("raise system.router.vcs"))));
}

}  // namespace
}  // namespace coppice::system
