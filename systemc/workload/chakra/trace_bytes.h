#pragma once

#include <string>

namespace coppice::workload::chakra {

// The bytes of a file, unpacked if it is gzipped. Throws ConfigError: unreadable, damaged, or more than 1
// GiB.
std::string read_trace_bytes(const std::string& path);

}  // namespace coppice::workload::chakra
