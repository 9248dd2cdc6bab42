#pragma once

#include <memory>
#include <span>

#include "schedule/proof/check_report.h"
#include "schedule/proof/replay.h"

namespace coppice::schedule {

// Finds where messages want one channel, or one side of an NI port, at a time, and fills in
// CheckReport::contention_free and shared: those of one timestep, and those of different timesteps that meet
// because the later one has a shorter way or its sender is ahead of the other. The latter by the lockstep's
// nominal times: a timestep lasts as long as its longest message, a message starts with its timestep or when
// the data that it waits for has come, and what delays a port delays all that it sends afterwards. Routers
// add to the channels' latencies; the verdict holds for any kFastestRouter to kSlowestRouter each.
// `messages` as replay() leaves them; with a pattern those of the origin, and what is found holds everywhere.
void find_contention(const topology::Topology& topology, const Schedule& schedule,
                     std::span<const Message> messages, CheckReport& report,
                     const SymmetricTables* pattern = nullptr);

// The same, a timestep at a time, by those who do not have all messages at once.
class ContentionSearch {
 public:
  virtual ~ContentionSearch() = default;
  // All messages of the next timestep that has any, by their rounds, then as they are given.
  virtual void add_step(std::span<const Message* const> messages) = 0;
};

// All that it is given outlives it.
std::unique_ptr<ContentionSearch> search_contention(const topology::Topology& topology,
                                                    const Schedule& schedule, CheckReport& report,
                                                    const SymmetricTables* pattern = nullptr);

inline constexpr Femtoseconds kFastestRouter = 1 * kFemtosecondsPerNanosecond;
inline constexpr Femtoseconds kSlowestRouter = 20 * kFemtosecondsPerNanosecond;

}  // namespace coppice::schedule
