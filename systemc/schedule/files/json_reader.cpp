#include "schedule/files/json_reader.h"

namespace coppice::schedule {
namespace {

// Returns the library's message without the prefix "parse error at line 3, column 19: ".
std::string without_place(const std::string& message) {
  const std::size_t column = message.find(", column ");
  const std::size_t colon = column == std::string::npos ? column : message.find(": ", column);
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

}  // namespace

nlohmann::json JsonReader::parse() const {
  require_text();
  nlohmann::json document;
  try {
    document = nlohmann::json::parse(text_);
  } catch (const nlohmann::json::parse_error& error) {
    throw ConfigError(location_of_byte(text_, file_, error.byte > 0 ? error.byte - 1 : 0),
                      fmt::format("not valid JSON: {}", without_place(error.what())));
  } catch (const nlohmann::json::out_of_range& error) {
    throw ConfigError({file_}, fmt::format("not valid JSON: {}", without_place(error.what())));
  }
  if (const auto twin = find_duplicate_key(text_, file_)) {
    throw ConfigError(twin->place,
                      fmt::format("this object has two keys '{}': keep one of them", twin->name));
  }
  return document;
}

// Rejects zero bytes, because the parser would treat them as the end of the file.
void JsonReader::require_text() const {
  const std::size_t zero = text_.find('\0');
  if (zero == std::string_view::npos) return;
  throw ConfigError(location_of_byte(text_, file_, zero),
                    "the byte 0x00 cannot occur in a text file: remove it and everything after it");
}

}  // namespace coppice::schedule
