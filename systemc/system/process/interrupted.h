#pragma once

#include <stdexcept>

namespace coppice::system {

// The user interrupted the command (Ctrl-C): exit status 130.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace coppice::system
