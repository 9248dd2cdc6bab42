"""The outputs of a search: tables of all points, of the front and of the sensitivity, a configuration for each point of
the front, and a page. They can be written from the ledger at any time, even for an unfinished search."""

from __future__ import annotations

import csv
import json
import pathlib
import sqlite3
from collections.abc import Sequence
from typing import Any

from coppice.command import call
from coppice.exploration import front, search
from coppice.exploration.evaluate import AREA_IN_RANGE, ENERGY_ENDS, configuration
from coppice.exploration.ledger import DONE, Ledger, Point
from coppice.exploration.space import Space
from coppice.exploration.worker import centres, decided, feasible, front_of, minimized, neighbours
from coppice.files import write, write_text

SCHEMA = "coppice.explore/1"
FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # first characters of cells that spreadsheets evaluate
SHOWN_QUANTITIES = ("time_ns", "cycles", "efficiency", "algbw_gb_s", "cost", "hardware.area_mm2", "hardware.area_error", AREA_IN_RANGE,
                    "hardware.energy_uj", "hardware.energy_error", *ENERGY_ENDS, "link_utilization.mean", "link_utilization.max", "flit_hops")


class Results:
    """The content of a search's ledger, ready to be written."""

    def __init__(self, space: Space, ledger: Ledger):
        self.space = space
        self.points = ledger.points()
        self.done = [point for point in self.points if point.state == DONE and point.record]
        self.decided = decided(space, self.points)
        self.front = sorted(front_of(space, self.decided), key=lambda point: minimized(space, point.record or {}))
        self.front_ids = {(point.point, point.level) for point in self.front}

    # Table rows.

    def columns(self) -> list[str]:
        space = self.space
        names = ["point", "state", "fidelity", "decided", "front", "origin", "number"]
        names += [key.name for key in space.keys]
        names += [objective.name for objective in space.objectives]
        if len(space.workloads) > 1:
            names += [f"{w.name}.{o.name}" for w in space.workloads for o in space.objectives]
        extra = [*space.quantities, *SHOWN_QUANTITIES, *(f"topology.{fact}" for fact in self._facts())]
        present = {name for point in self.done for name in (point.record or {})["quantities"]}
        names += [name for name in extra if name in present or name.startswith("topology.")]
        names += ["verified", "seconds", "reason", "settings"]
        return list(dict.fromkeys(names))

    def _facts(self) -> list[str]:
        return list(dict.fromkeys(fact for point in self.done for fact in (point.record or {})["topology"]))

    def row(self, point: Point) -> dict[str, Any]:
        record = point.record or {}
        row: dict[str, Any] = {
            "point": point.point, "state": point.state, "number": point.number, "origin": point.origin,
            "fidelity": record.get("fidelity", self.space.fidelities[point.level] or ""),
            "decided": (point.point, point.level) in {(p.point, p.level) for p in self.decided} if record else False,
            "front": (point.point, point.level) in self.front_ids,
            "verified": record.get("verified", ""), "seconds": record.get("seconds", ""),
            "reason": record.get("reason", "")}
        if point.state == DONE and not feasible(record):
            row["reason"] = "; ".join(rule.text + " is not met" for rule, violation in
                                      zip(self.space.constraints, record["violations"]) if violation > 0)
        row.update(self.space.values(point.genome))
        if point.state != DONE:
            return row
        for name, value in record["quantities"].items():
            row.setdefault(name, value)
        row.update({f"topology.{fact}": value for fact, value in record["topology"].items()})
        row.update(zip([objective.name for objective in self.space.objectives], record["objectives"]))
        if len(self.space.workloads) > 1:
            row.update({f"{workload}.{name}": value for workload, values in record["workloads"].items()
                        for name, value in values.items()})
        row["settings"] = json.dumps(record["settings"])
        return row

    # Sensitivity.

    def importance(self) -> list[dict[str, Any]]:
        """How much of each objective's variance over the search each key explains (Optuna's fANOVA); the shares add up
        to 1."""
        space = self.space
        searched = [point for point in self.done if point.level == 0]
        varied = [i for i, key in enumerate(space.keys) if len({point.genome[i] for point in searched}) > 1]
        if len(searched) < 4 or not varied:
            return []
        try:
            import sklearn  # noqa: F401: required by fANOVA
        except ImportError:
            return []
        import optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        known = search.distributions(space)
        study = optuna.create_study(directions=search.directions(space))
        study.add_trials([search.finished_trial(space, known, point) for point in searched])
        rows = []
        for i, objective in enumerate(space.objectives):
            values = [(point.record or {})["objectives"][i] for point in searched]
            if max(values) == min(values):
                continue
            evaluator = optuna.importance.FanovaImportanceEvaluator(seed=space.search.seed, n_trees=32)
            found = optuna.importance.get_param_importances(
                study, evaluator=evaluator, params=[space.keys[v].name for v in varied],
                target=lambda trial, i=i: trial.values[i])
            rows += [{"objective": objective.name, "key": key, "importance": value} for key, value in found.items()]
        return rows

    def sweeps(self) -> list[dict[str, Any]]:
        """The points of the sweeps, which vary one key of a centre: each objective, also relative to that of the
        centre."""
        space = self.space
        last = max((point.level for point in self.decided), default=0)
        by_id = {point.point: point for point in self.done if point.level == last}
        unusable = {point.point: point for point in self.points if point.level == last and point.state != DONE}
        rows = []
        for centre in centres(space, self.points):
            for key, genome in [("", centre.genome), *neighbours(space, centre.genome)]:
                name = space.point_id(genome)
                values = space.values(genome)
                for varied in ([key] if key else [k.name for k in space.keys if k.name in space.values(centre.genome)]):
                    row = {"around": centre.point, "key": varied, "value": values.get(varied, ""), "point": name,
                           "state": "done" if name in by_id else getattr(unusable.get(name), "state", "open")}
                    if name in by_id:
                        own, base = by_id[name].record or {}, centre.record or {}
                        for objective, value, of in zip(space.objectives, own["objectives"], base["objectives"]):
                            row[objective.name] = value
                            row[f"{objective.name} over the centre"] = value / of if of else ""
                        row["feasible"] = feasible(own)
                    rows.append(row)
        order = {key.name: i for i, key in enumerate(space.keys)}
        texts = {(key.name, str(value)): i for key in space.keys for i, value in enumerate(key.values)}
        return sorted(rows, key=lambda r: (r["around"], order[r["key"]], texts.get((r["key"], str(r["value"])), 0)))

    def skipped(self) -> dict[str, int]:
        """The number of points without results for each reason."""
        reasons: dict[str, int] = {}
        for point in self.points:
            if point.state in ("skipped", "failed"):
                reason = f"{'failed: ' if point.state == 'failed' else ''}{(point.record or {}).get('reason', '')}"
                reasons[reason] = reasons.get(reason, 0) + 1
        return dict(sorted(reasons.items(), key=lambda item: -item[1]))

    # Output files.

    def save(self, folder: pathlib.Path, page: bool = True, sensitivity: bool = True) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        columns = self.columns()
        rows = [self.row(point) for point in self.points]
        write(folder / "points.csv", lambda path: _csv(path, columns, rows))
        write(folder / "points.sqlite", lambda path: _sqlite(path, columns, rows))
        _parquet(folder / "points.parquet", columns, rows)
        write(folder / "front.csv", lambda path: _csv(path, columns, [self.row(point) for point in self.front]))
        importance, sweeps = (self.importance(), self.sweeps()) if sensitivity else ([], [])
        write(folder / "importance.csv", lambda path: _csv(path, ["objective", "key", "importance"], importance))
        write(folder / "sweeps.csv", lambda path: _csv(path, _names(sweeps) or ["around"], sweeps))
        self._configurations(folder / "front")
        document = self.document(columns, rows, importance, sweeps)
        write_text(folder / "explore.json", json.dumps(document))
        if page:
            write(folder / "explore.html", lambda path: call(
                ["report", str(folder / "explore.json"), "--out", str(path)]) and None)

    def _configurations(self, folder: pathlib.Path) -> None:
        """Writes a file for each point of the front and each workload, and removes those of an earlier front."""
        folder.mkdir(exist_ok=True)
        names = set()
        for point in self.front:
            for workload, config in (point.record or {})["configs"].items():
                name = f"{point.point}.yaml" if len(self.space.workloads) == 1 else f"{point.point}.{workload}.yaml"
                names.add(name)
                write_text(folder / name, configuration(config))
        for path in folder.glob("*.yaml"):
            if path.name not in names:
                path.unlink(missing_ok=True)

    def document(self, columns: Sequence[str], rows: Sequence[dict[str, Any]], importance: Any, sweeps: Any) -> dict[str, Any]:
        """The page's data, in the schema "coppice.explore/1". Configurations are stored as their differences from the
        first."""
        space = self.space
        shown = [name for name in columns if name != "settings"]
        first = next(((point.record or {})["configs"] for point in self.done), {})
        flat_first = {workload: _leaves(config) for workload, config in first.items()}
        differences = []
        for point in self.points:
            configs = (point.record or {}).get("configs")
            differences.append(None if not configs else {
                workload: _difference(flat_first[workload], _leaves(config)) for workload, config in configs.items()})
        return {
            "schema": SCHEMA, "title": space.title, "question": space.question,
            "method": space.search.method, "seed": space.search.seed, "combinations": space.combinations,
            "keys": [{"name": key.name, "values": [str(value) for value in key.values], "ordered": key.ordered}
                     for key in space.keys],
            "objectives": [{"name": o.name, "direction": "maximize" if o.maximize else "minimize"} for o in space.objectives],
            "workloads": [{"name": w.name, "weight": w.weight} for w in space.workloads],
            "constraints": [rule.text for rule in space.constraints],
            "fidelities": [fidelity or "as configured" for fidelity in space.fidelities],
            "decided_by": sorted({(point.record or {})["fidelity"] for point in self.decided}),
            "columns": shown, "points": [[row.get(name) for name in shown] for row in rows],
            "configs": {"first": first, "differences": differences},
            "front": [point.point for point in self.front], "hypervolumes": self.hypervolumes(),
            "importance": importance, "sweeps": sweeps, "skipped": self.skipped(),
        }

    def hypervolumes(self) -> list[float]:
        """The volume that the front dominates after each deciding point, in the order of the search, relative to that
        of the final front. Objectives are scaled to their ranges among these points. The bound is a tenth of the range
        beyond the worst values, so that extreme points count."""
        if not self.decided:
            return []
        values = front.normalised([minimized(self.space, point.record or {}) for point in self.decided])
        found = front.hypervolumes(values, [1.1] * len(self.space.objectives))
        return [volume / found[-1] for volume in found]

    def summary(self) -> str:
        """A readable table of the front with at most twenty lines, and how many lines are left out."""
        space = self.space
        states = {state: sum(point.state == state for point in self.points) for state in ("done", "skipped", "failed")}
        text = f"{space.title}: {states['done']} points, {len(self.front)} on the front, decided by " \
               f"{'/'.join(sorted({(p.record or {})['fidelity'] for p in self.decided})) or 'nothing'}\n"
        for reason, count in list(self.skipped().items())[:5]:
            text += f"  {count} without results: {reason[:160]}\n"
        heads = ["point", *(o.name for o in space.objectives), *(key.name for key in space.keys)]
        lines = [heads]
        for point in self.front[:20]:
            record = point.record or {}
            values = space.values(point.genome)
            lines.append([point.point, *(f"{v:.5g}" for v in record["objectives"]),
                          *(str(values.get(key.name, "-")) for key in space.keys)])
        widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
        for line in lines:
            text += "  " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths)) + "\n"
        if len(self.front) > 20:
            text += f"  ... and {len(self.front) - 20} more\n"
        beyond = sum((point.record or {})["quantities"].get(AREA_IN_RANGE, True) is False for point in self.front)
        if beyond:
            text += f"  {beyond} of these have an extrapolated area ({AREA_IN_RANGE} is False)\n"
        return text


