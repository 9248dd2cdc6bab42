#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/settings/config.h"
#include "ni/memory/gradient_memory.h"
#include "schedule/proof/checker.h"
#include "schedule/tables/schedule.h"
#include "system/output/checked_elements.h"

namespace coppice::system {

// The gradient buffers of a run, and the check that the collective produced the right data in them.
//
// `values`: every accelerator starts with its own pseudo-random fp32 gradients (by `seed`); afterwards each
// final value must lie within the rounding bound of its own reduction tree around the sum in double
// precision: h additions of fp32 numbers x_i in any order are off by at most h·u/(1-h·u)·Σ|x_i|, u = 2^-24
// (Higham, Accuracy and Stability of Numerical Algorithms, Sec. 4.2), where h is the depth of the tree; and
// all accelerators must hold the same bits.
//
// `contributions`: every final value must sum every accelerator's gradient exactly once, for any size of the
// data. If the sets of all parts of the buffer at all accelerators would take more than 160 MiB, those of a
// sample of elements represent them: one element drawn from each of many equal stretches of the buffer, as
// many as 32 MiB hold. A fault that affects a fraction f of all elements is then missed with a probability of
// at most (1 - f)^elements. The checker's proof of the schedule still covers every element.
class Verification {
 public:
  virtual ~Verification() = default;
  // The memory of an accelerator, or of a reducing switch.
  virtual ni::GradientMemory& memory(topology::NodeId node) = 0;
  // Throws ni::WrongDataError naming accelerator, element or address, and the two values.
  virtual void verify() const = 0;
  // "values", "contributions" or "off": the result's `verified`.
  virtual const char* name() const = 0;
  virtual CheckedElements checked() const { return {}; }
};

// Wrong data of a schedule that is `ordered_by_lockstep`: a message arrived later than its timestep promises
// (because of contention, unequal lengths or short buffers), and after a message of a later step.
class OrderLostError : public ModelError {
 public:
  using ModelError::ModelError;
};

using config::kValuesLimit;

std::unique_ptr<Verification> make_verification(config::Check check, const schedule::Schedule& schedule,
                                                const schedule::CheckReport& report, std::uint64_t seed);

}  // namespace coppice::system
