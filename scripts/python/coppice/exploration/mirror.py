"""Stores the search as an Optuna study in the search's database, for Optuna's tools: each finished point becomes a
trial. It is written at the end of a call, so points do not wait for it."""

from __future__ import annotations

import time
import warnings
from typing import Any

from coppice.exploration import search
from coppice.exploration.ledger import DONE, Point, is_conflict
from coppice.exploration.space import Space


class Mirror:
    """A search's Optuna study, in the search's database."""

    def __init__(self, space: Space, url: str, study: str):
        self.space = space
        self.url = url
        self.name = study
        self._study: Any = None

    def study(self) -> Any:
        if self._study is None:
            import optuna
            optuna.logging.set_verbosity(optuna.logging.ERROR)
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            arguments = {"connect_args": {"timeout": 120}} if self.url.startswith("sqlite") else {}
            for attempt in range(20):
                try:
                    storage = optuna.storages.RDBStorage(self.url, engine_kwargs=arguments)
                    self._study = optuna.create_study(storage=storage, study_name=self.name, load_if_exists=True,
                                                      directions=search.directions(self.space))
                    break
                except Exception as error:
                    if attempt == 19 or not is_conflict(error):
                        raise
                    time.sleep(0.1 * (attempt + 1))
        return self._study

    def complete(self, points: list[Point]) -> None:
        """Adds the points of the first fidelity that the study does not yet have."""
        study = self.study()
        known = {trial.user_attrs.get("point") for trial in study.get_trials(deepcopy=False)}
        distributions = search.distributions(self.space)
        for point in points:
            if point.state == DONE and point.level == 0 and point.point not in known:
                study.add_trial(search.finished_trial(self.space, distributions, point))
