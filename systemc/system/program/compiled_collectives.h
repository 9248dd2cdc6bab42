#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/loader.h"
#include "fabric/framing.h"
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

// A collective over a group, or a transfer, as the network interfaces of its members execute it.
struct CompiledCollective {
  workload::CollectiveOp op = workload::CollectiveOp::kAllReduce;
  schedule::Schedule schedule;  // nodes in the order of `interfaces`; entries name nodes of the machine
  schedule::CheckReport report;
  std::vector<schedule::ExpectedTime>
      expected;  // for algorithm auto: the choice, then the other candidates by increasing time
  std::vector<topology::NodeId> accelerators;  // of the machine
  // The members' interfaces, then those of their reducing switches.
  std::vector<topology::NodeId> interfaces;
  std::vector<std::int64_t> arrivals;  // [interface]: messages that arrive there; empty: not counted
  std::vector<std::int64_t> entries;   // [interface]: entries of all its tables; empty: not counted
  LeastTime least;                     // lower bounds on any schedule; groups consist of members
  double bandwidth_ns = 0;             // the bound that ignores latency
  double least_ns = 0;                 // the larger of the two
  std::string late;                    // why messages may arrive later than the lockstep expects
  std::int64_t messages = 0;
  double flit_hops = 0;  // lower bound: the routers on the paths of its flits
};

// Lower bounds on any schedule of a group's collective, on the group's own network.
struct GroupBound {
  std::string network;                         // its name
  std::vector<topology::NodeId> accelerators;  // of the machine, in the network's order
  LeastTime least;                             // groups consist of members
  double bandwidth_ns = 0;                     // as in CompiledCollective
  std::vector<double> lengths{};  // lengths of the network's channels (routing/all_to_all_bound.h)
};

// Settings for compiling the collectives of a program.
struct CompileOptions {
  GroupRouting ways = GroupRouting::kOwnNetwork;
  // Whether the program is a single collective of all accelerators: its own proof covers deadlock, and the
  // network interfaces, which hold its tables from the start, need no counts of entries and arrivals.
  bool alone = false;
  std::optional<int> pattern_beyond{};  // overrides CompileRequest::pattern_beyond
};

// The schedules of a program's collectives and transfers. Equal ones are compiled once, and all are checked.
class CompiledCollectives {
 public:
  // All references must outlive this object.
  CompiledCollectives(const config::Loaded& loaded, const topology::Topology& machine,
                      const topology::RoutingFunction& routing, const CompileOptions& options = {});

  // The collective of `bytes` among at least two `accelerators`; the root is an index into them. Throws
  // ConfigError if the algorithm is not defined on the group's network.
  const CompiledCollective& collective(const workload::GroupCollective& collective,
                                       const std::vector<topology::NodeId>& accelerators);
  // Like collective(), but on the group's own network, not placed on the machine, and without bounds.
  CompiledCollective unplaced(const workload::GroupCollective& collective,
                              const std::vector<topology::NodeId>& accelerators);
  // The network of a group.
  const GroupNetwork& network(const std::vector<topology::NodeId>& accelerators);
  // The lower bounds of a collective for any algorithm.
  GroupBound bound(const workload::GroupCollective& collective,
                   const std::vector<topology::NodeId>& accelerators);
  const CompiledCollective& transfer(topology::NodeId source, topology::NodeId destination, Bytes bytes);

  // Throws ConfigError naming the cycle if messages of all compiled schedules could deadlock together.
  void require_deadlock_free();

 private:
  using Members = std::vector<topology::NodeId>;
  CompiledCollective compile(const workload::GroupCollective& collective, const GroupNetwork& network,
                             topology::NodeId root, Bytes bytes);
  CheckedSchedule build(const workload::GroupCollective& collective, const GroupNetwork& network,
                        topology::NodeId root, Bytes bytes) const;
  GroupBound bound(workload::CollectiveOp op, const schedule::Schedule& schedule, const GroupNetwork& network,
                   Bytes bytes) const;
  Bytes bytes_of(const workload::GroupCollective& collective, std::size_t members) const;
  topology::Topology own_links(const Members& accelerators) const;
  std::optional<schedule::Protocol> transfer_protocol(topology::NodeId source, const topology::Route& route,
                                                      Bytes bytes) const;
  void count(CompiledCollective& compiled) const;
  void count_messages(CompiledCollective& compiled) const;
  void add_routes(const CompiledCollective& compiled);

  const config::Loaded& loaded_;
  const topology::Topology& machine_;
  const topology::RoutingFunction& routing_;
  CompileOptions options_;
  int ni_ports_;
  LikeNetwork like_;
  fabric::Framing framing_;
  topology::ChannelDependencyGraph routes_;
  bool proven_ = true;                                            // routes_ is free of cycles
  std::set<std::pair<topology::NodeId, topology::NodeId>> sent_;  // transfers whose routes are in routes_
  std::map<Members, std::unique_ptr<GroupNetwork>> networks_;
  std::map<std::tuple<Members, workload::CollectiveOp, Bytes, topology::NodeId>,
           std::unique_ptr<CompiledCollective>>
      compiled_;
  // Collectives in the numbering of their group, by the shape of its network.
  std::map<std::tuple<std::string, workload::CollectiveOp, Bytes, topology::NodeId>, CompiledCollective>
      shapes_;
};

}  // namespace coppice::system
