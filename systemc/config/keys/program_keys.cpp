#include "config/keys/key_groups.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "config/document/values.h"
#include "config/keys/idle_keys.h"
#include "config/keys/key_builders.h"
#include "config/settings/shape.h"
#include "schedule/registry.h"

namespace coppice::config {
namespace {

using workload::CollectiveOp;

constexpr Purposes kRunOnly{Purpose::kRun};
constexpr int kMostContexts = 4096;
constexpr double kMostJitter = 1000;

// Whether the run uses contexts. A single collective does not, and its result omits these keys.
bool has_contexts(const Config& config) {
  const bool overlaps = config.training.overlap == workload::Overlap::kLayerWise ||
                        config.training.overlap == workload::Overlap::kBucketed;
  return runs_program(config) || (!config.training.model.empty() && overlaps);
}

void add_context_keys(std::vector<Key>& keys) {
  const auto add = [&](Key key, const char* summary) {
    declare(keys, std::move(key).written_if(has_contexts), summary, kRunOnly, idle_contexts);
  };
  add(integer_key(COPPICE_KEY(system.ni.contexts), 1, kMostContexts),
      "The maximum number of a program's collectives that can be in flight in a network interface.");
  add(enum_key(COPPICE_KEY(system.ni.context_order),
               std::vector{ContextOrder::kRoundRobin, ContextOrder::kPriority, ContextOrder::kFifo})
          .shown_as("priority"),
      "Which of the collectives in flight a port serves first: the next in rotation, the one with the "
      "highest priority, or the one that started first.");
  add(integer_key(COPPICE_KEY(system.ni.table_load), 0, 1'000'000),
      "The number of cycles to load one table entry of a program's collective. Tables take no time if they "
      "were loaded before the run, or if a context still holds them.");
  add(enum_key(COPPICE_KEY(system.ni.early_messages),
               std::vector{EarlyMessages::kHeld, EarlyMessages::kAdded})
          .shown_as("added"),
      "What happens to messages of a collective that the receiver has not joined yet: they are held until "
      "it joins, or added on arrival.");
}

Key jitter_key() {
  Key key;
  key.path = "program.jitter";
  key.schema = value_schema::any_of(
      {value_schema::number(0, kMostJitter), value_schema::list(value_schema::number(0, kMostJitter), 1)});
  key.form = "a number from 0 to 1000, or a list with a number for every rank";
  key.example = "[1, 1.1]";
  key.read = [path = key.path](const Node& value, Config& config) {
    config.program.jitter.clear();
    if (value.kind != Node::Kind::kList) {
      config.program.jitter.push_back(read_number(value, path, 0, kMostJitter));
      return;
    }
    for (const Node& item : value.children) {
      const std::string item_path = fmt::format("{}[{}]", path, config.program.jitter.size());
      config.program.jitter.push_back(read_number(item, item_path, 0, kMostJitter));
    }
    if (config.program.jitter.empty())
      refuse(value, path, "a number, or a list with a number for every rank");
  };
  key.write = [](const Config& config) {
    return config.program.jitter.empty() ? Json() : Json(config.program.jitter);
  };
  return key;
}

Key dependencies_key() {
  static const std::vector<std::string> names{"data", "all"};
  Key key;
  key.path = "program.dependencies";
  key.schema = value_schema::names(names);
  key.example = "all";
  key.form = "data, all";
  key.read = [path = key.path](const Node& value, Config& config) {
    config.program.follow_control = read_name(value, path, names) == "all";
  };
  key.write = [](const Config& config) {
    return config.program.trace.empty() ? Json() : Json(config.program.follow_control ? "all" : "data");
  };
  return key;
}

// The plural for descriptions, such as "all-reduces".
std::string plural_of(CollectiveOp op) {
  std::string name = to_string(op);
  std::ranges::replace(name, '_', '-');
  return name + "s";
}

// Adds the keys that choose the algorithm and the chunks of a program's collectives with one operation.
void add_choice_keys(std::vector<Key>& keys, CollectiveOp op) {
  const std::vector<std::string> algorithms =
      op == CollectiveOp::kAllToAll
          ? all_to_all_algorithms()
          : schedule::algorithms_that([](const auto& info) { return info.make != nullptr; });
  Key algorithm;
  algorithm.path = fmt::format("collectives.{}.algorithm", to_string(op));
  algorithm.schema = value_schema::names(algorithms);
  algorithm.example = op == CollectiveOp::kAllToAll ? "direct" : "ring";
  algorithm.form = fmt::format("{}", fmt::join(algorithms, ", "));
  algorithm.read = [path = algorithm.path, op, algorithms](const Node& value, Config& config) {
    config.program.collectives[op].algorithm = read_name(value, path, algorithms);
  };
  algorithm.write = [op](const Config& config) {
    const auto found = config.program.collectives.find(op);
    return found == config.program.collectives.end() || found->second.algorithm.empty()
               ? Json()
               : Json(found->second.algorithm);
  };
  const std::string their = fmt::format("a program's {}.", plural_of(op));
  declare(keys, std::move(algorithm), "The algorithm of " + their, kRunOnly,
          [op](const Config& config, const Use& /*use*/) { return idle_choice(config, op); });
  Key chunks;
  chunks.path = fmt::format("collectives.{}.chunks", to_string(op));
  chunks.schema = value_schema::or_word("auto", value_schema::integer(1, 1 << 20));
  chunks.example = "8";
  chunks.form = "auto, or a whole number from 1 to 1048576";
  chunks.read = [path = chunks.path, op](const Node& value, Config& config) {
    const bool automatic = value.kind == Node::Kind::kScalar && value.text == "auto";
    config.program.collectives[op].chunks =
        automatic ? schedule::kAutomaticChunks : static_cast<int>(read_integer(value, path, 1, 1 << 20));
  };
  chunks.write = [op](const Config& config) {
    const auto found = config.program.collectives.find(op);
    return found == config.program.collectives.end() || found->second.chunks == 0
               ? Json()
               : Json(found->second.chunks);
  };
  declare(keys, std::move(chunks), "The number of chunks of " + their, kRunOnly,
          [op](const Config& config, const Use&) {
            const std::string idle = idle_choice(config, op);
            return idle.empty() ? idle_chunks(config, op) : idle;
          });
}

}  // namespace

void add_program_keys(std::vector<Key>& keys) {
  declare(keys, file_key(COPPICE_KEY(program.file), "the name of a program (YAML)", "program.yaml"),
          "The program to run (docs/guide/programs.md).", kRunOnly);
  declare(keys,
          file_key(COPPICE_KEY(program.trace), "the name of the Chakra trace files, which contains {rank}",
                   "trace.{rank}.et"),
          "The Chakra traces to run; {rank} in the name stands for the number of the rank.", kRunOnly);
  declare(keys, file_key(COPPICE_KEY(program.groups), "the name of a JSON file of groups", "groups.json"),
          "A JSON file that lists the ranks of a trace's groups, if the trace's metadata does not.", kRunOnly,
          idle_trace);
  declare(keys, dependencies_key(),
          "Which dependencies of a trace node to follow: only data dependencies, or all of them.", kRunOnly,
          idle_trace);
  add_job_keys(keys);
  declare(keys, jitter_key(),
          "A factor by which computation times are multiplied: a single factor for all ranks, or a list with "
          "a factor for each rank.",
          kRunOnly, idle_jitter);
  add_context_keys(keys);
  for (const CollectiveOp op : workload::kNamedCollectives) add_choice_keys(keys, op);
}

}  // namespace coppice::config
