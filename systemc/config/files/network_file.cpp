#include "config/files/network_file.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/input_file.h"
#include "config/document/document.h"
#include "config/files/astra_network.h"
#include "config/files/file_kind.h"
#include "config/files/infragraph_file.h"
#include "topology/files/parse_network.h"
#include "topology/networks/hierarchy.h"

namespace coppice::config {
namespace {

// The first key in a YAML or JSON text; empty if the text does not begin with a key.
std::string_view first_key(std::string_view text) {
  while (true) {
    const auto begin = text.find_first_not_of(" \t\r\n{\"'\xEF\xBB\xBF");
    if (begin == std::string_view::npos) return "";
    text.remove_prefix(begin);
    if (text.front() != '#' && !text.starts_with("---")) break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  const auto end =
      std::ranges::find_if(text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
  const auto key = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  const auto colon = text.find_first_not_of("\"' ", key.size());
  return colon != std::string_view::npos && text[colon] == ':' ? key : "";
}

bool has(const Node& root, const char* name) {
  return std::ranges::find(root.children, name, &Node::name) != root.children.end();
}

// Converts the dimensions to a graph of channels, which later code recognises as a hierarchy.
topology::GraphFile graph_of(const AstraNetwork& network, const std::string& path) {
  try {
    const topology::Topology hierarchy = topology::make_hierarchy(network.dimensions);
    topology::GraphFile file{.topology =
                                 topology::Topology(topology::Kind::kFile, {}, hierarchy.num_accelerators(),
                                                    hierarchy.num_switches())};
    for (const topology::Channel& channel : hierarchy.channels()) {
      file.topology.add_channel(channel.src, channel.dst, channel.bandwidth, channel.latency,
                                channel.dimension);
    }
    for (const std::string& assumption :
         network.assumptions) {  // omit the file name with which each assumption begins
      file.assumptions.push_back(assumption.substr(path.size() + 2));
    }
    return file;
  } catch (const UnsupportedError& error) {
    throw ConfigError({path}, error.what());
  }
}

}  // namespace

bool is_yaml_network(std::string_view text) {
  const std::string_view key = first_key(text);
  constexpr std::string_view kKeys[] = {"topology",    "npus_count", "bandwidth",     "latency",
                                        "devices",     "instances",  "links",         "edges",
                                        "description", "name",       "infrastructure"};
  return std::ranges::find(kKeys, key) != std::end(kKeys);
}

topology::GraphFile read_network_file(const std::string& path, const topology::GraphFileDefaults& defaults) {
  std::string text;
  try {
    text = read_input_file(path);
  } catch (const UnreadableError& error) {
    throw UnsupportedError(fmt::format("cannot read graph file {}: {}", path, error.what()));
  }
  return read_as({FileKind::kNetwork, FileKind::kAstraNetwork}, path, [&] {
    if (!is_yaml_network(text)) return topology::parse_network(text, path, defaults);
    const Node root = parse_document(text, {path});
    if (!has(root, "npus_count")) return read_infragraph(root, defaults);
    return graph_of(read_astra_network(path, RingDirections::kOne), path);
  });
}

}  // namespace coppice::config
