#pragma once

#include <memory>
#include <string>

#include "cosim/ni_contexts_model.h"
#include "cosim/ni_model.h"
#include "cosim/router_model.h"

namespace coppice::cosim {

// The Verilated models, which are in libcoppice_verilog.so. They are separate from the command because most
// runs need none of them and compiling them takes longer than compiling the command. The library contains no
// SystemC and uses no symbols of its caller.
class VerilogLibrary {
 public:
  // `wave_path` names the FST file to which every signal is written; no file is written if it is empty.
  // `memory` must outlive the model.
  virtual std::unique_ptr<NiModel> make_ni(const NiSettings& settings, WordMemory& memory,
                                           const std::string& wave_path) const = 0;
  virtual std::unique_ptr<NiContextsModel> make_ni_contexts(const NiSettings& settings, NiOrder order,
                                                            WordMemory& memory) const = 0;
  // `credits` is the number of buffer slots of every downstream virtual channel.
  virtual std::unique_ptr<RouterModel> make_router(int credits) const = 0;

 protected:
  ~VerilogLibrary() = default;
};

// Loads the library on first use. It is searched for in the folder of the running program, in ../lib/coppice
// relative to that folder, in the build folder, and in the dynamic linker's search path. Throws
// UnsupportedError, with build instructions, if it is not found.
const VerilogLibrary& verilog_library();
// Returns the message of the exception that verilog_library() would throw; empty if it would succeed.
std::string refuse_verilog();

}  // namespace coppice::cosim
