#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace coppice::config {

// A YAML value with its location. The rest of this folder reads configuration files in this form. Aliases are
// expanded.
struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  SourceLocation place;
  std::string name;            // the value's key in the enclosing map
  SourceLocation name_place;   // location of that key
  std::string text;            // text of a scalar, without quotes
  std::vector<Node> children;  // elements of a list or map, in order
};

// Reads a YAML file that contains a single document, a map. Throws ConfigError if the file is unreadable, is
// not text or YAML, is empty or not a map, has more than one document, or repeats a key in a map.
Node read_document(const std::string& path);
// The two steps of read_document(): read the text of a file; parse a text that begins at `place`.
std::string read_document_text(const std::string& path);
Node parse_document(const std::string& text, const SourceLocation& place);

// Parses "section.key=value", where the value is YAML, into nested maps with one child each, located on the
// command line ("--set TEXT:1:column"). Throws ConfigError.
Node parse_override(const std::string& text);

// Build nodes for values from another tool's file, with their source locations: scalar() and empty_map()
// return a node, and put() adds a value to a map under a key.
Node scalar(std::string text, const SourceLocation& place);
Node empty_map(const SourceLocation& place);
void put(Node& map, const std::string& name, Node value, const SourceLocation& name_place);

// Merges `change` into `base`: maps are merged key by key, and all other values are replaced.
void merge(Node& base, const Node& change);

}  // namespace coppice::config
