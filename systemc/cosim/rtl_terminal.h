#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "cosim/flit_contents.h"
#include "cosim/ni_head.h"
#include "fabric/flits/terminal.h"
#include "ni/memory/message_record.h"
#include "ni/memory/reduction_unit.h"
#include "ni/ni_context.h"
#include "schedule/tables/table_loop.h"

namespace coppice::cosim {

// The full cycle number near `now` that equals `time` modulo 2^32.
inline Cycles near(std::uint32_t time, Cycles now) {
  return now + static_cast<std::int32_t>(time - static_cast<std::uint32_t>(now));
}

// The settings of a Verilated network interface that do not depend on a collective.
NiSettings settings_of(const ni::NiContext& context, topology::NodeId node);
// A table line in the RTL's form; `route` is the route of its message.
NiLine line_of(const ni::NiContext& context, const schedule::TableLine& line, const topology::Route* route);
// The same without a route.
NiLine line_of(const fabric::Framing& framing, const schedule::TableLine& line);

// The terminal of a Verilated network interface at a router's local ports: moves its flits and keeps the
// records of its messages.
class RtlTerminal : public fabric::Terminal {
 public:
  using NodeId = topology::NodeId;
  using TableEntry = schedule::TableEntry;

  // References must outlive this module. `layout`: the layout of the interface's head flits.
  RtlTerminal(const sc_core::sc_module_name& name, NodeId node, int ports, const ni::NiContext& context,
              const HeadLayout& layout, fabric::FlitContext& flits, FlitContents& contents);
  int credits(int port, int vc) const override;

 protected:
  const ni::NiContext& shared() const { return context_; }
  // Records that an entry has issued; its message leaves after all earlier ones of the port.
  void message_issued(int port, std::uint64_t message) {
    senders_[static_cast<std::size_t>(port)].messages.push_back(message);
  }
  // Sends a flit that has left the RTL.
  void send(const NiFlit& flit, Cycles now);
  // Called when a message's last tail has left.
  virtual void message_left(ni::MessageRecord& /*record*/, Cycles /*now*/) {}
  virtual const topology::Route& route_of(const ni::MessageRecord& record) const = 0;

  // An arrived flit for the RTL; if it is a tail, its packet has been closed.
  struct Arrival {
    FlitBits bits;
    std::uint64_t message;
  };
  Arrival take(int port, int vc, fabric::Flit flit, Cycles now);
  void pop_credit(int port, int vc) {
    ++senders_[static_cast<std::size_t>(port)].credits[static_cast<std::size_t>(vc)];
  }
  // Processes the part of a cycle's outcome that all kinds of network interfaces have in common; throws
  // ModelError if the outcome is impossible.
  void take_outcome(const NiOutcome& outcome, Cycles now);
  // Records that, according to the RTL, the last tail of a message has arrived at the port in this cycle. The
  // message counts as arrived once it has been reduced.
  void message_came(int port, Cycles now);
  // Removes and returns the next message that counts as arrived by `now`, in ascending order of ports.
  std::optional<std::uint64_t> next_counted(Cycles now);
  // The cycle in which the next message counts as arrived; fabric::kNever if there is none.
  Cycles next_count() const { return completions_.empty() ? fabric::kNever : completions_.top().at; }
  [[noreturn]] void fail(const std::string& what, Cycles now) const;

 private:
  struct Sender {
    std::deque<std::uint64_t> messages;  // issued messages whose tails have not been sent
    std::uint32_t packet_index = 0;      // index in the first of `messages`
    fabric::PacketId packet = 0;         // the packet being sent
    std::uint32_t flits_sent = 0;        // number of its flits that have been sent
    Cycles free_since = 0;
    std::array<int, kVcs> credits{};
    std::uint64_t arriving = 0;  // the message whose tail arrives in this cycle
  };
  struct Completion {
    Cycles at;
    int port;
    std::uint64_t message;
    bool operator>(const Completion& other) const {
      return at != other.at ? at > other.at : port > other.port;
    }
  };
  void start_packet(Sender& port, const NiFlit& flit, Cycles now);

  ni::NiContext context_;
  HeadLayout layout_;
  FlitContents* contents_;
  std::vector<Sender> senders_;  // [port]
  // The number of tails that are missing, for messages of which some packets have arrived.
  std::unordered_map<std::uint64_t, std::int64_t> tails_;
  ni::ReductionUnit reduction_;
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> completions_;
};

}  // namespace coppice::cosim
