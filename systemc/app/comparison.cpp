#include "app/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "base/readable_time.h"
#include "system/output/result_frame.h"

namespace coppice::app {
namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 520;
constexpr double kLeft = 90;
constexpr double kRight = 230;  // room for the names of algorithms
constexpr double kTop = 50;
constexpr double kBottom = 70;
constexpr std::size_t kMostSizeLabels = 8;
// The colours of Okabe and Ito, which remain distinct for colour-blind readers. If there are more lines than
// colours, the colours are repeated with dashed lines.
constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#777777"};
constexpr const char* kText = "#222";

// A logarithmic axis, which maps values to positions in the figure.
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

std::string polyline(const std::vector<std::pair<double, double>>& points, const char* color,
                     const char* dashes) {
  std::string text = fmt::format("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"{}\"", color);
  if (*dashes != 0) text += fmt::format(" stroke-dasharray=\"{}\"", dashes);
  text += " points=\"";
  for (const auto& [x, y] : points) text += fmt::format("{:.1f},{:.1f} ", x, y);
  return text + "\"/>\n";
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string label(double x, double y, const std::string& text, const char* anchor, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n", x, y,
                     anchor, kText, more, escaped(text));
}

std::string name_of(const ComparedRun& run) {
  return run.chosen.empty() ? run.algorithm : run.algorithm + " (" + run.chosen + ")";
}

}  // namespace

std::string comparison_text(const std::vector<ComparedRun>& runs) {
  std::string text = fmt::format("{:>10}  {:<36} {:>10} {:>11} {:>11} {:>9} {:>12}\n", "size", "algorithm",
                                 "time", "algbw GB/s", "busbw GB/s", "of bound", "table bytes");
  Bytes size = -1;
  for (const ComparedRun& run : runs) {
    text += fmt::format("{:>10}  {:<36} {:>10} {:>11.2f} {:>11.2f} {:>8.1f}% {:>12}\n",
                        run.size == size ? "" : format_bytes(run.size), name_of(run),
                        (run.estimated ? "~" : "") + readable_time(run.time_ns), run.algbw_gb_s,
                        run.busbw_gb_s, 100 * run.efficiency, run.table_bytes);
    size = run.size;
  }
  return text;
}

namespace {

// A time in microseconds, in the format of nccl-tests.
std::string nccl_time(double ns) {
  const double us = ns / 1000;
  return us >= 10'000 ? fmt::format("{:7.0f}", us)
         : us >= 100  ? fmt::format("{:7.1f}", us)
                      : fmt::format("{:7.2f}", us);
}

// The name of the nccl-tests program for an operation, such as all_reduce_perf.
std::string perf_name(const std::string& op) {
  return (op == "all_to_all" ? "alltoall" : op) + "_perf";
}

}  // namespace

std::string comparison_nccl_tests(const std::vector<ComparedRun>& runs, const NcclTest& test) {
  constexpr Bytes kFloat = 4;
  const bool shared = test.op == "all_gather" || test.op == "reduce_scatter" || test.op == "all_to_all";
  const bool reduces = test.op == "all_reduce" || test.op == "reduce_scatter" || test.op == "reduce";
  const bool rooted = test.op == "broadcast" || test.op == "reduce";
  std::string text =
      fmt::format("# {} simulated by coppice {}: the fastest algorithm for each size\n# Using devices\n",
                  perf_name(test.op), COPPICE_VERSION);
  for (int rank = 0; rank < test.ranks; ++rank)
    text += fmt::format("#  Rank {:>2} on coppice device {:>2}\n", rank, rank);
  text += fmt::format("#\n# {:^62}{:^32}   {:^32}\n", "", "out-of-place", "in-place");
  text +=
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw "
      "  busbw "
      "#wrong\n";
  text +=
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s) "
      " (GB/s)  "
      "     \n";
  Bytes size = -1;
  double total = 0;
  int sizes = 0;
  for (const ComparedRun& run : runs) {
    // Omits estimates, and runs that were slower than another run of this size.
    if (run.size == size || run.estimated) continue;
    size = run.size;
    const std::string measured = fmt::format("{}  {:6.2f}  {:6.2f} {:>6}", nccl_time(run.time_ns),
                                             run.algbw_gb_s, run.busbw_gb_s, run.verified ? "0" : "N/A");
    text += fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}  {}  {}\n", run.size,
                        run.size / kFloat / (shared ? test.ranks : 1), "float", reduces ? "sum" : "none",
                        rooted ? test.root : -1, measured, measured);
    total += run.busbw_gb_s;
    ++sizes;
  }
  text += fmt::format("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {:g}\n#\n",
                      sizes > 0 ? total / sizes : 0.0);
  return text;
}

