#include "system/output/result_frame.h"

#include "config/loader.h"
#include "system/machine/machine.h"
#include "system/output/statistics.h"
#include "system/process/cost_meter.h"

namespace coppice::system {

nlohmann::ordered_json begin_result(const std::string& schema, const config::Config& config) {
  nlohmann::ordered_json result{{"schema", schema}, {"version", COPPICE_VERSION}};
  config::write_config(config, result);
  return result;
}

void end_result(nlohmann::ordered_json& result, const Machine& machine, const std::string& statistics_path,
                const CostMeter& cost) {
  result["statistics"] = collect_statistics(machine);
  write_statistics(statistics_path, machine);
  result["simulator"] = cost.to_json(machine.fabric().statistics().flit_hops, machine.threads());
}

}  // namespace coppice::system
