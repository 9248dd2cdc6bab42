#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fabric/flits/flit_fabric.h"
#include "fabric/sim_time.h"
#include "ni/network_interface.h"

namespace coppice::ni {

inline constexpr Femtoseconds kCycle = kFemtosecondsPerNanosecond;

// Two accelerators that are connected by a channel in each direction and execute hand-written tables.
class TwoNodes {
 public:
  static constexpr Cycles kLatency = 20;  // latency of a channel
  static constexpr Cycles kZeroLoad =
      2 + 4 + 20 + 4 + 1;  // cycles for injection, router, channel, router and ejection

  explicit TwoNodes(int flows = 2) {
    system.router.vcs = 4;
    system.router.vc_depth = 64;
    system.ni.flow_control = config::FlowControl::kMessage;
    system.ni.dma_latency = 3;
    system.ni.reduction_latency = 5;
    system.ni.lockstep = false;
    schedule.size = 1024;
    schedule.flows = flows;
    schedule.nodes.resize(2);
    for (auto& node : schedule.nodes) node.ports.resize(1);
    schedule.routes = {{{0, {0, 4}}, {1, {0, 4}}}};
  }

  // Adds a message of `bytes` bytes in flow `flow`, from `src` to the other node.
  TableEntry& add(NodeId src, schedule::Op op, int flow, Bytes bytes, int step = 1, int dependencies = 0) {
    TableEntry entry;
    entry.op = op;
    entry.flow = flow;
    entry.step = step;
    entry.dependencies = dependencies;
    entry.address = 512 * flow;
    entry.bytes = bytes;
    if (op != schedule::Op::kNop) {
      entry.route = 0;
      entry.parent = 1 - src;
      entry.children = {1 - src};
    }
    auto& table = schedule.nodes[static_cast<std::size_t>(src)].ports[0];
    table.push_back(entry);
    return table.back();
  }

  // Runs for `cycles` cycles. Call it at most once per process, because SystemC elaborates only once.
  void run(Cycles cycles = 100'000) {
    fabric::set_time_resolution();
    const std::vector<topology::LinkSpec> links{{bandwidth, kLatency * kCycle}};
    topology = std::make_unique<topology::Topology>(topology::make_mesh(std::vector{2}, links));
    routing = topology::make_dimension_order_routing(*topology, system.router.vcs);
    fabric = std::make_unique<fabric::FlitFabric>("fabric", *topology, *routing, system, 1, failure);
    clock = std::make_unique<AlarmClock>("clock", system.clock.period(), failure);
    log.add_observer(recorder);
    const NiContext context{topology.get(),
                            &system,
                            &schedule,
                            {system.ni.flow_control, system.flit, system.ni.payload},
                            system.clock.period(),
                            fabric.get(),
                            &log,
                            clock.get()};
    for (NodeId node = 0; node < 2; ++node) {
      memories.push_back(std::make_unique<ValueMemory>(
          std::vector<float>(static_cast<std::size_t>(schedule.size / 4), node == 0 ? 1.0F : 10.0F)));
      interfaces.push_back(std::make_unique<NetworkInterface>(fmt::format("ni_{}", node).c_str(), node, 1,
                                                              context, *memories.back()));
    }
    if (before_start) before_start();
    sc_core::sc_start(fabric::to_sc_time(cycles * kCycle));
    failure.rethrow();
  }

  struct Recorder final : MessageObserver {
    void message_completed(const MessageRecord& message) override { messages.push_back(message); }
    std::vector<MessageRecord> messages;  // in order of completion
  };
  // The k-th message of `src` in table order.
  const MessageRecord& message(NodeId src, std::size_t k) const {
    const auto entries = schedule.nodes[static_cast<std::size_t>(src)].ports[0].stored();
    if (k >= entries.size()) throw std::out_of_range(fmt::format("node {} has no entry {}", src, k));
    const TableEntry* entry = &entries[k];
    for (const MessageRecord& record : recorder.messages) {
      if (record.entry == entry) return record;
    }
    throw std::out_of_range(fmt::format("message {} of node {} has not completed", k, src));
  }

  std::function<void()> before_start;  // called after all modules have been built
  config::SystemConfig system;
  Bandwidth bandwidth{16'000'000'000};  // one flit per cycle
  schedule::Schedule schedule;
  std::unique_ptr<topology::Topology> topology;
  std::unique_ptr<topology::RoutingFunction> routing;
  fabric::Failure failure;
  std::unique_ptr<AlarmClock> clock;
  std::unique_ptr<fabric::FlitFabric> fabric;
  MessageLog log;
  Recorder recorder;
  std::vector<std::unique_ptr<ValueMemory>> memories;
  std::vector<std::unique_ptr<NetworkInterface>> interfaces;
};

}  // namespace coppice::ni
