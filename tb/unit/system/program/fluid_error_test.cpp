#include "system/program/fluid_error.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace coppice::system {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr Bytes kSize = Bytes{1} << 30;

workload::Program one_collective() {
  workload::Program program;
  program.groups = {{"all", {0, 1}}};
  program.collectives.push_back({.name = "sum", .bytes = kSize, .kind = {}});
  program.ranks.resize(2);
  for (auto& rank : program.ranks) rank.operations.push_back({"sum", workload::JoinCollective{0}, {}, 0});
  return program;
}

// A result in which each byte takes 1 ns with trains, or 1.25 ns with fluid flows.
Json timed(const workload::Program& sample, config::Fidelity fidelity) {
  const auto ns = static_cast<double>(sample.collectives.front().bytes);
  if (fidelity == config::Fidelity::kFluid) return {{"fidelity", "fluid"}, {"time_ns", 1.25 * ns}};
  return {{"fidelity", "train"}, {"time_ns", ns}};
}

TEST(FluidError, OfASmallRunIsMeasuredOnTheRunItself) {
  const Json measured = measure_fluid_error(one_collective(), 1e5, timed, nullptr);
  EXPECT_DOUBLE_EQ(measured["error"], 0.25);
  EXPECT_EQ(measured["sample"]["scale"], 1.0);
  EXPECT_EQ(measured["sample"]["time_ns"], kSize);
  EXPECT_EQ(measured["sample"]["fluid_time_ns"], 1.25 * kSize);
  EXPECT_EQ(measured["sample"]["fidelity"], "train");
}

TEST(FluidError, OfALargeRunIsMeasuredOnASmallerOne) {
  const Json measured = measure_fluid_error(one_collective(), 5e9, timed, nullptr);
  EXPECT_DOUBLE_EQ(measured["error"], 0.25);
  EXPECT_DOUBLE_EQ(measured["sample"]["scale"], 1e-3);
  EXPECT_NEAR(measured["sample"]["time_ns"].get<double>(), 1e-3 * kSize, 64);
}

TEST(FluidError, CausesAWarningIfItIsLarge) {
  Json result = {{"warnings", Json::array()}};
  Json measured = measure_fluid_error(one_collective(), 5e9, timed, nullptr);
  write_fluid_error(measured, result);
  EXPECT_EQ(result["fluid"], measured);
  ASSERT_EQ(result["warnings"].size(), 1U);
  EXPECT_THAT(
      result["warnings"][0],
      HasSubstr(
          "fluid times are 25% too long according to fidelity train on the run, scaled to 0.001 of its"));

  measured["error"] = -0.05;
  result["warnings"] = Json::array();
  write_fluid_error(measured, result);
  EXPECT_TRUE(result["warnings"].empty());
}

TEST(FluidError, IsUnknownIfTheSampleFails) {
  const auto refused = [](const workload::Program&, config::Fidelity) -> Json {
    throw ModelError("no such luck");
  };
  const Json measured = measure_fluid_error(one_collective(), 1, refused, nullptr);
  EXPECT_FALSE(measured.contains("error"));
  Json result = {{"warnings", Json::array()}};
  write_fluid_error(measured, result);
  EXPECT_THAT(result["fluid"]["reason"].get<std::string>(), HasSubstr("no such luck"));
  EXPECT_TRUE(result["warnings"].empty());
  EXPECT_EQ(summarize_fluid_error(result), "  error of fluid times: unknown (no such luck)\n");
}

}  // namespace
}  // namespace coppice::system
