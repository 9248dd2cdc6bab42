// Two network interfaces whose terminals are connected directly by two channels, without a router. They
// perform an all-reduce, in which each interface reduces one half of the data.
#include <cmath>
#include <cstdio>
#include <memory>
#include <systemc>
#include <vector>

#include "fabric/failure.h"
#include "fabric/flits/flit_node.h"
#include "fabric/flits/node_clock.h"
#include "fabric/sim_time.h"
#include "fabric/wires/channel.h"
#include "ni/memory/memory.h"
#include "ni/network_interface.h"
#include "topology/networks/builders.h"
#include "topology/routing/routing.h"

namespace {

using namespace coppice;
using schedule::TableEntry;
using topology::NodeId;

constexpr Bytes kSize = 1024;
constexpr Cycles kLatency = 20;

// An entry that sends one half of the buffer to the other interface: first to be reduced there, and later as
// the complete sum.
TableEntry entry(NodeId self, schedule::Op op, int half, int dependencies) {
  TableEntry made;
  made.op = op;
  made.flow = half;
  made.step = op == schedule::Op::kReduce ? 1 : 2;
  made.dependencies = dependencies;
  made.address = half * kSize / 2;
  made.bytes = kSize / 2;
  made.route = 0;
  made.parent = 1 - self;
  made.children = {1 - self};
  return made;
}

}  // namespace

int sc_main(int, char**) {
  fabric::set_time_resolution();
  config::SystemConfig system;
  system.router.vcs = 4;
  system.router.vc_depth = 64;
  system.ni.flow_control = config::FlowControl::kMessage;
  system.ni.lockstep = false;
  const Femtoseconds period = system.clock.period();

  const std::vector<topology::LinkSpec> links{{{16'000'000'000}, kLatency * period}};
  const topology::Topology pair = topology::make_mesh(std::vector{2}, links);
  const auto routing = topology::make_dimension_order_routing(pair, system.router.vcs);

  schedule::Schedule schedule;
  schedule.size = kSize;
  schedule.flows = 2;
  schedule.nodes.resize(2);
  schedule.routes = {{{0, {0, 4}}, {1, {0, 4}}}};
  for (NodeId self = 0; self < 2; ++self) {
    schedule.nodes[static_cast<std::size_t>(self)].ports.resize(1);
    auto& table = schedule.nodes[static_cast<std::size_t>(self)].ports[0];
    table.push_back(entry(self, schedule::Op::kReduce, 1 - self, 0));
    table.push_back(entry(self, schedule::Op::kGather, self, 1));
  }

  fabric::Failure failure;
  fabric::FlitContext flits{&system, routing.get(), 100};
  fabric::NodeClock clock("clock", period, failure);
  ni::MessageLog log;
  std::vector<std::unique_ptr<ni::ValueMemory>> gradients;
  std::vector<std::unique_ptr<fabric::FlitNode>> nodes;
  std::vector<std::unique_ptr<ni::NodeAlarm>> alarms;
  std::vector<std::unique_ptr<ni::NetworkInterface>> interfaces;
  std::vector<std::unique_ptr<ni::Memory>> memories;
  for (NodeId self = 0; self < 2; ++self) {
    gradients.push_back(std::make_unique<ni::ValueMemory>(
        std::vector<float>(static_cast<std::size_t>(kSize / 4), self == 0 ? 1.0F : 10.0F)));
    const auto populate = [&](fabric::FlitNode& node) {
      alarms.push_back(std::make_unique<ni::NodeAlarm>("alarm"));
      node.add(*alarms.back());
      const ni::NiContext context{.topology = &pair,
                                  .system = &system,
                                  .schedule = &schedule,
                                  .framing = {system.ni.flow_control, system.flit, system.ni.payload},
                                  .period = period,
                                  .fabric = nullptr,
                                  .log = &log,
                                  .clock = alarms.back().get()};
      interfaces.push_back(
          std::make_unique<ni::NetworkInterface>("ni", self, 1, context, *gradients.back(), &flits, 1));
      memories.push_back(std::make_unique<ni::Memory>("memory", *gradients.back(), 10 * period));
      interfaces.back()->memory.bind(memories.back()->dma);
      node.add(*interfaces.back()->terminal());
    };
    nodes.push_back(std::make_unique<fabric::FlitNode>(self == 0 ? "node_0" : "node_1", clock, populate));
  }
  fabric::Channel forth("channel_0_1", kLatency, 0);
  fabric::Channel back("channel_1_0", kLatency, 0);
  interfaces[0]->out[0].bind(forth.sender);
  interfaces[1]->in[0].bind(forth.receiver);
  interfaces[1]->out[0].bind(back.sender);
  interfaces[0]->in[0].bind(back.receiver);
  clock.set_quantum(1 + kLatency);

  sc_core::sc_start(fabric::to_sc_time(10'000 * period));
  failure.rethrow();
  for (const auto& interface : interfaces) interface->settle();

  bool right = log.completed_count() == 4;
  for (const auto& buffer : gradients) {
    for (const float value : buffer->values()) right = right && value == 11.0F;
  }
  std::printf("%lld messages; sums are %s\n", static_cast<long long>(log.completed_count()),
              right ? "right" : "wrong");
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return sc_core::sc_elab_and_sim(argc, argv);
}
