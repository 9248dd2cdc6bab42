#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace coppice::config {

// A YAML value with its place: what the rest of this folder sees of a configuration file. Aliases are
// expanded.
struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  SourceLocation place;
  std::string name;            // the key under which a map holds it
  SourceLocation name_place;   // where that key stands
  std::string text;            // of a scalar, unquoted
  std::vector<Node> children;  // of a list or map, in order
};

// The single document of a YAML file, a map. Throws ConfigError: unreadable, not text, not YAML, empty, no
// map, more than one document, a key twice in a map.
Node read_document(const std::string& path);
// The two steps of it: the text of a file, and the document that a text beginning at `place` is.
std::string read_document_text(const std::string& path);
Node parse_document(const std::string& text, const SourceLocation& place);

// "section.key=value", the value in YAML, as nested maps of one child each, located on the command line
// ("--set TEXT:1:column"). Throws ConfigError.
Node parse_override(const std::string& text);

// Nodes for values read from another tool's file, with their source locations: a scalar, an empty map, and a
// value under a key of a map.
Node scalar(std::string text, const SourceLocation& place);
Node empty_map(const SourceLocation& place);
void put(Node& map, const std::string& name, Node value, const SourceLocation& name_place);

// Lays `change` over `base`: maps are merged key by key, anything else is replaced.
void merge(Node& base, const Node& change);

}  // namespace coppice::config
