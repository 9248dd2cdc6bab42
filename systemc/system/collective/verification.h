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

// The gradient buffers of a run, and the check that they end with the right data. With `check: values`, every
// accelerator starts with its own pseudo-random fp32 gradients, derived from `seed`. Each final value must
// then differ from the double-precision sum by no more than the rounding error of its reduction tree: at
// depth h, summing fp32 numbers x_i in any order has an error of at most h·u/(1-h·u)·Σ|x_i|, where u = 2^-24
// (Higham, Accuracy and Stability of Numerical Algorithms, Sec. 4.2). All accelerators must also hold
// identical bits. With `check: contributions`, every final value must include every accelerator's gradient
// exactly once, which can be checked for any data size. If the contribution sets of all segments of the
// buffer would exceed 160 MiB, only a sample is tracked: the buffer is divided into as many equal sections as
// can be tracked in 32 MiB, and one random element of each is chosen. A fault that affects a fraction f of
// all elements is then missed with a probability of at most (1 - f)^(sampled elements). The checker's proof
// of the schedule still covers every element.
class Verification {
 public:
  virtual ~Verification() = default;
  // The memory of an accelerator, or of a reducing switch.
  virtual ni::GradientMemory& memory(topology::NodeId node) = 0;
  // Throws a ni::WrongDataError that names the accelerator, the element or address, and both values.
  virtual void verify() const = 0;
  // The result's `verified`: "values", "contributions" or "off".
  virtual const char* name() const = 0;
  virtual CheckedElements checked() const { return {}; }
  // Restores the buffers to their initial data; returns false, and changes nothing, if a new object is needed
  // instead.
  virtual bool restart() { return false; }
};

// Thrown if a schedule that is `ordered_by_lockstep` produced wrong data, because a message arrived after its
// timestep and after a message of a later step. Contention, unequal channel lengths or short buffers can
// cause this.
class OrderLostError : public ModelError {
 public:
  using ModelError::ModelError;
};

using config::kValuesLimit;

// The addresses at which messages or shares begin or end. They divide the buffer into segments, whose
// elements always have equal sets of contributions. Returns nullptr if there are too many segments to track.
std::shared_ptr<const std::vector<Bytes>> contribution_boundaries(const schedule::Schedule& schedule);

// Checks the contributions at only some accelerators of a collective. memory(i) of the result belongs to
// accelerator members[i]. `outline` must outlive the result, but needs no tables.
std::unique_ptr<Verification> make_contribution_verification(
    const schedule::Schedule& outline, std::shared_ptr<const std::vector<Bytes>> boundaries,
    std::vector<topology::NodeId> members);

std::unique_ptr<Verification> make_verification(config::Check check, const schedule::Schedule& schedule,
                                                const schedule::CheckReport& report, std::uint64_t seed);

}  // namespace coppice::system
