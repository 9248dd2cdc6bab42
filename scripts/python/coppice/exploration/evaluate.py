"""Evaluates a point: runs its workloads, and computes its quantities, its objectives and its violation of each
constraint."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from typing import Any

from coppice.command import CoppiceError, environment, find_command
from coppice.config import nested, override
from coppice.exploration.expression import Expression, ExpressionError, MissingName, fill, number, templates
from coppice.exploration.ledger import Ledger
from coppice.exploration.space import Space, Workload

BAD_INPUT = 2
AREA_IN_RANGE = "hardware.area_in_range"  # False if part of an area is extrapolated
ENERGY_ENDS = ("hardware.energy_low_uj", "hardware.energy_high_uj")  # the range of the energy, given its known error
PLACE = re.compile(r"^--set .*?:\d+:\d+: ")  # the location at the beginning of a message
LEFT_OUT = ("schema", "version", "config", "simulator", "channels", "assumptions", "warnings")  # sections of a result that are not quantities


class Unusable(Exception):
    """A point has no results, for this reason: a run failed (`failed`), or its combination of values is impossible."""

    def __init__(self, reason: str, failed: bool = False):
        super().__init__(reason)
        self.failed = failed


def flat_numbers(value: Any, path: str = "") -> dict[str, float]:
    """The numbers in nested mappings, by dotted path; lists are skipped."""
    if isinstance(value, dict):
        found: dict[str, float] = {}
        for key, inner in value.items():
            if path or key not in LEFT_OUT:
                found.update(flat_numbers(inner, f"{path}.{key}" if path else key))
        return found
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {path: value} if is_number else {}


def at_path(value: Any, path: str) -> Any:
    """The value at a dotted path of a result; a number in the path selects an entry of a list. Raises MissingName."""
    for word in path.split("."):
        if isinstance(value, dict) and word in value:
            value = value[word]
        elif isinstance(value, list) and word.isdigit() and int(word) < len(value):
            value = value[int(word)]
        else:
            raise MissingName(path)
    return value


def energy_range(hardware: Mapping[str, Any]) -> tuple[float, float]:
    """The lowest and highest energy of a result in uJ: the energies of routers, additions and tables may be off by a
    factor of up to `energy_error`. For links and memories, no error is known."""
    known = sum(hardware["energy"][part] for part in ("routers_uj", "additions_uj", "tables_uj"))
    rest = hardware["energy_uj"] - known
    return rest + known / hardware["energy_error"], rest + known * hardware["energy_error"]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """A run: its result and duration, or the reason why it has none."""
    result: dict[str, Any] | None
    reason: str = ""
    status: int = 0
    seconds: float = 0.0


class Evaluator:
    """Runs points of a space with the command; not thread-safe."""

    def __init__(self, space: Space, ledger: Ledger):
        self.space = space
        self.ledger = ledger
        self.command = find_command()
        self.command_digest = hashlib.sha256(pathlib.Path(self.command).read_bytes()).hexdigest()[:16]
        self._facts: dict[str, dict[str, Any]] = {}
        self._child: subprocess.Popen[str] | None = None
        self._empty: tempfile.TemporaryDirectory[str] | None = None
        self.fresh: dict[str, dict[str, Any]] = {}  # outcomes of runs that are not yet in the ledger

    # Running the command.

    def _base(self, workload: Workload | None) -> pathlib.Path:
        """The configuration to which the settings are added; an empty one if the space names none."""
        base = (workload.base if workload else None) or self.space.base
        if base is not None:
            return base
        if self._empty is None:
            self._empty = tempfile.TemporaryDirectory(prefix="coppice-explore-")
            pathlib.Path(self._empty.name, "empty.yaml").write_text("{}\n", encoding="utf-8")
        return pathlib.Path(self._empty.name, "empty.yaml")

    def _call(self, words: list[str]) -> tuple[int, str, str, float]:
        """Runs the command with these arguments; returns its status, output, error output and duration in seconds."""
        begin = time.monotonic()
        try:
            # In its own session, so that Ctrl-C reaches only the worker, which then ends the command.
            self._child = subprocess.Popen([self.command, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True, start_new_session=True,
                                           env=environment(self.command))
            try:
                output, errors = self._child.communicate(timeout=self.space.limit_seconds)
                status = self._child.returncode
            except subprocess.TimeoutExpired:
                self.stop_child()
                output, errors, status = "", f"a run took more than {self.space.limit_seconds:g} s (limit_seconds)", 1
        except OSError as error:
            raise CoppiceError(f"cannot start {self.command}: {error.strerror}", BAD_INPUT) from error
        finally:
            self.stop_child()
        return status, output, errors, time.monotonic() - begin

    def stop_child(self) -> None:
        """Ends the current run with all its processes."""
        child = self._child
        if child is None:
            return
        self._child = None
        if child.poll() is None:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
        for pipe in (child.stdout, child.stderr):
            if pipe:
                pipe.close()

    @staticmethod
    def _reason(errors: str, status: int) -> str:
        """The command's message without its location, which would be in a --set option or a temporary file."""
        lines = [line for line in errors.splitlines() if line.strip() and ": warning: " not in line]
        if status < 0:
            return f"the command was killed by signal {-status}"
        return PLACE.sub("", lines[-1].strip()) if lines else f"the command exited with status {status}"

    def facts(self, settings: Mapping[str, Any], workload: Workload | None = None) -> dict[str, Any]:
        """The output of `coppice topology --format json` for the machine: its network and, if a constraint needs it,
        its area."""
        words = ["topology", str(self._base(workload)), "--format", "json"]
        # If no constraint uses the area, only the keys that affect the network are passed: more points then share the
        # output.
        asks_area = any(name.startswith("hardware.") for rule in self.space.constraints for name in rule.names)
        sections = ("system.", "hardware.") if asks_area else ("system.topology.", "system.link.", "system.flit",
                                                               "system.clock", "system.ni.payload")
        for key, value in settings.items():
            if key.startswith(sections):
                words += override(key, value)
        key = json.dumps(words)
        if key not in self._facts:
            status, output, errors, _ = self._call(words)
            if status != 0:
                raise Unusable(self._reason(errors, status), failed=status != BAD_INPUT)
            self._facts[key] = json.loads(output)
        return self._facts[key]

    def run(self, settings: Mapping[str, Any], workload: Workload, fidelity: str | None) -> Outcome:
        """Runs a workload, or returns the outcome if the ledger already has it."""
        settings = dict(settings, fidelity=fidelity) if fidelity else dict(settings)
        base = self._base(workload)
        said = [self.command_digest, base.read_text(encoding="utf-8"), sorted((k, str(v)) for k, v in settings.items())]
        name = hashlib.sha256(json.dumps(said).encode()).hexdigest()
        known = self.fresh.get(name) or self.ledger.outcome(name)
        if known is not None:
            return Outcome(**known)
        with tempfile.TemporaryDirectory(prefix="coppice-explore-") as folder:
            out = pathlib.Path(folder, "result.json")
            # One thread: the search already uses all cores.
            words = ["run", str(base), "--quiet", "--threads", "1", "--out", str(out)]
            for key, value in settings.items():
                words += override(key, value)
            status, _, errors, seconds = self._call(words)
            if status == 0:
                result = json.loads(out.read_text(encoding="utf-8"))
                for bulky in ("channels", "simulator"):
                    result.pop(bulky, None)
                outcome = Outcome(result, seconds=seconds)
            else:
                outcome = Outcome(None, self._reason(errors, status), status, seconds)
        self.fresh[name] = dataclasses.asdict(outcome)
        return outcome

    # Evaluating points.

    def evaluate(self, values: Mapping[str, Any], fidelity: str | None) -> dict[str, Any]:
        """Returns the record of a point. Raises Unusable if it has no results."""
        self._refuse_early(values)
        settings, facts = self._settled(self.space.settings_of(values), values, None)
        known: dict[str, Any] = {**values, **settings, "topology": facts}
        if "hardware" in facts:
            known["hardware"] = {name: facts["hardware"][name] for name in ("area_mm2", "area_in_range")}
        self._refuse_early(known)
        per_workload: dict[str, dict[str, Any]] = {}
        configs: dict[str, Any] = {}
        seconds, decided, verified = 0.0, set(), set()
        for workload in self.space.workloads:
            own = {**settings, **workload.settings}
            own, _ = self._settled(own, {**values}, workload) if any(map(templates, own.values())) else (own, facts)
            outcome = self.run(own, workload, fidelity)
            if outcome.result is None:
                where = f"{workload.name}: " if len(self.space.workloads) > 1 else ""
                raise Unusable(where + outcome.reason, failed=outcome.status != BAD_INPUT)
            per_workload[workload.name] = outcome.result
            configs[workload.name] = outcome.result["config"]
            decided.update(str(outcome.result.get("fidelity", "")).split("/"))
            verified.update(str(outcome.result.get("verified", "off")).split("/"))
            seconds += outcome.seconds
        combined = self._combined(per_workload)

        def lookup(name: str) -> Any:
            return self._lookup(name, known, combined, per_workload, lookup)
        quantities = dict(combined)
        fitted = [found["hardware"]["area_in_range"] for found in (facts, *per_workload.values()) if "hardware" in found]
        if fitted:
            quantities[AREA_IN_RANGE] = all(fitted)
        if "hardware.energy_error" in quantities:
            ends = zip(*(energy_range(result["hardware"]) for result in per_workload.values()))
            quantities.update({name: self._mean(list(end)) for name, end in zip(ENERGY_ENDS, ends)})
        for name in self.space.quantities:
            quantities[name] = self._value(lookup, name)
        if self.space.prices:
            quantities["cost"] = self._cost(facts)
        objectives = [self._value(objective.expression.evaluate, lookup) for objective in self.space.objectives]
        for objective, value in zip(self.space.objectives, objectives):
            if not isinstance(value, (int, float)) or not math.isfinite(value):
                raise Unusable(f"objective {objective.name} is {value}, which is not a finite number", failed=True)
        return {"values": dict(values), "settings": settings, "objectives": objectives, "quantities": quantities,
                "violations": [float(self._value(rule.violation, lookup)) for rule in self.space.constraints],
                "topology": {key: value for key, value in facts.items() if isinstance(value, (int, float))},
                "workloads": {name: {o.name: self._one_workload(o.expression, known, result, per_workload)
                                     for o in self.space.objectives} for name, result in per_workload.items()},
                "configs": configs, "seconds": seconds, "command": self.command_digest,
                "fidelity": "/".join(sorted(filter(None, decided))), "verified": "/".join(sorted(verified))}

    def _settled(self, settings: dict[str, Any], values: Mapping[str, Any],
                 workload: Workload | None) -> tuple[dict[str, Any], dict[str, Any]]:
        """The settings with every ${...} replaced, and the network's properties. If a setting uses properties of the
        network, they are those of the network that the other settings describe."""
        known: dict[str, Any] = {**values}
        later: dict[str, Any] = {}
        for key, value in settings.items():
            if any(name.startswith("topology.") for part in templates(value) for name in part.names):
                later[key] = value
            else:
                known[key] = self._fill(value, values, settings, {})
        facts: dict[str, Any] = {}
        ready = {key: known[key] for key in settings if key not in later}
        if later:
            first = self.facts(ready, workload)
            for key, value in later.items():
                ready[key] = self._fill(value, values, settings, first)
        facts = self.facts(ready, workload)
        return {key: ready[key] for key in settings}, facts

    def _fill(self, value: Any, values: Mapping[str, Any], settings: Mapping[str, Any], facts: Mapping[str, Any]) -> Any:
        def lookup(name: str) -> Any:
            for known in (values, settings):
                if name in known:
                    return known[name]
            if name.startswith("topology."):
                return at_path(facts, name[len("topology."):])
            if name == "space.folder":
                return str(self.space.path.resolve().parent)
            raise MissingName(name)
        try:
            return fill(value, lookup)
        except ExpressionError as error:
            raise Unusable(str(error)) from error

    def _refuse_early(self, known: Mapping[str, Any]) -> None:
        """Rejects points that violate a constraint that can be checked before a run."""
        def lookup(name: str) -> Any:
            return self._lookup(name, known, {}, {}, lookup)
        for rule in self.space.constraints:
            try:
                if rule.violation(lookup) > 0:
                    raise Unusable(f"{rule.text} is not met")
            except ExpressionError:
                continue

    def _lookup(self, name: str, known: Mapping[str, Any], combined: Mapping[str, Any],
                per_workload: Mapping[str, Any], again: Any) -> Any:
        if name in known and not isinstance(known[name], dict):
            return known[name]
        if name in self.space.quantities:
            return self.space.quantities[name].evaluate(again)
        if name == "cost" and self.space.prices and "topology" in known:
            return self._cost(known["topology"])
        if name in combined:
            return combined[name]
        if name.startswith("workloads."):
            _, workload, rest = (name.split(".", 2) + ["", ""])[:3]
            if workload in per_workload:
                return at_path(per_workload[workload], rest)
        if name.startswith(("topology.", "hardware.")):
            try:
                return at_path(known, name)
            except MissingName:
                pass
        if len(per_workload) >= 1:
            return self._mean([at_path(result, name) for result in per_workload.values()])
        raise MissingName(name)

    def _value(self, function: Any, argument: Any) -> Any:
        try:
            return function(argument)
        except MissingName as error:
            raise CoppiceError(f"{self.space.path}: unknown quantity '{error.name}'; a result has, among others: "
                               "time_ns, efficiency, hardware.area_mm2 and .energy_uj (with hardware.technology), cost "
                               "(with prices), topology.links", BAD_INPUT) from error
        except ExpressionError as error:
            raise Unusable(str(error), failed=True) from error

    def _one_workload(self, expression: Expression, known: Mapping[str, Any], result: dict[str, Any],
                      per_workload: Mapping[str, Any]) -> Any:
        """An objective's value for a single workload."""
        own = flat_numbers(result)

        def lookup(name: str) -> Any:
            if name in own:
                return own[name]
            return self._lookup(name, known, {}, per_workload, lookup)
        try:
            return expression.evaluate(lookup)
        except ExpressionError:
            return None

    def _combined(self, per_workload: Mapping[str, Any]) -> dict[str, Any]:
        """The quantities that the results of all workloads have, each combined into one number."""
        each = [flat_numbers(result) for result in per_workload.values()]
        return {name: self._mean([own[name] for own in each]) for name in each[0] if all(name in own for own in each)}

    def _mean(self, values: list[Any]) -> Any:
        values = [number(value) for value in values]
        if len(values) == 1:
            return values[0]
        weights = [workload.weight for workload in self.space.workloads]
        if self.space.combine == "worst":
            return max(values)
        if self.space.combine == "geometric" and all(value > 0 for value in values):
            return math.exp(sum(w * math.log(v) for w, v in zip(weights, values)) / sum(weights))
        return sum(w * v for w, v in zip(weights, values)) / sum(weights)

    def _cost(self, facts: Mapping[str, Any]) -> float:
        """The network's cost at the space's prices; a link has both directions of a cable."""
        price = self.space.prices
        return (price.get("accelerator", 0) * facts["accelerators"] + price.get("switch", 0) * facts["switches"] +
                price.get("switch_port", 0) * facts["switch_ports"] + price.get("link", 0) * facts["links"] +
                price.get("link_gb_s", 0) * facts["bandwidth_gb_s"] / 2)


def configuration(config: Mapping[str, Any]) -> str:
    """A resolved configuration as the content of a file for `coppice run`, which does not report keys without effect in files
    with this schema; JSON is valid YAML."""
    return json.dumps({"schema": "coppice.result/1", "config": nested(config)}, indent=2) + "\n"
