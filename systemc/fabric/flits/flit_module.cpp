#include "fabric/flits/flit_module.h"

#include <fmt/format.h>

#include "base/error.h"
#include "fabric/flits/flit_node.h"

namespace coppice::fabric {

FlitModule::FlitModule(const sc_core::sc_module_name& name, int inputs, int outputs)
    : sc_module(name),
      in("in", static_cast<std::size_t>(inputs)),
      out("out", static_cast<std::size_t>(outputs)) {}

void FlitModule::fetch_wires() {
  const auto fetch = [](auto& ports, std::vector<Wire*>& wires, const char* end) {
    wires.clear();
    for (auto& port : ports) {
      if (port.size() == 0) {
        throw ModelError(fmt::format("{} is not bound: bind it to the `{}` of a channel", port.name(), end));
      }
      wires.push_back(&port->wire());
    }
  };
  fetch(in, in_wires_, "receiver");
  fetch(out, out_wires_, "sender");
  flit_lines_ = in.size() < 64 ? (std::uint64_t{1} << in.size()) - 1 : ~std::uint64_t{0};
}

void FlitModule::wake(Cycles at) {
  want(at);
  if (node_ == nullptr) {
    throw ModelError(fmt::format("{} has work and belongs to no node that would clock it", name()));
  }
  node_->wake(at);
}

void FlitModule::disturb() {
  if (node_ != nullptr) node_->disturb();
}

void FlitModule::start_of_simulation() {
  if (node_ != nullptr) return;
  throw ModelError(
      fmt::format("{} belongs to no node that would clock it: give it to FlitNode::add()", name()));
}

}  // namespace coppice::fabric
