#include "system/open/open_run.h"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "small_program.h"
#include "system/program/lone_collective.h"
#include "system/program/program_run.h"

namespace coppice::system {
namespace {

using workload::CollectiveOp;

// A message or collective requested from an open run, with the times of its request and completion.
struct Asked {
  std::vector<int> ranks;  // of a message: the source and the destination
  bool collective = false;
  CollectiveOp op = CollectiveOp::kAllReduce;
  Bytes bytes = 0;
  Femtoseconds begun = 0;
  Femtoseconds ended = -1;
};

// Converts the requests of an open run into a program: each rank computes until the cycle of its next
// request.
class AsProgram {
 public:
  AsProgram(const std::vector<Asked>& all, int ranks, Femtoseconds period) : period_(period) {
    program_.name = "replay";
    program_.ranks.resize(static_cast<std::size_t>(ranks));
    at_.assign(static_cast<std::size_t>(ranks), {0, -1});
    for (std::size_t i = 0; i < all.size(); ++i) add(fmt::format("o{}", i), all[i]);
  }
  const workload::Program& program() const { return program_; }

 private:
  void add(const std::string& name, const Asked& one) {
    if (one.collective) {
      program_.groups.push_back({name, one.ranks});
      workload::GroupCollective collective;
      collective.name = name;
      collective.op = one.op;
      collective.group = static_cast<int>(program_.groups.size()) - 1;
      collective.bytes = one.bytes;
      program_.collectives.push_back(collective);
      const auto number = static_cast<std::int32_t>(program_.collectives.size()) - 1;
      for (const int rank : one.ranks) add_at(rank, name, one.begun, workload::JoinCollective{number});
      return;
    }
    program_.transfers.push_back({name, one.ranks[0], one.ranks[1], one.bytes, ""});
    const auto number = static_cast<std::int32_t>(program_.transfers.size()) - 1;
    operations(one.ranks[1]).push_back({name, workload::Receive{number}, {}, 0});
    add_at(one.ranks[0], name, one.begun, workload::Send{number});
  }

  template <typename Work>
  void add_at(int rank, const std::string& name, Femtoseconds begun, const Work& work) {
    auto& list = operations(rank);
    auto& [cycle, last] = at_[static_cast<std::size_t>(rank)];
    const Cycles begins = (begun + period_ - 1) / period_;
    if (begins > cycle) {
      std::vector<std::int32_t> after;
      if (last >= 0) after.push_back(last);
      list.push_back({"wait", workload::Compute{.duration = (begins - cycle) * period_}, after, 0});
      last = static_cast<std::int32_t>(list.size()) - 1;
      cycle = begins;
    }
    std::vector<std::int32_t> after;
    if (last >= 0) after.push_back(last);
    list.push_back({name, work, after, 0});
  }

  std::vector<workload::Operation>& operations(int rank) {
    return program_.ranks[static_cast<std::size_t>(rank)].operations;
  }

  Femtoseconds period_;
  workload::Program program_;
  std::vector<std::pair<Cycles, std::int32_t>>
      at_{};  // for each rank, the end and the number of its last computation
};

// Runs a program. Returns the end time of each collective and message in nanoseconds, keyed by name.
std::map<std::string, double> ends(const config::Loaded& loaded, const workload::Program& program) {
  const KernelContext kernel;
  const KernelContext::Use use(kernel);
  const auto result = run_program(loaded, program, {});
  std::map<std::string, double> ends;
  for (const auto& one : result["collectives"]) ends[one["name"]] = one["end_ns"].get<double>();
  return ends;
}

double ns(Femtoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
}

// Requests random messages and collectives at random times. About half of the requests are made in completion
// callbacks.
class RandomRun {
 public:
  RandomRun(const config::Loaded& loaded, std::uint32_t seed, bool collectives)
      : random_(seed), collectives_(collectives), run_(loaded) {
    run_.on_done = [this](OpenRun::Id id) { done(id); };
  }

  std::vector<Asked> all() {
    for (int i = 0; i < 12; ++i) {
      if (below(3) > 0) run_.advance(run_.now() + below(3'000'000) * Femtoseconds{777});
      for (int k = below(4); k >= 0; --k) ask();
    }
    run_.drain();
    return asked_;
  }
  int ranks() const { return run_.accelerators(); }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }

  void ask() {
    Asked one;
    one.bytes = 1 + below(below(3) == 0 ? 20000 : 300);
    one.begun = run_.now();
    const int ranks = run_.accelerators();
    one.collective = collectives_ && below(4) == 0;
    OpenRun::Id id = 0;
    if (one.collective) {
      static const CollectiveOp kOps[] = {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter,
                                          CollectiveOp::kAllGather, CollectiveOp::kAllToAll};
      one.op = kOps[below(4)];
      // A ring of any other group could deadlock together with the messages.
      const int members = below(2) == 0 ? ranks : 2;
      for (int rank = 0; rank < members; ++rank) one.ranks.push_back(rank);
      id = run_.collective({one.op, one.bytes, one.ranks});
    } else {
      const int from = below(ranks);
      one.ranks = {from, (from + 1 + below(ranks - 1)) % ranks};
      id = run_.send(one.ranks[0], one.ranks[1], one.bytes);
    }
    flying_[id] = asked_.size();
    asked_.push_back(one);
  }

  void done(OpenRun::Id id) {
    asked_[flying_.at(id)].ended = run_.now();
    flying_.erase(id);
    if (asked_.size() < 60 && below(2) == 0) ask();
  }

