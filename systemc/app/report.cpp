// coppice report: writes results as one self-contained page.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/page_data.h"
#include "app/page_parts.h"
#include "app/replay.h"
#include "base/error.h"
#include "base/input_file.h"
#include "config/files/file_kind.h"

namespace coppice::app {
namespace {

using nlohmann::ordered_json;

struct ReportLine {
  std::vector<std::string> results;
  std::string out;
  double replay_seconds = 60;
};

ordered_json parse_result(const std::string& path) {
  std::string text;
  try {
    text = read_input_file(path);
  } catch (const UnreadableError& error) {
    throw ConfigError({path}, fmt::format("'{}' cannot be read: {}", path, error.what()));
  }
  ordered_json result;
  try {
    result = ordered_json::parse(text);
  } catch (const ordered_json::exception& error) {
    throw ConfigError({path}, fmt::format("not a coppice result, because it is not JSON: {}", error.what()));
  }
  const bool ours = result.is_object() && (result.contains("schema") || result.contains("rows") ||
                                           result.contains("layers") || result.contains("groups"));
  if (!ours) {
    throw ConfigError({path},
                      "this JSON file is not a coppice result: pass a file that coppice run, traffic, route, "
                      "layers or compare wrote with --out");
  }
  if (result.value("schema", "") == "coppice.schedule/1") {
    config::refuse_other_kind(path, {config::FileKind::kResult});
  }
  return result;
}

ordered_json read_result(const std::string& path) {
  return config::read_as({config::FileKind::kResult}, path, [&] { return parse_result(path); });
}

// Escapes text for use in a script element.
std::string in_script(std::string text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos; at += 6) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

std::string in_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      safe += c;
    }
  }
  return safe;
}

// Replaces the first occurrence of every @NAME@ in `parts`.
std::string fill(std::string page, const std::vector<std::pair<std::string, std::string>>& parts) {
  for (const auto& [name, text] : parts) {
    const std::size_t at = page.find(name);
    if (at != std::string::npos) page.replace(at, name.size(), text);
  }
  return page;
}

// A result's activity over time: the profile stored by the run, or by a repetition of the run.
ordered_json profile_of(const std::string& path, const ordered_json& result, const ReportLine& line,
                        const std::atomic<bool>* interrupted) {
  ordered_json profile;
  const bool kept = result.contains("stretches") && !result["stretches"].empty() &&
                    result["stretches"].front().contains("profile");
  if (result.contains("profile")) {
    profile = result["profile"];
  } else if (kept) {
    profile = {{"stretches", result["stretches"]}};
  } else {
    profile = replay(path, result, line.replay_seconds, interrupted);
  }
  if (!profile.contains("stretches")) return profile;
  auto lanes = ordered_json::array();
  for (const ordered_json& stretch : profile["stretches"]) {
    lanes.push_back({{"begin_ns", stretch.value("begin_ns", 0.0)}, {"end_ns", stretch.value("end_ns", 0.0)}});
    if (!stretch.contains("profile")) continue;
    for (const char* key : {"cycle_ns", "parts", "names", "lanes", "lanes_in_all", "merged"}) {
      if (stretch["profile"].contains(key)) lanes.back()[key] = stretch["profile"][key];
    }
  }
  return {{"stretches", std::move(lanes)}};
}

// Names that distinguish results: file names if these differ, otherwise whole paths.
std::vector<std::string> names_of(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    const std::string stem = std::filesystem::path(path).stem().string();
    const auto same = std::count_if(paths.begin(), paths.end(), [&](const std::string& other) {
      return std::filesystem::path(other).stem().string() == stem;
    });
    names.push_back(same > 1 ? path : stem);
  }
  return names;
}

// Adds a result to the page's data, without the parts that would make the page too large.
void add_result(ordered_json& data, ordered_json one, std::size_t& bytes) {
  constexpr std::size_t kMostBytes = 2'400'000;  // 3 MB with the library and the scripts
  for (const char* part : {"profile", "network"}) {
    if (bytes + one.dump().size() <= kMostBytes) break;
    one.erase(part);
    one["profile"] = {
        {"skipped",
         "The page has reached its maximum size: report this result alone to see its network over time."}};
  }
  bytes += one.dump().size();
  data["results"].push_back(std::move(one));
}

void execute(const ReportLine& line) {
  Outputs outputs(line.results);
  system::ResultFile* out = outputs.add("--out", line.out);
  const std::atomic<bool>& interrupted = catch_interrupts();
  const std::vector<std::string> names = names_of(line.results);
  ordered_json data{
      {"version", COPPICE_VERSION}, {"fields", explanations()}, {"results", ordered_json::array()}};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < line.results.size(); ++i) {
    ordered_json result = read_result(line.results[i]);
    const bool searched = result.value("schema", "") == "coppice.explore/1";
    if (searched && line.results.size() > 1) {
      throw ConfigError({line.results[i]},
                        "a search result cannot share a page with other results: pass it alone");
    }
    ordered_json one{{"name", names[i]}};
    if (!searched) {
      one["network"] = network_of(line.results[i], result);
      one["profile"] = profile_of(line.results[i], result, line, &interrupted);
      result = condensed(std::move(result));
    }
    one["result"] = std::move(result);
    add_result(data, std::move(one), bytes);
  }
  const std::string title = names.size() == 1 ? names.front() : fmt::format("{} results", names.size());
  out->write(fill(std::string(page_parts().html), {{"@VERSION@", COPPICE_VERSION},
                                                   {"@TITLE@", in_html("Coppice: " + title)},
                                                   {"@STYLE@", std::string(page_parts().style)},
                                                   {"@LIBRARY@", std::string(page_parts().library)},
                                                   {"@SCRIPT@", std::string(page_parts().script)},
                                                   {"@DATA@", in_script(data.dump())}}));
}

}  // namespace

Command add_report(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("report", "show results as one self-contained HTML page");
  auto line = std::make_shared<ReportLine>();
  app->add_option("RESULT.json", line->results, "result files written with --out; several are compared")
      ->required();
  app->add_option("--out", line->out, "the HTML page to write")->required()->type_name("REPORT.html");
  app->add_option("--replay-seconds", line->replay_seconds,
                  "to show links and ports over time, repeat runs that were not recorded (--record), if they "
                  "take at most this long; 0: repeat no run")
      ->type_name("SECONDS")
      ->capture_default_str();
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
