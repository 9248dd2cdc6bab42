"""The style of all figures: the same colour and marker for an algorithm or path assignment everywhere."""

# The colours of Okabe and Ito, which can be told apart with any colour vision. The papers' proposals have our own
# colours.
ALGORITHMS = {
    "ring": ("#0072B2", "o"),
    "double tree": ("#CC79A7", "v"),
    "2D ring": ("#E69F00", "s"),
    "HDRM": ("#56B4E9", "D"),
    "halving-doubling": ("#999999", "P"),
    "direct": ("#8C6D31", "X"),
    "MultiTree": ("#009E73", "^"),
    "MultiTree, message-based": ("#D55E00", "*"),
    "optimal MultiTree": ("#000000", "h"),
    "optimal MultiTree, message-based": ("#6A3D9A", "p"),
    "ECMP": ("#0072B2", "o"),
    "annealing": ("#E69F00", "s"),
    "greedy": ("#009E73", "^"),
    "edge colouring": ("#CC79A7", "D"),
    "optimal": ("#000000", "h"),
}
OTHERS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999", "#000000")
OTHER_MARKERS = "osv^DPXh"

STYLE = {
    "figure.dpi": 100, "savefig.dpi": 160, "font.size": 9, "font.family": "sans-serif", "axes.titlesize": 9.5, "axes.titleweight": "bold",
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
    "grid.color": "#dddddd", "grid.linewidth": 0.6, "lines.linewidth": 1.5, "lines.markersize": 4.5,
    "legend.frameon": False, "legend.fontsize": 8.5, "xtick.labelsize": 8.5, "ytick.labelsize": 8.5,
    "svg.fonttype": "none", "svg.hashsalt": "coppice",
}


def look(label, position):
    """(colour, marker) of a series: those of its algorithm, otherwise by its position."""
    if label in ALGORITHMS:
        return ALGORITHMS[label]
    return OTHERS[position % len(OTHERS)], OTHER_MARKERS[position % len(OTHER_MARKERS)]


def dark(colour):
    """A darker `colour` for text that is readable on white."""
    return "#" + "".join(f"{int(int(colour[i:i + 2], 16) * 0.72):02x}" for i in (1, 3, 5))
