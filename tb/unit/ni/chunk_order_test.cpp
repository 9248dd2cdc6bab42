// All accelerators must process the chunks in a dimension in the same order (Themis, Sec. 4.6). The test uses
// flits and delays every packet by a random time at its network interface.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/random.h"
#include "fabric/flits/flit_fabric.h"
#include "fabric/sim_time.h"
#include "ni/network_interface.h"
#include "schedule/hierarchical/hierarchical.h"
#include "schedule/proof/checker.h"
#include "support/hierarchical_orders.h"
#include "topology/networks/hierarchy.h"
#include "topology/networks/kinds.h"

namespace coppice::ni {
namespace {

using schedule::Schedule;
using schedule::Table;
using topology::DimensionKind;

constexpr Cycles kMostJitter = 100;  // the duration of one packet's payload

// Delays every packet by a pseudo-random time. The time depends only on the seed and on the message's
// position in the schedule, not on the order in which messages leave.
class JitteryInjector final : public fabric::Injector {
 public:
  JitteryInjector(fabric::Injector& inner, const MessageLog& log, std::uint64_t seed)
      : inner_(inner), log_(log), seed_(seed) {}

  Answer next_packet(Cycles now, fabric::Packet& packet) override {
    if (!holds_) {
      const Answer answer = inner_.next_packet(now, held_);
      if (answer != Answer::kPacket) return answer;
      holds_ = true;
      release_ = now + jitter(held_);
    }
    if (now < release_) return Answer::kPollAgain;
    holds_ = false;
    packet = held_;
    return Answer::kPacket;
  }
  void packet_injected(const fabric::Packet& packet, Cycles now) override {
    inner_.packet_injected(packet, now);
  }

 private:
  Cycles jitter(const fabric::Packet& packet) const {
    const TableEntry& entry = *log_[packet.tag].entry;
    std::uint64_t stream = 0;
    for (const std::int64_t part : {std::int64_t{packet.dst}, std::int64_t{entry.flow},
                                    std::int64_t{entry.arrival}, std::int64_t{packet.index}}) {
      stream = stream * 256 + static_cast<std::uint64_t>(part);
    }
    return static_cast<Cycles>(Random(seed_, stream).below(kMostJitter));
  }

  fabric::Injector& inner_;
  const MessageLog& log_;
  std::uint64_t seed_;
  fabric::Packet held_;
  bool holds_ = false;
  Cycles release_ = 0;
};

class JitteryFabric final : public fabric::Fabric {
 public:
  JitteryFabric(fabric::FlitFabric& inner, const MessageLog& log, std::uint64_t seed)
      : inner_(inner), log_(log), seed_(seed) {}

  void connect(NodeId node, int port, fabric::Injector& injector, fabric::Ejector& ejector) override {
    injectors_.push_back(std::make_unique<JitteryInjector>(injector, log_, seed_));
    inner_.connect(node, port, *injectors_.back(), ejector);
  }
  void wake(NodeId node, int port, Cycles at) override { inner_.wake(node, port, at); }
  void add_observer(fabric::FabricObserver& observer) override { inner_.add_observer(observer); }
  const fabric::FabricStatistics& statistics() const override { return inner_.statistics(); }
  Cycles last_movement() const override { return inner_.last_movement(); }
  Femtoseconds period() const override { return inner_.period(); }
  bool idle() const override { return inner_.idle(); }
  void check_conservation() const override { inner_.check_conservation(); }
  std::string describe_packets(int limit) const override { return inner_.describe_packets(limit); }

 private:
  fabric::FlitFabric& inner_;
  const MessageLog& log_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<JitteryInjector>> injectors_;
};

// A network of three dimensions with groups of 2, 4 and 2 accelerators, each group connected by a switch. The
// last dimension has a longer latency than the first, so its chunks usually arrive later.
struct Network {
  Network() : topology(make()), routing(topology::make_routing(topology, 4)) {}

