#include "fabric/flits/flit_node.h"

#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "fabric/failure.h"
#include "fabric/flits/flit_fabric.h"
#include "fabric/flits/node_clock.h"
#include "fabric/sim_time.h"
#include "small_fabric.h"
#include "support/child.h"

namespace coppice::fabric {
namespace {

using ::coppice::testing::in_child;
using ::testing::HasSubstr;

// A module with one input and one output port that sends in given cycles and records arrivals.
class Talker final : public FlitModule {
 public:
  Talker(const char* name, std::vector<Cycles> sends) : FlitModule(name, 1, 1), sends_(std::move(sends)) {
    if (!sends_.empty()) want(sends_.front());
  }
  void receive_flit(int port, int vc, Flit flit, Cycles now) override {
    flits.push_back({now, static_cast<int>(flit.packet)});
    wire_in(port).return_credit(vc, now + 1);
  }
  void receive_credit(int, int, Cycles now) override { credits.push_back(now); }
  void step(Cycles now) override {
    wire_out(0).send({static_cast<PacketId>(sent_), 0, 1}, 0, now + 1);
    set_next(++sent_ < sends_.size() ? sends_[sent_] : kNever);
  }
  std::vector<std::pair<Cycles, int>> flits;
  std::vector<Cycles> credits;

 private:
  std::vector<Cycles> sends_;
  std::size_t sent_ = 0;
};

struct Pair {
  // If `vcs` is not 0, the channels deliver flits and credits through the receivers' calendars.
  explicit Pair(int vcs = 0) {
    set_time_resolution();
    clock.emplace("clock", kCycle, failure);
    for (int i = 0; i < 2; ++i) {
      nodes.push_back(std::make_unique<FlitNode>(("node_" + std::to_string(i)).c_str(), *clock));
    }
    channels.push_back(std::make_unique<Channel>("forth", 20, 23, vcs));
    channels.push_back(std::make_unique<Channel>("back", 20, 23, vcs));
  }
  Failure failure;
  std::optional<NodeClock> clock;
  std::vector<std::unique_ptr<FlitNode>> nodes;
  std::vector<std::unique_ptr<Channel>> channels;
};

std::string run_pair(Cycles quantum, int vcs) {
  Pair pair(vcs);
  Talker left("left", {0, 1, 2, 50, 51, 400});
  Talker right("right", {5, 49, 52, 53});
  pair.nodes[0]->add(left);
  pair.nodes[1]->add(right);
  left.out[0].bind(pair.channels[0]->sender);
  right.in[0].bind(pair.channels[0]->receiver);
  right.out[0].bind(pair.channels[1]->sender);
  left.in[0].bind(pair.channels[1]->receiver);
  pair.clock->set_quantum(quantum);
  run_cycles(1000);
  pair.failure.rethrow();
  std::string text;
  for (const Talker* talker : {&left, &right}) {
    for (const auto& [at, flit] : talker->flits)
      text += " " + std::to_string(at) + ":" + std::to_string(flit);
    for (const Cycles at : talker->credits) text += " c" + std::to_string(at);
  }
  return text;
}

// Sends a flit on every port in cycle 0, on every odd port in cycle 1 and on the last port in cycle 24.
// Records all arrivals in order.
class Broad final : public FlitModule {
 public:
  Broad(const char* name, int ports) : FlitModule(name, ports, ports) { want(0); }
  void receive_flit(int port, int vc, Flit, Cycles now) override {
    came += fmt::format(" {}:f{}.{}", now, port, vc);
    wire_in(port).return_credit(vc, now + 1);
  }
  void receive_credit(int port, int vc, Cycles now) override {
    came += fmt::format(" {}:c{}.{}", now, port, vc);
  }
  void step(Cycles now) override {
    const int ports = static_cast<int>(out.size());
    const int first = now == 24 ? ports - 1 : static_cast<int>(now);
    for (int port = first; port < ports; port += now == 0 ? 1 : 2)
      wire_out(port).send({0, 0, 1}, port % 4, now + 1);
    set_next(now == 0 ? 1 : now == 1 ? 24 : kNever);
  }
  std::string came;
};

std::string run_broad(int ports, int vcs) {
  set_time_resolution();
  Failure failure;
  NodeClock clock("clock", kCycle, failure);
  FlitNode nodes[] = {{"node_0", clock}, {"node_1", clock}};
  Broad left("left", ports);
  Broad right("right", ports);
  nodes[0].add(left);
  nodes[1].add(right);
  std::vector<std::unique_ptr<Channel>> channels;
  for (int port = 0; port < ports; ++port) {
    for (const auto& [from, to] : {std::pair(&left, &right), std::pair(&right, &left)}) {
      channels.push_back(
          std::make_unique<Channel>(fmt::format("channel_{}", channels.size()).c_str(), 20, 23, vcs));
      from->out[static_cast<std::size_t>(port)].bind(channels.back()->sender);
      to->in[static_cast<std::size_t>(port)].bind(channels.back()->receiver);
    }
  }
  clock.set_quantum(21);
  run_cycles(100);
  failure.rethrow();
  return left.came + " and" + right.came;
}

// Steps in cycle `at` and then asks module `other` to step in the next cycle.
class Waker final : public FlitModule {
 public:
  Waker(const char* name, Cycles at, FlitModule* other) : FlitModule(name, 0, 0), other_(other) { want(at); }
  void receive_flit(int, int, Flit, Cycles) override {}
  void receive_credit(int, int, Cycles) override {}
  void step(Cycles now) override {
    stepped += " " + std::to_string(now);
    set_next(stepped.size() < 4 ? 60 : kNever);
    if (other_ != nullptr) static_cast<Waker*>(other_)->ask(now + 1);
  }
  void ask(Cycles at) { wake(at); }
  std::string stepped;

