#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/document/document.h"

namespace coppice::config {

// A BookSim2 value with parameters. Each parameter is a list of texts: hotspot({{0,9},{1,2}}) has the
// parameters (0, 9) and (1, 2), hotspot({0,2}) has (0) and (2), and hotspot(0) has (0).
struct BooksimCall {
  std::string name;
  std::vector<std::vector<std::string>> lists;
};

// Parses a value with parameters. Throws ConfigError at the value if braces or parentheses do not match.
BooksimCall read_booksim_call(const Node& value);

// The keys and values of a BookSim2 configuration file, with BookSim2's defaults for missing keys. All
// functions throw ConfigError, located at the line.
class BooksimKeys {
 public:
  // Throws if the file cannot be read, has a syntax error, or sets a key that BookSim2 does not have.
  explicit BooksimKeys(const std::string& path);

  const std::string& path() const { return path_; }
  // Keys that the file sets but that are ignored, because they do not affect the network or because Coppice
  // always has the feature.
  const std::vector<std::string>& unread() const { return unread_; }

  // The value of a key in the file; if the file does not set it, BookSim2's default.
  Node operator[](const char* key) const;
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most) const;
  double number(const char* key, double least, double most) const;
  // Throws unless the key has the value `only`; `why` gives the reason in the message.
  void require(const char* key, std::string_view only, std::string_view why) const;

 private:
  void add(std::string_view text, std::size_t begin, std::size_t end);

  std::string path_;
  std::vector<Node> values_;
  std::vector<std::string> unread_;
};

}  // namespace coppice::config