std::string comparison_csv(const std::vector<ComparedRun>& runs) {
  std::string text =
      "algorithm,size_bytes,time_ns,algbw_gb_s,busbw_gb_s,efficiency,bound_ns,table_bytes,chosen,estimated\n";
  for (const ComparedRun& run : runs) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", run.algorithm, run.size, run.time_ns,
                        run.algbw_gb_s, run.busbw_gb_s, run.efficiency, run.bound_ns, run.table_bytes,
                        run.chosen, run.estimated ? 1 : 0);
  }
  return text;
}

std::string comparison_json(const std::vector<ComparedRun>& runs, const config::Config& config) {
  nlohmann::ordered_json json = system::begin_result("coppice.compare/1", config);
  json["rows"] = nlohmann::ordered_json::array();
  for (const ComparedRun& run : runs) {
    nlohmann::ordered_json row{{"algorithm", run.algorithm},   {"size", run.size},
                               {"time_ns", run.time_ns},       {"algbw_gb_s", run.algbw_gb_s},
                               {"busbw_gb_s", run.busbw_gb_s}, {"efficiency", run.efficiency},
                               {"bound_ns", run.bound_ns},     {"table_bytes", run.table_bytes}};
    if (!run.chosen.empty()) row["chosen"] = run.chosen;
    if (run.estimated) row["estimated"] = true;
    json["rows"].push_back(std::move(row));
  }
  return json_text(json);
}

namespace {

using Points =
    std::vector<std::pair<double, double>>;  // (size, time in ns), converted to positions in the figure

// The frame of the figure: axes with labels, and grid lines.
std::string frame(const LogAxis& x, const LogAxis& y, const std::map<Bytes, double>& bound,
                  const std::string& title) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  text += label(kLeft, kTop - 22, title, "start", " font-size=\"14\" font-weight=\"bold\"");
  const double bottom = kHeight - kBottom;
  const std::size_t step = (bound.size() + kMostSizeLabels - 1) / kMostSizeLabels;
  std::size_t left = bound.size();
  for (const auto& [size, ns] : bound) {
    const double place = x.place(static_cast<double>(size));
    text += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#eee\"/>\n", place, kTop, bottom);
    if (--left % step == 0) text += label(place, bottom + 20, format_bytes(size), "middle");
  }
  const auto decade_of = [](double ns) { return static_cast<int>(std::floor(std::log10(ns))); };
  for (int power = decade_of(y.low()); power <= decade_of(y.high()); ++power) {
    const double decade = std::pow(10, power);
    for (const int part : {1, 2, 5}) {
      const double ns = decade * part;
      if (ns < y.low() || ns > y.high()) continue;
      text += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"{}\"/>\n", kLeft, y.place(ns),
                          kWidth - kRight, part == 1 ? "#ccc" : "#eee");
      if (part == 1 || y.high() < 300 * y.low())
        text += label(kLeft - 8, y.place(ns) + 4, readable_time(ns), "end");
    }
  }
  text += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" stroke=\"{4}\" fill=\"none\"/>\n", kLeft,
                      kTop, bottom, kWidth - kRight, kText);
  text += label((kLeft + kWidth - kRight) / 2, kHeight - 22, "bytes per accelerator", "middle");
  return text + label(kLeft - 8, kTop - 6, "time", "end");
}

