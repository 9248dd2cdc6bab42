#include "recorded_run.h"

#include <execinfo.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <span>

#include <fmt/format.h>

#include "config/loader.h"
#include "fabric/trains/train_fabric.h"
#include "ni/memory/message_record.h"
#include "stall_detector.h"
#include "system/collective/verification.h"
#include "system/process/child_process.h"
#include "system/program/program_run.h"

namespace coppice::fuzz {
namespace {

using nlohmann::ordered_json;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// Prints the call stack when the soft CPU limit is reached; at the hard limit, a process is killed without
// any output.
extern "C" void print_calls_and_abort(int /*signal*/) {
  constexpr int kDeepest = 64;
  std::array<void*, kDeepest> calls{};
  const int depth = ::backtrace(calls.data(), kDeepest);
  ::backtrace_symbols_fd(calls.data(), depth, STDERR_FILENO);
  ::abort();
}

// Limits the process. A random system normally takes one or two seconds and about 100 MB. A run that does not
// terminate prints its call stack and aborts; a run that exhausts its memory ends with std::bad_alloc.
// Sanitizers reserve more memory, so they have no memory limit.
void limit_this_process() {
  constexpr rlim_t kSeconds = 120;
  std::signal(SIGXCPU, print_calls_and_abort);
  const rlimit seconds{kSeconds, 2 * kSeconds};
  ::setrlimit(RLIMIT_CPU, &seconds);
  if constexpr (!kSanitized) {
    constexpr rlim_t kBytes = rlim_t{8} << 30;
    const rlimit bytes{kBytes, kBytes};
    ::setrlimit(RLIMIT_AS, &bytes);
  }
}

// A hash (FNV-1a) of the contributions that a message carried. Values are not hashed: they depend on the
// order of flits, which trains do not have.
std::int64_t digest(const ni::Payload& payload) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const std::uint64_t contributions : payload.contributions) {
    for (int byte = 0; byte < 8; ++byte)
      hash = (hash ^ (contributions >> (8 * byte) & 0xff)) * 1099511628211ULL;
  }
  return static_cast<std::int64_t>(hash);
}

class MessageRecorder final : public ni::MessageObserver {
 public:
  void message_completed(const ni::MessageRecord& m) override {
    rows.push_back({m.src,
                    m.src_port,
                    m.issued,
                    m.released,
                    m.dependencies_met,
                    m.port_free_since,
                    m.head_injected,
                    m.tail_injected,
                    m.tail_ejected,
                    m.completed,
                    m.dst,
                    m.dst_port,
                    m.entry->flow,
                    m.entry->step,
                    m.entry->address,
                    m.entry->bytes,
                    m.flits,
                    m.serialization,
                    m.enabler_tail_injected,
                    m.enabler_delay,
                    digest(m.payload)});
  }
  std::vector<std::vector<std::int64_t>> rows;
};

class PassageRecorder final : public fabric::FabricObserver {
 public:
  explicit PassageRecorder(const topology::Topology& topology) : topology_(topology) {}

  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override {
    if (event.out_port < 0 || event.ni_port >= 0) return;
    const topology::ChannelId channel =
        topology_.out_channels(event.node)[static_cast<std::size_t>(event.out_port)];
    const auto key = std::pair(channel, packet.tag);
    const auto [known, first] = under_way_.try_emplace(key);
    Passage& passage = known->second;
    if (first) {
      passage.row = rows.size();
      rows.push_back({channel, now, now + 1});
    }
    auto& end = rows[passage.row][2];
    end = std::max(end, now + 1);
    if (!event.flit.tail) return;
    // Packets may overtake each other, so the last packet may pass before others.
    ++passage.packets;
    if (packet.last_of_message) passage.of = std::int64_t{packet.index} + 1;
    if (passage.packets == passage.of) under_way_.erase(known);
  }
  void channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds /*used*/) override {
    rows.push_back({channel, begin, end});
  }
  std::vector<std::vector<std::int64_t>> rows;

 private:
  // The passage of one message over one channel. The message's number may be reused later.
  struct Passage {
    std::size_t row = 0;
    std::int64_t packets = 0;  // packets whose tails have passed
    std::int64_t of = -1;      // number of packets, or -1 if unknown
  };

  const topology::Topology& topology_;
  std::map<std::pair<topology::ChannelId, std::uint64_t>, Passage> under_way_;
};

