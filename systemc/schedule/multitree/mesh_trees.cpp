#include "schedule/multitree/mesh_trees.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "base/random.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

// The coordinates of a mesh, and its channels by dimension and direction.
class Grid {
 public:
  explicit Grid(const Topology& topology) : topology_(topology), nodes_(topology.num_nodes()) {
    for (std::size_t d = 0; d < topology.dims().size(); ++d) {
      if (topology.dims()[d] > 1) wide_.push_back(d);
    }
    for (NodeId node = 0; node < nodes_; ++node) {
      const std::vector<int> at = topology.coordinates(node);
      for (const std::size_t d : wide_) coordinates_.push_back(at[d]);
    }
    into_.resize(static_cast<std::size_t>(nodes_) * wide_.size() * 2, -1);
    for (std::size_t id = 0; id < topology.channels().size(); ++id) {
      const topology::Channel& channel = topology.channels()[id];
      for (std::size_t d = 0; d < wide_.size(); ++d) {
        const int move = at(channel.dst, d) - at(channel.src, d);
        if (move != 0) into_[slot(channel.dst, d, move > 0)] = static_cast<ChannelId>(id);
      }
    }
  }

  const Topology& topology() const { return topology_; }
  NodeId nodes() const { return nodes_; }
  std::size_t dimensions() const { return wide_.size(); }
  int width(std::size_t d) const { return topology_.dims()[wide_[d]]; }
  int at(NodeId node, std::size_t d) const {
    return coordinates_[static_cast<std::size_t>(node) * wide_.size() + d];
  }
  bool ends_lines(NodeId node) const {
    for (std::size_t d = 0; d < wide_.size(); ++d) {
      if (at(node, d) == 0 || at(node, d) + 1 == width(d)) return true;
    }
    return false;
  }
  // Returns the channel into `node` along dimension d. It comes from the lower neighbour if `upwards`,
  // otherwise from the upper neighbour.
  ChannelId into(NodeId node, std::size_t d, bool upwards) const { return into_[slot(node, d, upwards)]; }

 private:
  std::size_t slot(NodeId node, std::size_t d, bool upwards) const {
    return (static_cast<std::size_t>(node) * wide_.size() + d) * 2 + (upwards ? 1 : 0);
  }

  const Topology& topology_;
  NodeId nodes_;
  std::vector<std::size_t> wide_;  // dimensions with more than one node
  std::vector<int> coordinates_;   // [node * dimensions + d]
  std::vector<ChannelId> into_;    // [(node * dimensions + d) * 2 + upwards]
};

using Order = std::vector<std::size_t>;

// Returns all orders of up to three dimensions. For more dimensions, returns only the cyclic orders.
std::vector<Order> orders_of(std::size_t dimensions) {
  Order order(dimensions);
  std::iota(order.begin(), order.end(), 0);
  std::vector<Order> orders;
  if (dimensions <= 3) {
    do orders.push_back(order);
    while (std::ranges::next_permutation(order).found);
    return orders;
  }
  for (std::size_t i = 0; i < dimensions; ++i) {
    orders.push_back(order);
    std::rotate(order.begin(), order.begin() + 1, order.end());
  }
  return orders;
}

// Returns the channel over which `node` joins the tree of `root` that spreads in `order`.
ChannelId channel_into(const Grid& grid, const Order& order, NodeId root, NodeId node) {
  std::size_t last = order.size() - 1;
  while (grid.at(node, order[last]) == grid.at(root, order[last])) --last;
  const std::size_t d = order[last];
  return grid.into(node, d, grid.at(node, d) > grid.at(root, d));
}

// Returns the number of channels on the longest path beyond `node` in the tree of `root` that spreads in
// `order`.
int height(const Grid& grid, const Order& order, NodeId root, NodeId node) {
  int most = 0;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t d = order[i];
    const int here = grid.at(node, d);
    const int up = grid.width(d) - 1 - here;
    if (here != grid.at(root, d)) return most + (here > grid.at(root, d) ? up : here);
    most += std::max(up, here);
  }
  return most;
}

// Chooses an order of dimensions for every tree. A tree that enters a line continues to both ends of the
// line. Loads therefore grow towards the ends, and no channel of a line carries more trees than the last
// channel.
class Balance {
 public:
  Balance(const Grid& grid, const std::vector<Order>& orders, int pieces, int limit, std::uint64_t seed)
      : grid_(grid),
        orders_(orders),
        pieces_(pieces),
        limit_(limit),
        random_(seed),
        load_(grid.topology().channels().size(), 0) {
    for (NodeId node = 0; node < grid.nodes(); ++node) {
      if (grid.ends_lines(node)) ends_.push_back(node);
    }
    for (NodeId root = 0; root < grid.nodes(); ++root) {
      for (int piece = 0; piece < pieces; ++piece) {
        auto sum = static_cast<std::size_t>(piece);
        for (std::size_t d = 0; d < grid.dimensions(); ++d) sum += static_cast<std::size_t>(grid.at(root, d));
        choice_.push_back(sum % orders.size());
        add(choice_.size() - 1);
      }
    }
  }

  std::vector<std::size_t> run() {
    const std::size_t patience = 256 * choice_.size() + 65536;
    for (std::size_t tries = 0; tries < patience && excess_ > 0; ++tries) {
      // Changing two trees together can improve a state that no change of a single tree improves.
      const Change first = change();
      const Change second = random_.bernoulli(0.5) ? change() : first;
      if (first.excess >= excess_) continue;
      if (second.tree != first.tree) undo(second);
      undo(first);
    }
    return choice_;
  }

