#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "system/output/result_file.h"

namespace coppice::system {

// A value change dump (IEEE 1364) of named signals, with times in picoseconds. finish() creates the complete
// file.
class VcdFile {
 public:
  // Throws ConfigError at `option` if `path` cannot be written.
  VcdFile(const std::string& option, const std::string& path) : output_(option, path) {}

  // Adds a signal of `width` bits (at most 64) and returns its number. Dots in the name separate scopes. All
  // signals must be added before the first call of set().
  std::size_t add(std::string name, int width);
  // Sets a signal's value from time `at`, which must not decrease from call to call. Throws ModelError if the
  // file cannot be written, as does finish().
  void set(std::size_t signal, std::uint64_t value, Femtoseconds at);
  // Completes the dump up to the time of the last call of set(), even if that call did not change a value.
  void finish();

 private:
  struct Signal {
    std::string name;
    int width;
    std::uint64_t value = 0;
  };

  void write_header();
  void write_time(Femtoseconds at);
  void write_value(std::size_t signal);

  ResultFile output_;
  std::vector<Signal> signals_;
  bool begun_ = false;
  Femtoseconds written_ = -1;  // the last time that was written to the file
  Femtoseconds last_ = 0;
};

}  // namespace coppice::system
