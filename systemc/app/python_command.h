#pragma once

#include <span>
#include <string>

#include "app/command.h"

namespace coppice::app {

// An option of a subcommand that is executed by a module of the Python package.
struct PythonOption {
  const char* name;
  const char* summary;
  const char* type;  // the type of its value; nullptr: the option is a flag without a value
};

// An input file of a subcommand that is executed by a module of the Python package.
struct PythonInput {
  const char* name;
  const char* summary;
};

// Adds a subcommand that replaces this process by /usr/bin/python3 -m MODULE, with the inputs and options of
// the command line. The module finds the path of this command in $COPPICE. `inputs` and `options` must
// outlive the application.
Command add_python_command(CLI::App& parent, const std::string& name, const std::string& summary,
                           const std::string& module, std::span<const PythonInput> inputs,
                           std::span<const PythonOption> options);

}  // namespace coppice::app
