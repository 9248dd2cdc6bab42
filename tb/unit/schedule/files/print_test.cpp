#include "schedule/files/print.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "machine.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;

TEST(Print, TextHasATableForEachPort) {
  const Machine machine = mesh({3});
  const Schedule schedule = machine.compile("multitree", Collective::kAllReduce, 96);
  const std::string text = to_text(machine.topology, schedule, check_schedule(machine.topology, schedule));
  EXPECT_THAT(
      text,
      HasSubstr(
          "multitree all_reduce on mesh 3: 96 bytes, 3 flows, 4 timesteps (lower bound for trees: 4)\n"));
  EXPECT_THAT(text, HasSubstr("accelerator 1 port 0 (channels to 2)\n"
                              "  step  op      flow  to  parent  children  address  bytes  after  route\n"));
  EXPECT_THAT(text, HasSubstr("under any timing\nno two messages share a channel at the same time\n"));
}

TEST(Print, TextListsSharedChannels) {
  const Machine machine = mesh({3});
  Schedule schedule = machine.compile("ring", Collective::kAllReduce, 96);
  const std::string text =
      to_text(machine.topology, schedule,
              {.contention_free = false,
               .shared = {{.channel = 0, .step = 2, .messages = 3},
                          {.step = 1, .messages = 2, .node = 1, .ni_port = 1, .ejection = true}},
               .additions = {}});
  EXPECT_THAT(text, HasSubstr("messages share channels:\n  channel 0->1 (port 0) in step 2: 3 messages\n"
                              "  ejection port 1 of accelerator 1 in step 1: 2 messages\n"));
}

// The table entries of a port, obtained by expanding its printed lines.
std::vector<std::string> expanded(const nlohmann::json& port, const nlohmann::json& stride) {
  std::vector<std::string> entries;
  for (int iteration = 0; entries.size() < port["entries"].get<std::size_t>(); ++iteration) {
    for (const auto& line : port["lines"]) {
      if (iteration < line["first"] || iteration >= line["end"]) continue;
      const auto at = [&](const char* field) {
        return line[field].get<std::int64_t>() + iteration * stride[field].get<std::int64_t>();
      };
      entries.push_back(fmt::format("{} step {} bytes {}", line["op"].get<std::string>(), at("step"),
                                    line["bytes"].get<Bytes>()));
      if (line["op"] != "nop") {
        entries.back() += fmt::format(" flow {} at {} after {} over {}", at("flow"), at("address"),
                                      line["dependencies"].get<int>(), line["route"].get<int>());
      }
    }
  }
  return entries;
}

TEST(Print, TablesIncludeEveryEntry) {
  const Machine machine = torus({2, 2});
  CompileRequest request = machine.request(Collective::kAllReduce, 4096);
  for (const char* algorithm : {"multitree", "overlapped_double_tree"}) {
    const Schedule schedule = make_compiler(algorithm)->compile(machine.topology, request);
    request.chunks = 6;
    for (const bool nops : {false, true}) {
      const auto json = nlohmann::json::parse(
          to_tables(machine.topology, schedule, check_schedule(machine.topology, schedule), nops));
      EXPECT_EQ(json["schema"], "coppice.tables/1");
      EXPECT_EQ(json["stride"]["step"], schedule.repetition.step);
      for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
        for (std::size_t port = 0; port < schedule.nodes[node].ports.size(); ++port) {
          std::vector<std::string> entries;
          for (const TableEntry& entry : schedule.nodes[node].ports[port]) {
            if (entry.op == Op::kNop && !nops) continue;
            entries.push_back(
                fmt::format("{} step {} bytes {}", to_string(entry.op), entry.step, entry.bytes));
            if (entry.op == Op::kNop) continue;
            entries.back() += fmt::format(" flow {} at {} after {} over {}", entry.flow, entry.address,
                                          entry.dependencies, entry.route);
          }
          EXPECT_EQ(expanded(json["nodes"][node]["ports"][port], json["stride"]), entries);
        }
      }
    }
  }
}

TEST(Print, JsonHasEveryEntry) {
  const Machine machine = torus({4, 4});
  const Schedule schedule = machine.compile("multitree", Collective::kAllReduce, 1024);
  const auto json =
      nlohmann::json::parse(to_json(machine.topology, schedule, check_schedule(machine.topology, schedule)));
  EXPECT_EQ(json["schema"], "coppice.schedule/1");
  EXPECT_EQ(json["topology"], "torus 4x4");
  EXPECT_EQ(json["steps"], schedule.steps);
  EXPECT_EQ(json["contention_free"], true);
  ASSERT_EQ(json["nodes"].size(), schedule.nodes.size());
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    const auto& ports = schedule.nodes[node].ports;
    for (std::size_t port = 0; port < ports.size(); ++port) {
      const auto& table = json["nodes"][node]["ports"][port];
      ASSERT_EQ(table.size(), ports[port].size());
      for (std::size_t i = 0; i < table.size(); ++i) {
        const TableEntry& entry = ports[port][i];
        EXPECT_EQ(table[i]["op"], to_string(entry.op));
        EXPECT_EQ(table[i]["step"], entry.step);
        if (entry.op == Op::kNop) continue;
        EXPECT_EQ(table[i]["dependencies"], entry.dependencies);
        EXPECT_LT(table[i]["route"].get<std::size_t>(), json["routes"].size());
      }
    }
  }
}

TEST(Print, DotHasAnEdgeForEachMessage) {
  const Machine machine = mesh({2});
  const Schedule schedule = machine.compile("ring", Collective::kAllReduce, 8);
  const std::string dot = to_dot(machine.topology, schedule);
  EXPECT_THAT(dot, HasSubstr("digraph schedule {"));
  EXPECT_THAT(dot, HasSubstr("1 -> 0 [label=\"1\", color=\"0.0000 0.9 0.7\", style=dashed"));
  EXPECT_THAT(dot, HasSubstr("0 -> 1 [label=\"2\", color=\"0.0000 0.9 0.7\", style=solid"));
}

}  // namespace
}  // namespace coppice::schedule
