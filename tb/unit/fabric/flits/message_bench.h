#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fabric/flits/leaper.h"
#include "small_fabric.h"
#include "support/child.h"

// Sends messages through a flit network, with and without leaps, and compares all externally visible
// behaviour.

namespace coppice::fabric {

// A message, which consists of one or more packets of equal size.
struct Sent {
  Cycles at;
  NodeId src;
  NodeId dst;
  int port;
  std::int64_t packets;
  std::uint32_t flits;
  Femtoseconds flit_time;
};

// Offers messages packet by packet, in order and never before their start times.
class MessageSource final : public Injector, public Repeating {
 public:
  struct Offer {
    Sent sent;
    std::uint64_t tag;
    topology::Route route;
  };
  std::vector<Offer> offers;

  Answer next_packet(Cycles now, Packet& packet) override {
    if (next_ == offers.size() || offers[next_].sent.at > now) return Answer::kSleep;
    const Offer& offer = offers[next_];
    packet.route = offer.route.data();
    packet.src = offer.sent.src;
    packet.dst = offer.sent.dst;
    packet.flits = offer.sent.flits;
    packet.tag = offer.tag;
    packet.created = now;
    packet.flit_time = offer.sent.flit_time;
    packet.index = static_cast<std::uint32_t>(packets_);
    packet.first_of_message = packets_ == 0;
    packet.last_of_message = ++packets_ == offer.sent.packets;
    return Answer::kPacket;
  }
  void packet_injected(const Packet& packet, Cycles now) override {
    if (!packet.last_of_message) return;
    ++next_;
    packets_ = 0;
    left += fmt::format(" {}:{}-{}", packet.tag, packet.head_injected, now);
  }
  void visit(StateRecorder& recorder) override { visit_all(recorder); }
  void visit(StateShifter& shifter) override { visit_all(shifter); }

  std::string left;  // the tag and time of every message sent

 private:
  template <typename Visitor>
  void visit_all(Visitor& visitor) {
    visitor.value(next_);
    if (next_ < offers.size())
      visitor.growth(offers[next_].tag, packets_, offers[next_].sent.packets - 1, true);
  }

  std::size_t next_ = 0;
  std::int64_t packets_ = 0;  // packets of the next message that have been offered
};

// Counts packets and computes a digest of all flits.
class FlitSink final : public Ejector, public Repeating {
 public:
  void packet_ejected(const Packet& packet, Cycles now) override {
    ++packets;
    if (packet.last_of_message)
      came += fmt::format(" {}:{} after {}, {}, {}", packet.tag, now, packet.created, packet.hops,
                          packet.flit_cycles());
  }
  bool transports_flits() const override { return true; }
  void flit_ejected(const Packet& packet, Flit flit, Cycles now) override {
    for (const std::uint64_t part : {packet.tag, std::uint64_t{packet.index}, std::uint64_t{flit.sequence},
                                     static_cast<std::uint64_t>(now)}) {
      digest = (digest ^ part) * 1099511628211ULL;
    }
  }
  void visit(StateRecorder& recorder) override { recorder.counter(packets); }
  void visit(StateShifter& shifter) override { shifter.counter(packets); }

  std::int64_t packets = 0;
  std::uint64_t digest = 14695981039346656037ULL;
  std::string came;  // the tag and time of every message received
};

// A digest of all events that an observer sees. The order of events within a cycle does not matter.
class SeenDigest final : public FabricObserver {
 public:
  void flit_sent(const FlitEvent& event, const Packet& packet, Cycles now) override {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const std::uint64_t part :
         {static_cast<std::uint64_t>(event.node), static_cast<std::uint64_t>(event.out_port),
          static_cast<std::uint64_t>(event.ni_port), static_cast<std::uint64_t>(event.vc), packet.tag,
          std::uint64_t{packet.index}, std::uint64_t{packet.first_of_message},
          std::uint64_t{packet.last_of_message}, std::uint64_t{event.flit.sequence},
          static_cast<std::uint64_t>(now)}) {
      hash = (hash ^ part) * 1099511628211ULL;
    }
    sum += hash;
    if (now < last) sum = 0;  // events are out of order
    last = now;
  }
  std::uint64_t sum = 0;
  Cycles last = 0;
};

// A module without channels, clocked by its node like the terminal and the router. It steps in every
// kEvery-th cycle.
class Ticking final : public FlitModule {
 public:
  static constexpr Cycles kEvery = 1'000;

  explicit Ticking(FlitNode& node) : FlitModule("ticking", 0, 0) {
    set_next(kEvery);
    node.add(*this);
  }
  void receive_flit(int /*port*/, int /*vc*/, Flit /*flit*/, Cycles /*now*/) override {}
  void receive_credit(int /*port*/, int /*vc*/, Cycles /*now*/) override {}
  void step(Cycles now) override {
    ticks += fmt::format(" {}", now);
    set_next(now < kLast ? now + kEvery : kNever);
  }

