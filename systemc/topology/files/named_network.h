#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "topology/files/graph_file.h"

namespace coppice::topology {

// A network in the form of other tools' files: named nodes in any order, and links that may lack a bandwidth
// or latency. The readers of foreign formats fill this object, and build() numbers the nodes.
class NamedNetwork {
 public:
  // A position in the input, for error messages. `locate` converts it to a file, line and column.
  using Place = std::ptrdiff_t;
  using Locate = std::function<SourceLocation(Place)>;

  struct Link {
    int a = 0;
    int b = 0;
    std::optional<Bandwidth> bandwidth;  // bandwidth in each direction
    std::optional<Femtoseconds> latency;
    bool both_ways = true;
    int count = 1;  // number of parallel links
    int dimension = 0;
    Place place = 0;
  };

  explicit NamedNetwork(Locate locate) : locate_(std::move(locate)) {}

  // Adds a node. Throws ConfigError if another node already has this name.
  int add_node(const std::string& name, bool accelerator, Place place);
  // Returns the number of the node with this name; -1 if there is none.
  int find(const std::string& name) const;
  void set_accelerator(int node, bool accelerator) {
    nodes_[static_cast<std::size_t>(node)].accelerator = accelerator;
  }
  void add_link(const Link& link) { links_.push_back(link); }
  // Adds a sentence to the assumptions of the result, which describe details that the file does not specify.
  void assume(std::string sentence) { assumptions_.push_back(std::move(sentence)); }

  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  int num_accelerators() const;
  std::vector<Link>& links() { return links_; }
  SourceLocation locate(Place place) const { return locate_(place); }

  // Removes switches that are linked to at most one node, until none are left. Returns the number of removed
  // switches.
  int drop_dead_ends();
  // Replaces each switch that has exactly two neighbours, and one link to each of them, by a single link.
  // Such switches represent ports or NICs. The new link has the lower bandwidth and the sum of the latencies.
  // Returns the number of replaced switches.
  int join_pass_through();

  // Builds the graph. Accelerators and switches are numbered in the order in which they were added. Throws
  // ConfigError in the same cases as parse_graph().
  GraphFile build(const GraphFileDefaults& defaults) const;

 private:
  struct Node {
    std::string name;
    bool accelerator = false;
    bool gone = false;
    Place place = 0;
  };

  std::vector<std::vector<std::size_t>> links_of_nodes() const;
  void add(Topology& topology, const std::vector<NodeId>& numbers, const Link& link,
           const GraphFileDefaults& defaults) const;

  Locate locate_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, int> numbers_;
  std::vector<Link> links_;
  std::vector<std::string> assumptions_;
};

// Parses a bandwidth in the notation of other tools, which is a number with a unit ("200Gbps", "25 GB/s").
// Throws std::invalid_argument if the text is invalid.
Bandwidth parse_foreign_bandwidth(std::string_view text);

// Reads an edge attribute of another tool. The name of the attribute determines the quantity (bandwidth,
// capacity, weight, speed, rate; latency, delay). The unit is part of the name or the value (bandwidth_gb_s,
// bandwidth_gbps, latency_ns, "25 GB/s"). Attributes with other names are ignored. Throws ConfigError at
// `where` if there is no unit.
void read_link_attribute(const std::string& name, const std::string& value, NamedNetwork::Link& link,
                         const std::function<SourceLocation()>& where);

// Whether an attribute (kind, type, role or shape) marks a node as an accelerator (true) or a switch (false);
// nullopt if it marks neither.
std::optional<bool> says_accelerator(std::string_view name, std::string_view value);

}  // namespace coppice::topology
