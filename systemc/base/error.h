#pragma once

#include <stdexcept>
#include <string>

namespace coppice {

// A location in an input, which is either a file or the command line. For the command line, `file` is the
// name of the option. Lines and columns count from 1.
struct SourceLocation {
  std::string file;
  int line = 1;
  int column = 1;
};

// Thrown for invalid input. what() has the form "file:line:col: message". The command then exits with status
// 2.
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

// Thrown by code without access to the configuration if a request cannot be met, for example because an
// algorithm is not defined on a topology or because a graph is disconnected. A caller that knows the location
// of the responsible key rethrows it as a ConfigError.
class UnsupportedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown if something takes longer than the longest time that can be simulated (kLongestTime). A caller that
// knows the responsible input adds it to the message.
class TimeLimitError : public UnsupportedError {
 public:
  explicit TimeLimitError(const std::string& what)
      : UnsupportedError(what + " takes more than the 9,223 s that can be simulated") {}
};

// Thrown if an invariant of the model is broken or a simulated run has failed (wrong data, deadlock, cycle
// limit). what() names the module and the cycle. The command then exits with status 1.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace coppice
