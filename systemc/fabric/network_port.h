#pragma once

#include <systemc>

#include "fabric/fabric.h"

namespace coppice::fabric {

// The interface that a network port offers to the network interface bound to it.
class NetworkPortIf : public virtual sc_core::sc_interface {
 public:
  // Called once, at the end of elaboration, to register the injector and the ejector of the network
  // interface. The port does not own them.
  virtual void connect(Injector& injector, Ejector& ejector) = 0;
  // Announces that the injector has data to send from cycle `at` on. The cycle must be after the current one.
  virtual void wake(Cycles at) = 0;
};

// A port of a fabric to which a network interface can be bound.
class FabricPort final : public sc_core::sc_object, public NetworkPortIf {
 public:
  FabricPort(const char* name, Fabric& fabric, NodeId node, int port)
      : sc_object(name), fabric_(&fabric), node_(node), port_(port) {}
  void connect(Injector& injector, Ejector& ejector) override {
    fabric_->connect(node_, port_, injector, ejector);
  }
  void wake(Cycles at) override { fabric_->wake(node_, port_, at); }

 private:
  Fabric* fabric_;
  NodeId node_;
  int port_;
};

}  // namespace coppice::fabric
