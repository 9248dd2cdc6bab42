#include "schedule/vendor/vendor_compilers.h"

#include <gmock/gmock.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/proof/checker.h"
#include "schedule/vendor/boxes.h"
#include "schedule/vendor/piece_search.h"
#include "topology/networks/builders.h"
#include "topology/networks/hierarchy.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using ::testing::ElementsAre;
using topology::DimensionKind;
using topology::DimensionSpec;

constexpr Femtoseconds kNs = kFemtosecondsPerNanosecond;

DimensionSpec dimension(int size, std::int64_t gigabytes, DimensionKind kind = DimensionKind::kSwitch) {
  DimensionSpec spec;
  spec.kind = kind;
  spec.size = size;
  spec.links = kind == DimensionKind::kFullyConnected ? size - 1 : 1;
  spec.bandwidth = {gigabytes * 1'000'000'000};
  spec.latency = 500 * kNs;
  return spec;
}

// Boxes of accelerators on reducing switches. Each accelerator also has a network interface for traffic to
// other boxes.
topology::Topology boxes_of(int size, int boxes) {
  std::vector<DimensionSpec> dimensions{dimension(size, 450)};
  if (boxes > 1) dimensions.push_back(dimension(boxes, 50));
  topology::Topology topology = topology::make_hierarchy(dimensions);
  topology.reduce_in_network({}, topology.num_switches());
  return topology;
}

// The search doubles the number of pieces for as long as this reduces the time.
TEST(BestOfPieces, StopsIfMorePiecesGainNothing) {
  const topology::Topology boxes = boxes_of(4, 1);
  CompileRequest request;
  request.chunks = kAutomaticChunks;
  request.size = 1 << 20;
  std::vector<int> asked;
  const auto compile = [&](int pieces) {
    asked.push_back(pieces);
    Schedule schedule;
    schedule.flows = pieces;
    schedule.size = request.size;
    schedule.nodes.resize(static_cast<std::size_t>(boxes.num_accelerators()));
    return schedule;
  };
  EXPECT_EQ(best_of_pieces(boxes, request, 8, 4, compile).flows, 1);
  EXPECT_THAT(asked, ElementsAre(1, 2));
}

struct Compiled {
  Schedule schedule;
  CheckReport report;
};

template <typename T>
Compiled compile(const topology::Topology& topology, Bytes size,
                 Collective collective = Collective::kAllReduce, NodeId root = topology::kNoNode,
                 int chunks = kAutomaticChunks) {
  const auto routing = topology::make_routing(topology, 2);
  CompileRequest request;
  request.collective = collective;
  request.size = size;
  request.root = root;
  request.chunks = chunks;
  request.ni_ports = static_cast<int>(topology.out_channels(0).size());
  request.routing = routing.get();
  request.timing.flit = 512;
  request.timing.cycle = kNs;
  request.timing.router = 5 * kNs;
  Compiled compiled{T().compile(topology, request), {}};
  compiled.report = check_schedule(topology, compiled.schedule);
  return compiled;
}

TEST(Boxes, AreConnectedByTheFastestLinks) {
  const Boxes boxes = find_boxes(boxes_of(4, 3));
  EXPECT_THAT(boxes.members,
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7), ElementsAre(8, 9, 10, 11)));
  EXPECT_EQ(find_boxes(boxes_of(8, 1)).count(), 1);
}

TEST(DirectedRings, UseEveryLinkOnceInEachDirection) {
  for (const int count : {3, 5, 8}) {
    const auto rings = directed_rings(count);
    EXPECT_EQ(static_cast<int>(rings.size()), count - 1);
    std::set<std::pair<int, int>> links;
    for (const auto& ring : rings) {
      for (std::size_t i = 0; i < ring.size(); ++i) links.emplace(ring[i], ring[(i + 1) % ring.size()]);
    }
    EXPECT_EQ(static_cast<int>(links.size()), count * (count - 1));
  }
}

