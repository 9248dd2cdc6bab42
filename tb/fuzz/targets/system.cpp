// Fuzzes complete simulations of random systems. The input is the seed. In every run, sums must be correct,
// no time may be below its bound and no ratio above 1. `fidelity: leap` and `auto` must give the same results
// as `flit`. Fluid flows have no packets, so `fidelity: fluid` only has to terminate.
#include <cstring>
#include <iostream>
#include <systemc>

#include "input.h"
#include "random_system.h"
#include "recorded_run.h"

// SystemC's library requires sc_main(). This program does not call it, because it elaborates only in child
// processes.
int sc_main(int /*argc*/, char** /*argv*/) {
  return 0;
}

namespace {

using coppice::fuzz::Outcome;
using Json = nlohmann::ordered_json;

// The tolerance for the rounding of quotients.
constexpr double kRounding = 1e-9;

[[noreturn]] void fail(const std::string& yaml, const std::string& what) {
  std::cerr << yaml << "\nsystem: " << what << '\n';
  std::abort();
}

void require_at_most_one(const std::string& yaml, const char* what, const Json& value) {
  if (value.is_number() && value.get<double>() > 1 + kRounding) {
    fail(yaml, std::string(what) + " is " + value.dump());
  }
}

void require_possible(const std::string& yaml, const Json& result) {
  const Json& bound = result.at("bound");
  for (const char* least : {"time_ns", "latency_ns"}) {
    if (bound.contains(least) &&
        result.at("time_ns").get<double>() < bound.at(least).get<double>() * (1 - kRounding)) {
      fail(yaml, "time_ns of " + result.at("time_ns").dump() + " is below the bound, " + bound.dump());
    }
  }
  require_at_most_one(yaml, "efficiency", result.at("efficiency"));
  for (const auto& [key, value] : result.at("link_utilization").items()) {
    require_at_most_one(yaml, ("link_utilization." + key).c_str(), value);
  }
  for (const char* list : {"channels", "dimensions"}) {
    if (!result.contains(list)) continue;
    for (const Json& entry : result.at(list)) {
      for (const char* ratio : {"busy", "utilization"}) {
        if (entry.contains(ratio)) require_at_most_one(yaml, ratio, entry.at(ratio));
      }
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  std::uint64_t seed = 0;
  std::memcpy(&seed, data, std::min(size, sizeof seed));
  const auto drawn = coppice::fuzz::random_system()(rc::Random(seed), rc::kNominalSize);
  const std::string yaml = drawn.value().yaml();
  const Outcome flit = coppice::fuzz::record_run(yaml, "flit");
  if (flit.end == Outcome::End::kFailed) fail(yaml, "flit: " + flit.reason);
  if (flit.end != Outcome::End::kDone) return 0;
  require_possible(yaml, flit.recording.result);
  const Outcome leap = coppice::fuzz::record_run(yaml, "leap", coppice::fuzz::threads_for(yaml));
  if (leap.end != Outcome::End::kDone) fail(yaml, "leap: " + leap.reason);
  const std::string difference = coppice::fuzz::first_difference(flit.recording, leap.recording);
  if (!difference.empty()) fail(yaml, "leap (called train below) differs from flit: " + difference);
  if (flit.recording.values != leap.recording.values) fail(yaml, "leap and flit have different sums");
  const Outcome automatic = coppice::fuzz::record_run(yaml, "auto");
  if (automatic.end != Outcome::End::kDone) fail(yaml, "auto: " + automatic.reason);
  require_possible(yaml, automatic.recording.result);
  for (const char* same : {"cycles", "time_ns", "steps", "flits", "flit_hops"}) {
    const Json& a = flit.recording.result.at(same);
    const Json& b = automatic.recording.result.at(same);
    if (a != b) fail(yaml, std::string(same) + ": flit has " + a.dump() + ", auto has " + b.dump());
  }
  const Outcome fluid = coppice::fuzz::record_run(yaml, "fluid");
  if (fluid.end == Outcome::End::kFailed) fail(yaml, "fluid: " + fluid.reason);
  if (fluid.end == Outcome::End::kDone) require_possible(yaml, fluid.recording.result);
  return 0;
}
