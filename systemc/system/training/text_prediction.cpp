#include "system/training/text_prediction.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "config/settings/shape.h"
#include "schedule/hierarchical/chunk_planning.h"
#include "schedule/hierarchical/chunk_simulation.h"
#include "system/machine/build.h"
#include "system/output/result_frame.h"
#include "system/program/text_workload_program.h"
#include "workload/text_program.h"
#include "workload/text_workload.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;
using schedule::DimensionModel;
using workload::Communication;
using workload::Exchange;
using workload::Group;
using workload::Parallelism;

constexpr const char* kModelKey = "training.model";
constexpr int kUsualChunks = 64;  // Themis, Sec. 5.3
constexpr Bytes kElement = 2;     // fp16 (Themis, Sec. 5.2)

double to_ns(Femtoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
}

using Dimensions = std::vector<DimensionModel>;

// [group]: the dimensions that the group spans.
using Groups = std::map<Group, Dimensions>;

// Divides the dimensions into the first ones, which span `accelerators` in total, and the rest. The last of
// the first dimensions may itself be divided unless it is a ring.
std::pair<Dimensions, Dimensions> split(const Dimensions& dimensions, int accelerators) {
  std::pair<Dimensions, Dimensions> parts;
  auto& [inner, outer] = parts;
  int left = accelerators;
  for (const DimensionModel& dimension : dimensions) {
    if (left == 1) {
      outer.push_back(dimension);
    } else if (left % dimension.size == 0) {
      inner.push_back(dimension);
      left /= dimension.size;
    } else if (!topology::is_ring(dimension.kind) && dimension.size % left == 0) {
      inner.push_back(dimension);
      inner.back().size = left;
      outer.push_back(dimension);
      outer.back().size = dimension.size / left;
      left = 1;
    } else {
      break;
    }
  }
  if (left == 1) return parts;
  throw UnsupportedError(
      fmt::format("groups of {} accelerators do not match the dimensions: the remaining factor {} does not "
                  "divide the size of the next dimension, or that dimension is a ring",
                  accelerators, left));
}

// The groups for model, experts, weights and pipeline stages. The first group gets the innermost dimensions.
Groups groups_of_transformer(const workload::TextWorkload& workload, const Dimensions& dimensions) {
  const int data =
      schedule::LatencyModel(dimensions).accelerators() / workload.model_group / workload.pipeline;
  const auto [model, copies] = split(dimensions, workload.model_group);
  const Dimensions weights = split(copies, data).first;
  const auto [experts, same_experts] = split(weights, workload.expert_group.value_or(1));
  return {{Group::kModel, model},
          {Group::kData, weights},
          {Group::kExpert, experts},
          {Group::kExpertData, same_experts}};
}

Groups groups_of(const workload::TextWorkload& workload, const Dimensions& dimensions) {
  switch (workload.parallelism) {
    case Parallelism::kData:
    case Parallelism::kModel:
    case Parallelism::kDlrm:
      return {{Group::kModel, dimensions}, {Group::kData, dimensions}};
    case Parallelism::kDataThenModel:
      return {{Group::kModel, {dimensions.front()}},
              {Group::kData, {dimensions.begin() + 1, dimensions.end()}}};
    case Parallelism::kModelThenData:
      return {{Group::kModel, {dimensions.begin() + 1, dimensions.end()}},
              {Group::kData, {dimensions.front()}}};
    case Parallelism::kCustomized:
      throw UnsupportedError("layers with their own parallelism (HYBRID_CUSTOMIZED) do not share one group");
    case Parallelism::kTransformer:
    case Parallelism::kTransformerRecomputed:
      break;
  }
  return groups_of_transformer(workload, dimensions);
}

// Computes how long collectives take within one group.
class Network {
 public:
  Network(std::vector<DimensionModel> dimensions, const schedule::ChunkPolicy& policy, int chunks)
      : model_(std::move(dimensions), kElement), policy_(policy), chunks_(chunks) {}

  int ranks() const { return model_.accelerators(); }

  Femtoseconds duration(const Communication& communication) const {
    if (communication.exchange == Exchange::kAllToAll) return all_to_all(communication.bytes);
    if (model_.dimensions() == 0) return 0;
    const Bytes least = schedule::pieces_of_a_chunk(model_.accelerators(), model_.rings()) * kElement;
    schedule::CompileRequest request;
    request.collective = collective(communication.exchange);
    request.size = std::max(communication.bytes / kElement * kElement, least);
    request.element = kElement;
    request.chunks = static_cast<int>(std::clamp<Bytes>(request.size / least, 1, chunks_));
    request.chunk_policy = policy_;
    const auto [plans, order] = plan_chunks(model_, request);
    return schedule::ChunkSimulation(model_).run(plans, order);
  }