  std::mt19937 random_;
  bool collectives_;
  OpenRun run_;
  std::vector<Asked> asked_;
  std::map<OpenRun::Id, std::size_t> flying_;
};

void expect_as_program(const std::string& topology, const std::vector<std::string>& overrides,
                       std::uint32_t seed, bool collectives) {
  const SmallMachine machine(topology, overrides);
  RandomRun run(machine.loaded(), seed, collectives);
  const std::vector<Asked> all = run.all();
  const AsProgram same(all, run.ranks(), machine.loaded().config.system.clock.period());
  const auto expected = ends(machine.loaded(), same.program());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Asked& one = all[i];
    ASSERT_EQ(ns(one.ended), expected.at(fmt::format("o{}", i)))
        << topology << " seed " << seed << " of " << all.size() << ": "
        << (one.collective ? to_string(one.op) : "message") << " from " << one.ranks[0] << " to "
        << one.ranks[1] << ", " << one.bytes << " B, begun at " << ns(one.begun);
  }
}

const std::vector<std::string> kNetworks{"kind: torus, dims: [4, 2]",
                                         "kind: switch, dims: [8]",
                                         "kind: mesh, dims: [3, 3]",
                                         "kind: fat_tree, dims: [4, 2]",
                                         "kind: dgx1",
                                         "kind: ring, dims: [5]",
                                         "kind: fully_connected, dims: [4]"};

TEST(OpenRun, SendsLikeAProgram) {
  for (std::uint32_t seed = 0; seed < 21; ++seed) {
    expect_as_program(kNetworks[seed % kNetworks.size()],
                      {"fidelity=flit", "check=contributions",
                       seed % 2 == 0 ? "system.ni.flow_control=packet" : "system.ni.flow_control=message"},
                      seed, false);
  }
}

// A program loads tables ahead of time. Since loading takes no time here, the open run must have the same
// times.
TEST(OpenRun, RunsCollectivesLikeAProgram) {
  for (std::uint32_t seed = 0; seed < 14; ++seed) {
    expect_as_program(kNetworks[seed % kNetworks.size()],
                      {"fidelity=flit", "check=contributions", "system.ni.contexts=64",
                       "system.ni.table_load=0", "collective.algorithm=ring"},
                      seed, true);
  }
}

// A collective that is requested at time 0 takes as long as with `coppice run`.
TEST(OpenRun, RunsACollectiveLikeTheCommand) {
  for (const char* const fidelity : {"flit", "train"}) {
    for (const char* const algorithm : {"ring", "multitree", "auto"}) {
      for (const char* const op : {"all_reduce", "all_gather", "broadcast"}) {
        if (std::string(op) == "broadcast" && std::string(algorithm) == "ring") continue;
        const SmallMachine machine(
            "kind: torus, dims: [4, 4]",
            {std::string("fidelity=") + fidelity, "check=contributions", std::string("collective.op=") + op,
             "collective.size=64 KiB", std::string("collective.algorithm=") + algorithm});
        OpenRun run(machine.loaded());
        const auto& wanted = machine.loaded().config.collective;
        run.collective({wanted.op, wanted.size});
        run.drain();
        const KernelContext kernel;
        const KernelContext::Use use(kernel);
        const auto result = run_program(machine.loaded(), make_lone_collective(machine.loaded()), {});
        EXPECT_EQ(ns(run.now()), result["time_ns"].get<double>())
            << fidelity << " " << algorithm << " " << op;
      }
    }
  }
}

// Sends messages one at a time: the completion of each message starts the next one. Returns the completion
// times.
std::vector<Femtoseconds> chain(const std::string& topology, const std::string& fidelity) {
  const SmallMachine machine(topology, {"fidelity=" + fidelity, "check=contributions"});
  OpenRun run(machine.loaded());
  std::mt19937 random(3);
  std::vector<Femtoseconds> ends;
  const auto send = [&] {
    const auto ranks = static_cast<std::uint32_t>(run.accelerators());
    const auto from = static_cast<int>(random() % ranks);
    const int to = (from + 1 + static_cast<int>(random() % (ranks - 1))) % run.accelerators();
    run.send(from, to, static_cast<Bytes>(random() % 5000));
  };
  run.on_done = [&](OpenRun::Id) {
    ends.push_back(run.now());
    if (ends.size() < 40) send();
  };
  send();
  run.drain();
  return ends;
}

TEST(OpenRun, SendsTrainsThatTakeTheTimeOfFlits) {
  for (const std::string& network : kNetworks) {
    const auto flits = chain(network, "flit");
    EXPECT_EQ(flits.size(), 40U);
    EXPECT_EQ(chain(network, "train"), flits) << network;
  }
}

TEST(OpenRun, ReportsTheTimeOfTheNextEvent) {
  const SmallMachine machine("kind: ring, dims: [4]", {"fidelity=train"});
  OpenRun run(machine.loaded());
  EXPECT_EQ(run.next(), std::nullopt);
  Femtoseconds came = 0;
  run.on_done = [&](OpenRun::Id) { came = run.now(); };
  run.send(0, 1, 4096);
  EXPECT_EQ(run.next(), 0);
  while (run.in_flight() > 0) {
    const auto next = run.next();
    ASSERT_TRUE(next);
    run.advance(*next);
    EXPECT_EQ(run.now(), *next);
  }
  EXPECT_EQ(run.now(), came);
}

}  // namespace
}  // namespace coppice::system
