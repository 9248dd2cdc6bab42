// The entry point of libcoppice_verilog.so.
#include "cosim/verilated/models.h"

namespace coppice::cosim {
namespace {

class Library final : public VerilogLibrary {
 public:
  std::unique_ptr<NiModel> make_ni(const NiSettings& settings, WordMemory& memory,
                                   const std::string& wave_path) const override {
    return make_ni_model(settings, memory, wave_path);
  }
  std::unique_ptr<NiContextsModel> make_ni_contexts(const NiSettings& settings, NiOrder order,
                                                    WordMemory& memory) const override {
    return make_ni_contexts_model(settings, order, memory);
  }
  std::unique_ptr<RouterModel> make_router(int credits) const override { return make_router_model(credits); }
};

}  // namespace
}  // namespace coppice::cosim

extern "C" const coppice::cosim::VerilogLibrary* coppice_verilog_library() {
  static const coppice::cosim::Library library;
  return &library;
}
