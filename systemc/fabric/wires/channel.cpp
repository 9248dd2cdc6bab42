#include "fabric/wires/channel.h"

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::fabric {

Channel::Channel(const sc_core::sc_module_name& name, Cycles flit_latency, Cycles credit_latency, int vcs)
    : sc_module(name), wire_(flit_latency, credit_latency, vcs) {
  sender.bind(sending_);
  receiver.bind(receiving_);
}

void Channel::bind_end(std::string& first, const char* port, const char* end) const {
  if (!first.empty() && first != port) {
    throw ModelError(fmt::format("{}.{} is bound to both {} and {}: bind each end of a channel to one port",
                                 name(), end, first, port));
  }
  first = port;
}

void Channel::start_of_simulation() {
  const auto require = [this](bool holds, const char* end, const char* port) {
    if (holds) return;
    throw ModelError(
        fmt::format("{}.{} is not bound to a module of a node: bind a port `{}` to it", name(), end, port));
  };
  require(wire_.has_sender(), "sender", "out");
  require(wire_.has_receiver(), "receiver", "in");
}

}  // namespace coppice::fabric
