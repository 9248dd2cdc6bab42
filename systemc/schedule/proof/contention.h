#pragma once

#include <memory>
#include <span>

#include "schedule/proof/check_report.h"
#include "schedule/proof/replay.h"

namespace coppice::schedule {

// Finds messages that need the same channel, or the same direction of an NI port, at the same time, and fills
// in CheckReport::contention_free and shared. Messages of one timestep are compared directly. Messages of
// different timesteps may also meet, because the later message has a shorter path or its sender is ahead of
// the other sender. Such meetings are found from the lockstep's nominal times: a timestep lasts as long as
// its longest message, a message starts with its timestep or when the data that it waits for has arrived, and
// a delay at a port also delays everything that the port sends afterwards. The result holds for any router
// latency from kFastestRouter to kSlowestRouter, which is added to the channel latencies. `messages` come
// from replay(); with a pattern they are the origin's messages, and the result holds for all accelerators.
void find_contention(const topology::Topology& topology, const Schedule& schedule,
                     std::span<const Message> messages, CheckReport& report,
                     const SymmetricTables* pattern = nullptr);

// Finds contention one timestep at a time, for callers that do not store all messages at once.
class ContentionSearch {
 public:
  virtual ~ContentionSearch() = default;
  // Adds all messages of the next timestep that has any. They must be sorted by round.
  virtual void add_step(std::span<const Message* const> messages) = 0;
};

// Starts a search that fills in `report`. The arguments must outlive the result.
std::unique_ptr<ContentionSearch> search_contention(const topology::Topology& topology,
                                                    const Schedule& schedule, CheckReport& report,
                                                    const SymmetricTables* pattern = nullptr);

inline constexpr Femtoseconds kFastestRouter = 1 * kFemtosecondsPerNanosecond;
inline constexpr Femtoseconds kSlowestRouter = 20 * kFemtosecondsPerNanosecond;

}  // namespace coppice::schedule
