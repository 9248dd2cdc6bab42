#include "config/files/scale_sim_architecture.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "base/input_file.h"
#include "base/units.h"
#include "config/document/file_name.h"
#include "config/document/nearest.h"
#include "config/document/values.h"
#include "config/files/file_kind.h"
#include "config/settings/config.h"
#include "workload/layer.h"

namespace coppice::config {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::int64_t kWordsPerKilobyte = 1024;
constexpr int kInterfaces = 3;  // the inputs, filters and outputs each have the bandwidth in the file
constexpr std::int64_t kLargestSide = 65536;
constexpr std::int64_t kLargestBuffer = 1 << 24;  // in kB
constexpr double kLargestBandwidth = 1'000'000;   // in words per cycle

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

// A line "Key: value" or "Key = value" in a section.
struct Entry {
  std::string section;
  Node value;  // a node that has the key's name
};

Node trimmed(std::string_view line, std::size_t begin, std::size_t end, const SourceLocation& place) {
  while (begin < end && kBlanks.find(line[begin]) != std::string_view::npos) ++begin;
  while (end > begin && kBlanks.find(line[end - 1]) != std::string_view::npos) --end;
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = std::string(line.substr(begin, end - begin));
  node.place = {place.file, place.line, static_cast<int>(begin) + 1};
  return node;
}

std::vector<Entry> read_entries(const std::string& path) {
  std::string text;
  try {
    text = read_input_file(path);
  } catch (const UnreadableError& error) {
    throw ConfigError({path}, fmt::format("cannot read the architecture file: {}", error.what()));
  }
  std::vector<Entry> entries;
  std::string section;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t stop = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, stop - begin);
    const SourceLocation place{path, ++number, 1};
    begin = stop + 1;
    const Node whole = trimmed(line, 0, line.size(), place);
    if (whole.text.empty() || whole.text.front() == '#' || whole.text.front() == ';') continue;
    if (whole.text.front() == '[' && whole.text.back() == ']') {
      section = lower(whole.text.substr(1, whole.text.size() - 2));
      continue;
    }
    const std::size_t separator = line.find_first_of(":=");
    if (separator == std::string_view::npos || section.empty()) {
      throw ConfigError(
          whole.place,
          fmt::format(
              "'{}' is not a line of a SCALE-Sim architecture file: expected [section] or 'Key: value'",
              whole.text));
    }
    const Node key = trimmed(line, 0, separator, place);
    Entry entry{section, trimmed(line, separator + 1, line.size(), place)};
    entry.value.name = key.text;
    entry.value.name_place = key.place;
    entries.push_back(std::move(entry));
  }
  return entries;
}

// Whether the model has no counterpart for a key, as for addresses, banks, memory queues, names and layouts.
bool has_no_meaning(const Entry& entry) {
  static constexpr std::array kSections{"layout", "sparsity", "energy", "accelergy"};
  static constexpr std::array kKeys{"run_name",
                                    "ifmapoffset",
                                    "filteroffset",
                                    "ofmapoffset",
                                    "memorybanks",
                                    "readrequestbuffer",
                                    "writerequestbuffer",
                                    "useramulatortrace",
                                    "sparsitysupport",
                                    "sparserep",
                                    "optimizedmapping",
                                    "blocksize",
                                    "randomnumbergeneratorseed"};
  return std::ranges::find(kSections, entry.section) != kSections.end() ||
         std::ranges::find(kKeys, lower(entry.value.name)) != kKeys.end();
}

class Reader {
 public:
  Reader(const std::string& path, std::int64_t clock_hertz) : path_(path), clock_hertz_(clock_hertz) {
    const std::vector<Entry> entries = read_entries(path);
    for (const Entry& entry : entries) {
      const std::string name = lower(entry.value.name);
      if (has_no_meaning(entry)) {
        if (name != "run_name") unread_.push_back(entry.value.name);
        continue;
      }
      require_known(entry, name);
      if (!values_.empty() && find(name) != nullptr) {
        throw ConfigError(entry.value.name_place,
                          fmt::format("{} is set twice: set it only once", entry.value.name));
      }
      values_.push_back(entry.value);
    }
  }

  ScaleSimArchitecture read() {
    Node& section = result_.accelerator;
    section.kind = Node::Kind::kMap;
    section.place = {path_};
    put(section, "pes", scalar("1", {path_}), {path_});
    set_array(section);
    set_dataflow(section);
    set_buffers(section);
    set_bandwidth(section);
    const auto assume = [&](const std::string& what) { result_.assumptions.push_back(path_ + ": " + what); };
    assume(fmt::format("a SCALE-Sim word is an element of {} bytes", workload::kElementBytes));
    if (!unread_.empty()) assume(fmt::format("ignored keys: {}", fmt::join(unread_, ", ")));
    return std::move(result_);
  }

 private:
  static constexpr std::array kNames{"ArrayHeight",   "ArrayWidth", "IfmapSramSzkB", "FilterSramSzkB",
                                     "OfmapSramSzkB", "Dataflow",   "Bandwidth",     "InterfaceBandwidth"};

  static void require_known(const Entry& entry, const std::string& name) {
    for (const char* known : kNames) {
      if (lower(known) == name) return;
    }
    const std::vector<std::string> all(kNames.begin(), kNames.end());
    throw ConfigError(entry.value.name_place,
                      fmt::format("unknown key '{}' in a SCALE-Sim architecture file; did you mean '{}'?",
                                  entry.value.name, nearest(entry.value.name, all)));
  }

  const Node* find(const std::string& name) const {
    const auto found =
        std::ranges::find_if(values_, [&](const Node& value) { return lower(value.name) == lower(name); });
    return found == values_.end() ? nullptr : &*found;
  }

