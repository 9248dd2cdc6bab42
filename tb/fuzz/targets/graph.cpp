// Fuzzes network files in all formats except YAML. In an accepted graph, all accelerators must reach each
// other.
#include "base/error.h"
#include "input.h"
#include "topology/files/parse_network.h"
#include "topology/routing/table_routing.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const topology::GraphFileDefaults defaults{.link = {.bandwidth = {16'000'000'000}, .latency = 150'000'000},
                                             .cycle = kFemtosecondsPerNanosecond};
  try {
    const topology::GraphFile file = topology::parse_network(text, "input", defaults);
    if (file.topology.num_nodes() <= 64) topology::make_table_routing(file.topology, 4);
  } catch (const ConfigError&) {
  } catch (const UnsupportedError&) {
  }
  return 0;
}
