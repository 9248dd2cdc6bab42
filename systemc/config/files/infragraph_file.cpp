#include "config/files/infragraph_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "config/document/nearest.h"
#include "config/document/values.h"
#include "topology/dims.h"
#include "topology/files/named_network.h"

namespace coppice::config {
namespace {

using topology::NamedNetwork;

constexpr int kDeepest = 8;  // how many levels deep devices may be nested
constexpr double kPcieLanes = 16;
constexpr std::size_t kMostPairs = std::size_t{1} << 24;

const Node* part_of(const Node& map, std::string_view name) {
  const auto found = std::ranges::find(map.children, name, &Node::name);
  return found == map.children.end() ? nullptr : &*found;
}

const Node& need(const Node& map, const char* name) {
  const Node* found = part_of(map, name);
  if (found == nullptr) throw ConfigError(map.place, fmt::format("InfraGraph: {} is missing", name));
  return *found;
}

std::string text_of(const Node& map, const char* name) {
  return read_text(need(map, name), name, "a string");
}

const std::vector<Node>& list_of(const Node& map, const char* name) {
  static const std::vector<Node> none;
  const Node* found = part_of(map, name);
  return found == nullptr ? none : found->children;
}

struct Component {
  std::string name;
  std::string choice;
  int count = 1;
};

struct LinkKind {
  std::optional<Bandwidth> bandwidth;
  std::optional<Femtoseconds> latency;
};
using LinkKinds = std::map<std::string, LinkKind>;

struct Device {
  std::vector<Component> components;
  LinkKinds links;
  const Node* node = nullptr;
};

// A name with the indices of its copies, such as "xpu[0:2]".
struct Slice {
  std::string name;
  std::vector<int> indices;
};

std::optional<int> to_int(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The indices that Python's slice notation "a", "a:b" or "a:b:step" selects from `count` elements.
std::vector<int> indices_of(const Node& value, std::string_view slice, int count) {
  const auto bad = [&]() -> ConfigError {
    return {
        value.place,
        fmt::format("'[{}]' is not a slice of {} elements: write, for example, [0] or [0:{}], or no slice "
                    "for all of them",
                    slice, count, count)};
  };
  std::vector<std::optional<int>> parts;
  for (std::string_view rest = slice;;) {
    const std::size_t colon = rest.find(':');
    const std::string_view part = rest.substr(0, colon);
    parts.push_back(to_int(part));
    if (!part.empty() && !parts.back()) throw bad();
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (parts.size() > 3) throw bad();
  int first = parts[0].value_or(0);
  int end = parts.size() == 1 ? first + 1 : parts[1].value_or(count);
  const int step = parts.size() == 3 ? parts[2].value_or(1) : 1;
  if (parts.size() == 1 && !parts[0]) {
    first = 0;
    end = count;
  }
  if (first < 0 || end > count || step < 1 || first >= end) throw bad();
  std::vector<int> indices;
  for (int i = first; i < end; i += step) indices.push_back(i);
  return indices;
}

// Parses a name that may be followed by "[slice]". `count_of` returns the number of copies of a name.
template <typename CountOf>
Slice slice_of(const Node& value, std::string_view text, CountOf count_of) {
  const std::size_t open = text.find('[');
  Slice result{std::string(text.substr(0, open)), {}};
  const int count = count_of(result.name);
  std::string_view slice = ":";
  if (open != std::string_view::npos) {
    if (!text.ends_with(']'))
      throw ConfigError(value.place, fmt::format("'{}' has no closing bracket ]", text));
    slice = text.substr(open + 1, text.size() - open - 2);
  }
  result.indices = indices_of(value, slice, count);
  return result;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t found = text.find(at);
    parts.push_back(text.substr(0, found));
    if (found == std::string_view::npos) return parts;
    text.remove_prefix(found + 1);
  }
}

// Packs a location in a YAML file into the number in which NamedNetwork stores locations.
NamedNetwork::Place packed(const SourceLocation& place) {
  return (static_cast<NamedNetwork::Place>(place.line) << 20) + std::min(place.column, (1 << 20) - 1);
}

class InfragraphReader {
 public:
  explicit InfragraphReader(const Node& root)
      : root_(part_of(root, "infrastructure") == nullptr ? root : *part_of(root, "infrastructure")),
        network_([file = root.place.file](NamedNetwork::Place at) {
          return SourceLocation{file, std::max(1, static_cast<int>(at >> 20)),
                                std::max(1, static_cast<int>(at & ((1 << 20) - 1)))};
        }) {}

  topology::GraphFile read(const topology::GraphFileDefaults& defaults) {
    if (const Node* old = part_of(root_, "connections")) {
      throw ConfigError(old->name_place,
                        "InfraGraph: connections are from an older version of the format: write edges with "
                        "ep1, ep2, scheme and link");
    }
    for (const Node& node : list_of(root_, "devices")) read_device(node);
    const LinkKinds links = read_links(root_);
    for (const Node& instance : list_of(root_, "instances")) read_instance(instance);
    if (instances_.empty())
      throw ConfigError(root_.place, "InfraGraph: the list of instances is missing or empty");
    for (const auto& [name, instance] : instances_) {
      for (int i = 0; i < instance.count; ++i) {
        connect_device(fmt::format("{}.{}", name, i), *instance.device, 0);
      }
    }
    for (const Node& edge : list_of(root_, "edges"))
      read_edge(edge, links, [&](const Node& end) { return infrastructure_end(end); });
    tidy();
    return network_.build(defaults);
  }

 private:
  struct Instance {
    const Device* device = nullptr;
    std::string device_name;
    int count = 1;
  };

  static int count_of(const Node& node) {
    const Node* count = part_of(node, "count");
    return count == nullptr ? 1 : static_cast<int>(read_integer(*count, "count", 1, topology::kMaxNodes));
  }

  // The unit and the number of a choice: ns and 150 for {choice: ns, ns: 150}.
  static std::pair<std::string, double> chosen(const Node& node) {
    const Node* choice = part_of(node, "choice");
    const std::string unit = choice != nullptr           ? read_text(*choice, "choice", "a unit")
                             : node.children.size() == 1 ? node.children.front().name
                                                         : text_of(node, "choice");
    return {unit, read_number(need(node, unit.c_str()), unit, 0, 1e9)};
  }

  Bandwidth bandwidth_of(const Node& node) {
    const auto [unit, number] = chosen(node);
    if (unit.find("bits") != std::string::npos) return {std::llround(number * 125e6)};
    if (unit.find("bytes") != std::string::npos) return {std::llround(number * 1e9)};
    if (unit.find("transfers") == std::string::npos) {
      throw ConfigError(node.place,
                        fmt::format("'{}' is not one of gigabits_per_second, gigabytes_per_second, "
                                    "gigatransfers_per_second",
                                    unit));
    }
    assume_lanes_ = true;
    return {std::llround(number * 1e9 * kPcieLanes / 8 * (number < 8 ? 0.8 : 128.0 / 130))};
  }

  static Femtoseconds latency_of(const Node& node) {
    const auto [unit, number] = chosen(node);
    const double scale = unit == "ms" ? 1e12 : unit == "us" ? 1e9 : 1e6;
    if (unit != "ms" && unit != "us" && unit != "ns") {
      throw ConfigError(node.place, fmt::format("'{}' is not one of ms, us, ns", unit));
    }
    return std::llround(number * scale);
  }

  LinkKinds read_links(const Node& map) {
    LinkKinds links;
    for (const Node& node : list_of(map, "links")) {
      LinkKind link;
      if (const Node* physical = part_of(node, "physical")) {
        if (const Node* bandwidth = part_of(*physical, "bandwidth"))
          link.bandwidth = bandwidth_of(*bandwidth);
        if (const Node* latency = part_of(*physical, "latency")) link.latency = latency_of(*latency);
      }
      links[text_of(node, "name")] = link;
    }
    return links;
  }

  void read_device(const Node& node) {
    Device device{{}, read_links(node), &node};
    for (const Node& component : list_of(node, "components")) {
      device.components.push_back(
          {text_of(component, "name"), text_of(component, "choice"), count_of(component)});
    }
    devices_[text_of(node, "name")] = std::move(device);
  }

  const Device& device_of(const std::string& name, const SourceLocation& place) const {
    const auto found = devices_.find(name);
    if (found != devices_.end()) return found->second;
    throw ConfigError(place, fmt::format("InfraGraph: there is no device '{}'", name));
  }

  void read_instance(const Node& node) {
    Instance instance;
    instance.device_name = text_of(node, "device");
    instance.device = &device_of(instance.device_name, node.place);
    instance.count = count_of(node);
    const std::string name = text_of(node, "name");
    for (int i = 0; i < instance.count; ++i) {
      add_device(fmt::format("{}.{}", name, i), *instance.device, node, 0);
    }
    instances_.emplace_back(name, instance);
  }

  void add_device(const std::string& prefix, const Device& device, const Node& node, int depth) {
    if (depth > kDeepest) {
      throw ConfigError(
          node.place,
          fmt::format("InfraGraph: devices contain each other, or are nested more than {} deep", kDeepest));
    }
    for (const Component& component : device.components) {
      for (int i = 0; i < component.count; ++i) {
        const std::string name = fmt::format("{}.{}.{}", prefix, component.name, i);
        if (component.choice == "device") {
          add_device(name, device_of(component.name, device.node->place), node, depth + 1);
          continue;
        }
        if (network_.num_nodes() > topology::kMaxNodes) {
          throw ConfigError(node.place,
                            fmt::format("InfraGraph: there are more than {} components, which is the limit",
                                        topology::kMaxNodes));
        }
        network_.add_node(name, component.choice == "xpu", packed(node.place));
      }
    }
  }

  void connect_device(const std::string& prefix, const Device& device, int depth) {
    for (const Component& component : device.components) {
      if (component.choice != "device") continue;
      for (int i = 0; i < component.count; ++i) {
        connect_device(fmt::format("{}.{}.{}", prefix, component.name, i),
                       device_of(component.name, device.node->place), depth + 1);
      }
    }
    for (const Node& edge : list_of(*device.node, "edges")) {
      read_edge(edge, device.links, [&](const Node& end) {
        std::string path = text_of(end, "component");
        const Node* inside = part_of(end, "device");
        if (inside != nullptr && !inside->text.empty()) path = inside->text + "." + path;
        return nodes_of(end, {prefix}, device, path);
      });
    }
  }

  // The nodes to which a path of slices in a device refers. Their names have the form "prefix.name.index...".
  std::vector<int> nodes_of(const Node& end, std::vector<std::string> prefixes, const Device& device,
                            const std::string& path) const {
    const Device* at = &device;
    for (const std::string_view part : split(path, '.')) {
      const Component* found = nullptr;
      const Slice slice = slice_of(end, part, [&](const std::string& name) {
        const auto component = std::ranges::find(at->components, name, &Component::name);
        if (component == at->components.end()) {
          throw ConfigError(end.place,
                            fmt::format("InfraGraph: there is no component '{}' in '{}'", name, path));
        }
        found = &*component;
        return component->count;
      });
      std::vector<std::string> longer;
      for (const std::string& prefix : prefixes) {
        for (const int i : slice.indices) longer.push_back(fmt::format("{}.{}.{}", prefix, slice.name, i));
      }
      prefixes = std::move(longer);
      if (found->choice == "device") at = &device_of(found->name, end.place);
    }
    std::vector<int> nodes;
    for (const std::string& name : prefixes) {
      nodes.push_back(network_.find(name));
      if (nodes.back() < 0) {
        throw ConfigError(end.place,
                          fmt::format("InfraGraph: '{}' is a device: name a component in it", path));
      }
    }
    return nodes;
  }

  std::vector<int> infrastructure_end(const Node& end) const {
    const Instance* instance = nullptr;
    const Slice slice = slice_of(end, text_of(end, "instance"), [&](const std::string& name) {
      const auto found = std::ranges::find(instances_, name, [](const auto& known) { return known.first; });
      if (found == instances_.end()) {
        throw ConfigError(end.place, fmt::format("InfraGraph: there is no instance '{}'", name));
      }
      instance = &found->second;
      return found->second.count;
    });
    std::vector<std::string> prefixes;
    for (const int i : slice.indices) prefixes.push_back(fmt::format("{}.{}", slice.name, i));
    std::string path = text_of(end, "component");
    if (path.starts_with(instance->device_name + ".")) path.erase(0, instance->device_name.size() + 1);
    return nodes_of(end, prefixes, *instance->device, path);
  }

  template <typename End>
  void read_edge(const Node& edge, const LinkKinds& links, End end) {
    const std::vector<int> from = end(need(edge, "ep1"));
    const std::vector<int> to = end(need(edge, "ep2"));
    const std::string name = text_of(edge, "link");
    const auto kind = links.find(name);
    if (kind == links.end()) {
      throw ConfigError(need(edge, "link").place, fmt::format("InfraGraph: there is no link '{}'", name));
    }
    std::string scheme = "one2one";
    if (const Node* written = part_of(edge, "scheme")) scheme = written->text;
    if (const Node* many = part_of(edge, "many2many"))
      scheme = read_flag(*many, "many2many") ? "many2many" : scheme;
    const NamedNetwork::Link link{
        .bandwidth = kind->second.bandwidth, .latency = kind->second.latency, .place = packed(edge.place)};
    for (const auto& [a, b] : pairs_of(edge, scheme, from, to)) {
      NamedNetwork::Link own = link;
      own.a = a;
      own.b = b;
      network_.add_link(own);
    }
  }

  // The pairs of nodes that an edge connects, without repetitions and in the order of the endpoints.
  static std::vector<std::pair<int, int>> pairs_of(const Node& edge, const std::string& scheme,
                                                   const std::vector<int>& from, const std::vector<int>& to) {
    std::vector<std::pair<int, int>> pairs;
    std::set<std::pair<int, int>> known;
    const auto add = [&](int a, int b) {
      if (a != b && known.insert(std::minmax(a, b)).second) pairs.emplace_back(a, b);
    };
    if (scheme == "many2many" && from.size() * to.size() > kMostPairs) {
      throw ConfigError(
          edge.place,
          fmt::format("InfraGraph: many2many joins {} endpoints to {}, but at most {} links are supported",
                      from.size(), to.size(), kMostPairs));
    }
    if (scheme == "many2many") {
      for (const int a : from) {
        for (const int b : to) add(a, b);
      }
    } else if (scheme == "ring") {
      std::vector<int> ring = from;
      for (const int b : to) {
        if (std::ranges::find(ring, b) == ring.end()) ring.push_back(b);
      }
      for (std::size_t i = 0; i < ring.size(); ++i) add(ring[i], ring[(i + 1) % ring.size()]);
    } else if (scheme == "one2one") {
      if (from.size() != to.size()) {
        throw ConfigError(
            edge.place,
            fmt::format("InfraGraph: one2one needs as many endpoints in ep1 as in ep2, not {} and {}",
                        from.size(), to.size()));
      }
      for (std::size_t i = 0; i < from.size(); ++i) add(from[i], to[i]);
    } else {
      throw ConfigError(edge.place,
                        fmt::format("scheme '{}' is not one of one2one, many2many, ring", scheme));
    }
    return pairs;
  }

  void tidy() {
    const int dead = network_.drop_dead_ends();
    const int joined = network_.join_pass_through();
    if (dead > 0) network_.assume(fmt::format("{} components are dead ends and are left out", dead));
    if (joined > 0) {
      network_.assume(fmt::format(
          "{} ports, NICs and similar components with two neighbours are merged into their links", joined));
    }
    if (assume_lanes_) network_.assume("a link rated in GT/s has 16 PCIe lanes, minus the encoding overhead");
  }

  const Node& root_;
  NamedNetwork network_;
  std::map<std::string, Device> devices_;
  std::vector<std::pair<std::string, Instance>> instances_;
  bool assume_lanes_ = false;
};

}  // namespace

topology::GraphFile read_infragraph(const Node& root, const topology::GraphFileDefaults& defaults) {
  return InfragraphReader(root).read(defaults);
}

}  // namespace coppice::config
