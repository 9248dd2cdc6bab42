#pragma once

#include <string>
#include <vector>

namespace coppice::config {

// A process technology to which areas and energies are scaled.
struct Technology {
  const char* name;
  double nanometres;  // feature size
  double volts;       // nominal supply voltage
  double area_error;  // the largest factor between an estimated area and the actual one, in either direction
  double energy_error;  // the same factor for the energies of logic and memories
};

// The technologies: osu018, for which the Verilog was synthesised, and the processes to which its areas and
// energies are scaled.
const std::vector<Technology>& technologies();

// The technology named `name`; nullptr if there is none.
const Technology* find_technology(const std::string& name);

// The area of logic, and the capacitance that it switches, at one feature size relative to another. The
// ratios are those of the reduction lane in the cell libraries of docs/measurements/hardware.md. Between two
// libraries, values are interpolated logarithmically. Outside the libraries' range, area scales with the
// square of the feature size, and capacitance with the feature size.
double area_ratio(double nanometres, double of_nanometres);
double capacitance_ratio(double nanometres, double of_nanometres);

}  // namespace coppice::config
