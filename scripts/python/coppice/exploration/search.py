"""Chooses the next point: in order, at random, or with Optuna's NSGA-II or TPE.

Points are numbered. The choice of a point depends only on the seed, its number and the points before it; an interrupted
search therefore continues as if it had not been interrupted.
"""

from __future__ import annotations

import hashlib
import random
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from coppice.exploration.ledger import DONE, Candidate, Point
from coppice.exploration.located import SpaceError
from coppice.exploration.space import MOST_LISTED, SAMPLED, Genome, Space

DRAWS = 20  # samples that may be known points; after that, a new point near the last sample is sought
STEPS = 2000


def _seed(*parts: Any) -> int:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:4], "big")


class Listed:
    """Proposes every point of the space once, in order or in an order that the seed determines."""

    def __init__(self, space: Space, shuffled: bool):
        if space.combinations > MOST_LISTED:
            raise SpaceError(f"{space.path}: the space has {space.combinations:,} combinations, but a grid is limited "
                             f"to {MOST_LISTED:,}: write search.method random, nsga2 or tpe")
        self.order = list(space.grid())
        if shuffled:
            random.Random(space.search.seed).shuffle(self.order)
        self.space = space

    def know(self, points: Iterable[Point]) -> None:
        """Does nothing: proposals do not depend on results."""

    def propose(self, number: int, known: Mapping[str, str]) -> Candidate | None:
        while number < len(self.order):
            genome = self.order[number]
            point = self.space.point_id(genome)
            if point not in known:
                return Candidate(point, genome)
            number += 1
        return next((Candidate(point, genome) for genome in self.order
                     if (point := self.space.point_id(genome)) not in known), None)


class Drawn:
    """Samples random points of a space that is too large to enumerate."""

    def __init__(self, space: Space):
        self.space = space

    def know(self, points: Iterable[Point]) -> None:
        """Does nothing: proposals do not depend on results."""

    def propose(self, number: int, known: Mapping[str, str]) -> Candidate | None:
        source = random.Random(_seed(self.space.search.seed, number))
        for _ in range(STEPS):
            genome = tuple(source.randrange(len(key.values)) for key in self.space.keys)
            point = self.space.point_id(genome)
            if point not in known:
                return Candidate(point, genome)
        return None


class Sampled:
    """An Optuna sampler, and a study in memory with the points in the ledger."""

    def __init__(self, space: Space):
        import optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        self.optuna = optuna
        self.space = space
        self.distributions = distributions(space)
        self.study = optuna.create_study(directions=directions(space), sampler=self._sampler(space.search.seed))
        self._exhaustible = space.combinations <= MOST_LISTED

    def _sampler(self, seed: int) -> Any:
        def violations(trial: Any) -> list[float]:
            return trial.user_attrs.get("violations") or [0.0]
        samplers = self.optuna.samplers
        if self.space.search.method == "tpe":
            return samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=self.space.search.population,
                                       constraints_func=violations)
        return samplers.NSGAIISampler(seed=seed, population_size=self.space.search.population,
                                      constraints_func=violations)

    def know(self, points: Iterable[Point]) -> None:
        """Reports finished points to the sampler; points without results do not affect it."""
        for point in points:
            if point.state == DONE and point.record:
                self.study.add_trial(finished_trial(self.space, self.distributions, point))

    def propose(self, number: int, known: Mapping[str, str]) -> Candidate | None:
        FAIL = self.optuna.trial.TrialState.FAIL
        genome: Genome = ()
        for attempt in range(DRAWS):
            self.study.sampler = self._sampler(_seed(self.space.search.seed, number, attempt))
            trial = self.study.ask(self.distributions)
            genome = tuple(self._index(key, trial.params[key.name]) for key in self.space.keys)
            hints = dict(self.study._storage.get_trial(trial._trial_id).system_attrs)
            self.study.tell(trial, state=FAIL)  # the ledger, not this study, has the running points
            point = self.space.point_id(genome)
            if point not in known:
                return Candidate(point, genome, hints)
        return self._near(genome, hints, number, known)

    def _near(self, genome: Genome, hints: dict[str, Any], number: int, known: Mapping[str, str]) -> Candidate | None:
        """Finds a new point by a random walk from a sampled one."""
        source = random.Random(_seed(self.space.search.seed, number, "near"))
        here = list(genome)
        for _ in range(STEPS):
            place = source.randrange(len(here))
            here[place] = source.randrange(len(self.space.keys[place].values))
            point = self.space.point_id(tuple(here))
            if point not in known:
                return Candidate(point, tuple(here), hints)
        if self._exhaustible:
            for left in self.space.grid():
                if (point := self.space.point_id(left)) not in known:
                    return Candidate(point, left, hints)
        return None

    @staticmethod
    def _index(key: Any, value: Any) -> int:
        return int(value) if key.ordered else [str(v) for v in key.values].index(value)


def directions(space: Space) -> list[str]:
    return ["maximize" if objective.maximize else "minimize" for objective in space.objectives]


def distributions(space: Space) -> dict[str, Any]:
    """The keys as Optuna distributions: an index if the values are ordered, otherwise categories."""
    from optuna.distributions import CategoricalDistribution, IntDistribution
    return {key.name: IntDistribution(0, len(key.values) - 1) if key.ordered
            else CategoricalDistribution([str(value) for value in key.values]) for key in space.keys}


def finished_trial(space: Space, known: Mapping[str, Any], point: Point) -> Any:
    """A finished point as an Optuna trial."""
    import optuna
    assert point.record is not None
    params = {key.name: index if key.ordered else str(key.values[index]) for key, index in zip(space.keys, point.genome)}
    violations = point.record["violations"]
    return optuna.trial.create_trial(
        params=params, distributions=dict(known), values=point.record["objectives"],
        user_attrs={"point": point.point, "violations": violations},
        system_attrs={**point.hints, "constraints": violations or [0.0]})


def make(space: Space) -> Any:
    """Creates the search that the space specifies."""
    method = space.search.method
    if method in SAMPLED:
        return Sampled(space)
    if method == "random" and space.combinations > MOST_LISTED:
        return Drawn(space)
    return Listed(space, shuffled=method == "random")
