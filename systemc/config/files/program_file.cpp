#include "config/files/program_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "config/document/document.h"
#include "config/document/nearest.h"
#include "config/document/values.h"
#include "config/files/file_kind.h"

namespace coppice::config {
namespace {

using workload::CollectiveOp;
using workload::Program;
using workload::Purpose;

constexpr int kMostRanks = 1 << 20;
constexpr int kMostIterations = 1'000'000;
constexpr Femtoseconds kLongest = 1000 * kFemtosecondsPerSecond;
constexpr Bytes kMostBytes = Bytes{1} << 40;

const std::vector<std::pair<std::string, CollectiveOp>>& collective_ops() {
  static const std::vector<std::pair<std::string, CollectiveOp>> all = [] {
    std::vector<std::pair<std::string, CollectiveOp>> named;
    using enum CollectiveOp;
    for (const CollectiveOp op :
         {kAllReduce, kReduceScatter, kAllGather, kBroadcast, kReduce, kAllToAll, kBarrier}) {
      named.emplace_back(workload::to_string(op), op);
    }
    return named;
  }();
  return all;
}

const Node* find(const Node& map, const std::string& name) {
  const auto found = std::ranges::find(map.children, name, &Node::name);
  return found == map.children.end() ? nullptr : &*found;
}

void require_known(const Node& map, const std::string& path, const std::vector<std::string>& known) {
  for (const Node& child : map.children) {
    if (std::ranges::find(known, child.name) != known.end()) continue;
    throw ConfigError(child.name_place, fmt::format("{} has no key '{}'; did you mean '{}'?", path,
                                                    child.name, nearest(child.name, known)));
  }
}

class ProgramReader {
 public:
  explicit ProgramReader(const Node& root) : root_(root) {}

  Program read() {
    require_known(root_, "a program",
                  {"name", "ranks", "groups", "placement", "iterations", "carry", "operations"});
    if (const Node* name = find(root_, "name")) program_.name = read_text(*name, "name", "a string");
    const Node* const ranks = find(root_, "ranks");
    if (ranks == nullptr) throw ConfigError(root_.place, "ranks is missing: add it, for example 'ranks: 4'");
    num_ranks_ = static_cast<int>(read_integer(*ranks, "ranks", 1, kMostRanks));
    program_.ranks.resize(static_cast<std::size_t>(num_ranks_));
    if (const Node* placement = find(root_, "placement")) {
      program_.placement = read_integers(*placement, "placement", 0, kMostRanks);
    }
    if (const Node* groups = find(root_, "groups")) read_groups(*groups);
    const Node* const operations = find(root_, "operations");
    if (operations == nullptr || operations->kind != Node::Kind::kList) {
      throw ConfigError(operations == nullptr ? root_.place : operations->place,
                        "operations must be a list, such as [{name: sum, all_reduce: 64 KiB}]");
    }
    if (const Node* iterations = find(root_, "iterations")) {
      iterations_ = static_cast<int>(read_integer(*iterations, "iterations", 1, kMostIterations));
    }
    read_carry();
    for (int i = 0; i < iterations_; ++i) {
      for (std::size_t n = 0; n < operations->children.size(); ++n) {
        read_operation(operations->children[n], fmt::format("operations[{}]", n), i);
      }
      if (i + 1 == iterations_) break;
      before_ = std::exchange(parts_, {});
    }
    return std::move(program_);
  }

 private:
  // [rank]: the index of the operation that one entry of the list specifies for the rank.
  using Parts = std::map<int, std::int32_t>;

  std::vector<int> all() const {
    std::vector<int> ranks(static_cast<std::size_t>(num_ranks_));
    for (int rank = 0; rank < num_ranks_; ++rank) ranks[static_cast<std::size_t>(rank)] = rank;
    return ranks;
  }

  std::vector<int> read_ranks(const Node& value, const std::string& path) const {
    if (value.kind == Node::Kind::kScalar && value.text == "all") return all();
    if (value.kind == Node::Kind::kScalar) {
      return {static_cast<int>(read_integer(value, path, 0, num_ranks_ - 1))};
    }
    return read_integers(value, path, 0, num_ranks_ - 1);
  }

  void read_groups(const Node& groups) {
    if (groups.kind != Node::Kind::kMap)
      refuse(groups, "groups", "a section that maps group names to lists of ranks");
    for (const Node& group : groups.children) {
      program_.groups.push_back({group.name, read_ranks(group, "groups." + group.name)});
    }
  }

  void read_carry() {
    const Node* const carry = find(root_, "carry");
    if (carry == nullptr) return;
    carry_.emplace();
    for (const std::string& name : read_names(*carry, "carry")) carry_->insert(name);
  }

  static std::vector<std::string> read_names(const Node& value, const std::string& path) {
    const std::string expected = "the name of an operation, or a list of such names";
    std::vector<std::string> names;
    if (value.kind == Node::Kind::kScalar) return {read_text(value, path, expected)};
    if (value.kind != Node::Kind::kList) refuse(value, path, expected);
    for (const Node& item : value.children) names.push_back(read_text(item, path, expected));
    return names;
  }

