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
  add_input(*app, *input);
  return {app, [input] {
            catch_interrupts();
            print(system::describe_modules(load(*input, config::Purpose::kRun)));
          }};
}

}  // namespace coppice::app
