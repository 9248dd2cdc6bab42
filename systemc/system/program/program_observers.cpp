#include "system/program/program_observers.h"

#include <algorithm>
#include <utility>

namespace coppice::system {
namespace {

// The collective or transfer to which a message belongs. Messages from an interface's own tables (context 0)
// belong to the only collective.
ni::ContextId exchange_of(const ni::MessageRecord& message) {
  return std::max<ni::ContextId>(message.context, 1);
}

}  // namespace

ProgramObservers::ProgramObservers(const ProgramState& state, const topology::Topology& topology,
                                   const config::SystemConfig& system, int ni_ports)
    : state_(state),
      period_(system.clock.period()),
      accelerators_(static_cast<std::size_t>(topology.num_accelerators())),
      ends_(static_cast<std::size_t>(topology.num_nodes()), 0),
      breakdown_(topology.num_accelerators(), ni_ports) {
  gradients_.resize(state.exchanges());
  if (topology.dimension_kinds().empty()) return;
  std::vector<const schedule::Schedule*> schedules;  // [collective or transfer]: its schedule
  for (ni::ContextId id = 1; id <= state.exchanges(); ++id) {
    const CompiledCollective* const compiled = state.exchange(id).compiled;
    schedules.push_back(compiled == nullptr ? nullptr : &compiled->schedule);
  }
  activity_ = std::make_unique<DimensionActivity>(topology, system, std::move(schedules));
}

// Progress is kept only while a collective is in flight, so memory use is low even for a large program.
GradientProgress* ProgramObservers::progress_of(ni::ContextId id) {
  Gradients& gradients = gradients_[id - 1];
  if (gradients.messages > 0 || gradients.progress != nullptr) return gradients.progress.get();
  const CompiledCollective& compiled = *state_.exchange(id).compiled;
  auto known = chunks_.find(&compiled);
  if (known == chunks_.end()) {
    auto chunks = compiled.images != nullptr
                      ? std::nullopt
                      : schedule::find_final_chunks(compiled.schedule, compiled.interfaces);
    known = chunks_.emplace(&compiled, std::move(chunks)).first;
  }
  if (known->second) gradients.progress = std::make_unique<GradientProgress>(*known->second, period_);
  return gradients.progress.get();
}

void ProgramObservers::follow(ni::ContextId id, const ni::MessageRecord& message) {
  GradientProgress* const progress = progress_of(id);
  Gradients& gradients = gradients_[id - 1];
  ++gradients.messages;
  if (progress == nullptr) return;
  const ExchangeState& exchange = state_.exchange(id);
  progress->message_completed(state_.member(id, message.dst), message);
  if (gradients.messages < exchange.compiled->messages) return;
  gradients.ended = progress->to_json(std::max<Cycles>(exchange.first_joined, 0));
  gradients.progress.reset();
}

nlohmann::ordered_json ProgramObservers::gradients(ni::ContextId id) const {
  const Gradients& gradients = gradients_[id - 1];
  return gradients.progress == nullptr
             ? gradients.ended
             : gradients.progress->to_json(std::max<Cycles>(state_.exchange(id).first_joined, 0));
}

void ProgramObservers::attach(ni::MessageLog& log, fabric::Fabric& fabric) {
  log.add_observer(*this);
  if (activity_ != nullptr) fabric.add_observer(*activity_);
}

std::vector<Cycles> ProgramObservers::ends() const {
  std::vector<Cycles> ends = ends_;
  for (std::size_t n = 0; n < accelerators_; ++n) ends[n] = std::max(ends[n], common_end_);
  return ends;
}

// All accelerators start their tables in the same cycle, and every accelerator sends and receives an image.
void ProgramObservers::images_completed(ni::ImagesOfMessage& images) {
  const ni::MessageRecord& original = images.original();
  const ni::ContextId id = exchange_of(original);
  common_end_ = std::max({common_end_, original.tail_injected + 1, original.completed});
  last_ = std::max(last_, original.completed);
  breakdown_.add(divide(original, state_.begun(id, original.src)), images.slot(), images.ports());
  if (activity_ != nullptr) activity_->message_completed(original, id - 1);
  if (progress_of(id) == nullptr) return;
  const auto accelerators = static_cast<topology::NodeId>(images.ports().size());
  for (topology::NodeId src = 0; src < accelerators; ++src) follow(id, images.image(src));
}

void ProgramObservers::message_completed(const ni::MessageRecord& message) {
  Cycles& left = ends_[static_cast<std::size_t>(message.src)];
  left = std::max(left, message.tail_injected + 1);
  Cycles& came = ends_[static_cast<std::size_t>(message.dst)];
  came = std::max(came, message.completed);
  last_ = std::max(last_, message.completed);
  const ni::ContextId id = exchange_of(message);
  breakdown_.add(message, state_.begun(id, message.src));
  follow(id, message);
  if (activity_ != nullptr) activity_->message_completed(message, id - 1);
}

}  // namespace coppice::system
