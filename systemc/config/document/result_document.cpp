#include "config/document/result_document.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace coppice::config {
namespace {

constexpr std::string_view kOurs = "coppice.";

// A member of a JSON object. The text from `begin` to `end` is its value.
struct Member {
  std::string_view name;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Finds the members of a JSON object without parsing their values, since a result may be far larger than the
// configuration in it.
class Members {
 public:
  explicit Members(std::string_view text) : text_(text) {}

  // Returns the members; empty if the text is not a JSON object but, for example, YAML in braces with
  // unquoted names.
  std::vector<Member> read() {
    std::vector<Member> members;
    if (!take('{')) return {};
    do {
      Member member;
      skip_space();
      const std::size_t name = at_;
      if (!skip_text()) return {};
      member.name = text_.substr(name + 1, at_ - name - 2);
      if (!take(':')) return {};
      skip_space();
      member.begin = at_;
      skip_value();
      member.end = at_;
      members.push_back(member);
    } while (take(','));
    return members;
  }

 private:
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool take(char wanted) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  // Skips a quoted string; returns false if there is none at this position.
  bool skip_text() {
    if (at_ == text_.size() || text_[at_] != '"') return false;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  // Skips to the comma or closing bracket that follows the value.
  void skip_value() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        if (!skip_text()) return;
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) return;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string_view text_of(std::string_view text, const Member& member) {
  return text.substr(member.begin, member.end - member.begin);
}

const Member* find(const std::vector<Member>& members, std::string_view name) {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? nullptr : &*found;
}

// The schema of a file that coppice has written, such as "coppice.result/1"; empty for other files.
std::string schema_of(std::string_view text, const std::vector<Member>& members) {
  const Member* const schema = find(members, "schema");
  if (schema == nullptr) return "";
  std::string_view name = text_of(text, *schema);
  if (!name.starts_with('"') || !name.substr(1).starts_with(kOurs)) return "";
  name.remove_prefix(1);
  return std::string(name.substr(0, name.find('"')));
}

SourceLocation place_of(const std::string& path, std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line = before.rfind('\n');
  return {path, 1 + static_cast<int>(std::ranges::count(before, '\n')),
          1 + static_cast<int>(line == std::string_view::npos ? at : at - line - 1)};
}

std::vector<std::string> assumptions_of(std::string_view text, const std::vector<Member>& members) {
  const Member* const list = find(members, "assumptions");
  if (list == nullptr) return {};
  const auto json = nlohmann::json::parse(text_of(text, *list), nullptr, false);
  std::vector<std::string> assumptions;
  for (const auto& one : json.is_array() ? json : nlohmann::json::array()) {
    if (one.is_string()) assumptions.push_back(one.get<std::string>());
  }
  return assumptions;
}

// The configuration in a YAML document of the form `schema: coppice.result/1` and `config: ...`, as pages of
// reports show it; nullptr for other documents.
const Node* resolved_config(const Node& root) {
  const auto find = [&](std::string_view name) {
    const auto found = std::ranges::find(root.children, name, &Node::name);
    return found == root.children.end() ? nullptr : &*found;
  };
  const Node* const schema = find("schema");
  const Node* const config = find("config");
  const bool ours = schema != nullptr && schema->text.starts_with(kOurs);
  return ours && config != nullptr && config->kind == Node::Kind::kMap ? config : nullptr;
}

}  // namespace

ConfigDocument read_config_document(const std::string& path) {
  const std::string text = read_document_text(path);
  const std::vector<Member> members = Members(text).read();
  const std::string schema = schema_of(text, members);
  if (schema.empty()) {
    Node root = parse_document(text, {path});
    if (const Node* const resolved = resolved_config(root)) return {*resolved, true};
    return {std::move(root)};
  }
  const Member* const config = find(members, "config");
  if (config == nullptr) {
    throw ConfigError({path}, fmt::format("a '{}' file does not contain a configuration to run: pass a "
                                          "configuration or the result of a run",
                                          schema));
  }
  return {parse_document(std::string(text_of(text, *config)), place_of(path, text, config->begin)), true,
          assumptions_of(text, members)};
}

}  // namespace coppice::config
