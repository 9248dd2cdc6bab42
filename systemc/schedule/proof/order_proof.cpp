#include "schedule/proof/order_proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "schedule/proof/check_report.h"

namespace coppice::schedule {
namespace {

// The maximum size of the causality matrix in bytes; larger proofs would take minutes. Only one part of the
// matrix, of about kPartBytes, is stored at a time.
constexpr std::size_t kMatrixLimit = std::size_t{64} << 30;
constexpr std::size_t kPartBytes = std::size_t{32} << 20;

[[noreturn]] void refuse(const Message& message, const std::string& what) {
  throw ScheduleError(place_of(message) + ": " + what);
}

std::string name_of(NodeId node) {
  return node == topology::kNoNode ? "no accelerator" : fmt::format("accelerator {}", node);
}

bool overlap(const Message& a, const Message& b) {
  return a.entry->address < b.entry->address + b.entry->bytes &&
         b.entry->address < a.entry->address + a.entry->bytes;
}

}  // namespace

Causality::Causality(const Schedule& schedule)
    : schedule_(schedule),
      accelerators_(schedule.nodes.size()),
      place_in_group_(static_cast<std::size_t>(schedule.flows), -1),
      sent_(schedule.nodes.size()) {}

void Causality::prove(std::span<const std::int32_t> flows, std::span<const Message* const> messages) {
  begin(flows, messages);
  const std::size_t columns = std::max<std::size_t>(64, words_ * 64);
  for (std::size_t first = 0; first < messages.size(); first += columns) {
    first_cause_ = static_cast<std::int32_t>(first);
    end_cause_ = static_cast<std::int32_t>(std::min(first + columns, messages.size()));
    prove_part();
  }
}

// Proves the order of all accesses relative to the messages of one part.
void Causality::prove_part() {
  reset();
  // An arrival counts from the round after the one in which its message is sent.
  std::size_t delivered = 0;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    for (; messages_[delivered]->round < messages_[i]->round; ++delivered) deliver(delivered);
    add(static_cast<std::int32_t>(i));
  }
  for (; delivered < messages_.size(); ++delivered) deliver(delivered);
  for (std::size_t node = 0; node < accelerators_; ++node) check_node(static_cast<NodeId>(node));
}

void Causality::begin(std::span<const std::int32_t> flows, std::span<const Message* const> messages) {
  messages_ = messages;
  flows_in_group_ = flows.size();
  for (std::size_t i = 0; i < flows.size(); ++i) {
    place_in_group_[static_cast<std::size_t>(flows[i])] = static_cast<std::int32_t>(i);
  }
  const std::size_t rows = messages.size() + accelerators_ * flows_in_group_;
  if (rows * words_of(messages.size()) * sizeof(std::uint64_t) > kMatrixLimit) {
    throw ScheduleError(
        fmt::format("flow {}, every accelerator, all steps: {} messages touch overlapping addresses, too "
                    "many to prove their order; split the data into more chunks",
                    flows.front(), messages.size()));
  }
  const std::size_t fit = std::max<std::size_t>(kPartBytes / (rows * sizeof(std::uint64_t)), 1);
  words_ = std::min(words_of(messages.size()), fit);
}

void Causality::reset() {
  const std::size_t inboxes = accelerators_ * flows_in_group_;
  causes_.assign(messages_.size() * words_, 0);
  inbox_causes_.assign(inboxes * words_, 0);
  inboxes_.resize(inboxes);
  for (Inbox& inbox : inboxes_) {
    inbox.arrivals.clear();
    inbox.merged = 0;
    inbox.last_store = -1;
  }
  for (auto& sent : sent_) sent.clear();
}

void Causality::deliver(std::size_t index) {
  const Message& arrival = *messages_[index];
  auto& arrivals = inboxes_[inbox_of(arrival.dst, arrival.entry->flow)].arrivals;
  const auto place =
      schedule_.numbered_arrivals ? static_cast<std::size_t>(arrival.arrival) : arrivals.size();
  if (arrivals.size() <= place) arrivals.resize(place + 1, -1);
  arrivals[place] = static_cast<std::int32_t>(index);
}

void Causality::add(std::int32_t index) {
  const Message& sending = message(index);
  const std::size_t inbox = inbox_of(sending.src, sending.entry->flow);
  merge(inbox, sending.entry->dependencies);
  std::copy_n(&inbox_causes_[inbox * words_], words_, causes_of(index));
  if (schedule_.ordered_by_lockstep) check_lockstep(sending, inboxes_[inbox]);
  check_family(sending, inboxes_[inbox]);
  sent_[static_cast<std::size_t>(sending.src)].push_back(index);
}

// Adds the first `count` arrivals of an inbox and their causes to the inbox's cause set. Usually `count`
// increases from call to call, so that only new arrivals have to be added.
void Causality::merge(std::size_t inbox, std::int32_t count) {
  Inbox& box = inboxes_[inbox];
  Bits causes(&inbox_causes_[inbox * words_], words_);
  if (box.merged > count) {
    causes.clear();
    box.merged = 0;
    box.last_store = -1;
  }
  for (; box.merged < count; ++box.merged) {
    const std::int32_t arrival = box.arrivals[static_cast<std::size_t>(box.merged)];
    causes.insert_all(ConstBits(causes_of(arrival), words_));
    if (is_cause(arrival)) causes.insert(static_cast<std::size_t>(arrival - first_cause_));
    if (message(arrival).entry->op == Op::kGather) box.last_store = box.merged;
  }
}

// Whether an arrival carries data that the entry sends. Only numbered arrivals may carry other parts of the
// flow's data.
bool Causality::concerns(std::int32_t arrival, const Message& sending) const {
  return !schedule_.numbered_arrivals || overlap(message(arrival), sending);
}

