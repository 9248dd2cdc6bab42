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

// Returns the cycle near `now` that equals `time` modulo 2^32.
inline Cycles near(std::uint32_t time, Cycles now) {
  return now + static_cast<std::int32_t>(time - static_cast<std::uint32_t>(now));
}

// The settings of a Verilated network interface that do not depend on a collective.
NiSettings settings_of(const ni::NiContext& context, topology::NodeId node);
// Converts a table line to the form that the RTL uses. `route` is the route of the line's message.
NiLine line_of(const ni::NiContext& context, const schedule::TableLine& line, const topology::Route* route);
// Converts a table line without a route.
NiLine line_of(const fabric::Framing& framing, const schedule::TableLine& line);

// The terminal of a Verilated network interface at the local ports of a router. It moves the interface's
// flits and keeps the records of the messages.
class RtlTerminal : public fabric::Terminal {
 public:
  using NodeId = topology::NodeId;
  using TableEntry = schedule::TableEntry;

  // All references must outlive this module. `layout` describes the interface's head flits.
  RtlTerminal(const sc_core::sc_module_name& name, NodeId node, int ports, const ni::NiContext& context,
              const HeadLayout& layout, fabric::FlitContext& flits, FlitContents& contents);
  int credits(int port, int vc) const override;

 protected:
  const ni::NiContext& shared() const { return context_; }
  // Records that an entry has issued. Its message leaves after all earlier messages of the port.
  void message_issued(int port, std::uint64_t message) {
    senders_[static_cast<std::size_t>(port)].messages.push_back(message);
  }
  // Injects a flit from the RTL into the network.
  void send(const NiFlit& flit, Cycles now);
  // Called when the last tail of a message has left.
  virtual void message_left(ni::MessageRecord& /*record*/, Cycles /*now*/) {}
  virtual const topology::Route& route_of(const ni::MessageRecord& record) const = 0;

  // A flit that has arrived for the RTL. If it is a tail, its packet has already been closed.
  struct Arrival {
    FlitBits bits;
    std::uint64_t message;
  };
  Arrival take(int port, int vc, fabric::Flit flit, Cycles now);
  void pop_credit(int port, int vc) {
    ++senders_[static_cast<std::size_t>(port)].credits[static_cast<std::size_t>(vc)];
  }
  // Processes those outputs of a cycle that are common to all kinds of network interfaces. Throws ModelError
  // if they are impossible.
  void take_outcome(const NiOutcome& outcome, Cycles now);
  // Records that, according to the RTL, the last tail of a message has arrived at the port in this cycle. The
  // message counts as arrived once it has been reduced or stored.
  void message_came(int port, Cycles now);
  // Removes and returns the next message that counts as arrived by cycle `now`, in ascending order of ports.
  std::optional<std::uint64_t> next_counted(Cycles now);
  // The cycle in which the next message counts as arrived; fabric::kNever if there is none.
  Cycles next_count() const { return completions_.empty() ? fabric::kNever : completions_.top().at; }
  [[noreturn]] void fail(const std::string& what, Cycles now) const;

 private:
  struct Sender {
    std::deque<std::uint64_t> messages;  // issued messages whose tails have not been sent yet
    std::uint32_t packet_index = 0;      // index of the packet in the first of `messages`
    fabric::PacketId packet = 0;         // packet that is being sent
    std::uint32_t flits_sent = 0;        // number of flits of the packet that have been sent
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
  // For each message that has arrived only in part, the number of its tails that have arrived.
  std::unordered_map<std::uint64_t, std::int64_t> tails_;
  ni::ReductionUnit reduction_;
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> completions_;
};

}  // namespace coppice::cosim
