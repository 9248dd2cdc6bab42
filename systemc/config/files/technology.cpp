#include "config/files/technology.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace coppice::config {
namespace {

// The area or capacitance of the reduction lane in one cell library, relative to that in OSU 0.18 um.
struct Measured {
  double nanometres;
  double ratio;
};

// Measured with the libraries OSU 0.18 um (180 nm), Nangate45 (45 nm) and ASAP7 (7 nm). The value for 130 nm
// is the geometric mean of the values for sky130hd and IHP SG13G2, which differ by a factor of 2.0.
const std::vector<Measured> kAreas{{180, 1}, {130, 0.258}, {45, 0.0376}, {7, 0.00256}};
// Energy divided by the square of the supply voltage: 1.8 V for OSU 0.18 um and sky130hd, 1.1 V for
// Nangate45.
const std::vector<Measured> kCapacitances{{180, 1}, {130, 0.212}, {45, 0.118}};
constexpr double kAreaPower = 2;
constexpr double kCapacitancePower = 1;
// From sky130hd to Nangate45, capacitance decreases with this power of the feature size.
constexpr double kMeasuredPower = 0.55;

// The largest factor between a formula's area and the actual one, at points that were not used for the fit.
constexpr double kAreaFit = 1.023;
constexpr double kEnergyFit = 1.3;  // the same for energies, from an all-reduce in the Verilog's gates
// The largest factor between a library's area and a power law in the feature size.
constexpr double kLibraries = 1.5;
// The factor between Nangate45's capacitance and that of sky130hd scaled by feature size.
constexpr double kCapacitance = 1.6;

double ratio_at(const std::vector<Measured>& measured, double power, double nanometres) {
  const auto beyond = [&](const Measured& last) {
    return last.ratio * std::pow(nanometres / last.nanometres, power);
  };
  if (nanometres >= measured.front().nanometres) return beyond(measured.front());
  if (nanometres <= measured.back().nanometres) return beyond(measured.back());
  const auto smaller =
      std::ranges::find_if(measured, [&](const Measured& point) { return point.nanometres <= nanometres; });
  const Measured& larger = *std::prev(smaller);
  const double share =
      std::log(nanometres / smaller->nanometres) / std::log(larger.nanometres / smaller->nanometres);
  return smaller->ratio * std::pow(larger.ratio / smaller->ratio, share);
}

// A technology other than osu018. Below the feature size of the smallest library with a measured energy, the
// error is larger, since capacitance may decrease less than the feature size, as it does between the
// libraries.
Technology scaled(const char* name, double nanometres, double volts) {
  const double below = std::max(1.0, kCapacitances.back().nanometres / nanometres);
  return {name, nanometres, volts, kAreaFit * kLibraries,
          kEnergyFit * kCapacitance * std::pow(below, kCapacitancePower - kMeasuredPower)};
}

}  // namespace

const std::vector<Technology>& technologies() {
  static const std::vector<Technology> all{{"osu018", 180, 1.8, kAreaFit, kEnergyFit},
                                           scaled("130nm", 130, 1.3),
                                           scaled("90nm", 90, 1.2),
                                           scaled("65nm", 65, 1.1),
                                           scaled("45nm", 45, 0.9),
                                           scaled("32nm", 32, 0.9),
                                           scaled("7nm", 7, 0.7)};
  return all;
}

const Technology* find_technology(const std::string& name) {
  const auto found = std::ranges::find_if(
      technologies(), [&](const Technology& technology) { return name == technology.name; });
  return found == technologies().end() ? nullptr : &*found;
}

double area_ratio(double nanometres, double of_nanometres) {
  return ratio_at(kAreas, kAreaPower, nanometres) / ratio_at(kAreas, kAreaPower, of_nanometres);
}

double capacitance_ratio(double nanometres, double of_nanometres) {
  return ratio_at(kCapacitances, kCapacitancePower, nanometres) /
         ratio_at(kCapacitances, kCapacitancePower, of_nanometres);
}

}  // namespace coppice::config
