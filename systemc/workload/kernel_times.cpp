#include "workload/kernel_times.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "workload/csv.h"

namespace coppice::workload {
namespace {

constexpr double kMostMicroseconds = 1e9;

bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  name.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t skipped = 0; skipped <= name.size(); ++skipped) {
    if (matches(pattern, name.substr(skipped))) return true;
  }
  return false;
}

Femtoseconds read_time(const Cell& cell) {
  double microseconds = 0;
  const char* const end = cell.text.data() + cell.text.size();
  const auto [rest, error] = std::from_chars(cell.text.data(), end, microseconds);
  if (error != std::errc() || rest != end || !(microseconds > 0) || microseconds > kMostMicroseconds) {
    throw ConfigError(cell.place, fmt::format("time_us: '{}' is not a number above 0 and at most {:.0e}",
                                              cell.text, kMostMicroseconds));
  }
  return std::llround(microseconds * 1e3 * static_cast<double>(kFemtosecondsPerNanosecond));
}

}  // namespace

std::vector<KernelTime> read_kernel_times(const std::string& path) {
  const std::vector<std::vector<Cell>> rows = read_csv(path);
  if (rows.empty() || rows.front().size() != 2 || rows.front()[0].text != "kernel" ||
      rows.front()[1].text != "time_us") {
    throw ConfigError({path, 1, 1}, "the first row must be 'kernel,time_us'");
  }
  std::vector<KernelTime> times;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<Cell>& row = rows[i];
    if (row.size() != 2) {
      throw ConfigError(
          row.front().place,
          fmt::format("the row has {} cells: write the name of a kernel and its time", row.size()));
    }
    times.push_back({row[0].text, read_time(row[1]), row[0].place});
  }
  return times;
}

void set_kernel_times(Program& program, const std::vector<KernelTime>& times) {
  std::vector<bool> used(times.size(), false);
  for (RankProgram& rank : program.ranks) {
    for (Operation& operation : rank.operations) {
      auto* const compute = std::get_if<Compute>(&operation.work);
      if (compute == nullptr) continue;
      std::optional<Femtoseconds> time;
      for (std::size_t i = 0; i < times.size(); ++i) {
        if (!matches(times[i].pattern, operation.name)) continue;
        used[i] = true;
        if (!time) time = times[i].time;
      }
      if (time) compute->duration = *time;
    }
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (used[i]) continue;
    throw ConfigError(times[i].place,
                      fmt::format("no kernel of {} matches '{}': correct the pattern, or remove the row",
                                  program.name, times[i].pattern));
  }
}

}  // namespace coppice::workload
