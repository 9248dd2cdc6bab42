#pragma once

#include <memory>
#include <string>

#include "cosim/ni_contexts_model.h"
#include "cosim/ni_model.h"
#include "cosim/router_model.h"

namespace coppice::cosim {

// The Verilated models in libcoppice_verilog.so, separate because most runs need none of them and compiling
// them takes longer than compiling the command. The library contains no SystemC and does not use its caller's
// symbols.
class VerilogLibrary {
 public:
  // `wave_path`: the file for an FST of every signal; empty if none is wanted. `memory` must outlive the
  // model.
  virtual std::unique_ptr<NiModel> make_ni(const NiSettings& settings, WordMemory& memory,
                                           const std::string& wave_path) const = 0;
  virtual std::unique_ptr<NiContextsModel> make_ni_contexts(const NiSettings& settings, NiOrder order,
                                                            WordMemory& memory) const = 0;
  // `credits`: the number of buffer slots of every downstream virtual channel.
  virtual std::unique_ptr<RouterModel> make_router(int credits) const = 0;

 protected:
  ~VerilogLibrary() = default;
};

// Loads the library on first use: from the folder of the running program, ../lib/coppice relative to it, the
// build folder, or the dynamic linker's search path. Throws UnsupportedError with build instructions.
const VerilogLibrary& verilog_library();
// The message that verilog_library() would throw; empty if it would succeed.
std::string refuse_verilog();

}  // namespace coppice::cosim