// For every algorithm, the checker proves tables for boxes of odd and even sizes, also with fewer elements
// than accelerators.
TEST(VendorCompilers, AreCorrectOnBoxes) {
  for (const int size : {2, 3, 4, 8}) {
    for (const int boxes : {1, 2, 3, 4}) {
      const topology::Topology topology = boxes_of(size, boxes);
      for (const Bytes bytes : {Bytes{4 * 13}, Bytes{1} << 16}) {
        compile<RailRingCompiler>(topology, bytes);
        compile<RailRingCompiler>(topology, bytes, Collective::kReduceScatter);
        compile<RailRingCompiler>(topology, bytes, Collective::kAllGather);
        compile<RailRingCompiler>(topology, bytes, Collective::kAllGather, 1);
        compile<RailRingCompiler>(topology, bytes, Collective::kReduceScatter, 1);
        compile<RailTreeCompiler>(topology, bytes);
        compile<NvlsCompiler>(topology, bytes);
      }
    }
  }
}

// The data that leaves a box is spread evenly over all rails.
TEST(RailRing, UsesTheLinksOfAllRails) {
  const topology::Topology topology = boxes_of(4, 2);
  const Compiled compiled = compile<RailRingCompiler>(topology, 1 << 20);
  std::vector<Bytes> out(8, 0);
  for (NodeId node = 0; node < 8; ++node) {
    for (const TableEntry& entry : compiled.schedule.nodes[static_cast<std::size_t>(node)].ports[1]) {
      if (entry.op != Op::kNop) out[static_cast<std::size_t>(node)] += entry.bytes;
    }
  }
  // Each ring moves a quarter of the data in 14 steps, and each step sends an eighth of this quarter.
  for (const Bytes bytes : out) EXPECT_EQ(bytes, (1 << 20) / 4 * 14 / 8);
}

// The expected time, divided by the time that `bytes` bytes take at `gigabytes` GB/s.
template <typename T>
double over_rate(const topology::Topology& topology, double bytes, Bytes size, double gigabytes) {
  const auto routing = topology::make_routing(topology, 2);
  CompileRequest request;
  request.size = size;
  request.ni_ports = static_cast<int>(topology.out_channels(0).size());
  request.routing = routing.get();
  const Femtoseconds time = expected_time(topology, request, T().compile(topology, request));
  return static_cast<double>(time) / static_cast<double>(kNs) / (bytes / gigabytes);
}

// The links between boxes are never idle, because no accelerator has to wait for a receiver that serves
// another sender.
TEST(RailRing, IsAsFastAsTheLinksBetweenBoxes) {
  const Bytes size = 1 << 30;
  const double bytes = 2.0 * 31 / 32 * size / 8;
  EXPECT_LT(over_rate<RailRingCompiler>(boxes_of(8, 4), bytes, size, 50), 1.03);
}

// In a large box, few pieces suffice to fill the pipeline, because the pieces of all rails follow one
// another.
TEST(Nvls, IsAsFastAsTheLinksOfALargeBox) {
  const Bytes size = Bytes{1} << 33;
  const double bytes = size * 65.0 / 64;
  EXPECT_LT(over_rate<NvlsCompiler>(boxes_of(64, 2), bytes, size, 450), 1.4);
}

// An accelerator sends the switch all shares except its own, and later the sum of its own share.
TEST(Nvls, SendsTheDataOnceInEachDirection) {
  const topology::Topology topology = boxes_of(8, 1);
  const Bytes size = 1 << 20;
  const Compiled compiled =
      compile<NvlsCompiler>(topology, size, Collective::kAllReduce, topology::kNoNode, 1);
  EXPECT_EQ(compiled.schedule.adders, 1);
  for (NodeId node = 0; node < 8; ++node) {
    Bytes sent = 0;
    for (const TableEntry& entry : compiled.schedule.nodes[static_cast<std::size_t>(node)].ports[0]) {
      sent += entry.bytes;
    }
    EXPECT_EQ(sent, size);
  }
}

TEST(Nvls, NeedsASwitchThatAdds) {
  std::vector<DimensionSpec> dimensions{dimension(8, 450)};
  const topology::Topology topology = topology::make_hierarchy(dimensions);
  EXPECT_THROW(compile<NvlsCompiler>(topology, 1 << 20), UnsupportedError);
}

// Between two boxes, each network interface carries an eighth of the data in each direction. More pieces hide
// the latency of the chains.
TEST(RailTree, DividesTheDataIntoPieces) {
  const topology::Topology topology = boxes_of(8, 2);
  const Compiled large = compile<RailTreeCompiler>(topology, 1 << 26);
  EXPECT_GT(large.schedule.chunks, 1);
  const Compiled small = compile<RailTreeCompiler>(topology, 1 << 10);
  EXPECT_EQ(small.schedule.chunks, 1);
}

}  // namespace
}  // namespace coppice::schedule
