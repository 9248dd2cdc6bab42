// Fuzzes TACOS algorithms (CSV). An accepted file must pass the proof.
#include "base/error.h"
#include "input.h"
#include "schedule/files/tacos_file.h"
#include "schedule/proof/checker.h"
#include "topology/networks/kinds.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  const topology::LinkSpec link{.bandwidth = {16'000'000'000}, .latency = 150'000'000};
  static const topology::Topology ring =
      topology::make_topology(topology::Kind::kRing, std::vector{3}, std::vector{link});
  static const auto routing = topology::make_routing(ring, 2);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto collective : {schedule::Collective::kAllReduce, schedule::Collective::kReduceScatter,
                                schedule::Collective::kAllGather}) {
    schedule::CompileRequest request;
    request.collective = collective;
    request.size = 3 << 10;
    request.routing = routing.get();
    try {
      schedule::check_schedule(ring, schedule::parse_tacos(text, "input", ring, request));
    } catch (const ConfigError&) {
    } catch (const UnsupportedError&) {
    } catch (const schedule::ScheduleError&) {
    }
  }
  return 0;
}
