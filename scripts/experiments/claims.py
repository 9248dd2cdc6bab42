"""Compares the claims of a paper with the measurements.

A claim in an experiment file compares a column in two selections of rows, row by row with all other axes equal, and
combines the comparisons. Without `over` it combines the values of the column themselves.
"""

import dataclasses

import experiment
import frame

KEYS = {"what", "paper", "source", "column", "of", "over", "where", "as", "combine", "reason", "unit"}
FORMS = {
    "speedup": (lambda of, over: over / of, "{:.2f}×"),       # for times: the factor by which `of` is faster
    "ratio": (lambda of, over: of / over, "{:.2f}×"),         # for bandwidths: the factor by which `of` is larger
    "saving": (lambda of, over: 1 - of / over, "−{:.0%}"),    # for times: the saved share
    "gain": (lambda of, over: over / of - 1, "{:+.1%}"),      # for times: the gain in throughput
    "percentage": (None, "{:.1%}"),
    "number": (None, "{:,.6g}"),
}
COMBINATIONS = {"mean": lambda values: values.mean(), "max": lambda values: values.max(),
                "min": lambda values: values.min(), "geomean": lambda values: values.prod() ** (1 / len(values)),
                "spread": lambda values: values.std(ddof=1)}
TOLERANCE = 0.10


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A claim with the paper's value (None if the paper does not state it) and ours (None if there are no rows)."""
    what: str
    paper: float | None
    ours: float | None
    form: str
    source: str
    reason: str

    @property
    def difference(self):
        """Our value relative to the paper's, minus 1."""
        return None if None in (self.paper, self.ours) else self.ours / self.paper - 1

    def cells(self):
        """(what, paper, ours, difference, reason) as text."""
        def show(value):
            return "–" if value is None else FORMS[self.form][1].format(value)
        far = self.difference is not None and abs(self.difference) > TOLERANCE
        reason = self.reason or ("not explained" if far else "")
        return (self.what, show(self.paper) + (f" [{self.source}]" if self.source else ""), show(self.ours),
                "–" if self.difference is None else f"{self.difference:+.0%}", reason)


def check(what, claim):
    """Rejects a claim with unknown names."""
    where = f"claim {claim.get('what')!r}"
    experiment.refuse_unknown(what.path, where, claim, KEYS)
    for key in ("what", "column", "as"):
        if key not in claim:
            raise experiment.ExperimentError(f"{what.path}: {where}: {key} is missing")
    experiment.refuse_unknown(what.path, f"{where}: as", [claim["as"]], FORMS)
    experiment.refuse_unknown(what.path, f"{where}: combine", [claim.get("combine", "mean")], COMBINATIONS)
    experiment.refuse_unknown(what.path, f"{where}: column", [claim["column"]], what.columns)
    for selector in ("of", "over", "where"):
        for axis, chosen in claim.get(selector, {}).items():
            experiment.refuse_unknown(what.path, f"{where}: {selector}", [axis], what.axes)
            labels = chosen if isinstance(chosen, list) else [chosen]
            experiment.refuse_unknown(what.path, f"{where}: {selector}: {axis}",
                                      [experiment.as_text(label) for label in labels], {*what.axes[axis], "last"})


def grouped(rows, keys):
    """Groups `rows` by the axes `keys`; one group if there are none, because the claim's axis is the only one."""
    return rows.groupby(keys, observed=True) if keys else rows.groupby(lambda row: 0)


def measure(what, data, claim):
    """Computes the claim's value from the rows of `data`. Returns None if no two rows can be compared."""
    rows = frame.select(data, claim.get("where", {}))
    column = claim["column"]
    of = frame.select(rows, claim.get("of", {}))
    compare = FORMS[claim["as"]][0]
    if compare is None:
        values = of[column]
    else:
        keys = [axis for axis in what.axes if axis not in claim["over"]]
        # Several rows of a group count as their best: the shortest time or the largest bandwidth.
        best = "max" if claim["as"] == "ratio" else "min"
        over = grouped(frame.select(rows, claim["over"]), keys)[column].agg(best)
        pairs = grouped(of, keys)[column].agg(best).to_frame("of").join(over.rename("over"), how="inner")
        values = compare(pairs["of"], pairs["over"])
    return None if values.empty else float(COMBINATIONS[claim.get("combine", "mean")](values))


def compare(what, table):
    """A Comparison for each claim of `what`; `table` is its CSV file."""
    data = frame.read(what, table)
    result = []
    for claim in what.claims:
        check(what, claim)
        result.append(Comparison(claim["what"], claim.get("paper"), measure(what, data, claim), claim["as"],
                                 claim.get("source", ""), " ".join(str(claim.get("reason", "")).split())))
    return result


def markdown(comparisons):
    """The lines of a Markdown table."""
    lines = ["| what | paper | Coppice | difference | why |", "| --- | --- | --- | --- | --- |"]
    return lines + ["| " + " | ".join(comparison.cells()) + " |" for comparison in comparisons]
