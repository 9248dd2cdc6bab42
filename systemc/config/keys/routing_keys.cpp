#include "config/keys/routing_keys.h"

#include <algorithm>
#include <utility>

#include "config/document/entry_fields.h"
#include "config/document/values.h"
#include "config/keys/key_builders.h"
#include "config/settings/shape.h"
#include "routing/methods.h"
#include "workload/large_model.h"

namespace coppice::config {
namespace {

constexpr int kMostReplicas = 1024;
constexpr int kMostSpines = 1 << 15;
constexpr int kMostNodes = 1 << 20;
constexpr Purposes kRouteOnly{Purpose::kRoute};

std::string idle_failures(const Config& config, const Use& /*use*/) {
  const topology::KindInfo* const kind = kind_of(config);
  return kind != nullptr && kind->spines_fail ? "" : "a " + config.system.topology.kind + " has no spines";
}

std::string idle_degraded(const Config& config, const Use& /*use*/) {
  const topology::KindInfo* const kind = kind_of(config);
  return kind != nullptr && kind->spines_fail ? "the links of a " + config.system.topology.kind + " only fail"
                                              : "";
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const workload::LargeModel& model : workload::large_models()) names.push_back(model.name);
  return names;
}

const Fields<RoutedJobConfig>& job_fields() {
  using Job = RoutedJobConfig;
  static const Fields<Job> fields{
      {"model", value_schema::names(model_names()),
       [](const Node& v, const std::string& p, Job& j) { j.model = read_name(v, p, model_names()); }},
      {"data_parallel", value_schema::integer(2, kMostReplicas),
       [](const Node& v, const std::string& p, Job& j) {
         j.data_parallel = static_cast<int>(read_integer(v, p, 2, kMostReplicas));
       }},
      {"arrival", duration_schema(),
       [](const Node& v, const std::string& p, Job& j) { j.arrival = read_duration(v, p); }},
      {"copy", value_schema::integer(1, 1 << 20),
       [](const Node& v, const std::string& p, Job& j) {
         j.copy = static_cast<int>(read_integer(v, p, 1, 1 << 20));
       }},
      {"gradient", value_schema::quantity(parse_bytes),
       [](const Node& v, const std::string& p, Job& j) {
         j.gradient = read_quantity(v, p, parse_bytes, format_bytes, Bytes{4}, Bytes{1} << 40);
         if (*j.gradient % 4 != 0) refuse(v, p, "a whole number of elements of 4 B");
       }},
      {"compute", duration_schema(),
       [](const Node& v, const std::string& p, Job& j) { j.compute = read_duration(v, p); }},
  };
  return fields;
}

RoutedJobConfig read_job(const Node& value, const std::string& path) {
  auto job = read_entry<RoutedJobConfig>(value, path, job_fields(),
                                         "a job, for example {model: bloom, data_parallel: 4}");
  if (job.model.empty() && !(job.copy && job.gradient && job.compute)) {
    throw ConfigError(
        value.place,
        fmt::format("{}.model is missing; give the job a model, or its own copy, gradient and compute",
                    path));
  }
  return job;
}

Json write_job(const RoutedJobConfig& job) {
  Json json = Json::object();
  if (!job.model.empty()) json["model"] = job.model;
  json["data_parallel"] = job.data_parallel;
  if (job.arrival) json["arrival"] = format_duration(*job.arrival);
  if (job.copy) json["copy"] = *job.copy;
  if (job.gradient) json["gradient"] = format_bytes(*job.gradient);
  if (job.compute) json["compute"] = format_duration(*job.compute);
  return json;
}

Key jobs_key() {
  Key key;
  key.path = "routing.jobs";
  key.schema = entries_schema(job_fields(), {}, 1);
  key.example = "[{model: bloom, data_parallel: 4}]";
  key.read = [path = key.path](const Node& value, Config& config) {
    const std::string expected = "a list of jobs, for example [{model: bloom, data_parallel: 4}]";
    config.routing.jobs.clear();
    for (const Node& item : read_list(value, path, expected)) {
      config.routing.jobs.push_back(read_job(item, element(path, config.routing.jobs.size())));
    }
    if (config.routing.jobs.empty()) refuse(value, path, expected);
  };
  key.write = [](const Config& config) {
    Json list = Json::array();
    for (const RoutedJobConfig& job : config.routing.jobs) list.push_back(write_job(job));
    return list;
  };
  return key;
}

const Fields<SpineFailureConfig>& spine_failure_fields() {
  using Failure = SpineFailureConfig;
  static const Fields<Failure> fields{
      {"spine", value_schema::integer(0, kMostSpines),
       [](const Node& v, const std::string& p, Failure& f) {
         f.spine = static_cast<int>(read_integer(v, p, 0, kMostSpines));
       }},
      {"at", duration_schema(),
       [](const Node& v, const std::string& p, Failure& f) { f.at = read_duration(v, p); }},
  };
  return fields;
}

Key spine_failures_key() {
  Key key;
  key.path = "routing.failures";
  key.schema = entries_schema(spine_failure_fields(), {});
  key.example = "[{spine: 3, at: 5 s}]";
  key.read = [path = key.path](const Node& value, Config& config) {
    config.routing.failures.clear();
    for (const Node& item : read_list(value, path, "a list of failures, for example [{spine: 3, at: 5 s}]")) {
      config.routing.failures.push_back(read_entry<SpineFailureConfig>(
          item, element(path, config.routing.failures.size()), spine_failure_fields(),
          "a failure, for example {spine: 3, at: 5 s}"));
    }
  };
  key.write = [](const Config& config) {
    Json list = Json::array();
    for (const SpineFailureConfig& failure : config.routing.failures) {
      list.push_back({{"spine", failure.spine}, {"at", format_duration(failure.at)}});
    }
    return list;
  };
  return key;
}

const Fields<topology::DegradedLink>& degraded_fields() {
  using topology::DegradedLink;
  static const Fields<DegradedLink> fields{
      {"link", value_schema::list(value_schema::integer(0, kMostNodes - 1), 2, 2),
       [](const Node& v, const std::string& p, DegradedLink& link) {
         const auto ends = read_integers(v, p, 0, kMostNodes - 1);
         if (ends.size() != 2) refuse(v, p, "[node, node], for example [0, 3]");
         link.a = ends[0];
         link.b = ends[1];
       }},
      {"share", value_schema::number(0.001, 1),
       [](const Node& v, const std::string& p, DegradedLink& link) {
         link.share = read_number(v, p, 0.001, 1);
       }},
  };
  return fields;
}

Key degraded_key() {
  Key key;
  key.path = "system.topology.degraded";
  key.schema = entries_schema(degraded_fields(), {});
  key.example = "[{link: [0, 3], share: 0.5}]";
  key.read = [path = key.path](const Node& value, Config& config) {
    using topology::DegradedLink;
    config.degraded.clear();
    const std::string form = "for example {link: [0, 3], share: 0.5}";
    for (const Node& item : read_list(value, path, "a list of links, " + form)) {
      config.degraded.push_back(read_entry<DegradedLink>(item, element(path, config.degraded.size()),
                                                         degraded_fields(), "a degraded link, " + form));
    }
  };
  key.write = [](const Config& config) {
    Json list = Json::array();
    for (const topology::DegradedLink& link : config.degraded) {
      list.push_back({{"link", {link.a, link.b}}, {"share", link.share}});
    }
    return list.empty() ? Json() : list;
  };
  return key;
}

template <typename Field>
Key duration_key(std::string path, Field field) {
  return quantity_key(std::move(path), field, parse_duration, format_duration, Femtoseconds{0},
                      kLongestDuration);
}

void add_controller_keys(const std::function<void(Key)>& add) {
  add(duration_key(
      "routing.controller.round_trip", [](auto& c) -> auto& { return c.routing.controller.round_trip; }));
  add(duration_key(
      "routing.controller.compute_time", [](auto& c) -> auto& { return c.routing.controller.compute_time; }));
  add(duration_key(
      "routing.controller.timeout", [](auto& c) -> auto& { return c.routing.controller.timeout; }));
  add(duration_key(
      "routing.controller.detection", [](auto& c) -> auto& { return c.routing.controller.detection; }));
  add(quantity_key(
      "routing.controller.elephant", [](auto& c) -> auto& { return c.routing.controller.elephant; },
      parse_bytes, format_bytes, Bytes{0}, Bytes{1} << 50));
  add(flag_key(
      "routing.controller.precompute", [](auto& c) -> auto& { return c.routing.controller.precompute; }));
}

}  // namespace

