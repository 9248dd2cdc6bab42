"""Schedules: tables of every network-interface port, built in Python and run by algorithm file."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

from coppice.files import write_text

if TYPE_CHECKING:
    import pandas

SCHEMA = "coppice.schedule/1"


# A hop: the out-port of a node, alone or with the virtual channels [first, end) that it may use.
Hop = Union[int, tuple[int, int, int]]


@dataclasses.dataclass
class Entry:
    """A message: what a port does in a timestep.

    op is "reduce" (add my partial sum to the destination's) or "gather" (store the final value there). `route` has a
    hop for every node on the way; the destination's is the number of its channels plus the port that receives. What
    is None follows from the messages of the same flow that arrive here in earlier timesteps: how many they are
    (dependencies), whose sums it includes (children), and whom the value came from (parent).
    """

    op: str
    source: int
    destination: int
    flow: int
    step: int
    address: int
    bytes: int
    route: Sequence[Hop]
    port: int = 0
    dependencies: int | None = None
    children: Sequence[int] | None = None
    parent: int | None = None


class Schedule:
    """A collective as messages between accelerators; to_json() is what collective.file reads."""

    def __init__(self, accelerators: int, size: int, collective: str = "all_reduce", ports: int = 1,
                 algorithm: str = "python", vcs: tuple[int, int] = (0, 1), ordered_by_lockstep: bool = False):
        """`size` in bytes of the whole buffer, `vcs` the virtual channels [first, end) of every hop."""
        self.accelerators = accelerators
        self.size = size
        self.collective = collective
        self.ports = ports
        self.algorithm = algorithm
        self.vcs = vcs
        self.ordered_by_lockstep = ordered_by_lockstep
        self.entries: list[Entry] = []

    def reduce(self, source: int, destination: int, **entry: Any) -> Entry:
        """Adds a message that the destination adds to its own; see Entry."""
        self.entries.append(Entry("reduce", source, destination, **entry))
        return self.entries[-1]

    def gather(self, source: int, destination: int, **entry: Any) -> Entry:
        """Adds a message that the destination stores; see Entry."""
        self.entries.append(Entry("gather", source, destination, **entry))
        return self.entries[-1]

    @property
    def steps(self) -> int:
        """The timesteps."""
        return max((entry.step for entry in self.entries), default=0)

    def table(self) -> pandas.DataFrame:
        """A row a message."""
        import pandas
        return pandas.DataFrame([dataclasses.asdict(entry) for entry in self.entries])

    def to_dict(self) -> dict[str, Any]:
        """The schema coppice.schedule/1, ports in order of their timesteps."""
        routes: dict[tuple[tuple[int, int, int], ...], int] = {}
        nodes: list[list[list[dict[str, Any]]]] = [[[] for _ in range(self.ports)] for _ in range(self.accelerators)]
        arrivals: dict[tuple[int, int], list[Entry]] = {}
        for entry in self.entries:
            arrivals.setdefault((entry.destination, entry.flow), []).append(entry)
        for entry in sorted(self.entries, key=lambda one: one.step):
            before = [other for other in arrivals.get((entry.source, entry.flow), []) if other.step < entry.step]
            path = tuple(hop if isinstance(hop, tuple) else (hop, *self.vcs) for hop in entry.route)
            nodes[entry.source][entry.port].append(
                {"op": entry.op, "step": entry.step, "bytes": entry.bytes, "flow": entry.flow, **_relatives(entry, before),
                 "dependencies": len(before) if entry.dependencies is None else entry.dependencies,
                 "address": entry.address, "route": routes.setdefault(path, len(routes))})
        return {"schema": SCHEMA, "algorithm": self.algorithm, "collective": self.collective, "size": self.size,
                "element": 4, "steps": self.steps, "flows": 1 + max((entry.flow for entry in self.entries), default=-1),
                "ordered_by_lockstep": self.ordered_by_lockstep,
                "routes": [[{"out_port": port, "vcs": [first, end]} for port, first, end in path] for path in routes],
                "nodes": [{"ports": ports} for ports in nodes]}

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict())

    def write(self, path: str | os.PathLike[str]) -> None:
        """A file for collective.file."""
        write_text(path, self.to_json())


def _relatives(entry: Entry, before: Sequence[Entry]) -> dict[str, Any]:
    """Parent and children of a message, given those of its flow that arrived before."""
    if entry.op == "reduce":
        children = entry.children
        if children is None:
            children = [other.source for other in before if other.op == "reduce"]
        return {"parent": entry.destination, "children": list(children)}
    parent = entry.parent
    if parent is None:
        parent = next((other.source for other in reversed(before) if other.op == "gather"), None)
    return {"parent": parent, "children": [entry.destination]}