 private:
  FlitModule* other_;
};

std::string run_wakers(Cycles quantum) {
  set_time_resolution();
  Failure failure;
  NodeClock clock("clock", kCycle, failure);
  FlitNode node("node", clock);
  Waker asked("asked", 10, nullptr);
  Waker asks("asks", 30, &asked);
  node.add(asked);
  node.add(asks);
  clock.set_quantum(quantum);
  run_cycles(100);
  failure.rethrow();
  return asked.stepped + " and" + asks.stepped;
}

// A module may wake another one that has already been stepped in this cycle. The terminal does so when a slot
// becomes free for the network interface's next message.
TEST(FlitNode, StepsAModuleThatALaterOneWakes) {
  for (const Cycles quantum : {1, 20}) {
    EXPECT_EQ(in_child([&] { return run_wakers(quantum); }), " 10 31 61 and 30 60") << "quantum " << quantum;
  }
}

// In each cycle, flits are delivered before credits, both in port order. A port has two lines, or five if
// each of its four virtual channels has its own credit line. The port counts cover numbers of lines below, at
// and above the bits of a word.
TEST(FlitNode, HandsOverAllLinesInOrder) {
  for (const int ports : {1, 12, 31, 32, 33, 70}) {
    std::string expected;
    const auto tell = [&](int at, char what, int first, int step) {
      for (int port = first; port < ports; port += step)
        expected += fmt::format(" {}:{}{}.{}", at, what, port, port % 4);
    };
    tell(21, 'f', 0, 1);
    tell(22, 'f', 1, 2);
    tell(45, 'f', ports - 1, 1);
    tell(45, 'c', 0, 1);
    tell(46, 'c', 1, 2);
    tell(69, 'c', ports - 1, 1);
    for (const int vcs : {0, 4}) {
      EXPECT_EQ(in_child([&] { return run_broad(ports, vcs); }), expected + " and" + expected)
          << ports << " ports, calendars for " << vcs << " virtual channels";
    }
  }
}

// A flit sent in cycle c arrives in cycle c + 1 + 20, and its credit returns 1 + 20 + 3 cycles later,
// regardless of how far nodes run ahead of each other within a quantum.
TEST(FlitNode, RunsAheadWithoutChangingAnything) {
  const std::string expected =
      " 26:0 70:1 73:2 74:3 c45 c46 c47 c95 c96 c445 21:0 22:1 23:2 71:3 72:4 421:5 c50 c94 c97 c98";
  for (const Cycles quantum : {1, 2, 7, 21}) {
    EXPECT_EQ(in_child([&] { return run_pair(quantum, 0); }), expected) << "quantum " << quantum;
    EXPECT_EQ(in_child([&] { return run_pair(quantum, 1); }), expected)
        << "with calendars, quantum " << quantum;
  }
}

std::string message_of(const std::function<void()>& body) {
  return in_child([&]() -> std::string {
    try {
      body();
    } catch (const ModelError& error) {
      return error.what();
    }
    return "nothing was found";
  });
}

TEST(FlitNode, FindsAPortThatIsNotBound) {
  EXPECT_THAT(message_of([] {
                Pair pair;
                Talker left("left", {});
                pair.nodes[0]->add(left);
                left.out[0].bind(pair.channels[0]->sender);
                run_cycles(1);
              }),
              HasSubstr("left.in_0 is not bound: bind it to the `receiver` of a channel"));
}

TEST(FlitNode, FindsAChannelEndThatIsBoundTwiceOrNotAtAll) {
  EXPECT_THAT(message_of([] {
                Pair pair;
                Talker left("left", {});
                Talker right("right", {});
                pair.nodes[0]->add(left);
                pair.nodes[1]->add(right);
                left.out[0].bind(pair.channels[0]->sender);
                right.out[0].bind(pair.channels[0]->sender);
                left.in[0].bind(pair.channels[1]->receiver);
                right.in[0].bind(pair.channels[0]->receiver);
                run_cycles(1);
              }),
              HasSubstr("forth.sender is bound to"));
  EXPECT_THAT(message_of([] {
                Pair pair;
                run_cycles(1);
              }),
              HasSubstr("forth.sender is not bound to a module of a node"));
}

TEST(FlitNode, FindsAModuleWithoutAClock) {
  EXPECT_THAT(message_of([] {
                Talker left("left", {});
                run_cycles(1);
              }),
              HasSubstr("left belongs to no node"));
}

}  // namespace
}  // namespace coppice::fabric
