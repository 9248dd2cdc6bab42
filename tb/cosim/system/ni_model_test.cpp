#include "cosim/verilog_library.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtkwave/fstapi.h>
#include <unistd.h>

namespace coppice::cosim {
namespace {

using ::testing::IsSupersetOf;

// A memory whose words equal their addresses.
class Addresses final : public WordMemory {
 public:
  FlitBits read(std::uint32_t address) override { return {address, address + 1, address + 2, address + 3}; }
  void write(std::uint32_t /*address*/, unsigned /*lanes*/, const FlitBits& /*words*/) override {}
};

// Sends a message of two data flits from port 1. Returns one line per flit that the interface reports.
std::vector<std::string> sends_a_message(const std::string& wave_path) {
  NiSettings settings;
  settings.lockstep = false;
  settings.credits = 16;
  Addresses memory;
  const auto model = verilog_library().make_ni(settings, memory, wave_path);
  NiLine line;
  line.flow = 3;
  line.address = 40;
  line.words = 8;
  line.total = 8;
  line.flits = 3;
  line.packets = 1;
  model->load(1, 0, line);
  model->start(std::vector<NiTableSize>{{0, 0}, {1, 1}, {0, 0}, {0, 0}});
  std::vector<std::string> told;
  for (std::int64_t now = 0; now < 20; ++now) {
    const NiModel::Outcome outcome = model->step(now);
    for (int i = 0; i < outcome.num_flits; ++i) {
      const NiFlit& flit = outcome.flits[static_cast<std::size_t>(i)];
      told.push_back(fmt::format("{}: {} {} {} {} {}", now, flit.port, flit.vc, flit.head, flit.tail,
                                 flit.head ? decode(flit.bits).flow : flit.bits[0]));
    }
  }
  return told;
}

struct Wave {
  std::set<std::string> signals;
  std::uint64_t end = 0;
};

Wave read_wave(const std::string& path) {
  Wave wave;
  void* const file = fstReaderOpen(path.c_str());
  if (file == nullptr) return wave;
  std::string scope;
  std::vector<std::size_t> lengths;
  while (const fstHier* part = fstReaderIterateHier(file)) {
    if (part->htyp == FST_HT_SCOPE) {
      lengths.push_back(scope.size());
      scope += std::string(part->u.scope.name) + ".";
    } else if (part->htyp == FST_HT_UPSCOPE) {
      scope.resize(lengths.back());
      lengths.pop_back();
    } else if (part->htyp == FST_HT_VAR) {
      const std::string name = part->u.var.name;
      wave.signals.insert(scope + name.substr(0, name.find(' ')));
    }
  }
  wave.end = fstReaderGetEndTime(file);
  fstReaderClose(file);
  return wave;
}

// The model sleeps until the earliest release of any port or context, so it must report this release and not
// a later one.
TEST(NiContextsModel, ReportsTheEarliestReleaseOfAllPortsAndContexts) {
  constexpr std::uint32_t kWaitsForLockstep = 1;  // a value of NiModel::PortView's state
  constexpr int kUsed = 3;                        // number of contexts in use
  NiSettings settings;
  settings.credits = 16;
  Addresses memory;
  const auto model = verilog_library().make_ni_contexts(settings, NiOrder::kInTurns, memory);
  for (int context = 0; context < kUsed; ++context) {
    for (int port = 0; port < kPorts; ++port) {
      for (std::uint32_t step = 1; step <= 3; ++step) {
        NiLine line;
        line.step = step;
        line.address = 40;
        // The number of flits varies, so that a release may be earlier or later than others of the same
        // context or port.
        const auto flits =
            static_cast<std::uint32_t>((7 * context + 5 * port + 3 * static_cast<int>(step)) % 11 + 1);
        line.words = line.total = 4 * flits;
        line.flits = flits + 1;
        line.packets = 1;
        model->load(context, port, step - 1, line);
        model->clock();
      }
    }
    model->commit(context, std::vector<NiTableSize>(kPorts, {3, 3}));
    model->open(context, {.id = static_cast<std::uint32_t>(context)});
    model->clock();
  }
  for (int context = 0; context < kUsed; ++context) model->start(context);
  int several = 0;  // number of cycles in which releases differ
  for (std::int64_t now = 0; now < 60; ++now) {
    const NiContextsModel::Outcome outcome = model->step(now);
    std::set<std::uint32_t> releases;
    for (int context = 0; context < kUsed; ++context) {
      for (int port = 0; port < kPorts; ++port) {
        const NiModel::PortView view = model->view(port, context);
        if (view.state == kWaitsForLockstep) releases.insert(view.release);
      }
    }
    EXPECT_EQ(outcome.holding, !releases.empty()) << "cycle " << now;
    EXPECT_EQ(outcome.next_release, releases.empty() ? 0 : *releases.begin()) << "cycle " << now;
    several += releases.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 5);
}

TEST(NiModel, BehavesTheSameWithAndWithoutWaves) {
  const std::string path =
      std::filesystem::temp_directory_path() / fmt::format("coppice_ni_model_{}.fst", ::getpid());
  const std::vector<std::string> plain = sends_a_message({});
  EXPECT_EQ(plain.size(), 3);
  EXPECT_EQ(sends_a_message(path), plain);
  const Wave wave = read_wave(path);
  std::filesystem::remove(path);
  EXPECT_EQ(wave.end, 2 * 19 + 1);
  // The waveform contains ports, registers and internal wires.
  const std::string ni = "ni.clocked_network_interface.ni.";
  EXPECT_THAT(wave.signals,
              IsSupersetOf({ni + "flit_valid_o", ni + "i_reduction.first_q",
                            ni + "g_port[1].i_port.i_packetizer.count_q",
                            ni + "g_port[1].i_port.g_one.i_table.leaves", ni + "g_one.i_tracker.count_q"}));
}

}  // namespace
}  // namespace coppice::cosim
