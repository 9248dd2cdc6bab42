#include "workshop.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace coppice::system_test {
namespace {

namespace fs = std::filesystem;

// The files or descriptors to which a command's output and error output go.
struct Redirections {
  std::string out_path;
  std::string err_path;  // used if not empty; otherwise, the descriptor
  int err_descriptor = -1;
};

pid_t spawn(const std::string& directory, const std::vector<std::string>& arguments, const Redirections& to) {
  std::vector<std::string> words{COPPICE_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, to.out_path.c_str(), kWrite, 0600);
  if (to.err_descriptor >= 0) {
    ::posix_spawn_file_actions_adddup2(&actions, to.err_descriptor, STDERR_FILENO);
  } else {
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, to.err_path.c_str(), kWrite, 0600);
  }
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, COPPICE_COMMAND, &actions, nullptr, argv.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), COPPICE_COMMAND);
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid) throw std::system_error(errno, std::generic_category(), "waitpid");
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);  // the convention of shells
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string make_directory() {
  std::string name = (fs::temp_directory_path() / "coppice_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
  return name;
}

}  // namespace

const char* const kSmallConfig =
    "system:\n"
    "  topology:\n"
    "    kind: torus\n"
    "    dims: [4, 4]\n"
    "  link:\n"
    "    bandwidth: 16 GB/s\n"
    "    latency: 150 ns\n"
    "collective:\n"
    "  op: all_reduce\n"
    "  algorithm: ring\n"
    "  size: 16 KiB\n";

std::string command_path() {
  return COPPICE_COMMAND;
}

RunningCommand::RunningCommand(const std::string& directory, const std::vector<std::string>& arguments) {
  int slave = -1;
  if (::openpty(&terminal_, &slave, nullptr, nullptr, nullptr) != 0) {
    throw std::system_error(errno, std::generic_category(), "openpty");
  }
  ::fcntl(terminal_, F_SETFD, FD_CLOEXEC);
  Redirections to;
  to.out_path = "/dev/null";
  to.err_descriptor = slave;
  pid_ = spawn(directory, arguments, to);
  ::close(slave);
}

RunningCommand::~RunningCommand() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(terminal_);
}

bool RunningCommand::read_some() {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(terminal_, buffer.data(), buffer.size());
  if (count <= 0) return false;  // the command has closed the terminal
  seen_.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

bool RunningCommand::await_on_terminal(const std::string& text) {
  while (seen_.find(text) == std::string::npos) {
    if (!read_some()) return false;
  }
  return true;
}

void RunningCommand::interrupt(int signal) const {
  ::kill(pid_, signal);
}

Outcome RunningCommand::finish() {
  while (read_some()) {
  }
  Outcome outcome;
  outcome.status = wait_for(pid_);
  pid_ = -1;
  outcome.err = seen_;
  return outcome;
}

Workshop::Workshop() : directory_(make_directory()), captured_(make_directory()) {}

Workshop::~Workshop() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
  fs::remove_all(captured_, ignored);
}

void Workshop::write(const std::string& name, const std::string& text) const {
  std::ofstream(directory_ + "/" + name, std::ios::binary) << text;
}

std::string Workshop::read(const std::string& name) const {
  return read_whole(directory_ + "/" + name);
}

nlohmann::ordered_json Workshop::read_json(const std::string& name) const {
  auto json = nlohmann::ordered_json::parse(read(name));
  if (json.contains("schema")) {
    json.erase("command");
    json.erase("commit");
  }
  return json;
}

std::vector<std::string> Workshop::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Outcome Workshop::run(const std::vector<std::string>& arguments) const {
  return run_into(captured_ + "/out", arguments);
}

Outcome Workshop::run_into(const std::string& stdout_path, const std::vector<std::string>& arguments) const {
  Redirections to;
  to.out_path = stdout_path;
  to.err_path = captured_ + "/err";
  Outcome outcome;
  outcome.status = wait_for(spawn(directory_, arguments, to));
  outcome.out = stdout_path.starts_with(captured_) ? read_whole(stdout_path) : std::string();
  outcome.err = read_whole(to.err_path);
  return outcome;
}

}  // namespace coppice::system_test
