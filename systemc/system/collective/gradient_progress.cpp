#include "system/collective/gradient_progress.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/error.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;
using schedule::Schedule;
using schedule::TableEntry;

constexpr std::size_t kMostFollowed = std::size_t{1} << 23;  // accelerators times flows

template <typename Visit>
void for_each_message(const Schedule& schedule, Visit visit) {
  for (const auto& node : schedule.nodes) {
    for (const auto& port : node.ports) {
      for (const TableEntry& entry : port) {
        if (entry.op != schedule::Op::kNop) visit(entry);
      }
    }
  }
}

// Per flow its part of the buffer; nothing if a flow has several, or two flows share addresses.
std::optional<std::vector<schedule::Chunk>> chunks_of(const Schedule& schedule) {
  std::vector<schedule::Chunk> chunks(static_cast<std::size_t>(schedule.flows));
  bool one_each = true;
  for_each_message(schedule, [&](const TableEntry& entry) {
    schedule::Chunk& chunk = chunks[static_cast<std::size_t>(entry.flow)];
    if (chunk.bytes == 0) chunk = {entry.address, entry.bytes};
    one_each = one_each && chunk.address == entry.address && chunk.bytes == entry.bytes;
  });
  if (!one_each) return std::nullopt;
  std::map<Bytes, Bytes> ends;
  for (const schedule::Chunk& chunk : chunks) {
    if (chunk.bytes > 0 && !ends.emplace(chunk.address, chunk.address + chunk.bytes).second)
      return std::nullopt;
  }
  Bytes covered = 0;
  for (const auto& [begin, end] : ends) {
    if (begin < covered) return std::nullopt;
    covered = end;
  }
  return chunks;
}

double to_ns(Femtoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
}

}  // namespace

bool GradientProgress::applies(const Schedule& schedule) {
  return schedule.collective == schedule::Collective::kAllReduce && schedule.nodes.size() > 1 &&
         schedule.adders == 0 &&
         schedule.nodes.size() * static_cast<std::size_t>(schedule.flows) <= kMostFollowed &&
         chunks_of(schedule).has_value();
}

GradientProgress::GradientProgress(const Schedule& schedule, const std::vector<ForwardLayer>& layers,
                                   std::vector<double> forward_factor, Femtoseconds period)
    : layers_(layers),
      forward_factor_(std::move(forward_factor)),
      period_(period),
      flows_(static_cast<std::size_t>(schedule.flows)),
      chunk_of_(flows_, -1),
      missing_(schedule.nodes.size() * flows_, 0) {
  const auto chunks = chunks_of(schedule);
  if (!chunks) throw ModelError("gradient progress: the flows of the schedule are no chunks of the buffer");
  forward_factor_.resize(schedule.nodes.size(), 1.0);
  std::map<Bytes, std::size_t> by_address;
  for (std::size_t flow = 0; flow < flows_; ++flow) {
    if ((*chunks)[flow].bytes > 0) by_address.emplace((*chunks)[flow].address, flow);
  }
  for (const auto& [address, flow] : by_address) {
    chunk_of_[flow] = static_cast<std::int32_t>(chunk_end_.size());
    chunk_end_.push_back(address + (*chunks)[flow].bytes);
  }
  for_each_message(schedule, [&](const TableEntry& entry) {
    ++missing_[static_cast<std::size_t>(entry.destination()) * flows_ + static_cast<std::size_t>(entry.flow)];
  });
  layer_chunks_ = layer_chunks(schedule, layers);
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    nodes_.push_back({ni::GradientQueue(layer_chunks_), std::vector<std::uint8_t>(chunk_end_.size(), 0)});
    mark_ready(nodes_.back(), 0);
    compute(node, 0);
  }
}

