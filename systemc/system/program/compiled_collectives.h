#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/loader.h"
#include "fabric/framing.h"
#include "fabric/route_timing.h"
#include "ni/issue/image_arrivals.h"
#include "schedule/automatic/automatic.h"
#include "schedule/proof/checker.h"
#include "schedule/tables/schedule.h"
#include "system/machine/build.h"
#include "system/machine/least_time.h"
#include "system/machine/like_network.h"
#include "system/program/group_network.h"
#include "topology/routing/deadlock.h"
#include "workload/program.h"

namespace coppice::system {

// For a collective among several copies of a program: describes the messages that arrive from other copies,
// as seen from the one copy that represents them all (folding/folded_collectives.h).
struct CollectiveImages {
  schedule::Schedule outline;  // the collective of all copies, with empty tables
  // The contribution_boundaries() of the collective of all copies.
  std::shared_ptr<const std::vector<Bytes>> boundaries;
  std::vector<topology::NodeId> members;    // [interface]: its member number in the collective of all copies
  std::vector<ni::ImageArrivals> arrivals;  // [interface]: the messages that arrive there
};

// A collective or transfer in the form that the network interfaces of its members execute.
struct CompiledCollective {
  workload::CollectiveOp op = workload::CollectiveOp::kAllReduce;
  schedule::Schedule schedule;  // [index in `interfaces`]; entries refer to nodes of the machine
  schedule::CheckReport report;
  // For algorithm `auto`: all candidates. The first one is the fastest and is chosen.
  std::vector<schedule::ExpectedTime> expected;
  std::vector<topology::NodeId> accelerators;  // the members' accelerators on the machine
  // The network interfaces of the members, followed by those of the reducing switches that serve them.
  std::vector<topology::NodeId> interfaces;
  std::vector<std::int64_t> arrivals;  // [interface]: number of messages that arrive; empty: not counted
  std::vector<std::int64_t> entries;   // [interface]: number of table entries; empty: not counted
  LeastTime least;                     // lower bounds on any schedule; groups are lists of members
  double bandwidth_ns = 0;             // the bandwidth bound
  double least_ns = 0;                 // the larger of the bandwidth and latency bounds
  std::string late;                    // why messages may arrive later than the lockstep assumes
  std::int64_t messages = 0;
  double flit_hops = 0;  // a lower bound on the routers that a flit passes, summed over flits
  std::optional<fabric::RouteTiming> timing{};  // of a transfer's route
  // Set only if the schedule contains the tables of a single copy of the program.
  std::shared_ptr<const CollectiveImages> images{};
};

// Compiles the collectives and transfers of a program.
class CollectiveSource {
 public:
  virtual ~CollectiveSource() = default;
  // The compiled form of collective or transfer `number`. nullptr for a group of one rank, which moves no
  // data. Throws ConfigError if the algorithm does not support the group's network.
  virtual const CompiledCollective* compiled_collective(const workload::Program& program,
                                                        std::int32_t number) = 0;
  virtual const CompiledCollective* compiled_transfer(const workload::Program& program,
                                                      std::int32_t number) = 0;
  // Throws a ConfigError that names a cycle of channels if the messages of all compiled schedules together
  // could deadlock.
  virtual void require_deadlock_free() = 0;
};

// Counts the messages, flit-hops, arrivals and entries of a collective on `machine`, and stores the counts.
void count_messages(CompiledCollective& compiled, const topology::Topology& machine,
                    const fabric::Framing& framing);

fabric::Framing framing_of(const config::SystemConfig& system);

// Lower bounds on the time of a group's collective with any schedule, on the group's own network.
struct GroupBound {
  std::string network;                         // name of the network
  std::vector<topology::NodeId> accelerators;  // [member]: accelerator of the machine
  LeastTime least;                             // groups are lists of members
  double bandwidth_ns = 0;                     // as in CompiledCollective
  std::vector<double> lengths{};               // [channel of the network]: see routing/all_to_all_bound.h
};

// Settings for compiling the collectives of a program.
struct CompileOptions {
  GroupRouting ways = GroupRouting::kOwnNetwork;
  // Whether the program is a single collective of all accelerators. Deadlock is then excluded when its
  // schedule is compiled, and no entries or arrivals are counted, since interfaces hold its tables from the
  // start.
  bool alone = false;
  std::optional<int> pattern_beyond{};  // overrides CompileRequest::pattern_beyond
};

// Compiles and checks the schedules of a program's collectives and transfers. Each distinct schedule is
// compiled once.
class CompiledCollectives final : public CollectiveSource {
 public:
  // All references must outlive this object.
  CompiledCollectives(const config::Loaded& loaded, const topology::Topology& machine,
                      const topology::RoutingFunction& routing, const CompileOptions& options = {});

