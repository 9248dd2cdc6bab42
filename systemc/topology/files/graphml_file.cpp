#include <cstdlib>
#include <map>
#include <string>

#include <fmt/format.h>

#include "topology/files/foreign_networks.h"
#include "topology/files/named_network.h"
#include "topology/files/xml_text.h"

namespace coppice::topology {
namespace {

class GraphmlReader {
 public:
  GraphmlReader(std::string_view text, const std::string& file)
      : xml_(text, file), network_([this](NamedNetwork::Place at) { return xml_.place(at); }) {}

  GraphFile read(const GraphFileDefaults& defaults) {
    for (const pugi::xml_node key : xml_.root().children("key")) {
      names_[xml_.attribute(key, "id")] =
          key.attribute("attr.name") ? key.attribute("attr.name").value() : key.attribute("id").value();
    }
    const pugi::xml_node graph = xml_.root().child("graph");
    if (!graph) throw ConfigError(xml_.place(xml_.root()), "this GraphML has no <graph>");
    for (const pugi::xml_node node : graph.children("node")) read_node(node);
    if (!says_kind_) {
      network_.assume("no node has a kind, type or role attribute, so all nodes are accelerators");
    }
    const bool directed = std::string_view(graph.attribute("edgedefault").value()) == "directed";
    for (const pugi::xml_node edge : graph.children("edge")) read_edge(edge, directed);
    return network_.build(defaults);
  }

 private:
  std::string name_of(const pugi::xml_node& data) const {
    const auto found = names_.find(data.attribute("key").value());
    return found == names_.end() ? data.attribute("key").value() : found->second;
  }

  void read_node(const pugi::xml_node& node) {
    const int number = network_.add_node(xml_.attribute(node, "id"), true, node.offset_debug());
    for (const pugi::xml_node data : node.children("data")) {
      const auto accelerator = says_accelerator(name_of(data), data.child_value());
      if (!accelerator) continue;
      says_kind_ = true;
      network_.set_accelerator(number, *accelerator);
    }
  }

  int end_of(const pugi::xml_node& edge, const char* name) const {
    const std::string node = xml_.attribute(edge, name);
    const int number = network_.find(node);
    if (number < 0) throw ConfigError(xml_.place(edge), fmt::format("there is no node '{}'", node));
    return number;
  }

  void read_edge(const pugi::xml_node& edge, bool directed) {
    NamedNetwork::Link link{.a = end_of(edge, "source"),
                            .b = end_of(edge, "target"),
                            .bandwidth = {},
                            .latency = {},
                            .place = edge.offset_debug()};
    link.both_ways = !edge.attribute("directed").as_bool(directed);
    for (const pugi::xml_node data : edge.children("data")) {
      const std::string name = name_of(data);
      const std::string value = data.child_value();
      if (name == "dimension") {
        link.dimension = std::atoi(value.c_str());
      } else {
        read_link_attribute(name, value, link, [&] { return xml_.place(data); });
      }
    }
    network_.add_link(link);
  }

  XmlText xml_;
  std::map<std::string, std::string> names_;  // attribute name of each key
  NamedNetwork network_;
  bool says_kind_ = false;
};

}  // namespace

GraphFile parse_graphml(std::string_view text, const std::string& file, const GraphFileDefaults& defaults) {
  return GraphmlReader(text, file).read(defaults);
}

}  // namespace coppice::topology
