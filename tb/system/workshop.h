#pragma once

#include <sys/types.h>

#include <csignal>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/perfetto_reader.h"
#include "support/shipped_config.h"

namespace coppice::system_test {

// The exit status and the output of a command that has ended.
struct Outcome {
  int status = -1;  // exit status, or 128 plus the number of the signal that ended the command
  std::string out;
  std::string err;
};

// A running coppice command whose error output is connected to a terminal.
class RunningCommand {
 public:
  RunningCommand(const std::string& directory, const std::vector<std::string>& arguments);
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  // Reads the terminal until `text` appears or the command ends. Returns whether `text` appeared.
  bool await_on_terminal(const std::string& text);
  void interrupt(int signal = SIGINT) const;
  // Reads the rest of the output and waits until the command ends. The outcome's `err` contains the
  // terminal's text.
  Outcome finish();

 private:
  bool read_some();

  pid_t pid_ = -1;
  int terminal_ = -1;
  std::string seen_;
};

// A temporary directory in which tests run the installed command.
class Workshop {
 public:
  Workshop();
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  const std::string& directory() const { return directory_; }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  // Reads a result and removes its command line and commit, so that results of different commands can be
  // equal.
  nlohmann::ordered_json read_json(const std::string& name) const;
  testing::Trace read_trace(const std::string& name) const {
    return testing::PerfettoReader::read(read(name));
  }
  // The names of all files in the directory, sorted.
  std::vector<std::string> files() const;

  // Runs coppice in the directory. Its output and error output are captured in files outside the directory.
  Outcome run(const std::vector<std::string>& arguments) const;
  // Runs coppice like run(), but redirects its output to `stdout_path`.
  Outcome run_into(const std::string& stdout_path, const std::vector<std::string>& arguments) const;

 private:
  std::string directory_;
  std::string captured_;  // folder for captured output
};

// A small all-reduce. Tests refer to its lines by their numbers.
extern const char* const kSmallConfig;

using testing::shipped_config;

// The path of the coppice command under test.
std::string command_path();

}  // namespace coppice::system_test
