#pragma once

#include <exception>
#include <systemc>

#include "base/error.h"

namespace coppice::fabric {

// Stores the first exception of a SystemC process. The kernel would wrap it in a report and lose its type;
// instead, the simulation pauses and the driver rethrows the exception.
class Failure {
 public:
  // Runs the body of a process and stores its exception, if any.
  template <typename F>
  void guard(F&& body) {
    try {
      body();
    } catch (...) {
      if (!error_) error_ = std::current_exception();
      sc_core::sc_pause();
    }
  }

  // Call this after sc_start() returns.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

}  // namespace coppice::fabric
