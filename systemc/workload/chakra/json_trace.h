#pragma once

#include <string>

#include "workload/chakra/trace.h"

namespace coppice::workload::chakra {

// Whether a trace is JSON: its first non-blank character opens an object.
bool is_json(const std::string& bytes);

// Reads either {"workload_graph": [...]} or concatenated objects, a header and nodes with names in camel
// case, as protobuf prints them. Throws ConfigError.
Trace read_json_trace(const std::string& text, const std::string& path, int rank);

}  // namespace coppice::workload::chakra
