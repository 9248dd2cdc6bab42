#pragma once

#include <string>

namespace coppice::workload::chakra {

// The bytes of a file, decompressed if it is gzipped. Throws ConfigError if the file is unreadable, corrupt,
// or larger than 1 GiB.
std::string read_trace_bytes(const std::string& path);

}  // namespace coppice::workload::chakra
