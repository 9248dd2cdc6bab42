#include "differential.h"

#include <regex>

#include <fmt/format.h>

#include "recorded_run.h"

namespace coppice::fuzz {
namespace {

// Removes the numbers from the reason for a refusal, because they differ between runs of the same kind.
std::string kind(const std::string& reason) {
  static const std::regex details(
      ": the message.*|message \\S+ at cycle \\d+ |at cycle \\d+| of \\d+|\\d+->\\d+|\\d+");
  return std::regex_replace(reason, details, "");
}

}  // namespace

std::string Tally::report() const {
  std::string text =
      fmt::format("{} systems: {} refused as configurations; of {} compared, {} agree ({:.0f}%)", drawn,
                  unsupported, compared(), agreed, 100 * agreed_share());
  text +=
      fmt::format("\n  {:>6} agree where the check expected a meeting, {:>6} refused where it expected none",
                  expected, unexpected);
  text += fmt::format("\n  {:>6} leapt", leaping);
  text += fmt::format("\n  {:>6} with trains and flits: {} of {} messages as flits, in {} runs", mixed,
                      mixed_as_flits, mixed_messages, mixed_runs);
  if (order_lost > 0) text += fmt::format("\n  {:>6} lost the order of their lockstep", order_lost);
  for (const auto& [reason, refusals] : refused) {
    text += fmt::format("\n  {:>6} refused, {:>6} of them although no flit waits: {}", refusals.runs,
                        refusals.needless, reason);
  }
  return text;
}

namespace {

// Leaps and threads must not change any result, whether or not there is contention.
void require_same_leaping(const std::string& yaml, const Outcome& flit, Tally& tally) {
  const Outcome leap = record_run(yaml, "leap", threads_for(yaml));
  if (leap.end != flit.end) {
    RC_FAIL("fidelity: leap ends differently from flit: " + leap.reason + " / " + flit.reason + "\n" + yaml);
  }
  if (flit.end != Outcome::End::kDone) return;
  const std::string difference = first_difference(flit.recording, leap.recording);
  if (!difference.empty()) RC_FAIL("leap (here: train) differs from flit: " + difference + "\n" + yaml);
  if (leap.recording.values != flit.recording.values) RC_FAIL("leap and flit have different sums\n" + yaml);
  if (leap.recording.result.at("leap").at("leapt_cycles") > 0) ++tally.leaping;
}

// If contending trains are replaced by flits, the results must equal those of a run with flits only.
void require_same_mixed(const std::string& yaml, const Outcome& flit, Tally& tally) {
  const Outcome mixed = record_mixed(yaml);
  if (mixed.end != flit.end) {
    RC_FAIL("a mixed run ends differently from flits: " + mixed.reason + " / " + flit.reason + "\n" + yaml);
  }
  if (flit.end != Outcome::End::kDone) return;
  const std::string difference = first_difference(flit.recording, mixed.recording);
  if (!difference.empty())
    RC_FAIL("a mixed run (here: train) differs from flit: " + difference + "\n" + yaml);
  ++tally.mixed;
  tally.mixed_runs += mixed.runs;
  const auto& trains = mixed.recording.result.at("trains");
  tally.mixed_messages += trains.at("messages").get<std::int64_t>();
  tally.mixed_as_flits += trains.at("as_flits").get<std::int64_t>();
}

// In a symmetric network, simulating the messages of one accelerator must give the same results as simulating
// all messages.
void require_same_by_one(const std::string& yaml) {
  const Outcome all = record_patterns(yaml, Trains::kOfAll);
  const Outcome one = record_patterns(yaml, Trains::kOfOne);
  if (one.end != all.end || one.contended_at != all.contended_at) {
    RC_FAIL("trains of one accelerator end differently from those of all: " + one.reason + " / " +
            all.reason + "\n" + yaml);
  }
  if (all.end != Outcome::End::kDone) return;
  std::string difference = first_difference(all.recording, one.recording);
  if (difference.empty() && all.recording.values != one.recording.values) difference = "other sums";
  if (difference.empty() && all.recording.result.at("statistics") != one.recording.result.at("statistics")) {
    difference = "other statistics";
  }
  if (!difference.empty()) {
    RC_FAIL("trains of one accelerator (here: train) differ from those of all (here: flit): " + difference +
            "\n" + yaml);
  }
}

}  // namespace

void require_agreement(const RandomSystem& system, Tally& tally) {
  require_agreement(system.yaml(), tally);
}

void require_agreement(const std::string& yaml, Tally& tally) {
  ++tally.drawn;
  const Outcome flit = record_run(yaml, "flit");
  if (flit.end == Outcome::End::kUnsupported) {
    ++tally.unsupported;
    RC_DISCARD(flit.reason);
  }
  require_same_leaping(yaml, flit, tally);
  require_same_by_one(yaml);
  const Outcome train = record_run(yaml, "train");
  if (flit.end == Outcome::End::kOrderLost) {
    ++tally.order_lost;
    if (train.end != Outcome::End::kContended && train.end != Outcome::End::kOrderLost) {
      RC_FAIL("flits lost the order of the lockstep, but trains did not: " + flit.reason + "\n" + yaml);
    }
    require_same_mixed(yaml, flit, tally);
    return;
  }
  if (flit.end != Outcome::End::kDone) RC_FAIL("fidelity: flit fails: " + flit.reason + "\n" + yaml);
  if (train.end == Outcome::End::kContended) {
    Tally::Refusals& refusals = tally.refused[kind(train.reason)];
    ++refusals.runs;
    if (flit.recording.result.at("contention_free") == true) ++tally.unexpected;
    const Cycles stall = flit.recording.first_stall;
    if (stall < 0) ++refusals.needless;
    if (stall >= 0 && stall < train.contended_at) {
      RC_FAIL(fmt::format("a flit waits in cycle {} ({}), but train reports an exact run until {}: {}\n{}",
                          stall, flit.recording.stall_place, train.contended_at, train.reason, yaml));
    }
    require_same_mixed(yaml, flit, tally);
    return;
  }
  if (train.end != Outcome::End::kDone) RC_FAIL("fidelity: train fails: " + train.reason + "\n" + yaml);
  const std::string difference = first_difference(flit.recording, train.recording);
  if (!difference.empty()) RC_FAIL("train differs from flit: " + difference + "\n" + yaml);
  ++tally.agreed;
  if (flit.recording.result.at("contention_free") == false) ++tally.expected;
}

}  // namespace coppice::fuzz
