#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/units.h"
#include "system/output/result_file.h"

namespace coppice::perfetto {
class Trace;
class TracePacket;
}  // namespace coppice::perfetto

namespace coppice::system {

// A file of compressed Perfetto TrackEvent packets. Its tracks have slices, instants and counter values at
// simulated times, which the format rounds to nanoseconds. Events stay in memory until finish() writes them,
// grouped by type. Tracks without events are omitted.
class PerfettoFile {
 public:
  using Track = std::size_t;
  struct Argument {
    std::uint32_t name;
    std::variant<std::int64_t, double, std::string> value;
  };
  // Identifies the arrow that begins or ends at a slice. The slices at both ends of an arrow have the same
  // number.
  struct Arrow {
    std::uint64_t number;  // 0: no arrow
    bool ends;
  };

  // Throws ConfigError located at `option` if `path` cannot be written.
  PerfettoFile(const char* option, const std::string& path) : output_(option, path) {}

  Track add_group(const std::string& name) { return add({.name = name}); }
  Track add_track(Track group, const std::string& name) { return add({.name = name, .parent = group + 1}); }
  Track add_counter(Track group, const std::string& name, const char* unit) {
    return add({.name = name, .parent = group + 1, .unit = unit});
  }
  // Stores `name` if it is new, and returns the number by which slices and arguments refer to it.
  std::uint32_t number_of(const std::string& name);

  // Slices of a track may be nested, but not partially overlap. If begin and end are in the same nanosecond,
  // the event is an instant.
  void add_slice(Track track, std::uint32_t name, Femtoseconds begin, Femtoseconds end, Arrow arrow = {},
                 const std::vector<Argument>& arguments = {});
  // Sets the counter's value from `at` until the next value. A later call with the same time replaces the
  // value.
  void set_counter(Track track, double value, Femtoseconds at);

  // Writes the file and renames it to its final name. Throws ModelError if it cannot be written.
  void finish();

 private:
  struct Slice {
    Femtoseconds begin;
    Femtoseconds end;
    std::uint32_t name;
    std::uint32_t arguments;  // number of arguments, starting at first_argument
    std::size_t first_argument;
    Arrow arrow;
  };
  struct Value {
    Femtoseconds at;
    double value;
  };
  struct TrackData {
    std::string name;
    Track parent = 0;  // index of the parent track plus 1; 0: none
    const char* unit = nullptr;
    bool used = false;
    std::vector<Slice> slices{};
    std::vector<Value> values{};
  };

  Track add(TrackData track);
  void use(Track track);
  void write_names(perfetto::Trace& packets) const;
  void describe(perfetto::Trace& packets, Track track) const;
  void write_ends(perfetto::Trace& packets, Track track);
  void write_begins(perfetto::Trace& packets, Track track, bool instants);
  void write_values(perfetto::Trace& packets, Track track);
  static bool is_instant(const Slice& slice);
  void begin_slice(perfetto::Trace& packets, Track track, const Slice& slice) const;
  // Compresses and appends the packets if there are enough of them, or in any case if `all` is set.
  void flush(perfetto::Trace& packets, bool all = false);

  ResultFile output_;
  std::vector<TrackData> tracks_;
  std::vector<Track> order_;  // order of the tracks in the file
  std::vector<Argument> arguments_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // [name]: its index in names_ plus 1
};

}  // namespace coppice::system
