#pragma once

namespace coppice::app {

// The commit that was built, as 40 hexadecimal digits, followed by + if files had been modified; "unknown"
// outside a git checkout. scripts/cmake/commit.cmake writes the definition.
extern const char* const kCommit;

}  // namespace coppice::app
