#include "workload/text_workload.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <span>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/input_file.h"

namespace coppice::workload {
namespace {

struct Word {
  std::string text;
  SourceLocation place;
};

struct NamedParallelism {
  const char* name;
  Parallelism parallelism;
};
constexpr std::array kParallelisms{
    NamedParallelism{"DATA", Parallelism::kData},
    NamedParallelism{"MODEL", Parallelism::kModel},
    NamedParallelism{"MICRO", Parallelism::kData},
    NamedParallelism{"HYBRID_DATA_MODEL", Parallelism::kDataThenModel},
    NamedParallelism{"HYBRID_MODEL_DATA", Parallelism::kModelThenData},
    NamedParallelism{"HYBRID_CUSTOMIZED", Parallelism::kCustomized},
    NamedParallelism{"HYBRID_DLRM", Parallelism::kDlrm},
    NamedParallelism{"HYBRID_TRANSFORMER", Parallelism::kTransformer},
    NamedParallelism{"HYBRID_TRANSFORMER_FWD_IN_BCKWD", Parallelism::kTransformerRecomputed}};
constexpr std::array kExchanges{Exchange::kNone, Exchange::kAllReduce, Exchange::kAllGather,
                                Exchange::kReduceScatter, Exchange::kAllToAll};
struct NamedSuffix {
  const char* text;
  Group group;
};
// The suffixes that SimAI adds to collectives. The longer suffix comes first, because it ends with the
// shorter one.
constexpr std::array kSuffixes{NamedSuffix{"_DP_EP", Group::kExpertData}, NamedSuffix{"_EP", Group::kExpert}};
constexpr std::size_t kWordsOfALayer = 12;
constexpr std::int64_t kMostLayers = 100'000;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
constexpr std::int64_t kLongestNs = 1'000'000'000'000;

std::string read_text(const std::string& path) {
  try {
    return read_input_file(path);
  } catch (const UnreadableError& error) {
    throw ConfigError({path}, fmt::format("the text workload cannot be read: {}", error.what()));
  }
}

// Splits every line that is not blank into words.
std::vector<std::vector<Word>> read_lines(const std::string& path) {
  std::istringstream file(read_text(path));
  std::vector<std::vector<Word>> lines;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::vector<Word> words;
    constexpr const char* kBlanks = " \t\r";
    for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string::npos;) {
      const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
      words.push_back({line.substr(begin, end - begin), {path, number, static_cast<int>(begin) + 1}});
      begin = line.find_first_not_of(kBlanks, end);
    }
    if (!words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

std::int64_t read_number(const Word& word, std::int64_t lowest, std::int64_t highest, const char* what) {
  std::int64_t value = 0;
  const char* end = word.text.data() + word.text.size();
  const auto [stopped, error] = std::from_chars(word.text.data(), end, value);
  if (error == std::errc{} && stopped == end && value >= lowest && value <= highest) return value;
  throw ConfigError(word.place, fmt::format("'{}' is not a valid {}: write a whole number from {} to {}",
                                            word.text, what, lowest, highest));
}

Parallelism read_parallelism(const Word& word) {
  std::string known;
  for (const NamedParallelism& named : kParallelisms) {
    if (word.text == named.name) return named.parallelism;
    known += (known.empty() ? "" : ", ") + std::string(named.name);
  }
  throw ConfigError(word.place, fmt::format("unknown parallelism '{}': write one of {}", word.text, known));
}

// Reads a collective. A suffix that SimAI adds may specify the collective's group.
Communication read_exchange(const Word& word) {
  std::string name = word.text;
  Communication communication;
  for (const auto& [suffix, group] : kSuffixes) {
    if (!name.ends_with(suffix)) continue;
    name.resize(name.size() - std::string_view(suffix).size());
    communication.among = group;
    break;
  }
  std::string known;
  for (const Exchange exchange : kExchanges) {
    communication.exchange = exchange;
    const bool same = name == to_string(exchange);
    if (same && (exchange != Exchange::kNone || !communication.among)) return communication;
    known += (known.empty() ? "" : ", ") + std::string(to_string(exchange));
  }
  throw ConfigError(
      word.place,
      fmt::format("unknown collective '{}': write one of {}, optionally followed by _EP or _DP_EP", word.text,
                  known));
}

// Reads the parameters that follow the parallelism: "key: value", or "key: count values".
class Parameters {
 public:
  explicit Parameters(std::span<const Word> words) : words_(words) {}

  bool done() const { return next_ == words_.size(); }
  const Word& take(const char* expected) {
    if (!done()) return words_[next_++];
    throw ConfigError(words_.back().place,
                      fmt::format("expected {} after '{}'", expected, words_.back().text));
  }
  std::vector<int> dequeue_layers() {
    const std::int64_t count = read_number(take("a number of layers"), 0, kMostLayers, "number of layers");
    std::vector<int> layers;
    for (std::int64_t i = 0; i < count; ++i) {
      layers.push_back(static_cast<int>(read_number(take("a layer"), 0, kMostLayers, "layer")));
    }
    return layers;
  }

 private:
  std::span<const Word> words_;
  std::size_t next_ = 1;
};

// Reads the parameter if it is one of those that only SimAI writes; returns whether it is.
bool read_simai_parameter(const Word& key, Parameters& parameters, TextWorkload& workload) {
  const auto count = [&] {
    return static_cast<int>(read_number(parameters.take("a number"), 1, 1 << 30, "number"));
  };
  if (key.text == "ep:") {
    workload.expert_group = count();
  } else if (key.text == "pp:") {
    workload.pipeline = count();
  } else if (key.text == "ga:") {
    workload.accumulation = count();
  } else if (key.text == "all_gpus:") {
    workload.accelerators = count();
  } else if (key.text == "vpp:") {
    count();
  } else if (key.text == "pp_comm:" || key.text == "pp_comm") {
    read_number(parameters.take("a size"), 0, kMostBytes, "size");
  } else {
    return false;
  }
  return true;
}

void read_header(const std::vector<Word>& line, TextWorkload& workload) {
  workload.parallelism = read_parallelism(line.front());
  Parameters parameters(line);
  // The only parameter of a DLRM may be written without its key.
  if (workload.parallelism == Parallelism::kDlrm && line.size() == 2) {
    workload.last_bottom_layer = static_cast<int>(
        read_number(parameters.take("the last layer of the bottom MLP"), 0, kMostLayers, "layer"));
    return;
  }
  while (!parameters.done()) {
    const Word& key = parameters.take("a parameter");
    if (key.text == "model_parallel_NPU_group:") {
      workload.model_group =
          static_cast<int>(read_number(parameters.take("a number of accelerators"), 1, 1 << 30, "group"));
    } else if (read_simai_parameter(key, parameters, workload)) {
      continue;
    } else if (key.text == "DLRM_LAST_BOTTOM_LAYER:") {
      workload.last_bottom_layer =
          static_cast<int>(read_number(parameters.take("a layer"), 0, kMostLayers, "layer"));
    } else if (key.text == "checkpoints:") {
      workload.checkpoints = parameters.dequeue_layers();
    } else if (key.text == "checkpoint_initiates:") {
      workload.recompute_from = parameters.dequeue_layers();
    } else {
      throw ConfigError(
          key.place,
          fmt::format("unknown parameter '{}': write model_parallel_NPU_group:, ep:, pp:, vpp:, ga:, "
                      "all_gpus:, pp_comm:, DLRM_LAST_BOTTOM_LAYER:, checkpoints: or checkpoint_initiates:",
                      key.text));
    }
  }
}

// ASTRA-sim reserves this column for the number of a layer to wait for, but does not use it.
void require_reserved(const Word& word) {
  read_number(word, -1, kMostLayers, "reserved number (-1)");
}

Communication read_communication(const Word& exchange, const Word& size) {
  Communication communication = read_exchange(exchange);
  communication.bytes = read_number(size, 0, kMostBytes, "size");
  if (communication.exchange != Exchange::kNone || communication.bytes == 0) return communication;
  throw ConfigError(
      size.place,
      fmt::format("NONE sends no data, but has {} bytes: write 0 bytes, or the name of a collective",
                  communication.bytes));
}

void require_alone(const std::vector<Word>& line) {
  if (line.size() == 1) return;
  throw ConfigError(
      line[1].place,
      fmt::format("'{}' follows the number of layers, which must be alone on its line: remove it",
                  line[1].text));
}

// Reads the parallelism of one layer of a customized workload: data, model, or both.
Parallelism read_layer_parallelism(const Word& word) {
  const Parallelism parallelism = read_parallelism(word);
  switch (parallelism) {
    case Parallelism::kData:
    case Parallelism::kModel:
    case Parallelism::kDataThenModel:
    case Parallelism::kModelThenData:
      return parallelism;
    default:
      break;
  }
  throw ConfigError(
      word.place,
      fmt::format(
          "'{}' is not a layer's parallelism: write DATA, MODEL, HYBRID_DATA_MODEL or HYBRID_MODEL_DATA",
          word.text));
}

// Throws if a collective needs groups that share experts, but the workload does not have them.
void require_expert_group(const Word& exchange, const Communication& communication,
                          const TextWorkload& workload) {
  if (!communication.among) return;
  const bool cut = workload.parallelism == Parallelism::kTransformer ||
                   workload.parallelism == Parallelism::kTransformerRecomputed;
  if (cut && workload.expert_group) return;
  throw ConfigError(exchange.place, fmt::format("{} needs the size of the groups that share experts: write, "
                                                "for example, HYBRID_TRANSFORMER and ep: 8 in the first line",
                                                exchange.text));
}

TextLayer read_layer(const std::vector<Word>& line, const TextWorkload& workload) {
  const Parallelism parallelism = workload.parallelism;
  const bool customized = parallelism == Parallelism::kCustomized;
  const std::size_t words = kWordsOfALayer + (customized ? 1 : 0);
  if (line.size() != words) {
    throw ConfigError(
        line.front().place,
        fmt::format("layer '{}' has {} columns, but a layer needs {}: the name, a reserved column, the "
                    "compute time, collective and bytes of the forward pass, input gradient and weight "
                    "gradient, and the time of the update{}",
                    line.front().text, line.size(), words, customized ? ", and its parallelism" : ""));
  }
  const auto time = [&](std::size_t word) {
    return read_number(line[word], 0, kLongestNs, "time") * kFemtosecondsPerNanosecond;
  };
  const auto pass = [&](std::size_t word) {
    const Communication communication = read_communication(line[word + 1], line[word + 2]);
    require_expert_group(line[word + 1], communication, workload);
    return TextPass{time(word), communication};
  };
  require_reserved(line[1]);
  return {line.front().text, pass(2),
          pass(5),           pass(8),
          time(11),          customized ? read_layer_parallelism(line[kWordsOfALayer]) : parallelism};
}

void require_layer(const Word& place, const TextWorkload& workload, int layer, const char* what) {
  const auto count = static_cast<int>(workload.layers.size());
  if (layer < count) return;
  throw ConfigError(place.place, fmt::format("{} is layer {}, but the layers are numbered 0 to {}", what,
                                             layer, count - 1));
}

void check(const Word& place, const TextWorkload& workload) {
  const bool cut = workload.parallelism == Parallelism::kTransformer ||
                   workload.parallelism == Parallelism::kTransformerRecomputed;
  if (cut && workload.model_group == 0) {
    throw ConfigError(
        place.place,
        fmt::format("{} needs the size of its groups: write, for example, model_parallel_NPU_group: 4",
                    place.text));
  }
  require_layer(place, workload, workload.last_bottom_layer, "the last layer of the bottom MLP");
  for (const int layer : workload.checkpoints) require_layer(place, workload, layer, "a checkpoint");
  for (const int layer : workload.recompute_from) {
    require_layer(place, workload, layer, "a layer of checkpoint_initiates");
    if (std::ranges::any_of(workload.checkpoints, [=](int checkpoint) { return checkpoint <= layer; }))
      continue;
    throw ConfigError(
        place.place,
        fmt::format("layer {} needs a checkpoint at or before it for recomputation, but there is none",
                    layer));
  }
}

}  // namespace

const char* to_string(Exchange exchange) {
  switch (exchange) {
    case Exchange::kNone:
      return "NONE";
    case Exchange::kAllReduce:
      return "ALLREDUCE";
    case Exchange::kAllGather:
      return "ALLGATHER";
    case Exchange::kReduceScatter:
      return "REDUCESCATTER";
    case Exchange::kAllToAll:
      return "ALLTOALL";
  }
  return "?";
}

const char* to_string(Group group) {
  switch (group) {
    case Group::kModel:
      return "model";
    case Group::kData:
      return "data";
    case Group::kExpert:
      return "expert";
    case Group::kExpertData:
      return "expert data";
  }
  return "?";
}

const char* to_string(AllGatherBytes bytes) {
  return bytes == AllGatherBytes::kInput ? "input" : "total";
}

Bytes total_bytes(const Communication& communication, AllGatherBytes counted, int ranks) {
  if (communication.exchange != Exchange::kAllGather || counted == AllGatherBytes::kTotal) {
    return communication.bytes;
  }
  if (communication.bytes <= kMostBytes / ranks) return communication.bytes * ranks;
  throw UnsupportedError(fmt::format(
      "an all-gather of {} bytes from each of {} accelerators gathers more than {} bytes, which is the limit",
      communication.bytes, ranks, kMostBytes));
}

TextWorkload import_text_workload(const std::string& path) {
  const auto lines = read_lines(path);
  if (lines.size() < 2) {
    throw ConfigError({path},
                      "a text workload needs a line with its parallelism, a line with the number of layers, "
                      "and a line per layer");
  }
  TextWorkload workload;
  workload.name = std::filesystem::path(path).stem().string();
  read_header(lines[0], workload);
  const std::int64_t count = read_number(lines[1].front(), 1, kMostLayers, "number of layers");
  require_alone(lines[1]);
  const auto present = static_cast<std::int64_t>(lines.size()) - 2;
  if (count != present) {
    throw ConfigError(lines[1].front().place,
                      fmt::format("the number of layers is {}, but the file has {} layers", count, present));
  }
  for (std::size_t line = 2; line < lines.size(); ++line) {
    workload.layers.push_back(read_layer(lines[line], workload));
  }
  check(lines[0].front(), workload);
  return workload;
}

}  // namespace coppice::workload
