// Fuzzes programs of collectives, messages and computations on random systems, with several jobs and
// failures. The input is the seed. Flits, leaps and `fidelity: auto` must give the same result, all data must
// be verified, and fluid runs must terminate.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <systemc>

#include <fmt/format.h>
#include <unistd.h>

#include "input.h"
#include "random_system.h"
#include "recorded_run.h"
#include "support/random_program.h"
#include "system/machine/build.h"

// SystemC's library requires sc_main(). This program does not call it, because it elaborates only in child
// processes.
int sc_main(int /*argc*/, char** /*argv*/) {
  return 0;
}

namespace {

using coppice::fuzz::Outcome;
using Json = nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& yaml, const std::string& program, const std::string& what) {
  std::cerr << yaml << "\n" << program << "\nprogram: " << what << '\n';
  std::abort();
}

// Removes the fields that describe the simulation itself, because they differ between fidelities.
void erase_ways(Json& result) {
  for (const char* key :
       {"config", "simulator", "statistics", "fidelity", "fidelity_reason", "trains", "leap"})
    result.erase(key);
  // Trains spread the bytes of a message evenly over its interval on a channel, so utilization per window
  // differs.
  if (result.contains("dimensions")) {
    for (Json& dimension : result["dimensions"]) dimension.erase("busy");
  }
  if (!result.contains("stretches")) return;
  for (Json& stretch : result["stretches"]) erase_ways(stretch);
}

// A random system that runs a program instead of its collective. Several collectives run concurrently, so the
// system gets contexts and virtual channels for them.
coppice::fuzz::RandomSystem system_of(std::uint64_t seed) {
  coppice::fuzz::RandomSystem system =
      coppice::fuzz::random_system()(rc::Random(seed), rc::kNominalSize).value();
  std::erase_if(system.settings, [](const auto& setting) {
    return setting.first.starts_with("collective.") || setting.first == "check";
  });
  for (auto& [key, value] : system.settings) {
    if (key == "system.router.vcs") value = seed % 2 == 0 ? "8" : "16";
  }
  system.settings.emplace_back("system.ni.contexts", "16");
  return system;
}

class File {
 public:
  explicit File(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("coppice-program-{}.yaml", ::getpid())) {
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  std::uint64_t seed = 0;
  std::memcpy(&seed, data, std::min(size, sizeof seed));
  std::mt19937_64 random(seed);
  const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };

  coppice::fuzz::RandomSystem system = system_of(seed);
  const auto topology = coppice::fuzz::topology_of(system.yaml());
  if (!topology || topology->num_accelerators() < 2) return 0;
  const int accelerators = topology->num_accelerators();
  const int jobs = accelerators >= 4 && below(3) == 0 ? 2 : 1;
  const std::string program = coppice::RandomProgram(below, accelerators / jobs, 2 + below(6)).text() +
                              fmt::format("iterations: {}\n", 1 + below(2));
  const File file(program);

  const auto set = [&system](const char* key, const std::string& value) {
    system.settings.emplace_back(key, value);
  };
  if (jobs == 1) {
    set("program.file", file.path());
  } else {
    set("program.jobs",
        fmt::format("[{{file: {}}}, {{file: {}, arrival: {} ns}}]", file.path(), file.path(), below(5000)));
  }
  if (below(2) == 0) {
    const auto& channel =
        topology->channels()[static_cast<std::size_t>(below(static_cast<int>(topology->channels().size())))];
    const std::string what = below(2) == 0 ? fmt::format("link: [{}, {}]", channel.src, channel.dst)
                                           : fmt::format("accelerator: {}", below(accelerators));
    set("program.failures", fmt::format("[{{{}, at: {} ns}}]", what, 1 + below(20000)));
    set("program.restart", "1 us");
  }
  if (below(2) == 0) {
    const char* const algorithms[] = {"ring", "packed_trees", "multitree", "direct", "auto", "double_tree"};
    set("collective.algorithm", algorithms[below(6)]);
  }

  const std::string yaml = system.yaml();
  const auto run = [&](const char* fidelity, int threads) {
    Outcome outcome = coppice::fuzz::run_once(yaml, fidelity, threads);
    if (outcome.end == Outcome::End::kFailed)
      fail(yaml, program, fmt::format("{}: {}", fidelity, outcome.reason));
    return outcome;
  };
  const Outcome flit = run("flit", 1);
  if (flit.end != Outcome::End::kDone) {
    std::cerr << flit.reason << "\n";
    return 0;
  }
  Json expected = flit.recording.result;
  erase_ways(expected);
  for (const char* fidelity : {"leap", "auto"}) {
    const Outcome other = run(fidelity, coppice::fuzz::threads_for(yaml));
    if (other.end != Outcome::End::kDone) fail(yaml, program, fmt::format("{}: {}", fidelity, other.reason));
    Json result = other.recording.result;
    erase_ways(result);
    if (result != expected)
      fail(yaml, program,
           fmt::format("{} differs from flit: {}", fidelity, Json::diff(expected, result).dump()));
  }
  run("fluid", 1);
  return 0;
}
