"""The Verilog parameters of a machine with these numbers of nodes, ports and flit bits."""

VCS = 4


def bits_of(number):
    """The number of bits for the values 0 to `number` - 1."""
    return max(1, (number - 1).bit_length())


def interface(nodes, ports, flit):
    """The parameters of a network interface. A port's table for MultiTree has fewer entries than there are nodes
    (`coppice schedule` gives 10 for 16 nodes and 34 for 64), and there is one flow for each node."""
    return {"PORTS": ports, "FLIT_W": flit, "LANES": flit // 32, "INDEX_W": bits_of(nodes), "ENTRIES": 1 << bits_of(nodes),
            "FLOWS": max(4, nodes)}


def router(ports, flit, depth):
    port_w = bits_of(ports)
    return {"PORTS": ports, "PORT_W": port_w, "INPUT_W": bits_of(VCS * ports), "DEPTH": depth, "DEPTH_W": bits_of(depth),
            "FLIT_W": flit, "CREDIT_W": bits_of(depth + 1), "HOP_PORT_W": max(3, port_w)}
