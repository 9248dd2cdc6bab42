#include "system/traffic/packet_trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/input_file.h"

namespace coppice::system {
namespace {

using topology::NodeId;

constexpr std::int64_t kMostCycles = std::int64_t{1} << 50;

// The types of Netrace packets that carry a cache line.
constexpr std::array<std::string_view, 6> kLineTypes{
    "ReadResp", "ReadRespWithInvalidate", "WriteReq", "Writeback", "ReadExResp", "DowngradeResp"};
constexpr std::array<std::string_view, 8> kShortTypes{"ReadReq",        "WriteResp",   "UpgradeReq",
                                                      "UpgradeResp",    "ReadExReq",   "InvalidateReq",
                                                      "InvalidateResp", "DowngradeReq"};

// The words of a line without its comment.
struct Line {
  SourceLocation place;
  std::vector<std::string> words;
};

std::vector<Line> read_lines(const std::string& path, const char* what) {
  std::string text;
  try {
    text = read_input_file(path);
  } catch (const UnreadableError& error) {
    throw ConfigError({path}, fmt::format("cannot read the {}: {}", what, error.what()));
  }
  std::vector<Line> lines;
  std::istringstream stream(text);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    Line read{{path, number, 1}, {}};
    for (std::string word; words >> word;) read.words.push_back(word);
    if (!read.words.empty()) lines.push_back(std::move(read));
  }
  return lines;
}

std::int64_t number(const SourceLocation& place, std::string_view text, std::int64_t most, const char* what) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= most) return value;
  throw ConfigError(
      place, fmt::format("'{}' is not a valid {}: write a whole number from 0 to {}", text, what, most));
}

class TraceReader {
 public:
  TraceReader(int accelerators, Bytes flit, int packet_flits)
      : accelerators_(accelerators), flit_(flit), packet_flits_(packet_flits) {}

  void add(const Line& line) {
    TracePacket packet;
    packet.flits = packet_flits_;
    std::vector<std::string> given;
    for (std::size_t i = 0; i < line.words.size(); ++i) {
      const std::string& word = line.words[i];
      const std::size_t colon = word.find(':');
      if (colon == std::string::npos) refuse(line, word);
      given.push_back(word.substr(0, colon));
      const std::string_view value = std::string_view(word).substr(colon + 1);
      if (given.back() == "NDEP") {
        i += take_dependents(line, i, value);
      } else {
        take(line, given.back(), value, packet);
      }
    }
    for (const char* needed : {"CYC", "SRC", "DST"}) {
      if (std::ranges::find(given, needed) == given.end()) {
        throw ConfigError(line.place, fmt::format("a packet needs {}: write CYC:, SRC: and DST:", needed));
      }
    }
    packets_.push_back(packet);
    places_.push_back(line.place);
  }

  std::vector<TracePacket> finish() {
    for (const auto& [packet, place, id] : dependents_) {
      const auto found = ids_.find(id);
      if (found == ids_.end()) {
        throw ConfigError(place, fmt::format("packet {} depends on this packet, but does not exist", id));
      }
      packets_[packet].releases.push_back(found->second);
      ++packets_[found->second].waits_for;
    }
    require_an_end();
    return std::move(packets_);
  }

 private:
  struct Dependent {
    std::size_t packet;
    SourceLocation place;
    std::int64_t id;
  };

  [[noreturn]] static void refuse(const Line& line, const std::string& word) {
    throw ConfigError(line.place,
                      fmt::format("'{}': write a packet as Netrace prints it, for example 'ID:1 CYC:10 SRC:0 "
                                  "DST:5 TYP:ReadReq NDEP:1 2'",
                                  word));
  }

  void take(const Line& line, const std::string& name, std::string_view value, TracePacket& packet) {
    const auto read = [&](std::int64_t most, const char* what) {
      return number(line.place, value, most, what);
    };
    if (name == "ID") {
      const auto [other, added] = ids_.emplace(read(kMostCycles, "packet number"), packets_.size());
      if (!added) throw ConfigError(line.place, fmt::format("packet {} appears twice", value));
    } else if (name == "CYC") {
      packet.at = read(kMostCycles, "cycle");
    } else if (name == "SRC") {
      packet.src = static_cast<NodeId>(read(accelerators_ - 1, "accelerator"));
    } else if (name == "DST") {
      packet.dst = static_cast<NodeId>(read(accelerators_ - 1, "accelerator"));
    } else if (name == "FLITS") {
      packet.flits = static_cast<int>(std::max<std::int64_t>(read(65536, "number of flits"), 1));
      has_flits_ = packets_.size() + 1;
    } else if (name == "TYP") {
      if (has_flits_ != packets_.size() + 1) packet.flits = flits_of(line, value);
    } else if (name != "ADR") {
      refuse(line, name);
    }
  }

