#include "config/keys/key_groups.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "config/document/entry_fields.h"
#include "config/document/file_name.h"
#include "config/keys/idle_keys.h"
#include "config/keys/key_builders.h"
#include "config/settings/shape.h"

namespace coppice::config {
namespace {

constexpr Purposes kRunOnly{Purpose::kRun};
constexpr int kMostNodes = 1 << 20;

const Fields<ProgramJobConfig>& job_fields() {
  using Job = ProgramJobConfig;
  static const Fields<Job> fields{
      {"name", value_schema::text(),
       [](const Node& v, const std::string& p, Job& j) { j.name = read_text(v, p, "a string"); }},
      {"file", value_schema::text(),
       [](const Node& v, const std::string& p, Job& j) {
         j.file = read_file_name(v, p, "the name of a program (YAML)");
       }},
      {"arrival", duration_schema(),
       [](const Node& v, const std::string& p, Job& j) { j.arrival = read_duration(v, p); }},
      {"accelerators", value_schema::list(value_schema::integer(0, kMostNodes - 1), 1),
       [](const Node& v, const std::string& p, Job& j) {
         j.accelerators = read_integers(v, p, 0, kMostNodes - 1);
       }},
  };
  return fields;
}

Key jobs_key() {
  Key key;
  key.path = "program.jobs";
  key.schema = entries_schema(job_fields(), {"file"}, 1);
  key.example = "[{file: program.yaml}]";
  key.read = [path = key.path](const Node& value, Config& config) {
    const std::string expected = "a list of jobs, for example [{file: program.yaml, arrival: 1 ms}]";
    config.program.jobs.clear();
    for (const Node& item : read_list(value, path, expected)) {
      const std::string place = element(path, config.program.jobs.size());
      auto job = read_entry<ProgramJobConfig>(item, place, job_fields(),
                                              "a job, for example {file: program.yaml, arrival: 1 ms}");
      if (job.file.empty())
        throw ConfigError(item.place, place + ".file is missing: write the name of a program (YAML)");
      if (job.name.empty()) job.name = fmt::format("job {}", config.program.jobs.size());
      config.program.jobs.push_back(std::move(job));
    }
    if (config.program.jobs.empty()) refuse(value, path, expected);
  };
  key.write = [](const Config& config) {
    if (config.program.jobs.empty()) return Json();
    Json list = Json::array();
    for (const ProgramJobConfig& job : config.program.jobs) {
      list.push_back({{"name", job.name}, {"file", job.file}, {"arrival", format_duration(job.arrival)}});
      if (!job.accelerators.empty()) list.back()["accelerators"] = job.accelerators;
    }
    return list;
  };
  return key;
}

const Fields<ProgramFailureConfig>& failure_fields() {
  using Failure = ProgramFailureConfig;
  static const Fields<Failure> fields{
      {"link", value_schema::list(value_schema::integer(0, kMostNodes - 1), 2, 2),
       [](const Node& v, const std::string& p, Failure& f) {
         f.link = read_integers(v, p, 0, kMostNodes - 1);
         if (f.link.size() != 2) refuse(v, p, "the numbers of the link's two nodes, for example [0, 1]");
       }},
      {"accelerator", value_schema::integer(0, kMostNodes - 1),
       [](const Node& v, const std::string& p, Failure& f) {
         f.accelerator = static_cast<int>(read_integer(v, p, 0, kMostNodes - 1));
       }},
      {"at", duration_schema(),
       [](const Node& v, const std::string& p, Failure& f) { f.at = read_duration(v, p); }},
  };
  return fields;
}

Key failures_key() {
  Key key;
  key.path = "program.failures";
  key.schema = entries_schema(failure_fields(), {"at"});
  key.example = "[{link: [0, 1], at: 1 ms}]";
  key.read = [path = key.path](const Node& value, Config& config) {
    const std::string expected = "a list of failures, for example [{link: [0, 1], at: 1 ms}]";
    config.program.failures.clear();
    for (const Node& item : read_list(value, path, expected)) {
      const std::string place = element(path, config.program.failures.size());
      const auto failure = read_entry<ProgramFailureConfig>(
          item, place, failure_fields(), "a failure, for example {link: [0, 1], at: 1 ms}");
      if (failure.link.empty() == (failure.accelerator < 0)) {
        throw ConfigError(item.place,
                          place + " needs either a link or an accelerator, for example link: [0, 1]");
      }
      if (std::ranges::none_of(item.children, [](const Node& child) { return child.name == "at"; })) {
        throw ConfigError(item.place,
                          place + ".at is missing: write the time of the failure, for example 1 ms");
      }
      config.program.failures.push_back(failure);
    }
  };
  key.write = [](const Config& config) {
    if (config.program.failures.empty()) return Json();
    Json list = Json::array();
    for (const ProgramFailureConfig& failure : config.program.failures) {
      Json one = Json::object();
      if (failure.link.empty()) {
        one["accelerator"] = failure.accelerator;
      } else {
        one["link"] = failure.link;
      }
      one["at"] = format_duration(failure.at);
      list.push_back(std::move(one));
    }
    return list;
  };
  return key;
}

std::string idle_failures(const Config& config, const Use& /*use*/) {
  return runs_program(config) ? "" : "the workload has no iterations to resume from";
}

std::string idle_restart(const Config& config, const Use& /*use*/) {
  return config.program.failures.empty() ? "no failures are configured" : "";
}

}  // namespace

void add_job_keys(std::vector<Key>& keys) {
  declare(keys,
          jobs_key()
              .of_form("a list of sections")
              .with_parts(
                  {{"name", "The name of the job in results (default: job 0, job 1, and so on).", "a string"},
                   {"file", "The program of the job (YAML).", "the name of a file"},
                   {"arrival", "When the job begins.", "a duration"},
                   {"accelerators",
                    "The accelerators of the job's ranks (default: the first accelerators that no earlier "
                    "job uses).",
                    "a list of whole numbers"}}),
          "The programs that share the machine, each on its own accelerators.", kRunOnly);
  declare(keys,
          failures_key()
              .of_form("a list of sections")
              .with_parts({{"link", "The two nodes that the failing link connects.", "[node, node]"},
                           {"accelerator", "The failing accelerator.", "a whole number, 0 or more"},
                           {"at", "When the failure happens.", "a duration"}}),
          "The links and accelerators that fail while programs run; a link fails in both directions.",
          kRunOnly, idle_failures);
  declare(keys,
          quantity_key(COPPICE_KEY(program.restart), parse_duration, format_duration, Femtoseconds{0},
                       kLongestDuration)
              .shown_as("10 ms")
              .written_if([](const Config& config) { return !config.program.failures.empty(); }),
          "The time from a failure to the restart of the affected jobs.", kRunOnly, idle_restart);
}

}  // namespace coppice::config
