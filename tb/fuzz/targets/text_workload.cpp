// Fuzzes ASTRA-sim's text workloads. An accepted file must have a timeline, unless it is too long for one.
#include "workload/text_workload.h"
#include "base/error.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  const workload::ExchangeDuration duration = [](const workload::Communication& communication,
                                                 workload::Group) { return communication.bytes; };
  try {
    const workload::TextWorkload workload =
        workload::import_text_workload(fuzz::InputInMemory(data, size).path());
    for (const auto overlap : {workload::Overlap::kNone, workload::Overlap::kLayerWise}) {
      const auto timeline = workload::make_text_timeline(workload, overlap, duration);
      const Femtoseconds parts =
          timeline.forward + timeline.backward + timeline.exposed_model + timeline.exposed_data;
      if (timeline.total != parts) std::abort();
    }
  } catch (const ConfigError&) {
  } catch (const UnsupportedError&) {
  }
  return 0;
}
