#pragma once

#include <functional>
#include <memory>

#include "fabric/router.h"

namespace coppice::fabric {

// A router in the place of Router, with the same contract: in Verilog.
class RouterStandIn {
 public:
  virtual ~RouterStandIn() = default;

  // As Router's.
  virtual void receive_flit(int in_port, int vc, Flit flit, Cycles now) = 0;
  virtual void receive_credit(int out_port, int vc) = 0;
  virtual bool step(Cycles now) = 0;
  virtual int credits(int out_port, int vc) const = 0;
  virtual int buffered(int in_port, int vc) const = 0;
};

// Makes the router of `node`, which has `ports`, in an environment that outlives it.
using MakeRouter =
    std::function<std::unique_ptr<RouterStandIn>(NodeId node, int ports, RouterEnvironment& environment)>;

}  // namespace coppice::fabric
