// Reads the number of the mutant that Verilated models run from the environment; 0 runs the unchanged
// Verilog. If the Verilog has mutants, this file is included before all files that Verilator writes.
#ifndef COPPICE_TB_MUTATE_NUMBER_H
#define COPPICE_TB_MUTATE_NUMBER_H

#include <cstdlib>

inline const int coppice_mutant = [] {
  const char* number = std::getenv("COPPICE_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}();

#endif
