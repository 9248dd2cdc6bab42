#include "fabric/flits/flit_fabric.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/error.h"
#include "fabric/flits/leaper.h"
#include "fabric/flits/node_groups.h"
#include "fabric/flits/switch_stretch.h"
#include "fabric/route_timing.h"

namespace coppice::fabric {
namespace {

// The minimum number of cycles by which nodes must run ahead of each other for stretches to save time.
constexpr Cycles kLeastForStretches = 32;

}  // namespace

FlitNetwork::FlitNetwork(const topology::Topology& topology, const topology::RoutingFunction& routing,
                         const config::SystemConfig& system, int ni_ports, Failure& failure, FlitParts parts,
                         int threads)
    : topology_(&topology),
      system_(&system),
      ni_ports_(ni_ports),
      period_(system.clock.period()),
      parts_(std::move(parts)),
      group_of_(group_nodes(topology, threads)),
      clock_(std::make_unique<NodeClock>("node_clock", period_, failure)),
      stretch_judge_(static_cast<std::size_t>(topology.num_nodes())) {
  const int hop_limit = std::min(4 * topology.num_nodes() + 4, 0xffff);
  for (int group = 0; group <= group_of_.back(); ++group) {
    contexts_.push_back(std::make_unique<FlitContext>(FlitContext{&system, &routing, hop_limit}));
    contexts_.back()->detours = dynamic_cast<const topology::DetourRouting*>(&routing);
    if (group > 0) contexts_.back()->packets = contexts_.front()->packets.another();
    contexts_.back()->thread = group;
  }
  statistics_.channel_flits.assign(topology.channels().size(), 0);
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    const auto populate = [this, node](FlitNode& module) { build_node(node, module); };
    nodes_.push_back(std::make_unique<FlitNode>(fmt::format("node_{}", node).c_str(), *clock_, populate));
  }
  build_channels();
}

FlitNetwork::~FlitNetwork() = default;

RouterSpec FlitNetwork::router_spec(NodeId node) const {
  const Femtoseconds ejection = ejection_flit_time(*system_, !topology_->is_accelerator(node));
  RouterSpec spec;
  spec.node = node;
  spec.inputs = static_cast<int>(topology_->in_channels(node).size());
  spec.outputs = static_cast<int>(topology_->out_channels(node).size());
  spec.local_ports = topology_->has_interface(node) ? ni_ports_ : 0;
  for (const topology::ChannelId id : topology_->out_channels(node)) {
    const topology::Channel& channel = topology_->channel(id);
    const Femtoseconds flit_time = channel_flit_time(*system_, channel.bandwidth);
    if (flit_time < period_) {
      throw ModelError(fmt::format("fabric: channel {}->{} carries more than one flit per cycle", channel.src,
                                   channel.dst));
    }
    spec.rates.push_back({flit_time == period_ ? 0 : flit_time});
  }
  spec.rates.resize(spec.rates.size() + static_cast<std::size_t>(spec.local_ports),
                    {ejection > period_ ? ejection : 0});
  return spec;
}

void FlitNetwork::build_node(NodeId node, FlitNode& module) {
  const RouterSpec spec = router_spec(node);
  FlitContext& context = *contexts_[static_cast<std::size_t>(group_of(node))];
  routers_.push_back(parts_.make_router ? parts_.make_router(spec, context)
                                        : std::make_unique<SystemCRouter>("router", spec, context));
  RouterModule& router = *routers_.back();
  if (spec.local_ports == 0) {
    module.add(router);
    return;
  }
  FlitParts::LocalPorts local;
  packet_terminals_.push_back(nullptr);
  if (parts_.make_terminal) local = parts_.make_terminal(module, node, spec.local_ports, context);
  if (local.terminal == nullptr) {
    packet_terminals_.back() = std::make_unique<PacketTerminal>("terminal", node, spec.local_ports, context);
    PacketTerminal& terminal = *packet_terminals_.back();
    local = {&terminal, &terminal.in, &terminal.out};
  }
  terminals_.push_back(local.terminal);
  module.add(*local.terminal);
  module.add(router);
  for (int port = 0; port < spec.local_ports; ++port) {
    const auto p = static_cast<std::size_t>(port);
    const auto channel = [&](const char* kind, Cycles credit_delay) -> Channel& {
      local_channels_.push_back(std::make_unique<Channel>(fmt::format("{}_{}", kind, port).c_str(),
                                                          kNiChannelLatency, kNiChannelLatency + credit_delay,
                                                          system_->router.vcs));
      return *local_channels_.back();
    };
    Channel& injection = channel("injection", 0);
    (*local.out)[p].bind(injection.sender);
    router.in[static_cast<std::size_t>(spec.inputs) + p].bind(injection.receiver);
    Channel& ejection = channel("ejection", system_->router.credit_delay);
    router.out[static_cast<std::size_t>(spec.outputs) + p].bind(ejection.sender);
    (*local.in)[p].bind(ejection.receiver);
  }
}

