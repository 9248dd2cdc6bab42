#pragma once

#include <array>
#include <deque>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cosim/flit_contents.h"
#include "cosim/ni_model.h"
#include "fabric/flits/terminal.h"
#include "ni/network_interface.h"

namespace coppice::cosim {

// Why the Verilated network interface cannot take part in such a run, and what would be right; empty if it
// can.
std::string refuse_ni(const config::SystemConfig& system, const schedule::Schedule& schedule,
                      const topology::Topology& topology, int ni_ports);

// rtl/ni/network_interface.v in the place of ni::NetworkInterface: the same cycles, flits and sums. It
// decides all by itself; around it are kept only the records that observers and results are made of.
class RtlNetworkInterface final : public fabric::Terminal, public ni::Interface {
 public:
  using NodeId = topology::NodeId;
  using TableEntry = schedule::TableEntry;

  // `buffer`: a ValueMemory, or none is kept. All references outlive it.
  RtlNetworkInterface(const sc_core::sc_module_name& name, NodeId node, int ports,
                      const ni::NiContext& context, fabric::FlitContext& flits, ni::GradientMemory& buffer,
                      FlitContents& contents, const std::string& wave_path);

  NodeId node() const override { return Terminal::node(); }
  int num_ports() const override { return static_cast<int>(ports_.size()); }
  void start(Cycles at) override;
  bool started() const override { return started_; }
  Cycles cycle_of(const sc_core::sc_time& time) const override {
    return (static_cast<Femtoseconds>(time.value()) + context_.period - 1) / context_.period;
  }
  bool finished() const override;
  std::string describe_waiting(Cycles now) const override;
  PortView view(int port, Cycles now) const override;

  void receive_flit(int port, int vc, fabric::Flit flit, Cycles now) override;
  void receive_credit(int port, int vc, Cycles now) override;
  void step(Cycles now) override;
  int credits(int port, int vc) const override;

 private:
  class Memory final : public WordMemory {
   public:
    explicit Memory(ni::GradientMemory& buffer);
    FlitBits read(std::uint32_t address) override;
    void write(std::uint32_t address, unsigned lanes, const FlitBits& words) override;
    bool kept() const { return values_ != nullptr; }

   private:
    ni::ValueMemory* values_;
  };
  struct Port {
    std::span<const TableEntry> table;
    std::vector<std::size_t> sends;      // of the table, in the order in which the RTL issues them
    std::size_t next_send = 0;           // to issue
    std::deque<std::uint64_t> messages;  // issued, tail not yet sent
    std::uint32_t packet_index = 0;      // of the message at the front
    fabric::PacketId packet = 0;         // under way
    std::uint32_t flits_sent = 0;        // of it
    Cycles free_since = 0;
    std::array<int, kVcs> credits{};
    std::uint64_t arriving = 0;  // message of the tail that comes in this cycle
  };
  struct Completion {
    Cycles at;
    int port;
    std::uint64_t message;
    bool operator>(const Completion& other) const {
      return at != other.at ? at > other.at : port > other.port;
    }
  };

  void load();
  NiLine line_bits(const TableEntry& entry) const;
  std::uint32_t payload_words() const;
  void expect_next_message(int port, Cycles now);
  void issue(int port, Cycles released, Cycles now);
  void send(const NiModel::Flit& flit, Cycles now);
  void start_packet(Port& port, const NiModel::Flit& flit, Cycles now);
  [[noreturn]] void fail(const std::string& what, Cycles now) const;

  ni::NiContext context_;
  Memory memory_;
  FlitContents* contents_;
  std::vector<Port> ports_;
  std::unique_ptr<NiModel> model_;
  std::vector<NiTableSize> sizes_;  // [port]
  std::unordered_map<std::uint64_t, std::int64_t>
      tails_;  // of the messages of which not all packets have come
  bool started_ = false;
  // For the records only.
  ni::DependencyTracker tracker_;
  ni::Enablers enablers_;
  ni::ReductionUnit reduction_;
  ni::RouteTimes route_times_;
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> completions_;
};

}  // namespace coppice::cosim
