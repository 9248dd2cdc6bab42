#include "schedule/packed_trees/piece_choice.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "schedule/packed_trees/piece_tables.h"

namespace coppice::schedule {
namespace {

constexpr std::int64_t kMostMessages = 700'000;
constexpr std::int64_t kMessagesPerAccelerator =
    4'000;  // applies instead of kMostMessages if it allows more messages
constexpr std::int64_t kMostSharingMessages = 50'000;    // maximum if several ports send over one channel
constexpr std::int64_t kMostPeriodicMessages = 400'000;  // maximum if messages follow a timetable
constexpr std::int64_t kMostBufferedMessages = 500'000;  // maximum if pieces wait in router buffers
constexpr int kPeriodicTries = 8;                        // timetables tried per choice of trees
constexpr std::ptrdiff_t kFewer = 2;  // number of smaller piece counts that a failure also rules out
constexpr int kMostPieces = 4096;
// A filled pipeline proceeds evenly, so a trial simulates only some pieces and extrapolates the time of the
// rest.
constexpr std::int64_t kTriedMessages = 25'000;  // maximum number of messages per trial
constexpr int kLeastTriedPieces = 10;
// Other numbers of pieces are tried only if the expected number of pieces takes at most this multiple of the
// best known time.
constexpr double kHopeless = 1.2;
// Simulating more messages than this takes seconds. The smallest number of pieces that finishes within
// kNearly times the earliest finish is then chosen.
constexpr std::int64_t kFewMessages = 20000;
constexpr double kNearly = 1.03;
constexpr double kUsualUrgency = 1.5;
constexpr double kOtherUrgencies[] = {1.0, 2.5};
constexpr Femtoseconds kNever = std::numeric_limits<Femtoseconds>::max();

}  // namespace

std::vector<int> piece_counts(const CompileRequest& request, int accelerators, int trees) {
  const Bytes elements = std::max<Bytes>(request.size / request.element, 1);
  const Bytes most = elements / trees;
  if (request.chunks != kAutomaticChunks) {
    if (request.chunks <= most || request.chunks == 1) return {request.chunks};
    throw UnsupportedError(
        fmt::format("packed_trees cannot use {} chunks: {} bytes on {} trees allow at most {}, each with at "
                    "least one element of {} bytes",
                    request.chunks, request.size, trees, most, request.element));
  }
  const std::int64_t of_a_piece = std::int64_t{2} * std::max(accelerators - 1, 1) * trees;
  const std::int64_t messages = std::max(kMostMessages, kMessagesPerAccelerator * accelerators);
  const auto limit = std::min<Bytes>({most, kMostPieces, std::max<std::int64_t>(messages / of_a_piece, 1)});
  std::vector<int> counts;
  for (int power = 1; power <= limit; power *= 2) {
    for (int quarters = 4; quarters < 8; ++quarters) {
      if (power * quarters % 4 == 0 && power * quarters / 4 <= limit) counts.push_back(power * quarters / 4);
    }
  }
  if (counts.empty()) counts.push_back(1);
  return counts;
}

PieceChoice choose_pieces(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                          int trees, int pieces, int owners, Femtoseconds limit) {
  std::vector<int> counts = piece_counts(request, accelerators, trees);
  const std::int64_t messages = std::int64_t{2} * (accelerators - 1) * trees;
  while (scheduler.shares_channels() && counts.size() > 1 &&
         counts.back() * messages > kMostSharingMessages) {
    counts.pop_back();
  }
  const auto last = static_cast<std::ptrdiff_t>(counts.size()) - 1;
  const auto most_tried =
      static_cast<int>(std::clamp<std::int64_t>(kTriedMessages / messages, kLeastTriedPieces, kMostPieces));
  const auto finish = [&](std::ptrdiff_t at, double urgency) {
    const int count = counts[static_cast<std::size_t>(at)];
    std::vector<Bytes> bytes;
    for (const Chunk& chunk : cut_into_pieces(request, trees, count, owners)) bytes.push_back(chunk.bytes);
    const int tried = std::min(count, most_tried);
    bytes.erase(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(tried) * trees);
    return scheduler.finish(bytes, {tried, urgency}) + (count - tried) * scheduler.period(bytes.front());
  };
  // Searches from the expected number, first in long steps, then in short ones.
  std::ptrdiff_t best = std::min(std::ranges::lower_bound(counts, pieces) - counts.begin(), last);
  Femtoseconds least = finish(best, kUsualUrgency);
  if (static_cast<double>(least) > kHopeless * static_cast<double>(limit)) {
    return {{counts[static_cast<std::size_t>(best)], kUsualUrgency}, least};
  }
  for (const std::ptrdiff_t step : {4, 1}) {
    for (const std::ptrdiff_t way : {step, -step}) {
      for (bool better = true; better && best + way >= 0 && best + way <= last;) {
        const Femtoseconds other = finish(best + way, kUsualUrgency);
        better = other < least;
        if (better) best += way;
        least = std::min(least, other);
      }
    }
  }
  const auto most = static_cast<Femtoseconds>(kNearly * static_cast<double>(least));
  while (best > 0 && scheduler.unlike_paces() &&
         counts[static_cast<std::size_t>(best)] * messages > kFewMessages) {
    const Femtoseconds fewer = finish(best - 1, kUsualUrgency);
    if (fewer > most) break;
    --best;
    least = fewer;
  }
  PieceChoice choice{{counts[static_cast<std::size_t>(best)], kUsualUrgency}, least};
  for (const double urgency : kOtherUrgencies) {
    if (scheduler.shares_channels()) break;  // with shared channels, timesteps matter more
    const Femtoseconds other = finish(best, urgency);
    if (other >= choice.finish) continue;
    choice = {{counts[static_cast<std::size_t>(best)], urgency}, other};
  }
  return choice;
}

PieceChoice choose_periodic(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                            int trees, int owners, Femtoseconds limit) {
  std::vector<int> counts = piece_counts(request, accelerators, trees);
  const std::int64_t messages = std::int64_t{2} * (accelerators - 1) * trees;
  while (counts.size() > 1 && counts.back() * messages > kMostPeriodicMessages) counts.pop_back();
  const auto last = static_cast<std::ptrdiff_t>(counts.size()) - 1;
  const auto longest = [&](std::ptrdiff_t at) {
    Bytes bytes = 0;
    for (const Chunk& chunk : cut_into_pieces(request, trees, counts[static_cast<std::size_t>(at)], owners))
      bytes = std::max(bytes, chunk.bytes);
    return bytes;
  };
  std::vector<bool> tried(counts.size(), false);
  // Pieces of other sizes are expected to have about the same period and fill time as the last timetable
  // found, relative to the time of the busiest channel.
  PieceScheduler::Periodic like{.period = 1, .fill = 1};
  PieceChoice choice{{counts.front(), kUsualUrgency}, kNever, true};
  for (int tries = 0; tries < kPeriodicTries; ++tries) {
    std::ptrdiff_t best = -1;
    auto least = static_cast<double>(std::min(choice.finish, limit));
    for (std::ptrdiff_t at = 0; at <= last; ++at) {
      if (tried[static_cast<std::size_t>(at)]) continue;
      const auto period = static_cast<double>(scheduler.period(longest(at)));
      const double expected = ((counts[static_cast<std::size_t>(at)] - 1) * like.period + like.fill) * period;
      if (expected >= least) continue;
      best = at;
      least = expected;
    }
    if (best < 0) break;
    tried[static_cast<std::size_t>(best)] = true;
    const int count = counts[static_cast<std::size_t>(best)];
    const PieceScheduler::Periodic periodic = scheduler.finish_periodic(longest(best), count);
    if (periodic.finish == kNever) {
      // Shorter messages are harder to keep apart, so larger numbers of pieces are not tried either.
      for (std::ptrdiff_t at = std::max<std::ptrdiff_t>(best - kFewer, 0); at <= last; ++at)
        tried[static_cast<std::size_t>(at)] = true;
      continue;
    }
    like = periodic;
    if (periodic.finish < choice.finish) choice = {{count, kUsualUrgency}, periodic.finish, true};
  }
  if (choice.finish >= limit) choice.finish = kNever;
  return choice;
}

PieceChoice choose_buffered(const PieceScheduler& scheduler, const CompileRequest& request, int accelerators,
                            int trees, int owners, Femtoseconds limit) {
  PieceChoice choice{{1, kUsualUrgency}, kNever};
  if (request.chunks != kAutomaticChunks) return choice;
  const std::int64_t messages = std::int64_t{2} * std::max(accelerators - 1, 1) * trees;
  const auto most_tried =
      static_cast<int>(std::clamp<std::int64_t>(kTriedMessages / messages, kLeastTriedPieces, kMostPieces));
  for (const Bytes part : {1, 2, 4}) {
    const Bytes longest = scheduler.longest_buffered() / part;
    if (longest < request.element) break;
    const Bytes count = (request.size + longest * trees - 1) / (longest * trees);
    if (count * messages > kMostBufferedMessages) break;
    std::vector<Bytes> bytes;
    for (const Chunk& chunk : cut_into_pieces(request, trees, static_cast<int>(count), owners))
      bytes.push_back(chunk.bytes);
    if (!scheduler.buffered(bytes.front())) continue;
    const int tried = std::min(static_cast<int>(count), most_tried);
    bytes.erase(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(tried) * trees);
    const Femtoseconds finish = scheduler.finish(bytes, {tried, kUsualUrgency}) +
                                (static_cast<int>(count) - tried) * scheduler.period(bytes.front());
    const double worth = scheduler.unlike_paces() && count * messages > kFewMessages ? kNearly : 1.0;
    if (worth * static_cast<double>(finish) < static_cast<double>(choice.finish)) {
      choice = {{static_cast<int>(count), kUsualUrgency}, finish};
    }
  }
  if (choice.finish >= limit) choice.finish = kNever;
  return choice;
}

}  // namespace coppice::schedule
