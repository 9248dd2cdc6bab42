"""Parameters of the Verilog for a machine: nodes, ports, bits of a flit."""

VCS = 4


def bits_of(number):
    """Bits that count to below `number`."""
    return max(1, (number - 1).bit_length())


def interface(nodes, ports, flit):
    """Parameters of a network interface. MultiTree's tables hold fewer entries per port than there are nodes (`coppice
    schedule`: 10 at 16 nodes, 34 at 64), and a flow a node."""
    return {"PORTS": ports, "FLIT_W": flit, "LANES": flit // 32, "INDEX_W": bits_of(nodes), "ENTRIES": 1 << bits_of(nodes),
            "FLOWS": max(4, nodes)}


def router(ports, flit, depth):
    port_w = bits_of(ports)
    return {"PORTS": ports, "PORT_W": port_w, "INPUT_W": bits_of(VCS * ports), "DEPTH": depth, "DEPTH_W": bits_of(depth),
            "FLIT_W": flit, "CREDIT_W": bits_of(depth + 1), "HOP_PORT_W": max(3, port_w)}
