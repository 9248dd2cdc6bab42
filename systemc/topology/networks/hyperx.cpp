#include "topology/networks/hyperx.h"

#include <fmt/format.h>

#include "base/error.h"
#include "topology/dims.h"
#include "topology/networks/builders.h"

namespace coppice::topology {
namespace {

constexpr int kMaxVcs = 255;

class HyperxRouting final : public RoutingFunction {
 public:
  HyperxRouting(const Topology& topology, int vcs)
      : topology_(&topology), vcs_{0, static_cast<std::uint8_t>(vcs)} {}

  Hop next_hop(NodeId at, NodeId dst, RouteState& /*state*/, int ejection_port) const override {
    const std::vector<int>& dims = topology_->dims();
    int port = dims.front();
    if (topology_->is_accelerator(at)) {
      port = at == dst ? static_cast<int>(topology_->out_channels(at).size()) + ejection_port : 0;
      return {static_cast<std::uint16_t>(port), vcs_};
    }
    int here = at - topology_->num_accelerators();
    int there = dst / dims.front();
    for (std::size_t d = 1; d < dims.size(); ++d) {
      const int from = here % dims[d];
      const int to = there % dims[d];
      if (from != to) return {static_cast<std::uint16_t>(port + (to < from ? to : to - 1)), vcs_};
      here /= dims[d];
      there /= dims[d];
      port += dims[d] - 1;
    }
    return {static_cast<std::uint16_t>(dst % dims.front()), vcs_};
  }

  int num_tie_bits() const override { return 0; }
  int num_vcs() const override { return vcs_.end; }

 private:
  const Topology* topology_;
  VcRange vcs_;
};

void require_hyperx(std::span<const int> dims) {
  if (dims.size() < 2) {
    throw UnsupportedError(
        fmt::format("a hyperx needs dims [accelerators per switch, switches of dimension 1, ...], not [{}]",
                    fmt::join(dims, ", ")));
  }
  require_at_least(Kind::kHyperx, "accelerators per switch", dims[0], 1);
  std::int64_t switches = 1;
  std::int64_t ports = 2 * std::int64_t{dims[0]};
  for (const int width : dims.subspan(1)) {
    require_at_least(Kind::kHyperx, "switches along a dimension", width, 1);
    switches = std::min(switches * width, kMaxNodes + 1);
    ports += width - 1;
  }
  require_size(Kind::kHyperx, dims, switches * (std::int64_t{dims[0]} + 1), switches * ports);
}

}  // namespace

Topology make_hyperx(std::span<const int> dims, std::span<const LinkSpec> links) {
  require_hyperx(dims);
  const std::vector<LinkSpec> levels = links_per_level(Kind::kHyperx, links, dims.size());
  int switches = 1;
  for (const int width : dims.subspan(1)) switches *= width;
  const int first = dims[0] * switches;
  Topology topology(Kind::kHyperx, {dims.begin(), dims.end()}, first, switches);
  const auto add = [&](NodeId src, NodeId dst, std::size_t level) {
    topology.add_channel(src, dst, levels[level].bandwidth, levels[level].latency, static_cast<int>(level));
  };
  for (NodeId node = 0; node < first; ++node) add(node, first + node / dims[0], 0);
  for (int s = 0; s < switches; ++s) {
    for (int i = 0; i < dims[0]; ++i) add(first + s, s * dims[0] + i, 0);
    int stride = 1;
    for (std::size_t d = 1; d < dims.size(); ++d) {
      const int at = s / stride % dims[d];
      for (int to = 0; to < dims[d]; ++to) {
        if (to != at) add(first + s, first + s + (to - at) * stride, d);
      }
      stride *= dims[d];
    }
  }
  return topology;
}

std::unique_ptr<RoutingFunction> make_hyperx_routing(const Topology& topology, int vcs) {
  if (vcs < 1 || vcs > kMaxVcs) {
    throw UnsupportedError(fmt::format("{} virtual channels are not supported on {}: use 1 to {}", vcs,
                                       topology.name(), kMaxVcs));
  }
  return std::make_unique<HyperxRouting>(topology, vcs);
}

}  // namespace coppice::topology
