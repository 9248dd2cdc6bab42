// all_reduce_over_dram CONFIG.yaml DRAM.yaml [KEY=VALUE]... runs the all-reduce of a configuration with a
// Ramulator 2 DRAM as the memory of every accelerator.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <systemc>

#include "config/loader.h"
#include "dram.h"
#include "ni/memory/memory.h"
#include "system/program/program_run.h"

namespace {

using namespace coppice;

class DramMemory final : public ni::MemoryModule {
 public:
  DramMemory(const sc_core::sc_module_name& name, ni::GradientMemory& contents, const std::string& config)
      : MemoryModule(name, contents), dram_(config) {}

 protected:
  // A read is due when the last flit leaves, whereas the first data of a write arrived with the first flit.
  Femtoseconds serve(const ni::MemoryAccess& access) override {
    const bool arrives = access.dma && access.write;
    const Femtoseconds start = access.start - (arrives ? access.stream : 0);
    if (access.accumulate) dram_.access(false, access.address, access.bytes, start);
    const Dram::Served served = dram_.access(access.write, access.address, access.bytes, start);
    if (access.dma && !access.write) return std::max(served.first, served.last - access.stream);
    return std::max(access.start, served.last);
  }

 private:
  Dram dram_;
};

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: all_reduce_over_dram CONFIG.yaml DRAM.yaml [KEY=VALUE]...\n", stderr);
    return 2;
  }
  const std::string dram = argv[2];
  try {
    const config::Loaded loaded = config::load(argv[1], {argv + 3, argv + argc}, config::Purpose::kRun);
    system::RunOptions options;
    options.parts.make_memory = [&](int, ni::GradientMemory& contents) -> std::unique_ptr<ni::MemoryModule> {
      if (dram == "-") return nullptr;
      return std::make_unique<DramMemory>("memory", contents, dram);
    };
    const auto result = system::run_program(loaded, system::load_program(loaded), options);
    std::printf("%s cycles, verified by %s\n", result["cycles"].dump().c_str(),
                result["verified"].get<std::string>().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

int main(int argc, char** argv) {
  return sc_core::sc_elab_and_sim(argc, argv);
}
