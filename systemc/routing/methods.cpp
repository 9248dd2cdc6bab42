#include "routing/methods.h"

#include <algorithm>
#include <array>

#include "routing/annealing.h"
#include "routing/ecmp.h"
#include "routing/edge_coloring.h"
#include "routing/greedy.h"
#include "routing/ilp.h"
#include "routing/optimal.h"

namespace coppice::routing {
namespace {

const std::array<MethodInfo, 6>& registry() {
  static const std::array<MethodInfo, 6> all{{
      {"ecmp", "hashes the five-tuple to choose a live next hop, like switches without a controller"},
      {"greedy", "assigns each flow to the least loaded path (Algorithm 1); at most twice the optimum"},
      {"edge_coloring", "bipartite edge colouring, with colours distributed over the live spines; exact"},
      {"annealing", "simulated annealing of the spine for each destination (Hedera)"},
      {"ilp", "integer linear program solved by GLPK; exact, for small cases"},
      {"optimal",
       "finds the least load on every link by alternating paths; exact, and moves few flows after changes"},
  }};
  return all;
}

}  // namespace

std::unique_ptr<PathAssigner> make_assigner(const std::string& method, const AssignerOptions& options) {
  if (method == "ecmp") return std::make_unique<Ecmp>(options.seed);
  if (method == "greedy") return std::make_unique<Greedy>();
  if (method == "edge_coloring") return std::make_unique<EdgeColoring>();
  if (method == "annealing") return std::make_unique<Annealing>(options.seed);
  if (method == "ilp") return std::make_unique<IntegerProgram>(options.ilp_seconds);
  if (method == "optimal") return std::make_unique<Optimal>(options.seed);
  return nullptr;
}

std::span<const MethodInfo> methods() {
  return registry();
}

}  // namespace coppice::routing
