#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "fabric/trains/meetings.h"

namespace coppice::system {

// The `leap` section of a result: the numbers of simulated and of skipped cycles, the number of simulated
// cycles summed over all `nodes`, and how many of these node cycles were simulated in stretches.
inline nlohmann::ordered_json leaps(Cycles cycles, Cycles leapt, int nodes, std::int64_t stretched) {
  return {{"simulated_cycles", cycles - leapt},
          {"leapt_cycles", leapt},
          {"node_cycles", (cycles - leapt) * nodes},
          {"stretched_node_cycles", stretched}};
}

// Writes the `trains` section of a result if a train run moved some messages as flits.
inline void write_flits_beside_trains(const fabric::Meetings* meetings, nlohmann::ordered_json& result) {
  if (meetings == nullptr || meetings->given().empty()) return;
  result["trains"] = {{"messages", meetings->messages}, {"as_flits", meetings->as_flits}};
}

// Begins the summary line that explains why trains were insufficient; the caller appends the reason.
inline std::string describe_flits(const nlohmann::ordered_json& result) {
  if (!result.contains("trains"))
    return result.at("fidelity") == "fluid" ? "no trains" : "flits were simulated";
  const auto& trains = result.at("trains");
  return fmt::format("{} of {} messages moved flit by flit", trains.at("as_flits").get<std::int64_t>(),
                     trains.at("messages").get<std::int64_t>());
}

}  // namespace coppice::system
