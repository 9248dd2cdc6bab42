#pragma once

#include <exception>
#include <systemc>

#include "base/error.h"

namespace coppice::fabric {

// The first exception of a SystemC process. The kernel would wrap it in a report and lose its type; here it
// pauses the simulation and waits for the driver to rethrow it.
class Failure {
 public:
  // Runs the body of a process.
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
