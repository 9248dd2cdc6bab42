#pragma once

#include <string>

namespace coppice::workload::chakra {

// Returns the contents of a file, decompressed if it is gzipped. Throws ConfigError if the file is unreadable
// or corrupt, or if the contents are larger than 1 GiB.
std::string read_trace_bytes(const std::string& path);

}  // namespace coppice::workload::chakra
