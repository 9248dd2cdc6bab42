// coppice calibrate: fits the costs of a machine to measured times. The Python package coppice.calibrate does
// the fit; this is its command line.
#include "app/calibrate.h"

#include "app/python_command.h"

namespace coppice::app {
namespace {

constexpr PythonOption kCalibrateOptions[] = {
    {"--out", "the configuration file to write (default: CONFIG.calibrated.yaml)", "FILE"},
    {"--figure", "the plot to write (default: next to the configuration)", "FILE"},
    {"--ranks", "number of ranks, if the measurements do not state it", "N"},
    {"--op", "operation, if the measurements do not state it", "OP"},
    {"--algorithms", "comma-separated list of the algorithms that the fit may use", "NAMES"},
    {"--only", "use only rows whose algorithm matches this regular expression", "TEXT"},
    {"--protocols", "maximum number of protocols per operation and rank count (default: 3)", "N"},
    {"--hold-out", "share of the sizes to hold out of the fit (default: 0.2)", "SHARE"},
    {"--seed", "seed for choosing the held-out sizes", "N"},
};

constexpr PythonInput kCalibrateInputs[] = {
    {"CONFIG.yaml", "the machine"},
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
