#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "accelerator/accelerator_module.h"
#include "config/loader.h"
#include "cosim/flit_contents.h"
#include "fabric/fabric.h"
#include "fabric/failure.h"
#include "fabric/flits/flit_fabric.h"
#include "fabric/route_changes.h"
#include "fabric/trains/train_fabric.h"
#include "ni/interface.h"
#include "ni/issue/route_override.h"
#include "ni/memory/memory.h"
#include "ni/messages/message_images.h"
#include "ni/network_interface.h"
#include "system/machine/symmetric_run.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::system {

// The inputs of a Machine; all references must outlive it. Unless `make_endpoint` is set, accelerators have
// network interfaces, which use `schedule`, `log` and `contents`.
struct MachineSpec {
  const config::Loaded& loaded;
  const topology::Topology& topology;
  const topology::RoutingFunction& routing;
  const schedule::Schedule& schedule;
  config::Fidelity fidelity;
  int fabric_ports = 1;  // per network interface
  ni::MessageLog& log;
  fabric::Failure& failure;
  std::function<ni::GradientMemory&(topology::NodeId)> contents;  // returns a node's gradient buffer
  std::vector<bool> rtl_interfaces;                               // [accelerator]
  // Whether the Verilog interfaces run programs, and therefore use contexts instead of tables of their own.
  bool rtl_contexts = false;
  std::string wave_path;  // waveform of the Verilated interface at the first of observe.nodes; empty: none
  // Paths set by a controller; nullptr: messages follow their schedules' routes.
  const ni::PathTable* paths = nullptr;
  // The maximum number of threads that run nodes in parallel, at flit fidelity and if all modules support it.
  int threads = 1;
  // For trains: lets one accelerator's messages represent those of all. nullptr: every message is simulated.
  const SymmetricRun* symmetric = nullptr;
  // For trains: records which trains meet, and selects the messages that move as flits from the start.
  // nullptr: a meeting ends the run.
  fabric::Meetings* meetings = nullptr;
  Cycles stop = 0;  // cycle in which the run ends even if messages are in flight; 0: never
  // For flits: creates the module inside the node that is bound to its local ports in place of a network
  // interface. The machine does not own it, and the node has neither memory nor accelerator. Empty: network
  // interfaces.
  std::function<fabric::FlitParts::LocalPorts(topology::NodeId node, fabric::FlitContext& flits)>
      make_endpoint{};
};

// Your own modules, which replace the machine's.
struct MachineParts {
  using NodeId = topology::NodeId;
  // Create the modules `accelerator` and `memory` of an accelerator's node; if a function is empty or returns
  // nullptr, the machine creates its own module.
  std::function<std::unique_ptr<accelerator::AcceleratorModule>(NodeId node)> make_accelerator;
  std::function<std::unique_ptr<ni::MemoryModule>(NodeId node, ni::GradientMemory& contents)> make_memory;
  // Whether these modules may run in several threads: they must act only on their own node and use only the
  // kernel's time.
  bool fit_for_threads = false;
};

// The top module. It contains a node_N for each node, with a `router` if flits move, and with `ni`, `memory`
// and `accelerator` if the node is an accelerator. It also contains a channel_U_V for each channel or, if
// messages move as units, one `fabric`. docs/architecture/machine.md shows the hierarchy.
class Machine final : public sc_core::sc_module {
 public:
  Machine(const sc_core::sc_module_name& name, const MachineSpec& spec, const MachineParts& parts = {});
  ~Machine() override;

  fabric::Fabric& fabric() { return *fabric_; }
  const fabric::Fabric& fabric() const { return *fabric_; }
  // nullptr if the fabric's routes cannot change during a run.
  fabric::RouteChanges* route_changes() { return route_changes_; }
  // All network interfaces: first of accelerators, then of reducing switches.
  const std::vector<std::unique_ptr<ni::Interface>>& interfaces() const { return interfaces_; }

  // If flits move and no module acts between cycles, lets nodes run ahead of each other by the latency of
  // their channels (NodeClock), and enables leaps at `fidelity: leap`. Observers still see all events in time
  // order.
  void decouple();
  // The number of threads that run its nodes.
  int threads() const { return flits_ == nullptr ? 1 : flits_->threads(); }
  // Cycles that the network skipped by leaps.
  Cycles leapt() const { return flits_ == nullptr ? 0 : flits_->leapt(); }
  // The number of node cycles simulated in stretches.
  std::int64_t stretched() const { return flits_ == nullptr ? 0 : flits_->stretched(); }
  // Simulates the cycles before `cycle`, counted from the start; rethrows exceptions of modules.
  void run_to(Cycles cycle);

 private:
  // A node of a machine that moves whole messages.
  struct Node;

  void build_flits();
  void build_messages();
  void represent_by_one(fabric::TrainFabric& fabric);
  fabric::FlitParts::LocalPorts build_local(fabric::FlitNode& node, topology::NodeId id, int ports,
                                            fabric::FlitContext& flits);
  void build_interface(topology::NodeId id, const ni::NiContext& context, fabric::FlitContext* flits,
                       int ports);
  void build_accelerator(topology::NodeId id);
  bool verilog(topology::NodeId id) const;
  int usable_threads() const;

  const MachineSpec spec_;
  const MachineParts parts_;
  const config::SystemConfig& system_;
  ni::NiContext context_;
  cosim::FlitContents contents_;
  std::unique_ptr<fabric::Fabric> fabric_;
  fabric::FlitNetwork* flits_ = nullptr;
  fabric::RouteChanges* route_changes_ = nullptr;
  std::unique_ptr<ni::AlarmClock> clock_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<ni::NodeAlarm>> alarms_;
  std::vector<std::unique_ptr<ni::Interface>> interfaces_;
  std::vector<std::unique_ptr<ni::MemoryModule>> memories_;
  std::vector<std::unique_ptr<accelerator::AcceleratorModule>> accelerators_;
  std::unique_ptr<ni::MessageImages> images_;
  fabric::FlitNode* flit_node_ = nullptr;  // the node being built
  Cycles cycle_ = 0;
};

}  // namespace coppice::system