void add_failure_keys(std::vector<Key>& keys, Purposes used) {
  Key spines;
  spines.path = "system.topology.failed_spines";
  spines.schema = value_schema::list(value_schema::integer(0, kMostSpines));
  spines.example = "[3]";
  spines.read = [path = spines.path](const Node& value, Config& config) {
    auto& failed = config.failures.spines;
    failed.clear();
    for (const Node& item : read_list(value, path, "a list of spines, for example [3]")) {
      failed.push_back(static_cast<int>(read_integer(item, element(path, failed.size()), 0, kMostSpines)));
    }
  };
  spines.write = [](const Config& config) {
    const auto& failed = config.failures.spines;
    return failed.empty() ? Json() : Json(failed);
  };
  keys.push_back(unless(with(spines, used), idle_failures));
  Key links;
  links.path = "system.topology.failed_links";
  links.schema = value_schema::list(value_schema::list(value_schema::integer(0, kMostNodes - 1), 2, 2));
  links.example = "[[0, 3]]";
  links.read = [path = links.path](const Node& value, Config& config) {
    const std::string expected = "a list of [ToR, spine] or [node, node], for example [[0, 3]]";
    auto& failed = config.failures.links;
    failed.clear();
    for (const Node& item : read_list(value, path, expected)) {
      const auto ends = read_integers(item, element(path, failed.size()), 0, kMostNodes - 1);
      if (ends.size() != 2) {
        refuse(item, element(path, failed.size()), "[ToR, spine] or [node, node], for example [0, 3]");
      }
      failed.emplace_back(ends[0], ends[1]);
    }
  };
  links.write = [](const Config& config) {
    const auto& failed = config.failures.links;
    return failed.empty() ? Json() : Json(failed);
  };
  keys.push_back(with(links, used));
  keys.push_back(unless(with(degraded_key(), used), idle_degraded));
}