  static topology::Topology make() {
    std::vector<topology::DimensionSpec> dimensions;
    for (const auto& [size, latency_ns] : {std::pair{2, 20}, {4, 20}, {2, 340}}) {
      dimensions.push_back(
          {DimensionKind::kSwitch, size, 1, {16'000'000'000}, latency_ns * kFemtosecondsPerNanosecond});
    }
    return topology::make_hierarchy(dimensions);
  }

  // A schedule of two chunks, which traverse the dimensions in opposite orders.
  Schedule compile() const {
    schedule::CompileRequest request;
    request.size = 16384;
    request.ni_ports = static_cast<int>(topology.dims().size());
    request.routing = routing.get();
    const std::vector<schedule::DimensionOrder> orders{{0, 1, 2}, {2, 1, 0}};
    return compile_in_orders(topology, request, "orders", orders, schedule::IntraDimension::kFifo);
  }

  topology::Topology topology;
  std::unique_ptr<topology::RoutingFunction> routing;
};

// An all-reduce in the network with random packet delays from one seed.
class JitteryRun {
 public:
  JitteryRun(const Network& network, Schedule schedule, std::uint64_t seed, const char* name)
      : network_(network), schedule_(std::move(schedule)) {
    system_.router.vc_depth = 64;
    system_.ni.lockstep = false;
    const int ports = static_cast<int>(network.topology.dims().size());
    const std::string id = fmt::format("{}_{}", name, seed);
    flits_ = std::make_unique<fabric::FlitFabric>(("fabric_" + id).c_str(), network.topology,
                                                  *network.routing, system_, ports, failure_);
    fabric_ = std::make_unique<JitteryFabric>(*flits_, log_, seed);
    clock_ = std::make_unique<AlarmClock>(("clock_" + id).c_str(), system_.clock.period(), failure_);
    log_.add_observer(observer_);
    idle_.nodes.resize(schedule_.nodes.size());
    for (auto& node : idle_.nodes) node.ports.resize(static_cast<std::size_t>(ports));
    const NiContext context{
        .topology = &network.topology,
        .system = &system_,
        .schedule = &idle_,
        .framing = {system_.ni.flow_control, system_.flit, system_.ni.payload},
        .period = system_.clock.period(),
        .fabric = fabric_.get(),
        .log = &log_,
        .clock = clock_.get(),
        .held = true,
    };
    for (NodeId node = 0; node < network.topology.num_accelerators(); ++node) {
      std::vector<float> gradients(static_cast<std::size_t>(schedule_.size / schedule_.element));
      for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] = gradient(node, i);
      memories_.push_back(std::make_unique<ValueMemory>(std::move(gradients)));
      interfaces_.push_back(std::make_unique<NetworkInterface>(fmt::format("ni_{}_{}", id, node).c_str(),
                                                               node, ports, context, *memories_.back()));
    }
  }

  // The schedule of this run, which may be changed until start() is called.
  Schedule& schedule() { return schedule_; }
  // Starts the all-reduce in the next cycle. The caller then runs the SystemC kernel.
  void start() {
    const Cycles next = fabric::current_cycle(system_.clock.period()) + 1;
    std::vector<std::int64_t> arrivals(interfaces_.size());
    for (const auto& node : schedule_.nodes) {
      for (const Table& port : node.ports) {
        for (const TableEntry& entry : port) {
          if (entry.op != schedule::Op::kNop) ++arrivals[static_cast<std::size_t>(entry.destination())];
        }
      }
    }
    for (std::size_t i = 0; i < interfaces_.size(); ++i) {
      interfaces_[i]->load({.id = 1,
                            .schedule = &schedule_,
                            .tables = &schedule_.nodes[i],
                            .contents = memories_[i].get(),
                            .arrivals = arrivals[i]},
                           next);
      interfaces_[i]->start_context(1, next);
    }
  }

  // Whether every accelerator holds the sum of all gradients.
  bool sums_are_right() const {
    const int n = network_.topology.num_accelerators();
    for (const auto& memory : memories_) {
      for (std::size_t i = 0; i < memory->values().size(); ++i) {
        float sum = 0;
        for (NodeId node = 0; node < n; ++node) sum += gradient(node, i);
        if (memory->values()[i] != sum) return false;
      }
    }
    return true;
  }
  bool finished() const {
    return std::ranges::all_of(interfaces_, [](const auto& ni) { return ni->finished(); }) && fabric_->idle();
  }
  // The lines that the network interfaces would contribute to a deadlock report.
  std::string describe_waiting() const {
    std::string text;
    for (const auto& ni : interfaces_) text += ni->describe_waiting(0);
    return text;
  }
  void require_no_error() const { failure_.rethrow(); }

  // The schedule with reordered tables: each accelerator starts the operations of a dimension in the order in
  // which they become ready at that accelerator.
  Schedule ordered_locally() const {
    Schedule local = schedule_;
    for (NodeId node = 0; node < network_.topology.num_accelerators(); ++node) {
      for (Table& port : local.nodes[static_cast<std::size_t>(node)].ports)
        port = ordered_locally(node, port);
    }
    return local;
  }

 private:
  // Small integers, so that sums are exact in any order.
  static float gradient(NodeId node, std::size_t element) {
    return static_cast<float>((node + 1) * static_cast<int>(element % 7 + 1));
  }

  struct Arrivals final : MessageObserver {
    void message_completed(const MessageRecord& message) override {
      at[{message.dst, message.entry->flow, message.entry->arrival}] = message.completed;
    }
    std::map<std::tuple<NodeId, std::int32_t, std::int32_t>, Cycles> at;
  };

  Cycles ready(NodeId node, const TableEntry& entry) const {
    Cycles last = 0;
    for (std::int32_t arrival = 0; arrival < entry.dependencies; ++arrival) {
      last = std::max(last, observer_.at.at({node, entry.flow, arrival}));
    }
    return last;
  }

  Table ordered_locally(NodeId node, const Table& port) const {
    struct Operation {
      Cycles ready;
      std::vector<TableEntry> entries;
    };
    std::vector<Operation> operations;
    for (const TableEntry& entry : port.stored()) {
      const auto mine = std::ranges::find_if(operations, [&](const Operation& operation) {
        const TableEntry& first = operation.entries.front();
        return first.flow == entry.flow && first.op == entry.op;
      });
      if (mine == operations.end()) {
        operations.push_back({ready(node, entry), {entry}});
      } else {
        mine->entries.push_back(entry);
      }
    }
    std::ranges::stable_sort(operations, {}, &Operation::ready);
    std::vector<TableEntry> entries;
    for (const Operation& operation : operations) {
      for (const TableEntry& entry : operation.entries) {
        entries.push_back(entry);
        entries.back().step = static_cast<std::int32_t>(entries.size());
      }
    }
    return {std::move(entries)};
  }

  const Network& network_;
  Schedule schedule_;
  Schedule idle_;  // empty tables, with which the interfaces are constructed
  config::SystemConfig system_;
  fabric::Failure failure_;
  std::unique_ptr<fabric::FlitFabric> flits_;
  MessageLog log_;
  Arrivals observer_;
  std::unique_ptr<JitteryFabric> fabric_;
  std::unique_ptr<AlarmClock> clock_;
  std::vector<std::unique_ptr<ValueMemory>> memories_;
  std::vector<std::unique_ptr<NetworkInterface>> interfaces_;
};

bool passes_check(const Network& network, const Schedule& schedule) {
  try {
    check_schedule(network.topology, schedule);
    return true;
  } catch (const schedule::ScheduleError&) {
    return false;
  }
}

// Themis, Sec. 4.6.2. If all accelerators use the order of a previous simulation, every run ends with correct
// sums. If each accelerator uses its own local order, exactly those runs deadlock for which the table check
// predicts it.
TEST(ChunkOrder, MustBeTheSameAtAllAccelerators) {
  constexpr std::uint64_t kSeeds = 24;
  constexpr Femtoseconds kLong = 100'000 * kFemtosecondsPerNanosecond;
  fabric::set_time_resolution();
  const Network network;
  const Schedule agreed = network.compile();
  ASSERT_TRUE(passes_check(network, agreed));
  std::vector<std::unique_ptr<JitteryRun>> in_agreement;
  std::vector<std::unique_ptr<JitteryRun>> on_their_own;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    in_agreement.push_back(std::make_unique<JitteryRun>(network, agreed, seed, "agreed"));
    on_their_own.push_back(std::make_unique<JitteryRun>(network, agreed, seed, "local"));
  }
  for (const auto& run : in_agreement) run->start();
  sc_core::sc_start(fabric::to_sc_time(kLong));
  int stuck = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const JitteryRun& run = *in_agreement[seed];
    run.require_no_error();
    ASSERT_TRUE(run.finished()) << "seed " << seed << '\n' << run.describe_waiting();
    EXPECT_TRUE(run.sums_are_right()) << "seed " << seed;
    on_their_own[seed]->schedule() = run.ordered_locally();
    on_their_own[seed]->start();
  }
  sc_core::sc_start(fabric::to_sc_time(kLong));
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    JitteryRun& run = *on_their_own[seed];
    run.require_no_error();
    EXPECT_EQ(run.finished(), passes_check(network, run.schedule())) << "seed " << seed;
    if (run.finished()) {
      EXPECT_TRUE(run.sums_are_right()) << "seed " << seed;
      continue;
    }
    ++stuck;
    // In the middle dimension, some accelerators wait for each of the two chunks.
    for (const int chunk : {0, 1}) {
      EXPECT_THAT(
          run.describe_waiting(),
          testing::ContainsRegex(fmt::format(
              "port 1 of collective 1: [a-z]+ of flow {} in step [0-9]+ waits for dependency", chunk)))
          << "seed " << seed;
    }
  }
  EXPECT_GT(stuck, 0);
  EXPECT_LT(stuck, static_cast<int>(kSeeds)) << "all runs deadlock: too much jitter";
  EXPECT_FALSE(sc_core::sc_pending_activity()) << "a deadlocked run still has events";
}

}  // namespace
}  // namespace coppice::ni
