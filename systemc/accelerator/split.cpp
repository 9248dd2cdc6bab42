#include "accelerator/split.h"

#include <stdexcept>

#include <fmt/format.h>

namespace coppice::accelerator {
namespace {

using workload::Layer;
using workload::LayerKind;
using workload::Pass;

std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

// Divides `size` items into at most `parts` parts: `full` parts have `each` items, and one more part has the
// rest.
struct Parts {
  std::int64_t each = 0;
  std::int64_t full = 0;
  std::int64_t rest = 0;  // 0 if all parts have `each` items
};

Parts cut(std::int64_t size, std::int64_t parts) {
  const std::int64_t each = divide_up(size, parts);
  return {each, size / each, size % each};
}

// Builds the share of the two kinds of PEs, those with a full part and the one with the rest. Calls
// `set(layer, samples, size)` for each kind, where `size` is the size of such a PE's part.
template <typename Set>
Share made(const Layer& layer, std::int64_t batch, const Parts& parts, Set set) {
  Share share;
  share.layer = share.smaller_layer = layer;
  share.samples = share.smaller_samples = batch;
  share.full = parts.full;
  set(share.layer, share.samples, parts.each);
  if (parts.rest > 0) {
    share.smaller = 1;
    set(share.smaller_layer, share.smaller_samples, parts.rest);
  }
  return share;
}

void set_groups(Layer& layer, std::int64_t groups) {
  layer.channels = layer.channels / layer.groups * groups;
  layer.filters = layer.filters / layer.groups * groups;
  layer.groups = groups;
}

// Splits by filters, or by channels for an input gradient. If the layer preserves its channels, splits by
// both.
Share by_filters(const Layer& layer, Pass pass, std::int64_t batch, std::int64_t pes) {
  if (layer.groups >= pes) {
    return made(layer, batch, cut(layer.groups, pes),
                [](Layer& part, std::int64_t&, std::int64_t groups) { set_groups(part, groups); });
  }
  const bool both = !multiplies(layer.kind) && layer.kind != LayerKind::kEmbedding;
  const bool channels = both || pass == Pass::kInputGradient;
  Layer group = layer;
  set_groups(group, 1);
  const Parts parts = cut(channels ? group.channels : group.filters, pes / layer.groups);
  Share result = made(group, batch, parts, [&](Layer& part, std::int64_t&, std::int64_t size) {
    if (channels) part.channels = size;
    if (both || !channels) part.filters = size;
  });
  result.full *= layer.groups;
  result.smaller *= layer.groups;
  result.copies = layer.groups;
  result.shares_input = multiplies(layer.kind);
  return result;
}

}  // namespace

Split parse_split(const std::string& name) {
  if (name == to_string(Split::kBest)) return Split::kBest;
  for (const Split split : splits()) {
    if (name == to_string(split)) return split;
  }
  throw std::invalid_argument(
      fmt::format("'{}' is not a split: write best, batch, rows, columns or filters", name));
}

const char* to_string(Split split) {
  switch (split) {
    case Split::kBest:
      return "best";
    case Split::kBatch:
      return "batch";
    case Split::kRows:
      return "rows";
    case Split::kColumns:
      return "columns";
    case Split::kFilters:
      return "filters";
  }
  return "?";
}

const std::vector<Split>& splits() {
  static const std::vector<Split> all = {Split::kBatch, Split::kRows, Split::kColumns, Split::kFilters};
  return all;
}

Share share(const Layer& layer, Pass pass, std::int64_t batch, int pes, Split split) {
  Share result;
  switch (split) {
    case Split::kBest:
      throw std::invalid_argument("the best split must be resolved before it is used");
    case Split::kBatch:
      result = made(layer, batch, cut(batch, pes),
                    [](Layer&, std::int64_t& samples, std::int64_t size) { samples = size; });
      break;
    case Split::kRows:
      result = made(layer, batch, cut(layer.output_height(), pes),
                    [](Layer& part, std::int64_t&, std::int64_t size) { part.part_height = size; });
      break;
    case Split::kColumns:
      result = made(layer, batch, cut(layer.output_width(), pes),
                    [](Layer& part, std::int64_t&, std::int64_t size) { part.part_width = size; });
      break;
    case Split::kFilters:
      return by_filters(layer, pass, batch, pes);
  }
  // If a product of activations is split by samples, each PE multiplies separate operands.
  const bool own = layer.kind == LayerKind::kMatmul && split == Split::kBatch;
  result.shares_weight = multiplies(layer.kind) && !own && pass != Pass::kWeightGradient;
  result.partial_sums =
      multiplies(layer.kind) && !own && pass == Pass::kWeightGradient && result.active() > 1;
  return result;
}

}  // namespace coppice::accelerator
