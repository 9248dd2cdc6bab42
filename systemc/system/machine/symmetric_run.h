#pragma once

#include <memory>

#include "fabric/trains/route_images.h"
#include "schedule/proof/check_report.h"
#include "schedule/tables/schedule.h"
#include "schedule/tables/symmetric_tables.h"

namespace coppice::system {

// A collective that looks the same from every accelerator, so that one accelerator's trains determine the
// messages of all accelerators (ni::MessageImages, fabric::RouteImages).
struct SymmetricRun {
  const schedule::SymmetricTables& tables;
  fabric::RouteImages routes;
};

// Returns nullptr if the checker has not proven the symmetry, if tables are folded into loops, or if some
// routes are not images of each other. `topology` and `schedule` must outlive the result.
std::unique_ptr<const SymmetricRun> find_symmetric_run(const topology::Topology& topology,
                                                       const schedule::Schedule& schedule,
                                                       const schedule::CheckReport& report);

}  // namespace coppice::system
