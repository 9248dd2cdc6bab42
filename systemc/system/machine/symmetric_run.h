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

// nullptr where the check has not proven it, tables are folded into loops, or routes are not each other's
// images. `topology` and `schedule` outlive it.
std::unique_ptr<const SymmetricRun> find_symmetric_run(const topology::Topology& topology,
                                                       const schedule::Schedule& schedule,
                                                       const schedule::CheckReport& report);

}  // namespace coppice::system
