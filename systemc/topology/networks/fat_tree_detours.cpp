#include "topology/networks/fat_tree_detours.h"

#include <cstddef>

#include <fmt/format.h>

#include "base/error.h"
#include "topology/routing/tie_bits.h"

namespace coppice::topology {
namespace {

// Routes up to a switch above both accelerators and then down. Switch w of level l is above all accelerators
// whose leaf number agrees with w in every base-k digit from digit l on.
class UpAndDown final : public DetourRouting {
 public:
  UpAndDown(const Topology& topology, int vcs, bool by_load)
      : topology_(&topology),
        k_(topology.dims()[0]),
        all_{0, static_cast<std::uint8_t>(vcs)},
        by_load_(by_load) {
    int power = 1;
    for (int level = 0; level < topology.dims()[1]; ++level, power *= k_) powers_.push_back(power);
    width_ = powers_.back();
  }

  int num_vcs() const override { return all_.end; }

  Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const override {
    if (topology_->is_accelerator(at)) {
      const auto channels = topology_->out_channels(at).size();
      return hop(at == dst ? static_cast<int>(channels) + ejection_port : 0);
    }
    const Place place = place_of(at);
    if (!is_above(place, dst)) return hop(k_ + drawn_port(state, place.level));
    if (place.level == 0) return hop(dst % k_);
    const int digit = powers_[static_cast<std::size_t>(place.level) - 1];
    return hop(dst / k_ / digit % k_);
  }

  NextHops ways(NodeId at, NodeId dst, RouteState& state, int ejection_port,
                const OutputLoads& /*loads*/) const override {
    NextHops ways{next_hop(at, dst, state, ejection_port)};
    if (!by_load_ || topology_->is_accelerator(at) || is_above(place_of(at), dst)) return ways;
    const int first = ways.hop.out_port - k_;
    for (int i = 0; i < k_; ++i) ways.adaptive.push_back(hop(k_ + (first + i) % k_));
    return ways;
  }

  void advance_state(RouteState& /*state*/) const override {}

  // Adds the dependencies of the paths that use the same upward port at every level.
  void add_dependencies(ChannelDependencyGraph& graph) const override {
    for (NodeId src = 0; src < topology_->num_accelerators(); src += k_) {
      for (NodeId dst = 0; dst < topology_->num_accelerators(); dst += k_) {
        for (std::uint32_t port = 0; port < static_cast<std::uint32_t>(k_); ++port) {
          graph.add_route(src, make_route(*topology_, *this, src, dst, port * kSamePortAtEveryLevel, 0));
        }
      }
    }
  }

 private:
  struct Place {
    int level;
    int position;
  };
  static constexpr int kPortBits = 8;
  static constexpr std::uint32_t kSamePortAtEveryLevel = 0x01010101;

  Hop hop(int port) const { return {static_cast<std::uint16_t>(port), all_}; }
  Place place_of(NodeId node) const {
    const int index = node - topology_->num_accelerators();
    return {index / width_, index % width_};
  }
  bool is_above(Place place, NodeId dst) const {
    const int power = powers_[static_cast<std::size_t>(place.level)];
    return place.position / power == dst / k_ / power;
  }
  // Returns the next upward port, which is selected by one byte of the tie bits; the byte depends on the
  // level.
  int drawn_port(const RouteState& state, int level) const {
    const int shift = level % 4 * kPortBits;
    return static_cast<int>((state.tie_bits >> shift) & ((1U << kPortBits) - 1)) % k_;
  }

  const Topology* topology_;
  int k_;
  int width_ = 1;
  VcRange all_;
  bool by_load_;
  std::vector<int> powers_;  // [digit]: k to the power of digit
};

}  // namespace

std::unique_ptr<DetourRouting> make_fat_tree_detours(const Topology& topology, int vcs, Detours detours) {
  if (topology.dims().size() != 2) {
    throw UnsupportedError(fmt::format(
        "{}: routing with detours is available only for fat trees with dims [k, n]; write minimal instead",
        topology.name()));
  }
  if (detours == Detours::kUgal) {
    throw UnsupportedError("a fat tree has only shortest paths to choose from: write adaptive or valiant");
  }
  return std::make_unique<UpAndDown>(topology, vcs, detours == Detours::kAdaptive);
}

}  // namespace coppice::topology
