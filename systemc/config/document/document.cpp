#include "config/document/document.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>
#include <nlohmann/json.hpp>
#include "base/input_file.h"

namespace coppice::config {
namespace {

constexpr std::size_t kLargestFile = 16 << 20;
constexpr int kDeepest = 32;
constexpr int kMostNodes =
    1 << 20;  // limits the expansion of nested aliases, which could otherwise be endless

// The location in a file or option at which a parsed text begins. The parser's marks are relative to it.
struct Origin {
  SourceLocation start;

  SourceLocation at(const YAML::Mark& mark) const {
    if (mark.is_null()) return start;
    SourceLocation place = start;
    place.line += mark.line;
    place.column = mark.line == 0 ? start.column + mark.column : mark.column + 1;
    return place;
  }
};

// Whether the text is valid UTF-8, which it must be, since results contain the configuration as JSON.
bool is_utf8(const std::string& text) {
  if (std::ranges::all_of(text, [](char byte) { return static_cast<unsigned char>(byte) < 0x80; }))
    return true;
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

class Converter {
 public:
  explicit Converter(Origin origin) : origin_(std::move(origin)) {}

  Node convert(const YAML::Node& yaml, int depth = 0) {
    Node node;
    node.place = origin_.at(yaml.Mark());
    if (depth > kDeepest || ++nodes_ > kMostNodes) {
      throw ConfigError(node.place,
                        fmt::format("nested too deeply: at most {} levels and {} values are allowed; look "
                                    "for unclosed brackets and for an alias inside its own anchor",
                                    kDeepest, kMostNodes));
    }
    switch (yaml.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        node.kind = Node::Kind::kScalar;
        node.text = yaml.Scalar();
        if (!is_utf8(node.text)) {
          throw ConfigError(node.place,
                            "this text contains bytes that are not UTF-8: save the file as UTF-8, and use "
                            "UTF-8 in file names");
        }
        break;
      case YAML::NodeType::Sequence:
        node.kind = Node::Kind::kList;
        for (const auto& item : yaml) node.children.push_back(convert(item, depth + 1));
        break;
      case YAML::NodeType::Map:
        convert_map(yaml, node, depth);
        break;
    }
    return node;
  }

 private:
  void convert_map(const YAML::Node& yaml, Node& node, int depth) {
    node.kind = Node::Kind::kMap;
    for (const auto& entry : yaml) {
      const SourceLocation place = origin_.at(entry.first.Mark());
      if (!entry.first.IsScalar()) throw ConfigError(place, "a key must be a plain name");
      const std::string& name = entry.first.Scalar();
      const auto twin = std::find_if(node.children.begin(), node.children.end(),
                                     [&](const Node& child) { return child.name == name; });
      if (twin != node.children.end()) {
        throw ConfigError(place, fmt::format("'{}' is already set at line {}: set it only once", name,
                                             twin->name_place.line));
      }
      Node child = convert(entry.second, depth + 1);
      child.name = name;
      child.name_place = place;
      // If a value is missing, the parser reports the location of the next value, so use that of the key.
      if (child.kind == Node::Kind::kNull) child.place = place;
      node.children.push_back(std::move(child));
    }
  }

  Origin origin_;
  int nodes_ = 0;
};

// Throws at the start of a second document. This also stops the parser, which would report empty documents
// forever after some errors.
class DocumentStarts final : public YAML::EventHandler {
 public:
  struct Second {
    YAML::Mark mark;
  };
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Second{mark};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}

 private:
  int documents_ = 0;
};

// Parses the document in `text`, which starts at `origin`. Returns null if the document is empty, and rejects
// a second document with the message `refusal`.
YAML::Node parse_yaml(const std::string& text, const Origin& origin, const char* refusal) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts starts;
    while (parser.HandleNextDocument(starts)) {
    }
    return YAML::Load(text);
  } catch (const DocumentStarts::Second& second) {
    throw ConfigError(origin.at(second.mark), refusal);
  } catch (const YAML::DeepRecursion& error) {
    throw ConfigError(
        origin.at(error.mark),
        fmt::format("nested too deeply: at most {} levels are allowed; look for unclosed brackets",
                    kDeepest));
  } catch (const YAML::Exception& error) {
    throw ConfigError(origin.at(error.mark), "not valid YAML: " + error.msg);
  }
}