  // Reads the name of a group, which may be `all`, and returns the group's index.
  int read_group(const Node& operation, const std::string& path) {
    const Node* value = find(operation, "group");
    if (value == nullptr) value = find(operation, "barrier");
    const std::string name =
        value == nullptr ? "all" : read_text(*value, path + ".group", "the name of a group, or all");
    for (std::size_t g = 0; g < program_.groups.size(); ++g) {
      if (program_.groups[g].name == name) return static_cast<int>(g);
    }
    if (name != "all") {
      std::vector<std::string> names{"all"};
      for (const auto& group : program_.groups) names.push_back(group.name);
      throw ConfigError(value->place, fmt::format("{}.group: unknown group '{}'; did you mean '{}'?", path,
                                                  name, nearest(name, names)));
    }
    program_.groups.push_back({"all", all()});
    return static_cast<int>(program_.groups.size()) - 1;
  }

  static Bytes read_size(const Node& value, const std::string& path) {
    return read_quantity(value, path, parse_bytes, format_bytes, Bytes{0}, kMostBytes);
  }

  static std::string text_of(const Node& operation, const char* name, const std::string& path) {
    const Node* const value = find(operation, name);
    return value == nullptr ? std::string() : read_text(*value, fmt::format("{}.{}", path, name), "a string");
  }

  void read_operation(const Node& entry, const std::string& path, int iteration) {
    if (entry.kind != Node::Kind::kMap)
      refuse(entry, path, "a section such as {name: sum, all_reduce: 64 KiB}");
    std::vector<std::string> works{"compute", "read", "write", "send"};
    for (const auto& [name, op] : collective_ops()) works.push_back(name);
    std::vector<std::string> known{"name", "rank", "after",    "kind", "group",
                                   "from", "to",   "priority", "root", "purpose"};
    known.insert(known.end(), works.begin(), works.end());
    require_known(entry, path, known);
    const Node* work = nullptr;
    for (const Node& child : entry.children) {
      if (std::ranges::find(works, child.name) == works.end()) continue;
      if (work != nullptr) {
        throw ConfigError(child.name_place, fmt::format("{} has two actions, {} and {}: write two operations",
                                                        path, work->name, child.name));
      }
      work = &child;
    }
    if (work == nullptr) {
      throw ConfigError(entry.place,
                        fmt::format("{} has no action: add one of {}", path, fmt::join(works, ", ")));
    }
    std::string name = text_of(entry, "name", path);
    if (name.empty()) name = fmt::format("{} {}", work->name, path);
    if (parts_.contains(name)) {
      throw ConfigError(
          entry.place, fmt::format("{}: another operation already has the name '{}': choose a different name",
                                   path, name));
    }
    parts_[name] = add(entry, *work, path, name, iteration);
  }

  Parts add(const Node& entry, const Node& work, const std::string& path, const std::string& name,
            int iteration) {
    const auto op =
        std::ranges::find(collective_ops(), work.name, &std::pair<std::string, CollectiveOp>::first);
    if (op != collective_ops().end()) return add_collective(entry, work, path, name, iteration, op->second);
    if (work.name == "send") return add_transfer(entry, work, path, name, iteration);
    const Node* const rank = find(entry, "rank");
    Parts parts;
    for (const int r : rank == nullptr ? all() : read_ranks(*rank, path + ".rank")) {
      decltype(workload::Operation::work) done;
      if (work.name == "compute") {
        done = read_compute(entry, work, path);
      } else {
        done = workload::MemoryAccess{read_size(work, path + "." + work.name), work.name == "write"};
      }
      parts[r] = append(r, {name, done, {}, iteration}, entry, path);
    }
    return parts;
  }

  static workload::Compute read_compute(const Node& entry, const Node& work, const std::string& path) {
    workload::Compute compute;
    if (work.kind == Node::Kind::kMap) {
      require_known(work, path + ".compute", {"operations", "bytes"});
      constexpr double kMost = 1e24;
      if (const Node* value = find(work, "operations")) {
        compute.operations = read_number(*value, path + ".compute.operations", 0, kMost);
      }
      if (const Node* value = find(work, "bytes")) {
        compute.bytes = static_cast<double>(read_size(*value, path + ".compute.bytes"));
      }
    } else {
      compute.duration =
          read_quantity(work, path + ".compute", parse_duration, format_duration, Femtoseconds{0}, kLongest);
    }
    const Node* const purpose = find(entry, "purpose");
    if (purpose == nullptr) return compute;
    std::vector<std::string> names;
    using enum Purpose;
    for (const Purpose known : {kForward, kInputGradient, kWeightGradient, kRecomputation, kUpdate, kOther}) {
      names.emplace_back(workload::to_string(known));
      if (names.back() == purpose->text) compute.purpose = known;
    }
    read_name(*purpose, path + ".purpose", names);
    return compute;
  }