 private:
  struct Change {
    std::size_t tree = 0;
    std::size_t before = 0;   // index of the tree's order before the change
    std::int64_t excess = 0;  // excess_ before the change
  };

  Change change() {
    const auto tree = static_cast<std::size_t>(random_.below(choice_.size()));
    const Change change{tree, choice_[tree], excess_};
    set(tree, static_cast<std::size_t>(random_.below(orders_.size())));
    return change;
  }
  void undo(const Change& change) { set(change.tree, change.before); }

  void set(std::size_t tree, std::size_t order) {
    if (choice_[tree] == order) return;
    remove(tree);
    choice_[tree] = order;
    add(tree);
  }

  template <typename Visit>
  void for_each_end(std::size_t tree, Visit visit) {
    const auto root = static_cast<NodeId>(tree / static_cast<std::size_t>(pieces_));
    for (const NodeId node : ends_) {
      if (node == root) continue;
      visit(load_[static_cast<std::size_t>(channel_into(grid_, orders_[choice_[tree]], root, node))]);
    }
  }
  void add(std::size_t tree) {
    for_each_end(tree, [&](int& load) { excess_ += load++ >= limit_ ? 1 : 0; });
  }
  void remove(std::size_t tree) {
    for_each_end(tree, [&](int& load) { excess_ -= load-- > limit_ ? 1 : 0; });
  }

  const Grid& grid_;
  const std::vector<Order>& orders_;
  int pieces_;
  int limit_;
  Random random_;
  std::vector<NodeId> ends_;         // nodes at the end of a line in any dimension
  std::vector<int> load_;            // [channel into one of ends_]: number of trees that use it
  std::int64_t excess_ = 0;          // total load in excess of the limit
  std::vector<std::size_t> choice_;  // [tree]: index of the chosen order
};

// Assigns a timestep to every edge of the trees.
class ListScheduler {
 public:
  ListScheduler(const Grid& grid, const std::vector<Order>& orders, const std::vector<std::size_t>& choice,
                int pieces)
      : grid_(grid),
        orders_(orders),
        choice_(choice),
        pieces_(pieces),
        waiting_(grid.topology().channels().size()) {
    trees_.pieces = pieces;
    trees_.trees.resize(choice.size());
  }

  Trees run() {
    for (std::size_t tree = 0; tree < choice_.size(); ++tree) {
      trees_.trees[tree].reserve(static_cast<std::size_t>(grid_.nodes()) - 1);
      offer(static_cast<std::int32_t>(tree), root_of(tree));
    }
    std::size_t missing = choice_.size() * static_cast<std::size_t>(grid_.nodes() - 1);
    while (missing > 0) {
      ++trees_.steps;
      const std::vector<Waiting> sent = send();
      missing -= sent.size();
      for (const Waiting& message : sent) offer(message.tree, message.node);
    }
    return std::move(trees_);
  }

 private:
  // A tree that waits for a channel to send its data.
  struct Waiting {
    int height = 0;  // the greatest height is served first; ties go to the lowest tree number
    std::int32_t tree = 0;
    NodeId node = 0;
    bool operator<(const Waiting& other) const {
      return height != other.height ? height < other.height : tree > other.tree;
    }
  };

  NodeId root_of(std::size_t tree) const {
    return static_cast<NodeId>(tree / static_cast<std::size_t>(pieces_));
  }

  // Queues the messages to the nodes that join the tree from `node`, which has just joined it.
  void offer(std::int32_t tree, NodeId node) {
    const Order& order = orders_[choice_[static_cast<std::size_t>(tree)]];
    const NodeId root = root_of(static_cast<std::size_t>(tree));
    for (const ChannelId id : grid_.topology().out_channels(node)) {
      const NodeId next = grid_.topology().channel(id).dst;
      if (next == root || channel_into(grid_, order, root, next) != id) continue;
      waiting_[static_cast<std::size_t>(id)].push({height(grid_, order, root, next), tree, next});
    }
  }

  std::vector<Waiting> send() {
    std::vector<Waiting> sent;
    for (std::size_t id = 0; id < waiting_.size(); ++id) {
      if (waiting_[id].empty()) continue;
      const Waiting message = waiting_[id].top();
      waiting_[id].pop();
      trees_.trees[static_cast<std::size_t>(message.tree)].push_back(
          {.parent = grid_.topology().channel(static_cast<ChannelId>(id)).src,
           .child = message.node,
           .channel = static_cast<ChannelId>(id),
           .step = trees_.steps});
      sent.push_back(message);
    }
    return sent;
  }

  const Grid& grid_;
  const std::vector<Order>& orders_;
  const std::vector<std::size_t>& choice_;
  int pieces_;
  std::vector<std::priority_queue<Waiting>> waiting_;  // [channel]
  Trees trees_;
};

}  // namespace

std::optional<Trees> dimension_trees(const Topology& topology, int pieces, std::uint64_t seed) {
  if (topology.kind() != topology::Kind::kMesh || topology.num_nodes() != topology.num_accelerators()) {
    return std::nullopt;
  }
  const Grid grid(topology);
  const std::vector<Order> orders = orders_of(grid.dimensions());
  const auto choice = Balance(grid, orders, pieces, least_steps(topology, pieces), seed).run();
  return ListScheduler(grid, orders, choice, pieces).run();
}

}  // namespace coppice::schedule
