#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "topology/routing/routing.h"

namespace coppice::fabric {

// Records where trains meet in a run, and decides which ports of network interfaces send flits in the next
// run, so that messages that meet are simulated as flits and all others as trains (MixedFabric). An inexact
// run continues, so that the next run knows all its meetings, not only the first.
//
// Ports are counted node by node, outputs are the fabric's (TrainFabric).
class Meetings {
 public:
  // These ports send flits from the start. A run is given up as soon as more than the share `most` of all
  // that send would have to.
  explicit Meetings(std::vector<std::int32_t> flit_ports = {}, double most = 1)
      : given_(std::move(flit_ports)), most_(most) {}

  // Sets the sizes of the fabric; call it before the run.
  void set_size(std::size_t outputs, std::size_t ports);

  // A message of `port` uses `route`, which must stay in place, through these outputs.
  void passes(std::int32_t port, const topology::Hop* route, std::span<const std::int32_t> outputs);
  // A message of `port`, or a part of it, starts in cycle `now` and has this many flit-hops.
  void sends(std::int32_t port, std::int64_t flit_hops, Cycles now) {
    flit_hops_[static_cast<std::size_t>(port)] += flit_hops;
    last_start_ = now;
  }
  // All messages through the output have to be flits.
  void want_users(std::int32_t output) { want(output, 1); }
  // Messages meet at the output: those through any output that leads to it must become flits, too.
  void want_users_and_feeders(std::int32_t output) { want(output, 2); }
  // All messages of the port have to be flits.
  void want_port(std::int32_t port);
  // Why the run is not exact, first of all; the earliest cycle counts.
  bool earlier(Cycles at) const { return at_ < 0 || at < at_; }
  void set_reason(Cycles at, std::string reason);

  // Whether the run is not exact.
  bool met() const { return at_ >= 0; }
  Cycles at() const { return at_; }
  const std::string& reason() const { return reason_; }
  // The share of sending ports that are to send flits.
  double share() const;
  // Whether the share exceeds `most` among so many messages that it will stay so: known while the run is in
  // progress.
  bool too_many() const;
  // Whether their flits would cost no more than a part `most` of a run of leaps: known when it is over.
  bool pays() const;
  // The ports that are to send flits in the next run: those of this run and more.
  std::vector<std::int32_t> flit_ports() const;
  // That sent them in this one.
  const std::vector<std::int32_t>& given() const { return given_; }

  // Counts of the run.
  std::int64_t messages = 0;
  std::int64_t as_flits = 0;

 private:
  // A port of which messages pass an output, and the output before it on their way; -1: none.
  struct User {
    std::int32_t port;
    std::int32_t feeder;
  };

  void want(std::int32_t output, int level);

  std::vector<std::int32_t> given_;
  double most_;
  std::vector<std::vector<const topology::Hop*>> known_;  // [port] routes
  std::vector<std::vector<User>> users_;                  // [output]
  std::vector<std::uint8_t> wanted_;                      // [output] 1: users, 2: of what leads to it, too
  std::vector<bool> flits_;                               // [port]
  std::vector<std::int64_t> flit_hops_;                   // [port]
  Cycles last_start_ = 0;
  std::int64_t flit_ports_ = 0;
  std::int64_t sending_ = 0;  // ports that have sent anything
  Cycles at_ = -1;
  std::string reason_;
};

}  // namespace coppice::fabric
