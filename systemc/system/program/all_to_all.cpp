#include "system/program/all_to_all.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/index.h"
#include "config/files/file_kind.h"
#include "config/settings/shape.h"
#include "schedule/all_to_all/all_to_all.h"
#include "schedule/automatic/automatic.h"
#include "schedule/files/msccl_file.h"
#include "schedule/files/mscclpp_file.h"
#include "schedule/files/schedule_file.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/proof/contention.h"
#include "schedule/proof/replay.h"
#include "schedule/registry.h"
#include "system/machine/build.h"
#include "system/machine/like_network.h"
#include "system/machine/protocols.h"

namespace coppice::system {
namespace {

using topology::NodeId;

using workload::kElementBytes;
constexpr const char* kUsual = "direct";

// The algorithm, and the configuration key that selects it.
std::pair<std::string, std::string> algorithm_of(const config::Loaded& loaded) {
  const std::string key = "collectives.all_to_all.algorithm";
  const auto chosen = loaded.config.program.collectives.find(workload::CollectiveOp::kAllToAll);
  if (chosen != loaded.config.program.collectives.end() && !chosen->second.algorithm.empty()) {
    return {chosen->second.algorithm, key};
  }
  const workload::CollectiveSpec& own = loaded.config.collective;
  const bool asked = own.op == workload::CollectiveOp::kAllToAll;
  if (asked && config::reads_tables(loaded.config)) return {own.algorithm, "collective.file"};
  const auto known = config::all_to_all_algorithms();
  // If the configured algorithm is not an all-to-all, it was meant for another collective and is ignored.
  const bool named = asked || config::chooses_algorithm(loaded.config);
  if (!named) return {kUsual, key};
  if (std::ranges::find(known, own.algorithm) == known.end()) {
    throw ConfigError(loaded.place("collective.algorithm"),
                      fmt::format("collective.algorithm: {} is not an all-to-all algorithm: write {}",
                                  own.algorithm, fmt::join(known, ", ")));
  }
  return {own.algorithm, "collective.algorithm"};
}

// Whether `chooser`, an algorithm that chooses among others, may choose algorithm `name`. The chooser of a
// communication library considers only all-to-alls of libraries.
bool may_choose(std::string_view chooser, std::string_view name) {
  const auto algorithms = schedule::all_to_all_algorithms();
  const auto found = std::ranges::find(algorithms, name, &schedule::AllToAllAlgorithm::name);
  return schedule::chosen_among(chooser).empty() || (found != algorithms.end() && found->in_libraries);
}

// Numbers the parts into which the schedule divides the blocks. All blocks are divided in the same way.
class BlockParts {
 public:
  explicit BlockParts(const schedule::Schedule& schedule)
      : accelerators_(schedule.accelerators()),
        block_(schedule.size / (Bytes{accelerators_} * accelerators_)) {
    std::set<Bytes> begins{0};
    for (const schedule::NodeTables& node : schedule.nodes) {
      for (const schedule::Table& port : node.ports) {
        port.for_each_entry([&](const schedule::TableEntry& entry) {
          if (entry.op != schedule::Op::kNop) begins.insert(entry.address % block_);
        });
      }
    }
    begins_.assign(begins.begin(), begins.end());
  }

  Bytes count() const { return static_cast<Bytes>(begins_.size()); }
  // The number of a part of the block from `source` to `destination`.
  Bytes number(NodeId source, NodeId destination, Bytes part) const {
    return (Bytes{source} * accelerators_ + destination) * count() + part;
  }
  // The range of numbers of the parts that begin in [address, address + bytes).
  std::pair<Bytes, Bytes> range(Bytes address, Bytes bytes) const {
    return {first(address), first(address + bytes)};
  }

 private:
  Bytes first(Bytes address) const {
    const auto at = std::ranges::lower_bound(begins_, address % block_);
    return address / block_ * count() + (at - begins_.begin());
  }

  int accelerators_;
  Bytes block_;
  std::vector<Bytes> begins_;
};

// The memory of one accelerator. For each part of a block, it stores only the accelerator that the data comes
// from.
class BlockMemory final : public ni::GradientMemory {
 public:
  BlockMemory(const BlockParts& parts, NodeId self, int accelerators) : parts_(parts) {
    for (NodeId to = 0; to < accelerators; ++to) {
      for (Bytes part = 0; part < parts.count(); ++part) marks_[parts.number(self, to, part)] = mark(self);
    }
  }
  static std::uint64_t mark(NodeId source) { return static_cast<std::uint64_t>(source) + 1; }

