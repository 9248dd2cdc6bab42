#pragma once

#include <sys/types.h>

#include <csignal>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/perfetto_reader.h"
#include "support/shipped_config.h"

namespace coppice::system_test {

// The exit status and output of a command.
struct Outcome {
  int status = -1;  // exit status; 128 plus the signal's number if a signal ended the command
  std::string out;
  std::string err;
};

// A running coppice command whose stderr is a terminal.
class RunningCommand {
 public:
  RunningCommand(const std::string& directory, const std::vector<std::string>& arguments);
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  // Reads stderr until `text` appears or the command ends; returns whether it appeared.
  bool await_on_terminal(const std::string& text);
  void interrupt(int signal = SIGINT) const;
  // Reads the remaining output and waits for the command to end; `err` is the terminal's text.
  Outcome finish();

 private:
  bool read_some();

  pid_t pid_ = -1;
  int terminal_ = -1;
  std::string seen_;
};

// A temporary directory in which a test runs the real command.
class Workshop {
 public:
  Workshop();
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  const std::string& directory() const { return directory_; }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  // A result without the command line and the commit, so that results of different command lines can be
  // equal.
  nlohmann::ordered_json read_json(const std::string& name) const;
  testing::Trace read_trace(const std::string& name) const {
    return testing::PerfettoReader::read(read(name));
  }
  // The sorted names of the directory's files.
  std::vector<std::string> files() const;

  // Runs coppice in the directory; stdout and stderr are captured in files elsewhere.
  Outcome run(const std::vector<std::string>& arguments) const;
  // The same, with stdout redirected to `stdout_path`.
  Outcome run_into(const std::string& stdout_path, const std::vector<std::string>& arguments) const;

 private:
  std::string directory_;
  std::string captured_;  // where output is captured
};

// A small all-reduce; locations in tests refer to its lines.
extern const char* const kSmallConfig;

using testing::shipped_config;

// The command under test.
std::string command_path();

}  // namespace coppice::system_test
