#include "system/machine/symmetric_run.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace coppice::system {
namespace {

using schedule::Schedule;
using schedule::SymmetricTables;
using schedule::Table;
using topology::NodeId;
using topology::Route;

// Finds the images of the routes of one accelerator, the origin, at all other accelerators.
class ImagesOfRoutes {
 public:
  ImagesOfRoutes(const topology::Topology& topology, const Schedule& schedule, const SymmetricTables& tables)
      : schedule_(schedule), tables_(tables), routes_(topology, tables.moves().origin()) {}

  // Adds the routes of a slot's entries. Returns false if one of the origin's routes has different images in
  // different entries.
  bool add(std::size_t slot) {
    const std::size_t nodes = schedule_.nodes.size();
    for (std::size_t i = 0; i < tables_.size(slot); ++i) {
      const std::int32_t at_origin = tables_.route_of(slot, i, routes_.origin());
      if (at_origin < 0) continue;
      auto& known = known_[at_origin];
      if (known.empty()) {
        for (std::size_t n = 0; n < nodes; ++n)
          known.push_back(tables_.route_of(slot, i, static_cast<NodeId>(n)));
        if (!add_images(known)) return false;
        continue;
      }
      for (std::size_t n = 0; n < nodes; ++n) {
        if (known[n] != tables_.route_of(slot, i, static_cast<NodeId>(n))) return false;
      }
    }
    return true;
  }
  fabric::RouteImages take() { return std::move(routes_); }

 private:
  bool add_images(const std::vector<std::int32_t>& indices) {
    std::vector<const Route*> images;
    for (const std::int32_t index : indices) {
      images.push_back(&schedule_.routes[static_cast<std::size_t>(index)]);
    }
    return routes_.add(images);
  }

  const Schedule& schedule_;
  const SymmetricTables& tables_;
  fabric::RouteImages routes_;
  // [route of the origin]: its image at every accelerator.
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> known_;
};

}  // namespace

std::unique_ptr<const SymmetricRun> find_symmetric_run(const topology::Topology& topology,
                                                       const Schedule& schedule,
                                                       const schedule::CheckReport& report) {
  if (report.symmetry == nullptr || schedule.repetition.step != 0 || schedule.adders != 0) return nullptr;
  const SymmetricTables& tables = *report.symmetry;
  ImagesOfRoutes images(topology, schedule, tables);
  // The proof of symmetry guarantees that every accelerator has each slot once, at some port.
  for (const Table& table : schedule.nodes[static_cast<std::size_t>(tables.moves().origin())].ports) {
    if (table.source() != nullptr && !images.add(table.slot())) return nullptr;
  }
  return std::make_unique<const SymmetricRun>(SymmetricRun{tables, images.take()});
}

}  // namespace coppice::system
