#pragma once

#include <string>

#include "workload/model.h"

namespace coppice::workload {

// Reads a layer table with SCALE-Sim's CSV columns (name, IFMAP height and width, filter height and width,
// channels, filters, strides), or its GEMM columns (name, M, N, K). The model is named after the file.
//
// Accepts the variants found in practice: blank rows, title rows (one cell), trailing commas, spaces, CR LF,
// a byte order mark, and a missing header (the columns are then the eight above). A header may add, in any
// order: Padding (zeros on each side; if it is 0, the default, IFMAP dimensions include any padding), Groups,
// Dilation, Kind (conv, tied, embedding, matmul, elementwise, add, normalization, pooling, softmax), Sparsity
// (N:M weights kept), Batch (inputs per sample). Without Padding, Groups, Dilation and Kind, the names in a
// header do not matter, as in SCALE-Sim: cells are identified by position, and a second stride, the sparsity
// and the batch may follow the stride; a layer with "DP" in its name convolves each channel with its own
// filters. Model::warnings mentions unknown columns. Throws ConfigError, located at the cell, for anything
// else.
Model import_scale_sim(const std::string& path);

}  // namespace coppice::workload
