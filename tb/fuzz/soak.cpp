// coppice_soak [SECONDS [SEED]] checks the property of differential.h on random systems for the given time.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <systemc>

#include "differential.h"

// SystemC's library requires sc_main(). This program does not call it, because it elaborates only in child
// processes.
int sc_main(int /*argc*/, char** /*argv*/) {
  return 0;
}

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  const std::chrono::seconds length(argc > 1 ? std::stol(argv[1]) : 600);
  const std::uint64_t seed = argc > 2 ? std::stoull(argv[2]) : std::random_device{}();
  std::cout << "soak: " << length.count() << " s from seed " << seed << '\n' << std::flush;

  coppice::fuzz::Tally tally;
  const auto end = Clock::now() + length;
  rc::detail::TestParams params;
  params.maxSuccess = 50;
  params.maxDiscardRatio = 100;
  for (params.seed = seed; Clock::now() < end; ++params.seed) {
    const auto outcome = rc::detail::checkTestable(
        [&tally] { coppice::fuzz::require_agreement(*coppice::fuzz::random_system(), tally); },
        rc::detail::TestMetadata{}, params);
    if (outcome.is<rc::detail::SuccessResult>()) continue;
    rc::detail::printResultMessage(outcome, std::cout);
    std::cout << "\nsoak: failed with seed " << params.seed << "; so far " << tally.report() << '\n';
    return 1;
  }
  std::cout << "soak: " << tally.report() << '\n';
  return 0;
}
