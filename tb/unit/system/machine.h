#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "support/shipped_config.h"
#include "system/process/child_process.h"
#include "system/program/program_run.h"
#include "system/traffic/traffic.h"

namespace coppice::system {

// Loads a configuration of configs/systems/ and applies `overrides` of the form "key=value".
inline config::Loaded load_system(const std::string& name, const std::vector<std::string>& overrides = {},
                                  config::Purpose purpose = config::Purpose::kRun) {
  return config::load(testing::shipped_config("systems/" + name + ".yaml"), overrides, purpose);
}

// Runs the collective in a separate process, because a SystemC kernel elaborates only once per process.
inline nlohmann::ordered_json run(const std::string& name, const std::vector<std::string>& overrides = {},
                                  const RunOptions& options = {}) {
  const config::Loaded loaded = load_system(name, overrides);
  return run_in_child([&] { return run_program(loaded, load_program(loaded), options); }, nullptr);
}

inline nlohmann::ordered_json run_synthetic(const std::string& name, const TrafficOptions& traffic,
                                            const std::vector<std::string>& overrides = {}) {
  const config::Loaded loaded = load_system(name, overrides, config::Purpose::kTraffic);
  return run_in_child([&] { return run_traffic(loaded, traffic, {}); }, nullptr);
}

// A temporary directory that is deleted after the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "coppice_test_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace coppice::system
