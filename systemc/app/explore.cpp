// coppice explore: searches a design space for the best machines for a workload. This is the command line for
// the Python package coppice.exploration, which performs the search.
#include "app/explore.h"

#include "app/python_command.h"

namespace coppice::app {
namespace {

constexpr PythonOption kExploreOptions[] = {
    {"--out", "the folder in which to store the results (default: SPACE.explore)", "FOLDER"},
    {"--storage",
     "the database that the search's workers share: sqlite:///FILE or postgresql://... (default: in the "
     "result folder)",
     "URL"},
    {"--jobs", "number of workers on this machine (default: one per core)", "N"},
    {"--method", "grid, random, nsga2 or tpe, instead of search.method", "METHOD"},
    {"--runs", "number of points to evaluate, instead of search.budget.runs", "N"},
    {"--minutes", "time limit of the search, instead of search.budget.minutes", "N"},
    {"--seed", "seed of the search, instead of search.seed", "N"},
    {"--show", "print the configuration of a point from an earlier search, and exit", "POINT"},
    {"--workload", "which workload --show configures, if the space has several", "NAME"},
    {"--no-sensitivity", "do not compute the importance of keys or the sweeps around the Pareto front",
     nullptr},
    {"--no-page", "write tables, but no HTML page", nullptr},
    {"--dry-run", "check the space and print its size", nullptr},
};

constexpr PythonInput kExploreInputs[] = {{"SPACE.yaml", "the search space and its objectives"}};

}  // namespace

Command add_explore(CLI::App& parent) {
  return add_python_command(parent, "explore",
                            "search a design space for the best machines for a workload, and write tables, "
                            "the Pareto front, sensitivities and an HTML page",
                            "coppice.exploration", kExploreInputs, kExploreOptions);
}

}  // namespace coppice::app
