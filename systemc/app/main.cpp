// The coppice command. It reads the command line, runs one subcommand, and converts errors to a message and
// an exit status.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <systemc>

#include <fmt/format.h>
#include <unistd.h>

#include "app/calibrate.h"
#include "app/command.h"
#include "app/explore.h"
#include "app/interrupt.h"
#include "app/rtl.h"
#include "app/suggest.h"
#include "base/error.h"
#include "base/huge_pages.h"
#include "system/program/program_run.h"

namespace {

using coppice::app::Command;

constexpr int kDone = 0;
constexpr int kRunFailed = 1;
constexpr int kBadInput = 2;

void complain(const std::string& message) {
  const bool red = coppice::app::shows_colours(STDERR_FILENO);
  std::fputs(fmt::format("{}{}{}\n", red ? "\x1b[31m" : "", message, red ? "\x1b[0m" : "").c_str(), stderr);
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
    coppice::app::end_as_interrupted();
  } catch (const coppice::ModelError& error) {
    complain(fmt::format("coppice: failed: {}", error.what()));
  } catch (const std::bad_alloc&) {
    complain("coppice: failed: out of memory; use a smaller system or 'check: off'");
  } catch (const std::exception& error) {
    complain(fmt::format("coppice: failed: {}", error.what()));
  } catch (...) {
    complain("coppice: failed: unknown error");
  }
  return kRunFailed;
}

// Rejects options whose value is empty, usually because a variable in a script is not set.
void require_values(CLI::App& app) {
  const CLI::Validator filled(
      [](const std::string& text) {
        return text.empty() ? "expected a value, but found an empty string" : "";
      },
      "", "filled");
  for (CLI::App* line : app.get_subcommands({})) {
    for (CLI::Option* option : line->get_options()) {
      if (option->get_items_expected_max() > 0) option->check(filled);
    }
  }
}

}  // namespace

// Called by SystemC's main(), which prepares its simulation context first.
int sc_main(int argc, char** argv) {
  // Turn off SystemC's messages, since standard output is for results.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  CLI::App app("Coppice: how long a collective takes on a network of accelerators, and why", "coppice");
  app.set_version_flag("--version", "coppice " COPPICE_VERSION);
  app.require_subcommand(1);
  const Command commands[] = {
      coppice::app::add_run(app),       coppice::app::add_traffic(app), coppice::app::add_schedule(app),
      coppice::app::add_bound(app),     coppice::app::add_compare(app), coppice::app::add_layers(app),
      coppice::app::add_chunks(app),    coppice::app::add_route(app),   coppice::app::add_modules(app),
      coppice::app::add_list(app),      coppice::app::add_explain(app), coppice::app::add_report(app),
      coppice::app::add_topology(app),  coppice::app::add_convert(app), coppice::app::add_explore(app),
      coppice::app::add_calibrate(app), coppice::app::add_rtl(app),     coppice::app::add_schema(app),
  };
  require_values(app);
  coppice::app::remember_command_line({argv, static_cast<std::size_t>(argc)});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::string better = error.get_exit_code() == 0 ? "" : coppice::app::suggestion(app, argc, argv);
    if (!better.empty()) {
      complain(better);
      return kBadInput;
    }
    const bool asked = app.exit(error) == 0;  // the user requested help or the version
    if (asked && !std::cout.flush()) {
      complain("coppice: failed: cannot write to standard output");
      return kRunFailed;
    }
    return asked ? kDone : kBadInput;
  }
  for (const Command& command : commands) {
    if (command.line->parsed()) return execute(command);
  }
  return kBadInput;
}

int main(int argc, char** argv) {
  coppice::use_huge_pages();
  coppice::app::report_full_disks();
  // Otherwise, SystemC would print its copyright notice in every run.
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}
