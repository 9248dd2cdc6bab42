#pragma once

#include <memory>

#include "fabric/trains/route_images.h"
#include "schedule/proof/check_report.h"
#include "schedule/tables/schedule.h"
#include "schedule/tables/symmetric_tables.h"

namespace coppice::system {

// A collective that every accelerator sees alike, so that the messages of one of them, which are trains, tell
// when those of all come and go (ni::MessageImages, fabric::RouteImages).
struct SymmetricRun {
  const schedule::SymmetricTables& tables;
  fabric::RouteImages routes;
};

// nullptr where the check has not proven it, tables are folded into loops, or routes are not each other's
// images. `topology` and `schedule` outlive it.
std::unique_ptr<const SymmetricRun> find_symmetric_run(const topology::Topology& topology,
                                                       const schedule::Schedule& schedule,
                                                       const schedule::CheckReport& report);

}  // namespace coppice::system
