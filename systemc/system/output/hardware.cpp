#include "system/output/hardware.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "system/machine/build.h"
#include "system/machine/model_files.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kByteBits = 8;
constexpr int kWordBytes = 4;
constexpr double kSramBits = 64;
constexpr double kUm2PerMm2 = 1e6;
constexpr double kPicojoulesPerMicrojoule = 1e6;
constexpr int kVcBufferBits = 2;  // head and tail bit of each flit

config::Technology technology_of(const config::Config& config) {
  return *config::find_technology(config.hardware.technology);
}

int flit_bits(const config::Config& config) {
  return static_cast<int>(config.system.flit * kByteBits);
}

RouterShape router_shape(const config::Config& config, const topology::Topology& topology,
                         topology::NodeId node, int ni_ports) {
  const int own = topology.is_accelerator(node) ? ni_ports : 0;
  return {static_cast<int>(topology.out_channels(node).size()) + own, config.system.router.vcs,
          config.system.router.vc_depth, flit_bits(config)};
}

InterfaceShape interface_shape(const config::Config& config, int ni_ports, const Json& ni_overhead) {
  InterfaceShape shape{ni_ports, flit_bits(config), config.system.ni.buffer, 0, 0};
  if (!ni_overhead.is_null()) {
    shape.entries = ni_overhead.at("entries_per_port_max").get<std::int64_t>();
    // Each flow has one arrival counter, so the size of all counters gives the number of flows.
    const double count_bits = std::max(1, ni_overhead.at("field_bits").value("dependencies", 1));
    shape.flows = static_cast<std::int64_t>(ni_overhead.at("dependency_bytes_per_node").get<double>() *
                                            kByteBits / count_bits);
  }
  return shape;
}

// The energy in pJ of a 64-bit access to a memory of this many bytes, in the technology of the table.
double sram_pj(const config::HardwareTable& table, double bytes) {
  return table.sram_64_bits_pj * std::sqrt(std::max(bytes, 1.0) / table.sram_bytes);
}

double squared(double ratio) {
  return ratio * ratio;
}

// The bytes that additions produce, and the bytes that are read from or written to memory, summed over all
// accelerators. In any schedule, an all-reduce adds each word n - 1 times and copies it n - 1 times.
struct Moved {
  double added = 0;
  double memory = 0;
};

Moved moved_bytes(workload::CollectiveOp op, double bytes, int accelerators) {
  using enum workload::CollectiveOp;
  const double each = bytes * (accelerators - 1);
  const double reduced = op == kAllGather || op == kBroadcast ? 0 : each;
  const double gathered = op == kReduceScatter || op == kReduce ? 0 : each;
  // A word to be added is read at its sender, and the receiver reads and writes the sum. A copied word is
  // read once and written once.
  return {reduced, 3 * reduced + 2 * gathered};
}

// The mean number of ports per router.
double mean_ports(const config::Config& config, const topology::Topology& topology) {
  const int ni_ports = resolve_ni_ports(config, topology);
  double ports = 0;
  for (topology::NodeId node = 0; node < topology.num_nodes(); ++node)
    ports += router_shape(config, topology, node, ni_ports).ports;
  return ports / topology.num_nodes();
}

Json energy_of(const config::HardwareTable& table, const config::Config& config, const Json& result,
               int accelerators, double ports) {
  const bool trains = result.contains("training");
  const double bytes = trains ? result["training"].at("gradient_bytes").get<double>()
                              : static_cast<double>(config.collective.size);
  const Moved moved =
      moved_bytes(trains ? workload::CollectiveOp::kAllReduce : config.collective.op, bytes, accelerators);
  const config::Technology technology = technology_of(config);
  // Energy is capacitance times voltage squared; a memory's capacitance scales with the feature size.
  const double sram =
      technology.nanometres / table.energy_nanometres * squared(technology.volts / table.volts);
  const double logic = config::capacitance_ratio(technology.nanometres, table.logic_nanometres) *
                       squared(technology.volts / table.logic_volts);
  const double bits = flit_bits(config);
  const double hops = result.at("flit_hops").get<double>();
  const double crossings = hops - result.at("flits").get<double>();
  const config::RouterConfig& router = config.system.router;
  const double buffer_bytes = static_cast<double>(router.vcs) * router.vc_depth * bits / kByteBits;
  double entries_pj = 0;
  if (result.contains("ni_overhead") && !trains) {
    const Json& tables = result["ni_overhead"];
    const double read_pj = tables.at("entry_bits").get<double>() / kSramBits *
                           sram_pj(table, tables.at("table_bytes_per_node").get<double>());
    entries_pj = accelerators * tables.at("entries_per_node_mean").get<double>() *
                 (sram * read_pj + logic * table.table_entry_pj);
  }
  const auto microjoules = [](double picojoules) { return picojoules / kPicojoulesPerMicrojoule; };
  const double buffered_pj = 2 * bits / kSramBits * sram_pj(table, buffer_bytes);
  const double routed_pj =
      table.router_flit_pj + bits * (table.router_bit_pj + ports * table.router_bit_port_pj);
  Json parts{{"routers_uj", microjoules(hops * (sram * buffered_pj + logic * routed_pj))},
             {"links_uj", microjoules(crossings * bits * table.link_pj_per_bit)},
             {"additions_uj", microjoules(logic * moved.added / kWordBytes * table.fp32_add_pj)},
             {"memory_uj", microjoules(moved.memory * kByteBits * table.memory_pj_per_bit)},
             {"tables_uj", microjoules(entries_pj)}};
  return parts;
}

}  // namespace

