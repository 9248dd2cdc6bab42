#include "schedule/proof/data_proof.h"

#include <fmt/format.h>

#include <utility>

#include "schedule/proof/check_report.h"
#include "schedule/proof/data_groups.h"
#include "schedule/proof/order_proof.h"
#include "schedule/proof/proof_cache.h"
#include "schedule/proof/sum_proof.h"
#include "schedule/proof/tree_order.h"

namespace coppice::schedule {
namespace {

void require_no_gaps(const Schedule& schedule, std::span<const MessageGroup> groups) {
  if (schedule.accelerators() < 2) return;
  Bytes covered = 0;
  const auto require = [&](Bytes address) {
    if (address == covered) return;
    throw ScheduleError(fmt::format(
        "bytes {}..{}, every accelerator, all steps: no message carries these bytes", covered, address));
  };
  for (const MessageGroup& group : groups) {
    require(group.begin);
    covered = group.end;
  }
  require(schedule.size);
}

// Throws unless the shares cover the buffer in order of address, without gaps, and belong to accelerators.
void require_shares(const Schedule& schedule, std::span<const Share> shares) {
  Bytes covered = 0;
  for (const Share& share : shares) {
    const bool known = share.owner >= 0 && share.owner < schedule.accelerators();
    if (share.data.address == covered && share.data.bytes > 0 && known) {
      covered += share.data.bytes;
      continue;
    }
    throw ScheduleError(
        fmt::format("the share of accelerator {} at bytes {}..{} is invalid: the next share must begin at "
                    "byte {}, contain data and belong to an accelerator",
                    share.owner, share.data.address, share.data.address + share.data.bytes, covered));
  }
  if (covered == schedule.size) return;
  throw ScheduleError(fmt::format("bytes {}..{} are not in any accelerator's share", covered, schedule.size));
}

std::vector<Share> proven_shares(const Schedule& schedule) {
  if (schedule.collective == Collective::kAllReduce) return {};
  std::vector<Share> shares = share_out(schedule);
  require_shares(schedule, shares);
  return shares;
}

}  // namespace

int prove_flow(const Schedule& schedule, std::span<const Message> messages) {
  if (messages.empty()) throw ScheduleError("every accelerator, all steps: the schedule sends no message");
  std::vector<const Message*> pointers;
  for (const Message& message : messages) pointers.push_back(&message);
  const TableEntry& any = *messages.front().entry;
  const MessageGroup group{
      .begin = any.address, .end = any.address + any.bytes, .flows = {any.flow}, .messages = pointers};
  std::vector<int> additions(static_cast<std::size_t>(schedule.flows), 0);
  Causality(schedule).prove(group.flows, group.messages);
  Contributions(schedule, additions).prove(group, lay_out(group, proven_shares(schedule)));
  return additions[static_cast<std::size_t>(any.flow)];
}

std::vector<int> prove_data(const Schedule& schedule, std::span<const Message> messages) {
  const MessageGroups groups(schedule, messages);
  require_no_gaps(schedule, groups.groups());
  const std::vector<Share> shares = proven_shares(schedule);
  std::vector<int> additions(static_cast<std::size_t>(schedule.flows), 0);
  Contributions contributions(schedule, additions);
  Causality causality(schedule);
  TreeOrder tree(schedule);
  ProvenGroups proven(schedule);
  for (const MessageGroup& group : groups.groups()) {
    if (const auto known = proven.find(group, shares)) {
      for (std::size_t i = 0; i < group.flows.size(); ++i) {
        additions[static_cast<std::size_t>(group.flows[i])] = (*known)[i];
      }
      continue;
    }
    if (!tree.holds(group)) causality.prove(group.flows, group.messages);
    GroupLayout layout = lay_out(group, shares);
    contributions.prove(group, layout);
    std::vector<int> depths;
    for (const std::int32_t flow : group.flows) depths.push_back(additions[static_cast<std::size_t>(flow)]);
    proven.add(group, std::move(layout), std::move(depths));
  }
  return additions;
}

}  // namespace coppice::schedule
