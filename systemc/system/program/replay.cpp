#include "system/program/replay.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "config/loader.h"
#include "system/machine/build.h"
#include "system/output/run_profile.h"
#include "system/process/child_process.h"
#include "system/program/program_run.h"

namespace coppice::system {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

// A file that holds a result's configuration while it is loaded.
class ConfigFile {
 public:
  explicit ConfigFile(const ordered_json& config)
      : path_((fs::temp_directory_path() / fmt::format("coppice-report-{}.yaml", ::getpid())).string()) {
    std::ofstream(path_) << config.dump(2) << '\n';
  }
  ~ConfigFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The machine that ran, without what costs time and changes no cycle.
config::Loaded load_again(const ordered_json& result) {
  const ConfigFile file(result.at("config"));
  std::vector<std::string> overrides{"check=off", "system.ni.impl=systemc", "system.router.impl=systemc"};
  const std::string fidelity = result.value("fidelity", "auto");
  if (fidelity == "flit" || fidelity == "leap" || fidelity == "train" || fidelity == "fluid") {
    overrides.push_back("fidelity=" + fidelity);
  }
  return config::load(file.path(), overrides, config::Purpose::kRun);
}

ordered_json simulate(const ordered_json& result, const std::atomic<bool>* interrupted) {
  const config::Loaded loaded = load_again(result);
  const topology::Topology topology = build_topology(loaded);
  ordered_json shown{{"topology", drawing_of(topology)}};
  RunProfile profile(topology, loaded.config.system);
  RunOptions options;
  options.interrupted = interrupted;
  options.message_observers.push_back(&profile);
  options.fabric_observers.push_back(&profile);
  const ordered_json again = run_collective(loaded, options);
  if (again.at("cycles") != result.at("cycles")) {
    shown["skipped"] = fmt::format(
        "This version of coppice takes {} cycles for the configuration of the result, which says {}: run it "
        "again for its links and time lines.",
        again.at("cycles").dump(), result.at("cycles").dump());
    return shown;
  }
  shown.update(profile.to_json(again.at("cycles").get<Cycles>()));
  return shown;
}

std::string reason_to_skip(const ordered_json& result, double most_seconds) {
  if (!result.contains("config") || !result.contains("cycles") || result.contains("training")) {
    return "Links and time lines of ports are shown of single collectives.";
  }
  const double seconds = result.contains("simulator") ? result["simulator"].value("wall_s", 0.0) : 0.0;
  if (seconds <= most_seconds) return "";
  return fmt::format(
      "The run took {:.0f} s, too long to repeat it for links and time lines; --replay-seconds N allows it.",
      seconds);
}

}  // namespace

ordered_json replay(const ordered_json& result, double most_seconds, const std::atomic<bool>* interrupted) {
  const std::string reason = reason_to_skip(result, most_seconds);
  if (!reason.empty()) return {{"skipped", reason}};
  try {
    return run_in_child([&] { return simulate(result, interrupted); }, interrupted);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    return {{"skipped", fmt::format("The run could not be repeated: {}", error.what())}};
  }
}

}  // namespace coppice::system
