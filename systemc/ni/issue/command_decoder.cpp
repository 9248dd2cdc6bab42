#include "ni/issue/command_decoder.h"

namespace coppice::ni {

const char* to_string(DecoderState state) {
  switch (state) {
    case DecoderState::kDone:
      return "done";
    case DecoderState::kWaitLockstep:
      return "lockstep";
    case DecoderState::kWaitDependency:
      return "dependency";
    case DecoderState::kWaitQueue:
      return "queue";
    case DecoderState::kIssue:
      return "issue";
    case DecoderState::kNop:
      return "nop";
    case DecoderState::kPass:
      return "pass";
  }
  return "?";
}

DecoderState decode(const TableEntry* head, bool passes, bool lockstep,
                    const LockstepCounter& lockstep_counter, const DependencyTracker& tracker,
                    bool queue_has_place, Cycles now) {
  if (head == nullptr) return DecoderState::kDone;
  if (passes) return DecoderState::kPass;
  if (lockstep && now < lockstep_counter.release()) return DecoderState::kWaitLockstep;
  if (head->op == schedule::Op::kNop) return DecoderState::kNop;
  if (!tracker.satisfied(head->flow, head->dependencies)) return DecoderState::kWaitDependency;
  return queue_has_place ? DecoderState::kIssue : DecoderState::kWaitQueue;
}

}  // namespace coppice::ni
