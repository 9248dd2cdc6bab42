#pragma once

#include <memory>
#include <string>

#include "cosim/verilog_library.h"

// The factories of the models in libcoppice_verilog.so. Each model has its own translation unit.
namespace coppice::cosim {

std::unique_ptr<NiModel> make_ni_model(const NiSettings& settings, WordMemory& memory,
                                       const std::string& wave_path);
std::unique_ptr<NiContextsModel> make_ni_contexts_model(const NiSettings& settings, NiOrder order,
                                                        WordMemory& memory);
std::unique_ptr<RouterModel> make_router_model(int credits);

}  // namespace coppice::cosim
