// coppice calibrate: fits the costs of a machine to measured times. This is the command line for the Python
// package coppice.calibrate, which computes the fit.
#include "app/calibrate.h"

#include "app/python_command.h"

namespace coppice::app {
namespace {

constexpr PythonOption kCalibrateOptions[] = {
    {"--out", "the configuration file to write (default: CONFIG.calibrated.yaml)", "FILE"},
    {"--figure", "the plot to write (default: next to the configuration)", "FILE"},
    {"--ranks", "the number of ranks, if the measurements do not contain it", "N"},
    {"--op", "the operation, if the measurements do not contain it", "OP"},
    {"--algorithms", "the algorithms that the fit may use, separated by commas", "NAMES"},
    {"--only", "use only rows whose algorithm matches this regular expression", "TEXT"},
    {"--protocols", "the maximum number of protocols for each operation and number of ranks (default: 3)",
     "N"},
    {"--hold-out", "the share of the sizes to hold out of the fit (default: 0.2)", "SHARE"},
    {"--seed", "the seed for selecting the sizes to hold out", "N"},
};

constexpr PythonInput kCalibrateInputs[] = {
    {"CONFIG.yaml", "the configuration of the machine"},
    {"MEASURED.csv",
     "measured times: nccl-tests output, or a table with columns operation, ranks, bytes, time_us"},
};

}  // namespace

Command add_calibrate(CLI::App& parent) {
  return add_python_command(
      parent, "calibrate",
      "fit the launch time, setup time, efficiency and protocols of a machine to measured times",
      "coppice.calibrate", kCalibrateInputs, kCalibrateOptions);
}

}  // namespace coppice::app