Points places_of(const LogAxis& x, const LogAxis& y, const Points& points) {
  Points places;
  for (const auto& [size, ns] : points) places.emplace_back(x.place(size), y.place(ns));
  return places;
}

// Draws a line with a circle at every point, and a short sample of the line next to the algorithm's name.
std::string series(Points places, const std::string& name, std::size_t number, double name_y) {
  const char* const color = kColors[number % std::size(kColors)];
  const char* const dashes = number < std::size(kColors) ? "" : "7 3";
  const double sample = kWidth - kRight + 18;
  std::string text = polyline(places, color, dashes);
  text += polyline({{sample, name_y - 4}, {sample + 24, name_y - 4}}, color, dashes);
  places.emplace_back(sample + 12, name_y - 4);
  for (const auto& [x, y] : places) {
    text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, color);
  }
  return text + label(sample + 32, name_y, name, "start");
}

// Draws circles around the algorithms that `auto` chose.
std::string rings(Points places, const std::string& name, double name_y) {
  std::string text;
  const double sample = kWidth - kRight + 18;
  places.emplace_back(sample + 12, name_y - 4);
  for (const auto& [x, y] : places) {
    text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6.5\" fill=\"none\" stroke=\"{}\"/>\n", x, y,
                        kText);
  }
  return text + label(sample + 32, name_y, name, "start");
}

}  // namespace

std::string comparison_svg(const std::vector<ComparedRun>& runs, const std::string& title) {
  double least = runs.front().time_ns;
  double most = least;
  std::map<Bytes, double> bound;
  std::map<std::string, Points> lines;
  Points chosen;
  for (const ComparedRun& run : runs) {
    least = std::min({least, run.time_ns, run.bound_ns > 0 ? run.bound_ns : run.time_ns});
    most = std::max(most, run.time_ns);
    bound[run.size] = run.bound_ns;
    // If `auto` chooses only among the algorithms of one library, its line is drawn like those of other
    // algorithms.
    const bool chooses = !run.chosen.empty() && run.algorithm == "auto";
    Points& line = chooses ? chosen : lines[run.algorithm];
    line.emplace_back(static_cast<double>(run.size), run.time_ns);
  }
  const LogAxis x(static_cast<double>(bound.begin()->first), static_cast<double>(bound.rbegin()->first),
                  kLeft, kWidth - kRight);
  const LogAxis y(least / 1.2, most * 1.2, kHeight - kBottom, kTop);
  // Names are in the vertical order of the lines' right ends: the algorithm that is slowest at the largest
  // size comes first.
  std::vector<std::pair<double, std::string>> order;
  for (auto& [algorithm, points] : lines) {
    std::ranges::sort(points);
    order.emplace_back(-points.back().second, algorithm);
  }
  std::ranges::sort(order);
  std::string text = frame(x, y, bound, title);
  double name_y = kTop + 10;
  for (std::size_t i = 0; i < order.size(); ++i, name_y += 19) {
    text += series(places_of(x, y, lines[order[i].second]), order[i].second, i, name_y);
  }
  if (!chosen.empty()) {
    text += rings(places_of(x, y, chosen), "auto's choice", name_y);
    name_y += 19;
  }
  Points limit;
  for (const auto& [size, ns] : bound) {
    if (ns > 0) limit.emplace_back(static_cast<double>(size), ns);
  }
  const double sample = kWidth - kRight + 18;
  text += polyline(places_of(x, y, limit), kText, "2 3");
  text += polyline({{sample, name_y - 4}, {sample + 24, name_y - 4}}, kText, "2 3");
  return text + label(sample + 32, name_y, "lower bound", "start") + "</svg>\n";
}

}  // namespace coppice::app
