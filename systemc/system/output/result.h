#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "schedule/automatic/automatic.h"
#include "schedule/proof/checker.h"
#include "schedule/tables/schedule.h"
#include "system/machine/least_time.h"
#include "system/output/checked_elements.h"
#include "topology/topology.h"

namespace coppice::system {

class DimensionActivity;

// The measurements of a run of a collective.
struct Measured {
  const config::Config& config;
  const topology::Topology& topology;
  const schedule::Schedule& schedule;
  const schedule::CheckReport& report;
  std::string verified;
  std::string fidelity;
  Cycles cycles = 0;  // until the last message was reduced or stored
  Femtoseconds period = 0;
  const fabric::FabricStatistics& statistics;
  const LeastTime& least;
  nlohmann::ordered_json time_breakdown;
  CheckedElements checked{};
  const DimensionActivity* activity = nullptr;  // of a hierarchy
};

// Bytes each accelerator's link carries per byte of a collective: the factor between algorithm and bus
// bandwidth.
double bus_factor(const schedule::Schedule& schedule, int accelerators);

// RESULT.json, schema "coppice.result/1", up to what result_frame.h ends it with. Throws ModelError, naming
// the quantity, for a run that ended before the least possible time or a part of time or bandwidth above 1:
// no wrong number leaves in silence.
nlohmann::ordered_json make_result(const Measured& measured);

// Adds what `algorithm: auto` chose over what, the fastest first, if it did.
void write_choice(const std::vector<schedule::ExpectedTime>& expected, nlohmann::ordered_json& result);

}  // namespace coppice::system
