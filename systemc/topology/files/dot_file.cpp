#include <cctype>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_position.h"
#include "topology/files/foreign_networks.h"
#include "topology/files/named_network.h"

namespace coppice::topology {
namespace {

constexpr int kDeepest = 64;

using Attributes = std::vector<std::pair<std::string, std::string>>;

// A token: a word, a quoted string, "->", "--", or one of the characters "{}[]=;,". At the end of the file,
// the text is empty.
struct Token {
  std::string text;
  bool quoted = false;
  std::size_t at = 0;
};

// Splits a Graphviz file into tokens and skips comments.
class DotLexer {
 public:
  DotLexer(std::string_view text, const std::string& file) : text_(text), file_(file) { advance(); }

  const Token& now() const { return now_; }
  bool is(std::string_view text) const { return !now_.quoted && now_.text == text; }
  bool ended() const { return !now_.quoted && now_.text.empty(); }
  // Consumes the next token if it is `text`, and returns whether it was.
  bool take(std::string_view text) {
    if (!is(text)) return false;
    advance();
    return true;
  }
  Token next() {
    Token token = std::move(now_);
    advance();
    return token;
  }
  void expect(std::string_view text) {
    if (!take(text)) refuse(fmt::format("expected '{}' here, not '{}'", text, now_.text));
  }
  SourceLocation place(std::size_t at) const { return schedule::location_of_byte(text_, file_, at); }
  [[noreturn]] void refuse(const std::string& what) const { throw ConfigError(place(now_.at), what); }

 private:
  bool skip(std::string_view begin, std::string_view end) {
    if (!text_.substr(at_).starts_with(begin)) return false;
    const std::size_t found = text_.find(end, at_ + begin.size());
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
    return true;
  }

  void skip_space() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (!skip("//", "\n") && !skip("/*", "*/") && !skip("#", "\n")) {
        return;
      }
    }
  }

  void read_quoted() {
    now_.quoted = true;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '"') ++at_;
      now_.text += text_[at_];
    }
    if (at_ == text_.size()) refuse("this quotation mark is not closed");
    ++at_;
  }

  void advance() {
    skip_space();
    now_ = {{}, false, at_};
    if (at_ == text_.size()) return;
    const std::string_view rest = text_.substr(at_);
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || (c & 0x80) != 0;
    };
    std::size_t length = 0;
    if (rest.front() == '"') {
      read_quoted();
      return;
    }
    if (rest.starts_with("->") || rest.starts_with("--")) {
      length = 2;
    } else {
      if (rest.front() == '-') ++length;  // the sign of a number
      while (length < rest.size() && is_word(rest[length])) ++length;
      if (length == 0) length = 1;
    }
    now_.text = rest.substr(0, length);
    at_ += length;
  }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  Token now_;
};

// The default attributes of later nodes and edges in a graph or subgraph.
struct Usual {
  Attributes node;
  Attributes edge;
};

class DotReader {
 public:
  DotReader(std::string_view text, const std::string& file)
      : lexer_(text, file),
        network_([this](NamedNetwork::Place at) { return lexer_.place(static_cast<std::size_t>(at)); }) {}

  GraphFile read(const GraphFileDefaults& defaults) {
    lexer_.take("strict");
    directed_ = lexer_.is("digraph");
    lexer_.next();
    if (!lexer_.is("{")) lexer_.next();
    lexer_.expect("{");
    read_statements({});
    if (!says_kind_)
      network_.assume("no node has a kind, type, role or shape, so all nodes are accelerators");
    return network_.build(defaults);
  }

 private:
  Attributes read_attributes() {
    Attributes attributes;
    while (lexer_.take("[")) {
      while (!lexer_.take("]")) {
        if (lexer_.ended()) lexer_.refuse("this attribute list is not closed");
        std::string name = lexer_.next().text;
        std::string value = "true";
        if (lexer_.take("=")) value = lexer_.next().text;
        attributes.emplace_back(std::move(name), std::move(value));
        if (!lexer_.take(",")) lexer_.take(";");
      }
    }
    return attributes;
  }

  int node(const Token& token, const Usual& usual) {
    const int known = network_.find(token.text);
    if (known >= 0) return known;
    const int fresh = network_.add_node(token.text, true, static_cast<NamedNetwork::Place>(token.at));
    describe(fresh, usual.node);
    return fresh;
  }

