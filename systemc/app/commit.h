#pragma once

namespace coppice::app {

// The commit that was built, as 40 hexadecimal digits, with + appended if files differed from it; "unknown"
// outside a git checkout. Written by scripts/cmake/commit.cmake.
extern const char* const kCommit;

}  // namespace coppice::app
