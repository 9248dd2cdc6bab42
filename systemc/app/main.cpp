// The coppice command: reads the command line, runs one subcommand, and turns what goes wrong into a message
// and an exit status.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <systemc>

#include <fmt/format.h>

#include "app/command.h"
#include "app/interrupt.h"
#include "base/error.h"
#include "system/collective/run.h"

namespace {

using coppice::app::Command;

constexpr int kDone = 0;
constexpr int kRunFailed = 1;
constexpr int kBadInput = 2;

void complain(const std::string& message) {
  std::fputs((message + "\n").c_str(), stderr);
}

int execute(const Command& command) {
  try {
    command.execute();
    return kDone;
  } catch (const coppice::ConfigError& error) {
    complain(error.what());
    return kBadInput;
  } catch (const coppice::system::Interrupted& error) {
    complain(fmt::format("coppice: {}", error.what()));
    return coppice::app::kInterruptedStatus;
  } catch (const coppice::ModelError& error) {
    complain(fmt::format("coppice: failed: {}", error.what()));
  } catch (const std::bad_alloc&) {
    complain("coppice: failed: out of memory; a smaller system or 'check: off' needs less");
  } catch (const std::exception& error) {
    complain(fmt::format("coppice: failed: {}", error.what()));
  } catch (...) {
    complain("coppice: failed for a reason that it cannot name");
  }
  return kRunFailed;
}

}  // namespace

// SystemC's entry point, within its simulation context.
int sc_main(int argc, char** argv) {
  // Standard output is for results.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  CLI::App app("Coppice: how long a collective takes on a network of accelerators, and why", "coppice");
  app.set_version_flag("--version", "coppice " COPPICE_VERSION);
  app.require_subcommand(1);
  const Command commands[] = {
      coppice::app::add_run(app),    coppice::app::add_traffic(app), coppice::app::add_schedule(app),
      coppice::app::add_bound(app),  coppice::app::add_chunks(app),  coppice::app::add_route(app),
      coppice::app::add_layers(app), coppice::app::add_list(app),    coppice::app::add_explain(app),
      coppice::app::add_report(app),
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  for (const Command& command : commands) {
    if (command.line->parsed()) return execute(command);
  }
  return kBadInput;
}

int main(int argc, char** argv) {
  // SystemC would print its copyright notice on every run.
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}