  const Node& need(const std::string& name) const {
    if (const Node* value = find(name)) return *value;
    throw ConfigError({path_}, fmt::format("a SCALE-Sim architecture file needs {}", name));
  }

  void set_array(Node& section) const {
    Node array;
    array.kind = Node::Kind::kList;
    for (const char* side : {"ArrayHeight", "ArrayWidth"}) {
      const Node& value = need(side);
      read_integer(value, side, 1, kLargestSide);
      array.children.push_back(scalar(value.text, value.place));
    }
    array.place = array.children.front().place;
    put(section, "array", std::move(array), need("ArrayHeight").name_place);
  }

  void set_dataflow(Node& section) const {
    const Node& value = need("Dataflow");
    const std::vector<std::string> names{"os", "ws", "is"};
    const std::string name = read_name(value, "Dataflow", names);
    const char* ours = name == "os"   ? "output_stationary"
                       : name == "ws" ? "weight_stationary"
                                      : "input_stationary";
    put(section, "dataflow", scalar(ours, value.place), value.name_place);
  }

  void set_buffers(Node& section) const {
    Node buffers;
    buffers.kind = Node::Kind::kMap;
    for (const auto& [theirs, ours] :
         {std::pair{"IfmapSramSzkB", "input"}, std::pair{"FilterSramSzkB", "weight"},
          std::pair{"OfmapSramSzkB", "output"}}) {
      const Node* value = find(theirs);
      if (value == nullptr) continue;
      const Bytes bytes =
          read_integer(*value, theirs, 1, kLargestBuffer) * kWordsPerKilobyte * workload::kElementBytes;
      put(buffers, ours, scalar(format_bytes(bytes), value->place), value->name_place);
      buffers.place = value->place;
    }
    if (!buffers.children.empty()) put(section, "buffers", buffers, buffers.children.front().name_place);
  }

  void set_bandwidth(Node& section) {
    const Node* mode = find("InterfaceBandwidth");
    const std::vector<std::string> modes{"CALC", "USER"};
    if (mode == nullptr || read_name(*mode, "InterfaceBandwidth", modes) == "CALC") {
      result_.assumptions.push_back(path_ +
                                    ": SCALE-Sim calculates the bandwidth that the arrays need, so memory "
                                    "never stalls; set InterfaceBandwidth: USER to use the file's bandwidth");
      return;
    }
    Node first = need("Bandwidth");
    first.text = first.text.substr(0, first.text.find(','));
    const double words = read_number(first, "Bandwidth", 1e-3, kLargestBandwidth);
    const double bytes = words * kInterfaces * static_cast<double>(workload::kElementBytes) *
                         static_cast<double>(clock_hertz_);
    put(section, "memory_bandwidth",
        scalar(format_bandwidth({static_cast<std::int64_t>(bytes)}), first.place), first.name_place);
    result_.assumptions.push_back(
        fmt::format("{}: one memory provides the bandwidth of SCALE-Sim's {} interfaces, which is {} words "
                    "per cycle each",
                    path_, kInterfaces, words));
  }

  std::string path_;
  std::int64_t clock_hertz_;
  std::vector<Node> values_;
  std::vector<std::string> unread_;
  ScaleSimArchitecture result_;
};

Node* child(Node& node, std::string_view name) {
  if (node.kind != Node::Kind::kMap) return nullptr;
  const auto found = std::ranges::find(node.children, name, &Node::name);
  return found == node.children.end() ? nullptr : &*found;
}

// The clock of the accelerator; the default if it is invalid, since the reader of keys reports this error
// later.
std::int64_t clock_of(Node& accelerator) {
  const Node* clock = child(accelerator, "clock");
  if (clock == nullptr || clock->kind != Node::Kind::kScalar) return AcceleratorConfig{}.clock.hertz;
  try {
    return parse_frequency(clock->text).hertz;
  } catch (const std::invalid_argument&) {
    return AcceleratorConfig{}.clock.hertz;
  }
}

}  // namespace

ScaleSimArchitecture read_scale_sim_architecture(const std::string& path, std::int64_t clock_hertz) {
  return read_as({FileKind::kArchitecture}, path, [&] { return Reader(path, clock_hertz).read(); });
}

void expand_accelerator(Node& root, std::vector<std::string>& assumptions) {
  Node* system = child(root, "system");
  Node* accelerator = system == nullptr ? nullptr : child(*system, "accelerator");
  if (accelerator == nullptr) return;
  const bool alone = accelerator->kind == Node::Kind::kScalar;
  const Node* file = alone ? accelerator : child(*accelerator, "file");
  if (file == nullptr) return;
  const std::string path =
      read_file_name(*file, "system.accelerator.file", "the name of a SCALE-Sim architecture file (*.cfg)");
  if (!path.ends_with(".cfg")) {
    refuse(*file, alone ? "system.accelerator" : "system.accelerator.file",
           alone ? "a section of keys and values, or the name of a SCALE-Sim architecture file (*.cfg)"
                 : "the name of a SCALE-Sim architecture file (*.cfg)");
  }
  ScaleSimArchitecture read = read_scale_sim_architecture(path, clock_of(*accelerator));
  Node section = std::move(read.accelerator);
  section.name = accelerator->name;
  section.name_place = accelerator->name_place;
  if (!alone) {
    Node own = *accelerator;
    std::erase_if(own.children, [](const Node& key) { return key.name == "file"; });
    merge(section, own);
  }
  *accelerator = std::move(section);
  assumptions.insert(assumptions.end(), read.assumptions.begin(), read.assumptions.end());
}

}  // namespace coppice::config
