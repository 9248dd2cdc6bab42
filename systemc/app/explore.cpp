// coppice explore: the best machines of a space for a workload. The search is the Python package's,
// coppice.explore; this is its command line.
#include "app/explore.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"

namespace coppice::app {
namespace {

namespace fs = std::filesystem;

// Debian's, whose packages the search is built on, and not another that stands before it on the path.
constexpr const char* kPython = "/usr/bin/python3";

struct ExploreOption {
  const char* name;
  const char* summary;
  const char* type;  // of its value; none: a flag
};

constexpr ExploreOption kOptions[] = {
    {"--out", "the folder of the results; SPACE.explore where left out", "FOLDER"},
    {"--storage",
     "the database of the search, shared by its workers: sqlite:///FILE or postgresql://...; in the "
     "folder where left out",
     "URL"},
    {"--jobs", "workers on this machine; its cores where left out", "N"},
    {"--method", "grid, random, nsga2 or tpe, instead of search.method", "METHOD"},
    {"--runs", "points of the search, instead of search.budget.runs", "N"},
    {"--minutes", "of the search, instead of search.budget.minutes", "N"},
    {"--seed", "instead of search.seed", "N"},
    {"--show", "print the configuration of a point that was found, and do nothing else", "POINT"},
    {"--workload", "of --show, where the space has several", "NAME"},
    {"--no-sensitivity", "leave out the importance of keys and the sweeps around the front", nullptr},
    {"--no-page", "write tables and no page", nullptr},
    {"--dry-run", "check the space and say how large it is", nullptr},
};

struct ExploreLine {
  std::string space;
  std::vector<std::string> values = std::vector<std::string>(std::size(kOptions));
  std::vector<char> flags = std::vector<char>(std::size(kOptions));
};

// The folder of the Python package: beside a command that is installed, else that of the sources.
std::string package_folder(const fs::path& command) {
  std::error_code none;
  const fs::path installed = command.parent_path().parent_path() / "lib/python3/dist-packages";
  return fs::is_directory(installed / "coppice/explore", none) ? installed.string() : COPPICE_PYTHON;
}

void prepend_path(const char* variable, const std::string& folder) {
  const char* old = std::getenv(variable);
  const std::string joined = old == nullptr || *old == '\0' ? folder : fmt::format("{}:{}", folder, old);
  ::setenv(variable, joined.c_str(), 1);
}

[[noreturn]] void execute(const ExploreLine& line) {
  std::error_code none;
  const fs::path command = fs::read_symlink("/proc/self/exe", none);
  ::setenv("COPPICE", command.c_str(), 1);
  prepend_path("PYTHONPATH", package_folder(command));
  ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);  // an installation may be read-only
  std::vector<std::string> words{kPython, "-m", "coppice.explore", line.space};
  for (std::size_t i = 0; i < std::size(kOptions); ++i) {
    if (line.flags[i] != 0) words.emplace_back(kOptions[i].name);
    if (!line.values[i].empty()) words.push_back(fmt::format("{}={}", kOptions[i].name, line.values[i]));
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(kPython, arguments.data());
  throw ModelError(fmt::format("{} cannot be started: {}", kPython, std::strerror(errno)));
}

}  // namespace

Command add_explore(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "explore",
      "the best machines of a space for a workload: tables, the Pareto front, sensitivity, a page");
  auto line = std::make_shared<ExploreLine>();
  app->add_option("SPACE.yaml", line->space, "what there is to choose from, and what is wanted")->required();
  for (std::size_t i = 0; i < std::size(kOptions); ++i) {
    const ExploreOption& option = kOptions[i];
    if (option.type == nullptr) {
      app->add_flag_callback(
          option.name, [line, i] { line->flags[i] = 1; }, option.summary);
    } else {
      app->add_option(option.name, line->values[i], option.summary)->type_name(option.type);
    }
  }
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
