"""Figures: lines against a size, or bars in groups, one panel per label of an axis.

The keys of `plot` in an experiment file are described in configs/experiments/README.md.
"""

import math
import os

import matplotlib

matplotlib.use("Agg")

from matplotlib import patches, pyplot, ticker  # noqa: E402: the backend comes first

import experiment  # noqa: E402
import frame  # noqa: E402
import palette  # noqa: E402
import quantity  # noqa: E402

KEYS = {"kind", "x", "y", "series", "panels", "x_label", "y_label", "x_scale", "y_scale", "normalize", "parts",
        "where", "columns", "label_bars", "percent", "mean_over", "panel_title", "fixed", "over_x", "inverse"}
LOW, HIGH = "least of y", "most of y"  # over the axes that are averaged


def draw(what, table, outputs):
    """Draws `what` from the CSV `table` into every file of `outputs`, its format by the suffix."""
    spec = what.plot
    experiment.refuse_unknown(what.path, "plot", spec, KEYS)
    data = frame.read(what, table) if spec["kind"] == "curves" else prepared(what, table)
    with pyplot.rc_context(palette.STYLE):
        figure = {"lines": lines, "bars": bars, "curves": curves}[spec["kind"]](what, data)
        for path in outputs:
            save(figure, path)
        pyplot.close(figure)


def save(figure, path):
    """Writes under a temporary name first; nothing in the file depends on the day."""
    suffix = path.suffix.lstrip(".")
    temporary = path.with_name(f"{path.name}.partial.{os.getpid()}")
    metadata = {"Date": None} if suffix == "svg" else {"Software": None}
    figure.savefig(temporary, format=suffix, bbox_inches="tight", metadata=metadata)
    os.replace(temporary, path)


def prepared(what, table):
    spec = what.plot
    data = frame.select(frame.read(what, table), spec.get("where", {}))
    # Parts are scaled by the whole, which is the last of them to be replaced.
    if "normalize" in spec:
        whole = frame.normalized(data, what, spec["y"], spec["normalize"])
        scale = data.merge(whole[[*what.axes, spec["y"]]], on=list(what.axes), suffixes=("", " over base"))
        factor = scale[f"{spec['y']} over base"] / scale[spec["y"]]
        for column in {spec["y"], *spec.get("parts", {})}:
            scale[column] = scale[column] * factor
        for axis in what.axes:
            scale[axis] = scale[axis].astype(data[axis].dtype)
        data = scale
    if spec.get("inverse"):
        data[spec["y"]] = 1 / data[spec["y"]]
    if spec.get("percent"):
        for column in {spec["y"], *spec.get("parts", {})}:
            data[column] = 100 * data[column]
    return averaged(what, data, spec["mean_over"]) if "mean_over" in spec else data


def averaged(what, data, over):
    """The mean of the drawn values over the axes `over`, with the minimum and maximum of y."""
    y = what.plot["y"]
    groups = data.groupby([axis for axis in what.axes if axis not in over], observed=True)
    result = groups[list({y, *what.plot.get("parts", {})})].mean()
    return result.assign(**{LOW: groups[y].min(), HIGH: groups[y].max()}).reset_index()


def draw_spread(axes, x, rows, y):
    """From the minimum to the maximum, if there is more than one value."""
    if LOW in rows:
        axes.errorbar(x, rows[y], yerr=[rows[y] - rows[LOW], rows[HIGH] - rows[y]], fmt="none", ecolor="#333333",
                      elinewidth=0.8, capsize=1.5)


def labels_of(data, axis):
    return [label for label in data[axis].cat.categories if (data[axis] == label).any()]


def panels(what, data, width, height):
    """(figure, [(axes, rows of the panel)]): a panel per label of the axis `panels`, four a row at most."""
    spec = what.plot
    labels = labels_of(data, spec["panels"]) if "panels" in spec else [None]
    columns = min(len(labels), spec.get("columns", 4))
    rows = math.ceil(len(labels) / columns)
    figure, grid = pyplot.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False,
                                   constrained_layout=True)
    result = []
    for position, axes in enumerate(grid.flat):
        if position >= len(labels):
            axes.set_visible(False)
            continue
        label = labels[position]
        if label is not None:
            axes.set_title(spec.get("panel_title", "{}").format(label))
        if position % columns == 0:
            axes.set_ylabel(spec["y_label"])
        result.append((axes, data if label is None else data[data[spec["panels"]] == label]))
    figure.suptitle(what.title, fontsize=11, fontweight="bold")
    return figure, result


def legend(figure, handles, columns=4):
    """Below all panels, where it covers no data."""
    figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), ncol=min(columns, len(handles)))


def lines(what, data):
    spec = what.plot
    figure, all_panels = panels(what, data, *((2.9, 2.5) if "panels" in spec else (5.2, 3.0)))
    handles = {}
    series = labels_of(data, spec["series"])
    for axes, rows in all_panels:
        for position, label in enumerate(series):
            own = rows[rows[spec["series"]] == label]
            if own.empty:
                continue
            xs = [quantity.number(x) for x in own[spec["x"]]]
            colour, marker = palette.look(label, position)
            shape = None if spec.get("x_scale") == "linear" else marker
            handles[label], = axes.plot(xs, own[spec["y"]], color=colour, marker=shape, label=label)
            draw_spread(axes, xs, own, spec["y"])
        if spec.get("x_scale") == "linear":
            axes.set_ylim(bottom=0)
        else:
            number_axis(axes, rows, spec)
        axes.set_xlabel(spec["x_label"])
    legend(figure, [handles[label] for label in series])
    return figure


