#include "config/files/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "base/input_file.h"

namespace coppice::config {
namespace {

struct Description {
  FileKind kind;
  const char* what;
  const char* use;  // with {} for the name of the file
};

constexpr Description kDescriptions[] = {
    {FileKind::kConfiguration, "a configuration", "pass it to coppice run"},
    {FileKind::kResult, "a result", "pass it to coppice run or coppice report"},
    {FileKind::kProgram, "a program", "write 'program: {{file: {}}}' in a configuration"},
    {FileKind::kNetwork, "a network",
     "write 'system: {{topology: {{kind: file, file: {}}}}}' in a configuration"},
    {FileKind::kAstraNetwork, "an ASTRA-sim network",
     "write 'system: {{topology: {{kind: hierarchy, dimensions: {}}}}}' in a configuration"},
    {FileKind::kAstraSystem, "an ASTRA-sim system file",
     "write 'collective: {{dimension_algorithms: {}}}' in a configuration"},
    {FileKind::kSchedule, "a schedule",
     "write 'collective: {{algorithm: file, file: {}}}' in a configuration"},
    {FileKind::kTrace, "a Chakra trace",
     "set program.trace in a configuration to the name of the ranks' traces, with {{rank}} in place of the "
     "number"},
    {FileKind::kLayers, "a layer table", "write 'training: {{model: {}}}' in a configuration"},
    {FileKind::kTextWorkload, "a text workload", "write 'training: {{model: {}}}' in a configuration"},
    {FileKind::kTransformer, "a transformer", "write 'training: {{model: {}}}' in a configuration"},
    {FileKind::kArchitecture, "a SCALE-Sim architecture",
     "write 'system: {{accelerator: {}}}' in a configuration"},
    {FileKind::kBooksim, "a BookSim2 experiment", "run coppice traffic --booksim {}"},
    {FileKind::kMeasured, "a table of measured times", "run coppice calibrate CONFIG.yaml {}"},
    {FileKind::kSpace, "a design space", "run coppice explore {}"},
    {FileKind::kHardware, "a table of areas and energies",
     "write 'hardware: {{energies: {}}}' in a configuration"},
};

const Description& describe(FileKind kind) {
  return *std::ranges::find(kDescriptions, kind, &Description::kind);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\xEF\xBB\xBF";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

// The first line that is not empty and not a comment.
std::string_view first_line(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    if (!line.empty() && !line.starts_with('#') && !line.starts_with("//") && line != "---") return line;
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return {};
}

bool is_name(unsigned char c) {
  return std::isalnum(c) != 0 || c == '_' || c == '-';
}

// The names at the beginning of YAML lines that are not indented.
std::vector<std::string_view> yaml_keys(std::string_view text) {
  std::vector<std::string_view> keys;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const auto end = std::ranges::find_if_not(line, is_name);
    const auto length = static_cast<std::size_t>(end - line.begin());
    if (length > 0 && line.substr(length).starts_with(':')) keys.push_back(line.substr(0, length));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return keys;
}

// The names in the outermost object of a JSON text, or of YAML in braces.
std::vector<std::string_view> json_keys(std::string_view text) {
  std::vector<std::string_view> keys;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    std::size_t begin = at;
    if (c == '"') {
      do ++at;
      while (at < text.size() && (text[at] != '"' || text[at - 1] == '\\'));
      ++begin;
    } else if (is_name(static_cast<unsigned char>(c))) {
      while (at < text.size() && is_name(static_cast<unsigned char>(text[at]))) ++at;
      --at;
    } else {
      continue;
    }
    const std::size_t end = c == '"' ? at : at + 1;
    const std::size_t colon = text.find_first_not_of(" \t\r\n", at + 1);
    if (depth == 1 && colon < text.size() && text[colon] == ':')
      keys.push_back(text.substr(begin, end - begin));
  }
  return keys;
}

// Keys that identify the kind of a YAML or JSON file. If it has several of them, the first in this list
// counts.
constexpr std::pair<std::string_view, FileKind> kTellingKeys[] = {
    {"space", FileKind::kSpace},
    {"objectives", FileKind::kSpace},
    {"system", FileKind::kConfiguration},
    {"collective", FileKind::kConfiguration},
    {"training", FileKind::kConfiguration},
    {"program", FileKind::kConfiguration},
    {"base", FileKind::kConfiguration},
    {"npus_count", FileKind::kAstraNetwork},
    {"instances", FileKind::kNetwork},
    {"devices", FileKind::kNetwork},
    {"all-reduce-implementation", FileKind::kAstraSystem},
    {"scheduling-policy", FileKind::kAstraSystem},
    {"operations", FileKind::kProgram},
    {"gpus", FileKind::kSchedule},
    {"workload_graph", FileKind::kTrace},
    {"vocabulary", FileKind::kTransformer},
    {"energy", FileKind::kHardware},
};

std::optional<FileKind> recognise_keys(std::string_view text) {
  const bool json = first_line(text).starts_with('{');
  if (json && text.find("\"coppice.schedule/") != std::string_view::npos) return FileKind::kSchedule;
  const std::vector<std::string_view> keys = json ? json_keys(text) : yaml_keys(text);
  const auto has = [&](std::string_view name) { return std::ranges::find(keys, name) != keys.end(); };
  if (json && has("schema") && text.find("\"coppice.") != std::string_view::npos) return FileKind::kResult;
  for (const auto& [key, kind] : kTellingKeys) {
    if (has(key)) return kind;
  }
  return std::nullopt;
}

bool is_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::optional<FileKind> recognise_line(std::string_view line, std::string_view text) {
  const auto has = [](std::string_view where, std::string_view what) {
    return where.find(what) != std::string_view::npos;
  };
  const std::string_view word = line.substr(0, line.find_first_of(" \t,"));
  if (line.starts_with('<')) {
    if (has(text, "<algo")) return FileKind::kSchedule;
    if (has(text, "<graphml") || has(text, "<system")) return FileKind::kNetwork;
    return std::nullopt;
  }
  const bool dot = word == "digraph" || word == "graph" || word == "strict";
  if (dot && has(text, "{")) return FileKind::kNetwork;
  constexpr std::string_view kGraphWords[] = {"accelerators", "router", "node"};
  if (std::ranges::find(kGraphWords, word) != std::end(kGraphWords)) return FileKind::kNetwork;
  if (line.starts_with("NPUs Count,")) return FileKind::kSchedule;
  if (word == "DATA" || word == "MODEL" || word == "MICRO" || word.starts_with("HYBRID_"))
    return FileKind::kTextWorkload;
  if (line.starts_with('[') && has(text, "ArrayHeight")) return FileKind::kArchitecture;
  if (has(line, "busbw") || has(line, "time_us")) return FileKind::kMeasured;
  if (has(line, "=") && line.ends_with(';')) return FileKind::kBooksim;
  std::string start(line.substr(0, 5));
  std::ranges::transform(start, start.begin(), [](unsigned char c) { return std::tolower(c); });
  if (start == "layer" && has(line, ",")) return FileKind::kLayers;
  if (!is_number(word)) return std::nullopt;
  // A SimAI or ns-3 network begins with several numbers; a TACOS network begins with its size.
  const bool numbers = !has(line, ",") && std::ranges::count(line, ' ') >= 2;
  return numbers || has(text, "Src,Dest") ? std::optional(FileKind::kNetwork) : std::nullopt;
}

}  // namespace

std::optional<FileKind> recognise_file(std::string_view text) {
  // A trace begins with the length of its metadata, whose first field is the version.
  constexpr char kVersion = 0x0a;
  if (text.size() > 2 && text[0] > 0 && text[0] < ' ' && text[0] != '\n' && text[1] == kVersion)
    return FileKind::kTrace;
  const std::string_view line = first_line(text);
  const auto by_line = recognise_line(line, text);
  return by_line ? by_line : recognise_keys(text);
}

void refuse_other_kind(const std::string& path, std::initializer_list<FileKind> wanted) {
  std::string text;
  try {
    text = read_input_file(path);
  } catch (const UnreadableError&) {
    return;
  }
  const auto kind = recognise_file(text);
  if (!kind || std::ranges::find(wanted, *kind) != wanted.end()) return;
  const Description& is = describe(*kind);
  throw ConfigError({path}, fmt::format("this is {}, not {}: {}", is.what, describe(*wanted.begin()).what,
                                        fmt::format(fmt::runtime(is.use), path)));
}

}  // namespace coppice::config
