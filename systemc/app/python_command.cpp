#include "app/python_command.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"

namespace coppice::app {
namespace {

namespace fs = std::filesystem;

// The Python of Debian, which has the packages that the modules need. The first Python on the path may lack
// them. `python -m coppice` replaces this path by that of the Python that runs it.
constexpr const char* kPython = "/usr/bin/python3";
constexpr const char* kNamedPython = "COPPICE_PYTHON";

struct PythonLine {
  std::string module;
  std::vector<std::string> inputs;
  std::span<const PythonOption> options;
  std::vector<std::string> values;
  std::vector<char> flags;
};

// The folder of the Python package: next to an installed command, otherwise in the source tree.
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

// Hides the libraries of a wheel from Python, since only the command needs them.
void forget_libraries() {
  const char* const own = std::getenv("COPPICE_LIBRARIES");
  const char* const all = std::getenv("LD_LIBRARY_PATH");
  if (own == nullptr || all == nullptr || !std::string_view(all).starts_with(own)) return;
  std::string rest(all + std::strlen(own));
  if (rest.starts_with(':')) rest.erase(0, 1);
  if (rest.empty()) {
    ::unsetenv("LD_LIBRARY_PATH");
  } else {
    ::setenv("LD_LIBRARY_PATH", rest.c_str(), 1);
  }
}

[[noreturn]] void execute(const PythonLine& line) {
  std::error_code none;
  const char* const named = std::getenv(kNamedPython);
  const std::string python = named == nullptr || *named == '\0' ? kPython : named;
  const fs::path command = fs::read_symlink("/proc/self/exe", none);
  ::setenv("COPPICE", command.c_str(), 1);
  if (python == kPython) prepend_path("PYTHONPATH", package_folder(command));
  forget_libraries();
  ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);  // the installation may be read-only
  std::vector<std::string> words{python, "-m", line.module};
  words.insert(words.end(), line.inputs.begin(), line.inputs.end());
  for (std::size_t i = 0; i < line.options.size(); ++i) {
    if (line.flags[i] != 0) words.emplace_back(line.options[i].name);
    if (!line.values[i].empty()) words.push_back(fmt::format("{}={}", line.options[i].name, line.values[i]));
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(python.c_str(), arguments.data());
  throw ModelError(fmt::format("{} cannot be started: {}", python, std::strerror(errno)));
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
