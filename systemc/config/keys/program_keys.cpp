#include "config/keys/program_keys.h"

#include <utility>

#include <fmt/format.h>

#include "config/document/values.h"
#include "config/keys/idle_keys.h"
#include "config/keys/job_keys.h"
#include "config/keys/key_builders.h"
#include "config/settings/shape.h"
#include "schedule/registry.h"

namespace coppice::config {
namespace {

using workload::CollectiveOp;

constexpr Purposes kRunOnly{Purpose::kRun};
constexpr int kMostContexts = 4096;
constexpr double kMostJitter = 1000;

// Values that a single collective does not read are not written to its result.
Key of_programs(Key key) {
  key.write = [write = key.write](const Config& config) {
    const bool overlaps = config.training.overlap == workload::Overlap::kLayerWise ||
                          config.training.overlap == workload::Overlap::kBucketed;
    const bool trains = !config.training.model.empty();
    return runs_program(config) || (trains && overlaps) ? write(config) : Json();
  };
  return key;
}

void add_context_keys(std::vector<Key>& keys) {
  const auto add = [&](Key key, const char* example) {
    key.example = example;
    keys.push_back(unless(with(of_programs(std::move(key)), kRunOnly), idle_contexts));
  };
  add(integer_key(
          "system.ni.contexts", [](auto& c) -> auto& { return c.system.ni.contexts; }, 1, kMostContexts),
      "8");
  add(enum_key<>(
          "system.ni.context_order", [](auto& c) -> auto& { return c.system.ni.context_order; },
          std::vector{ContextOrder::kRoundRobin, ContextOrder::kPriority, ContextOrder::kFifo}),
      "priority");
  add(integer_key(
          "system.ni.table_load", [](auto& c) -> auto& { return c.system.ni.table_load; }, 0, 1'000'000),
      "4");
  add(enum_key<>(
          "system.ni.early_messages", [](auto& c) -> auto& { return c.system.ni.early_messages; },
          std::vector{EarlyMessages::kHeld, EarlyMessages::kAdded}),
      "added");
}

Key jitter_key() {
  Key key;
  key.path = "program.jitter";
  key.schema = value_schema::any_of(
      {value_schema::number(0, kMostJitter), value_schema::list(value_schema::number(0, kMostJitter), 1)});
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
    if (config.program.jitter.empty()) refuse(value, path, "a number, or a list with one for every rank");
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

// Adds the keys for one operation's collectives: algorithm and chunks.
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
  keys.push_back(unless(with(algorithm, kRunOnly),
                        [op](const Config& config, const Use& /*use*/) { return idle_choice(config, op); }));
  Key chunks;
  chunks.path = fmt::format("collectives.{}.chunks", to_string(op));
  chunks.schema = value_schema::or_word("auto", value_schema::integer(1, 1 << 20));
  chunks.example = "8";
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
  keys.push_back(unless(with(chunks, kRunOnly), [op](const Config& config, const Use& /*use*/) {
    const std::string idle = idle_choice(config, op);
    return idle.empty() ? idle_chunks(config, op) : idle;
  }));
}

}  // namespace

void add_program_keys(std::vector<Key>& keys) {
  keys.push_back(with(file_key(
                          "program.file", [](auto& c) -> auto& { return c.program.file; },
                          "the name of a program (YAML)", "program.yaml"),
                      kRunOnly));
  keys.push_back(with(file_key(
                          "program.trace", [](auto& c) -> auto& { return c.program.trace; },
                          "the name of Chakra traces, with {rank} in it", "trace.{rank}.et"),
                      kRunOnly));
  keys.push_back(unless(with(file_key(
                                 "program.groups", [](auto& c) -> auto& { return c.program.groups; },
                                 "the name of a file of groups (JSON)", "groups.json"),
                             kRunOnly),
                        idle_trace));
  keys.push_back(unless(with(dependencies_key(), kRunOnly), idle_trace));
  add_job_keys(keys);
  keys.push_back(unless(with(jitter_key(), kRunOnly), idle_jitter));
  add_context_keys(keys);
  for (const CollectiveOp op : workload::kNamedCollectives) add_choice_keys(keys, op);
}

}  // namespace coppice::config