// Refuses an entry that waits for its own timestep or a later one, because the lockstep does not determine
// the time at which such an entry issues.
void Causality::check_lockstep(const Message& sending, const Inbox& inbox) const {
  for (std::int32_t i = 0; i < inbox.merged; ++i) {
    const Message& arrival = message(inbox.arrivals[static_cast<std::size_t>(i)]);
    if (arrival.entry->step < sending.entry->step) continue;
    refuse(sending, fmt::format("waits for the {} from accelerator {} in step {}, but that step must be "
                                "earlier because the lockstep enforces the order",
                                to_string(arrival.entry->op), arrival.src, arrival.entry->step));
  }
}

// Requires that the arrivals on which an entry depends come from the parent and children that the entry
// names.
void Causality::check_family(const Message& sending, const Inbox& inbox) const {
  const TableEntry& entry = *sending.entry;
  std::int32_t last_store = inbox.last_store;
  while (last_store >= 0) {
    const std::int32_t arrival = inbox.arrivals[static_cast<std::size_t>(last_store)];
    if (message(arrival).entry->op == Op::kGather && concerns(arrival, sending)) break;
    --last_store;
  }
  if (entry.op == Op::kGather) {
    const NodeId from = last_store < 0 ? topology::kNoNode
                                       : message(inbox.arrivals[static_cast<std::size_t>(last_store)]).src;
    if (from == entry.parent) return;
    refuse(sending, fmt::format("its parent is {}, but the value it depends on came from {}",
                                name_of(entry.parent), name_of(from)));
  }
  NodeList sources;
  for (std::int32_t i = last_store + 1; i < inbox.merged; ++i) {
    const std::int32_t arrival = inbox.arrivals[static_cast<std::size_t>(i)];
    if (concerns(arrival, sending)) sources.push_back(message(arrival).src);
  }
  NodeList children = entry.children;
  std::ranges::sort(sources);
  std::ranges::sort(children);
  if (sources == children) return;
  refuse(sending, fmt::format("its children are [{}], but the partial sums it depends on came from [{}]",
                              fmt::join(children, ", "), fmt::join(sources, ", ")));
}

bool Causality::caused(std::int32_t earlier, std::int32_t later) const {
  if (message(earlier).round >= message(later).round) return false;
  if (!is_cause(earlier)) return true;  // checked by another part of the proof
  return ConstBits(&causes_[static_cast<std::size_t>(later) * words_], words_)
      .contains(static_cast<std::size_t>(earlier - first_cause_));
}

bool Causality::later_by_lockstep(std::int32_t earlier, std::int32_t later) const {
  return schedule_.ordered_by_lockstep && message(earlier).entry->step < message(later).entry->step;
}

void Causality::check_node(NodeId node) const {
  for (const std::int32_t entry : sent_[static_cast<std::size_t>(node)]) check_entry(entry, node);
  for (std::size_t f = 0; f < flows_in_group_; ++f) {
    check_stores(static_cast<std::size_t>(node) * flows_in_group_ + f, node);
  }
}

// Checks an entry against all arrivals at its accelerator. Every arrival must be counted by the entry,
// precede the entry, or follow it.
void Causality::check_entry(std::int32_t entry, NodeId node) const {
  const Message& sending = message(entry);
  const std::size_t own = inbox_of(node, sending.entry->flow);
  for (std::size_t f = 0; f < flows_in_group_; ++f) {
    const std::size_t inbox = static_cast<std::size_t>(node) * flows_in_group_ + f;
    const auto& arrivals = inboxes_[inbox].arrivals;
    // Without numbered arrivals, the entry counts the first arrivals of its flow, so all other arrivals of
    // the flow must come after the entry.
    const bool counted = inbox == own && !schedule_.numbered_arrivals;
    for (std::size_t i = inbox == own ? static_cast<std::size_t>(sending.entry->dependencies) : 0;
         i < arrivals.size(); ++i) {
      const std::int32_t arrival = arrivals[i];
      if (!counted && !overlap(sending, message(arrival))) continue;
      // All arrivals of a step come at its end, so an arrival of the entry's own step comes after the entry.
      if (caused(entry, arrival) || later_by_lockstep(entry, arrival) ||
          (schedule_.ordered_by_lockstep && message(arrival).entry->step == sending.entry->step)) {
        continue;
      }
      if (!counted && (caused(arrival, entry) || later_by_lockstep(arrival, entry))) continue;
      refuse(sending, fmt::format("the {} of flow {} from accelerator {} in step {} may arrive before or "
                                  "after this entry, which waits for {} of {} arrivals",
                                  to_string(message(arrival).entry->op), message(arrival).entry->flow,
                                  message(arrival).src, message(arrival).entry->step,
                                  sending.entry->dependencies, inboxes_[own].arrivals.size()));
    }
  }
}

// Requires that a stored value and every other arrival at the same addresses have a fixed order.
void Causality::check_stores(std::size_t inbox, NodeId node) const {
  for (const std::int32_t store : inboxes_[inbox].arrivals) {
    if (message(store).entry->op != Op::kGather) continue;
    for (std::size_t f = 0; f < flows_in_group_; ++f) {
      for (const std::int32_t other :
           inboxes_[static_cast<std::size_t>(node) * flows_in_group_ + f].arrivals) {
        if (other == store || !overlap(message(store), message(other))) continue;
        if (caused(store, other) || caused(other, store)) continue;
        if (later_by_lockstep(store, other) || later_by_lockstep(other, store)) continue;
        refuse(
            message(store),
            fmt::format("may arrive at accelerator {} before or after the {} from accelerator {} in step {}, "
                        "which touches the same data",
                        node, to_string(message(other).entry->op), message(other).src,
                        message(other).entry->step));
      }
    }
  }
}

}  // namespace coppice::schedule
