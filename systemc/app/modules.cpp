// coppice modules: prints the SystemC hierarchy of a configuration's machine.
#include <memory>
#include <string>

#include "app/command.h"
#include "app/interrupt.h"
#include "config/settings/shape.h"
#include "system/program/program_run.h"
#include "system/traffic/traffic.h"

namespace coppice::app {
namespace {

std::string describe(const config::Loaded& loaded, config::Purpose purpose, bool quantities) {
  if (purpose == config::Purpose::kTraffic) {
    return quantities ? system::describe_traffic_quantities(loaded)
                      : system::describe_traffic_modules(loaded);
  }
  return quantities ? system::describe_quantities(loaded) : system::describe_modules(loaded);
}

}  // namespace

Command add_modules(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("modules", "list the SystemC modules of the machine, their ports and bindings");
  auto input = std::make_shared<Input>();
  auto quantities = std::make_shared<bool>(false);
  auto traffic = std::make_shared<bool>(false);
  add_input(*app, *input);
  app->add_flag("--statistics", *quantities,
                "list the statistics of the modules instead: module kind, quantity, unit and meaning");
  app->add_flag("--traffic", *traffic,
                "use the machine of 'coppice traffic', as if the configuration had no collective");
  return {app, [input, quantities, traffic] {
            catch_interrupts();
            // If the configuration has no workload, its network is meant for synthetic traffic.
            auto purpose = config::Purpose::kTraffic;
            config::Loaded loaded = config::load(input->path, input->overrides, purpose);
            if (!*traffic && config::has_work(loaded.config)) purpose = config::Purpose::kRun;
            config::require_keys(loaded, purpose);
            warn(loaded, purpose);
            print(describe(loaded, purpose, *quantities));
          }};
}

}  // namespace coppice::app
