// coppice calibrate: fits the costs of a machine to measured times. The fit is the Python package's,
// coppice.calibrate; this is its command line.
#include "app/calibrate.h"

#include "app/python_command.h"

namespace coppice::app {
namespace {

constexpr PythonOption kCalibrateOptions[] = {
    {"--out", "the configuration to write; CONFIG.calibrated.yaml where left out", "FILE"},
    {"--figure", "the figure to write; beside the configuration where left out", "FILE"},
    {"--ranks", "ranks of a measurement that does not say", "N"},
    {"--op", "operation of a measurement that does not say", "OP"},
    {"--algorithms", "algorithms that the fit may use, separated by commas", "NAMES"},
    {"--only", "only rows whose algorithm matches this regular expression", "TEXT"},
    {"--protocols", "protocols per operation and number of ranks at most; 3 where left out", "N"},
    {"--hold-out", "share of the sizes that is kept from the fit; 0.2 where left out", "SHARE"},
    {"--seed", "of the choice of those sizes", "N"},
};

constexpr PythonInput kCalibrateInputs[] = {
    {"CONFIG.yaml", "the machine"},
    {"MEASURED.csv",
     "measured times: an output of nccl-tests, or a table with operation, ranks, bytes, time_us"},
};

}  // namespace

Command add_calibrate(CLI::App& parent) {
  return add_python_command(parent, "calibrate",
                            "fit launch, setup, efficiency and protocols of a machine to measured times",
                            "coppice.calibrate", kCalibrateInputs, kCalibrateOptions);
}

}  // namespace coppice::app
