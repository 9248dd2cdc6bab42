#include "workload/csv.h"

#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "base/input_file.h"

namespace coppice::workload {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t\r\v\f";

std::string read_text(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw ConfigError({path}, "this is a folder: expected a layer table (CSV)");
  }
  std::string text;
  try {
    text = read_input_file(path);
  } catch (const UnreadableError& error) {
    throw ConfigError({path}, fmt::format("cannot read the layer table: {}", error.what()));
  }
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

Cell make_cell(std::string_view text, const std::string& path, int line, std::size_t offset) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {"", {path, line, static_cast<int>(offset) + 1}};
  const std::size_t end = text.find_last_not_of(kBlanks);
  return {std::string(text.substr(begin, end - begin + 1)),
          {path, line, static_cast<int>(offset + begin) + 1}};
}

// Splits a row at its commas or, if it has none, at its tabs. A cell that begins with # starts a comment,
// which extends to the end of the row.
std::vector<Cell> split(std::string_view line, const std::string& path, int number) {
  const char separator = line.find(',') == std::string_view::npos ? '\t' : ',';
  std::vector<Cell> cells;
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = line.find(separator, begin);
    cells.push_back(make_cell(line.substr(begin, comma - begin), path, number, begin));
    if (cells.back().text.starts_with('#')) {
      cells.pop_back();
      break;
    }
    if (comma == std::string_view::npos) break;
    begin = comma + 1;
  }
  while (!cells.empty() && cells.back().text.empty()) cells.pop_back();
  return cells;
}

}  // namespace

std::vector<std::vector<Cell>> read_csv(const std::string& path) {
  const std::string text = read_text(path);
  std::vector<std::vector<Cell>> rows;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    ++number;
    if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos) {
      throw ConfigError({path, number, static_cast<int>(nul) + 1},
                        "this byte is zero, so the file is not a text file");
    }
    std::vector<Cell> cells = split(line, path, number);
    if (!cells.empty()) rows.push_back(std::move(cells));
    begin = end + 1;
  }
  return rows;
}

}  // namespace coppice::workload