  // The duration of a collective if all dimensions were busy throughout (Themis, Table 3). For an all-to-all,
  // this is the actual duration, since no scheduler affects it.
  Femtoseconds ideal(const Communication& communication) const {
    if (communication.exchange == Exchange::kAllToAll) return all_to_all(communication.bytes);
    if (model_.dimensions() == 0) return 0;
    return ideal_time(model_, collective(communication.exchange), communication.bytes);
  }

 private:
  static schedule::Collective collective(Exchange exchange) {
    if (exchange == Exchange::kAllGather) return schedule::Collective::kAllGather;
    if (exchange == Exchange::kReduceScatter) return schedule::Collective::kReduceScatter;
    return schedule::Collective::kAllReduce;
  }

  // The load of an all-to-all on the links of a dimension, and the number of steps to the farthest
  // accelerator.
  struct LinkLoad {
    Bytes bytes = 0;  // per accelerator, summed over its links
    int steps = 1;
  };

  // Each accelerator sends everything except its own part directly to its peers. On a ring, data travels a
  // quarter of the way around on average, or half of the way if the ring is unidirectional.
  static LinkLoad link_load(const DimensionModel& dimension, Bytes bytes) {
    switch (dimension.kind) {
      case topology::DimensionKind::kRing:
        return {bytes * dimension.size / 4, dimension.size / 2};
      case topology::DimensionKind::kOneWayRing:
        return {bytes * (dimension.size - 1) / 2, dimension.size - 1};
      case topology::DimensionKind::kFullyConnected:
      case topology::DimensionKind::kSwitch:
        break;
    }
    return {bytes - bytes / dimension.size, 1};
  }

  // The duration of an all-to-all that uses the dimensions one after another.
  Femtoseconds all_to_all(Bytes bytes) const {
    Femtoseconds time = 0;
    for (std::size_t d = 0; d < model_.dimensions(); ++d) {
      const DimensionModel& dimension = model_.dimension(d);
      const auto [sent, steps] = link_load(dimension, bytes);
      time += transfer_time(sent, dimension.bandwidth) + steps * dimension.step_latency;
    }
    return time;
  }

  schedule::LatencyModel model_;
  schedule::ChunkPolicy policy_;
  int chunks_;
};

struct Collective {
  Communication communication;
  Group group = Group::kData;
  Femtoseconds time = 0;
  Femtoseconds ideal = 0;
  int count = 0;
};

class TextPrediction {
 public:
  TextPrediction(const config::Loaded& loaded, workload::TextWorkload workload,
                 const std::vector<DimensionModel>& dimensions)
      : loaded_(loaded),
        workload_(std::move(workload)),
        accelerators_(schedule::LatencyModel(dimensions).accelerators()) {
    const workload::CollectiveSpec& collective = loaded.config.collective;
    const int chunks = collective.chunks == schedule::kAutomaticChunks ? kUsualChunks : collective.chunks;
    const Groups groups = groups_of(workload_, dimensions);
    workload::require_groups(workload_, accelerators_);
    for (const auto& [group, members] : groups) {
      networks_.emplace(std::piecewise_construct, std::forward_as_tuple(group),
                        std::forward_as_tuple(members, collective.chunk_policy, chunks));
    }
  }

  Json predict() {
    const auto overlap = loaded_.config.training.overlap;
    const auto scheduled = make_text_timeline(workload_, overlap, [this](const auto& what, Group group) {
      return counted(whole(what, group), group);
    });
    const auto ideal = make_text_timeline(workload_, overlap, [this](const auto& what, Group group) {
      return known(whole(what, group), group).ideal;
    });
    Json json = begin_result("coppice.chunks/1", loaded_.config);
    json["verified"] = "off";
    json["fidelity"] = "chunks";
    json["time_ns"] = to_ns(scheduled.total);
    json["training"] = training(scheduled, ideal);
    return json;
  }

 private:
  // Converts the communication's `bytes` to the total size of the data, since the size of an all-gather may
  // be that of its input.
  Communication whole(const Communication& what, Group group) const {
    const auto counted = loaded_.config.training.all_gather_bytes;
    return {what.exchange, total_bytes(what, counted, networks_.at(group).ranks())};
  }

  Collective& known(const Communication& what, Group group) {
    Collective& collective = collectives_[{what.exchange, what.bytes, group}];
    if (collective.count == 0) {
      const Network& network = networks_.at(group);
      collective = {what, group, network.duration(what), network.ideal(what), 0};
    }
    return collective;
  }

