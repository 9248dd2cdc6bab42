"""The parts of a network interface: those of every interface, and those that reduce schedules add. The areas are from
scripts/area."""

import csv

from hardware.errors import HardwareError

# The parts of a network interface: {label in the figure: its blocks and how many there are}.
PLAIN = {"packetizers": [("packetizer", "port")], "depacketizers": [("depacketizer", "port")],
         "DMA and its buffers": [("dma_address_generator", "port"), ("fifo", "port")],
         "injection": [("injection_port", "port")]}
ADDED = {"schedule tables": [("schedule_table", "port")],
         "counters, decoders": [("timestep_counter", "port"), ("lockstep_counter", "port"), ("command_decoder", "port")],
         "dependency tracker": [("dependency_tracker", 1)], "reduction unit": [("reduction_unit", 1)]}
REST = "the rest of it"


class Areas:
    """The cell area, macro area and macro bits of a block at a point, from the rows of scripts/area's table."""

    def __init__(self, path):
        try:
            with path.open(newline="") as file:
                rows = list(csv.DictReader(file))
        except OSError as error:
            raise HardwareError(f"{path}: {error.strerror}: write it with make area") from error
        self.rows = {}
        for row in rows:
            point = row["nodes"], row["ports"], row["flit_bits"]
            self.rows[row["block"], point] = (int(row["cell_area_um2"]) + int(row["macro_area_um2"]), int(row["memory_bits"]))
        self.interfaces = [point for block, point in self.rows if block == "network_interface"]
        self.path = path

    def of(self, block, point, times=1):
        if (block, point) not in self.rows:
            raise HardwareError(f"{self.path}: no row of {block} at {point}: run make area again")
        area, bits = self.rows[block, point]
        return area * times, bits * times

    def router(self, point):
        """The area in um2 of the router of an interface; the router has as many ports to the interface as to its
        neighbours."""
        return self.of("router", ("", str(2 * int(point[1])), point[2]))[0]

    def parts(self, point):
        """{part: (um2, bits)} of the whole network interface."""
        result = {}
        for name, blocks in {**PLAIN, REST: [], **ADDED}.items():
            each = [self.of(block, point, int(point[1]) if times == "port" else times) for block, times in blocks]
            result[name] = (sum(area for area, _ in each), sum(bits for _, bits in each))
        whole = self.of("network_interface", point)
        result[REST] = tuple(all_ - sum(part[i] for part in result.values()) for i, all_ in enumerate(whole))
        return result


def added_area(parts, without=()):
    return sum(parts[name][0] for name in ADDED if name not in without)


def plain_area(parts):
    return sum(parts[name][0] for name in [*PLAIN, REST])
