"""The table of an experiment as a pandas frame, with its labels in the experiment's order."""

import pandas

import experiment


def read(what, path):
    """Reads the CSV file at `path`; the axes' columns become ordered categories."""
    data = pandas.read_csv(path, dtype={axis: str for axis in what.axes}, keep_default_na=False,
                           na_values={column: [""] for column in what.columns})
    for axis, labels in what.axes.items():
        present = [label for label in labels if label in set(data[axis])]
        data[axis] = pandas.Categorical(data[axis], categories=present, ordered=True)
    return data


def select(data, selector):
    """The rows with one of the selector's labels on each of its axes; `last` stands for the last label of an axis."""
    for axis, chosen in selector.items():
        chosen = chosen if isinstance(chosen, list) else [chosen]
        wanted = [data[axis].cat.categories[-1] if label == "last" else experiment.as_text(label)
                  for label in chosen]
        data = data[data[axis].isin(wanted)]
    return data


def normalized(data, what, column, to):
    """`column` divided by its value at the labels `to`, with all other axes equal. Rows without such a value are
    dropped."""
    keys = [axis for axis in what.axes if axis not in to]
    base = select(data, to)[[*keys, column]].rename(columns={column: "base of the ratio"})
    merged = data.merge(base, on=keys) if keys else data.assign(**{"base of the ratio": base[column].iloc[0]})
    for axis in what.axes:
        merged[axis] = pandas.Categorical(merged[axis], categories=data[axis].cat.categories, ordered=True)
    merged[column] = merged[column] / merged["base of the ratio"]
    return merged.drop(columns="base of the ratio")
