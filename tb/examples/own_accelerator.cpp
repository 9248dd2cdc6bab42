// A machine with your own module in place of one accelerator. The module is a straggler: it computes for 5 us
// before it starts its network interface. The other fifteen accelerators wait for it, and all sums are
// correct.
#include <cstdio>
#include <memory>
#include <string>
#include <systemc>

#include "accelerator/accelerator_module.h"
#include "config/loader.h"
#include "ni/interface.h"
#include "system/program/program_run.h"

namespace {

using namespace coppice;

class Straggler final : public accelerator::AcceleratorModule {
 public:
  Straggler(const sc_core::sc_module_name& name, const sc_core::sc_time& computes)
      : AcceleratorModule(name), computes_(computes) {
    SC_HAS_PROCESS(Straggler);
    SC_THREAD(work);
  }

 private:
  void work() {
    wait(computes_);
    write_register(ni::Registers::kControl, ni::Registers::kStart);
  }

  sc_core::sc_time computes_;
};

}  // namespace

int sc_main(int, char**) {
  const config::Loaded loaded =
      config::load(std::string(COPPICE_CONFIGS) + "/systems/torus_4x4.yaml",
                   {"collective.size=16 KiB", "fidelity=flit", "check=values"}, config::Purpose::kRun);
  system::RunOptions options;
  options.parts.make_accelerator = [](int node) -> std::unique_ptr<accelerator::AcceleratorModule> {
    if (node != 5) return nullptr;
    return std::make_unique<Straggler>("accelerator", sc_core::sc_time(5, sc_core::SC_US));
  };
  const auto result = system::run_program(loaded, system::load_program(loaded), options);
  const auto cycles = result["cycles"].get<long long>();
  std::printf("%lld cycles, verified by %s\n", cycles, result["verified"].get<std::string>().c_str());
  constexpr long long kComputes = 5000;
  return cycles > kComputes && result["verified"] == "values" ? 0 : 1;
}

int main(int argc, char** argv) {
  return sc_core::sc_elab_and_sim(argc, argv);
}
