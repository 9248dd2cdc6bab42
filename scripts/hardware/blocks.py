"""The Verilog blocks with the parameters of one machine, and their netlists, which are cached."""

import hashlib
import json

from hardware import netlist
from hardware.machine import interface, router

NODES, PORTS, FLIT, DEPTH = 16, 4, 128, 64  # those of the MultiTree paper's machine, as in make area


def blocks():
    """{block: parameters}, small blocks first."""
    ni = interface(NODES, PORTS, FLIT)
    port = {name: ni[name] for name in ("FLIT_W", "LANES", "INDEX_W", "ENTRIES")}
    whole = router(2 * PORTS, FLIT, DEPTH)
    table = {name: ni[name] for name in ("INDEX_W", "ENTRIES")}
    small = {name: {} for name in ("command_decoder", "timestep_counter", "lockstep_counter", "dma_address_generator", "fifo",
                                   "injection_port", "credit_return", "depacketizer", "packetizer", "gradient_queue",
                                   "tile_registers", "fp32_adder", "reduction_lane")}
    return {**small, "schedule_table": table,
            "dependency_tracker": {"FLOWS": ni["FLOWS"], "EVENTS": 2 * PORTS, "QUERIES": PORTS}, "ni_port": port,
            "round_robin": {"WIDTH": whole["PORTS"] * 4},
            "vc_buffer": {"DEPTH": DEPTH, "ADDR_W": whole["DEPTH_W"]}, "switch_allocator": {"PORTS": whole["PORTS"]},
            "vc_allocator": {"PORTS": whole["PORTS"], "INPUTS": whole["PORTS"] * 4, "INPUT_W": whole["INPUT_W"]},
            "memory_bank": {"PORTS": PORTS, "LANES": FLIT // 32, "AXI_W": FLIT},
            "router": whole, "reduction_unit": {"PORTS": PORTS, "FLIT_W": FLIT, "LANES": FLIT // 32},
            "gradient_memory": {"PORTS": PORTS, "LANES": FLIT // 32, "AXI_W": FLIT}, "network_interface": ni,
            "tile": {"LINKS": PORTS, "PORTS": PORTS, "FLIT_W": FLIT, "DEPTH": DEPTH, "ENTRIES": 1 << ni["INDEX_W"],
                     "FLOWS": ni["FLOWS"]}}


def synthesise(block, parameters, library, arguments, structure="reduced"):
    """The folder in arguments.out with the block's netlist. `arguments` has the settings of netlist.write();
    `structure` is one of netlist.STRUCTURES."""
    sources = [path.read_text() for path in netlist.sources_of(block)]
    depends = [block, sorted(parameters.items()), sources, library.text, netlist.source(), arguments.wire_um,
               arguments.memory_ns, arguments.macro_bits, arguments.target_ps, structure]
    folder = arguments.out / f"{block}.{hashlib.sha256(json.dumps(depends).encode()).hexdigest()[:16]}"
    if not (folder / "netlist.v").exists():
        folder.mkdir(parents=True, exist_ok=True)
        netlist.write(block, parameters, folder, library, arguments, structure)
    return folder
