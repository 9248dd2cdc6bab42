// Tests programs on Verilog network interfaces. Results must equal those in SystemC (tb/cosim/system compares
// every flit), and messages must name the settings that are refused.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs.h"

namespace coppice::system_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

const std::string kTorus = "kind: torus, dims: [2, 2]";
const std::string kTwo =
    "ranks: 4\noperations:\n"
    "  - {name: a, all_reduce: 4 KiB}\n"
    "  - {name: b, all_reduce: 2 KiB}\n"
    "  - {name: c, compute: 2 us, after: a}\n"
    "  - {name: d, all_gather: 4 KiB, after: c}\n";

class VerilogPrograms : public Programs {
 protected:
  std::vector<std::string> verilog(const std::string& more = {}) const {
    std::vector<std::string> settings{"system.ni.impl=rtl", "system.ni.early_messages=added",
                                      "collective.algorithm=ring"};
    if (!more.empty()) settings.push_back(more);
    return settings;
  }
  std::string refusal(const std::string& program, const std::string& more) const {
    shop.write("c.yaml", machine(kTorus));
    shop.write("p.yaml", program);
    std::vector<std::string> arguments{"run", "c.yaml"};
    for (const std::string& text : verilog(more)) arguments.insert(arguments.end(), {"--set", text});
    const Outcome outcome = shop.run(arguments);
    EXPECT_EQ(outcome.status, 2) << more << outcome.out;
    return outcome.err;
  }
};

TEST_F(VerilogPrograms, RunInTheSameCycles) {
  const Json rtl = run(kTorus, kTwo, verilog());
  const Json systemc = run(kTorus, kTwo, verilog("system.ni.impl=systemc"));
  EXPECT_EQ(rtl["verified"], "values");
  EXPECT_EQ(rtl["fidelity"], "flit");
  for (const char* part : {"cycles", "iterations", "collectives", "accelerators", "flits", "flit_hops"})
    EXPECT_EQ(rtl[part], systemc[part]) << part;
}

// With `early_messages: added`, messages that arrive before their rank joins are added immediately.
TEST_F(VerilogPrograms, AddDataThatArrivesEarly) {
  const std::string late =
      "ranks: 4\ngroups: {one: [3]}\noperations:\n"
      "  - {name: late, compute: 5 us, rank: 3}\n"
      "  - {name: a, all_reduce: 4 KiB, after: late}\n";
  const Json rtl = run(kTorus, late, verilog());
  const Json systemc = run(kTorus, late, verilog("system.ni.impl=systemc"));
  EXPECT_EQ(rtl["cycles"], systemc["cycles"]);
  EXPECT_EQ(rtl["accelerators"], systemc["accelerators"]);
}

TEST_F(VerilogPrograms, AreRejectedAtTheWrongKey) {
  for (const auto& [setting, key] : std::vector<std::pair<std::string, std::string>>{
           {"system.router.impl=rtl", "system.router.impl: "},
           {"system.ni.rtl_nodes=[0, 1]", "system.ni.rtl_nodes: "},
           {"system.ni.contexts=9", "system.ni.contexts: "},
           {"system.ni.early_messages=held", "system.ni.early_messages: "},
           {"system.ni.table_load=1", "system.ni.table_load: "},
           {"system.ni.reduction_latency=5", "system.ni.impl: "},
           {"system.accelerator.memory_bandwidth=900 GB/s", "system.accelerator.memory_bandwidth: "},
           {"check=contributions", "check: "},
           {"fidelity=train", "fidelity: "}}) {
    EXPECT_THAT(refusal(kTwo, setting), HasSubstr(key)) << setting;
  }
  shop.write("j.yaml",
             "system:\n  topology: {kind: mesh, dims: [4, 2]}\n  ni: {impl: rtl, early_messages: added}\n"
             "collective: {algorithm: ring}\n"
             "program: {jobs: [{file: p.yaml}, {file: p.yaml, arrival: 5 us}]}\n");
  EXPECT_THAT(
      shop.run({"run", "j.yaml"}).err,
      HasSubstr(
          "program.jobs: in programs, Verilog network interfaces (system.ni.impl: rtl) get their first"));
  const std::string begin = "ranks: 4\noperations:\n";
  EXPECT_THAT(refusal(begin + "  - {name: told, send: 64 B, from: 0, to: 1}\n", ""),
              HasSubstr("'told' is a message from one rank to another"));
  EXPECT_THAT(refusal(begin + "  - {name: all, all_to_all: 4 KiB}\n", ""), HasSubstr("check: "));
  EXPECT_THAT(
      refusal(
          begin +
              "  - {name: first, all_reduce: 4 KiB, priority: 200}\n  - {name: second, all_reduce: 4 KiB}\n",
          ""),
      HasSubstr("-128 to 127"));
  std::string much = begin;
  for (const char* name : {"a", "b", "c", "d", "e"})
    much += "  - {name: " + std::string(name) + ", all_reduce: 14 MiB}\n";
  EXPECT_THAT(refusal(much, "check=off"),
              HasSubstr("up to and including 'e', but Verilog network interfaces can address only 64 MiB"));
}

}  // namespace
}  // namespace coppice::system_test