def curves(what, data):
    """Fits y over x: `fixed` and `over_x`/x, relative to the largest value at the left end. Dots are the runs."""
    spec = what.plot
    figure, all_panels = panels(what, data, 2.9, 2.7)
    xs = [step / 100 for step in range(10, 101)]
    handles = {}
    series = labels_of(data, spec["series"])
    for axes, rows in all_panels:
        most = (rows[spec["fixed"]] + rows[spec["over_x"]] / xs[0]).max()
        for position, label in enumerate(series):
            colour, marker = palette.look(label, position)
            for _, row in rows[rows[spec["series"]] == label].iterrows():
                handles[label], = axes.plot(xs, [(row[spec["fixed"]] + row[spec["over_x"]] / x) / most for x in xs],
                                            color=colour, label=label)
                axes.plot(row[spec["x"]], row[spec["y"]] / most, color=colour, marker=marker, markersize=6)
        axes.axhline(rows[spec["fixed"]].max() / most, color="#333333", linewidth=0.8, linestyle=":")
        axes.set_ylim(bottom=0)
        axes.set_xlabel(spec["x_label"])
    legend(figure, [handles[label] for label in series])
    return figure


def number_axis(axes, rows, spec):
    """A logarithmic x axis with a tick at every value, at most eight of them labelled."""
    labels = labels_of(rows, spec["x"])
    values = [quantity.number(label) for label in labels]
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(ticker.FixedLocator(values))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    step = math.ceil(len(labels) / 8)
    axes.set_xticklabels([label if (len(labels) - 1 - i) % step == 0 else "" for i, label in enumerate(labels)],
                         rotation=35 if max(map(len, labels)) > 4 else 0,
                         ha="right" if max(map(len, labels)) > 4 else "center", rotation_mode="anchor")
    if spec.get("y_scale") == "log":
        axes.set_yscale("log")
        if spec.get("inverse"):
            plain_multiples(axes)
    else:
        axes.set_ylim(bottom=0)


def plain_multiples(axes):
    """Ticks 1, 2, 3, 5, 10, ... on a logarithmic y axis from 1 on, where nothing can be less."""
    axes.yaxis.set_major_locator(ticker.LogLocator(base=10, subs=(1, 2, 3, 5)))
    axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.yaxis.set_minor_locator(ticker.NullLocator())
    axes.set_ylim(bottom=0.9)
    axes.axhline(1, color="#333333", linewidth=0.8, linestyle=":")


def bars(what, data):
    """Bars in groups, a group per label of `x`, stacked of `parts` where given."""
    spec = what.plot
    groups = labels_of(data, spec["x"])
    series = labels_of(data, spec["series"]) if "series" in spec else [None]
    bar = 0.3 if spec.get("label_bars") else 0.17
    width = max(3.4, 0.9 + len(groups) * (bar * len(series) + 0.25))
    figure, all_panels = panels(what, data, width, 2.7)
    for axes, rows in all_panels:
        present = [label for label in groups if (rows[spec["x"]] == label).any()]
        for position, label in enumerate(series):
            own = rows if label is None else rows[rows[spec["series"]] == label]
            draw_series(axes, spec, own, present, (position, len(series)), label)
        axes.set_xticks(range(len(present)), present, rotation=30, ha="right", rotation_mode="anchor")
        axes.grid(axis="x", visible=False)
        axes.set_ylim(bottom=0)
        if "x_label" in spec:
            axes.set_xlabel(spec["x_label"])
    handles = part_handles(spec)
    if series != [None]:
        handles += [patches.Patch(color=palette.look(label, i)[0], label=label) for i, label in enumerate(series)]
    if handles:
        legend(figure, handles)
    return figure


def draw_series(axes, spec, rows, groups, place, label):
    position, count = place
    thickness = 0.8 / count
    colour = palette.look(label, position)[0]
    for _, row in rows.iterrows():
        x = groups.index(row[spec["x"]]) + (position - (count - 1) / 2) * thickness
        bottom = 0.0
        for style, column in zip(part_looks(spec, colour), spec.get("parts", {spec["y"]: ""})):
            axes.bar(x, row[column], thickness * 0.92, bottom=bottom, **style)
            bottom += row[column]
        draw_spread(axes, [x], row.to_frame().T, spec["y"])
        if spec.get("label_bars"):
            axes.annotate(format(row[spec["y"]], spec["label_bars"]), (x, bottom), xytext=(0, 1.5), fontsize=6.5,
                          textcoords="offset points", ha="center", va="bottom")


def part_looks(spec, colour):
    """The looks of a bar's parts from the bottom: grey, hatched between, the series' own colour on top."""
    hatched = {"facecolor": "white", "edgecolor": colour, "hatch": "//////", "linewidth": 0.5}
    between = len(spec.get("parts", ())) - 2
    return [{"color": "#c4c4c4"}] * (between >= 0) + [hatched] * between + [{"color": colour}]


def part_handles(spec):
    names = list(spec.get("parts", {}).values())
    looks = part_looks(spec, "#555555")
    return [patches.Patch(label=name, **look) for name, look in zip(names, looks)] if names else []
