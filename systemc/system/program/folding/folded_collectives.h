#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "config/loader.h"
#include "system/program/compiled_collectives.h"
#include "system/program/folding/copy_pattern.h"
#include "system/program/folding/quotient_network.h"
#include "topology/routing/deadlock.h"
#include "workload/large_training.h"

namespace coppice::system {

// Thrown if copies of a program differ, so that one cannot represent the others. what() describes the
// difference.
class UnlikeCopies : public ModelError {
 public:
  using ModelError::ModelError;
};

// The program of copy 0 alone. Its rank i does what rank copies[0][i] of `replicated` does.
workload::Program fold_program(const workload::ReplicatedProgram& replicated);

// Compiles the collectives and transfers of a replicated program on its machine, then keeps only the tables
// of the accelerators of copy 0, with routes on the quotient network. In a collective among several copies,
// the messages that arrive are images of the messages that copy 0 sends (ni::ImageArrival). First, all copies
// are compared: the networks of their groups, the routes of their messages, and the tables of collectives
// among several copies. Copies that are equal and use separate channels do the same in the same cycles.
class FoldedCollectives final : public CollectiveSource {
 public:
  // All references must outlive this object.
  FoldedCollectives(const config::Loaded& loaded, const topology::Topology& machine,
                    const topology::RoutingFunction& routing, const QuotientNetwork& quotient,
                    const workload::ReplicatedProgram& replicated);

  // `program` is the result of fold_program(). Both functions throw UnlikeCopies in addition to ConfigError.
  const CompiledCollective* compiled_collective(const workload::Program& program,
                                                std::int32_t number) override;
  const CompiledCollective* compiled_transfer(const workload::Program& program, std::int32_t number) override;

  // Throws UnlikeCopies if messages could deadlock on the quotient network, even if they could not on the
  // machine.
  void require_deadlock_free() override;

 private:
  using Members = std::vector<topology::NodeId>;
  Members image(const Members& accelerators, std::size_t copy) const;
  CompiledCollective fold(const CompiledCollective& whole, const std::vector<std::size_t>& kept);
  CompiledCollective fold_joined(const workload::GroupCollective& collective, const Members& accelerators);
  schedule::TableEntry in_quotient(schedule::TableEntry entry) const;
  CopyPattern pattern_of(const CompiledCollective& whole, const std::vector<Bytes>& boundaries) const;
  std::vector<ni::ImageArrivals> arrivals_of(const CompiledCollective& whole, const CopyPattern& pattern,
                                             const CompiledCollective& folded,
                                             const std::vector<Bytes>& boundaries) const;
  void require_like_groups(const Members& accelerators);
  void require_own_channels(const CompiledCollective& whole, const CopyPattern& pattern) const;
  topology::Route route_image(topology::NodeId src, const topology::Route& route) const;
  void finish(CompiledCollective& folded);

  const config::Loaded& loaded_;
  const topology::Topology& machine_;
  const topology::RoutingFunction& routing_;
  const QuotientNetwork& quotient_;
  const workload::ReplicatedProgram& replicated_;
  int ni_ports_;
  CompiledCollectives compiler_;
  topology::ChannelDependencyGraph routes_;
  std::vector<int> copy_of_;  // [rank]; -1 for a rank outside the copies
  std::vector<int> role_of_;  // [rank]: its role; -1 outside the copies
  std::set<Members> compared_;
  std::map<std::tuple<Members, workload::CollectiveOp, Bytes, int>, std::unique_ptr<CompiledCollective>>
      collectives_;
  std::map<const CompiledCollective*, std::unique_ptr<CompiledCollective>> transfers_;
};

}  // namespace coppice::system
