#include "config/files/hardware_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "config/document/document.h"
#include "config/document/nearest.h"
#include "config/document/values.h"
#include "config/files/file_kind.h"

namespace coppice::config {
namespace {

using Field = double HardwareTable::*;

constexpr double kMost = 1e9;

const std::vector<std::pair<std::string, Field>>& fields() {
  static const std::vector<std::pair<std::string, Field>> all{
      {"area.nanometres", &HardwareTable::area_nanometres},
      {"area.nand2_um2", &HardwareTable::nand2_um2},
      {"area.macro_um2_per_bit", &HardwareTable::macro_um2_per_bit},
      {"area.entry_bits", &HardwareTable::entry_bits},
      {"area.queue", &HardwareTable::queue},
      {"area.router_input", &HardwareTable::router_input},
      {"area.router_pair", &HardwareTable::router_pair},
      {"area.router_crossbar", &HardwareTable::router_crossbar},
      {"area.router_width", &HardwareTable::router_width},
      {"area.interface_port", &HardwareTable::interface_port},
      {"area.interface_pair", &HardwareTable::interface_pair},
      {"area.interface_width", &HardwareTable::interface_width},
      {"area.interface_flow", &HardwareTable::interface_flow},
      {"area.interface_port_flow", &HardwareTable::interface_port_flow},
      {"energy.nanometres", &HardwareTable::energy_nanometres},
      {"energy.volts", &HardwareTable::volts},
      {"energy.logic_nanometres", &HardwareTable::logic_nanometres},
      {"energy.logic_volts", &HardwareTable::logic_volts},
      {"energy.router_flit_pj", &HardwareTable::router_flit_pj},
      {"energy.router_bit_pj", &HardwareTable::router_bit_pj},
      {"energy.router_bit_port_pj", &HardwareTable::router_bit_port_pj},
      {"energy.fp32_add_pj", &HardwareTable::fp32_add_pj},
      {"energy.table_entry_pj", &HardwareTable::table_entry_pj},
      {"energy.sram_64_bits_pj", &HardwareTable::sram_64_bits_pj},
      {"energy.sram_bytes", &HardwareTable::sram_bytes},
      {"energy.link_pj_per_bit", &HardwareTable::link_pj_per_bit},
      {"energy.memory_pj_per_bit", &HardwareTable::memory_pj_per_bit},
  };
  return all;
}

void require_map(const Node& node, const std::string& path) {
  if (node.kind != Node::Kind::kMap) refuse(node, path, "a section");
}

HardwareTable read_table(const std::string& path) {
  const Node document = read_document(path);
  HardwareTable table;
  std::vector<std::string> missing;
  for (const auto& [name, field] : fields()) missing.push_back(name);
  for (const Node& section : document.children) {
    require_map(section, section.name);
    for (const Node& value : section.children) {
      const std::string name = fmt::format("{}.{}", section.name, value.name);
      const auto found =
          std::ranges::find_if(fields(), [&](const auto& known) { return known.first == name; });
      if (found == fields().end()) {
        std::vector<std::string> names;
        for (const auto& [known, field] : fields()) names.push_back(known);
        throw ConfigError(value.name_place,
                          fmt::format("unknown key '{}'; did you mean '{}'?", name, nearest(name, names)));
      }
      table.*(found->second) = read_number(value, name, 0, kMost);
      std::erase(missing, name);
    }
  }
  if (!missing.empty()) {
    throw ConfigError(
        document.place,
        fmt::format("{} is missing: add it, since a hardware file must contain every key", missing.front()));
  }
  return table;
}

}  // namespace

HardwareTable read_hardware_file(const std::string& path) {
  return read_as({FileKind::kHardware}, path, [&] { return read_table(path); });
}

}  // namespace coppice::config
