#include "workload/collective_spec.h"

namespace coppice::workload {

const char* to_string(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::kAllReduce:
      return "all_reduce";
    case CollectiveOp::kReduceScatter:
      return "reduce_scatter";
    case CollectiveOp::kAllGather:
      return "all_gather";
    case CollectiveOp::kBroadcast:
      return "broadcast";
    case CollectiveOp::kReduce:
      return "reduce";
    case CollectiveOp::kAllToAll:
      return "all_to_all";
    case CollectiveOp::kBarrier:
      return "barrier";
  }
  return "?";
}

schedule::Collective tables_of(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kReduce:
      return schedule::Collective::kReduceScatter;
    case CollectiveOp::kAllGather:
    case CollectiveOp::kBroadcast:
    case CollectiveOp::kAllToAll:
      return schedule::Collective::kAllGather;
    case CollectiveOp::kAllReduce:
    case CollectiveOp::kBarrier:
      break;
  }
  return schedule::Collective::kAllReduce;
}

}  // namespace coppice::workload
