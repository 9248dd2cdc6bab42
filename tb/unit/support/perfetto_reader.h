#pragma once

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Reads Perfetto traces like Perfetto's trace processor, without sharing code with the trace writer. Field
// numbers are defined in protos/perfetto/trace of https://github.com/google/perfetto.
namespace coppice::testing {

struct TraceSlice {
  std::string name;
  std::uint64_t begin = 0;  // in ns
  std::uint64_t end = 0;
  std::map<std::string, std::string> arguments{};
  std::uint64_t arrow_from = 0;  // number of the arrow that starts at this slice
  std::uint64_t arrow_to = 0;    // number of the arrow that ends at this slice
  int depth = 0;                 // number of slices that enclose this slice
};

struct TraceTrack {
  std::string group;
  std::string unit;
  std::vector<TraceSlice> slices{};                        // in order of begin times
  std::vector<std::pair<std::uint64_t, double>> values{};  // values of a counter track in chronological order
  double integral() const {  // sum of value times duration in ns, up to the last value
    double sum = 0;
    for (std::size_t i = 0; i + 1 < values.size(); ++i)
      sum += values[i].second * static_cast<double>(values[i + 1].first - values[i].first);
    return sum;
  }
};

using Trace = std::map<std::string, TraceTrack>;  // keyed by name; a repeated name gets an apostrophe

class PerfettoReader {
 public:
  // Throws std::runtime_error if `bytes` is not a trace.
  static Trace read(std::string_view bytes) {
    PerfettoReader reader;
    for (const Field& packet : fields(bytes)) reader.add_packet(packet.text);
    return reader.finish();
  }

 private:
  struct Field {
    std::uint64_t number;
    std::uint64_t value;    // of a varint or fixed-size number
    std::string_view text;  // of any other field
  };
  struct Event {
    std::uint64_t at;
    std::uint64_t track;
    std::uint64_t type;
    TraceSlice slice;
    double value;
  };

  static std::uint64_t varint(std::string_view& from) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      if (from.empty() || shift > 63) throw std::runtime_error("a number is truncated");
      const auto byte = static_cast<unsigned char>(from.front());
      from.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80U) return value;
    }
  }

  static std::vector<Field> fields(std::string_view message) {
    std::vector<Field> found;
    while (!message.empty()) {
      const std::uint64_t key = varint(message);
      Field field{key >> 3U, 0, {}};
      std::size_t size = 0;
      if ((key & 7U) == 0) field.value = varint(message);
      if ((key & 7U) == 1) size = 8;
      if ((key & 7U) == 2) size = varint(message);
      if ((key & 7U) > 2 || size > message.size())
        throw std::runtime_error("a field is truncated or of unknown type");
      field.text = message.substr(0, size);
      message.remove_prefix(size);
      if ((key & 7U) == 1) {
        for (std::size_t i = 8; i-- > 0;)
          field.value = field.value << 8U | static_cast<unsigned char>(field.text[i]);
      }
      found.push_back(field);
    }
    return found;
  }

  static std::string inflated(std::string_view packed) {
    std::string plain(1 << 16U, '\0');
    for (;;) {
      auto size = static_cast<uLongf>(plain.size());
      const int status =
          ::uncompress(reinterpret_cast<Bytef*>(plain.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
      if (status == Z_OK) {
        plain.resize(size);
        return plain;
      }
      if (status != Z_BUF_ERROR) throw std::runtime_error("packets cannot be decompressed");
      plain.resize(2 * plain.size());
    }
  }

  void add_packet(std::string_view packet) {
    std::uint64_t at = 0;
    std::uint64_t flags = 0;
    const auto all = fields(packet);
    for (const Field& field : all) {
      if (field.number == 8) at = field.value;
      if (field.number == 13) flags = field.value;
    }
    if ((flags & 1U) != 0) events_named_.clear();
    for (const Field& field : all) {
      if (field.number == 50) {
        const std::string plain = inflated(field.text);
        for (const Field& inner : fields(plain)) add_packet(inner.text);
      }
      if (field.number == 12) add_names(field.text);
      if (field.number == 60) add_track(field.text);
      if (field.number == 11) add_event(field.text, at);
    }
  }

  void add_names(std::string_view data) {
    for (const Field& entry : fields(data)) {
      std::uint64_t number = 0;
      std::string name;
      for (const Field& field : fields(entry.text)) {
        if (field.number == 1) number = field.value;
        if (field.number == 2) name = field.text;
      }
      (entry.number == 2 ? events_named_ : arguments_named_)[number] = name;
    }
  }

  void add_track(std::string_view data) {
    std::uint64_t number = 0;
    std::uint64_t parent = 0;
    std::string name;
    TraceTrack track;
    for (const Field& field : fields(data)) {
      if (field.number == 1) number = field.value;
      if (field.number == 2) name = field.text;
      if (field.number == 5) parent = field.value;
      if (field.number != 8) continue;
      for (const Field& counter : fields(field.text)) track.unit = counter.text;
    }
    if (parent != 0) track.group = names_.at(parent);
    while (tracks_.contains(name)) name += '\'';
    names_[number] = name;
    tracks_.emplace(name, track);
  }

  void add_event(std::string_view data, std::uint64_t at) {
    Event event{at, 0, 0, {}, 0};
    for (const Field& field : fields(data)) {
      if (field.number == 9) event.type = field.value;
      if (field.number == 10) event.slice.name = events_named_.at(field.value);
      if (field.number == 11) event.track = field.value;
      if (field.number == 44) event.value = std::bit_cast<double>(field.value);
      if (field.number == 47) event.slice.arrow_from = field.value;
      if (field.number == 48) event.slice.arrow_to = field.value;
      if (field.number == 4) add_argument(event.slice, field.text);
    }
    events_.push_back(std::move(event));
  }

  void add_argument(TraceSlice& slice, std::string_view data) {
    std::string name;
    std::string value;
    for (const Field& field : fields(data)) {
      if (field.number == 1) name = arguments_named_.at(field.value);
      if (field.number == 4) value = std::to_string(static_cast<std::int64_t>(field.value));
      if (field.number == 5) value = std::to_string(std::bit_cast<double>(field.value));
      if (field.number == 6) value = field.text;
    }
    slice.arguments[name] = value;
  }

  Trace finish() {
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
    std::map<std::uint64_t, std::vector<std::size_t>>
        open;  // numbers of each track's open slices, innermost last
    for (Event& event : events_) {
      TraceTrack& track = tracks_.at(names_.at(event.track));
      auto& around = open[event.track];
      if (event.type == 4) track.values.emplace_back(event.at, event.value);
      if (event.type == 2) {
        if (around.empty()) throw std::runtime_error("an end without a beginning");
        track.slices[around.back()].end = event.at;
        around.pop_back();
      }
      if (event.type != 1 && event.type != 3) continue;
      event.slice.begin = event.slice.end = event.at;
      event.slice.depth = static_cast<int>(around.size());
      if (event.type == 1) around.push_back(track.slices.size());
      track.slices.push_back(std::move(event.slice));
    }
    for (const auto& [track, slices] : open) {
      if (!slices.empty()) throw std::runtime_error("a slice does not end on " + names_.at(track));
    }
    return std::move(tracks_);
  }

  std::map<std::uint64_t, std::string> names_;  // names of tracks
  std::map<std::uint64_t, std::string> events_named_;
  std::map<std::uint64_t, std::string> arguments_named_;
  Trace tracks_;
  std::vector<Event> events_;
};

}  // namespace coppice::testing
