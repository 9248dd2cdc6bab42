// Tests bad input. Every message must state the location, the fault and what to write instead; the exit
// status must be 2, and no files may be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A faulty line that replaces a line of kSmallConfig, and the message that the command must print.
struct Mistake {
  const char* name;
  int line;
  const char* text;
  const char* message;
};

std::string replace_line(std::string text, int line, const std::string& replacement) {
  std::size_t begin = 0;
  for (int i = 1; i < line; ++i) begin = text.find('\n', begin) + 1;
  return text.replace(begin, text.find('\n', begin) - begin, replacement);
}

class MistakeTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(MistakeTest, IsLocatedAndWritesNothing) {
  const Workshop shop;
  shop.write("c.yaml", replace_line(kSmallConfig, GetParam().line, GetParam().text));
  const Outcome outcome = shop.run({"run", "c.yaml", "--out", "r.json", "--trace", "t", "--vcd", "w.vcd"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, std::string(GetParam().message) + "\n");
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml"));
}

constexpr Mistake kMistakes[] = {
    {"UnknownKey", 6, "    bandwith: 16 GB/s",
     "c.yaml:6:5: unknown key 'system.link.bandwith'; did you mean 'system.link.bandwidth'?"},
    {"UnknownSection", 5, "  links:", "c.yaml:5:3: unknown key 'system.links'; did you mean 'system.link'?"},
    {"MissingKind", 3, "", "c.yaml:2:3: system.topology.kind is missing: add it, for example 'kind: torus'"},
    {"MissingDims", 4, "", "c.yaml:2:3: system.topology.dims is missing: add it, for example 'dims: [8, 8]'"},
    {"MissingSize", 11, "", "c.yaml:8:1: collective.size is missing: add it, for example 'size: 1 MiB'"},
    {"WrongType", 4, "    dims: {x: 4}",
     "c.yaml:4:11: system.topology.dims must be the width of each dimension, from 1 to 1048576, for example "
     "[8, 8] or 8x8, not "
     "a "
     "section"},
    {"WrongKind", 3, "    kind: tours",
     "c.yaml:3:11: system.topology.kind must be torus, mesh, ring, fully_connected, switch, fat_tree, "
     "bigraph, clos, dgx1, dragonfly, hyperx, hierarchy or file, not 'tours'; did you mean 'torus'?"},
    {"WrongElement", 4, "    dims: [4, four]",
     "c.yaml:4:15: system.topology.dims[1] must be a whole number from 1 to 1048576, not 'four'"},
    {"WrongUnit", 7, "    latency: 150 GB",
     "c.yaml:7:14: system.link.latency: '150 GB' is not a duration: its unit 'GB' is not one of fs, ps, ns, "
     "us, "
     "\u00b5s, "
     "ms, s; for example '150 ns'"},
    {"NoUnit", 6, "    bandwidth: 16",
     "c.yaml:6:16: system.link.bandwidth: '16' is not a bandwidth: it needs a unit (b/s, B/s, kb/s, kB/s, "
     "KiB/s, "
     "Mb/s, MB/s, MiB/s, Gb/s, GB/s, GiB/s, Tb/s, TB/s); for example '16 GB/s'"},
    {"Negative", 7, "    latency: -150 ns",
     "c.yaml:7:14: system.link.latency: '-150 ns' is not a duration: it must not have a sign; for example "
     "'150 "
     "ns'"},
    {"NegativeWidth", 4, "    dims: [4, -4]",
     "c.yaml:4:15: system.topology.dims[1] must be a whole number from 1 to 1048576, not '-4'"},
    {"Absurd", 7, "    latency: 3 s", "c.yaml:7:14: system.link.latency must be from 0 ns to 1 s, not '3 s'"},
    {"TooManyAccelerators", 4, "    dims: [1024, 2048]",
     "c.yaml:4:11: system.topology.dims describes more than 1048576 accelerators, which is the limit"},
    {"TooFewVirtualChannels", 5, "  router: {vcs: 1}\n  link:",
     "c.yaml:5:17: system.router.vcs is 1, but a torus needs at least 2: packets use different virtual "
     "channels before and after the dateline of a ring"},
    {"FasterThanTheWidestFlitPerCycle", 6, "    bandwidth: 5 TB/s",
     "c.yaml:6:16: system.link.bandwidth: 5 TB/s exceeds one flit of 4 KiB per cycle at 1 GHz: set "
     "system.clock to 1.3 GHz"},
    {"ListOfWrongLength", 6, "    bandwidth: [16 GB/s, 8 GB/s, 4 GB/s]",
     "c.yaml:6:16: system.link.bandwidth lists 3 values for 2 dimensions: write one value, or one per "
     "dimension"},
    {"NoSize", 11, "  size: 0 KiB", "c.yaml:11:9: collective.size must be from 1 B to 1 TiB, not '0 KiB'"},
    {"NegativeSize", 11, "  size: -16 KiB",
     "c.yaml:11:9: collective.size: '-16 KiB' is not a size: it must not have a sign; for example '64 KiB'"},
    {"VerilogRouterOfAnotherDelay", 5, "  router: {impl: rtl, routing_delay: 2}\n  link:",
     "c.yaml:5:18: system.router.impl: the Verilog router does not support system.router.routing_delay 2: "
     "write 1"},
    {"VerilogInterfaceOfAnotherLatency", 5, "  ni: {impl: rtl, reduction_latency: 5}\n  link:",
     "c.yaml:5:14: system.ni.impl: the Verilog network interface does not support "
     "system.ni.reduction_latency 5: write 4, the latency of its adders"},
    {"PayloadOfPartsOfFlits", 5, "  ni: {payload: 100 B}\n  link:",
     "c.yaml:5:17: system.ni.payload is 100 B, which is not a whole number of flits of 16 B: write 112 B"},
    {"KeySetTwice", 7, "    bandwidth: 8 GB/s",
     "c.yaml:7:5: 'bandwidth' is already set at line 6: set it only once"},
    {"SectionWithoutKeys", 8,
     "collective: 7\nx:", "c.yaml:8:13: collective must be a section of keys and values, not '7'"},
    {"KeyWithoutValue", 11,
     "  size:", "c.yaml:11:3: collective.size has no value: write one, for example '1 MiB'"},
    {"ObservedNodeOutside", 8, "observe: {nodes: [0, 16]}\ncollective:",
     "c.yaml:8:22: observe.nodes[1] is 16, but the accelerators are numbered 0 to 15"},
    {"SyntaxError", 4, "    dims: [4, 4", "c.yaml:5:7: not valid YAML: end of sequence flow not found"},
    {"SecondDocument", 8, "---\ncollective:",
     "c.yaml:8:1: a second YAML document begins here: a configuration must be a single document"},
};

INSTANTIATE_TEST_SUITE_P(BadInput, MistakeTest, ::testing::ValuesIn(kMistakes),
                         [](const auto& mistake) { return std::string(mistake.param.name); });

TEST(BadInput, EmptyFileAndFileWithoutAMap) {
  const Workshop shop;
  shop.write("empty.yaml", "");
  shop.write("list.yaml", "- 1\n- 2\n");
  Outcome outcome = shop.run({"run", "empty.yaml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("empty.yaml:1:1: the file is empty"));
  outcome = shop.run({"run", "list.yaml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("list.yaml:1:1: the file must be a map of keys"));
}

TEST(BadInput, UnknownAlgorithm) {
  const Workshop shop;
  shop.write("c.yaml", replace_line(kSmallConfig, 10, "  algorithm: rnig"));
  const Outcome outcome = shop.run({"run", "c.yaml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("c.yaml:10:14: collective.algorithm must be ring"));
  EXPECT_THAT(outcome.err, HasSubstr(", not 'rnig'; did you mean 'ring'?"));
}

// Faults of C-Cube's algorithms: more chunks than data, a network without the paths of a tree, trees that do
// not fit, and layers with fewer gradients than the collective.
TEST(BadInput, TreesChunksAndLayersThatDoNotFit) {
  const Workshop shop;
  shop.write("split.graph", "accelerators 4\nlink 0 -- 1\nlink 2 -- 3\n");
  const auto complaint = [&](const std::string& topology, const std::string& collective,
                             const std::string& rest = "") {
    shop.write("c.yaml", "system: {topology: {" + topology + "}}\ncollective:\n" + collective + rest);
    const Outcome outcome = shop.run({"run", "c.yaml", "--out", "r.json"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(shop.files(), ::testing::Not(::testing::Contains("r.json")));
    return outcome.err;
  };
  EXPECT_EQ(complaint("kind: dgx1", "  algorithm: overlapped_double_tree\n  size: 64 B\n  chunks: 9\n"),
            "c.yaml:3:14: collective.algorithm: overlapped_double_tree cannot use 9 chunks: 64 bytes on 2 "
            "trees allow at most 8, each with at least one element of 4 bytes\n");
  EXPECT_EQ(complaint("kind: file, file: split.graph", "  algorithm: tree\n  size: 1 KiB\n"),
            "split.graph:1:14: the graph is not connected: accelerator 0 cannot reach accelerator 2\n");
  EXPECT_THAT(
      complaint("kind: mesh, dims: [4, 4]", "  algorithm: double_tree\n  size: 1 KiB\n  trees: embedded\n"),
      StartsWith("c.yaml:3:14: collective.algorithm: mesh 4x4: cannot place 2 trees without sharing a "
                 "channel: 30 links are needed, but there are 24"));
  EXPECT_THAT(
      complaint("kind: torus, dims: [4, 4]", "  algorithm: double_tree\n  size: 1 KiB\n  trees: ccube\n"),
      StartsWith("c.yaml:3:14: collective.algorithm: the trees have 8 accelerators, but torus 4x4 has 16"));
  EXPECT_THAT(
      complaint("kind: dgx1", "  algorithm: overlapped_tree\n  size: 1 GiB\n",
                "training: {model: zfnet, overlap: chained}\n"),
      HasSubstr("c.yaml:4:9: collective.size is 1 GiB, but the layers of zfnet, for whose gradients a "
                "chained forward pass waits, have only 249388160 B"));
}

TEST(BadInput, MissingOrUnreadableFile) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  Outcome outcome = shop.run({"run", "none.yaml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(
      outcome.err,
      "none.yaml:1:1: the file cannot be read: No such file or directory; expected a configuration file\n");
  outcome = shop.run({"run", "."});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, ".:1:1: this is a directory; name a YAML file in it\n");
  outcome = shop.run({"run", "c.yaml/c.yaml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("c.yaml/c.yaml:1:1: the file cannot be read: Not a directory"));
}

TEST(BadInput, IsTheSameForEverySubcommand) {
  const Workshop shop;
  shop.write("c.yaml", replace_line(kSmallConfig, 3, "    kind: tours"));
  const std::vector<std::vector<std::string>> lines = {
      {"run", "c.yaml"},
      {"traffic", "c.yaml", "--pattern", "uniform", "--rate", "0.1", "--packet-flits", "1"},
      {"schedule", "c.yaml"},
      {"bound", "c.yaml"}};
  for (const auto& line : lines) {
    const Outcome outcome = shop.run(line);
    EXPECT_EQ(outcome.status, 2) << line[0];
    EXPECT_THAT(outcome.err, StartsWith("c.yaml:3:11: system.topology.kind must be torus, mesh, ring"))
        << line[0];
  }
}

TEST(BadInput, OverridesAreLocatedOnTheCommandLine) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const std::pair<const char*, const char*> cases[] = {
      {"system.router.vcs=many",
       "--set system.router.vcs=many:1:19: system.router.vcs must be a whole number from 1 to 32, not "
       "'many'\n"},
      {"system.rooter.vcs=4",
       "--set system.rooter.vcs=4:1:8: unknown key 'system.rooter'; did you mean 'system.router'?\n"},
      {"system.link.bandwidth=[16 GB/s, 3 s]",
       "--set system.link.bandwidth=[16 GB/s, 3 s]:1:33: system.link.bandwidth[1]: '3 s' is not a bandwidth: "
       "its unit "
       "'s' is not one of b/s, B/s, kb/s, kB/s, KiB/s, Mb/s, MB/s, MiB/s, Gb/s, GB/s, GiB/s, Tb/s, TB/s; for "
       "example "
       "'16 GB/s'\n"},
      {"seed",
       "--set seed:1:1: an override must be KEY=VALUE, for example 'system.link.bandwidth=32 GB/s'\n"},
      {"collective.size=0 B",
       "--set collective.size=0 B:1:17: collective.size must be from 1 B to 1 TiB, not '0 B'\n"},
  };
  for (const auto& [text, message] : cases) {
    const Outcome outcome = shop.run({"run", "c.yaml", "--set", text});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, message);
  }
}

// Messages name the key or option and the value to write instead.
TEST(BadInput, MessagesStateWhatWouldBeValid) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  shop.write("deep.yaml", "system: " + std::string(4000, '[') + "\n");
  shop.write("one_way.graph", "accelerators 3\nchannel 0 -> 1\nchannel 1 -> 2\nchannel 2 -> 0\n");
  const auto said = [&](const std::vector<std::string>& line) {
    const Outcome outcome = shop.run(line);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    return outcome.err;
  };
  const auto with = [&](const std::string& key) { return said({"run", "c.yaml", "--set", key}); };
  EXPECT_THAT(with("system.accelerator.array=[]"),
              HasSubstr("for example [32, 32] for rows and columns, not an empty list"));
  EXPECT_THAT(with("system.router.impl=-1"), EndsWith("must be systemc or rtl, not '-1'\n"));
  EXPECT_THAT(with("system.router.impl=rtk"), HasSubstr("did you mean 'rtl'?"));
  EXPECT_THAT(with("system.topology.dims=1048577"), HasSubstr("from 1 to 1048576, for example [8, 8]"));
  EXPECT_THAT(said({"run", "deep.yaml"}), HasSubstr("nested too deeply: at most 32 levels"));
  EXPECT_THAT(said({"run", "c.yaml", "--set", "system.topology={kind: file, file: one_way.graph}", "--set",
                    "collective.algorithm=multitree"}),
              HasSubstr("0->1 of file of 3 accelerators and 0 switches has no reverse channel: add one"));
  EXPECT_THAT(
      said({"run", "c.yaml", "--set", "collective.trees=embedded", "--set",
            "collective.algorithm=double_tree", "--set", "system.topology={kind: mesh, dims: [4, 4]}"}),
      HasSubstr("write collective.trees: routed to let messages share channels, or use one tree, which needs "
                "half as many links"));
}

TEST(BadInput, EveryOptionOfTrafficStatesItsValidValues) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const auto said = [&](const std::string& option, const std::string& value) {
    std::vector<std::string> line{"traffic", "c.yaml"};
    for (const auto& [name, usual] : {std::pair{"--pattern", "uniform"},
                                      {"--rate", "0.1"},
                                      {"--packet-flits", "1"},
                                      {"--warmup", "10"},
                                      {"--measure", "100"},
                                      {"--seed", "1"}}) {
      line.insert(line.end(), {name, option == name ? value : usual});
    }
    const Outcome outcome = shop.run(line);
    EXPECT_EQ(outcome.status, 2) << option << " " << value << ": " << outcome.out;
    return outcome.err;
  };
  EXPECT_EQ(said("--pattern", "x"),
            "--pattern x:1:1: unknown pattern 'x': write one of uniform, transpose, bitcomp, tornado, "
            "neighbor, bitrev, shuffle, randperm, diagonal, asymmetric, next_group, hotspot, permutation\n");
  for (const char* rate : {"x", "-1", "0", "1.5", "nan", "1e9", "0.1x"}) {
    EXPECT_EQ(said("--rate", rate), std::string("--rate ") + rate + ":1:1: '" + rate +
                                        "' is not a number above 0 and at most 1, for example 0.1: an "
                                        "injection channel accepts at most one flit per cycle\n");
  }
  for (const char* flits : {"0", "99999999999", "1.5", "x"}) {
    EXPECT_EQ(
        said("--packet-flits", flits),
        std::string("--packet-flits ") + flits + ":1:1: '" + flits +
            "' is not a whole number from 1 to 65536: flits per packet, including its head, for example 1\n");
  }
  EXPECT_THAT(said("--warmup", "1k"),
              HasSubstr("'1k' is not a whole number from 0 to 9223372036854775807: cycles, "
                        "for example 10000"));
  EXPECT_THAT(said("--measure", "0"), HasSubstr("'0' is not a whole number from 1 to"));
  EXPECT_THAT(said("--measure", "99999999999999999999"), HasSubstr("is not a whole number from 1 to"));
  EXPECT_THAT(said("--seed", "-1"), HasSubstr("'-1' is not a whole number from 0 to 18446744073709551615"));
}

// Every fidelity refuses a channel of a graph file that is faster than one flit per cycle. A default
// bandwidth that is too fast is accepted if no channel uses it.
TEST(BadInput, ChannelsFasterThanAFlitPerCycle) {
  const Workshop shop;
  shop.write("c.yaml",
             "system: {topology: {kind: file, file: g.graph}}\ncollective: {algorithm: ring, size: 1 KiB}\n");
  shop.write("g.graph", "accelerators 2\nlink 0 -- 1 bandwidth \"400 GB/s\"\n");
  for (const char* fidelity : {"auto", "flit", "train", "fluid"}) {
    const Outcome outcome = shop.run(
        {"run", "c.yaml", "--set", std::string("fidelity=") + fidelity, "--set", "system.flit=16 B"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err,
              "g.graph:2:23: bandwidth: 400 GB/s exceeds one flit of 16 B per cycle at 1 GHz: set "
              "system.flit to 512 B and system.ni.payload to 8 KiB, or system.clock to 25 GHz\n");
  }
  // With the sizes that the message suggests, the run comes close to the links' bandwidth.
  EXPECT_EQ(shop.run({"run", "c.yaml", "--set", "collective.size=16 MiB", "--set", "system.flit=512 B",
                      "--set", "system.ni.payload=8 KiB", "--out", "r.json"})
                .status,
            0);
  EXPECT_GT(shop.read_json("r.json")["algbw_gb_s"].get<double>(), 340);
  shop.write("g.graph", "accelerators 2\nlink 0 -- 1 bandwidth \"16 GB/s\"\n");
  const Outcome unused = shop.run({"run", "c.yaml", "--set", "system.link.bandwidth=400 GB/s"});
  EXPECT_EQ(unused.status, 0) << unused.err;
  EXPECT_THAT(unused.err,
              HasSubstr("system.link.bandwidth has no effect: every channel in g.graph sets its own value"));
  shop.write("g.graph", "accelerators 2\nlink 0 -- 1\n");
  EXPECT_THAT(
      shop.run({"run", "c.yaml", "--set", "system.link.bandwidth=400 GB/s", "--set", "system.flit=16 B"}).err,
      HasSubstr("system.link.bandwidth, the default for channels in g.graph: 400 GB/s exceeds"));
}

TEST(BadInput, InvalidCommandLines) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const std::vector<std::vector<std::string>> lines = {
      {},
      {"simulate", "c.yaml"},
      {"run"},
      {"run", "c.yaml", "d.yaml"},
      {"run", "c.yaml", "--output", "x"},
      {"traffic", "c.yaml"},
      {"traffic", "c.yaml", "--pattern", "uniform", "--rate", "much", "--packet-flits", "1"},
      {"traffic", "c.yaml", "--pattern", "uniform", "--rate", "0.1", "--packet-flits", "1.5"},
      {"traffic", "c.yaml", "--pattern", "uniform", "--rate", "0.1", "--packet-flits", "0"},
      {"traffic", "c.yaml", "--pattern", "uniform", "--rate", "-0.1", "--packet-flits", "1"},
      {"traffic", "c.yaml", "--pattern", "uniform", "--rate", "nan", "--packet-flits", "1"},
      {"traffic", "c.yaml", "--pattern", "uniform", "--rate", "0.1", "--packet-flits", "1", "--measure", "0"},
      {"traffic", "c.yaml", "--pattern", "spiral", "--rate", "0.1", "--packet-flits", "1"},
      {"traffic", "c.yaml", "--pattern", "uniform", "--rate", "0.1", "--packet-flits", "1", "--seed", "-1"},
      {"schedule", "c.yaml", "--format", "xml"}};
  for (const auto& line : lines) {
    const Outcome outcome = shop.run(line);
    EXPECT_EQ(outcome.status, 2) << ::testing::PrintToString(line);
    EXPECT_NE(outcome.err, "") << ::testing::PrintToString(line);
    EXPECT_EQ(outcome.out, "") << ::testing::PrintToString(line);
  }
  EXPECT_THAT(shop.run(lines.back()).err,
              StartsWith("--format xml:1:1: 'xml' is not one of text, json, tables, dot"));
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml"));
}

// Misspelt commands and options, and a key written like an option, are answered with a suggestion.
TEST(BadInput, CommandLineMistakesGetASuggestion) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"rnu", "c.yaml"}, "coppice: unknown command 'rnu'; did you mean 'run'?"},
      {{"ru", "c.yaml"}, "coppice: unknown command 'ru'; did you mean 'run'?"},
      {{"r", "c.yaml"}, "coppice: unknown command 'r'\n"},
      {{"scheduel", "c.yaml"}, "unknown command 'scheduel'; did you mean 'schedule'?"},
      {{"simulate", "c.yaml"}, "coppice: unknown command 'simulate'\n"},
      {{"run", "c.yaml", "--algorithm", "ring"},
       "coppice run: unknown option --algorithm; to set the configuration key, write --set "
       "collective.algorithm=ring"},
      {{"run", "--algorithm=ring", "c.yaml"}, "write --set collective.algorithm=ring"},
      {{"compare", "c.yaml", "--flow-control", "message"}, "write --set system.ni.flow_control=message"},
      {{"run", "c.yaml", "--fidelity", "flit"}, "write --set fidelity=flit"},
      {{"run", "c.yaml", "--statistic", "s.csv"}, "unknown option --statistic; did you mean --statistics?"},
      {{"report", "r.json", "--algorithm", "ring"}, "coppice report: unknown option --algorithm\n"}};
  for (const auto& [line, message] : cases) {
    const Outcome outcome = shop.run(line);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
}

TEST(BadInput, TrafficPatternsThatTheNetworkDoesNotHave) {
  const Workshop shop;
  shop.write("c.yaml", replace_line(kSmallConfig, 4, "    dims: [4, 3]"));
  const Outcome outcome =
      shop.run({"traffic", "c.yaml", "--pattern", "transpose", "--rate", "0.1", "--packet-flits", "1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--pattern"));
}

}  // namespace
}  // namespace coppice::system_test
