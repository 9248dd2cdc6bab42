"""Figures: lines over a size, bars in groups, or dots in rows, with a panel for each label of an axis.

configs/experiments/README.md describes the keys of `plot` in an experiment file. A figure is as wide as a page, so that
its text is not scaled. Lines and bars are labelled directly.
"""

import math
import os

import matplotlib

matplotlib.use("Agg")

from matplotlib import patches, pyplot, ticker  # noqa: E402: after selecting the backend

import experiment  # noqa: E402
import frame  # noqa: E402
import palette  # noqa: E402
import quantity  # noqa: E402

KEYS = {"kind", "x", "y", "series", "panels", "x_label", "y_label", "x_scale", "y_scale", "normalize", "parts",
        "where", "columns", "percent", "mean_over", "panel_title", "fixed", "over_x", "inverse", "divide", "beside"}
WIDEST = 8.6  # inches: 826 pixels
LOW, HIGH = "least of y", "most of y"  # over the axes that are averaged


def draw(what, table, outputs):
    """Draws the experiment `what` from the CSV file `table`, once for each file of `outputs`; its suffix is the
    format."""
    spec = what.plot
    experiment.refuse_unknown(what.path, "plot", spec, KEYS)
    data = frame.read(what, table) if spec["kind"] == "curves" else prepared(what, table)
    with pyplot.rc_context(palette.STYLE):
        figure = {"lines": lines, "bars": bars, "curves": curves, "dots": dots}[spec["kind"]](what, data)
        for path in outputs:
            save(figure, path)
        pyplot.close(figure)


def save(figure, path):
    """Writes under a temporary name first; leaves the date out of the file."""
    suffix = path.suffix.lstrip(".")
    temporary = path.with_name(f"{path.name}.partial.{os.getpid()}")
    metadata = {"Date": None} if suffix == "svg" else {"Software": None}
    figure.savefig(temporary, format=suffix, bbox_inches="tight", metadata=metadata)
    os.replace(temporary, path)


def prepared(what, table):
    spec = what.plot
    data = frame.select(frame.read(what, table), spec.get("where", {}))
    # Parts are scaled by the same factor as y.
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
    for column in {spec["y"], *spec.get("parts", {})}:
        data[column] = data[column] * (100 if spec.get("percent") else 1) / float(spec.get("divide", 1))
    return averaged(what, data, spec["mean_over"]) if "mean_over" in spec else data


def averaged(what, data, over):
    """The mean over the axes `over` of the values to draw, with the minimum and maximum of y."""
    y = what.plot["y"]
    groups = data.groupby([axis for axis in what.axes if axis not in over], observed=True)
    result = groups[list({y, *what.plot.get("parts", {})})].mean()
    return result.assign(**{LOW: groups[y].min(), HIGH: groups[y].max()}).reset_index()


def draw_spread(axes, x, rows, y):
    """Draws an error bar from the minimum to the maximum if they come from more than one value."""
    if LOW in rows:
        axes.errorbar(x, rows[y], yerr=[rows[y] - rows[LOW], rows[HIGH] - rows[y]], fmt="none", ecolor="#333333",
                      elinewidth=0.8, capsize=1.5)


def labels_of(data, axis):
    return [label for label in data[axis].cat.categories if (data[axis] == label).any()]


def panels(what, data, width, height, across=None):
    """Returns (figure, [(axes, rows of the panel)]), with a panel for each label of the axis `panels`, by default three
    side by side. `across` is the y label, which is written once for each row of panels."""
    spec = what.plot
    labels = labels_of(data, spec["panels"]) if "panels" in spec else [None]
    columns = min(len(labels), spec.get("columns", 3))
    rows = math.ceil(len(labels) / columns)
    figure, grid = pyplot.subplots(rows, columns, figsize=(min(width * columns, WIDEST), height * rows), squeeze=False,
                                   constrained_layout=True)
    result = []
    for position, axes in enumerate(grid.flat):
        if position >= len(labels):
            axes.set_visible(False)
            continue
        label = labels[position]
        if label is not None:
            axes.set_title(spec.get("panel_title", "{}").format(label))
        if position % columns == 0 and across:
            axes.set_ylabel(across)
        result.append((axes, data if label is None else data[data[spec["panels"]] == label]))
    figure.suptitle(what.title, fontsize=11, fontweight="bold")
    return figure, result


def legend(figure, handles):
    """Places a legend below all panels, where it hides no data."""
    figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), ncol=min(4, len(handles)))


