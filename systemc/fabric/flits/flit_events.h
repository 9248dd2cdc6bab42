#pragma once

#include <vector>

#include "fabric/fabric.h"

namespace coppice::fabric {

// Tells observers of flits in the order of time. Nodes that run ahead of each other tell of theirs one node
// after the other; what they tell is then kept until the quantum is over.
class FlitEvents {
 public:
  // Within a cycle network interfaces inject before routers switch.
  enum class Stage : std::uint8_t { kInjection, kSwitch };

  void add_observer(FabricObserver& observer) { observers_.push_back(&observer); }
  bool watched() const { return !observers_.empty(); }
  void keep(bool keep) { keep_ = keep; }

  // Only while it is watched.
  [[gnu::noinline]] void tell(Stage stage, const FlitEvent& event, const Packet& packet, Cycles now) {
    if (keep_) {
      kept_.push_back({now, stage, event, packet.as_injected()});
    } else {
      give(event, packet.as_injected(), now);
    }
  }
  // Gives what was kept, by cycle and stage, and by node within those.
  void flush();
  // Takes over what `other` has kept: of nodes that run in another thread.
  void take_from(FlitEvents& other) {
    kept_.insert(kept_.end(), other.kept_.begin(), other.kept_.end());
    other.kept_.clear();
  }

  struct Told {
    Cycles at;
    Stage stage;
    FlitEvent event;
    Packet packet;
  };
  // Whether what is given is kept on, so that a period of it can be told again; forgets what was kept.
  void remember(bool remember) {
    remember_ = remember;
    told_.clear();
  }
  const std::vector<Told>& told() const { return told_; }
  void tell_again(const Told& told) const { give(told.event, told.packet, told.at); }

 private:
  void give(const FlitEvent& event, const Packet& packet, Cycles now) const {
    for (FabricObserver* observer : observers_) observer->flit_sent(event, packet, now);
  }

  std::vector<FabricObserver*> observers_;
  bool keep_ = false;
  std::vector<Told> kept_;
  bool remember_ = false;
  std::vector<Told> told_;
};

}  // namespace coppice::fabric
