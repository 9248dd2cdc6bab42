// coppice report: results as one page that needs nothing else.
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
#include "app/page_parts.h"
#include "app/replay.h"
#include "base/error.h"
#include "base/input_file.h"

namespace coppice::app {
namespace {

using nlohmann::ordered_json;

struct ReportLine {
  std::vector<std::string> results;
  std::string out;
  double replay_seconds = 60;
};

ordered_json read_result(const std::string& path) {
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
    throw ConfigError({path}, fmt::format("not JSON, so not a coppice result: {}", error.what()));
  }
  const bool ours = result.is_object() && (result.contains("schema") || result.contains("rows") ||
                                           result.contains("layers") || result.contains("groups"));
  if (!ours) {
    throw ConfigError(
        {path},
        "this JSON is not a coppice result: pass a file written by --out of run, traffic, route, "
        "layers or compare wrote");
  }
  if (result.value("schema", "") == "coppice.schedule/1") {
    throw ConfigError(
        {path}, "this is a schedule: run it with collective.algorithm=file and pass the result of that run");
  }
  return result;
}

// Text that may stand in a script element.
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

// `page` with every @NAME@ of the list replaced once.
std::string fill(std::string page, const std::vector<std::pair<std::string, std::string>>& parts) {
  for (const auto& [name, text] : parts) {
    const std::size_t at = page.find(name);
    if (at != std::string::npos) page.replace(at, name.size(), text);
  }
  return page;
}

// Names that tell results apart: file names where those differ, else whole paths.
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

void execute(const ReportLine& line) {
  Outputs outputs(line.results);
  system::ResultFile* out = outputs.add("--out", line.out);
  const std::atomic<bool>& interrupted = catch_interrupts();
  const std::vector<std::string> names = names_of(line.results);
  ordered_json data{{"version", COPPICE_VERSION}, {"results", ordered_json::array()}};
  for (std::size_t i = 0; i < line.results.size(); ++i) {
    ordered_json result = read_result(line.results[i]);
    const bool searched = result.value("schema", "") == "coppice.explore/1";
    if (searched && line.results.size() > 1) {
      throw ConfigError({line.results[i]}, "a search result has its own page: pass it alone");
    }
    ordered_json profile =
        searched ? ordered_json() : replay(line.results[i], result, line.replay_seconds, &interrupted);
    data["results"].push_back(
        {{"name", names[i]}, {"result", std::move(result)}, {"profile", std::move(profile)}});
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
                  "repeat runs of up to N seconds to show link use and timelines; 0: never")
      ->type_name("SECONDS")
      ->capture_default_str();
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