  std::string ticks;

 private:
  static constexpr Cycles kLast = 30'000;
};

class Messages {
 public:
  Messages(const std::string& name, const topology::Topology& topology, const config::SystemConfig& system,
           int ni_ports, const std::vector<Sent>& sent, int threads, bool ticks = false)
      : topology_(topology), routing_(topology::make_dimension_order_routing(topology, system.router.vcs)) {
    set_time_resolution();
    FlitParts parts;
    if (ticks) {
      parts.make_terminal = [this](FlitNode& node, NodeId /*id*/, int /*ports*/, FlitContext& /*context*/) {
        ticking.push_back(std::make_unique<Ticking>(node));
        return FlitParts::LocalPorts{};
      };
    }
    fabric = std::make_unique<FlitFabric>(name.c_str(), topology_, *routing_, system, ni_ports, failure,
                                          std::move(parts), threads);
    const auto count = static_cast<std::size_t>(topology.num_accelerators() * ni_ports);
    sources.resize(count);
    sinks.resize(count);
    for (std::size_t k = 0; k < sent.size(); ++k) {
      const Sent& one = sent[k];
      const auto source = static_cast<std::size_t>(one.src * ni_ports + one.port);
      sources[source].offers.push_back(
          {one, k, topology::make_route(topology_, *routing_, one.src, one.dst, 0, one.port)});
    }
    for (std::size_t i = 0; i < count; ++i) {
      fabric->connect(static_cast<NodeId>(i) / ni_ports, static_cast<int>(i) % ni_ports, sources[i],
                      sinks[i]);
    }
    for (const Sent& one : sent) fabric->wake(one.src, one.port, one.at);
  }

  std::string story() const {
    std::string text;
    for (const MessageSource& source : sources) text += "left" + source.left + "\n";
    for (const FlitSink& sink : sinks)
      text += fmt::format("came{} {} {:x}\n", sink.came, sink.packets, sink.digest);
    for (const auto& one : ticking) text += "ticks" + one->ticks + "\n";
    const FabricStatistics& counted = fabric->statistics();
    return text + fmt::format("{} {} {} last {} channels {}", counted.flits_injected, counted.flits_ejected,
                              counted.flit_hops, fabric->last_movement(),
                              fmt::join(counted.channel_flits, " "));
  }

  Failure failure;
  std::vector<std::unique_ptr<Ticking>> ticking;
  std::unique_ptr<FlitFabric> fabric;
  std::vector<MessageSource> sources;
  std::vector<FlitSink> sinks;

 private:
  topology::Topology topology_;
  std::unique_ptr<topology::RoutingFunction> routing_;
};

struct Leapt {
  bool ahead = false;     // nodes run ahead of each other
  bool observed = false;  // an observer records flits
  int threads = 1;
  bool ticks = false;  // each node has a module without channels
};

// The minimum that a run must skip: cycles by leaps, and cycles of single nodes by stretches.
struct Least {
  Cycles leapt = 0;
  std::int64_t stretched = 0;
};

// Sends the messages and returns all externally visible behaviour. With `least`, the run leaps; if it skips
// less than required, the text begins with the amounts skipped.
inline std::string run(const topology::Topology& topology, const config::SystemConfig& system, int ni_ports,
                       const std::vector<Sent>& sent, const Leapt& how, const std::optional<Least>& least) {
  return ::coppice::testing::in_child([&]() -> std::string {
    Messages messages("messages", topology, system, ni_ports, sent, how.threads, how.ticks);
    SeenDigest seen;
    if (how.observed) messages.fabric->add_observer(seen);
    if (how.ahead) messages.fabric->decouple({});
    if (least) messages.fabric->leap();
    run_cycles(4'000'000);
    messages.failure.rethrow();
    messages.fabric->check_conservation();
    const Cycles leapt = messages.fabric->leapt();
    const std::int64_t stretched = messages.fabric->stretched();
    const bool enough = !least || (leapt >= least->leapt && stretched >= least->stretched);
    return (enough ? "" : fmt::format("leapt {} cycles, {} in stretches\n", leapt, stretched)) +
           messages.story() + fmt::format("\nseen {:x}, the last in {}", seen.sum, seen.last);
  });
}

// Returns "" if runs with and without leaps are externally indistinguishable, and otherwise the text of both
// runs.
inline std::string compare(const topology::Topology& topology, const config::SystemConfig& system,
                           int ni_ports, const std::vector<Sent>& sent, const Leapt& how,
                           const Least& least) {
  const std::string plain = run(topology, system, ni_ports, sent, how, std::nullopt);
  const std::string leaping = run(topology, system, ni_ports, sent, how, least);
  return plain == leaping ? "" : "\nplain:\n" + plain + "\nleaping:\n" + leaping;
}

}  // namespace coppice::fabric
