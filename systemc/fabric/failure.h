#pragma once

#include <exception>
#include <systemc>

#include "base/error.h"

namespace coppice::fabric {

// Stores the first exception thrown in a SystemC process and pauses the simulation, so that the driver can
// rethrow the exception. Without this class, the kernel would convert the exception to a report and lose its
// type.
class Failure {
 public:
  // Runs the body of a process and stores the exception that it throws, if any.
  template <typename F>
  void guard(F&& body) {
    try {
      body();
    } catch (...) {
      if (!error_) error_ = std::current_exception();
      sc_core::sc_pause();
    }
  }

  // Rethrows the stored exception, if any. Call this after sc_start() returns.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

}  // namespace coppice::fabric