// Rejects control characters, which the parser would treat as spaces or as the end of the file.
void require_text(const std::string& text, SourceLocation place) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') {
      throw ConfigError(place,
                        fmt::format("the byte 0x{:02x} cannot occur in a text file: expected a YAML file",
                                    static_cast<unsigned>(c)));
    }
    if (c == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
  }
}

}  // namespace

std::string read_document_text(const std::string& path) {
  const SourceLocation top{path};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw ConfigError(top, "this is a directory; name a YAML file in it");
  }
  try {
    return read_input_file(path);
  } catch (const UnreadableError& error) {
    throw ConfigError(
        top, fmt::format("the file cannot be read: {}; expected a configuration file", error.what()));
  }
}

Node read_document(const std::string& path) {
  return parse_document(read_document_text(path), {path});
}

Node parse_document(const std::string& text, const SourceLocation& place) {
  if (text.size() > kLargestFile) {
    throw ConfigError(
        place, fmt::format("the file cannot be read: it is larger than {} MiB; expected a configuration file",
                           kLargestFile >> 20));
  }
  require_text(text, place);
  const Origin origin{place};
  const YAML::Node document = parse_yaml(
      text, origin, "a second YAML document begins here: a configuration must be a single document");
  if (document.IsNull()) {
    throw ConfigError(origin.start,
                      "the file is empty: expected a map with 'system' and, for a collective, 'collective'");
  }
  if (!document.IsMap()) {
    throw ConfigError(
        origin.at(document.Mark()),
        "the file must be a map of keys, for example 'system: {topology: {kind: torus, dims: [4, 4]}}'");
  }
  return Converter(origin).convert(document);
}

Node parse_override(const std::string& text) {
  const Origin origin{{"--set " + text}};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError(origin.start,
                      "an override must be KEY=VALUE, for example 'system.link.bandwidth=32 GB/s'");
  }
  Origin value_origin = origin;
  value_origin.start.column += static_cast<int>(equals) + 1;
  Node node = Converter(value_origin)
                  .convert(parse_yaml(text.substr(equals + 1), value_origin,
                                      "expected one value, not several YAML documents"));
  if (node.kind == Node::Kind::kNull) node.place = value_origin.start;

  std::size_t end = equals;
  for (;;) {
    const std::size_t dot = text.rfind('.', end - 1);
    const std::size_t begin = dot == std::string::npos || dot >= end ? 0 : dot + 1;
    node.name = text.substr(begin, end - begin);
    node.name_place = origin.start;
    node.name_place.column += static_cast<int>(begin);
    if (node.name.empty()) throw ConfigError(node.name_place, "part of the key's name is missing");
    Node parent;
    parent.kind = Node::Kind::kMap;
    parent.place = node.name_place;
    parent.children.push_back(std::move(node));
    node = std::move(parent);
    if (begin == 0) return node;
    end = begin - 1;
    if (end == 0) throw ConfigError(origin.start, "part of the key's name is missing");
  }
}

Node scalar(std::string text, const SourceLocation& place) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = std::move(text);
  node.place = place;
  return node;
}

Node empty_map(const SourceLocation& place) {
  Node node;
  node.kind = Node::Kind::kMap;
  node.place = place;
  return node;
}

void put(Node& map, const std::string& name, Node value, const SourceLocation& name_place) {
  value.name = name;
  value.name_place = name_place;
  map.children.push_back(std::move(value));
}

void merge(Node& base, const Node& change) {
  if (base.kind != Node::Kind::kMap || change.kind != Node::Kind::kMap) {
    base.kind = change.kind;
    base.place = change.place;
    base.text = change.text;
    base.children = change.children;
    return;
  }
  for (const Node& child : change.children) {
    const auto same = std::find_if(base.children.begin(), base.children.end(),
                                   [&](const Node& other) { return other.name == child.name; });
    if (same == base.children.end()) {
      base.children.push_back(child);
    } else {
      merge(*same, child);
    }
  }
}

}  // namespace coppice::config
