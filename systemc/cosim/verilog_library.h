#pragma once

#include <memory>
#include <string>

#include "cosim/ni_contexts_model.h"
#include "cosim/ni_model.h"
#include "cosim/router_model.h"

namespace coppice::cosim {

// The Verilated models, which libcoppice_verilog.so holds: most runs need none of them, and compiling them
// takes longer than compiling the command. The library has no SystemC in it and uses nothing of its user's.
class VerilogLibrary {
 public:
  // `wave_path`: an FST of every signal is written there; empty: none. `memory` outlives the model.
  virtual std::unique_ptr<NiModel> make_ni(const NiSettings& settings, WordMemory& memory,
                                           const std::string& wave_path) const = 0;
  virtual std::unique_ptr<NiContextsModel> make_ni_contexts(const NiSettings& settings, NiOrder order,
                                                            WordMemory& memory) const = 0;
  // `credits`: buffer slots of every virtual channel downstream.
  virtual std::unique_ptr<RouterModel> make_router(int credits) const = 0;

 protected:
  ~VerilogLibrary() = default;
};

// Loads the library when it is first asked for: from the folder of the running program, ../lib/coppice beside
// it, the build folder, or where the dynamic linker looks. Throws UnsupportedError, which says how to build
// it.
const VerilogLibrary& verilog_library();
// Why verilog_library() would throw; empty if it would not.
std::string refuse_verilog();

}  // namespace coppice::cosim
