#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "topology/routing/routing.h"

namespace coppice::fabric {

// Records where trains meet in a run, and selects the network-interface ports that send flits in the next
// run, so that messages that meet are simulated as flits and all others as trains (MixedFabric). A run that
// is no longer exact continues, so that all of its meetings are recorded instead of only the first.
//
// Ports are numbered node by node; outputs are numbered by the fabric (TrainFabric).
class Meetings {
 public:
  // The ports in `flit_ports` send flits from the start. A run is abandoned as soon as more than the fraction
  // `most` of all sending ports would have to send flits.
  explicit Meetings(std::vector<std::int32_t> flit_ports = {}, double most = 1)
      : given_(std::move(flit_ports)), most_(most) {}

  // Sets the number of outputs and of ports in the fabric. Call this before the run.
  void set_size(std::size_t outputs, std::size_t ports);

  // Records that a message of `port` uses `route` and therefore passes these outputs. `route` must remain
  // valid.
  void passes(std::int32_t port, const topology::Hop* route, std::span<const std::int32_t> outputs);
  // Records that a message of `port`, or a part of a message, starts in cycle `now` and has this number of
  // flit-hops.
  void sends(std::int32_t port, std::int64_t flit_hops, Cycles now) {
    flit_hops_[static_cast<std::size_t>(port)] += flit_hops;
    last_start_ = now;
  }
  // Records that all messages that pass the output must become flits.
  void want_users(std::int32_t output) { want(output, 1); }
  // Records that messages meet at the output. All messages that pass it, or that pass any output leading to
  // it, must become flits.
  void want_users_and_feeders(std::int32_t output) { want(output, 2); }
  // Records that all messages of the port must become flits.
  void want_port(std::int32_t port);
  // Whether cycle `at` precedes the first known event that makes the run inexact; true if no such event is
  // known.
  bool earlier(Cycles at) const { return at_ < 0 || at < at_; }
  void set_reason(Cycles at, std::string reason);

  // Whether messages have met in a way that makes the run inexact.
  bool met() const { return at_ >= 0; }
  Cycles at() const { return at_; }
  const std::string& reason() const { return reason_; }
  // The fraction of sending ports that must send flits.
  double share() const;
  // Whether share() exceeds `most`; false until the average port has sent enough messages for a judgement.
  // May be called during the run.
  bool too_many() const;
  // Whether simulating the flits costs at most the fraction `most` of the cost of a flit run with leaps. Call
  // this after the run.
  bool pays() const;
  // The ports that must send flits in the next run: those of this run, and those whose messages met in this
  // run.
  std::vector<std::int32_t> flit_ports() const;
  // The ports that sent flits in this run.
  const std::vector<std::int32_t>& given() const { return given_; }

  // Statistics of the run.
  std::int64_t messages = 0;
  std::int64_t as_flits = 0;

 private:
  // A port whose messages pass an output, and the previous output on their path (-1 if there is none).
  struct User {
    std::int32_t port;
    std::int32_t feeder;
  };

  void want(std::int32_t output, int level);

  std::vector<std::int32_t> given_;
  double most_;
  std::vector<std::vector<const topology::Hop*>> known_;  // [port]: routes
  std::vector<std::vector<User>> users_;                  // [output]
  std::vector<std::uint8_t> wanted_;  // [output]: 1 if messages that pass it become flits; 2 if messages that
                                      // pass outputs leading to it become flits, too
  std::vector<bool> flits_;           // [port]
  std::vector<std::int64_t> flit_hops_;  // [port]
  Cycles last_start_ = 0;
  std::int64_t flit_ports_ = 0;
  std::int64_t sending_ = 0;  // number of ports that have sent a message
  Cycles at_ = -1;
  std::string reason_;
};

}  // namespace coppice::fabric