void add_routing_keys(std::vector<Key>& keys) {
  // Values of a section that is not there are not written.
  const auto add = [&](Key key) {
    if (key.example.empty()) {
      const Json value = key.write(Config{});
      key.example = value.is_string() ? value.get<std::string>() : value.dump();
    }
    key.write = [write = key.write](const Config& config) {
      return config.routing.jobs.empty() ? Json() : write(config);
    };
    keys.push_back(with(std::move(key), kRouteOnly));
  };
  std::vector<std::string> methods;
  for (const routing::MethodInfo& method : routing::methods()) methods.push_back(method.name);
  add(name_key(
      "routing.method", [](auto& c) -> auto& { return c.routing.method; }, methods));
  add(jobs_key());
  keys.back().required = kRouteOnly;
  add(enum_key<>(
      "routing.placement", [](auto& c) -> auto& { return c.routing.placement; },
      std::vector{routing::Placement::kRandomHosts, routing::Placement::kRandomTors,
                  routing::Placement::kBestFit}));
  add(integer_key(
      "routing.host", [](auto& c) -> auto& { return c.routing.host; }, 1, 1 << 20));
  add(integer_key(
      "routing.iterations", [](auto& c) -> auto& { return c.routing.iterations; }, 1, 10'000));
  add(duration_key(
      "routing.arrival_window", [](auto& c) -> auto& { return c.routing.arrival_window; }));
  add(enum_key<>(
      "routing.compute", [](auto& c) -> auto& { return c.routing.compute; },
      std::vector{ComputeTime::kPublished, ComputeTime::kPhysical}));
  add(number_key(
      "routing.utilization", [](auto& c) -> auto& { return c.routing.utilization; }, 0.001, 1.0));
  add(integer_key(
      "routing.random_failures", [](auto& c) -> auto& { return c.routing.random_failures; }, 0, kMostSpines));
  add(spine_failures_key());
  add_controller_keys(add);
}

}  // namespace coppice::config