def name_ends(axes, ends):
    """Writes the names of lines to the right of the axes, at the heights of their ends. `ends`: [(x, y, name, colour)].
    Names that would touch are moved apart."""
    axes.figure.canvas.draw()  # settles the scales
    least = 13.0  # points between two names
    to_points = 72 / axes.figure.dpi
    edge = axes.get_xlim()[1]
    placed = sorted((axes.transData.transform((x, y))[1] * to_points, x, y, name, colour) for x, y, name, colour in ends)
    heights = []
    for group in clusters([end[0] for end in placed], least):
        middle = sum(group) / len(group)
        heights += [middle + (i - (len(group) - 1) / 2) * least if len(group) > 1 else middle for i in range(len(group))]
    for height, (own, x, y, name, colour) in zip(heights, placed):
        axes.annotate(name, (edge, y), xytext=(8, height - own), textcoords="offset points", va="center",
                      color=palette.dark(colour), annotation_clip=False)
        if x < edge:
            axes.plot([x, edge], [y, y], color=colour, linewidth=0.5, linestyle=":", clip_on=False)
    axes.set_xlim(right=edge)


def clusters(heights, least):
    """Groups names, by ascending height, so that no two groups touch after the names in each are moved apart."""
    groups = [[height] for height in heights]
    i = 0
    while i + 1 < len(groups):
        low, high = groups[i], groups[i + 1]
        top = sum(low) / len(low) + (len(low) - 1) / 2 * least
        bottom = sum(high) / len(high) - (len(high) - 1) / 2 * least
        if bottom - top < least:
            groups[i:i + 2] = [low + high]
            i = max(0, i - 1)
        else:
            i += 1
    return groups


def lines(what, data):
    spec = what.plot
    figure, all_panels = panels(what, data, *((2.9, 2.6) if "panels" in spec else (6.2, 3.2)), across=spec["y_label"])
    handles = {}
    series = labels_of(data, spec["series"])
    for axes, rows in all_panels:
        ends = []
        for position, label in enumerate(series):
            own = rows[rows[spec["series"]] == label]
            if own.empty:
                continue
            xs = [quantity.number(x) for x in own[spec["x"]]]
            colour, marker = palette.look(label, position)
            handles[label], = axes.plot(xs, own[spec["y"]], color=colour, marker=marker if len(xs) <= 12 else None, label=label)
            draw_spread(axes, xs, own, spec["y"])
            ends.append((xs[-1], own[spec["y"]].iloc[-1], label, colour))
            ends += draw_claims(axes, what, label, colour)
        number_axis(axes, rows, spec)
        axes.set_xlabel(spec["x_label"])
        if len(all_panels) <= 3:
            name_ends(axes, ends)
    if len(all_panels) > 3:
        legend(figure, [handles[label] for label in series])
    return figure


def draw_claims(axes, what, label, colour):
    """Draws the values that the source in `beside` states for a series; returns the end of the line, where its name
    goes."""
    spec = what.plot
    found = [(quantity.number(str(claim["where"][spec["x"]])), claim["paper"]) for claim in what.claims
             if "beside" in spec and claim.get("source") == spec["beside"] and claim["column"] == spec["y"]
             and claim["where"].get(spec["series"]) == label]
    if not found:
        return []
    axes.plot(*zip(*found), color=colour, linestyle=":", marker="o", markersize=9, fillstyle="none")
    return [(*found[-1], f"{label}, {spec['beside']} (rings)", colour)]


def curves(what, data):
    """Draws the curves `fixed` + `over_x`/x, relative to the largest value at the left end. The dots are the runs."""
    spec = what.plot
    figure, all_panels = panels(what, data, 2.9, 2.7, across=spec["y_label"])
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
    """Sets an x axis of numbers: logarithmic unless `x_scale` is linear, with a tick at every value and at most eight
    labels. The y axis starts at 0 or is logarithmic."""
    if spec.get("x_scale") != "linear":
        labels = labels_of(rows, spec["x"])
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(ticker.FixedLocator([quantity.number(label) for label in labels]))
        axes.xaxis.set_minor_locator(ticker.NullLocator())
        step = math.ceil(len(labels) / 8)
        slanted = max(map(len, labels)) > 4
        axes.set_xticklabels([label if (len(labels) - 1 - i) % step == 0 else "" for i, label in enumerate(labels)],
                             rotation=35 if slanted else 0, ha="right" if slanted else "center", rotation_mode="anchor")
    if spec.get("y_scale") == "log":
        axes.set_yscale("log")
        plain_ticks(axes.yaxis, narrow=True)
        if spec.get("inverse"):
            axes.set_ylim(bottom=0.9)
            axes.axhline(1, color="#333333", linewidth=0.8, linestyle=":")
    else:
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.6g}"))


def plain_ticks(axis, narrow=False):
    """Sets ticks at 1, 2, 5, 10, ... on a logarithmic axis, as plain numbers; with `narrow`, also at 3, 30, ..."""
    axis.set_major_locator(ticker.LogLocator(base=10, subs=(1, 2, 3, 5) if narrow else (1, 2, 5)))
    axis.set_major_formatter(ticker.StrMethodFormatter("{x:,.6g}"))
    axis.set_minor_locator(ticker.NullLocator())


