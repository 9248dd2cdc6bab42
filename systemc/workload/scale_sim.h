#pragma once

#include <string>

#include "workload/model.h"

namespace coppice::workload {

// Reads a layer table in CSV with SCALE-Sim's columns (name, IFMAP height and width, filter height and width,
// channels, filters, strides), or with its GEMM columns (name, M, N, K). The model is named after the file.
//
// Accepts variants that occur in practice: blank rows, title rows (with one cell), trailing commas, spaces,
// CR LF, a byte order mark, and a missing header, which implies the eight columns above. A header may add
// columns in any order: Padding (zeros on each side; if it is 0, the default, IFMAP dimensions include any
// padding), Groups, Dilation, Kind (conv, tied, embedding, matmul, elementwise, add, normalization, pooling,
// softmax), Sparsity (N:M weights kept) and Batch (inputs per sample). If a header has none of Padding,
// Groups, Dilation and Kind, its names do not matter, as in SCALE-Sim: cells are identified by position, and
// the stride may be followed by a second stride, the sparsity and the batch. A layer with "DP" in its name
// applies its filters to each channel separately. Unknown columns are reported in Model::warnings. Throws
// ConfigError, located at the cell, if the table has any other form.
Model import_scale_sim(const std::string& path);

}  // namespace coppice::workload
