// Reads from the environment the number of the mutant that Verilated models run; 0: the unchanged Verilog.
// Included before all of Verilator's output if the Verilog has mutants.
#ifndef COPPICE_TB_MUTATE_NUMBER_H
#define COPPICE_TB_MUTATE_NUMBER_H

#include <cstdlib>

inline const int coppice_mutant = [] {
  const char* number = std::getenv("COPPICE_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}();

#endif
