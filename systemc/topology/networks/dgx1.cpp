#include <array>

#include "base/error.h"
#include "topology/dims.h"
#include "topology/networks/builders.h"

namespace coppice::topology {
namespace {

constexpr int kAccelerators = 8;

struct NvLink {
  NodeId first;
  NodeId second;
  int links;
};

constexpr std::array<NvLink, 16> kNvLinks{{{0, 1, 1},
                                           {0, 2, 1},
                                           {0, 3, 2},
                                           {0, 4, 2},
                                           {1, 2, 2},
                                           {1, 3, 1},
                                           {1, 5, 2},
                                           {2, 3, 2},
                                           {2, 6, 1},
                                           {3, 7, 1},
                                           {4, 5, 1},
                                           {4, 6, 1},
                                           {4, 7, 2},
                                           {5, 6, 2},
                                           {5, 7, 1},
                                           {6, 7, 2}}};

}  // namespace

Topology make_dgx1(std::span<const int> dims, std::span<const LinkSpec> links) {
  if (!dims.empty()) throw UnsupportedError("a dgx1 has no dims: it always has 8 accelerators");
  const LinkSpec link = links_per_level(Kind::kDgx1, links, 1).front();
  Topology topology(Kind::kDgx1, {}, kAccelerators, 0);
  for (const NvLink& nvlink : kNvLinks) {
    for (int i = 0; i < nvlink.links; ++i) {
      topology.add_channel(nvlink.first, nvlink.second, link.bandwidth, link.latency);
      topology.add_channel(nvlink.second, nvlink.first, link.bandwidth, link.latency);
    }
  }
  return topology;
}

}  // namespace coppice::topology
