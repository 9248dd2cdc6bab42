#pragma once

#include <vector>

#include "workload/program.h"
#include "workload/text_workload.h"

namespace coppice::workload {

// Throws UnsupportedError if the groups that the workload names do not divide `ranks`, or it is for another
// number of accelerators.
void require_groups(const TextWorkload& workload, int ranks);

// An iteration of a text workload as a program of all ranks of a system with these widths of dimensions, the
// innermost first. What a layer of a cut model sends is waited for before the next layer; a DLRM's
// all-to-alls run beside its bottom MLP; gradients are reduced together after the backward pass
// (Overlap::kNone) or each as soon as it is there, and waited for before the weights are updated. Throws
// UnsupportedError as require_groups().
Program build_text_program(const TextWorkload& workload, const std::vector<int>& widths,
                           AllGatherBytes counted, Overlap overlap);

}  // namespace coppice::workload
