#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "config/settings/config.h"

namespace coppice::app {

// A run of one algorithm with one size, or an estimate of it.
struct ComparedRun {
  std::string algorithm;
  Bytes size = 0;
  double time_ns = 0;
  double algbw_gb_s = 0;
  double busbw_gb_s = 0;
  bool verified = true;   // whether every sum was checked
  double efficiency = 0;  // the lower bound divided by the time
  double bound_ns = 0;    // the larger of the bandwidth and latency bounds
  Bytes table_bytes = 0;  // size of the largest tables of an accelerator
  std::string chosen{};   // the algorithm chosen by auto
  bool estimated = false;
};

// One line per size and algorithm, sorted by size and then by time; estimated times begin with "~".
std::string comparison_text(const std::vector<ComparedRun>& runs);
// The compared collective, as nccl-tests names it.
struct NcclTest {
  std::string op;  // as in collective.op
  int root = 0;
  int ranks = 0;
};
// The fastest run of each size in the columns and units of nccl-tests, so that scripts for nccl-tests can
// read it; omits estimates. The columns for in-place and out-of-place runs are equal.
std::string comparison_nccl_tests(const std::vector<ComparedRun>& runs, const NcclTest& test);
// The rows as comma-separated values with a header.
std::string comparison_csv(const std::vector<ComparedRun>& runs);
// {"schema": "coppice.compare/1", "config": ..., "rows": [...]}; `config` holds the keys common to all runs.
std::string comparison_json(const std::vector<ComparedRun>& runs, const config::Config& config);
// An SVG figure of time over size, both logarithmic: a line per algorithm, circles around the choice of auto,
// and a dotted line for the bound.
std::string comparison_svg(const std::vector<ComparedRun>& runs, const std::string& title);

}  // namespace coppice::app
