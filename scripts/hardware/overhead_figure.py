"""The figure of scripts/overhead: the areas of network interfaces and routers, the area added by schedules, and table
bytes."""

import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

from matplotlib import pyplot  # noqa: E402: plot selects the backend

import palette  # noqa: E402: after extending the path
import plot  # noqa: E402
from hardware.parts import REST, added_area, plain_area  # noqa: E402

COLORS = {"packetizers": "#0072B2", "depacketizers": "#56B4E9", "DMA and its buffers": "#8FC7E8", "injection": "#C6DFEF",
          REST: "#DDDDDD", "schedule tables": "#000000", "counters, decoders": "#CC79A7", "dependency tracker": "#E69F00",
          "reduction unit": "#D55E00"}


def label_points(axes, points):
    axes.set_xticks(range(len(points)), [f"{nodes}\n{ports}\n{int(width) // 8}" for nodes, ports, width in points])
    axes.set_xlabel("nodes, ports, bytes of a flit")


def draw_areas(axes, areas):
    """Draws each synthesised network interface beside its router."""
    for x, point in enumerate(areas.interfaces):
        bottom = 0.0
        for name, (area, _) in areas.parts(point).items():
            axes.bar(x, area / 1e6, bottom=bottom, width=0.62, color=COLORS[name], edgecolor="white", linewidth=0.4)
            bottom += area / 1e6
        router = areas.router(point) / 1e6
        axes.plot([x - 0.4, x + 0.4], [router, router], color="#333333", linewidth=2)
    label_points(axes, areas.interfaces)
    axes.set_ylabel("area, mm²")
    axes.set_title("Network interfaces, and their routers (lines)")
    axes.grid(axis="x", visible=False)
    handles = [pyplot.Rectangle((0, 0), 1, 1, color=COLORS[name]) for name in reversed(COLORS)]
    axes.set_ylim(0, 1.3 * axes.get_ylim()[1])
    axes.legend(handles, list(reversed(COLORS)), fontsize=7, loc="upper left", ncols=3)


def draw_shares(axes, areas):
    """The added area, as a share of a plain interface and of the router."""
    series = {"over a plain interface": ([], "plain"), "over the router": ([], "router"),
              "without reduction unit, over a plain interface": (["reduction unit"], "plain"),
              "without reduction unit, over the router": (["reduction unit"], "router")}
    for index, (label, (without, over)) in enumerate(series.items()):
        values = []
        for point in areas.interfaces:
            parts = areas.parts(point)
            whole = plain_area(parts) if over == "plain" else areas.router(point)
            values.append(100 * added_area(parts, without) / whole)
        axes.plot(range(len(values)), values, palette.OTHER_MARKERS[index], color=palette.OTHERS[index], label=label)
    label_points(axes, areas.interfaces)
    axes.set_yscale("log")
    axes.set_ylim(1, 10 * axes.get_ylim()[1])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}%")
    axes.set_title("What reduce schedules add")
    axes.legend(fontsize=7, loc="upper left")


def draw_tables(axes, sizes):
    nodes = list(sizes)
    for label, key, (color, marker) in (("with counters", "bytes_per_node", palette.ALGORITHMS["ring"]),
                                        ("tables", "table_bytes_per_node", palette.ALGORITHMS["MultiTree"])):
        axes.plot(nodes, [sizes[n][key] for n in nodes], color=color, marker=marker, label=label)
    axes.set_xscale("log", base=2)
    axes.set_xticks(nodes, [str(n) for n in nodes])
    axes.set_ylim(0)
    axes.set_xlabel("nodes of the torus")
    axes.set_ylabel("bytes per node")
    axes.set_title("MultiTree's reduce-schedule tables")
    axes.legend()


def draw(areas, sizes, outputs):
    with pyplot.rc_context(palette.STYLE):
        figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(13, 4), width_ratios=[1.2, 1, 0.8])
        draw_areas(left, areas)
        draw_shares(middle, areas)
        draw_tables(right, sizes)
        figure.tight_layout()
        for path in outputs:
            plot.save(figure, path)