std::vector<std::int64_t> GradientProgress::layer_chunks(const Schedule& schedule,
                                                         const std::vector<ForwardLayer>& layers) const {
  std::vector<std::int64_t> table;
  Bytes end = 0;
  for (const ForwardLayer& layer : layers) {
    end += layer.gradient_bytes;
    if (end > schedule.size)
      throw ModelError("gradient progress: the layers have more gradients than the buffer");
    const auto chunk = std::ranges::lower_bound(chunk_end_, end);
    table.push_back(end == 0 ? 0 : chunk - chunk_end_.begin() + 1);
  }
  return table;
}

// Everything that the accelerator begins before `now` or, if it is idle, at `now`.
void GradientProgress::compute(std::size_t index, Femtoseconds now) {
  Node& node = nodes_[index];
  while (node.queue.released() && node.busy_until <= now) {
    const std::size_t layer = node.queue.layer();
    const Femtoseconds begin = std::max(node.busy_until, node.ready[layer]);
    if (layer > 0) node.stalled += begin - node.busy_until;
    node.begin.push_back(begin);
    node.busy_until =
        begin + std::llround(static_cast<double>(layers_[layer].forward) * forward_factor_[index]);
    node.queue.take();
  }
}

void GradientProgress::mark_ready(Node& node, Femtoseconds now) {
  while (node.ready.size() < layers_.size() &&
         layer_chunks_[node.ready.size()] <= static_cast<std::int64_t>(node.semaphore)) {
    node.ready.push_back(now);
  }
}

// The queue counts chunks in order: those that come early count when the missing ones have come.
void GradientProgress::enqueue(Node& node, std::size_t chunk) {
  node.final[chunk] = 1;
  for (; node.semaphore < node.final.size() && node.final[node.semaphore] != 0; ++node.semaphore) {
    node.queue.enqueue();
  }
  node.early = std::max(node.early, ++node.finished - node.semaphore);
}

void GradientProgress::message_completed(const ni::MessageRecord& message) {
  const auto index = static_cast<std::size_t>(message.dst);
  const auto flow = static_cast<std::size_t>(message.entry->flow);
  if (--missing_[index * flows_ + flow] > 0) return;
  const Femtoseconds now = message.completed * period_;
  Node& node = nodes_[index];
  compute(index, now);
  const std::int32_t chunk = chunk_of_[flow];
  enqueue(node, static_cast<std::size_t>(chunk));
  if (chunk == 0) turnaround_ = std::max(turnaround_, now);
  mark_ready(node, now);
  compute(index, now);
}

Json GradientProgress::forward_json() {
  Json accelerators = Json::array();
  Femtoseconds end = 0;
  Femtoseconds stalled = 0;
  std::vector<Femtoseconds> ready(layers_.size(), 0);
  std::vector<Femtoseconds> begin(layers_.size(), 0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    compute(i, std::numeric_limits<Femtoseconds>::max());
    const Node& node = nodes_[i];
    accelerators.push_back({{"end_ns", to_ns(node.busy_until)}, {"stalled_ns", to_ns(node.stalled)}});
    end = std::max(end, node.busy_until);
    stalled = std::max(stalled, node.stalled);
    for (std::size_t layer = 0; layer < node.begin.size(); ++layer) {
      ready[layer] = std::max(ready[layer], node.ready[layer]);
      begin[layer] = std::max(begin[layer], node.begin[layer]);
    }
  }
  Json layers = Json::array();
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    layers.push_back({{"ready_ns", to_ns(ready[layer])}, {"begin_ns", to_ns(begin[layer])}});
  }
  return {{"end_ns", to_ns(end)},
          {"stalled_ns", to_ns(stalled)},
          {"accelerators", std::move(accelerators)},
          {"layers", std::move(layers)}};
}

Json GradientProgress::to_json() {
  std::size_t early = 0;
  for (const Node& node : nodes_) early = std::max(early, node.early);
  Json json{{"chunks", chunk_end_.size()},
            {"turnaround_ns", to_ns(turnaround_)},
            {"in_order", early == 0},
            {"early_chunks", early}};
  if (!layers_.empty()) json["forward"] = forward_json();
  return json;
}

}  // namespace coppice::system
