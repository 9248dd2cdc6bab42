#include "schedule/compile/symmetric_builder.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"
#include "schedule/proof/symmetric_check.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// A ring of n accelerators in which each chunk travels once around the ring. The builder derives all messages
// from those of the origin's chunk.
struct AroundARing {
  explicit AroundARing(int n) : machine(torus({n})), symmetric{moves_of(n), 1, {}, {}} {
    symmetric.ways.assign(machine.topology.channels().size(), -1);
    for (std::size_t id = 0; id < symmetric.ways.size(); ++id) {
      const topology::Channel& channel = machine.topology.channel(static_cast<topology::ChannelId>(id));
      if (channel.dst == (channel.src + 1) % n && ahead[channel.src]++ == 0) {
        symmetric.ways[id] = 0;
        out[channel.src] = static_cast<topology::ChannelId>(id);
      }
    }
    for (int step = 1; step < n; ++step) {
      symmetric.sends.push_back({.op = Op::kGather,
                                 .flow = 0,
                                 .src = step - 1,
                                 .dst = step,
                                 .step = step,
                                 .channel = out.at(step - 1)});
    }
    request = machine.request(Collective::kAllGather, Bytes{4} * n);
  }
  static Translations moves_of(int n) {
    std::vector<NodeId> nodes(static_cast<std::size_t>(n));
    std::iota(nodes.begin(), nodes.end(), 0);
    return {{n}, nodes};
  }
  Schedule build() const { return build_symmetric_schedule(machine.topology, request, "around", symmetric); }

  Machine machine;
  SymmetricSends symmetric;
  CompileRequest request;
  std::map<NodeId, int> ahead;
  std::map<NodeId, topology::ChannelId> out;
};

// Every accelerator first sends its own chunk and then forwards the chunks of its predecessors, nearest
// first.
RC_GTEST_PROP(SymmetricBuilder, RepeatsTheOriginsWorkAtEveryAccelerator, ()) {
  const int n = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(2, 9));
  AroundARing ring(n);
  ring.request.ni_ports = *rc::gen::element(1, 2);
  const Schedule schedule = ring.build();
  RC_ASSERT(schedule.flows == n);
  RC_ASSERT(schedule.steps == n - 1);
  RC_ASSERT(symmetry_of(ring.machine.topology, schedule) != nullptr);
  for (NodeId node = 0; node < n; ++node) {
    std::vector<TableEntry> entries;
    for (const Table& table : schedule.nodes[static_cast<std::size_t>(node)].ports) {
      for (const TableEntry& entry : table) entries.push_back(entry);
    }
    RC_ASSERT(static_cast<int>(entries.size()) == n - 1);
    for (int i = 0; i < n - 1; ++i) {
      const TableEntry& entry = entries[static_cast<std::size_t>(i)];
      const int owner = (node - i + n) % n;
      RC_ASSERT(entry.step == i + 1);
      RC_ASSERT(entry.flow == owner);
      RC_ASSERT(entry.address == Bytes{4} * owner);
      RC_ASSERT(entry.bytes == 4);
      RC_ASSERT(entry.destination() == (node + 1) % n);
      RC_ASSERT(entry.parent == (i == 0 ? topology::kNoNode : (node - 1 + n) % n));
      RC_ASSERT(entry.dependencies == (i == 0 ? 0 : 1));
    }
  }
  RC_ASSERT(check_schedule(ring.machine.topology, schedule).disjoint_steps);
}

// If a port sends nothing in a step, its table contains a nop for this step.
TEST(SymmetricBuilder, FillsIdleSteps) {
  AroundARing ring(4);
  for (Send& send : ring.symmetric.sends) send.step *= 2;
  const Schedule schedule = ring.build();
  for (const NodeTables& node : schedule.nodes) {
    for (const Table& table : node.ports) {
      if (table.empty()) continue;
      ASSERT_EQ(table.size(), 6U);
      for (std::size_t i = 0; i < table.size(); ++i) {
        EXPECT_EQ(table[i].step, static_cast<int>(i) + 1);
        EXPECT_EQ(table[i].op, i % 2 == 0 ? Op::kNop : Op::kGather);
      }
    }
  }
}

TEST(SymmetricBuilder, RejectsTranslationsThatDoNotPreserveChannels) {
  AroundARing ring(4);
  ring.symmetric.ways[static_cast<std::size_t>(ring.out.at(2))] = -1;
  EXPECT_THAT([&] { ring.build(); },
              ThrowsMessage<ModelError>(HasSubstr("some accelerators lack a channel that others have")));
}

// At accelerator 0, two channels share an NI port; the corresponding channels of accelerator 1 do not.
TEST(SymmetricBuilder, RejectsPortsThatRepresentDifferentChannels) {
  topology::Topology topology(topology::Kind::kFile, {}, 2, 0);
  const Bandwidth bandwidth{16'000'000'000};
  topology.add_channel(0, 1, bandwidth, 0);
  topology.add_channel(0, 1, bandwidth, 0);
  for (int i = 0; i < 3; ++i) topology.add_channel(1, 0, bandwidth, 0);
  const Machine machine = make_machine(std::move(topology));
  SymmetricSends symmetric{AroundARing::moves_of(2), 1, {}, {0, 1, 0, -1, 1}};
  symmetric.sends.push_back({.op = Op::kGather, .src = 0, .dst = 1, .step = 1, .channel = 0});
  CompileRequest request = machine.request(Collective::kAllGather, 8);
  request.ni_ports = 2;
  EXPECT_THAT([&] { build_symmetric_schedule(machine.topology, request, "two", symmetric); },
              ThrowsMessage<ModelError>(HasSubstr("maps to different channels")));
}

TEST(PatternPays, IsForManyAcceleratorsWithEqualData) {
  CompileRequest request;
  request.size = Bytes{4} * 8 * 3;
  request.pattern_beyond = 7;
  EXPECT_TRUE(pattern_pays(request, 8, 3));
  EXPECT_FALSE(pattern_pays(request, 8, 2 * 3));
  request.pattern_beyond = 8;
  EXPECT_FALSE(pattern_pays(request, 8, 3));
  request.pattern_beyond = 7;
  request.size += 4;
  EXPECT_FALSE(pattern_pays(request, 8, 3));
  request.size = 0;
  EXPECT_FALSE(pattern_pays(request, 8, 3));
}

}  // namespace
}  // namespace coppice::schedule
