#include "app/python_command.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"

namespace coppice::app {
namespace {

namespace fs = std::filesystem;

// Debian's Python, for whose packages the modules are written, instead of another one earlier on the path.
constexpr const char* kPython = "/usr/bin/python3";

struct PythonLine {
  std::string module;
  std::vector<std::string> inputs;
  std::span<const PythonOption> options;
  std::vector<std::string> values;
  std::vector<char> flags;
};

// The folder of the Python package: beside an installed command, otherwise in the sources.
std::string package_folder(const fs::path& command) {
  std::error_code none;
  const fs::path installed = command.parent_path().parent_path() / "lib/python3/dist-packages";
  return fs::is_directory(installed / "coppice", none) ? installed.string() : COPPICE_PYTHON;
}

void prepend_path(const char* variable, const std::string& folder) {
  const char* old = std::getenv(variable);
  const std::string joined = old == nullptr || *old == '\0' ? folder : fmt::format("{}:{}", folder, old);
  ::setenv(variable, joined.c_str(), 1);
}

[[noreturn]] void execute(const PythonLine& line) {
  std::error_code none;
  const fs::path command = fs::read_symlink("/proc/self/exe", none);
  ::setenv("COPPICE", command.c_str(), 1);
  prepend_path("PYTHONPATH", package_folder(command));
  ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);  // an installation may be read-only
  std::vector<std::string> words{kPython, "-m", line.module};
  words.insert(words.end(), line.inputs.begin(), line.inputs.end());
  for (std::size_t i = 0; i < line.options.size(); ++i) {
    if (line.flags[i] != 0) words.emplace_back(line.options[i].name);
    if (!line.values[i].empty()) words.push_back(fmt::format("{}={}", line.options[i].name, line.values[i]));
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(kPython, arguments.data());
  throw ModelError(fmt::format("{} cannot be started: {}", kPython, std::strerror(errno)));
}

}  // namespace

Command add_python_command(CLI::App& parent, const std::string& name, const std::string& summary,
                           const std::string& module, std::span<const PythonInput> inputs,
                           std::span<const PythonOption> options) {
  CLI::App* app = parent.add_subcommand(name, summary);
  auto line = std::make_shared<PythonLine>();
  line->module = module;
  line->options = options;
  line->inputs.resize(inputs.size());
  line->values.resize(options.size());
  line->flags.resize(options.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    app->add_option(inputs[i].name, line->inputs[i], inputs[i].summary)->required();
  }
  for (std::size_t i = 0; i < options.size(); ++i) {
    const PythonOption& option = options[i];
    if (option.type == nullptr) {
      app->add_flag_callback(
          option.name, [line, i] { line->flags[i] = 1; }, option.summary);
    } else {
      app->add_option(option.name, line->values[i], option.summary)->type_name(option.type);
    }
  }
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
