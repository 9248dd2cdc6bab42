#pragma once

#include <memory>

#include "fabric/trains/route_images.h"
#include "schedule/proof/check_report.h"
#include "schedule/tables/schedule.h"
#include "schedule/tables/symmetric_tables.h"

namespace coppice::system {

// A collective that looks the same from every accelerator, so that the trains of one of them determine the
// messages of all (ni::MessageImages, fabric::RouteImages).
struct SymmetricRun {
  const schedule::SymmetricTables& tables;
  fabric::RouteImages routes;
};

// nullptr if the check has not proven the symmetry, if tables are folded into loops, or if routes are not
// images of each other. `topology` and `schedule` must outlive the result.
std::unique_ptr<const SymmetricRun> find_symmetric_run(const topology::Topology& topology,
                                                       const schedule::Schedule& schedule,
                                                       const schedule::CheckReport& report);

}  // namespace coppice::system
