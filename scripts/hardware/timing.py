"""The longest combinational path of a mapped netlist, by the library's delay tables: the later of both edges at every
gate, loads of pins only. Without wires, set-up times and the delays of memory macros, at which paths begin and end: a
lower bound of the clock period of what is placed and routed.
"""

from hardware.errors import HardwareError

SLEW = 0.06  # ns at inputs and clocks


class Nets:
    """Bits of a hierarchy as one set: what is connected has one representative."""

    def __init__(self):
        self.parents = []

    def new(self):
        self.parents.append(len(self.parents))
        return len(self.parents) - 1

    def find(self, net):
        parents = self.parents
        while parents[net] != net:
            parents[net] = parents[parents[net]]
            net = parents[net]
        return net

    def join(self, a, b):
        self.parents[self.find(a)] = self.find(b)


def flatten(modules, name, nets, gates, library):
    """Appends (cell, {pin: net}) of `name` and all below it to `gates`; returns the nets of its ports, {port: [net]}.
    Constants are None."""
    module = modules[name]
    local = {}

    def net(bit):
        if isinstance(bit, str):
            return None
        if bit not in local:
            local[bit] = nets.new()
        return local[bit]

    for cell in module["cells"].values():
        kind = cell["type"]
        if kind in modules:
            ports = flatten(modules, kind, nets, gates, library)
            for port, bits in cell["connections"].items():
                for outer, inner in zip(bits, ports[port]):
                    if inner is not None and not isinstance(outer, str):
                        nets.join(net(outer), inner)
        elif kind in library.cells:
            gates.append((library.cells[kind], {pin: net(bits[0]) for pin, bits in cell["connections"].items() if bits}))
        # Else a memory macro: paths end there, and begin.
    return {port: [net(bit) for bit in bits] for port, bits in module["ports"].items()}


def longest_path(modules, top, library):
    """In picoseconds. `modules`: {name: {"cells", "ports"}}, mapped to cells of `library`."""
    nets, gates = Nets(), []
    flatten(modules, top, nets, gates, library)
    load, waits, reads = {}, [0] * len(gates), {}  # of nets; inputs of a gate that are to come; net -> gates
    pins = [{pin: nets.find(net) for pin, net in wires.items() if net is not None} for _, wires in gates]
    driven = set()
    for index, (cell, _) in enumerate(gates):
        driven |= {net for pin, net in pins[index].items() if pin in cell.outputs}
        for pin, net in pins[index].items():
            if pin in cell.inputs:
                load[net] = load.get(net, 0.0) + cell.inputs[pin]
    for index, (cell, _) in enumerate(gates):
        if cell.sequential:
            continue
        for pin, net in pins[index].items():
            if pin in cell.inputs and net in driven:
                waits[index] += 1
                reads.setdefault(net, []).append(index)

    arrival = {}  # net -> (time, slew)
    ready = [i for i, (cell, _) in enumerate(gates) if cell.sequential or waits[i] == 0]
    done = 0
    while ready:
        index = ready.pop()
        done += 1
        cell = gates[index][0]
        for pin, arcs in cell.outputs.items():
            net = pins[index].get(pin)
            if net is None:
                continue
            latest, slowest = 0.0, SLEW
            for related, tables in arcs.items():
                start, slew = (0.0, SLEW) if cell.sequential else arrival.get(pins[index].get(related), (0.0, SLEW))
                for delay, transition in tables:
                    latest = max(latest, start + delay.at(load.get(net, 0.0), slew))
                    slowest = max(slowest, transition.at(load.get(net, 0.0), slew))
            arrival[net] = (latest, slowest)
            for reader in reads.get(net, ()):
                waits[reader] -= 1
                if waits[reader] == 0:
                    ready.append(reader)
    if done != len(gates):
        raise HardwareError(f"{top}: {len(gates) - done} gates wait for each other: a combinational loop")
    return library.picoseconds * max((time for time, _ in arrival.values()), default=0.0)
