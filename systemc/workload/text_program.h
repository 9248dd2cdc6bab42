#pragma once

#include <vector>

#include "workload/program.h"
#include "workload/text_workload.h"

namespace coppice::workload {

// Throws UnsupportedError if the workload's group sizes do not divide `ranks`, or if the workload is for a
// different number of accelerators.
void require_groups(const TextWorkload& workload, int ranks);

// One iteration of a text workload as a program of all ranks, on a system whose dimensions have these widths,
// innermost first. The next layer waits for the communication of a split layer; a DLRM's all-to-alls overlap
// its bottom MLP. Gradients are reduced together after the backward pass (Overlap::kNone) or each as soon as
// it is ready, and the update of the weights waits for them. Throws UnsupportedError as require_groups()
// does.
Program build_text_program(const TextWorkload& workload, const std::vector<int>& widths,
                           AllGatherBytes counted, Overlap overlap);

}  // namespace coppice::workload
