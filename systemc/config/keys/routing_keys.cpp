#include "config/keys/key_groups.h"

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
  return kind != nullptr && kind->spines_fail
             ? "the links of a " + config.system.topology.kind + " can fail, but cannot be degraded"
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
         if (*j.gradient % 4 != 0) refuse(v, p, "a multiple of 4 B");
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
    throw ConfigError(value.place,
                      fmt::format("{}.model is missing: write a model, or copy, gradient and compute", path));
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
  key.form = "a list of sections";
  key.parts = {
      {"model", "The large model that the job trains.", "a large model listed by 'coppice list'"},
      {"data_parallel", "The number of copies of the model, which is also the ring size.",
       "a whole number from 2 to 1024"},
      {"arrival", "When the job starts (default: at a random time).", "a duration"},
      {"copy", "The number of accelerators per copy (default: the model's).", "a whole number, 1 or more"},
      {"gradient", "The size of each accelerator's gradients (default: the model's).",
       "an amount of data, such as 400 MB"},
      {"compute", "The time of a forward and backward pass (default: the model's).", "a duration"}};
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
  key.form = "a list of sections";
  key.parts = {{"spine", "The spine that fails.", "a whole number, 0 or more"},
               {"at", "When the spine fails.", "a duration"}};
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
  key.form = "a list of {link, share}";
  key.parts = {{"link", "The two nodes connected by the link.", "[node, node]"},
               {"share", "The remaining share of the link's bandwidth.", "a number from 0.001 to 1"}};
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
Key duration_key(KeyAt<Field> at) {
  return quantity_key(std::move(at), parse_duration, format_duration, Femtoseconds{0}, kLongestDuration);
}

Key failed_spines_key() {
  Key key;
  key.path = "system.topology.failed_spines";
  key.example = "[3]";
  key.form = "a list of spines";
  key.schema = value_schema::list(value_schema::integer(0, kMostSpines));
  key.read = [path = key.path](const Node& value, Config& config) {
    auto& failed = config.failures.spines;
    failed.clear();
    for (const Node& item : read_list(value, path, "a list of spines, for example [3]")) {
      failed.push_back(static_cast<int>(read_integer(item, element(path, failed.size()), 0, kMostSpines)));
    }
  };
  key.write = [](const Config& config) {
    const auto& failed = config.failures.spines;
    return failed.empty() ? Json() : Json(failed);
  };
  return key;
}

Key failed_links_key() {
  Key key;
  key.path = "system.topology.failed_links";
  key.example = "[[0, 3]]";
  key.form = "a list of [ToR, spine] or [node, node]";
  key.schema = value_schema::list(value_schema::list(value_schema::integer(0, kMostNodes - 1), 2, 2));
  key.read = [path = key.path](const Node& value, Config& config) {
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
  key.write = [](const Config& config) {
    const auto& failed = config.failures.links;
    return failed.empty() ? Json() : Json(failed);
  };
  return key;
}

}  // namespace

void add_failure_keys(std::vector<Key>& keys, Purposes used) {
  declare(keys, failed_spines_key(), "The spines of a Clos network that have already failed at the start.",
          used, idle_failures);
  declare(keys, failed_links_key(),
          "The links that have already failed at the start: between a ToR and a spine of a Clos network, or "
          "between two nodes of another network.",
          used);
  declare(keys, degraded_key(), "The links that have lost part of their bandwidth, in both directions.", used,
          idle_degraded);
}

void add_routing_keys(std::vector<Key>& keys) {
  // Results contain these keys only if jobs are configured.
  const auto add = [&](Key key, const char* summary) {
    declare(keys,
            std::move(key).written_if([](const Config& config) { return !config.routing.jobs.empty(); }),
            summary, kRouteOnly);
  };
  std::vector<std::string> methods;
  for (const routing::MethodInfo& method : routing::methods()) methods.push_back(method.name);
  add(name_key(COPPICE_KEY(routing.method), methods),
      "The path assignment method; 'coppice list' describes all methods.");
  add(jobs_key(), "The training jobs that share the network.");
  keys.back().required = kRouteOnly;
  add(enum_key(COPPICE_KEY(routing.placement),
               std::vector{routing::Placement::kRandomHosts, routing::Placement::kRandomTors,
                           routing::Placement::kBestFit}),
      "How jobs are placed on accelerators.");
  add(integer_key(COPPICE_KEY(routing.host), 1, 1 << 20), "The number of accelerators per host.");
  add(integer_key(COPPICE_KEY(routing.iterations), 1, 10'000), "The number of iterations per job.");
  add(duration_key(COPPICE_KEY(routing.arrival_window)),
      "The time window in which jobs without an arrival time start, at uniformly distributed random times.");
  add(enum_key(COPPICE_KEY(routing.compute), std::vector{ComputeTime::kPublished, ComputeTime::kPhysical}),
      "Whether computation times are those of the published study or follow from the accelerators' peak "
      "rate.");
  add(number_key(COPPICE_KEY(routing.utilization), 0.001, 1.0),
      "The share of its peak rate that an accelerator reaches, if routing.compute is physical.");
  add(integer_key(COPPICE_KEY(routing.random_failures), 0, kMostSpines),
      "The number of randomly chosen spines that have already failed at the start.");
  add(spine_failures_key(), "The spines that fail while jobs run.");
  add(duration_key(COPPICE_KEY(routing.controller.round_trip)),
      "The round-trip time of a message to the path controller.");
  add(duration_key(COPPICE_KEY(routing.controller.compute_time)),
      "The time to compute an assignment that was not precomputed.");
  add(duration_key(COPPICE_KEY(routing.controller.timeout)),
      "The time after which hosts fall back to hashed paths.");
  add(duration_key(COPPICE_KEY(routing.controller.detection)),
      "The time until hosts notice that a path has failed.");
  add(quantity_key(COPPICE_KEY(routing.controller.elephant), parse_bytes, format_bytes, Bytes{0},
                   Bytes{1} << 50),
      "The size from which messages are reported to the controller; the paths of smaller messages are "
      "hashed.");
  add(flag_key(COPPICE_KEY(routing.controller.precompute)),
      "Whether the controller precomputes assignments for events that are likely to come next.");
}

}  // namespace coppice::config