ordered_json record(const config::Loaded& loaded, system::RunOptions options) {
  const topology::Topology topology = system::build_topology(loaded);
  MessageRecorder messages;
  PassageRecorder passages(topology);
  StallDetector stalls(topology, loaded.config.system);
  fabric::FabricStatistics statistics;
  options.message_observers = {&messages};
  options.fabric_observers = {&passages, &stalls};
  options.statistics = &statistics;
  std::vector<std::uint64_t> values;
  options.final_values = [&values](int, std::span<const float> final) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const float value : final) hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 1099511628211ULL;
    values.push_back(hash);
  };
  ordered_json result = system::run_program(loaded, system::load_program(loaded), options);
  std::sort(messages.rows.begin(), messages.rows.end());
  std::sort(passages.rows.begin(), passages.rows.end());
  return {
      {"messages", messages.rows}, {"channels", statistics.channel_flits}, {"passages", passages.rows},
      {"result", result},          {"first_stall", stalls.cycle()},        {"stall_place", stalls.place()},
      {"values", values}};
}

// A temporary configuration file.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& text) : path_(fmt::format("/tmp/coppice-fuzz-{}.yaml", getpid())) {
    std::ofstream(path_) << text;
  }
  ~ScratchFile() { std::remove(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Recording from_json(const ordered_json& json) {
  Recording recording;
  recording.messages = json["messages"].get<decltype(recording.messages)>();
  recording.channel_flits = json["channels"].get<decltype(recording.channel_flits)>();
  recording.passages = json["passages"].get<decltype(recording.passages)>();
  recording.values = json["values"].get<decltype(recording.values)>();
  recording.result = json["result"];
  recording.first_stall = json["first_stall"];
  recording.stall_place = json["stall_place"];
  return recording;
}

std::string difference_of_results(const ordered_json& flit, const ordered_json& train) {
  for (const auto& [key, value] : flit.items()) {
    if (key == "config" || key == "fidelity" || key == "simulator") continue;
    // Trains and flits are simulated by different modules, whose statistics differ.
    if (key == "statistics" && train["fidelity"] == "train") continue;
    if (value != train[key]) {
      return fmt::format("{}: flit has {}, train has {}", key, value.dump(), train[key].dump());
    }
  }
  return {};
}

using Rows = std::vector<std::vector<std::int64_t>>;

std::string describe(const std::vector<std::int64_t>& row, const std::vector<std::string>& fields) {
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i) text += fmt::format(" {}={}", fields[i], row[i]);
  return text;
}

// Compares rows in the order of time, because the earliest difference is usually the cause of all others.
std::string difference_of_rows(const char* what, Rows flit, Rows train,
                               const std::vector<std::string>& fields, std::size_t time) {
  const auto by_time = [time](const auto& a, const auto& b) {
    return a[time] != b[time] ? a[time] < b[time] : a < b;
  };
  std::sort(flit.begin(), flit.end(), by_time);
  std::sort(train.begin(), train.end(), by_time);
  for (std::size_t i = 0; i < std::max(flit.size(), train.size()); ++i) {
    if (i >= flit.size() || i >= train.size()) {
      return fmt::format("flit has {} {}, train has {}", flit.size(), what, train.size());
    }
    if (flit[i] == train[i]) continue;
    std::string text = fmt::format("{} {}, ordered by {}:", what, i, fields[time]);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (flit[i][f] != train[i][f]) {
        text += fmt::format("\n  {}: flit {}, train {}", fields[f], flit[i][f], train[i][f]);
      }
    }
    return text + "\n  flit:" + describe(flit[i], fields) + "\n  train:" + describe(train[i], fields);
  }
  return {};
}

}  // namespace

const std::vector<std::string> kMessageFields{"src",
                                              "src_port",
                                              "issued",
                                              "released",
                                              "dependencies_met",
                                              "port_free_since",
                                              "head_injected",
                                              "tail_injected",
                                              "tail_ejected",
                                              "completed",
                                              "dst",
                                              "dst_port",
                                              "flow",
                                              "step",
                                              "address",
                                              "bytes",
                                              "flits",
                                              "serialization",
                                              "enabler_tail_injected",
                                              "enabler_delay",
                                              "data"};

int threads_for(const std::string& yaml) {
  return 2 + static_cast<int>(std::hash<std::string>()(yaml) % 3);
}

