#pragma once

#include <vector>

#include "fabric/fabric.h"

namespace coppice::fabric {

// Reports flit events to observers in chronological order. If nodes run ahead of each other, the events of a
// quantum arrive node by node, so they are stored and sorted at the end of the quantum.
class FlitEvents {
 public:
  // In each cycle, network interfaces inject before routers switch.
  enum class Stage : std::uint8_t { kInjection, kSwitch };

  void add_observer(FabricObserver& observer) { observers_.push_back(&observer); }
  bool watched() const { return !observers_.empty(); }
  void keep(bool keep) { keep_ = keep; }

  // Call this only if there are observers.
  [[gnu::noinline]] void report(Stage stage, const FlitEvent& event, const Packet& packet, Cycles now) {
    if (keep_) {
      kept_.push_back({now, stage, event, packet.as_injected()});
    } else {
      notify(event, packet.as_injected(), now);
    }
  }
  // Reports the stored events to the observers, sorted by cycle, stage and node.
  void flush();
  // Moves the events stored in `other`, which belong to another thread's nodes, into this object.
  void move_from(FlitEvents& other) {
    kept_.insert(kept_.end(), other.kept_.begin(), other.kept_.end());
    other.kept_.clear();
  }

  struct Report {
    Cycles at;
    Stage stage;
    FlitEvent event;
    Packet packet;
  };
  // Sets whether to store reported events so that a leap can report them again for every skipped period.
  // Discards all events stored so far.
  void remember(bool remember) {
    remember_ = remember;
    reported_.clear();
  }
  const std::vector<Report>& reported() const { return reported_; }
  void report_again(const Report& reported) const { notify(reported.event, reported.packet, reported.at); }

 private:
  void notify(const FlitEvent& event, const Packet& packet, Cycles now) const {
    for (FabricObserver* observer : observers_) observer->flit_sent(event, packet, now);
  }

  std::vector<FabricObserver*> observers_;
  bool keep_ = false;
  std::vector<Report> kept_;
  bool remember_ = false;
  std::vector<Report> reported_;
};

}  // namespace coppice::fabric
