// Selects the mutant that this process runs. Every source file with mutants includes this file.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace coppice::mutants {

constexpr int kMost = 4096;

// One mark per mutant that was reached, in the file that COPPICE_MUTANTS_REACHED names. In a file, marks
// survive a crash of the process, and child processes share them.
inline unsigned char* marks() {
  static unsigned char nowhere[kMost];
  const char* path = std::getenv("COPPICE_MUTANTS_REACHED");
  const int file = path == nullptr ? -1 : open(path, O_RDWR);
  if (file < 0) return nowhere;
  void* mapped = mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? nowhere : static_cast<unsigned char*>(mapped);
}

inline int chosen() {
  const char* text = std::getenv("COPPICE_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}

inline bool is(int number) {
  static unsigned char* const reached = marks();
  static const int mutant = chosen();
  reached[number] = 1;
  return mutant == number;
}

}  // namespace coppice::mutants

// Whether this process runs mutant `number`. Not constexpr, because an expression that the compiler evaluates
// cannot have mutants.
inline bool coppice_mutant(int number) {
  return coppice::mutants::is(number);
}
