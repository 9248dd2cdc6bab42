"""Coppice from Python: run configurations, sweep over them, build schedules, read results as tables.

>>> import coppice
>>> result = coppice.run("torus_4x4.yaml", **{"collective.algorithm": "ring"})
>>> result.cycles, result.efficiency, result.link_utilization.mean
"""

from coppice.command import CoppiceError, find_command, version
from coppice.config import Config
from coppice.result import Result
from coppice.runs import bound, compile_schedule, run, sweep, traffic
from coppice.schedule import Entry, Schedule

__all__ = ["Config", "CoppiceError", "Entry", "Result", "Schedule", "bound", "compile_schedule", "find_command", "run",
           "sweep", "traffic", "version"]