  int flits_of(const Line& line, std::string_view type) const {
    constexpr Bytes kLine = 72;
    constexpr Bytes kShort = 8;
    const bool carries_line = std::ranges::find(kLineTypes, type) != kLineTypes.end();
    if (!carries_line && std::ranges::find(kShortTypes, type) == kShortTypes.end()) {
      throw ConfigError(line.place,
                        fmt::format("'{}' is not a Netrace packet type: write one of {}, {}", type,
                                    fmt::join(kShortTypes, ", "), fmt::join(kLineTypes, ", ")));
    }
    return static_cast<int>(((carries_line ? kLine : kShort) + flit_ - 1) / flit_);
  }

  // Reads the packets that depend on this one, and returns how many words of the line it has used.
  std::size_t take_dependents(const Line& line, std::size_t at, std::string_view value) {
    const auto count = static_cast<std::size_t>(number(line.place, value, 65536, "number of packets"));
    if (at + count >= line.words.size()) {
      throw ConfigError(line.place, fmt::format("NDEP:{0} must be followed by {0} numbers, not {1}", count,
                                                line.words.size() - at - 1));
    }
    for (std::size_t i = 1; i <= count; ++i) {
      dependents_.push_back({packets_.size(), line.place,
                             number(line.place, line.words[at + i], kMostCycles, "packet number")});
    }
    return count;
  }

  // Sends all packets in the order of dependencies, and throws if some can never be sent because they wait
  // for each other.
  void require_an_end() const {
    std::vector<int> missing;
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < packets_.size(); ++i) {
      missing.push_back(packets_[i].waits_for);
      if (missing.back() == 0) free.push_back(i);
    }
    for (std::size_t done = 0; done < free.size(); ++done) {
      for (const std::size_t next : packets_[free[done]].releases) {
        if (--missing[next] == 0) free.push_back(next);
      }
    }
    if (free.size() == packets_.size()) return;
    const auto stuck = static_cast<std::size_t>(
        std::ranges::find_if(missing, [](int count) { return count > 0; }) - missing.begin());
    throw ConfigError(places_[stuck], "this packet depends on itself through other packets");
  }

  int accelerators_;
  Bytes flit_;
  int packet_flits_;
  std::size_t has_flits_ = 0;  // the number (from 1) of the last line with FLITS:
  std::vector<TracePacket> packets_;
  std::vector<SourceLocation> places_;
  std::map<std::int64_t, std::size_t> ids_;
  std::vector<Dependent> dependents_;
};

}  // namespace

std::vector<TracePacket> read_packet_trace(const std::string& path, int accelerators, Bytes flit,
                                           int packet_flits) {
  TraceReader reader(accelerators, flit, packet_flits);
  const std::vector<Line> lines = read_lines(path, "packet trace");
  for (const Line& line : lines) reader.add(line);
  if (lines.empty())
    throw ConfigError({path}, "contains no packets: write lines such as 'ID:1 CYC:10 SRC:0 DST:5 NDEP:0'");
  return reader.finish();
}

std::vector<NodeId> read_permutation(const std::string& path, int accelerators) {
  std::vector<std::optional<NodeId>> targets(static_cast<std::size_t>(accelerators));
  for (const Line& line : read_lines(path, "permutation")) {
    if (line.words.size() != 2) {
      throw ConfigError(line.place, "write a line of a permutation as 'source target', for example '0 5'");
    }
    const auto node = [&](const std::string& word) {
      return static_cast<NodeId>(number(line.place, word, accelerators - 1, "accelerator"));
    };
    auto& target = targets[static_cast<std::size_t>(node(line.words[0]))];
    if (target) throw ConfigError(line.place, fmt::format("source {} appears twice", line.words[0]));
    target = node(line.words[1]);
  }
  std::vector<NodeId> all;
  for (std::size_t src = 0; src < targets.size(); ++src) {
    if (!targets[src]) {
      throw ConfigError({path}, fmt::format("no line for source {}: write one for every accelerator, 0 to {}",
                                            src, accelerators - 1));
    }
    all.push_back(*targets[src]);
  }
  return all;
}

}  // namespace coppice::system
