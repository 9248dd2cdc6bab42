#pragma once

#include <vector>

#include "workload/program.h"
#include "workload/replicated_program.h"
#include "workload/text_workload.h"

namespace coppice::workload {

// Throws UnsupportedError if `ranks` cannot be divided into groups of the sizes that the workload needs, or
// if the workload is for a different number of accelerators.
void require_groups(const TextWorkload& workload, int ranks);

// One iteration of a text workload as a program of all ranks, on a system whose dimensions have the given
// widths, innermost first. If a layer is split, the next layer waits for its communication; a DLRM's
// all-to-alls overlap its bottom MLP. Gradients are reduced together after the backward pass
// (Overlap::kNone), or each as soon as it is ready, and weights are updated after that. Throws like
// require_groups().
Program build_text_program(const TextWorkload& workload, const std::vector<int>& widths,
                           AllGatherBytes counted, Overlap overlap);

// Builds the program of build_text_program() in a form in which one copy of the model represents all copies.
// There is a single copy if accelerators exchange data within a dimension, or within groups that differ from
// layer to layer.
ReplicatedProgram build_replicated_text(const TextWorkload& workload, const std::vector<int>& widths,
                                        AllGatherBytes counted, Overlap overlap);

}  // namespace coppice::workload