  Parts add_collective(const Node& entry, const Node& work, const std::string& path, const std::string& name,
                       int iteration, CollectiveOp op) {
    workload::GroupCollective collective;
    collective.name = name;
    collective.op = op;
    collective.group = read_group(entry, path);
    if (op != CollectiveOp::kBarrier) collective.bytes = read_size(work, path + "." + work.name);
    collective.kind = text_of(entry, "kind", path);
    const auto& group = program_.groups[static_cast<std::size_t>(collective.group)].ranks;
    if (const Node* root = find(entry, "root")) {
      const auto rank = read_integer(*root, path + ".root", 0, num_ranks_ - 1);
      const auto place = std::ranges::find(group, static_cast<int>(rank));
      if (place == group.end()) {
        throw ConfigError(root->place, fmt::format("{}.root: rank {} is not in the group", path, rank));
      }
      collective.root = static_cast<int>(place - group.begin());
    }
    if (const Node* priority = find(entry, "priority")) {
      collective.priority =
          static_cast<int>(read_integer(*priority, path + ".priority", -1'000'000, 1'000'000));
    }
    program_.collectives.push_back(collective);
    const workload::JoinCollective join{static_cast<std::int32_t>(program_.collectives.size()) - 1};
    Parts parts;
    for (const int rank : std::vector<int>(group)) {
      parts[rank] = append(rank, {name, join, {}, iteration}, entry, path);
    }
    return parts;
  }

  Parts add_transfer(const Node& entry, const Node& work, const std::string& path, const std::string& name,
                     int iteration) {
    const auto end = [&](const char* key) {
      const Node* const value = find(entry, key);
      if (value == nullptr)
        throw ConfigError(entry.place,
                          fmt::format("{}.{} is missing: write the number of a rank", path, key));
      return static_cast<int>(read_integer(*value, fmt::format("{}.{}", path, key), 0, num_ranks_ - 1));
    };
    workload::Transfer transfer;
    transfer.name = name;
    transfer.source = end("from");
    transfer.destination = end("to");
    if (transfer.source == transfer.destination) {
      throw ConfigError(
          entry.place,
          fmt::format("{} sends data from rank {} to itself: write different ranks", path, transfer.source));
    }
    transfer.bytes = read_size(work, path + ".send");
    transfer.kind = text_of(entry, "kind", path);
    program_.transfers.push_back(transfer);
    const auto number = static_cast<std::int32_t>(program_.transfers.size()) - 1;
    Parts parts;
    parts[transfer.source] =
        append(transfer.source, {name, workload::Send{number}, {}, iteration}, entry, path);
    parts[transfer.destination] =
        append(transfer.destination, {name, workload::Receive{number}, {}, iteration}, entry, path);
    return parts;
  }

  // Appends the operation that an entry specifies for a rank. It waits for the rank's operations from the
  // entries in `after`, and for those from the previous iteration.
  std::int32_t append(int rank, workload::Operation operation, const Node& entry, const std::string& path) {
    if (const Node* after = find(entry, "after")) {
      for (const std::string& name : read_names(*after, path + ".after")) {
        const auto found = parts_.find(name);
        if (found == parts_.end()) {
          std::vector<std::string> names;
          for (const auto& [known, parts] : parts_) names.push_back(known);
          throw ConfigError(
              after->place,
              names.empty() ? fmt::format("{}.after: no operation precedes this one", path)
                            : fmt::format("{}.after: no operation '{}' precedes this one; did you mean '{}'?",
                                          path, name, nearest(name, names)));
        }
        if (const auto part = found->second.find(rank); part != found->second.end()) {
          operation.after.push_back(part->second);
        }
      }
    }
    for (const auto& [name, parts] : before_) {
      if (carry_ && !carry_->contains(name)) continue;
      if (const auto part = parts.find(rank); part != parts.end()) operation.after.push_back(part->second);
    }
    auto& operations = program_.ranks[static_cast<std::size_t>(rank)].operations;
    operations.push_back(std::move(operation));
    return static_cast<std::int32_t>(operations.size()) - 1;
  }

  const Node& root_;
  Program program_;
  int num_ranks_ = 0;
  int iterations_ = 1;
  std::optional<std::set<std::string>> carry_;
  std::map<std::string, Parts> parts_;   // [name of an entry]: its operations in this iteration
  std::map<std::string, Parts> before_;  // [name of an entry]: its operations in the previous iteration
};

}  // namespace

workload::Program read_program_file(const std::string& path) {
  return read_as({FileKind::kProgram}, path, [&] {
    const Node root = read_document(path);
    workload::Program program = ProgramReader(root).read();
    try {
      workload::check_program(program);
    } catch (const UnsupportedError& error) {
      throw ConfigError(root.place, error.what());
    }
    return program;
  });
}

}  // namespace coppice::config
