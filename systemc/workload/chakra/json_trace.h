#pragma once

#include <string>

#include "workload/chakra/trace.h"

namespace coppice::workload::chakra {

// Whether a trace is JSON: its first character that is not blank opens an object.
bool is_json(const std::string& bytes);

// Reads a trace in one of two JSON forms: {"workload_graph": [...]}, or a header and nodes as consecutive
// objects with names in camel case, as protobuf prints them. Throws ConfigError.
Trace read_json_trace(const std::string& text, const std::string& path, int rank);

}  // namespace coppice::workload::chakra