  Femtoseconds counted(const Communication& what, Group group) {
    Collective& collective = known(what, group);
    ++collective.count;
    return collective.time;
  }

  // The fraction of the dimensions' bandwidth that collectives use while they are in flight (Themis, Fig. 4).
  // All-to-alls are excluded, since they are not scheduled.
  double utilization() const {
    double time = 0;
    double ideal = 0;
    for (const auto& [key, collective] : collectives_) {
      if (collective.communication.exchange == Exchange::kAllToAll) continue;
      time += collective.count * to_ns(collective.time);
      ideal += collective.count * to_ns(collective.ideal);
    }
    return time > 0 ? ideal / time : 1;
  }

  Json training(const workload::TextTimeline& scheduled, const workload::TextTimeline& ideal) const {
    Json list = Json::array();
    for (const auto& [key, collective] : collectives_) {
      list.push_back({{"collective", to_string(collective.communication.exchange)},
                      {"among", to_string(collective.group)},
                      {"bytes", collective.communication.bytes},
                      {"count", collective.count},
                      {"time_ns", to_ns(collective.time)},
                      {"ideal_time_ns", to_ns(collective.ideal)}});
    }
    return {{"model", workload_.name},
            {"overlap", to_string(loaded_.config.training.overlap)},
            {"accelerators", accelerators_},
            {"forward_ns", to_ns(scheduled.forward)},
            {"backward_ns", to_ns(scheduled.backward)},
            {"compute_ns", to_ns(scheduled.forward + scheduled.backward)},
            {"communication_ns", to_ns(scheduled.communication)},
            {"exposed_model_ns", to_ns(scheduled.exposed_model)},
            {"exposed_data_ns", to_ns(scheduled.exposed_data)},
            {"exposed_communication_ns", to_ns(scheduled.exposed_model + scheduled.exposed_data)},
            {"total_ns", to_ns(scheduled.total)},
            {"ideal_exposed_communication_ns", to_ns(ideal.exposed_model + ideal.exposed_data)},
            {"ideal_total_ns", to_ns(ideal.total)},
            {"beyond_ideal_ns", to_ns(scheduled.total - ideal.total)},
            {"over_ideal", to_ns(scheduled.total) / to_ns(ideal.total)},
            {"utilization", utilization()},
            {"collectives", list}};
  }

  const config::Loaded& loaded_;
  workload::TextWorkload workload_;
  int accelerators_;
  std::map<Group, Network> networks_;
  std::map<std::tuple<Exchange, Bytes, Group>, Collective> collectives_;
};

}  // namespace

Json predict_text_training(const config::Loaded& loaded) {
  const std::string& path = loaded.config.training.model;
  if (!config::runs_over_dimensions(loaded.config)) {
    throw ConfigError(
        loaded.place("collective.algorithm"),
        fmt::format("collective.algorithm is {}, but the chunks of a text workload are predicted on the "
                    "dimensions of a hierarchy: write {}",
                    loaded.config.collective.algorithm,
                    fmt::join(config::algorithms_over_dimensions(), " or ")));
  }
  workload::TextWorkload workload = load_text_workload(loaded);
  const topology::Topology topology = build_topology(loaded);
  try {
    return TextPrediction(loaded, std::move(workload), schedule::dimension_models(topology)).predict();
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place(kModelKey), fmt::format("{}: {}: {}", kModelKey, path, error.what()));
  }
}

std::string summarize_text_training(const Json& result) {
  const Json& training = result.at("training");
  const auto ns = [&](const char* key) { return training.at(key).get<double>(); };
  const double total = ns("total_ns");
  const auto line = [&](const char* name, const char* key) {
    return fmt::format("    {:<27} {:>14.1f} us  {:>5.1f}%\n", name, ns(key) / 1000, 100 * ns(key) / total);
  };
  std::string text = fmt::format(
      "training iteration of {} on {} accelerators, collectives by {}, overlap: {}\n  {:.1f} us in total, "
      "{:.1f} us with all dimensions busy; utilization of the collectives {:.2f} %\n",
      training.at("model").get<std::string>(), training.at("accelerators").get<int>(),
      result.at("config").at("collective").at("scheduler").get<std::string>(),
      training.at("overlap").get<std::string>(), total / 1000, ns("ideal_total_ns") / 1000,
      100 * training.at("utilization").get<double>());
  text += line("forward", "forward_ns");
  text += line("backward", "backward_ns");
  text += line("exposed model communication", "exposed_model_ns");
  text += line("exposed data communication", "exposed_data_ns");
  return text;
}

}  // namespace coppice::system