  void read(Bytes address, Bytes bytes, ni::Payload& into) const override {
    into.clear();
    const auto [first, end] = parts_.range(address, bytes);
    for (Bytes number = first; number < end; ++number) into.contributions.push_back(holds(number));
  }
  void reduce(Bytes address, Bytes, const ni::Payload&) override {
    throw ModelError(fmt::format("all-to-all: data is added to block {}, but an all-to-all must not add",
                                 parts_.range(address, 0).first / parts_.count()));
  }
  void store(Bytes address, Bytes bytes, const ni::Payload& payload) override {
    Bytes number = parts_.range(address, bytes).first;
    for (const std::uint64_t source : payload.contributions) marks_[number++] = source;
  }
  std::uint64_t holds(Bytes number) const {
    const auto found = marks_.find(number);
    return found == marks_.end() ? 0 : found->second;
  }

 private:
  const BlockParts& parts_;
  std::unordered_map<Bytes, std::uint64_t> marks_;
};

class BlockVerification final : public Verification {
 public:
  explicit BlockVerification(const schedule::Schedule& schedule)
      : accelerators_(schedule.accelerators()), parts_(schedule) {
    for (NodeId node = 0; node < accelerators_; ++node) memories_.emplace_back(parts_, node, accelerators_);
  }
  ni::GradientMemory& memory(NodeId node) override { return memories_[index(node)]; }
  void verify() const override {
    for (NodeId node = 0; node < accelerators_; ++node) {
      for (NodeId source = 0; source < accelerators_; ++source) {
        for (Bytes part = 0; part < parts_.count(); ++part) verify(node, source, part);
      }
    }
  }
  const char* name() const override { return "contributions"; }

 private:
  void verify(NodeId node, NodeId source, Bytes part) const {
    const std::uint64_t held = memories_[index(node)].holds(parts_.number(source, node, part));
    if (held == BlockMemory::mark(source)) return;
    const std::string where = parts_.count() > 1 ? fmt::format("part {} of ", part) : "";
    throw ModelError(fmt::format("wrong block: accelerator {} holds {} instead of {}the block from {}", node,
                                 held == 0 ? "nothing" : fmt::format("the block from {}", held - 1), where,
                                 source));
  }

