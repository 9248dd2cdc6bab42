#pragma once

#include "config/loader.h"
#include "workload/program.h"
#include "workload/replicated_program.h"
#include "workload/text_workload.h"

namespace coppice::system {

// Loads the text workload that training.model names. Throws ConfigError if it does not exist or cannot be
// read, and at training.overlap if its value needs information that text workloads do not contain.
workload::TextWorkload load_text_workload(const config::Loaded& loaded);

// One iteration of the workload as a program of all accelerators. A partitioned model is distributed over the
// first dimensions of the network or, if the network has no dimensions, over accelerators with consecutive
// numbers. Throws ConfigError.
workload::Program load_text_program(const config::Loaded& loaded);

// The same program, in which one copy of the model represents all copies. Throws ConfigError.
workload::ReplicatedProgram load_text_copies(const config::Loaded& loaded);

}  // namespace coppice::system