def dots(what, data):
    """Draws a row for each label of `x` over a logarithmic axis, with a dot for each series."""
    spec = what.plot
    names = labels_of(data, spec["x"])
    series = labels_of(data, spec["series"])
    figure, all_panels = panels(what, data, 3.4, 0.9 + 0.3 * len(names))
    handles = {}
    for number, (axes, rows) in enumerate(all_panels):
        for y, name in enumerate(names):
            own = rows[rows[spec["x"]] == name]
            axes.plot([own[spec["y"]].min(), own[spec["y"]].max()], [y, y], color="#bbbbbb", linewidth=1, zorder=1)
            for position, label in enumerate(series):
                colour, marker = palette.look(label, position)
                point = own[own[spec["series"]] == label]
                if not point.empty:
                    handles[label], = axes.plot(point[spec["y"]], [y], color=colour, marker=marker, linestyle="none",
                                                markersize=6, label=label)
        axes.set_xscale("log")
        plain_ticks(axes.xaxis)
        axes.axvline(1, color="#333333", linewidth=0.8, linestyle=":")
        axes.set_yticks(range(len(names)), names if number % spec.get("columns", 3) == 0 else [""] * len(names))
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlabel(spec["y_label"])
    legend(figure, [handles[label] for label in series if label in handles])
    return figure


def bars(what, data):
    """Draws horizontal bars below the label of their group, each with its name and value; with `parts`, a bar is a
    stack."""
    spec = what.plot
    groups = labels_of(data, spec["x"])
    series = labels_of(data, spec["series"]) if "series" in spec else [None]
    most = data.groupby([axis for axis in (spec.get("panels"),) if axis], observed=True).size().max() if "panels" in spec else len(data)
    figure, all_panels = panels(what, data, 3.0 if "panels" in spec else 6.2, 0.9 + 0.19 * (most + len(groups) * (len(series) > 1)))
    for axes, rows in all_panels:
        draw_groups(axes, spec, rows, groups, series)
        axes.set_xlim(left=0, right=1.13 * axes.get_xlim()[1])
        axes.xaxis.set_major_locator(ticker.MaxNLocator(4))
        axes.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.6g}"))
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(spec["y_label"])
    handles = part_handles(spec, data)
    if handles:
        legend(figure, handles)
    return figure


def draw_groups(axes, spec, rows, groups, series):
    """Draws the groups from the top: each label, if there is more than one series, and then its bars."""
    y, places, names = 0, [], []
    prefix = f"{spec['x_label']}: " if "x_label" in spec else ""
    for group in groups:
        own = rows[rows[spec["x"]] == group]
        if own.empty:
            continue
        if series != [None]:
            places, names = [*places, y], [*names, prefix + group]
            y += 1
        for position, label in enumerate(series):
            chosen = own if label is None else own[own[spec["series"]] == label]
            for _, row in chosen.iterrows():
                draw_bar(axes, spec, row, y, palette.look(label, position)[0])
                places, names = [*places, y], [*names, group if label is None else label]
                y += 1
        y += 0.4 if series != [None] else 0
    axes.set_yticks(places, names)
    axes.set_ylim(y - 0.4, -0.7)
    axes.tick_params(axis="y", length=0)
    for text in axes.get_yticklabels():
        if series != [None] and text.get_text().removeprefix(prefix) in groups:
            text.set_fontweight("bold")


def draw_bar(axes, spec, row, y, colour):
    at = 0.0
    for style, column in zip(part_looks(spec, colour), spec.get("parts", {spec["y"]: ""})):
        axes.barh(y, row[column], 0.8, left=at, **style)
        at += row[column]
    end = at
    if LOW in row:
        axes.errorbar([row[spec["y"]]], [y], xerr=[[row[spec["y"]] - row[LOW]], [row[HIGH] - row[spec["y"]]]], fmt="none",
                      ecolor="#333333", elinewidth=0.8, capsize=1.5)
        end = max(end, row[HIGH])
    axes.annotate(f"{at:,.{2 if at < 10 else 1 if at < 100 else 0}f}", (end, y), xytext=(3, 0), textcoords="offset points", va="center",
                  fontsize=8)


def part_looks(spec, colour):
    """The styles of a bar's parts from left to right: grey first, then hatched, and the colour of the series last."""
    hatched = {"facecolor": "white", "edgecolor": colour, "hatch": "//////", "linewidth": 0.5}
    between = len(spec.get("parts", ())) - 2
    return [{"color": "#c4c4c4"}] * (between >= 0) + [hatched] * between + [{"color": colour}]


def part_handles(spec, data):
    """Legend entries for all visible parts. If a part has the colours of the series, its pattern identifies it."""
    parts = spec.get("parts", {})
    looks = part_looks(spec, "#555555")
    return [patches.Patch(label=name if i == 0 else f"{name} (in colour)", **look)
            for i, ((column, name), look) in enumerate(zip(parts.items(), looks))
            if data[column].max() > 0.003 * data[spec["y"]].max()]
