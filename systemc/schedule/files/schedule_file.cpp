#include "schedule/files/schedule_file.h"

#include <array>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/input_file.h"
#include "schedule/files/json_reader.h"

namespace coppice::schedule {
namespace {

using nlohmann::json;

constexpr Bytes kMostBytes = Bytes{1} << 40;
constexpr const char* kSchema = "coppice.schedule/1";

constexpr std::array kCollectives{Named{"all_reduce", Collective::kAllReduce},
                                  Named{"reduce_scatter", Collective::kReduceScatter},
                                  Named{"all_gather", Collective::kAllGather}};
constexpr std::array kOps{Named{"reduce", Op::kReduce}, Named{"gather", Op::kGather}, Named{"nop", Op::kNop}};

class ScheduleReader : JsonReader {
 public:
  ScheduleReader(std::string_view text, const std::string& file, std::string_view topology)
      : JsonReader(text, file), topology_(topology) {}

  Schedule read() {
    const json document = parse();
    return read_schedule({document, ""});
  }

 private:
  // Requires that the file is for the same network, because tables refer to nodes and ports by number.
  void require_topology(const Value& file) const {
    if (topology_.empty() || !file.json_value.contains("topology")) return;
    const Value name = field(file, "topology");
    if (text(name) == topology_) return;
    refuse(name, fmt::format("the tables are for {}, but the system is {}: use a schedule made for this "
                             "system, or the file's topology",
                             text(name), topology_));
  }

  Schedule read_schedule(const Value& file) const {
    require_keys(file, {"schema", "algorithm", "collective", "topology", "size", "copies", "element", "steps",
                        "least_steps", "flows", "ordered_by_lockstep", "numbered_arrivals", "contention_free",
                        "shared", "shares", "routes", "ni_overhead", "nodes"});
    const Value schema = field(file, "schema");
    if (text(schema) != kSchema) refuse(schema, fmt::format("must be {}", kSchema));
    Schedule schedule;
    schedule.algorithm = text(field(file, "algorithm"));
    if (schedule.algorithm.empty())
      refuse(field(file, "algorithm"), "must not be empty: results show it as the algorithm's name");
    require_topology(file);
    schedule.collective = one_of(field(file, "collective"), kCollectives);
    schedule.size = integer(field(file, "size"), 1, kMostBytes);
    if (file.json_value.contains("copies")) schedule.copies = int32(field(file, "copies"), 1);
    schedule.element = integer(field(file, "element"), 1, 64);
    schedule.steps = int32(field(file, "steps"), 0);
    schedule.flows = int32(field(file, "flows"), 0);
    schedule.ordered_by_lockstep = flag(field(file, "ordered_by_lockstep"));
    if (file.json_value.contains("numbered_arrivals"))
      schedule.numbered_arrivals = flag(field(file, "numbered_arrivals"));
    if (file.json_value.contains("shares")) read_shares(list(file, "shares"), schedule);
    read_routes(list(file, "routes"), schedule);
    read_nodes(list(file, "nodes"), schedule);
    return schedule;
  }

  void read_shares(const Value& shares, Schedule& schedule) const {
    for (std::size_t i = 0; i < shares.json_value.size(); ++i) {
      const Value share = element(shares, i);
      require_keys(share, {"owner", "address", "bytes"});
      schedule.shares.push_back({{integer(field(share, "address"), 0, schedule.size),
                                  integer(field(share, "bytes"), 0, schedule.size)},
                                 int32(field(share, "owner"), 0)});
    }
  }

  void read_routes(const Value& routes, Schedule& schedule) const {
    for (std::size_t r = 0; r < routes.json_value.size(); ++r) {
      const Value hops = as_list(element(routes, r));
      topology::Route route;
      for (std::size_t h = 0; h < hops.json_value.size(); ++h) {
        const Value hop = element(hops, h);
        require_keys(hop, {"out_port", "vcs"});
        const Value vcs = list(hop, "vcs");
        if (vcs.json_value.size() != 2) refuse(vcs, "must be [first, end], a range of virtual channels");
        const auto vc = [&](std::size_t i) {
          return static_cast<std::uint8_t>(
              integer(element(vcs, i), 0, std::numeric_limits<std::uint8_t>::max()));
        };
        const auto port = integer(field(hop, "out_port"), 0, std::numeric_limits<std::uint16_t>::max());
        route.push_back({static_cast<std::uint16_t>(port), {vc(0), vc(1)}});
      }
      schedule.routes.push_back(std::move(route));
    }
  }

  void read_nodes(const Value& nodes, Schedule& schedule) const {
    for (std::size_t n = 0; n < nodes.json_value.size(); ++n) {
      const Value node = element(nodes, n);
      require_keys(node, {"ports"});
      const Value ports = list(node, "ports");
      NodeTables tables;
      for (std::size_t p = 0; p < ports.json_value.size(); ++p) {
        const Value entries = as_list(element(ports, p));
        auto& table = tables.ports.emplace_back();
        for (std::size_t e = 0; e < entries.json_value.size(); ++e)
          table.push_back(read_entry(element(entries, e), schedule));
      }
      schedule.nodes.push_back(std::move(tables));
    }
  }

  TableEntry read_entry(const Value& at, const Schedule& schedule) const {
    require_keys(at, {"op", "step", "bytes", "flow", "parent", "children", "dependencies", "arrival",
                      "padding", "address", "route"});
    TableEntry entry;
    entry.op = one_of(field(at, "op"), kOps);
    entry.step = int32(field(at, "step"), 1);
    entry.bytes = integer(field(at, "bytes"), 0, kMostBytes);
    if (entry.op == Op::kNop) return entry;
    entry.flow = int32(field(at, "flow"), 0);
    const Value parent = field(at, "parent");
    entry.parent = parent.json_value.is_null() ? topology::kNoNode : int32(parent, 0);
    const Value children = list(at, "children");
    for (std::size_t c = 0; c < children.json_value.size(); ++c)
      entry.children.push_back(int32(element(children, c), 0));
    if (entry.op == Op::kReduce && parent.json_value.is_null())
      refuse(parent, "a reduce must have a parent to send to");
    if (entry.op == Op::kGather && entry.children.size() != 1)
      refuse(children, fmt::format("a gather must have one child, not {}", entry.children.size()));
    entry.dependencies = int32(field(at, "dependencies"), 0);
    if (schedule.numbered_arrivals) entry.arrival = int32(field(at, "arrival"), 0);
    if (at.json_value.contains("padding")) entry.padding = int32(field(at, "padding"), 0);
    entry.address = integer(field(at, "address"), 0, kMostBytes);
    entry.route = int32(field(at, "route"), 0);
    return entry;
  }

  std::string_view topology_;
};

}  // namespace

Schedule parse_schedule(std::string_view text, const std::string& file, std::string_view topology) {
  return ScheduleReader(text, file, topology).read();
}

std::string read_schedule_text(const std::string& path) {
  try {
    return read_input_file(path);
  } catch (const UnreadableError& error) {
    throw UnsupportedError(fmt::format("'{}' cannot be read: {}", path, error.what()));
  }
}

AlgorithmInfo tables_from_a_file() {
  return {.name = "file",
          .summary =
              "tables read from collective.file: JSON as printed by coppice schedule, MSCCL XML, MSCCL++ "
              "plans or TACOS CSV",
          .chunking = Chunking::kGiven,
          .from_file = true};
}

}  // namespace coppice::schedule
