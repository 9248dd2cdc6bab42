#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/fabric.h"
#include "fabric/flit.h"

namespace coppice::fabric {

// The flits that ejectors have received individually, stored so that a leap can deliver them again for every
// skipped period.
class ReceivedFlits {
 public:
  struct Received {
    Ejector* ejector;
    std::uint64_t tag;    // tag of the packet to which the flit belongs
    std::uint32_t index;  // index of the packet in its message
    Flit flit;
    Cycles at;
  };

  bool kept() const { return keep_; }
  void keep(bool keep) {
    keep_ = keep;
    flits_.clear();
  }
  void add(const Received& flit) { flits_.push_back(flit); }
  // Moves the flits stored in `other`, which belong to another thread's nodes, into this object.
  void move_from(ReceivedFlits& other) {
    flits_.insert(flits_.end(), other.flits_.begin(), other.flits_.end());
    other.flits_.clear();
  }
  const std::vector<Received>& flits() const { return flits_; }

 private:
  bool keep_ = false;
  std::vector<Received> flits_;
};

}  // namespace coppice::fabric
