#include "schedule/files/schedule_file.h"

#include <gmock/gmock.h>

#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "machine.h"
#include "schedule/files/print.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using testing::StartsWith;

std::string printed(const Machine& machine, const Schedule& schedule) {
  return to_json(machine.topology, schedule, check_schedule(machine.topology, schedule));
}

TEST(ScheduleFile, IsReadAsItWasPrinted) {
  const Machine machine = torus({4, 4});
  for (const char* algorithm : {"ring", "ring2d", "double_tree", "halving_doubling", "direct", "multitree",
                                "multitree_optimal", "one_shot"}) {
    const Schedule schedule = machine.compile(algorithm, Collective::kAllReduce, 1024);
    const std::string text = printed(machine, schedule);
    const auto read = nlohmann::json::parse(printed(machine, parse_schedule(text, "s.json")));
    auto expected = nlohmann::json::parse(text);
    expected["least_steps"] = read["least_steps"];  // the reader ignores this field
    EXPECT_EQ(read, expected) << algorithm;
  }
}

RC_GTEST_PROP(ScheduleFile, KeepsTheOwnersOfShares, ()) {
  const Machine machine = random_machine(4);
  Schedule schedule = machine.compile("ring", Collective::kReduceScatter, 4096);
  schedule.shares = share_out(schedule);
  const Schedule read = parse_schedule(printed(machine, schedule), "s.json");
  RC_ASSERT(read.shares.size() == schedule.shares.size());
  for (std::size_t i = 0; i < read.shares.size(); ++i) {
    RC_ASSERT(read.shares[i].owner == schedule.shares[i].owner);
    RC_ASSERT(read.shares[i].data.address == schedule.shares[i].data.address);
    RC_ASSERT(read.shares[i].data.bytes == schedule.shares[i].data.bytes);
  }
}

// A schedule of one message. Its elements are on separate lines, so that tests can check reported positions.
constexpr const char* kSmall = R"({"schema": "coppice.schedule/1",
"algorithm": "mine", "collective": "all_reduce",
"size": 8, "element": 4,
"steps": 1, "flows": 1, "ordered_by_lockstep": false,
"routes": [[
{"out_port": 0, "vcs": [0, 1]}
]],
"nodes": [{"ports": [[
{"op": "reduce", "step": 1, "bytes": 8, "flow": 0, "parent": 1, "children": [],
"dependencies": 0, "address": 0, "route": 0}
]]}]})";

std::string refusal(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "no '" + from + "' in the text";
  text.replace(at, from.size(), to);
  try {
    parse_schedule(text, "s.json");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ScheduleFile, ReportsTheLocationOfFaults) {
  EXPECT_EQ(refusal(kSmall, "\"size\": 8", "\"size\": 8"), "accepted");
  EXPECT_THAT(refusal(kSmall, "\"size\": 8,", "\"size\": 8"),
              StartsWith("s.json:3:19: not valid JSON: syntax error"));
  EXPECT_THAT(refusal(kSmall, "\"size\": 8", "\"size\": 8e999"),
              testing::HasSubstr("number overflow parsing '8e999'"));
  EXPECT_EQ(refusal(kSmall, "schedule/1", "schedule/2"), "s.json:1:12: /schema: must be coppice.schedule/1");
  EXPECT_EQ(refusal(kSmall, "\"size\": 8", "\"size\": -8"),
            "s.json:3:9: /size: must be a whole number from 1 to 1099511627776, not -8");
  EXPECT_EQ(refusal(kSmall, "\"steps\": 1", "\"steps\": 99999999999"),
            "s.json:4:10: /steps: must be a whole number from 0 to 2147483647, not 99999999999");
  EXPECT_EQ(refusal(kSmall, "\"flows\": 1", "\"flows\": 18446744073709551615"),
            "s.json:4:22: /flows: must be a whole number from 0 to 2147483647, not 18446744073709551615");
  EXPECT_EQ(refusal(kSmall, "all_reduce", "all_sum"),
            "s.json:2:36: /collective: 'all_sum' is not one of all_reduce, reduce_scatter, all_gather");
  EXPECT_EQ(refusal(kSmall, "false", "0"), "s.json:4:48: /ordered_by_lockstep: must be true or false");
  EXPECT_EQ(refusal(kSmall, "[0, 1]", "[0]"),
            "s.json:6:24: /routes/0/0/vcs: must be [first, end], a range of virtual channels");
  EXPECT_EQ(refusal(kSmall, "[0, 1]", "[0, 256]"),
            "s.json:6:28: /routes/0/0/vcs/1: must be a whole number from 0 to 255, not 256");
  EXPECT_EQ(refusal(kSmall, "\"reduce\"", "\"rdeuce\""),
            "s.json:9:8: /nodes/0/ports/0/0/op: 'rdeuce' is not one of reduce, gather, nop");
  EXPECT_EQ(refusal(kSmall, "\"parent\": 1", "\"parent\": null"),
            "s.json:9:62: /nodes/0/ports/0/0/parent: a reduce must have a parent to send to");
  EXPECT_EQ(refusal(kSmall, "\"flow\": 0, ", ""), "s.json:9:1: /nodes/0/ports/0/0: 'flow' is missing");
  EXPECT_EQ(refusal(kSmall, "\"route\": 0", "\"route\": 0, \"colour\": 3").substr(0, 60),
            "s.json:10:56: /nodes/0/ports/0/0/colour: unknown key; known ");
  EXPECT_EQ(refusal(kSmall, "[{\"ports\"", "[{\"prots\"").substr(0, 42),
            "s.json:8:21: /nodes/0/prots: unknown key; ");
}

TEST(ScheduleFile, IsRejectedIfItIsAmbiguous) {
  EXPECT_EQ(refusal(kSmall, "\"mine\"", "\"\"").substr(0, 43), "s.json:2:14: /algorithm: must not be empty:");
  EXPECT_EQ(refusal(kSmall, "\"element\": 4", "\"element\": 4, \"size\": 16"),
            "s.json:3:26: this object has two keys 'size': keep one of them");
  EXPECT_THAT(refusal(kSmall, "\"step\": 1,", "\"step\": 1, \"step\": 1,"),
              StartsWith("s.json:9:29: this object has two keys 'step': "));
  EXPECT_EQ(refusal(kSmall, "]]}]}", std::string("]]}]}\0 {}", 9)).substr(0, 27),
            "s.json:11:6: the byte 0x00 ");
}

TEST(ScheduleFile, IsForTheTopologyThatItNames) {
  const Machine machine = torus({4, 4});
  const std::string text = printed(machine, machine.compile("ring", Collective::kAllReduce, 1024));
  EXPECT_NO_THROW(parse_schedule(text, "s.json", "torus 4x4"));
  EXPECT_NO_THROW(parse_schedule(text, "s.json"));
  EXPECT_THAT([&] { parse_schedule(text, "s.json", "mesh 4x4"); },
              testing::ThrowsMessage<ConfigError>(
                  testing::HasSubstr("/topology: the tables are for torus 4x4, but the system is mesh 4x4")));
  // A file that does not name a topology is accepted for any topology.
  EXPECT_NO_THROW(parse_schedule(kSmall, "s.json", "mesh 4x4"));
}

TEST(ScheduleFile, ThatDoesNotExist) {
  EXPECT_THROW(read_schedule_text("/nonexistent/s.json"), UnsupportedError);
  EXPECT_THROW(read_schedule_text("/"), UnsupportedError);
}

}  // namespace
}  // namespace coppice::schedule
