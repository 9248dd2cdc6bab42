#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace coppice::config {

// A YAML value with its location: the form in which the rest of this folder reads configuration files.
// Aliases are expanded.
struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  SourceLocation place;
  std::string name;            // its key in the enclosing map
  SourceLocation name_place;   // location of that key
  std::string text;            // text of a scalar, without quotes
  std::vector<Node> children;  // elements of a list or map, in order
};

// Reads a YAML file that contains a single document, a map. Throws ConfigError if the file is unreadable, not
// text, not YAML, empty or not a map, has more than one document, or repeats a key in a map.
Node read_document(const std::string& path);
// The two steps of read_document(): read the text of a file; parse a text that begins at `place`.
std::string read_document_text(const std::string& path);
Node parse_document(const std::string& text, const SourceLocation& place);

// Parses "section.key=value", with the value in YAML, into nested maps of one child each, located on the
// command line ("--set TEXT:1:column"). Throws ConfigError.
Node parse_override(const std::string& text);

// Build nodes for values read from another tool's file, with their source locations: a scalar, an empty map,
// and a value added to a map under a key.
Node scalar(std::string text, const SourceLocation& place);
Node empty_map(const SourceLocation& place);
void put(Node& map, const std::string& name, Node value, const SourceLocation& name_place);

// Merges `change` into `base`: maps are merged key by key, anything else is replaced.
void merge(Node& base, const Node& change);

}  // namespace coppice::config
