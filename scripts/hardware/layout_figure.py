"""Draws a layout: cells by kind, wires by layer, power stripes, ports."""

import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

from matplotlib import collections, pyplot  # noqa: E402: plot selects the backend

import palette  # noqa: E402: after extending the path
import plot  # noqa: E402

KINDS = {"registers": "#E69F00", "buffers, inverters": "#CC79A7", "gates": "#C6DFEF", "fill": "#F4F4F4"}
LAYERS = {"metal1": "#0072B2", "metal2": "#D55E00", "metal3": "#009E73", "metal4": "#882255", "metal5": "#332288",
          "metal6": "#777777"}


def kind_of(cell, library):
    if cell not in library.cells:
        return "fill"
    if library.cells[cell].sequential:
        return "registers"
    return "buffers, inverters" if len(library.cells[cell].inputs) == 1 else "gates"


def draw_cells(axes, routed, lef, library):
    boxes = {kind: [] for kind in KINDS}
    for name, kind in routed.cells.items():
        x, y, _ = routed.places[name]
        width, height = lef.sizes[kind]
        boxes[kind_of(kind, library)].append([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
    for kind, found in boxes.items():
        axes.add_collection(collections.PolyCollection(found, facecolors=KINDS[kind], edgecolors="#BBBBBB", linewidths=0.1))


def draw_wires(axes, routed):
    for layer, color in LAYERS.items():
        lines = [[(x, y), (to_x, to_y)] for wires in routed.wires.values() for at, x, y, to_x, to_y in wires if at == layer]
        axes.add_collection(collections.LineCollection(lines, colors=color, linewidths=0.2))


def draw(block, routed, lef, library, output):
    left, bottom, right, top = routed.die
    with pyplot.rc_context(palette.STYLE):
        figure, both = pyplot.subplots(1, 2, figsize=(11, 1.6 + 4.7 * (top - bottom) / (right - left)))
        for axes, title in zip(both, ("cells", "wires")):
            axes.set_xlim(left, right)
            axes.set_ylim(bottom, top)
            axes.set_aspect("equal")
            axes.grid(visible=False)
            axes.set_xlabel("µm")
            axes.set_title(f"{block}: {title}")
        draw_cells(both[0], routed, lef, library)
        draw_wires(both[1], routed)
        for layer, width, x, y, to_x, to_y in routed.power:
            both[1].plot([x, to_x], [y, to_y], color=LAYERS[layer], linewidth=width / 2, alpha=0.35)
        for axes, colors in zip(both, (KINDS, LAYERS)):
            handles = [pyplot.Rectangle((0, 0), 1, 1, color=color) for color in colors.values()]
            axes.legend(handles, list(colors), fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=6)
        figure.tight_layout()
        plot.save(figure, output)
