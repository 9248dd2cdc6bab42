#pragma once

#include <stdexcept>

namespace coppice::system {

// Thrown if the user interrupts a command with Ctrl-C; the exit status is then 130.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace coppice::system
