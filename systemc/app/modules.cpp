// coppice modules: the SystemC hierarchy of a configuration's machine.
#include <memory>

#include "app/command.h"
#include "app/interrupt.h"
#include "system/collective/run.h"

namespace coppice::app {

Command add_modules(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "modules", "the SystemC modules of the machine, their ports and what they are bound to");
  auto input = std::make_shared<Input>();
  auto quantities = std::make_shared<bool>(false);
  add_input(*app, *input);
  app->add_flag("--statistics", *quantities,
                "what they count instead: kind of module, quantity, unit, meaning");
  return {app, [input, quantities] {
            catch_interrupts();
            const config::Loaded loaded = load(*input, config::Purpose::kRun);
            print(*quantities ? system::describe_quantities(loaded) : system::describe_modules(loaded));
          }};
}

}  // namespace coppice::app
