// The number of the mutant that Verilated models are, from the environment; 0: the Verilog as it is. Included
// ahead of everything that Verilator writes of Verilog with mutants in it.
#ifndef COPPICE_TB_MUTATE_NUMBER_H
#define COPPICE_TB_MUTATE_NUMBER_H

#include <cstdlib>

inline const int coppice_mutant = [] {
  const char* number = std::getenv("COPPICE_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}();

#endif
