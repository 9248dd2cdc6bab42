#pragma once

#include "config/loader.h"
#include "workload/program.h"
#include "workload/text_workload.h"

namespace coppice::system {

// The text workload that training.model names. Throws ConfigError if there is none, if it does not read, and
// at training.overlap where that asks for what a text workload does not say.
workload::TextWorkload load_text_workload(const config::Loaded& loaded);

// Its iteration as a program of all accelerators. A cut model is spread over the first dimensions of the
// network, or over neighbours by number where it has none. Throws ConfigError.
workload::Program load_text_program(const config::Loaded& loaded);

}  // namespace coppice::system
