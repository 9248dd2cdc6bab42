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

// The inputs of a Machine. All references must outlive it. Unless `make_endpoint` is set, every accelerator
// has a network interface, which uses `schedule`, `log` and `contents`.
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
  std::vector<bool> rtl_interfaces;  // [accelerator]: whether its interface is Verilog
  // Whether the Verilog interfaces run programs, so that they load tables into contexts instead of having
  // fixed tables.
  bool rtl_contexts = false;
  // The file for the waveform of the Verilated interface at the first of observe.nodes; empty: no waveform.
  std::string wave_path;
  // Paths set by a controller; nullptr: every message follows the route in its schedule.
  const ni::PathTable* paths = nullptr;
  // The maximum number of threads that run nodes in parallel. Only flit fidelity uses them, and only if all
  // modules support them.
  int threads = 1;
  // For train fidelity: lets one accelerator's messages represent those of all accelerators. nullptr: every
  // message is simulated.
  const SymmetricRun* symmetric = nullptr;
  // For train fidelity: records which trains meet, and selects the messages that move as flits from the
  // start. nullptr: the run ends when two trains meet.
  fabric::Meetings* meetings = nullptr;
  Cycles stop = 0;  // the cycle in which the run ends even if messages are in flight; 0: never
  // For flit fidelity: creates the module that is bound to a node's local ports in place of a network
  // interface. The machine does not own the module, and the node has neither memory nor accelerator. Empty:
  // nodes get network interfaces.
  std::function<fabric::FlitParts::LocalPorts(topology::NodeId node, fabric::FlitContext& flits)>
      make_endpoint{};
};

// User-defined modules that replace the machine's own.
struct MachineParts {
  using NodeId = topology::NodeId;
  // Create the modules `accelerator` and `memory` of an accelerator's node. If a function is empty or returns
  // nullptr, the machine creates its own module.
  std::function<std::unique_ptr<accelerator::AcceleratorModule>(NodeId node)> make_accelerator;
  std::function<std::unique_ptr<ni::MemoryModule>(NodeId node, ni::GradientMemory& contents)> make_memory;
  // Whether several threads may run these modules. This requires that each module acts only on its own node,
  // and uses no time other than the kernel's.
  bool fit_for_threads = false;
};

// The top module. It contains a node_N for each node, with a `router` if flits are simulated, and with `ni`,
// `memory` and `accelerator` if the node is an accelerator. It also contains a channel_U_V for each channel
// or, if messages move as units, a single `fabric`. docs/architecture/machine.md shows the hierarchy.
class Machine final : public sc_core::sc_module {
 public:
  Machine(const sc_core::sc_module_name& name, const MachineSpec& spec, const MachineParts& parts = {});
  ~Machine() override;

  fabric::Fabric& fabric() { return *fabric_; }
  const fabric::Fabric& fabric() const { return *fabric_; }
  // nullptr if the fabric's routes cannot change during a run.
  fabric::RouteChanges* route_changes() { return route_changes_; }
  // All network interfaces: first those of accelerators, then those of reducing switches. In a symmetric run,
  // only that of the accelerator that represents the others.
  const std::vector<std::unique_ptr<ni::Interface>>& interfaces() const { return interfaces_; }

  // If flits are simulated and no module acts between cycles, lets nodes run ahead of each other by the
  // latency of their channels (NodeClock), and enables leaps at `fidelity: leap`. Observers still see all
  // events in the order of time.
  void decouple();
  // The number of threads that run the machine's nodes.
  int threads() const { return flits_ == nullptr ? 1 : flits_->threads(); }
  // The number of cycles that leaps skipped.
  Cycles leapt() const { return flits_ == nullptr ? 0 : flits_->leapt(); }
  // The number of node cycles simulated in stretches.
  std::int64_t stretched() const { return flits_ == nullptr ? 0 : flits_->stretched(); }
  // Simulates all cycles before cycle `cycle` of the run; rethrows exceptions of modules.
  void run_to(Cycles cycle);

 private:
  // A node of a machine that moves whole messages instead of flits.
  class Node;

  void build_flits();
  void build_messages();
  void represent_by_one(fabric::TrainFabric& fabric);
  // Reads the statistics of accelerators that another one represents.
  void read_represented(const Representative::Reader& read) const;
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
