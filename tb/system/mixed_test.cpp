// Tests `fidelity: auto` in runs in which few trains contend. The contending messages are sent as flits, and
// all others remain trains.
#include "programs.h"

namespace coppice::system_test {
namespace {

using Json = nlohmann::ordered_json;

class Mixed : public Programs {};

// A program in which a message between two accelerators contends with an all-reduce.
const char* const kAside = R"(
name: aside
ranks: 64
operations:
  - {name: sum, all_reduce: 64 KiB}
  - {name: aside, send: 16 KiB, from: 5, to: 22}
)";

TEST_F(Mixed, AutoUsesFlitsOnlyForMessagesThatContend) {
  const std::vector<std::string> settings{"collective.algorithm=multitree"};
  const auto with = [&](const char* fidelity) {
    std::vector<std::string> all = settings;
    all.push_back(std::string("fidelity=") + fidelity);
    return run("kind: torus, dims: [8, 8]", kAside, all);
  };
  Json automatic = with("auto");
  EXPECT_EQ(automatic["fidelity"], "train");
  EXPECT_THAT(automatic["fidelity_reason"].get<std::string>(), ::testing::HasSubstr("contention on"));
  const auto messages = automatic["trains"]["messages"].get<std::int64_t>();
  const auto as_flits = automatic["trains"]["as_flits"].get<std::int64_t>();
  EXPECT_EQ(messages, automatic["program"]["messages"].get<std::int64_t>());
  EXPECT_GT(as_flits, 0);
  EXPECT_LT(as_flits, messages / 4);
  Json flits = with("flit");
  for (const char* key : {"config", "simulator", "statistics", "fidelity", "fidelity_reason", "trains"}) {
    automatic.erase(key);
    flits.erase(key);
  }
  EXPECT_EQ(automatic, flits);
}

TEST_F(Mixed, TheSummaryStatesHowManyWereFlits) {
  shop.write("c.yaml", machine("kind: torus, dims: [8, 8]"));
  shop.write("p.yaml", kAside);
  const Outcome outcome = shop.run({"run", "c.yaml", "--set", "collective.algorithm=multitree"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              ::testing::ContainsRegex("[0-9]+ of [0-9]+ messages moved flit by flit: contention on"));
}

}  // namespace
}  // namespace coppice::system_test
