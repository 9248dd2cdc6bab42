"""Schedules that are built in Python: tables for the ports of all network interfaces, to be run with `algorithm:
file`."""

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


# A hop is a node's output port; it may also name the virtual channels [first, end) that the message may use.
Hop = Union[int, tuple[int, int, int]]


@dataclasses.dataclass
class Entry:
    """A message that a port sends in a timestep.

    `op` is "reduce" (the destination adds the partial sum to its own) or "gather" (it stores the final value). `route`
    has one hop for each node of the path; the destination's hop is its number of channels plus the receiving port.
    Fields that are None are derived from the messages of the same flow that arrive in earlier timesteps: their number
    (dependencies), the senders of the sums that are included (children), and the sender of the value (parent).
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
    """A collective as messages between accelerators; collective.file reads the output of to_json()."""

    def __init__(self, accelerators: int, size: int, collective: str = "all_reduce", ports: int = 1,
                 algorithm: str = "python", vcs: tuple[int, int] = (0, 1), ordered_by_lockstep: bool = False):
        """`size` is the number of bytes of the whole buffer; `vcs` are the virtual channels [first, end) of every
        hop."""
        self.accelerators = accelerators
        self.size = size
        self.collective = collective
        self.ports = ports
        self.algorithm = algorithm
        self.vcs = vcs
        self.ordered_by_lockstep = ordered_by_lockstep
        self.entries: list[Entry] = []

    def reduce(self, source: int, destination: int, **entry: Any) -> Entry:
        """Adds a message with data that the destination adds to its own; see Entry."""
        self.entries.append(Entry("reduce", source, destination, **entry))
        return self.entries[-1]

    def gather(self, source: int, destination: int, **entry: Any) -> Entry:
        """Adds a message with data that the destination stores; see Entry."""
        self.entries.append(Entry("gather", source, destination, **entry))
        return self.entries[-1]

    @property
    def steps(self) -> int:
        """The number of timesteps."""
        return max((entry.step for entry in self.entries), default=0)

    def table(self) -> pandas.DataFrame:
        """A table with one row per message."""
        import pandas
        return pandas.DataFrame([dataclasses.asdict(entry) for entry in self.entries])

    def to_dict(self) -> dict[str, Any]:
        """The schedule in the schema coppice.schedule/1, with each port's messages in timestep order."""
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
        """The schedule as a JSON string."""
        return json.dumps(self.to_dict())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a file for collective.file."""
        write_text(path, self.to_json())


def _relatives(entry: Entry, before: Sequence[Entry]) -> dict[str, Any]:
    """A message's parent and children, given the earlier arrivals of its flow."""
    if entry.op == "reduce":
        children = entry.children
        if children is None:
            children = [other.source for other in before if other.op == "reduce"]
        return {"parent": entry.destination, "children": list(children)}
    parent = entry.parent
    if parent is None:
        parent = next((other.source for other in reversed(before) if other.op == "gather"), None)
    return {"parent": parent, "children": [entry.destination]}
