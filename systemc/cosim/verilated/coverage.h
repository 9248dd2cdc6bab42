#pragma once

#include <verilated.h>

#ifdef COPPICE_COVERAGE
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include <verilated_cov.h>
#endif

namespace coppice::cosim {

// In builds with COPPICE_COVERAGE, writes the coverage of a Verilated block to a new file in the folder that
// the environment variable COPPICE_COVERAGE names. In other builds, does nothing.
inline void write_coverage([[maybe_unused]] VerilatedContext& context) {
#ifdef COPPICE_COVERAGE
  static std::atomic<int> files{0};
  const char* folder = std::getenv("COPPICE_COVERAGE");
  if (folder == nullptr) return;
  const std::string name = std::to_string(::getpid()) + "_" + std::to_string(files++) + ".dat";
  context.coveragep()->write((std::string(folder) + "/" + name).c_str());
#endif
}

}  // namespace coppice::cosim
