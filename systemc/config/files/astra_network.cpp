#include "config/files/astra_network.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "config/document/nearest.h"
#include "config/document/values.h"
#include "config/files/file_kind.h"

namespace coppice::config {
namespace {

using topology::DimensionKind;
using topology::DimensionSpec;

constexpr double kBytesPerGigabyte = 1 << 30;
constexpr double kMostGigabytes = 90'000;
constexpr double kMostNanoseconds = 1e9;
constexpr int kMostAccelerators = 1 << 20;

struct Names {
  const char* theirs;
  DimensionKind kind;
};
constexpr std::array kKinds{Names{"Ring", DimensionKind::kRing},
                            Names{"FullyConnected", DimensionKind::kFullyConnected},
                            Names{"Switch", DimensionKind::kSwitch}};

std::vector<std::string> known_keys() {
  return {"topology", "npus_count", "bandwidth", "latency"};
}

class Reader {
 public:
  explicit Reader(const std::string& path) : document_(read_document(path)) {
    const std::vector<std::string> keys = known_keys();
    for (const Node& key : document_.children) {
      if (std::ranges::find(keys, key.name) != keys.end()) continue;
      throw ConfigError(key.name_place,
                        fmt::format("unknown key '{}' in an ASTRA-sim network file; did you mean '{}'?",
                                    key.name, nearest(key.name, keys)));
    }
  }

  std::vector<DimensionSpec> dimensions(RingDirections ways) const {
    const auto kinds = list("topology").children.size();
    std::vector<DimensionSpec> dimensions;
    for (std::size_t d = 0; d < kinds; ++d) {
      DimensionSpec dimension;
      dimension.kind = kind(element("topology", d), path("topology", d));
      dimension.size = static_cast<int>(
          read_integer(element("npus_count", d), path("npus_count", d), 2, kMostAccelerators));
      const double gigabytes =
          read_number(element("bandwidth", d), path("bandwidth", d), 1e-6, kMostGigabytes);
      dimension.bandwidth.bytes_per_second = std::llround(gigabytes * kBytesPerGigabyte);
      const double nanoseconds = read_number(element("latency", d), path("latency", d), 0, kMostNanoseconds);
      dimension.latency = std::llround(nanoseconds * static_cast<double>(kFemtosecondsPerNanosecond));
      switch (dimension.kind) {
        case DimensionKind::kRing:
          dimension.links = ways == RingDirections::kBoth && dimension.size > 2 ? 2 : 1;
          if (dimension.links == 1) dimension.kind = DimensionKind::kOneWayRing;
          break;
        case DimensionKind::kOneWayRing:
          break;
        case DimensionKind::kFullyConnected:
          dimension.links = dimension.size - 1;
          break;
        case DimensionKind::kSwitch:
          dimension.latency *= 2;
          break;
      }
      dimensions.push_back(dimension);
    }
    return dimensions;
  }

 private:
  static std::string path(const std::string& key, std::size_t d) { return fmt::format("{}[{}]", key, d); }

  static DimensionKind kind(const Node& value, const std::string& path) {
    std::vector<std::string> names;
    for (const Names& known : kKinds) names.emplace_back(known.theirs);
    const std::string name = read_name(value, path, names);
    return std::ranges::find(kKinds, name, [](const Names& known) { return std::string(known.theirs); })
        ->kind;
  }

  const Node& list(const std::string& key) const {
    const auto found = std::ranges::find(document_.children, key, &Node::name);
    if (found == document_.children.end()) {
      throw ConfigError(document_.place, fmt::format("an ASTRA-sim network file needs {}", key));
    }
    if (found->kind != Node::Kind::kList || found->children.empty()) {
      refuse(*found, key, "a list with a value for every dimension");
    }
    return *found;
  }

  const Node& element(const std::string& key, std::size_t d) const {
    const Node& values = list(key);
    const std::size_t dimensions = list("topology").children.size();
    if (values.children.size() != dimensions) {
      throw ConfigError(
          values.place,
          fmt::format("{} has {} values, but topology names {} dimensions: write one value per dimension",
                      key, values.children.size(), dimensions));
    }
    return values.children[d];
  }

  Node document_;
};

std::vector<std::string> assumptions_of(const std::string& path,
                                        const std::vector<DimensionSpec>& dimensions) {
  std::vector<std::string> all;
  const auto assume = [&](const std::string& what) { all.push_back(path + ": " + what); };
  const auto any = [&](auto holds) { return std::ranges::any_of(dimensions, holds); };
  assume("a GB/s is 2^30 B/s, as in ASTRA-sim");
  if (any([](const DimensionSpec& d) { return d.kind == DimensionKind::kOneWayRing && d.size > 2; })) {
    assume(
        "data travels around a ring in one direction; write system.topology.dimensions: {file: ..., rings: "
        "both_ways} for a link to each neighbour");
  }
  if (any([](const DimensionSpec& d) { return topology::is_ring(d.kind) && d.size == 2; })) {
    assume("a ring of 2 has one link in each direction");
  }
  if (any([](const DimensionSpec& d) { return d.kind == DimensionKind::kSwitch; })) {
    assume("a step through a switch has the latency of two links");
  }
  return all;
}

}  // namespace

AstraNetwork read_astra_network(const std::string& path, RingDirections ways) {
  AstraNetwork network;
  network.dimensions =
      read_as({FileKind::kAstraNetwork}, path, [&] { return Reader(path).dimensions(ways); });
  network.assumptions = assumptions_of(path, network.dimensions);
  return network;
}

}  // namespace coppice::config
