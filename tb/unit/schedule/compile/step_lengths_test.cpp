#include "schedule/compile/step_lengths.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

namespace coppice::schedule {
namespace {

constexpr Bandwidth kSlow{16'000'000'000};
constexpr Bandwidth kFast{160'000'000'000};

TEST(StepLengths, LastAsLongAsTheirSlowestMessage) {
  const CompileRequest request;
  StepLengths lengths;
  lengths.add(1, 1600, kFast);
  lengths.add(1, 320, kSlow);  // shorter, but on a slower port it takes twice as long
  EXPECT_TRUE(lengths.busy(1));
  EXPECT_FALSE(lengths.busy(2));
  EXPECT_EQ(StepLengths::Nops(lengths, kSlow, request).next(1), 320);
  EXPECT_EQ(StepLengths::Nops(lengths, kFast, request).next(1), 3200);
  EXPECT_EQ(StepLengths::Nops(lengths, kFast, request).next(2), 0);
}

// Nops consist of whole flits, so on a slow port they cannot match a step's duration exactly. The error must
// not accumulate: it stays within half a flit.
RC_GTEST_PROP(StepLengths, DoNotDrift, ()) {
  CompileRequest request;
  request.timing.flit = 256;
  StepLengths lengths;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(40, 1000));
  for (std::size_t s = 0; s < steps.size(); ++s) {
    lengths.add(static_cast<int>(s) + 1, Bytes{256} * steps[s], kFast);
  }
  StepLengths::Nops nops(lengths, kSlow, request);
  double due = 0;
  double held = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    due += 25.6 * steps[s];
    held += static_cast<double>(nops.next(static_cast<int>(s) + 1));
    RC_ASSERT(std::abs(due - held) <= 128.0 + 1e-3);
  }
}

}  // namespace
}  // namespace coppice::schedule