void FlitNetwork::build_channels() {
  std::map<std::pair<NodeId, NodeId>, int> parallel;
  for (const topology::Channel& channel : topology_->channels()) {
    const int others = parallel[{channel.src, channel.dst}]++;
    const std::string name = others == 0 ? fmt::format("channel_{}_{}", channel.src, channel.dst)
                                         : fmt::format("channel_{}_{}_{}", channel.src, channel.dst, others);
    const Cycles credit_latency = latency_cycles(channel.latency, period_) + system_->router.credit_delay;
    const bool runs = RouterModule::slot_delay(system_->router) + credit_latency >= kLeastForStretches;
    channels_.push_back(std::make_unique<Channel>(name.c_str(), flit_latency(*system_, channel),
                                                  credit_latency, runs ? 0 : system_->router.vcs));
    routers_[static_cast<std::size_t>(channel.src)]->out[static_cast<std::size_t>(channel.src_port)].bind(
        channels_.back()->sender);
    routers_[static_cast<std::size_t>(channel.dst)]->in[static_cast<std::size_t>(channel.dst_port)].bind(
        channels_.back()->receiver);
  }
}

Cycles FlitNetwork::lookahead() const {
  const config::RouterConfig& router = system_->router;
  Cycles least = kNever;
  for (const auto& channel : channels_) {
    const Wire& wire = channel->wire();
    least = std::min(least, RouterModule::flit_delay(router) + wire.flit_latency());
    least = std::min(least, RouterModule::slot_delay(router) + wire.credit_latency());
  }
  return least;
}

void FlitNetwork::decouple(std::function<void()> after_quantum) {
  // The longest useful quantum, in cycles. Longer quanta would need more memory without being faster.
  constexpr Cycles kFarthest = 512;
  clock_->set_quantum(std::min(kFarthest, lookahead()));
  decoupled_ = true;
  for (const auto& context : contexts_) context->events.keep(true);
  if (contexts_.size() > 1) {
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const topology::Channel& channel = topology_->channels()[i];
      if (group_of(channel.src) == group_of(channel.dst)) continue;
      apart_.push_back(&channels_[i]->wire());
      apart_.back()->set_apart();
    }
    clock_->set_groups(group_of_);
  }
  clock_->on_quantum([this, after = std::move(after_quantum)] {
    gather();
    contexts_.front()->events.flush();
    if (after) after();
  });
}

// Merges the results of all threads after their last quantum.
void FlitNetwork::gather() {
  for (Wire* wire : apart_) wire->hand_over();
  FlitContext& first = *contexts_.front();
  for (std::size_t i = 1; i < contexts_.size(); ++i) {
    first.events.move_from(contexts_[i]->events);
    first.taken.move_from(contexts_[i]->taken);
    PacketPool::level(first.packets, contexts_[i]->packets);
  }
}

void FlitNetwork::leap() {
  std::vector<FlitContext*> contexts;
  for (const auto& context : contexts_) contexts.push_back(context.get());
  leaper_ = std::make_unique<Leaper>(*clock_, std::move(contexts));
  if (!decoupled_) {
    for (const auto& context : contexts_) context->events.keep(true);
    clock_->on_quantum([this] {
      gather();
      contexts_.front()->events.flush();
    });
  }
  clock_->on_pause([this](Cycles next) {
    judge_stretches(next);
    return leaper_->look(next);
  });
  stretch();
}

// Enables stretches if nodes run ahead far enough and routing does not depend on the number of waiting flits.
void FlitNetwork::stretch() {
  if (!decoupled_ || lookahead() < kLeastForStretches || contexts_.front()->detours != nullptr) return;
  while (switches_.size() < contexts_.size()) switches_.push_back(std::make_unique<SwitchStretch>(period_));
  for (NodeId node = 0; node < topology_->num_nodes(); ++node) {
    const auto group = static_cast<std::size_t>(group_of(node));
    nodes_[static_cast<std::size_t>(node)]->stretch(*contexts_[group], *switches_[group]);
  }
}

