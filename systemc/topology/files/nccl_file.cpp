#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "topology/files/foreign_networks.h"
#include "topology/files/named_network.h"
#include "topology/files/xml_text.h"

namespace coppice::topology {
namespace {

// The rate of one NVLink in one direction, in bytes per second, for GPUs with compute capability `sm` or
// higher. If several entries match a GPU, the last one applies.
struct NvlinkRate {
  int sm;
  std::int64_t rate;
};
constexpr std::array kNvlinkRates{NvlinkRate{60, 20'000'000'000}, NvlinkRate{70, 25'000'000'000},
                                  NvlinkRate{80, 25'000'000'000}, NvlinkRate{86, 14'062'500'000},
                                  NvlinkRate{90, 25'000'000'000}, NvlinkRate{100, 50'000'000'000}};

Bandwidth nvlink_rate(int sm) {
  std::int64_t rate = kNvlinkRates.front().rate;
  for (const NvlinkRate& known : kNvlinkRates) {
    if (known.sm <= sm) rate = known.rate;
  }
  return {rate};
}

// Returns the fraction of a PCIe lane's raw rate that is left after encoding: 8b/10b, 128b/130b, or the flits
// of PCIe 6.
double pcie_encoding(double gigatransfers) {
  if (gigatransfers < 8) return 0.8;
  return gigatransfers < 64 ? 128.0 / 130 : 242.0 / 256;
}

constexpr double kUsualGigatransfers = 8;  // NCCL's own assumption: PCIe 3 x16
constexpr int kUsualLanes = 16;
constexpr int kDeepest = 64;

struct Gpu {
  pugi::xml_node node;
  std::string busid;
  int rank = 0;
  int sm = 0;
};

class NcclReader {
 public:
  NcclReader(std::string_view text, const std::string& file)
      : xml_(text, file), network_([this](NamedNetwork::Place at) { return xml_.place(at); }) {}

  GraphFile read(const GraphFileDefaults& defaults) {
    for (const pugi::xml_node cpu : xml_.root().children("cpu")) find_gpus(cpu, "", 0);
    if (gpus_.empty()) throw ConfigError(xml_.place(xml_.root()), "this NCCL dump has no <gpu>");
    std::ranges::stable_sort(gpus_, {}, &Gpu::rank);
    for (const Gpu& gpu : gpus_) network_.add_node(gpu.busid, true, gpu.node.offset_debug());
    for (const Gpu& gpu : gpus_) read_nvlinks(gpu);
    if (nvlinks_ > 0) {
      network_.assume(fmt::format("an NVLink of these GPUs (sm {}) has {} in each direction",
                                  gpus_.front().sm, format_bandwidth(nvlink_rate(gpus_.front().sm))));
    }
    if (nvlink_joins_all()) {
      network_.assume("NVLink connects all GPUs, so PCIe and CPUs carry no traffic between them, as in NCCL");
    } else {
      read_pcie();
    }
    tell_nics();
    network_.drop_dead_ends();
    network_.join_pass_through();
    return network_.build(defaults);
  }

 private:
  void find_gpus(const pugi::xml_node& parent, const std::string& busid, int depth) {
    if (depth > kDeepest) {
      throw ConfigError(xml_.place(parent),
                        fmt::format("PCIe devices are nested more than {} levels deep", kDeepest));
    }
    for (const pugi::xml_node child : parent.children()) {
      const std::string_view name = child.name();
      if (name == "pci") find_gpus(child, xml_.attribute(child, "busid"), depth + 1);
      if (name == "nic") nics_.push_back(child);
      if (name != "gpu") continue;
      // Elements with the same bus ID are parts of the same GPU.
      const bool part = !gpus_.empty() && gpus_.back().busid == busid;
      const int rank = child.attribute("rank").as_int(child.attribute("dev").as_int());
      gpus_.push_back(
          {child, part ? fmt::format("{}/{}", busid, rank) : busid, rank, child.attribute("sm").as_int()});
    }
  }

  void read_nvlinks(const Gpu& gpu) {
    const int a = network_.find(gpu.busid);
    for (const pugi::xml_node link : gpu.node.children("nvlink")) {
      const std::string target = xml_.attribute(link, "target");
      const int count = link.attribute("count").as_int(1);
      if (count < 1 || count > 1024) {
        throw ConfigError(xml_.place(link),
                          fmt::format("the count of an nvlink must be 1 to 1024, not {}", count));
      }
      int b = network_.find(target);
      const bool to_gpu = b >= 0 && b < static_cast<int>(gpus_.size());
      const bool to_switch = std::string_view(link.attribute("tclass").value()).starts_with("0x0680");
      if (to_gpu && b < a) continue;  // the link has already been added at its other end
      if (b < 0) {
        if (!to_switch) continue;  // the link leads to a GPU that is not in the dump
        b = network_.add_node(target, false, link.offset_debug());
      }
      network_.add_link({.a = a,
                         .b = b,
                         .bandwidth = nvlink_rate(gpu.sm),
                         .latency = {},
                         .count = count,
                         .place = link.offset_debug()});
      nvlinks_ += count;
    }
  }

