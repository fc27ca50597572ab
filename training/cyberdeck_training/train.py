"""Training runs: begin one, go on with one that was interrupted.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> from cyberdeck_training import config, train
>>> with TemporaryDirectory() as folder:  # doctest: +SKIP
...     chosen = config.load("hackthegrid", ["total_timesteps=100000"])
...     train.begin(chosen, Path(folder))
"""

from __future__ import annotations

import copy
import errno
import math
import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv
from threadpoolctl import threadpool_limits

from cyberdeck import CyberdeckError
from cyberdeck.api.export import network
from cyberdeck.api.sb3 import SB3VecEnv
from cyberdeck.common.files import make_folder, remove_leftovers, write_whole
from cyberdeck.common.text import tell
from cyberdeck.engine.policy import BUILT_IN
from cyberdeck.engine.variant import Variant
from cyberdeck.evaluation import Evaluation, evaluate
from cyberdeck.evaluation.games import measure_of
from cyberdeck.evaluation.match import judged
from cyberdeck.players import Player, find_player, player_names
from cyberdeck.players.beliefs import Filter
from cyberdeck.players.networks import Network, OthersSeen, load
from cyberdeck.views.kept import SHOWN
from cyberdeck_training import (
    algorithms,
    checkpoints,
    critics,
    exploit,
    names,
    records,
    report,
    runs,
)
from cyberdeck_training.config import Config
from cyberdeck_training.device_ppo import DevicePPO
from cyberdeck_training.frames import BelievedViews, LastObservations
from cyberdeck_training.labelled import Labelled
from cyberdeck_training.progress import Progress, measured
from cyberdeck_training.selfplay import Pool
from cyberdeck_training.targets import Labels

#: The info of a game that has come to its own end.
_UNTOLD: Final = {"TimeLimit.truncated": False}

#: What the name of a policy in a table is while it learns.
_NAME: Final = "trained"

#: And what the one is called that it was before its first update.
_UNTRAINED: Final = "untrained"

#: Players that a report compares with, where a game has them.
_REFERENCES: Final = ("heuristic", "baseline", "optimal")

#: As many deals tell how strong they are; exact play takes its time.
REFERENCE_DEALS: Final = 100


@dataclass(frozen=True)
class Trained(Evaluation):
    """How a policy did at the end; its table says as well how it did before it learned anything."""

    untrained: Evaluation | None = None
    """The policy of step 0 on the same deals; None of a run that has not kept it."""

    def _tables(self) -> list[tuple[Sequence[str], Sequence[Sequence[str]]]]:
        tables = super()._tables()
        if self.untrained is not None:
            both = [(each.player, measured(each)) for each in (self, self.untrained)]
            rows = [[player, *reached.values()] for player, reached in both]
            tables.insert(1, (["", *measured(self)], rows))
        return tables


def begin(config: Config, folder: Path, command: Sequence[str] = ()) -> Evaluation:
    """Train in the new, empty *folder*; returns how the policy did at the end."""
    with runs.locked(folder), _full_disk_explained(folder):
        write_whole(folder / runs.CONFIG, config.text())
        runs.new_info(config, shlex.join(command)).write(folder)
        made = _Run if config.device is None else _DeviceRun
        return made(config, folder).train()


