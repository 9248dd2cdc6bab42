#include "system/output/vcd_probe.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/error.h"
#include "fabric/sim_time.h"

namespace coppice::system {
namespace {

namespace fs = std::filesystem;

// The kernel opens its own file: one beside the output, or, for a device or a pipe, among temporary files.
std::string waves_beside(const ResultFile& output) {
  if (!output.direct()) return output.temporary_path();
  return (fs::temp_directory_path() / fmt::format("coppice.{}", ::getpid())).string();
}

}  // namespace

VcdProbe::VcdProbe(const sc_core::sc_module_name& name, const std::string& path,
                   const topology::Topology& topology, Femtoseconds period,
                   std::vector<const ni::Interface*> nodes)
    : sc_module(name),
      output_("--vcd", path),
      waves_(waves_beside(output_)),
      period_(period),
      by_id_(static_cast<std::size_t>(topology.num_nodes()), nullptr) {
  file_ = sc_core::sc_create_vcd_trace_file(waves_.c_str());
  file_->set_time_unit(1, sc_core::SC_PS);
  for (const ni::Interface* interface : nodes) {
    auto node = std::make_unique<Node>();
    node->interface = interface;
    node->ports.resize(static_cast<std::size_t>(interface->num_ports()));
    node->channels.resize(topology.out_channels(interface->node()).size());
    trace_node(*node);
    by_id_[static_cast<std::size_t>(interface->node())] = node.get();
    nodes_.push_back(std::move(node));
  }
  SC_HAS_PROCESS(VcdProbe);
  SC_METHOD(sample);
}

VcdProbe::~VcdProbe() {
  if (file_ == nullptr) return;
  sc_core::sc_close_vcd_trace_file(file_);
  std::error_code ignored;
  fs::remove(waves_ + ".vcd", ignored);
}

void VcdProbe::trace_node(Node& node) {
  const topology::NodeId id = node.interface->node();
  for (std::size_t p = 0; p < node.ports.size(); ++p) {
    const std::string prefix = fmt::format("ni_{}.port_{}.", id, p);
    PortSignals& port = node.ports[p];
    sc_core::sc_trace(file_, port.timestep, prefix + "timestep_counter");
    sc_core::sc_trace(file_, port.lockstep, prefix + "lockstep_counter");
    sc_core::sc_trace(file_, port.issued, prefix + "entries_issued");
    sc_core::sc_trace(file_, port.decoder, prefix + "decoder_state");
  }
  for (std::size_t c = 0; c < node.channels.size(); ++c) {
    const std::string prefix = fmt::format("router_{}.out_{}.", id, c);
    sc_core::sc_trace(file_, node.channels[c].valid, prefix + "valid");
    sc_core::sc_trace(file_, node.channels[c].vc, prefix + "vc");
  }
}

void VcdProbe::flit_sent(const fabric::FlitEvent& event, const fabric::Packet& /*packet*/, Cycles now) {
  Node* node = by_id_[static_cast<std::size_t>(event.node)];
  if (node == nullptr || event.out_port < 0 || event.ni_port >= 0) return;
  ChannelSignals& channel = node->channels[static_cast<std::size_t>(event.out_port)];
  channel.last = now;
  channel.last_vc = event.vc;
}

// Looks one delta cycle after everybody else, so that the sample does not depend on the order of processes.
void VcdProbe::sample() {
  settled_ = !settled_;
  if (settled_) {
    next_trigger(sc_core::SC_ZERO_TIME);
    return;
  }
  const Cycles now = fabric::current_cycle(period_);
  for (const auto& node : nodes_) {
    for (std::size_t p = 0; p < node->ports.size(); ++p) {
      const ni::Interface::PortView view = node->interface->view(static_cast<int>(p), now);
      node->ports[p].timestep = static_cast<unsigned>(view.timestep);
      node->ports[p].lockstep = static_cast<unsigned>(view.lockstep);
      node->ports[p].issued = static_cast<unsigned>(view.issued);
      node->ports[p].decoder = static_cast<unsigned>(view.state);
    }
    for (ChannelSignals& channel : node->channels) {
      channel.valid = channel.last == now;
      if (channel.valid) channel.vc = static_cast<unsigned>(channel.last_vc);
    }
  }
  if (!stopped_) next_trigger(fabric::to_sc_time(period_));
}

void VcdProbe::finish() {
  sc_core::sc_close_vcd_trace_file(file_);
  file_ = nullptr;
  const std::string written = waves_ + ".vcd";
  bool moved = false;
  std::error_code error;
  if (output_.direct()) {
    std::ofstream out(output_.temporary_path(), std::ios::binary);
    moved = static_cast<bool>(out << std::ifstream(written, std::ios::binary).rdbuf() << std::flush);
  } else {
    fs::rename(written, output_.temporary_path(), error);
    moved = !error;
  }
  fs::remove(written, error);
  if (!moved) {
    throw ModelError(
        fmt::format("--vcd: '{}' cannot be written: name another file, or make room", output_.path()));
  }
  output_.commit();
}

}  // namespace coppice::system
