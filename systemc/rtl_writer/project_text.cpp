#include "rtl_writer/project_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "rtl_writer/verilog_text.h"

namespace coppice::rtl_writer {
namespace {

constexpr const char* kMakefile =
    R"(# Written by coppice rtl. `make test` runs both simulators; `make clean` removes what the simulators built.
VERILATOR ?= verilator
IVERILOG ?= iverilog
VVP ?= vvp
# Optimization of Verilator's C++ code: with -O3, it runs faster but takes longer to compile.
OPT ?= -O0
JOBS ?= 2
# Verilator 5.006 loses the scopes of tiles if it inlines them into the network.
VERILATOR_FLAGS ?= -fno-inline
FILES := -f network.f bench/scratchpad.v bench/bench.v
INCLUDES := -I. -Ibench -Irtl/ni -Irtl/tile

.PHONY: test verilator icarus lint clean
test: verilator icarus  ## both

verilator: build/verilator/Vbench
	$< | tee build/verilator.log
	@grep -q '^verified' build/verilator.log

icarus: build/icarus.vvp
	$(VVP) -n $< | tee build/icarus.log
	@grep -q '^verified' build/icarus.log

build/verilator/Vbench: network.v network_parameters.vh bench_connections.vh network.f $(wildcard bench/*.v rtl/*/*.v)
	mkdir -p build
	$(VERILATOR) --binary --timing -Wno-lint -Wno-style $(VERILATOR_FLAGS) $(INCLUDES) --top-module bench \
	  --Mdir build/verilator --build-jobs $(JOBS) --output-split 20000 -MAKEFLAGS "OPT_FAST=$(OPT) OPT_SLOW=-O0 OPT_GLOBAL=-O0" \
	  $(FILES) > build/verilator.txt 2>&1 || { cat build/verilator.txt; exit 1; }

build/icarus.vvp: network.v network_parameters.vh bench_connections.vh network.f $(wildcard bench/*.v rtl/*/*.v)
	mkdir -p build
	$(IVERILOG) -g2005 $(INCLUDES) -s bench -o $@ $(FILES)

lint:
	$(VERILATOR) --lint-only -Wall $(VERILATOR_FLAGS) $(INCLUDES) --top-module network -f network.f

clean:
	rm -rf build
)";

constexpr const char* kReadme = R"(# @NAME@ in Verilog

Written by `coppice rtl`: @TILES@ tiles (router, network interface, registers) and @SWITCHES@ switches for
@COLLECTIVE@ of @SIZE@ per accelerator with @ALGORITHM@. Both the SystemC model and this Verilog take @CYCLES@ cycles:

    make test        # Verilator and Icarus: check every word of every memory, and the cycle count
    make verilator   # Verilator only
    make lint        # verilator --lint-only -Wall

| file | contents |
| --- | --- |
| network.v | the top module: tiles, switches, links, an AXI4-Lite port, and the memory ports of each tile |
| network_parameters.vh | parameters of all tiles |
| images/boot.hex | tables and settings as register writes, which rtl/network/boot.v performs after reset |
| images/memory_N_before.hex, _after.hex | gradients of tile N before the collective, and their expected values after it |
| rtl/ | the modules, copied from Coppice |
| bench/, bench_connections.vh | the self-checking testbench and its memories |
| network.f, network.core, Bender.yml | the sources for simulators, FuseSoC and Bender |
| network.sdc | the clock, and input and output delays |
| rtl/tile/coppice_tile.rdl, coppice_tile.h | the registers of a tile, in SystemRDL and C |

## How do I configure it?

Change the configuration (system.topology, system.router, system.ni, collective) and write the folder again; do not edit its
files. `config.yaml` is the configuration from which it was written. Tables can be replaced at run time through the AXI4-Lite
port of network.v (`awaddr_i` and so on): bits 23 to 8 of an address select the tile (ffff: all tiles), and bits 7 to 0 the
register. Write `line`, then `table` for each line of a table, then `lines`, `count` and `arrivals`; start all tiles
simultaneously by writing 1 to address ffff08. Each tile raises its bit of `irq_o` when it is done.

## What is the smallest network with two routers?

`system.topology: {kind: mesh, dims: [2]}` creates two tiles with a link in each direction. bench/bench.v drives them: it resets
and boots them, starts them once, and compares the memories at the end.

## How do I connect two routers with several links?

The links are those of the topology: in a torus dimension of width 2, neighbours are joined by two links, and a graph
file (`kind: file`) may list a link several times. Each parallel link has its own port at both routers, and the schedule
determines which messages use it.

## What does the network not contain?

Memories with variable latency. To use them, replace the memory ports with AXI4 (rtl/tile/axi_tile.v); the number of
cycles then depends on the memory.
)";

