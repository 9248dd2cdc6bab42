#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "topology/routing/routing.h"

namespace coppice::fabric {

// Records where trains meet in a run, and decides which ports of network interfaces send flits in the next
// run, so that messages that meet are simulated as flits and all others as trains (MixedFabric). A run that
// is no longer exact continues, so that all its meetings are recorded, not only the first.
//
// Ports are numbered node by node; outputs are numbered by the fabric (TrainFabric).
class Meetings {
 public:
  // `flit_ports` send flits from the start. A run is abandoned as soon as more than the fraction `most` of
  // all sending ports would have to send flits.
  explicit Meetings(std::vector<std::int32_t> flit_ports = {}, double most = 1)
      : given_(std::move(flit_ports)), most_(most) {}

  // Sets the number of outputs and ports of the fabric; call this before the run.
  void set_size(std::size_t outputs, std::size_t ports);

  // Records that a message of `port` uses `route`, which must remain valid, through these outputs.
  void passes(std::int32_t port, const topology::Hop* route, std::span<const std::int32_t> outputs);
  // Records that a message of `port`, or a part of one, starts in cycle `now` and has this number of
  // flit-hops.
  void sends(std::int32_t port, std::int64_t flit_hops, Cycles now) {
    flit_hops_[static_cast<std::size_t>(port)] += flit_hops;
    last_start_ = now;
  }
  // Records that all messages through the output must become flits.
  void want_users(std::int32_t output) { want(output, 1); }
  // Records that messages meet at the output: its own messages, and those through any output that leads to
  // it, must become flits.
  void want_users_and_feeders(std::int32_t output) { want(output, 2); }
  // Records that all messages of the port must become flits.
  void want_port(std::int32_t port);
  // Whether cycle `at` precedes the first known reason why the run is not exact; true if there is none.
  bool earlier(Cycles at) const { return at_ < 0 || at < at_; }
  void set_reason(Cycles at, std::string reason);

  // Whether the run is not exact.
  bool met() const { return at_ >= 0; }
  Cycles at() const { return at_; }
  const std::string& reason() const { return reason_; }
  // The fraction of sending ports that must send flits.
  double share() const;
  // Whether the fraction exceeds `most` although the average port has already sent several messages; may be
  // called during the run.
  bool too_many() const;
  // Whether simulating the flits costs at most the fraction `most` of a run with leaps; call this after the
  // run.
  bool pays() const;
  // The ports that send flits in the next run: those that send flits in this run, and the ports recorded in
  // it.
  std::vector<std::int32_t> flit_ports() const;
  // The ports that sent flits in this run.
  const std::vector<std::int32_t>& given() const { return given_; }

  // Counters of the run.
  std::int64_t messages = 0;
  std::int64_t as_flits = 0;

 private:
  // A port with messages through an output, and the previous output on their path (-1 if there is none).
  struct User {
    std::int32_t port;
    std::int32_t feeder;
  };

  void want(std::int32_t output, int level);

  std::vector<std::int32_t> given_;
  double most_;
  std::vector<std::vector<const topology::Hop*>> known_;  // [port]: routes
  std::vector<std::vector<User>> users_;                  // [output]
  std::vector<std::uint8_t> wanted_;  // [output]: 1: its users; 2: also the users of outputs that lead to it
  std::vector<bool> flits_;           // [port]
  std::vector<std::int64_t> flit_hops_;  // [port]
  Cycles last_start_ = 0;
  std::int64_t flit_ports_ = 0;
  std::int64_t sending_ = 0;  // number of ports that have sent a message
  Cycles at_ = -1;
  std::string reason_;
};

}  // namespace coppice::fabric