  int accelerators_;
  BlockParts parts_;
  std::vector<BlockMemory> memories_;
};

// Proves that the messages of every block form a path from its source to its destination, and that each
// message is sent after the previous one has arrived. If blocks are divided, each of their `parts` parts has
// such a path.
void prove_ways(const schedule::Schedule& schedule, const std::vector<schedule::Message>& messages,
                int parts) {
  const int n = schedule.accelerators();
  // [flow]: the accelerator that holds the data, and the round in which the data arrived there.
  std::vector<std::pair<NodeId, std::int32_t>> at;
  for (NodeId source = 0; source < n; ++source) at.insert(at.end(), index(n * parts), {source, -1});
  std::vector<const schedule::Message*> order;
  for (const schedule::Message& message : messages) order.push_back(&message);
  std::ranges::stable_sort(order, {}, [](const schedule::Message* message) { return message->round; });
  for (const schedule::Message* message : order) {
    auto& [place, since] = at[static_cast<std::size_t>(message->entry->flow)];
    if (place != message->src || since >= message->round) {
      throw ModelError(
          fmt::format("all-to-all: {}: the accelerator does not hold the block, which is at accelerator {}",
                      schedule::place_of(*message), place));
    }
    place = message->dst;
    since = message->round;
  }
  for (std::size_t flow = 0; flow < at.size(); ++flow) {
    const std::size_t block = flow / index(parts);
    if (index(at[flow].first) == block % index(n)) continue;
    throw ModelError(
        fmt::format("all-to-all: block {} ends at the wrong accelerator, {}", block, at[flow].first));
  }
}

// Checks a schedule. If `parts` is positive, flows are equal parts of blocks and their paths are proven.
// Flows from a file are arbitrary chunks, so their data is verified only after the run.
CheckedSchedule checked(const topology::Topology& topology, schedule::Schedule schedule, int parts) {
  CheckedSchedule result;
  result.schedule = std::move(schedule);
  try {
    std::vector<schedule::Message> messages = schedule::collect_messages(topology, result.schedule);
    schedule::replay(result.schedule, messages);
    if (parts > 0) prove_ways(result.schedule, messages, parts);
    schedule::find_contention(topology, result.schedule, messages, result.report);
  } catch (const schedule::ScheduleError& error) {
    throw ModelError(
        fmt::format("the schedule of '{}' fails the check: {}", result.schedule.algorithm, error.what()));
  }
  result.report.additions.assign(static_cast<std::size_t>(result.schedule.flows), 0);
  return result;
}

schedule::Schedule read_all_to_all(const config::Loaded& loaded, const topology::Topology& topology,
                                   const schedule::CompileRequest& request) {
  const std::string& file = loaded.config.collective.file;
  const SourceLocation place = loaded.place("collective.file");
  std::string text;
  try {
    text = schedule::read_schedule_text(file);
  } catch (const UnsupportedError& error) {
    throw ConfigError(place, fmt::format("collective.file: {}", error.what()));
  }
  const bool plan = schedule::looks_like_plan(text);
  if (!plan && !schedule::looks_like_xml(text)) {
    config::refuse_other_kind(file, {config::FileKind::kSchedule});
    throw ConfigError(place, fmt::format("collective.file: the file of an all-to-all must be MSCCL XML or an "
                                         "MSCCL++ plan, but {} is neither",
                                         file));
  }
  const std::string held =
      plan ? schedule::plan_collective(text, file) : schedule::msccl_collective(text, file);
  if (held != "all_to_all") {
    throw ConfigError(
        loaded.place("collective.op"),
        fmt::format("collective.op is all_to_all, but {} is for {}: write {}", file, held, held));
  }
  return plan ? schedule::parse_plan(text, file, topology, request)
              : schedule::parse_msccl(text, file, topology, request);
}

}  // namespace

Bytes all_to_all_block(Bytes bytes, int accelerators) {
  const Bytes elements = (bytes + kElementBytes - 1) / kElementBytes;
  return (elements + accelerators - 1) / accelerators * kElementBytes;
}

CheckedSchedule compile_all_to_all(const config::Loaded& loaded, const topology::Topology& topology,
                                   const topology::RoutingFunction& routing, Bytes bytes) {
  const int n = topology.num_accelerators();
  const Bytes block = all_to_all_block(bytes, n);
  const auto found = algorithm_of(loaded);
  const std::string& algorithm = found.first;
  const std::string& key = found.second;
  schedule::CompileRequest request;
  request.collective = topology::Collective::kAllGather;
  request.size = block * n * n;
  request.ni_ports = resolve_ni_ports(loaded.config, topology);
  request.routing = &routing;
  if (key == "collective.file") return checked(topology, read_all_to_all(loaded, topology, request), 0);
  const schedule::AllToAllAlgorithm* const chosen = schedule::find_algorithm(algorithm)->exchange;
  const LikeNetwork like(loaded, topology, routing, request.ni_ports);
  request.routing = &like.routing();
  const auto compile = [&](const ProtocolChoice& by, bool timed) {
    schedule::CompileRequest own = request;
    own.timing = step_timing(loaded.config.system, by.protocol);
    TimedSchedule compiled;
    if (chosen == nullptr) {
      const auto tried = [&](std::string_view name) {
        return may_choose(algorithm, name) && by.serves(name);
      };
      schedule::AutomaticChoice choice = schedule::choose_all_to_all(like.topology(), own, tried);
      compiled = {std::move(choice.schedule), std::move(choice.expected)};
      if (!compiled.expected.empty()) compiled.time = compiled.expected.front().time;
    } else {
      compiled.schedule = schedule::compile_all_to_all(like.topology(), own, *chosen);
    }
    if (timed && compiled.time == 0) {
      compiled.time = schedule::expected_time(like.topology(), own, compiled.schedule);
    }
    return compiled;
  };
  const auto choices = protocol_choices(
      loaded.config.system,
      {.operation = to_string(workload::CollectiveOp::kAllToAll), .bytes = bytes, .ranks = n});
  TimedSchedule compiled;
  try {
    compiled = choose_protocol(choices, loaded.config.system.ni.launch,
                               chosen == nullptr ? std::string() : algorithm, compile);
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place(key), fmt::format("{}: {}", key, error.what()));
  }
  const int parts = compiled.schedule.flows / (n * n);
  CheckedSchedule result = checked(topology, like.adopt_blocks(std::move(compiled.schedule)), parts);
  result.expected = std::move(compiled.expected);
  return result;
}

std::unique_ptr<Verification> make_all_to_all_verification(const schedule::Schedule& schedule) {
  return std::make_unique<BlockVerification>(schedule);
}

}  // namespace coppice::system