  const CompiledCollective* compiled_collective(const workload::Program& program,
                                                std::int32_t number) override;
  const CompiledCollective* compiled_transfer(const workload::Program& program, std::int32_t number) override;
  // Compiles a collective among at least two accelerators. The collective's root is an index in
  // `accelerators`.
  const CompiledCollective& collective(const workload::GroupCollective& collective,
                                       const std::vector<topology::NodeId>& accelerators);
  // The size of a collective's buffer, rounded up to whole elements and to at least one element per member.
  Bytes bytes_of(const workload::GroupCollective& collective, std::size_t members) const;
  // Like collective(), but the result is not kept, and require_deadlock_free() does not consider its routes.
  CompiledCollective placed(const workload::GroupCollective& collective,
                            const std::vector<topology::NodeId>& accelerators);
  // Like collective(), but without bounds, and for the group's own network instead of the machine.
  CompiledCollective unplaced(const workload::GroupCollective& collective,
                              const std::vector<topology::NodeId>& accelerators);
  const GroupNetwork& network(const std::vector<topology::NodeId>& accelerators);
  // The lower bounds on a collective's time, which hold for any algorithm.
  GroupBound bound(const workload::GroupCollective& collective,
                   const std::vector<topology::NodeId>& accelerators);
  const CompiledCollective& transfer(topology::NodeId source, topology::NodeId destination, Bytes bytes);

  void require_deadlock_free() override;

 private:
  using Members = std::vector<topology::NodeId>;
  struct Transfer {
    topology::NodeId source;
    topology::NodeId destination;
    Bytes bytes;
    bool operator==(const Transfer&) const = default;
  };
  struct TransferHash {
    std::size_t operator()(const Transfer& transfer) const {
      constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
      const auto ends = static_cast<std::uint64_t>(transfer.source) << 32U |
                        static_cast<std::uint64_t>(transfer.destination);
      return (ends * kOdd ^ static_cast<std::uint64_t>(transfer.bytes)) * kOdd;
    }
  };
  CompiledCollective compile(const workload::GroupCollective& collective, const GroupNetwork& network,
                             topology::NodeId root, Bytes bytes);
  CheckedSchedule build(const workload::GroupCollective& collective, const GroupNetwork& network,
                        topology::NodeId root, Bytes bytes) const;
  GroupBound bound(workload::CollectiveOp op, const schedule::Schedule& schedule, const GroupNetwork& network,
                   Bytes bytes) const;
  topology::Topology own_links(const Members& accelerators) const;
  // The fastest protocol for a transfer whose flits take the time `flit`.
  std::optional<schedule::Protocol> transfer_protocol(Femtoseconds flit, Bytes bytes) const;
  void count_roughly(CompiledCollective& compiled) const;
  void add_routes(const CompiledCollective& compiled);

  const config::Loaded& loaded_;
  const topology::Topology& machine_;
  const topology::RoutingFunction& routing_;
  CompileOptions options_;
  int ni_ports_;
  LikeNetwork like_;
  fabric::Framing framing_;
  topology::ChannelDependencyGraph routes_;
  bool proven_ = true;  // whether routes_ has been proven free of cycles since the last change
  // The pairs of accelerators whose transfers are in routes_.
  std::set<std::pair<topology::NodeId, topology::NodeId>> sent_;
  std::map<Members, std::unique_ptr<GroupNetwork>> networks_;
  std::map<std::tuple<Members, workload::CollectiveOp, Bytes, topology::NodeId>,
           std::unique_ptr<CompiledCollective>>
      compiled_;
  // Transfers, keyed by the numbers of their two accelerators and by size.
  std::unordered_map<Transfer, std::unique_ptr<CompiledCollective>, TransferHash> transfers_;
  // Collectives that have not been placed on the machine, by the shape of the group's network.
  std::map<std::tuple<std::string, workload::CollectiveOp, Bytes, topology::NodeId>, CompiledCollective>
      shapes_;
};

}  // namespace coppice::system
