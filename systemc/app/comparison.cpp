#include "app/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace coppice::app {
namespace {

constexpr double kWidth = 760;
constexpr double kHeight = 480;
constexpr double kLeft = 90;
constexpr double kRight = 190;  // for the names
constexpr double kTop = 40;
constexpr double kBottom = 60;
constexpr const char* kColors[] = {"#1b6ca8", "#c8553d", "#588157", "#8d6a9f", "#d4a017", "#3d405b",
                                   "#e07a5f", "#2a9d8f", "#6d6875", "#b5838d", "#264653", "#a44a3f"};

// From values to places on a logarithmic axis.
class LogAxis {
 public:
  LogAxis(double low, double high, double from, double to)
      : low_(std::log10(low)), high_(std::log10(std::max(high, low * 1.01))), from_(from), to_(to) {}
  double place(double value) const {
    return from_ + (std::log10(value) - low_) / (high_ - low_) * (to_ - from_);
  }
  double low() const { return std::pow(10, low_); }
  double high() const { return std::pow(10, high_); }

 private:
  double low_;
  double high_;
  double from_;
  double to_;
};

std::string polyline(const std::vector<std::pair<double, double>>& points, const char* color, bool dashed) {
  std::string text = "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"";
  text += color;
  text += dashed ? "\" stroke-dasharray=\"6 4\" points=\"" : "\" points=\"";
  for (const auto& [x, y] : points) text += fmt::format("{:.1f},{:.1f} ", x, y);
  return text + "\"/>\n";
}

std::string label(double x, double y, const std::string& text, const char* anchor,
                  const char* color = "#222") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y,
                     anchor, color, text);
}

std::string nanoseconds(double ns) {
  if (ns >= 1e9) return fmt::format("{:g} s", ns / 1e9);
  if (ns >= 1e6) return fmt::format("{:g} ms", ns / 1e6);
  if (ns >= 1e3) return fmt::format("{:g} µs", ns / 1e3);
  return fmt::format("{:g} ns", ns);
}

std::string name_of(const ComparedRun& run) {
  return run.chosen.empty() ? run.algorithm : run.algorithm + " (" + run.chosen + ")";
}

}  // namespace

std::string comparison_text(const std::vector<ComparedRun>& runs) {
  std::string text = fmt::format("{:>10}  {:<36} {:>14} {:>10} {:>9} {:>12}\n", "size", "algorithm",
                                 "time ns", "GB/s", "of bound", "table bytes");
  Bytes size = -1;
  for (const ComparedRun& run : runs) {
    text += fmt::format("{:>10}  {:<36} {:>14.0f} {:>10.2f} {:>8.1f}% {:>12}\n",
                        run.size == size ? "" : format_bytes(run.size), name_of(run), run.time_ns,
                        run.algbw_gb_s, 100 * run.efficiency, run.table_bytes);
    size = run.size;
  }
  return text;
}

std::string comparison_csv(const std::vector<ComparedRun>& runs) {
  std::string text = "algorithm,size_bytes,time_ns,algbw_gb_s,efficiency,bound_ns,table_bytes,chosen\n";
  for (const ComparedRun& run : runs) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", run.algorithm, run.size, run.time_ns, run.algbw_gb_s,
                        run.efficiency, run.bound_ns, run.table_bytes, run.chosen);
  }
  return text;
}

std::string comparison_json(const std::vector<ComparedRun>& runs) {
  nlohmann::ordered_json json;
  json["schema"] = "coppice.compare/1";
  json["version"] = COPPICE_VERSION;
  json["rows"] = nlohmann::ordered_json::array();
  for (const ComparedRun& run : runs) {
    nlohmann::ordered_json row{{"algorithm", run.algorithm},    {"size", run.size},
                               {"time_ns", run.time_ns},        {"algbw_gb_s", run.algbw_gb_s},
                               {"efficiency", run.efficiency},  {"bound_ns", run.bound_ns},
                               {"table_bytes", run.table_bytes}};
    if (!run.chosen.empty()) row["chosen"] = run.chosen;
    json["rows"].push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

std::string comparison_svg(const std::vector<ComparedRun>& runs, const std::string& title) {
  double least = runs.front().time_ns;
  double most = least;
  for (const ComparedRun& run : runs) {
    least = std::min({least, run.time_ns, run.bound_ns > 0 ? run.bound_ns : run.time_ns});
    most = std::max(most, run.time_ns);
  }
  const auto [small, large] = std::ranges::minmax(runs, {}, &ComparedRun::size);
  const LogAxis x(static_cast<double>(small.size), static_cast<double>(large.size), kLeft, kWidth - kRight);
  const LogAxis y(least / 1.2, most * 1.2, kHeight - kBottom, kTop);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  text += label(kLeft, kTop - 16, title, "start");
  std::map<Bytes, double> bound;
  std::map<std::string, std::vector<std::pair<double, double>>> lines;
  for (const ComparedRun& run : runs) {
    bound[run.size] = run.bound_ns;
    lines[run.algorithm].emplace_back(static_cast<double>(run.size), run.time_ns);
  }
  for (const auto& [size, ns] : bound) {
    text += label(x.place(static_cast<double>(size)), kHeight - kBottom + 20, format_bytes(size), "middle");
  }
  for (double ns = std::pow(10, std::floor(std::log10(y.low()))); ns <= y.high(); ns *= 10) {
    if (ns < y.low()) continue;
    text += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#ddd\"/>\n", kLeft, y.place(ns),
                        kWidth - kRight);
    text += label(kLeft - 8, y.place(ns) + 4, nanoseconds(ns), "end");
  }
  std::vector<std::pair<double, std::string>> names;
  std::size_t color = 0;
  double name_y = kTop;
  for (auto& [algorithm, points] : lines) {
    std::ranges::sort(points);
    std::vector<std::pair<double, double>> places;
    for (const auto& [size, ns] : points) places.emplace_back(x.place(size), y.place(ns));
    const char* const paint = kColors[color++ % std::size(kColors)];
    text += polyline(places, paint, false);
    for (const auto& [px, py] : places) {
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", px, py, paint);
    }
    text += label(kWidth - kRight + 14, name_y += 18, algorithm, "start", paint);
  }
  std::vector<std::pair<double, double>> places;
  for (const auto& [size, ns] : bound) {
    if (ns > 0) places.emplace_back(x.place(static_cast<double>(size)), y.place(ns));
  }
  text += polyline(places, "#222", true);
  text += label(kWidth - kRight + 14, name_y + 18, "least possible (dashed)", "start");
  return text + "</svg>\n";
}

}  // namespace coppice::app
