#include "config/schema.h"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace coppice::config {
namespace {

TEST(Schema, NamesEveryKeyOnce) {
  std::set<std::string> paths;
  for (const Key& key : keys()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path;
    EXPECT_EQ(find_key(key.path), &key);
    EXPECT_FALSE(is_section(key.path)) << key.path;
  }
  EXPECT_EQ(find_key("system.link.bandwith"), nullptr);
  EXPECT_TRUE(is_section("system.link"));
  EXPECT_FALSE(is_section("system.lin"));
}

TEST(Schema, HasAValidExampleForEveryKey) {
  for (const Key& key : keys()) {
    ASSERT_FALSE(key.example.empty()) << key.path;
    const Node node = parse_override(key.path + "=" + key.example);
    const Node* value = &node;
    while (value->kind == Node::Kind::kMap) value = &value->children.front();
    Config config;
    EXPECT_NO_THROW(key.read(*value, config)) << key.path << " = " << key.example;
  }
}

TEST(Schema, ListsNamesThatTheirKeyAccepts) {
  int found = 0;
  for (const Key& key : keys()) {
    if (!key.schema.contains("enum")) continue;
    ++found;
    for (const auto& name : key.schema.at("enum")) {
      if (!name.is_string()) continue;
      Node value;
      value.kind = Node::Kind::kScalar;
      value.text = name.get<std::string>();
      Config config;
      EXPECT_NO_THROW(key.read(value, config)) << key.path << " = " << name;
    }
  }
  EXPECT_GE(found, 10);
  EXPECT_EQ(find_key("collective.intra_dimension")->schema.at("enum").size(), 4U);
}

TEST(Schema, RejectsAWordIfANumberIsExpected) {
  for (const Key& key : keys()) {
    Node value;
    value.kind = Node::Kind::kScalar;
    value.text = "surely-not";
    Config config;
    // These keys hold names of models or files, so they accept any text.
    const bool is_name = key.path == "training.model" || key.path == "system.accelerator.kernels" ||
                         key.path == "workload.inference.model" || key.path == "program.trace" ||
                         key.path == "program.groups" || key.path == "hardware.energies" ||
                         key.path.ends_with(".file");
    if (!is_name) {
      EXPECT_THROW(key.read(value, config), ConfigError) << key.path;
    }
    value.kind = Node::Kind::kMap;
    EXPECT_THROW(key.read(value, config), ConfigError) << key.path;
  }
}

// The schema permits node numbers up to exactly the largest that the reader accepts.
TEST(Schema, ListsTheNodesThatFailuresAccept) {
  const Key& key = *find_key("program.failures");
  const auto& entry = key.schema.at("items").at("properties");
  const auto read = [&](const std::string& failure) {
    const Node value = parse_override("k=[{" + failure + ", at: 1 s}]");
    Config config;
    key.read(value.children.front(), config);
  };
  const int link = entry.at("link").at("items").at("maximum");
  EXPECT_NO_THROW(read(fmt::format("link: [0, {}]", link)));
  EXPECT_THROW(read(fmt::format("link: [0, {}]", link + 1)), ConfigError);
  const int accelerator = entry.at("accelerator").at("maximum");
  EXPECT_NO_THROW(read(fmt::format("accelerator: {}", accelerator)));
  EXPECT_THROW(read(fmt::format("accelerator: {}", accelerator + 1)), ConfigError);
}

// Each value is below or above the key's range, or does not have the right form.
TEST(Schema, RefusesValuesOutOfRange) {
  const std::pair<const char*, std::vector<const char*>> cases[] = {
      {"system.topology.dims", {"[0]", "[-4, 4]", "[1048577]", "[1024, 1025]", "[]", "[4.5]"}},
      {"system.link.bandwidth", {"0 GB/s", "-16 GB/s", "101 TB/s", "16 GB", "16", "[]", "[16 GB/s, 1 ns]"}},
      {"system.link.latency", {"-1 ns", "1.1 s", "150 cycles", "150"}},
      {"system.clock", {"0 Hz", "101 GHz", "1 ns"}},
      {"system.flit", {"0 B", "8 KiB", "16 ns"}},
      {"system.router.vcs", {"0", "33", "-1", "4.0"}},
      {"system.router.vc_depth", {"0", "4194305"}},
      {"system.router.routing_delay", {"-1", "65"}},
      {"system.router.vc_alloc_delay", {"0", "65"}},
      {"system.router.sw_alloc_delay", {"0", "65"}},
      {"system.router.st_delay", {"0", "65"}},
      {"system.router.credit_delay", {"-1", "65"}},
      {"system.router.impl", {"verilog"}},
      {"system.ni.ports", {"0", "65"}},
      {"system.ni.payload", {"0 B", "2 MiB"}},
      {"system.ni.buffer", {"0", "1048577"}},
      {"system.ni.dma_latency", {"0", "1000001"}},
      {"system.ni.reduction_latency", {"0", "1000001"}},
      {"system.ni.reduction_flits_per_cycle", {"0", "-1", "nan", "1025"}},
      {"system.accelerator.array", {"[32]", "[32, 32, 32]", "[0, 32]", "32"}},
      {"collective.op", {"all_to_some"}},
      {"collective.size", {"0 B", "-4 B", "2 TiB", "1024"}},
      {"seed", {"-1", "1.5"}},
      {"max_cycles", {"-1"}},
      {"observe.nodes", {"[-1]", "3", "[]"}},
  };
  for (const auto& [path, values] : cases) {
    const Key* key = find_key(path);
    ASSERT_NE(key, nullptr) << path;
    for (const char* text : values) {
      const Node node = parse_override(std::string("k=") + text);
      Config config;
      EXPECT_THROW(key->read(node.children.front(), config), ConfigError) << path << " = " << text;
    }
  }
}

}  // namespace
}  // namespace coppice::config
