#include "system/machine/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/time_limit.h"
#include "cosim/rtl_context_interface.h"
#include "cosim/rtl_network_interface.h"
#include "cosim/rtl_router.h"
#include "fabric/fluid/fluid_fabric.h"
#include "fabric/mixed/mixed_fabric.h"
#include "fabric/sim_time.h"
#include "system/machine/build.h"
#include "system/machine/protocols.h"

namespace coppice::system {

using topology::NodeId;

class Machine::Node final : public sc_core::sc_module, public Representative {
 public:
  Node(const sc_core::sc_module_name& name, const Machine& machine, const std::function<void()>& populate)
      : sc_module(name), machine_(&machine) {
    populate();
  }
  void read_represented(const Reader& read) const override { machine_->read_represented(read); }

 private:
  const Machine* machine_;
};

Machine::Machine(const sc_core::sc_module_name& name, const MachineSpec& spec, const MachineParts& parts)
    : sc_module(name),
      spec_(spec),
      parts_(parts),
      system_(spec.loaded.config.system),
      context_{.topology = &spec.topology,
               .system = &system_,
               .schedule = &spec.schedule,
               .framing = {system_.ni.flow_control, system_.flit, system_.ni.payload},
               .period = system_.clock.period(),
               .fabric = nullptr,
               .log = &spec.log,
               .clock = nullptr,
               .paths = spec.paths,
               .held = true},
      contents_(context_) {
  if (spec.fidelity == config::Fidelity::kFlit || spec.fidelity == config::Fidelity::kLeap) {
    build_flits();
  } else {
    build_messages();
  }
}

// Destroys the last node first, since the kernel searches its list of ports from the end.
Machine::~Machine() {
  while (!interfaces_.empty()) {
    if (interfaces_.size() == accelerators_.size()) {
      accelerators_.pop_back();
      memories_.pop_back();
    }
    interfaces_.pop_back();
  }
}

bool Machine::verilog(NodeId id) const {
  const auto node = static_cast<std::size_t>(id);
  return node < spec_.rtl_interfaces.size() && spec_.rtl_interfaces[node];
}

// Returns 1 if there are Verilated models, which share the contents of flits, or user modules that do not
// support threads.
int Machine::usable_threads() const {
  const bool rtl =
      system_.router.impl == config::Implementation::kRtl ||
      std::find(spec_.rtl_interfaces.begin(), spec_.rtl_interfaces.end(), true) != spec_.rtl_interfaces.end();
  const bool made = parts_.make_accelerator || parts_.make_memory || spec_.make_endpoint;
  return rtl || (made && !parts_.fit_for_threads) ? 1 : spec_.threads;
}

void Machine::build_flits() {
  fabric::FlitParts parts;
  if (system_.router.impl == config::Implementation::kRtl) {
    const std::string refusal = cosim::refuse_routers(system_, spec_.schedule, spec_.topology,
                                                      resolve_ni_ports(spec_.loaded.config, spec_.topology));
    if (!refusal.empty()) {
      throw ConfigError(spec_.loaded.place("system.router.impl"), "system.router.impl: " + refusal);
    }
    parts.make_router = [this](const fabric::RouterSpec& router, fabric::FlitContext& flits) {
      return cosim::make_rtl_router(router, flits, contents_);
    };
  }
  parts.make_terminal = [this](fabric::FlitNode& node, NodeId id, int ports, fabric::FlitContext& flits) {
    return build_local(node, id, ports, flits);
  };
  auto network =
      std::make_unique<fabric::FlitNetwork>(spec_.topology, spec_.routing, system_, spec_.fabric_ports,
                                            spec_.failure, std::move(parts), usable_threads());
  flits_ = network.get();
  fabric_ = std::move(network);
}

fabric::FlitParts::LocalPorts Machine::build_local(fabric::FlitNode& node, NodeId id, int ports,
                                                   fabric::FlitContext& flits) {
  if (spec_.make_endpoint) return spec_.make_endpoint(id, flits);
  if (id >= static_cast<NodeId>(spec_.schedule.nodes.size())) return {};
  ni::NiContext context = context_;
  context.log = &spec_.log.of_thread(static_cast<std::size_t>(flits.thread));
  flit_node_ = &node;
  if (!verilog(id) || spec_.rtl_contexts) {
    alarms_.push_back(std::make_unique<ni::NodeAlarm>("alarm"));
    node.add(*alarms_.back());
    context.clock = alarms_.back().get();
  }
  build_interface(id, context, &flits, ports);
  if (verilog(id)) {
    auto& interface = dynamic_cast<cosim::RtlTerminal&>(*interfaces_.back());
    return {&interface, &interface.in, &interface.out};
  }
  auto& interface = dynamic_cast<ni::NetworkInterface&>(*interfaces_.back());
  return {interface.terminal(), &interface.in, &interface.out};
}

void Machine::build_messages() {
  clock_ = std::make_unique<ni::AlarmClock>("clock", context_.period, spec_.failure);
  fabric::TrainFabric* trains = nullptr;
  if (spec_.fidelity == config::Fidelity::kTrain && spec_.meetings != nullptr &&
      !spec_.meetings->given().empty()) {
    fabric_ = std::make_unique<fabric::MixedFabric>("fabric", spec_.topology, spec_.routing, system_,
                                                    context_.framing, spec_.fabric_ports, spec_.failure,
                                                    *spec_.meetings);
  } else if (spec_.fidelity == config::Fidelity::kTrain) {
    auto fabric = std::make_unique<fabric::TrainFabric>("fabric", spec_.topology, system_, context_.framing,
                                                        spec_.fabric_ports, spec_.failure);
    trains = fabric.get();
    if (spec_.meetings != nullptr) trains->record_meetings(*spec_.meetings);
    fabric_ = std::move(fabric);
  } else {
    auto fluid = std::make_unique<fabric::FluidFabric>("fabric", spec_.topology, system_, context_.framing,
                                                       spec_.fabric_ports, spec_.failure);
    route_changes_ = fluid.get();
    fabric_ = std::move(fluid);
  }
  if (spec_.stop > 0) fabric_->count_until(spec_.stop);
  ni::NiContext context = context_;
  context.clock = clock_.get();
  context.fabric = fabric_.get();
  const auto build = [&](NodeId id) {
    nodes_.push_back(std::make_unique<Node>(fmt::format("node_{}", id).c_str(), *this,
                                            [&] { build_interface(id, context, nullptr, 0); }));
  };
  if (spec_.symmetric != nullptr && trains != nullptr) {
    build(spec_.symmetric->routes.origin());
    represent_by_one(*trains);
    return;
  }
  for (NodeId id = 0; id < static_cast<NodeId>(spec_.schedule.nodes.size()); ++id) build(id);
}

void Machine::represent_by_one(fabric::TrainFabric& fabric) {
  const SymmetricRun& symmetric = *spec_.symmetric;
  images_ =
      std::make_unique<ni::MessageImages>(spec_.schedule, symmetric.tables, symmetric.routes, spec_.log);
  dynamic_cast<ni::NetworkInterface&>(*interfaces_.front()).represent(*images_);
  for (NodeId id = 0; id < static_cast<NodeId>(spec_.schedule.nodes.size()); ++id) {
    images_->add(spec_.contents(id));
  }
  fabric.stand_for(symmetric.routes);
}

// The other accelerators of a symmetric run send and receive as much as the origin, but other parts of the
// data.
void Machine::read_represented(const Representative::Reader& read) const {
  if (images_ == nullptr) return;
  for (NodeId id = 0; id < static_cast<NodeId>(spec_.schedule.nodes.size()); ++id) {
    if (id == spec_.symmetric->routes.origin()) continue;
    const auto read_as = [&](const char* module) {
      return [&read, name = fmt::format("{}.node_{}.{}", this->name(), id, module)](
                 const Quantity& quantity, double value) { read(name, quantity, value); };
    };
    dynamic_cast<const StatisticsOwner&>(*interfaces_.front()).read_statistics(read_as("ni"));
    memories_.front()->read_statistics(images_->moved(id), read_as("memory"));
  }
}

// Called while the node is being constructed.
void Machine::build_interface(NodeId id, const ni::NiContext& context, fabric::FlitContext* flits,
                              int ports) {
  ni::GradientMemory& contents = spec_.contents(id);
  if (verilog(id)) {
    const bool first = id == spec_.loaded.config.observe_nodes.front();
    const std::string wave = first ? spec_.wave_path : std::string();
    const int tables = resolve_ni_ports(spec_.loaded.config, spec_.topology);
    if (spec_.rtl_contexts) {
      interfaces_.push_back(
          std::make_unique<cosim::RtlContextInterface>("ni", id, tables, context, *flits, contents_));
    } else {
      interfaces_.push_back(std::make_unique<cosim::RtlNetworkInterface>("ni", id, tables, context, *flits,
                                                                         contents, contents_, wave));
    }
  } else {
    const auto& tables = spec_.schedule.nodes[static_cast<std::size_t>(id)].ports;
    interfaces_.push_back(std::make_unique<ni::NetworkInterface>("ni", id, static_cast<int>(tables.size()),
                                                                 context, contents, flits, ports));
  }
  if (!spec_.topology.is_accelerator(id)) {
    interfaces_.back()->start(0);  // nothing else would start a reducing switch
    return;
  }
  memories_.push_back(parts_.make_memory ? parts_.make_memory(id, contents) : nullptr);
  if (memories_.back() == nullptr) {
    const config::AcceleratorConfig& accelerator = system_.accelerator;
    memories_.back() =
        std::make_unique<ni::Memory>("memory", contents, system_.ni.dma_latency * context_.period,
                                     MemoryPace{accelerator.memory_bandwidth, accelerator.clock});
  }
  build_accelerator(id);
}

void Machine::build_accelerator(NodeId id) {
  accelerators_.push_back(parts_.make_accelerator ? parts_.make_accelerator(id) : nullptr);
  if (accelerators_.back() == nullptr) {
    accelerators_.back() = std::make_unique<accelerator::CollectiveStarter>(
        "accelerator", fabric::to_sc_time(launch_of(system_, spec_.schedule)));
  }
  ni::Interface& interface = *interfaces_.back();
  ni::MemoryModule& memory = *memories_.back();
  accelerators_.back()->registers.bind(interface.registers);
  accelerators_.back()->memory.bind(memory.array);
  interface.memory.bind(memory.dma);
  if (!accelerators_.back()->wants_alarm()) return;
  if (flit_node_ == nullptr) {
    accelerators_.back()->attach(*clock_, interface);
    return;
  }
  alarms_.push_back(std::make_unique<ni::NodeAlarm>("accelerator_alarm"));
  flit_node_->add(*alarms_.back());
  accelerators_.back()->attach(*alarms_.back(), interface);
}

void Machine::decouple() {
  const bool at_once = std::all_of(accelerators_.begin(), accelerators_.end(),
                                   [](const auto& accelerator) { return accelerator->starts_at_once(); });
  if (flits_ == nullptr) return;
  if (at_once) {
    spec_.log.keep(true);
    flits_->decouple([this] { spec_.log.flush(); });
  }
  if (spec_.fidelity == config::Fidelity::kLeap) flits_->leap();
}

void Machine::run_to(Cycles cycle) {
  if (flits_ != nullptr) flits_->run_to(cycle);
  const Femtoseconds until = checked_time(cycle, context_.period);
  sc_core::sc_start(fabric::to_sc_time(until - cycle_ * context_.period));
  spec_.failure.rethrow();
  cycle_ = cycle;
}

}  // namespace coppice::system