def _leaves(value: Any, path: str = "") -> dict[str, Any]:
    if isinstance(value, dict) and value:
        found: dict[str, Any] = {}
        for key, inner in value.items():
            found.update(_leaves(inner, f"{path}\t{key}" if path else key))
        return found
    return {path: value}


def _difference(first: dict[str, Any], other: dict[str, Any]) -> list[list[Any]]:
    """The differences from `first`: [path, value] for each value that differs, [path] for each that is missing."""
    changed = [[path, value] for path, value in other.items() if path not in first or first[path] != value]
    return changed + [[path] for path in first if path not in other]


def _names(rows: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _csv(path: pathlib.Path, columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore")
        writer.writerow({name: _inert(name) for name in columns})
        writer.writerows({name: _inert(value) for name, value in row.items()} for row in rows)


def _inert(value: Any) -> Any:
    """Puts an apostrophe before strings that a spreadsheet would evaluate as formulas."""
    return f"'{value}" if isinstance(value, str) and value[:1] in FORMULAS else value


def _cell(value: Any) -> Any:
    return value if isinstance(value, (int, float, str, type(None))) else json.dumps(value)


def _sqlite(path: pathlib.Path, columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    database = sqlite3.connect(path)
    try:
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        database.execute(f"CREATE TABLE points ({quoted})")
        database.executemany(f"INSERT INTO points VALUES ({', '.join('?' * len(columns))})",
                             [[_cell(row.get(name)) for name in columns] for row in rows])
        database.commit()
    finally:
        database.close()


def _parquet(path: pathlib.Path, columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    """Writes Parquet if pandas and one of pyarrow and fastparquet are installed; Debian 12 has neither of these two."""
    try:
        import pandas
        pandas.io.parquet.get_engine("auto")
    except ImportError:
        return
    frame = pandas.DataFrame([[_cell(row.get(name)) for name in columns] for row in rows], columns=list(columns))
    for name in frame.columns[frame.dtypes == object]:
        frame[name] = frame[name].map(lambda value: None if value is None else str(value))
    write(path, lambda partial: frame.to_parquet(partial))
