#include "config/keys/dimensions.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/usable_bandwidth.h"
#include "config/document/entry_fields.h"
#include "config/document/nearest.h"
#include "config/document/values.h"
#include "config/files/astra_network.h"
#include "config/keys/key_builders.h"
#include "config/settings/link_limits.h"
#include "config/settings/shape.h"
#include "schedule/compile/compiler.h"
#include "schedule/compile/latency_model.h"

namespace coppice::config {
namespace {

using topology::DimensionKind;
using topology::DimensionSpec;

constexpr const char* kPath = "system.topology.dimensions";
constexpr std::size_t kMostDimensions = 16;

constexpr std::array<DimensionKind, 3> kKinds{DimensionKind::kRing, DimensionKind::kFullyConnected,
                                              DimensionKind::kSwitch};

std::string path_of(std::size_t d) {
  return fmt::format("{}[{}]", kPath, d);
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const DimensionKind kind : kKinds) names.emplace_back(to_string(kind));
  return names;
}

DimensionKind read_kind(const Node& value, const std::string& path) {
  const std::string name = read_name(value, path, kind_names());
  return *std::ranges::find(kKinds, name, [](DimensionKind kind) { return std::string(to_string(kind)); });
}

const Fields<DimensionSpec>& dimension_fields() {
  constexpr int kMost = 1 << 20;
  static const Fields<DimensionSpec> fields{
      {"kind", value_schema::names(kind_names()),
       [](const Node& v, const std::string& p, DimensionSpec& d) { d.kind = read_kind(v, p); }},
      {"size", value_schema::integer(2, kMost),
       [](const Node& v, const std::string& p, DimensionSpec& d) {
         d.size = static_cast<int>(read_integer(v, p, 2, kMost));
       }},
      {"links", value_schema::integer(1, kMost),
       [](const Node& v, const std::string& p, DimensionSpec& d) {
         d.links = static_cast<int>(read_integer(v, p, 1, kMost));
       }},
      {"bandwidth", value_schema::quantity(parse_bandwidth),
       [](const Node& v, const std::string& p, DimensionSpec& d) {
         d.bandwidth = read_quantity(v, p, parse_bandwidth, format_bandwidth, Bandwidth{1'000},
                                     Bandwidth{100'000'000'000'000});
       }},
      {"latency", duration_schema(),
       [](const Node& v, const std::string& p, DimensionSpec& d) {
         d.latency =
             read_quantity(v, p, parse_duration, format_duration, Femtoseconds{0}, kFemtosecondsPerSecond);
       }},
      {"in_network", value_schema::flag(),
       [](const Node& v, const std::string& p, DimensionSpec& d) { d.in_network = read_flag(v, p); }},
  };
  return fields;
}

// The schema of the three forms: a list of dimensions, the name of a network file, and a section with such a
// name and settings that the file does not specify.
Json dimensions_schema() {
  const std::vector<std::string> ways{"one_way", "both_ways"};
  return value_schema::any_of(
      {entries_schema(dimension_fields(), {"kind", "size", "bandwidth", "latency"}, 1), value_schema::text(),
       value_schema::section({{"file", value_schema::text()}, {"rings", value_schema::names(ways)}},
                             {"file"})});
}

// Throws if a ring does not set its number of links. This number determines the ring's directions, which must
// not depend on a default.
void settle_ring(const Node& value, const std::string& path, DimensionSpec& dimension) {
  if (dimension.kind != DimensionKind::kRing) return;
  if (std::ranges::find(value.children, "links", &Node::name) == value.children.end()) {
    throw ConfigError(value.place,
                      fmt::format("{}.links is missing: write 2 for a ring with a link to each neighbour, a "
                                  "larger even number for more links, or 1 for a one-way ring",
                                  path));
  }
  if (dimension.links == 1) dimension.kind = DimensionKind::kOneWayRing;
}

// Reads a network file with options, such as {file: network.yml, rings: both_ways}.
AstraNetwork read_network(const Node& value) {
  std::string file;
  RingDirections ways = RingDirections::kOne;
  for (const Node& part : value.children) {
    const std::string path = fmt::format("{}.{}", kPath, part.name);
    if (part.name == "file") {
      file = read_file_name(part, path, "the name of an ASTRA-sim network file");
    } else if (part.name == "rings") {
      const std::vector<std::string> names{"one_way", "both_ways"};
      ways = read_name(part, path, names) == "both_ways" ? RingDirections::kBoth : RingDirections::kOne;
    } else {
      const std::vector<std::string> names{"file", "rings"};
      throw ConfigError(part.name_place, fmt::format("unknown key '{}'; did you mean '{}.{}'?", path, kPath,
                                                     nearest(part.name, names)));
    }
  }
  if (file.empty()) {
    throw ConfigError(value.place,
                      fmt::format("{} needs a list of dimensions, or {{file: network.yml}}", kPath));
  }
  return read_astra_network(file, ways);
}

DimensionSpec read_dimension(const Node& value, const std::string& path) {
  auto dimension = read_entry(value, path, dimension_fields(),
                              "a section with kind, size, links, bandwidth, latency, in_network");
  for (const char* name : {"kind", "size", "bandwidth", "latency"}) {
    if (std::ranges::find(value.children, name, &Node::name) != value.children.end()) continue;
    throw ConfigError(value.place,
                      fmt::format("{} has no {}: a dimension is, for example, {{kind: switch, size: "
                                  "16, bandwidth: 25 GB/s, latency: 700 ns}}",
                                  path, name));
  }
  settle_ring(value, path, dimension);
  return dimension;
}

Json write_dimension(const DimensionSpec& dimension) {
  Json json = {{"kind", to_string(dimension.kind)},
               {"size", dimension.size},
               {"links", dimension.links},
               {"bandwidth", format_bandwidth(dimension.bandwidth)},
               {"latency", format_duration(dimension.latency)}};
  if (dimension.in_network) json["in_network"] = true;
  return json;
}

void check_build(const Loaded& loaded, std::size_t d) {
  try {
    topology::require_dimension(d, dimensions_to_build(loaded.config.system)[d]);
  } catch (const UnsupportedError& error) {
    const std::string in_network = path_of(d) + ".in_network";
    const bool named = std::string_view(error.what()).find("in_network") != std::string_view::npos;
    throw ConfigError(loaded.place(named ? in_network : path_of(d)),
                      fmt::format("{}: {}", kPath, error.what()));
  }
}

void check_rate(const Loaded& loaded, std::size_t d) {
  const SystemConfig& system = loaded.config.system;
  const Bandwidth bandwidth = channel_bandwidth(dimensions_to_build(system)[d]);
  const std::string objection = bandwidth_objection(system, bandwidth);
  if (objection.empty()) return;
  throw ConfigError(loaded.place(path_of(d) + ".bandwidth"),
                    fmt::format("{}: in total over all links to one neighbour, {}", path_of(d), objection));
}

void check_latency(const Loaded& loaded, std::size_t d) {
  const SystemConfig& system = loaded.config.system;
  const std::string objection = latency_objection(system, system.topology.dimensions[d].latency);
  if (objection.empty()) return;
  const std::string key = path_of(d) + ".latency";
  throw ConfigError(loaded.place(key), fmt::format("{}: {}", key, objection));
}

void check_dateline(const Loaded& loaded, std::size_t d) {
  const SystemConfig& system = loaded.config.system;
  const DimensionSpec& dimension = system.topology.dimensions[d];
  if (!topology::is_ring(dimension.kind) || dimension.size < 3 || system.router.vcs >= 2) return;
  throw ConfigError(loaded.place("system.router.vcs"),
                    fmt::format("system.router.vcs is {}, but a ring ({}) needs at least 2: packets use "
                                "different virtual channels before and after its dateline",
                                system.router.vcs, path_of(d)));
}

void check_in_network(const Loaded& loaded, std::size_t d) {
  const Config& config = loaded.config;
  if (!config.system.topology.dimensions[d].in_network) return;
  const std::string key = path_of(d) + ".in_network";
  if (config.system.ni.impl == Implementation::kRtl || config.system.router.impl == Implementation::kRtl) {
    throw ConfigError(loaded.place(key),
                      fmt::format("{}: in-network reduction is not available in Verilog: leave this key out, "
                                  "or set system.ni.impl and system.router.impl to systemc",
                                  key));
  }
}

void check_chunks(const Loaded& loaded) {
  const workload::CollectiveSpec& collective = loaded.config.collective;
  const auto& dimensions = loaded.config.system.topology.dimensions;
  const bool rings =
      std::ranges::any_of(dimensions, [](const DimensionSpec& d) { return d.kind == DimensionKind::kRing; });
  const Bytes each = schedule::pieces_of_a_chunk(static_cast<int>(count_accelerators(loaded.config)), rings) *
                     workload::kElementBytes;
  // If the data is smaller than one chunk, it is padded to the size of a chunk.
  if (collective.size == 0 || collective.chunks <= 1 || collective.size >= each * collective.chunks) return;
  throw ConfigError(
      loaded.place("collective.chunks"),
      fmt::format("collective.chunks is {}, but {} can be divided into at most {} chunk{}: each "
                  "needs at least {} bytes for every accelerator{}, which is {} in total",
                  collective.chunks, format_bytes(collective.size), collective.size / each,
                  collective.size / each == 1 ? "" : "s", workload::kElementBytes,
                  rings ? " and ring direction" : "", format_bytes(each)));
}

}  // namespace

Key dimensions_key() {
  Key key;
  key.path = kPath;
  key.schema = dimensions_schema();
  key.form = "a list of sections, the name of a file, or {file: NAME, rings: one_way or both_ways}";
  key.parts = {
      {"kind", "How a dimension connects the accelerators of a group.", "ring, fully_connected, switch"},
      {"size", "The number of accelerators in a group of the dimension.", "a whole number, 2 or more"},
      {"bandwidth", "The bandwidth of one link of the dimension, in each direction.",
       "a bandwidth, such as 25 GB/s"},
      {"latency", "The latency of a step in the dimension.", "a duration, such as 500 ns"},
      {"links", "The number of links of an accelerator in the dimension.", "a whole number, 1 or more"},
      {"in_network", "Whether the dimension's switches reduce data (in-network reduction).", "true, false"}};
  key.example = "[{kind: switch, size: 16, bandwidth: 25 GB/s, latency: 700 ns}]";
  key.read = [](const Node& value, Config& config) {
    config.assumptions.clear();
    if (value.kind == Node::Kind::kScalar || value.kind == Node::Kind::kMap) {
      AstraNetwork network =
          value.kind == Node::Kind::kMap
              ? read_network(value)
              : read_astra_network(read_file_name(value, kPath, "the name of an ASTRA-sim network file"));
      config.system.topology.dimensions = std::move(network.dimensions);
      config.assumptions = std::move(network.assumptions);
      return;
    }
    if (value.kind != Node::Kind::kList || value.children.empty()) {
      refuse(value, kPath,
             "a list with a section for every dimension, for example [{kind: switch, size: 16, "
             "bandwidth: 25 GB/s, latency: 700 ns}], or the name of an ASTRA-sim network file");
    }
    if (value.children.size() > kMostDimensions) {
      throw ConfigError(value.place, fmt::format("{} has {} dimensions: at most {} are possible", kPath,
                                                 value.children.size(), kMostDimensions));
    }
    auto& dimensions = config.system.topology.dimensions;
    dimensions.clear();
    for (const Node& item : value.children) {
      dimensions.push_back(read_dimension(item, path_of(dimensions.size())));
    }
  };
  key.write = [](const Config& config) {
    Json list = Json::array();
    for (const DimensionSpec& dimension : config.system.topology.dimensions) {
      list.push_back(write_dimension(dimension));
    }
    return list.empty() ? Json() : list;
  };
  key.excused = [](const Loaded& loaded, Purpose) {
    return !described_by(loaded.config, topology::DescribedBy::kDimensions);
  };
  return key;
}

std::vector<DimensionSpec> dimensions_to_build(const SystemConfig& system) {
  std::vector<DimensionSpec> dimensions = system.topology.dimensions;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    DimensionSpec& dimension = dimensions[d];
    dimension.bundled = system.topology.bundled || dimension.kind != DimensionKind::kSwitch;
    dimension.bandwidth = usable_bandwidth(dimension.bandwidth, of_level(system.link.efficiency, d));
  }
  return dimensions;
}

void check_dimensions(const Loaded& loaded) {
  const auto& dimensions = loaded.config.system.topology.dimensions;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    check_build(loaded, d);
    check_rate(loaded, d);
    check_latency(loaded, d);
    check_dateline(loaded, d);
    check_in_network(loaded, d);
  }
  if (!runs_over_dimensions(loaded.config)) return;
  check_chunks(loaded);
}

}  // namespace coppice::config