namespace {

// Runs a system as trains, but with flits at the given ports. If trains contend nevertheless, returns the
// larger set of ports that must send flits. A run in which trains contend may end in any way.
ordered_json record_meetings(const config::Loaded& loaded, const std::vector<std::int32_t>& flit_ports) {
  fabric::Meetings meetings(flit_ports);
  system::RunOptions options;
  options.meetings = &meetings;
  try {
    const ordered_json recorded = record(loaded, options);
    if (!meetings.met()) return recorded;
  } catch (const system::OrderLostError& error) {
    if (!meetings.met()) return {{"order_lost", error.what()}};
  } catch (const ModelError&) {
    if (!meetings.met()) throw;
  }
  return {{"flit_ports", meetings.flit_ports()}, {"reason", meetings.reason()}};
}

using Recorder = ordered_json (*)(const config::Loaded& loaded, system::RunOptions options);

ordered_json record_result(const config::Loaded& loaded, system::RunOptions options) {
  return {{"result", system::run_program(loaded, system::load_program(loaded), options)}};
}

Outcome record_with(const std::string& yaml, const std::string& fidelity, const system::RunOptions& options,
                    Recorder recorder = record) {
  Outcome outcome;
  try {
    const ScratchFile file(yaml);
    const config::Loaded loaded = config::load(file.path(), {"fidelity=" + fidelity}, config::Purpose::kRun);
    const ordered_json answer = system::run_in_child(
        [&loaded, &options, recorder]() -> ordered_json {
          limit_this_process();
          try {
            return recorder(loaded, options);
          } catch (const fabric::ContentionError& error) {
            return {{"contended", error.what()}, {"cycle", error.cycle()}};
          } catch (const system::OrderLostError& error) {
            return {{"order_lost", error.what()}};
          }
        },
        nullptr);
    if (answer.contains("contended")) {
      outcome.end = Outcome::End::kContended;
      outcome.reason = answer["contended"];
      outcome.contended_at = answer["cycle"];
    } else if (answer.contains("order_lost")) {
      outcome.end = Outcome::End::kOrderLost;
      outcome.reason = answer["order_lost"];
    } else {
      outcome.end = Outcome::End::kDone;
      if (recorder == record) {
        outcome.recording = from_json(answer);
      } else {
        outcome.recording.result = answer["result"];
      }
    }
  } catch (const ConfigError& error) {
    outcome.end = Outcome::End::kUnsupported;
    outcome.reason = error.what();
  } catch (const std::exception& error) {
    outcome.end = Outcome::End::kFailed;
    outcome.reason = error.what();
  }
  return outcome;
}

}  // namespace

std::optional<topology::Topology> topology_of(const std::string& yaml) {
  try {
    const ScratchFile file(yaml);
    return system::build_topology(config::load(file.path(), {}, config::Purpose::kTraffic));
  } catch (const ConfigError& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return std::nullopt;
  }
}

Outcome run_once(const std::string& yaml, const std::string& fidelity, int threads) {
  system::RunOptions options;
  options.threads = threads;
  return record_with(yaml, fidelity, options, record_result);
}

Outcome record_run(const std::string& yaml, const std::string& fidelity, int threads) {
  system::RunOptions options;
  options.threads = threads;
  return record_with(yaml, fidelity, options);
}

Outcome record_patterns(const std::string& yaml, Trains trains) {
  system::RunOptions options;
  options.pattern_beyond = 1;
  options.by_one_here = trains == Trains::kOfOne;
  return record_with(yaml, "train", options);
}

Outcome record_mixed(const std::string& yaml) {
  Outcome outcome;
  try {
    const ScratchFile file(yaml);
    const config::Loaded loaded = config::load(file.path(), {"fidelity=train"}, config::Purpose::kRun);
    std::vector<std::int32_t> flit_ports;
    for (outcome.runs = 1;; ++outcome.runs) {
      const ordered_json answer = system::run_in_child(
          [&]() -> ordered_json {
            limit_this_process();
            return record_meetings(loaded, flit_ports);
          },
          nullptr);
      if (answer.contains("order_lost")) {
        outcome.end = Outcome::End::kOrderLost;
        outcome.reason = answer["order_lost"];
        return outcome;
      }
      if (!answer.contains("flit_ports")) {
        outcome.end = Outcome::End::kDone;
        outcome.recording = from_json(answer);
        return outcome;
      }
      const auto more = answer["flit_ports"].get<std::vector<std::int32_t>>();
      if (more.size() <= flit_ports.size()) {
        outcome.reason =
            "the run reports no further meetings, but is not exact: " + answer["reason"].get<std::string>();
        return outcome;
      }
      flit_ports = more;
    }
  } catch (const ConfigError& error) {
    outcome.end = Outcome::End::kUnsupported;
    outcome.reason = error.what();
  } catch (const std::exception& error) {
    outcome.reason = error.what();
  }
  return outcome;
}

std::string first_difference(const Recording& flit, const Recording& train) {
  constexpr std::size_t kIssued = 2;
  constexpr std::size_t kFirstCycle = 1;
  const std::string differences[] = {
      difference_of_rows("messages", flit.messages, train.messages, kMessageFields, kIssued),
      difference_of_rows("passages", flit.passages, train.passages, {"channel", "first_cycle", "end"},
                         kFirstCycle),
      flit.channel_flits == train.channel_flits ? "" : "the flits of some channel",
      difference_of_results(flit.result, train.result)};
  for (const std::string& difference : differences) {
    if (!difference.empty()) return difference;
  }
  return {};
}

}  // namespace coppice::fuzz
