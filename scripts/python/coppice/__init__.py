"""Coppice for Python: runs configurations and sweeps, builds schedules, and reads results as tables.

>>> import coppice
>>> result = coppice.run("torus_4x4.yaml", collective={"algorithm": "ring", "size": 1 << 20})
>>> result.cycles, result.efficiency, result.link_utilization.mean
"""

from coppice.command import CoppiceError, CoppiceWarning, find_command, schema, version
from coppice.config import Config
from coppice.result import Comparison, Result
from coppice.runs import (bound, catalogue, chunks, compare, compile_schedule, convert, explore, layers, report, route, rtl, run,
                          run_all, schedule, sweep, topology, traffic)
from coppice.tables import Entry, Schedule

__all__ = ["Comparison", "Config", "CoppiceError", "CoppiceWarning", "Entry", "Result", "Schedule", "bound", "catalogue",
           "chunks", "compare", "compile_schedule", "convert", "explore", "find_command", "layers", "report", "route", "rtl",
           "run", "run_all", "schedule", "schema", "sweep", "topology", "traffic", "version"]
