// Tests programs whose collectives are delayed by a controller.
#include "system/program/program_machine.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>

#include "small_program.h"

namespace coppice::system {
namespace {

// Delays the start of every collective until `after` cycles after its last rank has joined.
class LateGate final : public CollectiveGate {
 public:
  LateGate(std::size_t ranks, Cycles after) : ranks_(ranks), after_(after) {}
  void join(int /*rank*/, std::int32_t /*collective*/, Cycles now,
            std::function<void(Cycles)> begin) override {
    begins_.push_back(std::move(begin));
    if (begins_.size() < ranks_) return;
    ++opened_;
    for (const auto& ready : std::exchange(begins_, {})) ready(now + after_);
  }
  int opened() const { return opened_; }

 private:
  std::size_t ranks_;
  Cycles after_;
  int opened_ = 0;
  std::vector<std::function<void(Cycles)>> begins_;
};

const char* const kTwoSums = R"(
ranks: 4
operations:
  - {name: a, all_reduce: 4 KiB}
  - {name: b, all_reduce: 8 KiB, after: [a]}
)";

struct Ran {
  Cycles cycles;
  int opened;
  bool changes_routes;
};

Ran run(config::Fidelity fidelity, Cycles late, GroupRouting ways = GroupRouting::kOwnNetwork) {
  const auto json = run_in_child(
      [&] {
        SmallProgram small("kind: ring, dims: [4]", kTwoSums);
        const auto jobs = jobs_of(small.machine.loaded().config, small.program);
        PreparedProgram prepared(small.machine.loaded(), "program", small.program, jobs,
                                 small.machine.topology(), nullptr, ways);
        LateGate gate(4, late);
        const RunOptions options;
        ProgramMachine machine({.loaded = small.machine.loaded(),
                                .program = small.program,
                                .jobs = jobs,
                                .prepared = prepared,
                                .fidelity = fidelity,
                                .gate = late > 0 ? &gate : nullptr},
                               options);
        machine.run();
        return nlohmann::ordered_json{{"complete", machine.complete()},
                                      {"cycles", machine.state().last()},
                                      {"opened", gate.opened()},
                                      {"changes_routes", machine.route_changes() != nullptr}};
      },
      nullptr);
  EXPECT_TRUE(json["complete"]);
  return {json["cycles"].get<Cycles>(), json["opened"].get<int>(), json["changes_routes"].get<bool>()};
}

// Each collective starts only when its gate opens. The ring is idle before the second collective, so both
// have the same delay.
TEST(ProgramMachine, StartsCollectivesWhenTheGateOpens) {
  for (const auto fidelity : {config::Fidelity::kTrain, config::Fidelity::kFlit, config::Fidelity::kFluid}) {
    const Ran open = run(fidelity, 0);
    EXPECT_EQ(open.opened, 0);
    const Ran held = run(fidelity, 700);
    EXPECT_EQ(held.opened, 2);
    EXPECT_EQ(held.cycles, open.cycles + 2 * 700);
  }
}

TEST(ProgramMachine, ChangesOnlyTheRoutesOfFlows) {
  EXPECT_TRUE(run(config::Fidelity::kFluid, 0).changes_routes);
  EXPECT_FALSE(run(config::Fidelity::kFlit, 0).changes_routes);
  EXPECT_FALSE(run(config::Fidelity::kTrain, 0).changes_routes);
}

// Each member of a collective reports its sums exactly once, with its own number.
TEST(ProgramMachine, PassesOnTheValuesOfEveryMember) {
  for (const char* group : {"[0, 1, 2, 3]", "[1, 3]"}) {
    const auto json = run_in_child(
        [&] {
          SmallProgram small("kind: ring, dims: [4]",
                             "ranks: 4\ngroups: {g: " + std::string(group) +
                                 "}\noperations:\n  - {name: a, all_reduce: 256 B, group: g}\n",
                             {"check=values"});
          const auto jobs = jobs_of(small.machine.loaded().config, small.program);
          PreparedProgram prepared(small.machine.loaded(), "program", small.program, jobs,
                                   small.machine.topology(), nullptr, GroupRouting::kOwnNetwork);
          auto values = nlohmann::ordered_json::array();
          RunOptions options;
          options.final_values = [&values](int accelerator, std::span<const float> sums) {
            values.push_back(
                {{"accelerator", accelerator}, {"sums", std::vector<float>(sums.begin(), sums.end())}});
          };
          ProgramMachine machine({.loaded = small.machine.loaded(),
                                  .program = small.program,
                                  .jobs = jobs,
                                  .prepared = prepared,
                                  .fidelity = config::Fidelity::kFlit},
                                 options);
          machine.run();
          return nlohmann::ordered_json{{"values", values}};
        },
        nullptr);
    std::vector<int> members;
    for (const auto& one : json["values"]) {
      members.push_back(one["accelerator"].get<int>());
      EXPECT_EQ(one["sums"].size(), 64U);
      EXPECT_EQ(one["sums"], json["values"][0]["sums"]);
    }
    std::ranges::sort(members);
    EXPECT_EQ(members, nlohmann::json::parse(group).get<std::vector<int>>());
  }
}

TEST(ProgramMachine, RunsGroupsOverTheMachinesRoutes) {
  EXPECT_GT(run(config::Fidelity::kFlit, 0, GroupRouting::kRouted).cycles, 0);
}

}  // namespace
}  // namespace coppice::system
