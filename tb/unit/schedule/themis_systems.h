#pragma once

#include <string>
#include <vector>

#include "schedule/compile/latency_model.h"

namespace coppice::schedule {

struct ThemisSystem {
  std::string name;
  std::vector<DimensionModel> dimensions;
};

inline DimensionModel dimension_model(topology::DimensionKind kind, int size, std::int64_t gigabits,
                                      std::int64_t step_latency_ns) {
  return {kind, size, {gigabits * 125'000'000}, step_latency_ns * kFemtosecondsPerNanosecond};
}

// The systems in Table 2 of the Themis paper.
inline std::vector<ThemisSystem> themis_systems() {
  constexpr auto kRing = topology::DimensionKind::kRing;
  constexpr auto kFull = topology::DimensionKind::kFullyConnected;
  constexpr auto kSwitch = topology::DimensionKind::kSwitch;
  const auto d = dimension_model;
  return {
      {"2D-SW_SW", {d(kSwitch, 16, 1200, 700), d(kSwitch, 64, 800, 1700)}},
      {"3D-SW_SW_SW_homo", {d(kSwitch, 16, 800, 700), d(kSwitch, 8, 800, 700), d(kSwitch, 8, 800, 1700)}},
      {"3D-SW_SW_SW_hetero", {d(kSwitch, 16, 1600, 700), d(kSwitch, 8, 800, 700), d(kSwitch, 8, 400, 1700)}},
      {"3D-FC_Ring_SW", {d(kFull, 8, 1400, 700), d(kRing, 16, 800, 700), d(kSwitch, 8, 400, 1700)}},
      {"4D-Ring_SW_SW_SW",
       {d(kRing, 4, 2000, 20), d(kSwitch, 4, 1600, 700), d(kSwitch, 8, 800, 700), d(kSwitch, 8, 400, 1700)}},
      {"4D-Ring_FC_Ring_SW",
       {d(kRing, 4, 3000, 20), d(kFull, 8, 1400, 700), d(kRing, 4, 1200, 700), d(kSwitch, 8, 800, 1700)}}};
}

// The system of Themis, Fig. 5: 4x4 accelerators without latency. The first dimension, which is twice as fast
// as the second, reduce-scatters 64 MB in one unit of time.
constexpr Femtoseconds kUnit = kFemtosecondsPerSecond / 1000;
inline LatencyModel figure_5() {
  constexpr auto kSwitch = topology::DimensionKind::kSwitch;
  return LatencyModel({dimension_model(kSwitch, 4, 384, 0), dimension_model(kSwitch, 4, 192, 0)});
}

}  // namespace coppice::schedule
