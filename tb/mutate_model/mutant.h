// Included by every source with mutants; selects the mutant that this process runs.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace coppice::mutants {

constexpr int kMost = 4096;

// Marks of the mutants that were reached, in the file that COPPICE_MUTANTS_REACHED names: they survive even
// if the process crashes, and child processes write to the same file.
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

// Whether this process runs mutant `number`. Not constexpr: expressions that the compiler evaluates could not
// be mutated.
inline bool coppice_mutant(int number) {
  return coppice::mutants::is(number);
}
