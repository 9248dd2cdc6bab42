#pragma once

#include "config/loader.h"
#include "workload/program.h"
#include "workload/text_workload.h"

namespace coppice::system {

// Loads the text workload named by training.model. Throws ConfigError if it does not exist or cannot be read,
// and at training.overlap if that needs information that text workloads lack.
workload::TextWorkload load_text_workload(const config::Loaded& loaded);

// One iteration of the workload as a program of all accelerators. A partitioned model is spread over the
// first dimensions of the network or, if it has no dimensions, over accelerators with adjacent numbers.
// Throws ConfigError.
workload::Program load_text_program(const config::Loaded& loaded);

}  // namespace coppice::system