Area router_area(const config::HardwareTable& table, const RouterShape& shape) {
  const double inputs = static_cast<double>(shape.ports) * shape.vcs;
  const double gates = table.router_input * inputs + table.router_pair * inputs * inputs +
                       table.router_crossbar * shape.ports * shape.ports * shape.flit_bits +
                       table.router_width * inputs * shape.flit_bits;
  const double bits = inputs * shape.vc_depth * (shape.flit_bits + kVcBufferBits);
  return {gates * table.nand2_um2, bits * table.macro_um2_per_bit};
}

Area interface_area(const config::HardwareTable& table, const InterfaceShape& shape) {
  const double ports = shape.ports;
  const auto flows = static_cast<double>(shape.flows);
  const double gates = table.interface_port * ports + table.interface_pair * ports * ports +
                       table.interface_width * ports * shape.flit_bits + table.interface_flow * flows +
                       table.interface_port_flow * ports * flows;
  const double bits = ports * (static_cast<double>(shape.entries) * table.entry_bits +
                               (static_cast<double>(shape.buffer) + table.queue) * shape.flit_bits);
  return {gates * table.nand2_um2, bits * table.macro_um2_per_bit};
}

bool in_range(const RouterShape& shape) {
  return shape.ports >= 3 && shape.ports <= 8 && shape.vcs >= 2 && shape.vcs <= 4 && shape.flit_bits >= 128 &&
         shape.flit_bits <= 256;
}

bool in_range(const InterfaceShape& shape) {
  return shape.ports <= 4 && shape.flit_bits >= 128 && shape.flit_bits <= 256 && shape.flows <= 64;
}

config::HardwareTable hardware_table(const config::Loaded& loaded) {
  const std::string& named = loaded.config.hardware.energies;
  if (!named.empty()) return config::read_hardware_file(named);
  // The `hardware` folder is next to `workloads`.
  return config::read_hardware_file(
      (std::filesystem::path(model_folder()).parent_path() / "hardware/osu018.yaml").string());
}

Json hardware_area(const config::Loaded& loaded, const topology::Topology& topology,
                   const Json& ni_overhead) {
  const config::Config& config = loaded.config;
  const config::HardwareTable table = hardware_table(loaded);
  const config::Technology technology = technology_of(config);
  const int ni_ports = resolve_ni_ports(config, topology);
  // Logic and memories scale differently: a memory's area scales with the square of the feature size.
  const double logic = config::area_ratio(technology.nanometres, table.area_nanometres);
  const double macros = squared(technology.nanometres / table.area_nanometres);
  const auto mm2 = [&](const Area& um2) { return (um2.logic * logic + um2.macros * macros) / kUm2PerMm2; };
  double routers = 0;
  double switches = 0;
  const InterfaceShape interface = interface_shape(config, ni_ports, ni_overhead);
  bool inside = in_range(interface);
  for (topology::NodeId node = 0; node < topology.num_nodes(); ++node) {
    const RouterShape shape = router_shape(config, topology, node, ni_ports);
    inside = inside && in_range(shape);
    (topology.is_accelerator(node) ? routers : switches) += mm2(router_area(table, shape));
  }
  const double interfaces = topology.num_accelerators() * mm2(interface_area(table, interface));
  return {{"technology", technology.name},
          {"area_mm2", (routers + switches + interfaces) / topology.num_accelerators()},
          {"area_error", technology.area_error},
          {"area", {{"routers_mm2", routers}, {"interfaces_mm2", interfaces}, {"switches_mm2", switches}}},
          {"area_in_range", inside}};
}

void add_hardware(Json& result, const config::Loaded& loaded) {
  if (loaded.config.hardware.technology.empty()) return;
  const topology::Topology topology = build_topology(loaded);
  Json hardware = hardware_area(loaded, topology, result.value("ni_overhead", Json()));
  if (result.contains("flits") && result.contains("flit_hops")) {
    Json parts = energy_of(hardware_table(loaded), loaded.config, result, topology.num_accelerators(),
                           mean_ports(loaded.config, topology));
    double sum = 0;
    for (const auto& part : parts) sum += part.get<double>();
    hardware["energy_uj"] = sum;
    hardware["energy_error"] = technology_of(loaded.config).energy_error;
    hardware["energy"] = std::move(parts);
  }
  const auto simulator = result.find("simulator");
  if (simulator == result.end()) {
    result["hardware"] = std::move(hardware);
    return;
  }
  const Json last = *simulator;  // removed and added again so that `simulator` stays last
  result.erase("simulator");
  result["hardware"] = std::move(hardware);
  result["simulator"] = last;
}

}  // namespace coppice::system