def resume(config: Config, folder: Path) -> Evaluation:
    """Go on with a run from its last checkpoint, as if it had not been interrupted."""
    with runs.locked(folder), _full_disk_explained(folder):
        remove_leftovers(folder)
        last = checkpoints.last(folder / runs.CHECKPOINTS)
        if config.device is not None:
            raise runs.RunError(
                f"{folder} is a run on a device, which has no checkpoints. Begin anew: "
                f"cyberdeck train {folder / runs.CONFIG}"
            )
        if last is None:
            raise runs.RunError(
                f"{folder} has no checkpoint: the run was stopped before its first. Begin anew: "
                f"cyberdeck train {folder / runs.CONFIG}"
            )
        info = runs.read_info(folder)
        state = checkpoints.read(last)
        done = int(state["num_timesteps"])
        # The report is written last: without it, the end is to be made again.
        finished = info.finished and (folder / "report.html").is_file()
        if finished and config.total_timesteps <= done:
            raise runs.RunError(
                f"{folder} is finished: to train further, name more, such as "
                f"total_timesteps={2 * config.total_timesteps}"
            )
        if config.total_timesteps < done and not info.finished:
            raise runs.RunError(
                f"{folder} has made {done} timesteps: total_timesteps={config.total_timesteps} is "
                "less; name as many or more"
            )
        run = _Run(config, folder, (last, state))
        # They were of a shorter run.
        for name in ("evaluation.txt", runs.RESULT, runs.EXPLOITED):
            (folder / name).unlink(missing_ok=True)
        here = runs.new_info(config, info.command)
        resumed = runs.Resume(
            at=here.started, decisions=done, versions=here.versions, revision=here.revision
        )
        write_whole(folder / runs.CONFIG, config.text())
        info = info.model_copy(update={"finished": None, "resumes": [*info.resumes, resumed]})
        info.write(folder)
        return run.train()