void FlitNetwork::judge_stretches(Cycles now) {
  if (switches_.empty()) return;
  for (const auto& node : nodes_) stretch_judge_.add(node->collect_stretch_gain());
  const Cycles until = stretch_judge_.judge(now);
  if (until == now) return;
  for (const auto& node : nodes_) node->rest_from_stretches(until);
}

Cycles FlitNetwork::leapt() const {
  return leaper_ == nullptr ? 0 : leaper_->leapt();
}

std::int64_t FlitNetwork::stretched() const {
  std::int64_t cycles = 0;
  for (const auto& node : nodes_) cycles += node->stretched();
  return cycles;
}

void FlitNetwork::connect(NodeId node, int port, Injector& injector, Ejector& ejector) {
  packet_terminals_[static_cast<std::size_t>(node)]->connect(port, injector, ejector);
}

void FlitNetwork::wake(NodeId node, int port, Cycles at) {
  packet_terminals_[static_cast<std::size_t>(node)]->wake(port, at);
}

const FabricStatistics& FlitNetwork::statistics() const {
  statistics_.flits_injected = 0;
  statistics_.flits_ejected = 0;
  statistics_.flit_hops = 0;
  for (const Terminal* terminal : terminals_) {
    statistics_.flits_injected += terminal->flits_injected();
    statistics_.flits_ejected += terminal->flits_ejected();
  }
  for (const auto& router : routers_) statistics_.flit_hops += router->flits();
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    statistics_.channel_flits[i] = channels_[i]->wire().flits_sent();
  }
  return statistics_;
}

Cycles FlitNetwork::last_movement() const {
  Cycles last = 0;
  for (const Terminal* terminal : terminals_) last = std::max(last, terminal->last_movement());
  for (const auto& router : routers_) last = std::max(last, router->last_movement());
  return last;
}

std::int64_t FlitNetwork::packets_in_flight() const {
  std::int64_t packets = 0;
  for (const auto& context : contexts_) packets += context->packets.in_flight();
  return packets;
}

bool FlitNetwork::idle() const {
  const auto idle = [](const auto& channel) { return channel->wire().idle(); };
  return packets_in_flight() == 0 && std::all_of(channels_.begin(), channels_.end(), idle) &&
         std::all_of(local_channels_.begin(), local_channels_.end(), idle);
}

void FlitNetwork::check_conservation() const {
  const FabricStatistics& counted = statistics();
  const auto require = [this](bool holds, const std::string& what) {
    if (holds) return;
    throw ModelError(fmt::format("fabric: conservation broken after cycle {}: {}", last_movement(), what));
  };
  require(counted.flits_injected == counted.flits_ejected,
          fmt::format("{} flits injected, {} ejected", counted.flits_injected, counted.flits_ejected));
  require(packets_in_flight() == 0, fmt::format("{} packets are still in flight", packets_in_flight()));
  require(idle(), "flits or credits are still on channels");
  const int depth = system_->router.vc_depth;
  for (const auto& router : routers_) {
    for (int port = 0; port < static_cast<int>(router->out.size()); ++port) {
      for (int vc = 0; vc < system_->router.vcs; ++vc) {
        require(router->credits(port, vc) == depth && !router->output_vc_busy(port, vc),
                fmt::format("router {} output {} vc {} has {} of {} credits", router->node(), port, vc,
                            router->credits(port, vc), depth));
      }
    }
    for (int port = 0; port < static_cast<int>(router->in.size()); ++port) {
      for (int vc = 0; vc < system_->router.vcs; ++vc) {
        require(router->buffered(port, vc) == 0,
                fmt::format("router {} input {} vc {} holds flits", router->node(), port, vc));
      }
    }
  }
  for (const Terminal* terminal : terminals_) {
    for (int port = 0; port < static_cast<int>(terminal->out.size()); ++port) {
      for (int vc = 0; vc < system_->router.vcs; ++vc) {
        require(terminal->credits(port, vc) == depth,
                fmt::format("NI {} port {} vc {} has {} of {} credits", terminal->node(), port, vc,
                            terminal->credits(port, vc), depth));
      }
    }
  }
}

std::string FlitNetwork::describe_packets(int limit) const {
  std::string text;
  int lines = 0;
  for (const auto& router : routers_) {
    for (const std::string& line : router->describe_packets(contexts_.front()->packets)) {
      if (lines++ < limit) text += line;
    }
  }
  return text;
}

}  // namespace coppice::fabric
