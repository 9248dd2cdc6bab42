#include "topology/files/parse_network.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "topology/files/foreign_networks.h"
#include "topology/files/graph_lexer.h"

namespace coppice::topology {
namespace {

// Skips comments of Graphviz and graph files at the beginning of the text.
std::string_view without_comments(std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), text.size()));
    const bool block = text.starts_with("/*");
    if (!block && !text.starts_with("//") && !text.starts_with('#')) return text;
    const std::string_view end = block ? "*/" : "\n";
    const std::size_t found = text.find(end, block ? 2 : 0);
    text.remove_prefix(found == std::string_view::npos ? text.size() : found + end.size());
  }
}

bool is_number(const Word& word) {
  return std::ranges::all_of(word.text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

GraphFile parse_xml(std::string_view text, const std::string& file, const GraphFileDefaults& defaults) {
  if (text.find("<graphml") != std::string_view::npos) return parse_graphml(text, file, defaults);
  if (text.find("<system") != std::string_view::npos) return parse_nccl(text, file, defaults);
  throw ConfigError({file},
                    "this XML is neither GraphML nor a topology that NCCL dumped (NCCL_TOPO_DUMP_FILE)");
}

}  // namespace

GraphFile parse_network(std::string_view text, const std::string& file, const GraphFileDefaults& defaults) {
  const std::string_view begin = without_comments(text);
  if (begin.starts_with('<')) return parse_xml(text, file, defaults);
  const bool dot = begin.starts_with("digraph") || begin.starts_with("graph") || begin.starts_with("strict ");
  if (dot && begin.find('{') != std::string_view::npos) return parse_dot(text, file, defaults);
  const Line start = first_line(text, file);
  if (start.empty()) return parse_graph(text, file, defaults);
  if (start.front().text == "router" || start.front().text == "node")
    return parse_anynet(text, file, defaults);
  const bool numbers = is_number(start.front());
  if (numbers && start.size() > 1) return parse_ns3(text, file, defaults);
  return numbers ? parse_tacos_network(text, file, defaults) : parse_graph(text, file, defaults);
}

}  // namespace coppice::topology
