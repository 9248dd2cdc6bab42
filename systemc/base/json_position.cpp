#include "base/json_position.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace coppice::schedule {
namespace {

using nlohmann::json;

// Iterates over the text and records how far the parser has read it.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

// Receives the events of the parser and stops it at the requested value.
class Locator : public nlohmann::json_sax<json> {
 public:
  Locator(std::string pointer, const std::size_t* read) : pointer_(std::move(pointer)), read_(read) {}

  // The number of bytes that had been read when the value began: up to the last byte of a string, one byte
  // past a number, or up to an opening bracket.
  std::size_t found_at() const { return found_at_; }

  bool null() override { return scalar(); }
  bool boolean(bool /*value*/) override { return scalar(); }
  bool number_integer(number_integer_t /*value*/) override { return scalar(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return scalar(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return scalar(); }
  bool string(string_t& /*value*/) override { return scalar(); }
  bool binary(binary_t& /*value*/) override { return scalar(); }
  bool start_object(std::size_t /*elements*/) override { return open(-1); }
  bool start_array(std::size_t /*elements*/) override { return open(0); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    levels_.back().key = name;
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    return false;
  }

 private:
  struct Level {
    std::int64_t index = -1;  // index of the next element of an array; -1 for an object
    std::string key;
  };

  // Enters a value. Returns whether the parser should continue.
  bool enter() {
    std::string at;
    for (const Level& level : levels_)
      at += '/' + (level.index >= 0 ? std::to_string(level.index) : level.key);
    if (at != pointer_) return true;
    found_at_ = *read_;
    return false;
  }
  bool scalar() {
    if (!enter()) return false;
    next();
    return true;
  }
  bool open(std::int64_t first_index) {
    if (!enter()) return false;
    levels_.push_back({first_index, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    next();
    return true;
  }
  void next() {
    if (!levels_.empty() && levels_.back().index >= 0) ++levels_.back().index;
  }

  std::string pointer_;
  const std::size_t* read_;
  std::vector<Level> levels_;
  std::size_t found_at_ = 0;
};

// Receives the events of the parser and stops it at the first key that already occurs in the same object.
class DuplicateFinder : public nlohmann::json_sax<json> {
 public:
  explicit DuplicateFinder(const std::size_t* read) : read_(read) {}

  // The duplicate key and the number of bytes read up to the end of the key; nullopt if there is none.
  const std::optional<std::pair<std::size_t, std::string>>& found() const { return found_; }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override {
    objects_.emplace_back();
    return true;
  }
  bool start_array(std::size_t /*elements*/) override { return true; }
  bool end_object() override {
    objects_.pop_back();
    return true;
  }
  bool end_array() override { return true; }
  bool key(string_t& name) override {
    if (objects_.back().insert(name).second) return true;
    found_ = {*read_, name};
    return false;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    return false;
  }

 private:
  const std::size_t* read_;
  std::vector<std::set<std::string>> objects_;  // the keys of all open objects
  std::optional<std::pair<std::size_t, std::string>> found_;
};

}  // namespace

std::optional<DuplicateKey> find_duplicate_key(std::string_view text, const std::string& file) {
  std::size_t read = 0;
  DuplicateFinder finder(&read);
  json::sax_parse(CountingIterator(text.data(), &read), CountingIterator(text.data() + text.size(), &read),
                  &finder);
  if (!finder.found()) return std::nullopt;
  const auto& [end, name] = *finder.found();
  // Searches backwards from the closing quote to the opening quote.
  const std::size_t closing = text.rfind('"', std::min(end, text.size()) - 1);
  const std::size_t opening = closing == 0 ? 0 : text.rfind('"', closing - 1);
  return DuplicateKey{location_of_byte(text, file, opening), name};
}

SourceLocation location_of_byte(std::string_view text, const std::string& file, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // if there is no line break, npos + 1 is 0
  return {file, static_cast<int>(std::ranges::count(before, '\n')) + 1,
          static_cast<int>(before.size() - line_start) + 1};
}

SourceLocation locate(std::string_view text, const std::string& file, const std::string& pointer) {
  std::size_t read = 0;
  Locator locator(pointer, &read);
  const CountingIterator begin(text.data(), &read);
  const CountingIterator end(text.data() + text.size(), &read);
  json::sax_parse(begin, end, &locator);
  // The parser may have read one byte past a number. Moves back to the last byte of the value and then to its
  // first byte.
  std::size_t at = std::min(locator.found_at(), text.size());
  while (at > 0 && std::string_view(" \t\r\n,]}").find(text[at - 1]) != std::string_view::npos) --at;
  if (at > 0 && text[at - 1] == '"') {
    at = text.rfind('"', at - 2);
  } else if (at > 0 && text[at - 1] != '{' && text[at - 1] != '[') {
    at = text.find_last_of(" \t\r\n,[:", at - 1) + 1;
  } else if (at > 0) {
    --at;
  }
  return location_of_byte(text, file, at);
}

}  // namespace coppice::schedule
