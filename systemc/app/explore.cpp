// coppice explore: the best machines of a space for a workload. The search is the Python package's,
// coppice.explore; this is its command line.
#include "app/explore.h"

#include "app/python_command.h"

namespace coppice::app {
namespace {

constexpr PythonOption kExploreOptions[] = {
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

constexpr PythonInput kExploreInputs[] = {{"SPACE.yaml", "what there is to choose from, and what is wanted"}};

}  // namespace

Command add_explore(CLI::App& parent) {
  return add_python_command(
      parent, "explore",
      "the best machines of a space for a workload: tables, the Pareto front, sensitivity, a page",
      "coppice.explore", kExploreInputs, kExploreOptions);
}

}  // namespace coppice::app
