#pragma once

#include <memory>
#include <string>

#include "cosim/ni_contexts_model.h"
#include "cosim/ni_model.h"
#include "cosim/router_model.h"

namespace coppice::cosim {

// The Verilated models in libcoppice_verilog.so: most runs need none of them, and compiling them takes longer
// than compiling the command. The library contains no SystemC and uses nothing from its caller.
class VerilogLibrary {
 public:
  // `wave_path`: file for an FST of every signal; empty: none. `memory` must outlive the model.
  virtual std::unique_ptr<NiModel> make_ni(const NiSettings& settings, WordMemory& memory,
                                           const std::string& wave_path) const = 0;
  virtual std::unique_ptr<NiContextsModel> make_ni_contexts(const NiSettings& settings, NiOrder order,
                                                            WordMemory& memory) const = 0;
  // `credits`: buffer slots of every virtual channel downstream.
  virtual std::unique_ptr<RouterModel> make_router(int credits) const = 0;

 protected:
  ~VerilogLibrary() = default;
};

// Loads the library on first use: from the folder of the running program, ../lib/coppice beside it, the build
// folder, or where the dynamic linker looks. Throws UnsupportedError with instructions for building it.
const VerilogLibrary& verilog_library();
// The reason why verilog_library() would throw; empty if it would not.
std::string refuse_verilog();

}  // namespace coppice::cosim
