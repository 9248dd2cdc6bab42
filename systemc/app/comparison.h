#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "config/settings/config.h"

namespace coppice::app {

// The result of running, or of estimating, one algorithm with one size.
struct ComparedRun {
  std::string algorithm;
  Bytes size = 0;
  double time_ns = 0;
  double algbw_gb_s = 0;
  double busbw_gb_s = 0;
  bool verified = true;   // whether every sum was checked
  double efficiency = 0;  // the lower bound divided by the time
  double bound_ns = 0;    // the larger of the bandwidth and latency bounds
  Bytes table_bytes = 0;  // the size of the largest tables of any one accelerator
  std::string chosen{};   // the algorithm that `auto` chose
  bool estimated = false;
};

// Formats one line per size per algorithm, sorted by size and then by time. Estimated times begin with "~".
std::string comparison_text(const std::vector<ComparedRun>& runs);
// The collective that is compared, in terms of nccl-tests.
struct NcclTest {
  std::string op;  // a value of collective.op
  int root = 0;
  int ranks = 0;
};
// Formats the fastest simulated run of each size in the columns and units of nccl-tests, so that scripts that
// parse the output of nccl-tests can read it. The columns for in-place and out-of-place runs contain the same
// values.
std::string comparison_nccl_tests(const std::vector<ComparedRun>& runs, const NcclTest& test);
// Formats the runs as comma-separated values with a header.
std::string comparison_csv(const std::vector<ComparedRun>& runs);
// Formats the runs as JSON: {"schema": "coppice.compare/1", "config": ..., "rows": [...]}. `config` holds
// the keys that all runs have in common.
std::string comparison_json(const std::vector<ComparedRun>& runs, const config::Config& config);
// Draws an SVG figure of time over size, on logarithmic axes: a line for each algorithm, circles around the
// choices of `auto`, and a dotted line for the lower bound.
std::string comparison_svg(const std::vector<ComparedRun>& runs, const std::string& title);

}  // namespace coppice::app
