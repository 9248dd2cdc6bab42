// coppice modules: the SystemC hierarchy of a configuration's machine.
#include <algorithm>
#include <memory>
#include <string>

#include "app/command.h"
#include "app/interrupt.h"
#include "system/collective/run.h"
#include "system/traffic/traffic.h"

namespace coppice::app {
namespace {

// A configuration without any work for the accelerators is of a network for traffic.
config::Purpose purpose_of(const Input& input, bool traffic) {
  if (traffic) return config::Purpose::kTraffic;
  const auto is_work = [](const auto& key) {
    const std::string section = key.first.substr(0, key.first.find_first_of(".["));
    return section == "collective" || section == "collectives" || section == "program" ||
           section == "routing" || section == "training";
  };
  const config::Loaded loaded = config::load(input.path, input.overrides, config::Purpose::kTraffic);
  return std::ranges::any_of(loaded.places, is_work) ? config::Purpose::kRun : config::Purpose::kTraffic;
}

std::string describe(const config::Loaded& loaded, config::Purpose purpose, bool quantities) {
  if (purpose == config::Purpose::kTraffic) {
    return quantities ? system::describe_traffic_quantities(loaded)
                      : system::describe_traffic_modules(loaded);
  }
  return quantities ? system::describe_quantities(loaded) : system::describe_modules(loaded);
}

}  // namespace

Command add_modules(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "modules", "the SystemC modules of the machine, their ports and what they are bound to");
  auto input = std::make_shared<Input>();
  auto quantities = std::make_shared<bool>(false);
  auto traffic = std::make_shared<bool>(false);
  add_input(*app, *input);
  app->add_flag("--statistics", *quantities,
                "what they count instead: kind of module, quantity, unit, meaning");
  app->add_flag("--traffic", *traffic,
                "of the machine of 'coppice traffic', as where the configuration has no collective");
  return {app, [input, quantities, traffic] {
            catch_interrupts();
            const config::Purpose purpose = purpose_of(*input, *traffic);
            print(describe(load(*input, purpose), purpose, *quantities));
          }};
}

}  // namespace coppice::app
