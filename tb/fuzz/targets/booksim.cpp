// Fuzzes BookSim2's configuration files. The network of an accepted file must load, or be refused with a
// location.
#include "base/error.h"
#include "config/files/booksim_file.h"
#include "config/loader.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  const fuzz::InputInMemory input(data, size);
  try {
    const config::BooksimExperiment experiment = config::read_booksim(input.path());
    if (experiment.packet_flits < 1 || experiment.warmup < 0 || experiment.measure < 0) std::abort();
    config::load_booksim(input.path(), experiment, {});
  } catch (const ConfigError&) {
  }
  return 0;
}
