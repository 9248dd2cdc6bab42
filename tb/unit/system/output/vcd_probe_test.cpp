#include "system/output/vcd_probe.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/error.h"
#include "machine.h"
#include "system/machine/build.h"

namespace coppice::system {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;

// The changes of a signal, as pairs of a time in ps and a value.
using Wave = std::vector<std::pair<std::int64_t, std::int64_t>>;

std::map<std::string, Wave> read_vcd(const std::string& path) {
  std::map<std::string, std::string> names;  // signal names, keyed by VCD identifier
  std::map<std::string, Wave> waves;
  std::vector<std::string> scopes;
  std::istringstream text(read_text(path));
  std::int64_t time = 0;
  for (std::string word; text >> word;) {
    if (word == "$scope") {
      std::string kind, name;
      text >> kind >> name;
      scopes.push_back(name);
    } else if (word == "$upscope") {
      scopes.pop_back();
    } else if (word == "$var") {
      std::string type, width, id, name;
      text >> type >> width >> id >> name;
      std::string full;
      for (const std::string& scope : scopes) {
        if (scope != "SystemC") full += scope + ".";
      }
      names[id] = full + name;
      waves[names[id]];
    } else if (word[0] == '#') {
      time = std::stoll(word.substr(1));
    } else if (word[0] == 'b' && word.find_first_not_of("01", 1) == std::string::npos) {
      std::string id;
      text >> id;
      waves[names.at(id)].emplace_back(time, std::stoll(word.substr(1), nullptr, 2));
    } else if ((word[0] == '0' || word[0] == '1') && names.contains(word.substr(1))) {
      waves[names.at(word.substr(1))].emplace_back(time, word[0] - '0');
    }
  }
  return waves;
}

std::int64_t time_high(const Wave& wave) {
  std::int64_t high = 0;
  for (std::size_t i = 0; i + 1 < wave.size(); ++i) {
    if (wave[i].second != 0) high += wave[i + 1].first - wave[i].first;
  }
  return high;
}

std::map<std::string, Wave> record(const std::vector<std::string>& overrides) {
  const TemporaryDirectory directory;
  RunOptions options;
  options.vcd_path = directory.file("waves.vcd");
  run("torus_4x4", overrides, options);
  EXPECT_THAT(directory.names(), ElementsAre("waves.vcd"));
  return read_vcd(options.vcd_path);
}

TEST(VcdProbe, RecordsCountersDecoderAndChannelsOfChosenNodes) {
  const auto waves = record({"collective.size=4 KiB", "observe.nodes=[3, 5]"});
  for (const char* node : {"3", "5"}) {
    const std::string ni = std::string("ni_") + node + ".port_2.";
    for (const char* signal : {"timestep_counter", "lockstep_counter", "entries_issued", "decoder_state"}) {
      EXPECT_THAT(waves, Contains(Key(ni + signal)));
    }
    EXPECT_THAT(waves, Contains(Key(std::string("router_") + node + ".out_1.valid")));
    EXPECT_THAT(waves, Contains(Key(std::string("router_") + node + ".out_1.vc")));
  }
  EXPECT_THAT(waves, Not(Contains(Key("ni_4.port_2.timestep_counter"))));
}

// Counters never decrease, and their final values show that the whole table has been executed.
TEST(VcdProbe, FollowsTheTableToItsEnd) {
  const auto waves = record({"collective.size=4 KiB"});
  for (const char* signal : {"timestep_counter", "entries_issued"}) {
    const Wave& wave = waves.at(std::string("ni_0.port_0.") + signal);
    EXPECT_TRUE(std::is_sorted(wave.begin(), wave.end(),
                               [](const auto& a, const auto& b) { return a.second < b.second; }));
  }
  EXPECT_EQ(waves.at("ni_0.port_0.decoder_state").back().second, 0);
  EXPECT_EQ(waves.at("ni_0.port_0.lockstep_counter").back().second, 0);
}

// A channel's valid signal is high for one cycle per flit. Every message that leaves the node has a head flit
// and 256 B of data.
TEST(VcdProbe, ShowsEveryFlitForOneCycle) {
  const std::vector<std::string> overrides{"collective.size=4 KiB", "fidelity=flit"};
  const auto waves = record(overrides);
  const config::Loaded loaded = load_system("torus_4x4", overrides);
  const auto topology = build_topology(loaded);
  const auto schedule =
      build_schedule(loaded, loaded.config.collective, topology, *build_routing(loaded, topology)).schedule;
  for (std::size_t out = 0; out < 4; ++out) {
    const auto messages = schedule.nodes[0].ports[out].messages();
    const Wave& wave = waves.at(fmt::format("router_0.out_{}.valid", out));
    EXPECT_EQ(time_high(wave), messages * 17 * 1000) << "output " << out;
  }
}

TEST(VcdProbe, LeavesNoFileAfterAFailedRun) {
  const TemporaryDirectory directory;
  RunOptions options;
  options.vcd_path = directory.file("waves.vcd");
  EXPECT_THROW(run("torus_4x4", {"max_cycles=1000"}, options), ModelError);
  EXPECT_THAT(directory.names(), IsEmpty());
}

}  // namespace
}  // namespace coppice::system
