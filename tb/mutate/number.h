// The number of the mutant that Verilated models run, from the environment; 0: the unchanged Verilog.
// Included before all of Verilator's output for Verilog with mutants.
#ifndef COPPICE_TB_MUTATE_NUMBER_H
#define COPPICE_TB_MUTATE_NUMBER_H

#include <cstdlib>

inline const int coppice_mutant = [] {
  const char* number = std::getenv("COPPICE_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}();

#endif
