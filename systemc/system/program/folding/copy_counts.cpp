#include "system/program/folding/copy_counts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/index.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;

void multiply(Json& number, std::int64_t by) {
  if (number.is_number_integer()) {
    number = number.get<std::int64_t>() * by;
  } else {
    number = number.get<double>() * static_cast<double>(by);
  }
}

// Replaces roles by the accelerators of the machine. The list has one item per role, which names the first
// accelerator and counts the copies, or one item for every accelerator (--per-accelerator).
void count_accelerators(const FoldedCopies& copies, Json& accelerators) {
  std::map<int, Json> listed;  // [accelerator]: its item in the list
  for (const Json& accelerator : accelerators) {
    const auto role = accelerator["rank"].get<std::size_t>();
    for (const std::vector<int>& copy : copies.replicated.copies) {
      Json& one = listed[copy[role]];
      one = accelerator;
      one["accelerator"] = one["rank"] = copy[role];
      if (copies.per_accelerator) continue;
      one["count"] = copies.replicated.copies.size();
      break;
    }
  }
  accelerators = Json::array();
  for (auto& [number, accelerator] : listed) accelerators.push_back(std::move(accelerator));
}

}  // namespace

fabric::FabricStatistics of_all_channels(const FoldedCopies& copies,
                                         const fabric::FabricStatistics& of_one_copy) {
  fabric::FabricStatistics all;
  for (std::size_t id = 0; id < copies.machine.channels().size(); ++id) {
    const topology::ChannelId image = copies.quotient.channel(static_cast<topology::ChannelId>(id));
    all.channel_flits.push_back(image < 0 ? 0 : of_one_copy.channel_flits[index(image)]);
  }
  return all;
}

void count_copies(const FoldedCopies& copies, Json& result) {
  const auto count = static_cast<std::int64_t>(copies.replicated.copies.size());
  const std::vector<int>& ranks = copies.replicated.copies.front();
  for (const char* key : {"flits", "flit_hops"}) multiply(result[key], count);
  multiply(result["simulator"]["flit_hops_per_s"], count);
  for (const char* key : {"ranks", "operations", "messages"}) multiply(result["program"][key], count);
  for (auto& [module, quantities] : result["statistics"].items()) {
    const bool single = module == "fabric";  // all copies share the module `fabric`
    if (!single) multiply(quantities["modules"], count);
    for (auto& [name, quantity] : quantities.items()) {
      if (name == "modules") continue;
      multiply(quantity["sum"], count);
      if (single) multiply(quantity["max"], count);
    }
  }
  count_accelerators(copies, result["accelerators"]);
  const workload::Program& program = copies.replicated.program;
  const std::set<int> kept(ranks.begin(), ranks.end());
  std::size_t number = 0;
  for (Json& exchange : result["collectives"]) {
    bool joins_copies = false;
    if (number < program.collectives.size()) {
      const auto& group = program.groups[index(program.collectives[number].group)].ranks;
      joins_copies = std::ranges::any_of(group, [&](int rank) { return !kept.contains(rank); });
    } else {
      for (const char* end : {"source", "destination"}) {
        exchange[end] = ranks[exchange[end].get<std::size_t>()];
      }
    }
    exchange["count"] = joins_copies ? 1 : count;
    ++number;
  }
}

}  // namespace coppice::system
