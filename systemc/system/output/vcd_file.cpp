#include "system/output/vcd_file.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace coppice::system {
namespace {

constexpr Femtoseconds kPicosecond = 1000;

// A short identifier of printable characters, unique for each number.
std::string identifier(std::size_t number) {
  constexpr std::size_t kCharacters = 94;
  std::string text;
  for (;; number = number / kCharacters - 1) {
    text += static_cast<char>('!' + number % kCharacters);
    if (number < kCharacters) return text;
  }
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream stream(name);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  return parts;
}

}  // namespace

std::size_t VcdFile::add(std::string name, int width) {
  signals_.push_back({std::move(name), width});
  return signals_.size() - 1;
}

void VcdFile::write_header() {
  begun_ = true;
  std::string text = "$version coppice " COPPICE_VERSION " $end\n$timescale 1 ps $end\n";
  std::vector<std::string> open;
  const auto close_to = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) text += "$upscope $end\n";
  };
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    std::vector<std::string> scopes = parts_of(signals_[i].name);
    const std::string own = scopes.back();
    scopes.pop_back();
    const auto [from, _] = std::ranges::mismatch(open, scopes);
    close_to(static_cast<std::size_t>(from - open.begin()));
    for (std::size_t s = open.size(); s < scopes.size(); ++s) {
      text += fmt::format("$scope module {} $end\n", scopes[s]);
      open.push_back(scopes[s]);
    }
    const int width = signals_[i].width;
    text += fmt::format("$var wire {} {} {}{} $end\n", width, identifier(i), own,
                        width > 1 ? fmt::format(" [{}:0]", width - 1) : "");
  }
  close_to(0);
  output_.append(text + "$enddefinitions $end\n");
}

void VcdFile::write_time(Femtoseconds at) {
  if (at == written_) return;
  written_ = at;
  output_.append(fmt::format("#{}\n", at / kPicosecond));
}

void VcdFile::write_value(std::size_t signal) {
  const Signal& one = signals_[signal];
  output_.append(one.width == 1 ? fmt::format("{}{}\n", one.value, identifier(signal))
                                : fmt::format("b{:b} {}\n", one.value, identifier(signal)));
}

void VcdFile::set(std::size_t signal, std::uint64_t value, Femtoseconds at) {
  last_ = at;
  Signal& one = signals_[signal];
  const bool first = !begun_;
  if (!first && one.value == value) return;
  one.value = value;
  if (first) {
    write_header();
    write_time(at);
    output_.append("$dumpvars\n");
    for (std::size_t i = 0; i < signals_.size(); ++i) write_value(i);
    output_.append("$end\n");
    return;
  }
  write_time(at);
  write_value(signal);
}

void VcdFile::finish() {
  if (!begun_) write_header();
  write_time(last_);
  output_.commit();
}

}  // namespace coppice::system
