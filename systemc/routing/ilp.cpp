#include "routing/ilp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.h"
#include "routing/glpk_program.h"

namespace coppice::routing {
namespace {

// The flows between two ToRs, and the program's variables for them. There is one variable per live spine.
struct Pair {
  std::vector<std::size_t> flows;
  std::vector<int> spines;
  std::vector<int> columns;
};

using Pairs = std::map<std::pair<int, int>, Pair>;

Pairs pairs_of(const ClosLinks& links, std::span<const Flow> flows) {
  Pairs pairs;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!flows[i].local()) pairs[{flows[i].src_tor, flows[i].dst_tor}].flows.push_back(i);
  }
  for (auto& [tors, pair] : pairs) pair.spines = links.live_spines(tors.first, tors.second);
  return pairs;
}

// Builds the program. Column 1 is the maximum load L. There is a row for every pair of ToRs and for every
// directed link that is used.
void build(glp_prob* problem, Pairs& pairs, int tors, int least) {
  glp_add_cols(problem, 1);
  glp_set_col_kind(problem, 1, GLP_IV);
  glp_set_col_bnds(problem, 1, GLP_LO, least, 0);
  glp_set_obj_coef(problem, 1, 1);
  GlpkMatrix matrix;
  std::map<std::pair<int, int>, int> link_rows;  // {end, spine}
  const auto link_row = [&](int end, int spine) {
    const auto [at, added] = link_rows.try_emplace({end, spine}, 0);
    if (added) {
      at->second = glp_add_rows(problem, 1);
      glp_set_row_bnds(problem, at->second, GLP_UP, 0, 0);
      matrix.add(at->second, 1, -1);
    }
    return at->second;
  };
  for (auto& [ends, pair] : pairs) {
    const auto count = static_cast<double>(pair.flows.size());
    const int row = glp_add_rows(problem, 1);
    glp_set_row_bnds(problem, row, GLP_FX, count, count);
    for (const int spine : pair.spines) {
      const int column = glp_add_cols(problem, 1);
      glp_set_col_kind(problem, column, GLP_IV);
      glp_set_col_bnds(problem, column, GLP_DB, 0, count);
      pair.columns.push_back(column);
      matrix.add(row, column, 1);
      matrix.add(link_row(ends.first, spine), column, 1);
      matrix.add(link_row(tors + ends.second, spine), column, 1);
    }
  }
  matrix.load_into(problem);
}

}  // namespace

Assignment IntegerProgram::assign(const ClosLinks& links, std::span<const Flow> flows) {
  const int bound = lower_bound(links, flows);
  Assignment spines(flows.size(), kNoSpine);
  Pairs pairs = pairs_of(links, flows);
  if (pairs.empty()) return spines;
  glp_term_out(GLP_OFF);
  const GlpkProgram problem = make_program(GLP_MIN);
  build(problem.get(), pairs, links.tors(), bound);
  glp_iocp parameters;
  glp_init_iocp(&parameters);
  parameters.presolve = GLP_ON;
  parameters.tm_lim = static_cast<int>(seconds_ * 1000);
  const int status = glp_intopt(problem.get(), &parameters);
  if (status != 0 || glp_mip_status(problem.get()) != GLP_OPT) {
    throw ModelError(
        fmt::format("the integer program of {} flows between {} pairs of ToRs over {} spines was not solved "
                    "within {} s: use method optimal, since ilp is only suitable for small cases",
                    flows.size(), pairs.size(), links.spines(), seconds_));
  }
  for (const auto& [ends, pair] : pairs) {
    std::size_t next = 0;
    for (std::size_t s = 0; s < pair.spines.size(); ++s) {
      const auto count = std::lround(glp_mip_col_val(problem.get(), pair.columns[s]));
      for (long k = 0; k < count && next < pair.flows.size(); ++k)
        spines[pair.flows[next++]] = pair.spines[s];
    }
  }
  return spines;
}

}  // namespace coppice::routing
