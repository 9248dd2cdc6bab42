#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "system/output/result_file.h"

namespace coppice::system {

// A value change dump (IEEE 1364) of named signals, in picoseconds. The file appears whole in finish().
class VcdFile {
 public:
  // Throws ConfigError at `option` if `path` cannot be written.
  VcdFile(const std::string& option, const std::string& path) : output_(option, path) {}

  // A signal of `width` bits, 64 at most; scopes are the parts of its name before dots. Before the first
  // change. Returns its number.
  std::size_t add(std::string name, int width);
  // A signal's value from `at` on, in femtoseconds that never go back. Throws ModelError if the file cannot
  // be written; so does finish().
  void set(std::size_t signal, std::uint64_t value, Femtoseconds at);
  // The dump reaches up to the time of the last call of set(), changed or not.
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
  Femtoseconds written_ = -1;  // the time that stands last in the file
  Femtoseconds last_ = 0;
};

}  // namespace coppice::system
