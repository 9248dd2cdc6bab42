#pragma once

#include <string>

#include "workload/model.h"

namespace coppice::workload {

// Reads a layer table in SCALE-Sim's CSV columns (name, IFMAP height and width, filter height and width,
// channels, filters, strides), or its GEMM columns (name, M, N, K). The model is named after the file.
//
// Accepted as the field writes them: blank rows, title rows (one cell), trailing commas, spaces, CR LF, a
// byte order mark, a missing header (the columns are then the eight above), one or two stride columns. A
// header may add, in any order: Padding (zeros on each side, default 0: IFMAP dimensions include it then),
// Groups, Kind (conv, tied, embedding, matmul). Throws ConfigError, file:line:column of the cell, for
// anything else.
Model import_scale_sim(const std::string& path);

}  // namespace coppice::workload