  bool nvlink_joins_all() {
    std::vector<int> group(static_cast<std::size_t>(network_.num_nodes()));
    std::iota(group.begin(), group.end(), 0);
    const auto find = [&](int node) {
      while (group[static_cast<std::size_t>(node)] != node) node = group[static_cast<std::size_t>(node)];
      return node;
    };
    for (const NamedNetwork::Link& link : network_.links()) {
      group[static_cast<std::size_t>(find(link.a))] = find(link.b);
    }
    for (int gpu = 1; gpu < static_cast<int>(gpus_.size()); ++gpu) {
      if (find(gpu) != find(0)) return false;
    }
    return true;
  }

  void read_pcie() {
    std::vector<int> cpus;
    for (const pugi::xml_node cpu : xml_.root().children("cpu")) {
      const int number = network_.add_node(fmt::format("cpu {}", cpus.size()), false, cpu.offset_debug());
      for (const int other : cpus) {
        network_.add_link({.a = other,
                           .b = number,
                           .bandwidth = between_cpus(cpu),
                           .latency = {},
                           .place = cpu.offset_debug()});
      }
      cpus.push_back(number);
      for (const pugi::xml_node pci : cpu.children("pci")) read_pci(pci, number);
    }
    network_.assume(
        "a PCIe link has the rate of its lanes minus the encoding overhead in each direction; set "
        "system.link.efficiency to account for protocol costs");
    if (cpus.size() > 1) {
      network_.assume(fmt::format("every pair of CPUs is connected by a link of {}, as NCCL assumes",
                                  format_bandwidth(between_cpus(xml_.root().child("cpu")))));
    }
  }

  static Bandwidth between_cpus(const pugi::xml_node& cpu) {
    if (std::string_view(cpu.attribute("arch").value()).starts_with("ppc")) return {32'000'000'000};
    const std::string_view vendor = cpu.attribute("vendor").value();
    if (vendor == "AuthenticAMD") return {16'000'000'000};
    return {vendor == "GenuineIntel" ? 10'000'000'000 : 6'000'000'000};
  }

  Bandwidth pcie_rate(const pugi::xml_node& pci) const {
    const double written = std::strtod(pci.attribute("link_speed").value(), nullptr);
    const double gigatransfers = written > 0 ? written : kUsualGigatransfers;
    const int lanes =
        pci.attribute("link_width").as_int() > 0 ? pci.attribute("link_width").as_int() : kUsualLanes;
    if (gigatransfers > 1000 || lanes > 64) {
      throw ConfigError(xml_.place(pci), "a PCIe link can have at most 1000 GT/s and 64 lanes");
    }
    return {std::llround(gigatransfers * 1e9 * pcie_encoding(gigatransfers) / 8 * lanes)};
  }

  void read_pci(const pugi::xml_node& pci, int parent) {
    const std::string busid = xml_.attribute(pci, "busid");
    int own = network_.find(busid);
    if (own < 0) own = network_.add_node(busid, false, pci.offset_debug());
    network_.add_link(
        {.a = parent, .b = own, .bandwidth = pcie_rate(pci), .latency = {}, .place = pci.offset_debug()});
    for (const pugi::xml_node child : pci.children("pci")) read_pci(child, own);
  }

  void tell_nics() {
    int ports = 0;
    double gigabytes = 0;
    for (const pugi::xml_node& nic : nics_) {
      for (const pugi::xml_node net : nic.children("net")) {
        ++ports;
        gigabytes += net.attribute("speed").as_double() / 8000;  // from Mb/s
      }
    }
    if (ports == 0) return;
    network_.assume(
        fmt::format("the dump describes one server, so its {} network ports, {:g} GB/s in total, are not "
                    "connected and are ignored",
                    ports, gigabytes));
  }

  XmlText xml_;
  NamedNetwork network_;
  std::vector<Gpu> gpus_;
  std::vector<pugi::xml_node> nics_;
  int nvlinks_ = 0;
};

}  // namespace

GraphFile parse_nccl(std::string_view text, const std::string& file, const GraphFileDefaults& defaults) {
  return NcclReader(text, file).read(defaults);
}

}  // namespace coppice::topology
