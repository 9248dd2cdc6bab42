#pragma once

#include <stdexcept>
#include <string>

namespace coppice {

// A location in an input: a file, or the command line, in which case `file` is the option. Lines and columns
// count from 1.
struct SourceLocation {
  std::string file;
  int line = 1;
  int column = 1;
};

// Invalid input. what() is "file:line:col: message"; the command ends with exit status 2.
class ConfigError : public std::runtime_error {
 public:
  ConfigError(SourceLocation where, const std::string& message)
      : std::runtime_error(where.file + ":" + std::to_string(where.line) + ":" +
                           std::to_string(where.column) + ": " + message),
        where_(std::move(where)) {}
  const SourceLocation& where() const { return where_; }

 private:
  SourceLocation where_;
};

// A request that cannot be met for a reason that is detected in code without access to the configuration,
// such as an algorithm that is not defined on a topology, or a disconnected graph. The caller that knows the
// key's location rethrows it as a ConfigError.
class UnsupportedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown if something takes longer than the longest time that can be simulated (kLongestTime). The caller
// that knows the responsible input names it.
class TimeLimitError : public UnsupportedError {
 public:
  explicit TimeLimitError(const std::string& what)
      : UnsupportedError(what + " takes more than the 9,223 s that can be simulated") {}
};

// A broken invariant of the model or a simulated run that failed (wrong data, deadlock, cycle limit). what()
// names the module and the cycle; exit status 1.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace coppice
