#pragma once

#include <string>

#include "workload/model.h"

namespace coppice::workload {

// Reads a layer table in SCALE-Sim's CSV columns (name, IFMAP height and width, filter height and width,
// channels, filters, strides), or its GEMM columns (name, M, N, K). The model is named after the file.
//
// Accepted as the field writes them: blank rows, title rows (one cell), trailing commas, spaces, CR LF, a
// byte order mark, a missing header (the columns are then the eight above). A header may add, in any order:
// Padding (zeros on each side, default 0: IFMAP dimensions include it then), Groups, Dilation, Kind (conv,
// tied, embedding, matmul, elementwise, add, normalization, pooling, softmax), Sparsity (N:M weights kept),
// Batch (inputs of a sample). Without Padding, Groups, Dilation and Kind the words of a header do not matter,
// as in SCALE-Sim: cells count by position, behind the strides a second stride, the sparsity and the batch,
// each if it is there; and a name with "DP" is a convolution of each channel by its own filters. A column
// that it does not know is named in Model::warnings. Throws ConfigError, file:line:column of the cell, for
// anything else.
Model import_scale_sim(const std::string& path);

}  // namespace coppice::workload
