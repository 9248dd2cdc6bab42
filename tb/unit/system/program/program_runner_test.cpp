// Tests the order in which a rank's network interface loads collectives into its contexts.
#include "system/program/program_runner.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "small_program.h"
#include "system/program/program_machine.h"

namespace coppice::system {
namespace {

// The order in which collectives (numbered from 1) end if each interface has `contexts` contexts.
std::vector<int> order_of(const std::string& text, int contexts) {
  const auto json = run_in_child(
      [&] {
        SmallProgram small("kind: ring, dims: [4]", text, {"system.ni.contexts=" + std::to_string(contexts)});
        const auto jobs = jobs_of(small.machine.loaded().config, small.program);
        PreparedProgram prepared(small.machine.loaded(), "program", small.program, jobs,
                                 small.machine.topology(), nullptr, GroupRouting::kOwnNetwork);
        const RunOptions options;
        ProgramMachine machine({.loaded = small.machine.loaded(),
                                .program = small.program,
                                .jobs = jobs,
                                .prepared = prepared,
                                .fidelity = config::Fidelity::kFlit,
                                .gate = nullptr},
                               options);
        machine.run();
        nlohmann::ordered_json ended;
        for (ni::ContextId id = 1; id <= machine.state().exchanges(); ++id) {
          ended.push_back(machine.state().exchange(id).ended);
        }
        return ended;
      },
      nullptr);
  std::vector<int> order;
  for (int i = 1; i <= static_cast<int>(json.size()); ++i) order.push_back(i);
  std::ranges::sort(order, {}, [&](int i) { return json[static_cast<std::size_t>(i - 1)].get<Cycles>(); });
  return order;
}

// The first collective occupies the only context while the other collectives become ready.
constexpr const char* kFirst =
    "ranks: 4\noperations:\n"
    "  - {name: first, all_reduce: 64 KiB}\n"
    "  - {rank: all, name: later, compute: 100 ns}\n";

TEST(ProgramRunner, LoadsTheMostUrgentWaitingTables) {
  const std::string text = std::string(kFirst) +
                           "  - {name: low, all_reduce: 4 KiB, after: later, priority: -1}\n"
                           "  - {name: plain, all_reduce: 4 KiB, after: later}\n"
                           "  - {name: high, all_reduce: 4 KiB, after: later, priority: 3}\n";
  EXPECT_THAT(order_of(text, 1), ::testing::ElementsAre(1, 4, 3, 2));
}

TEST(ProgramRunner, LoadsTablesOfEqualPriorityInOrder) {
  const std::string text = std::string(kFirst) +
                           "  - {name: one, all_reduce: 4 KiB, after: later, priority: 2}\n"
                           "  - {name: two, all_reduce: 4 KiB, after: later, priority: 2}\n";
  EXPECT_THAT(order_of(text, 1), ::testing::ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace coppice::system