// Concatenates the list entries that `print` returns for the files; an empty text omits a file.
template <typename Print>
std::string list(std::span<const std::string> sources, Print print) {
  std::string text;
  for (const std::string& source : sources) text += print(source, source.ends_with(".vh"));
  return text;
}

}  // namespace

std::string makefile_text() {
  return kMakefile;
}

std::string file_list_text(std::span<const std::string> sources) {
  return list(sources, [](const std::string& source, bool header) { return header ? "" : source + "\n"; });
}

std::string fusesoc_text(const Design& design, std::span<const std::string> sources) {
  return fmt::format(
      "CAPI=2:\n# Written by coppice rtl.\nname: coppice:network:{}:0.1.0\ndescription: A network of {} "
      "tiles "
      "and {} switches\n\nfilesets:\n  rtl:\n    files:\n{}    file_type: verilogSource-2005\n  bench:\n"
      "    files:\n      - bench_connections.vh: {{is_include_file: true}}\n      - bench/scratchpad.v\n     "
      " - "
      "bench/bench.v\n    file_type: verilogSource-2005\n  images:\n    files:\n      - images: {{copyto: "
      "images}}\n    file_type: user\n\ntargets:\n  default: &network\n    filesets: [rtl]\n    toplevel: "
      "network\n  lint:\n    <<: *network\n    default_tool: verilator\n    tools:\n      verilator: {{mode: "
      "lint-only, verilator_options: [-Wall]}}\n  sim:\n    filesets: [rtl, bench, images]\n    toplevel: "
      "bench\n    default_tool: icarus\n",
      to_string(design.topology.kind()), design.tiles(), design.topology.num_switches(),
      list(sources, [](const std::string& source, bool header) {
        return header ? fmt::format("      - {}: {{is_include_file: true}}\n", source)
                      : fmt::format("      - {}\n", source);
      }));
}

std::string bender_text(std::span<const std::string> sources) {
  return fmt::format(
      "# Written by coppice rtl.\npackage:\n  name: network\n\nsources:\n  - include_dirs: [., rtl/ni, "
      "rtl/tile]\n    files:\n{}  - target: simulation\n    include_dirs: [., bench]\n    files:\n      - "
      "bench/scratchpad.v\n      - bench/bench.v\n",
      list(sources, [](const std::string& source, bool header) {
        return header ? "" : fmt::format("      - {}\n", source);
      }));
}

std::string sdc_text(const Design& design) {
  constexpr double kShare = 0.3;  // the part of a period that is reserved for logic outside the network
  const double period = static_cast<double>(design.system().clock.period()) * 1e-6;
  return fmt::format(
      "# Written by coppice rtl. Times in ns; system.clock is {}.\ncreate_clock -name clk -period {:g} "
      "[get_ports clk_i]\nset_false_path -hold -from [get_ports rst_ni]\nset_input_delay {:g} -clock clk "
      "[remove_from_collection [all_inputs] [get_ports clk_i]]\nset_output_delay {:g} -clock clk "
      "[all_outputs]\n# Every link starts and ends in registers, and delay_line holds the flits in flight: "
      "place these registers along the wires.\n",
      format_frequency(design.system().clock), period, kShare * period, kShare * period);
}

std::string readme_text(const Design& design, const Shape& /*shape*/, Cycles model_cycles) {
  return fill_in(kReadme, {{"NAME", design.topology.name()},
                           {"TILES", std::to_string(design.tiles())},
                           {"SWITCHES", std::to_string(design.topology.num_switches())},
                           {"COLLECTIVE", schedule::collective_name(design.schedule)},
                           {"SIZE", format_bytes(design.schedule.size)},
                           {"ALGORITHM", design.schedule.algorithm},
                           {"CYCLES", std::to_string(model_cycles)}});
}

}  // namespace coppice::rtl_writer
