#include "config/document/nearest.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace coppice::config {
namespace {

std::string_view last_part(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

template <typename Distance>
std::string least(std::span<const std::string> candidates, Distance distance) {
  std::string best;
  int least_distance = std::numeric_limits<int>::max();
  for (const std::string& candidate : candidates) {
    const int d = distance(candidate);
    if (d < least_distance) {
      least_distance = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1);
  std::vector<int> last(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  return least(candidates, [&](const std::string& candidate) { return edit_distance(name, candidate); });
}

std::string nearest_key(std::string_view path, std::span<const std::string> keys) {
  const std::string_view name = last_part(path);
  return least(keys, [&](const std::string& key) {
    const int whole = edit_distance(path, key);
    // A correct name in the wrong section is a more likely mistake than a name with many wrong letters.
    const int elsewhere = 2 + 3 * edit_distance(name, last_part(key));
    return std::min(whole, elsewhere);
  });
}

}  // namespace coppice::config