@contextmanager
def _full_disk_explained(folder: Path) -> Iterator[None]:
    """What to do about it, in one error."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        then = "make room, then begin anew"
        if (folder / runs.CONFIG).is_file():
            then += f": cyberdeck train {folder / runs.CONFIG}"
        if checkpoints.last(folder / runs.CHECKPOINTS) is not None:
            then = (
                "the last checkpoint is whole: make room, then go on: "
                f"cyberdeck train --resume {folder}"
            )
        what = error.filename or folder
        raise runs.RunError(f"{what} cannot be written ({error.strerror}); {then}") from None


class _Run:
    """A run under way."""

    progress: Progress
    tensorboard: records.TensorBoardLog

    def __init__(
        self, config: Config, folder: Path, kept: tuple[Path, dict[str, Any]] | None = None
    ) -> None:
        """A new run, or one that goes on from a checkpoint and its state."""
        import torch

        torch.set_num_threads(config.threads)
        torch.set_float32_matmul_precision(names.PRECISIONS[config.precision])
        # NumPy's products, of the opponents, are small: two threads would wait for each other.
        threadpool_limits(1, "blas")
        self.config, self.folder, self.variant = config, folder, config.variant
        self.judged = judged(self.variant)
        self.pool = Pool(config, folder / runs.SELVES)
        self.envs = _envs(config, self.pool)
        self.model = algorithms.make(config, self.envs)
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        measure = measure_of(self.variant)
        outcome = self.judged is self.variant and measure == "points"
        self.counts: Any = records.GameCounts(outcome, self.variant.sides)
        self.began = self.marked = time.perf_counter()
        self.fresh = kept is None
        checkpoint, state = kept or (None, {})
        self.updates: int = state.get("updates", 0)
        self.seconds: float = state.get("seconds", 0.0)
        self.spent = self.seconds  # up to the last checkpoint
        self.best: float = state.get("best", -math.inf)
        self.measured: int = state.get("measured", -1)
        if checkpoint is None:
            self.pool.start(self.learned())
        else:
            with checkpoints.damage_told(checkpoint):
                checkpoints.restore_learner(checkpoint, self.model)
                self.pool.restore(state["pool"])
                checkpoints.restore_games(checkpoint, state, self.model, self.envs)
        solitaire = self.variant.seats == 1
        metrics = tuple(metric.name for metric in self.variant.game.metrics) if solitaire else ()
        columns = records.evaluation_columns(measure, metrics)
        self.curves = records.CsvLog(folder / "curves.csv", records.CURVES, state.get("curves"))
        self.evaluations = records.CsvLog(
            folder / "evaluations.csv", columns, state.get("evaluations")
        )
        self.saved = time.perf_counter()

    # --- the course of a run ---------------------------------------------------------------------

    def train(self) -> Evaluation:
        """All that is left to do; the final evaluation."""
        self.progress = Progress(self.config.decisions, self.model.num_timesteps)
        try:
            self._learn()
            return self._finish()
        except KeyboardInterrupt:
            report.write(self.folder)
            raise
        finally:
            for each in (self.progress, self.curves, self.evaluations):
                each.close()

    def _learn(self) -> None:
        model = self.model
        # What came after the checkpoint comes again.
        purge = None if self.fresh else model.num_timesteps + 1
        shown = records.TensorBoardLog(self.folder / runs.TENSORBOARD, purge)
        with closing(shown) as self.tensorboard:
            if self.fresh:
                self.measure()
            self._measure_references()
            self.began = self.marked = time.perf_counter()
            self._go_on()
            if self.measured < model.num_timesteps:  # nothing was left to learn
                self.measure()
                self.save()

    def _go_on(self) -> None:
        """Play and learn until nothing is left to do."""
        self.model.learn(
            self.config.total_timesteps - self.model.num_timesteps,
            callback=_Callback(self),
            log_interval=None,
            reset_num_timesteps=self.fresh,
        )

    def first(self) -> None:
        """Before the first rollout: games are dealt, nothing is learned."""
        if self.fresh:
            self.save()

    def updated(self) -> None:
        """After each update, before the next rollout."""
        model, now = self.model, time.perf_counter()
        self.updates += 1
        games, met = self.counts.take()
        self.pool.record(met)
        line = {
            "update": self.updates,
            "decisions": model.num_timesteps,
            "seconds": round(self.seconds + now - self.began, 3),
            "decisions_per_second": round(self.config.rollout / (now - self.marked)),
            **games,
            **records.learning(model.logger.name_to_value),
        }
        model.logger.dump(model.num_timesteps)  # to nowhere: what was logged is of this update
        self.marked = now
        self.curves.add(line)
        for name, value in line.items():
            if name not in ("update", "decisions"):
                group = "learning" if name in records.LEARNING else "games"
                self.tensorboard.add(f"{group}/{name}", value, model.num_timesteps)
        self.progress.update(model.num_timesteps, games)
        self.pool.add_past(self.learned, self.updates)
        every = self.config.evaluation.every
        over = model.num_timesteps >= self.config.total_timesteps
        due = model.num_timesteps // every > self.measured // every
        if due or over:
            self.measure()
        if due or over or now - self.saved >= self.config.checkpoint:
            self.save()

    def measure(self) -> None:
        """Play against the anchors; keep the policy, and the best so far."""
        decisions = self.model.num_timesteps
        learned = self.learned()
        learned.greedy = self.config.evaluation.greedy
        learned.save(self.folder / runs.LAST)
        if not decisions:
            learned.save(self.folder / runs.UNTRAINED)
        if self.config.evaluation.keep:
            make_folder(self.folder / runs.POLICIES)
            learned.save(self.folder / runs.POLICIES / f"{decisions:012}.safetensors")
        seed = runs.evaluation_seed(self.config)
        result = self._evaluated(learned, self.config.evaluation.deals, seed)
        for line in records.evaluation_lines(decisions, "last", result):
            self.evaluations.add(line)
            for name in (result.measure, *result.metrics):
                where = f"evaluation/{name}-{line['opponent']}".rstrip("-")
                self.tensorboard.add(where, line[name], decisions)
        # Who is best: by the anchor that it does worst against, so that none makes up for another.
        # A responder is to gain rewards, which may not be those of winning most games.
        gained = "reward" if self.config.objective == names.EXPLOIT else result.measure
        worst = min(getattr(record, gained).value for record in result.overall)
        best = worst >= self.best
        if best:
            self.best = worst
            learned.save(self.folder / runs.BEST)
        self.progress.evaluated(result, best)
        self._keep_replays(result, decisions)
        self.measured = decisions
        self.marked = time.perf_counter()

    def _measure_references(self) -> None:
        """What others reach on the deals that progress is measured on, if that is not known yet."""
        path = self.folder / runs.REFERENCES
        if path.exists():
            return
        deals = min(self.config.evaluation.deals, REFERENCE_DEALS)
        seed = runs.evaluation_seed(self.config)
        lines = []
        for name in references(self.variant):
            with suppress(CyberdeckError):  # it may not play with these options
                player = copy.copy(find_player(self.variant, name))
                player.name = _NAME  # the opponents keep the names that they have in evaluations
                result = self._evaluated(player, deals, seed)
                lines += records.evaluation_lines(0, name, result)
                self.progress.reference(name, result)
        write_whole(path, records.csv_text(self.evaluations.columns, lines))

    def save(self) -> None:
        """A checkpoint."""
        self.spent = self.seconds + time.perf_counter() - self.began
        state = {
            "updates": self.updates,
            "seconds": self.spent,
            "best": self.best,
            "measured": self.measured,
            "curves": self.curves.size,
            "evaluations": self.evaluations.size,
            "pool": self.pool.state(),
        }
        for log in (self.curves, self.evaluations, self.tensorboard):
            log.sync()
        checkpoints.save(self.folder / runs.CHECKPOINTS, self.model, self.envs, state)
        self.pool.prune()
        self.saved = time.perf_counter()

    def _finish(self) -> Evaluation:
        """Measure the best policy and the untrained one on other deals, write everything down."""
        seed = runs.final_seed(self.config)
        result = self._finally(runs.BEST, _NAME)
        if (self.folder / runs.UNTRAINED).is_file():  # older runs have none
            untrained = self._finally(runs.UNTRAINED, _UNTRAINED)
            untrained.save_json(self.folder / runs.UNTRAINED_RESULT)
            result = Trained(result.games, result.player, untrained=untrained)
        checkpoints.write_packed(self.folder / runs.MODEL, self.model.save)
        write_whole(self.folder / "evaluation.txt", result.table() + "\n")
        result.save_json(self.folder / runs.RESULT)
        if (player := self.config.exploited) is not None:
            done, told = self.model.num_timesteps, self.progress.measuring
            found = exploit.bound(player, result, done, seed, told)
            write_whole(self.folder / runs.EXPLOITED, found.text() + "\n")
        made = {"decisions": self.model.num_timesteps, "seconds": round(self.spent, 1)}
        info = runs.read_info(self.folder)
        info.model_copy(update={"finished": runs.now(), **made}).write(self.folder)
        report.write(self.folder)
        return result

    # --- parts -----------------------------------------------------------------------------------

    def learned(self) -> Network:
        """What is learned by now. As an opponent it plays as it does while it learns."""
        given = self.config.beliefs
        return network(
            critics.player(self.model),
            self.variant,
            greedy=False,
            name=_NAME,
            history=self.config.history,
            beliefs=None if given is None else OthersSeen(given.player, given.limit),
        )

    def _finally(self, file: str, name: str) -> Evaluation:
        """How a policy of the folder does on the deals that the result is measured on."""
        policy = load(self.folder / file)
        policy.name = name
        seed = runs.final_seed(self.config)
        return self._evaluated(policy, self.config.evaluation.final_deals, seed)

    def _evaluated(self, player: Player, deals: int, seed: int) -> Evaluation:
        result = evaluate(
            self.judged,
            player,
            self.config.evaluation.opponents,
            deals=deals,
            seed=seed,
            keep_actions=True,
            progress=self.progress.measuring,
        )
        if result.games.interrupted:  # a part of it is no evaluation
            raise KeyboardInterrupt
        return result

    def _keep_replays(self, result: Evaluation, decisions: int) -> None:
        """The first game against each opponent."""
        games, folder = result.games, self.folder / runs.REPLAYS
        make_folder(folder)
        title = f"{self.variant.game.title} after {decisions:,} decisions"
        for number, name in enumerate(games.players):
            if number == 0 and len(games.players) > 1:
                continue
            replay = games.replay(int((games.lineups == number).any(axis=1).argmax()), title)
            kept = "".join(letter if letter.isalnum() or letter in "._" else "_" for letter in name)
            replay.save(folder / f"{decisions:012}-{kept}.json")
            if len(replay.actions) <= SHOWN:
                replay.write_html(folder / f"{decisions:012}-{kept}.html")


class _DeviceRun(_Run):
    """A run that is on one device as a whole."""

    def __init__(self, config: Config, folder: Path) -> None:
        super().__init__(config, folder)
        assert isinstance(self.counts, records.GameCounts)
        policy, outcome = self.model.policy, self.counts.outcome
        self.counts = self.learner = DevicePPO(config, policy, self.pool.entries, outcome)

    def _go_on(self) -> None:
        config, model, learner = self.config, self.model, self.learner
        assert config.device is not None
        seconds = config.device.seconds or math.inf
        while True:
            done = max(model.num_timesteps / config.total_timesteps, learner.seconds / seconds)
            if done >= 1:
                break
            for name, value in learner.iterate(1 - done).items():
                model.logger.record(records.LEARNING[name], value)
            model.num_timesteps += config.rollout
            self.updated()
        if config.device.profile:
            tell(learner.profile())
        learner.policy.cpu()

    def save(self) -> None:
        """None: the whole run takes minutes."""
        self.saved = time.perf_counter()
        self.spent = self.saved - self.began


class _Callback(BaseCallback):
    """Calls the run between an update and the next rollout."""

    def __init__(self, run: _Run) -> None:
        super().__init__()
        self._run = run
        self._begun = False  # a rollout
        self._labels: Labels | None = None

    def _on_rollout_start(self) -> None:
        if self._begun:
            self._run.updated()
        else:
            self._run.first()
        self._begun = True
        model = self._run.model
        if isinstance(model, Labelled):
            self._labels = model.labels(model.num_timesteps + model.n_envs * model.n_steps)
        if self._labels is not None:
            self._labels.follow(self._run.learned)
            self._labels.begin()

    def _on_step(self) -> bool:
        run = self._run
        run.progress.advance(run.model.num_timesteps)
        if self._labels is not None:
            self._labels.stepped(self.locals["n_steps"], self.locals["actions"])
        core: Any = run.envs.unwrapped.core  # type: ignore[attr-defined]  # of ``SB3VecEnv``
        dones = self.locals["dones"]
        if dones.any():
            run.counts.add(core.rows[dones])
        return True

    def _on_training_end(self) -> None:
        if self._begun:
            self._run.updated()


class _Games(SB3VecEnv):
    """Infos are of games alone that a limit has cut: all else is read where it lies."""

    def _last_infos(self, over: NDArray[np.int64]) -> list[dict[str, Any]]:
        rows, infos = self.core.rows, list[dict[str, Any]]()
        for row in over.tolist():
            cut = rows["truncated"][row] and not rows["terminated"][row]
            infos += super()._last_infos(np.array([row])) if cut else [_UNTOLD]
        return infos


def references(variant: Variant) -> list[str]:
    """Who else is measured once, for a report to compare with."""
    known = player_names(variant)
    return [name for name in _REFERENCES if name in known]


def _envs(config: Config, pool: Pool) -> VecEnv:
    variant = config.variant
    envs: VecEnv = _Games(
        variant,
        config.n_envs if config.device is None else 1,  # those on a device are apart
        seed=config.seed,
        seat="team" if variant.teams else None,  # one policy for all ships of a side
        opponent=pool.entries if variant.seats > 1 else None,
        threads=config.threads,
        history=config.beliefs is not None,
        illegal="raise" if names.ALGORITHMS[config.algorithm].masked else "lose",
    )
    if config.history > 1:
        envs = LastObservations(envs, config.history)
    if (beliefs := config.beliefs) is not None:
        envs = BelievedViews(envs, Filter(variant, BUILT_IN[beliefs.player], beliefs.limit))
    return envs if config.critic == names.OWN else critics.AllSeats(envs)
