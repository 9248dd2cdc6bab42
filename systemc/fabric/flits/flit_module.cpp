#include "fabric/flits/flit_module.h"

#include <algorithm>

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

int FlitModule::lines(bool waiting) const {
  int lines = static_cast<int>(in_wires_.size());
  for (const Wire* wire : out_wires_) lines += waiting ? std::max(1, wire->vcs()) : 1;
  return lines;
}

int FlitModule::columns() const {
  const auto waits = [](const Wire* wire) { return wire->vcs() > 0; };
  return static_cast<int>(std::count_if(in_wires_.begin(), in_wires_.end(), waits));
}

void FlitModule::attach(ArrivalCalendar& calendar, int first_line, int first_column, Cycles& due,
                        bool waiting) {
  arrivals_ = &calendar;
  columns_.clear();
  credit_lines_.clear();
  int line = first_line;
  int next_column = first_column;
  for (Wire* wire : in_wires_) {
    const bool waits = waiting && wire->vcs() > 0;
    const int column = waits ? next_column++ : -1;
    columns_.push_back(static_cast<std::int16_t>(column));
    wire->attach_receiver(calendar, line++, due, column);
  }
  for (std::size_t port = 0; port < out_wires_.size(); ++port) {
    const int vcs = waiting ? out_wires_[port]->vcs() : 0;
    out_wires_[port]->attach_sender(calendar, line, due, vcs > 0);
    const auto p = static_cast<std::int16_t>(port);
    for (int vc = 0; vc < vcs; ++vc) credit_lines_.push_back({p, static_cast<std::int16_t>(vc)});
    if (vcs == 0) credit_lines_.push_back({p, -1});
    line += std::max(1, vcs);
  }
}

void FlitModule::wake(Cycles at) {
  want(at);
  if (node_ == nullptr) {
    throw ModelError(fmt::format("{} has work but belongs to no node that clocks it", name()));
  }
  node_->wake(at);
}

void FlitModule::disturb() {
  if (node_ != nullptr) node_->disturb();
}

void FlitModule::start_of_simulation() {
  if (node_ != nullptr) return;
  throw ModelError(fmt::format("{} belongs to no node that clocks it: pass it to FlitNode::add()", name()));
}

}  // namespace coppice::fabric
