// Fuzzes schedule files. An accepted file must pass the proof.
#include "schedule/files/schedule_file.h"
#include "base/error.h"
#include "input.h"
#include "schedule/proof/checker.h"
#include "topology/networks/kinds.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  const topology::LinkSpec link{.bandwidth = {16'000'000'000}, .latency = 150'000'000};
  static const topology::Topology torus =
      topology::make_topology(topology::Kind::kTorus, std::vector{2, 2}, std::vector{link});
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    schedule::check_schedule(torus, schedule::parse_schedule(text, "input"));
  } catch (const ConfigError&) {
  } catch (const UnsupportedError&) {
  } catch (const schedule::ScheduleError&) {
  }
  return 0;
}