  void describe(int node, const Attributes& attributes) {
    for (const auto& [name, value] : attributes) {
      const auto accelerator = says_accelerator(name, value);
      if (!accelerator) continue;
      says_kind_ = true;
      network_.set_accelerator(node, *accelerator);
    }
  }

  void connect(const std::vector<int>& from, const std::vector<int>& to, const Attributes& attributes,
               std::size_t at) {
    NamedNetwork::Link link{.bandwidth = {},
                            .latency = {},
                            .both_ways = !directed_,
                            .place = static_cast<NamedNetwork::Place>(at)};
    for (const auto& [name, value] : attributes) {
      if (name == "dimension") {
        link.dimension = std::atoi(value.c_str());
      } else {
        read_link_attribute(name, value, link, [&] { return lexer_.place(at); });
      }
    }
    for (const int a : from) {
      for (const int b : to) {
        link.a = a;
        link.b = b;
        network_.add_link(link);
      }
    }
  }

  // Reads one end of an edge, which is a node with an optional port or a subgraph. Returns the nodes that
  // this end names.
  std::vector<int> read_end(const Usual& usual) {
    if (lexer_.is("subgraph") || lexer_.is("{")) {
      if (lexer_.take("subgraph") && !lexer_.is("{")) lexer_.next();
      lexer_.expect("{");
      if (++depth_ > kDeepest)
        lexer_.refuse(fmt::format("subgraphs are nested more than {} levels deep", kDeepest));
      auto named = read_statements(usual);
      --depth_;
      return named;
    }
    return read_node(lexer_.next(), usual);
  }

  std::vector<int> read_node(const Token& token, const Usual& usual) {
    if (!token.quoted && (token.text.empty() || token.text.find_first_of("]}=[;,") == 0)) {
      throw ConfigError(lexer_.place(token.at), fmt::format("expected a node here, not '{}'", token.text));
    }
    while (lexer_.take(":")) lexer_.next();  // a port or compass point, which affects only drawing
    return {node(token, usual)};
  }

  // Reads a statement that sets default attributes of nodes, edges or the graph. Returns whether the next
  // statement was of this kind.
  bool read_usual(Usual& usual) {
    if (lexer_.take("node")) {
      for (auto& attribute : read_attributes()) usual.node.push_back(std::move(attribute));
    } else if (lexer_.take("edge")) {
      for (auto& attribute : read_attributes()) usual.edge.push_back(std::move(attribute));
    } else if (lexer_.take("graph")) {
      read_attributes();
    } else {
      return false;
    }
    return true;
  }

  void read_chain(const Usual& usual, std::vector<int>& named) {
    const std::size_t at = lexer_.now().at;
    std::vector<std::vector<int>> ends;
    if (lexer_.is("subgraph") || lexer_.is("{")) {
      ends.push_back(read_end(usual));
    } else {
      const Token token = lexer_.next();
      if (lexer_.take("=")) {  // a graph attribute, which affects only drawing
        lexer_.next();
        return;
      }
      ends.push_back(read_node(token, usual));
    }
    while (lexer_.is("->") || lexer_.is("--")) {
      lexer_.next();
      ends.push_back(read_end(usual));
    }
    Attributes own = read_attributes();
    if (ends.size() == 1) {
      for (const int at_node : ends.front()) describe(at_node, own);
    } else {
      Attributes all = usual.edge;
      all.insert(all.end(), own.begin(), own.end());
      for (std::size_t i = 1; i < ends.size(); ++i) connect(ends[i - 1], ends[i], all, at);
    }
    for (const auto& end : ends) named.insert(named.end(), end.begin(), end.end());
  }

  // Reads statements up to the closing brace. Returns the nodes that the statements name.
  std::vector<int> read_statements(Usual usual) {
    std::vector<int> named;
    while (!lexer_.take("}")) {
      if (lexer_.ended()) lexer_.refuse("the graph is not closed: a } is missing");
      if (lexer_.take(";") || lexer_.take(",") || read_usual(usual)) continue;
      read_chain(usual, named);
    }
    return named;
  }

  DotLexer lexer_;
  NamedNetwork network_;
  int depth_ = 0;
  bool directed_ = false;
  bool says_kind_ = false;
};

}  // namespace

GraphFile parse_dot(std::string_view text, const std::string& file, const GraphFileDefaults& defaults) {
  return DotReader(text, file).read(defaults);
}

}  // namespace coppice::topology
