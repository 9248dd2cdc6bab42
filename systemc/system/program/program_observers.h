#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "ni/memory/message_record.h"
#include "ni/ni_context.h"
#include "schedule/tables/final_chunks.h"
#include "system/collective/gradient_progress.h"
#include "system/output/dimension_activity.h"
#include "system/output/time_breakdown.h"
#include "system/program/program_state.h"
#include "topology/topology.h"

namespace coppice::system {

// Observes every run of a program: how ports spend their time, when gradients become final, how active the
// dimensions of a hierarchy are, and when each network interface handles its last message.
class ProgramObservers final : public ni::MessageObserver {
 public:
  // All references must outlive this object.
  ProgramObservers(const ProgramState& state, const topology::Topology& topology,
                   const config::SystemConfig& system, int ni_ports);

  // Must be called before the first cycle.
  void attach(ni::MessageLog& log, fabric::Fabric& fabric);

  void message_completed(const ni::MessageRecord& message) override;
  void images_completed(ni::ImagesOfMessage& images) override;

  // [network interface]: the cycle after its last message left or its last arrival was stored, whichever is
  // later; 0 if it has no messages.
  std::vector<Cycles> ends() const;
  Cycles last() const { return last_; }
  const TimeBreakdown& breakdown() const { return breakdown_; }
  // nullptr if the network is not a hierarchy.
  const DimensionActivity* activity() const { return activity_.get(); }
  // GradientProgress::to_json() of a collective whose chunks become final individually; null for other
  // collectives, and before the collective's first message arrives.
  nlohmann::ordered_json gradients(ni::ContextId id) const;

 private:
  // The progress of a collective's gradients from its first message to its last.
  struct Gradients {
    std::unique_ptr<GradientProgress> progress;
    std::int64_t messages = 0;
    nlohmann::ordered_json ended;
  };
  // nullptr if the collective's chunks do not become final individually, or all messages have completed.
  GradientProgress* progress_of(ni::ContextId id);
  void follow(ni::ContextId id, const ni::MessageRecord& message);

  const ProgramState& state_;
  Femtoseconds period_;
  std::size_t accelerators_;
  std::vector<Cycles> ends_;  // [network interface], without images
  Cycles common_end_ = 0;     // the end of all accelerators' images
  Cycles last_ = 0;
  TimeBreakdown breakdown_;
  std::vector<Gradients> gradients_;  // [collective or transfer]: its gradients
  std::map<const CompiledCollective*, std::optional<schedule::FinalChunks>> chunks_;
  std::unique_ptr<DimensionActivity> activity_;
};

}  // namespace coppice::system
