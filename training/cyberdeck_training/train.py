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
import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from threadpoolctl import threadpool_limits

from cyberdeck import CyberdeckError
from cyberdeck.common.files import make_folder, remove_leftovers, write_whole
from cyberdeck.common.text import table
from cyberdeck.engine.variant import Variant
from cyberdeck.evaluation import Evaluation, evaluate
from cyberdeck.players import Player, find_player, player_names
from cyberdeck.players.networks import Network, load
from cyberdeck.views.kept import SHOWN
from cyberdeck_training import algorithms, checkpoints, records, report, runs
from cyberdeck_training.progress import Progress, measured
from cyberdeck_training.selfplay import Pool
from cyberdeck_training.settings import RunSettings
from cyberdeck_training.values import PRECISIONS

#: Players that a report compares with, where a game has them.
_REFERENCES: Final = ("heuristic", "baseline", "optimal")

#: As many deals tell how strong they are; exact play takes its time.
REFERENCE_DEALS: Final = 100


def begin(config: RunSettings, folder: Path, command: Sequence[str] = ()) -> Evaluation:
    """Train in the new, empty *folder*; returns how the policy did at the end."""
    with runs.locked(folder), _full_disk_explained(folder):
        write_whole(folder / runs.CONFIG, config.text())
        runs.new_info(config, shlex.join(command)).write(folder)
        run = Run(config, folder)
        run.pool.start(run.learned())
        run.open_logs()
        return run.train()


def resume(config: RunSettings, folder: Path) -> Evaluation:
    """Go on with a run from its last checkpoint, as if it had not been interrupted."""
    with runs.locked(folder), _full_disk_explained(folder):
        remove_leftovers(folder)
        last = checkpoints.last(folder / runs.CHECKPOINTS)
        if last is None:
            raise runs.RunError(
                f"{folder} has no checkpoint: the run was stopped before its first, or its "
                f"algorithm makes none. Begin anew: cyberdeck train {folder / runs.CONFIG}"
            )
        info, state = runs.read_info(folder), checkpoints.read(last)
        done = state.num_timesteps
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
        run = Run(config, folder, state)
        with checkpoints.damage_told(last):
            run.pool.restore(state.pool)
            checkpoints.restore(last, state, run.model, run.envs)
        run.open_logs()
        # They were of a shorter run.
        for name in (runs.TABLE, runs.RESULT, runs.FINAL, runs.EXPLOITED):
            (folder / name).unlink(missing_ok=True)
        write_whole(folder / runs.CONFIG, config.text())
        runs.resumed_info(config, info, done).write(folder)
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


class Run:
    """A run under way: all of it but how it learns, which is its recipe's."""

    def __init__(
        self, config: RunSettings, folder: Path, state: checkpoints.State | None = None
    ) -> None:
        """A new run, or one that is to go on from the *state* of a checkpoint."""
        torch.set_num_threads(config.threads)
        torch.set_float32_matmul_precision(PRECISIONS[config.precision])
        # NumPy's products, of the opponents, are small: two threads would wait for each other.
        threadpool_limits(1, "blas")
        self.config, self.folder, self.fresh = config, folder, state is None
        self.state = state or checkpoints.State()
        self.recipe = algorithms.recipe_of(config)
        self.pool = Pool(config, folder / runs.SELVES, self.recipe.history)
        self.envs = self.recipe.envs(self.pool)
        self.model = self.recipe.make_learner(self.envs)
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        self.games: Any = records.GameCounts(config.variant)
        self.began = self.marked = self.saved = time.perf_counter()

    def open_logs(self) -> None:
        """The tables, new ones or cut back to where the checkpoint was."""
        state, columns = self.state, records.evaluation_columns(self.config.variant)
        self.curves = records.CsvLog(self.folder / "curves.csv", records.CURVES, state.curves)
        self.evaluations = records.CsvLog(
            self.folder / "evaluations.csv", columns, state.evaluations
        )

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
            self.recipe.learn(self)
            if self.state.measured < model.num_timesteps:  # nothing was left to learn
                self.measure()
                self.save()

    def callback(self) -> BaseCallback:
        """Keeps the run up to date while a model of stable-baselines3 learns."""
        return _Callback(self)

    def updated(self) -> None:
        """After each update, before the next rollout."""
        model, now, state = self.model, time.perf_counter(), self.state
        state.updates += 1
        games, met = self.games.take()
        self.pool.record(met)
        line = {
            "update": state.updates,
            "decisions": model.num_timesteps,
            "seconds": round(state.seconds + now - self.began, 3),
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
        self.pool.add_past(self.learned, state.updates)
        every = self.config.evaluation.every
        over = model.num_timesteps >= self.config.total_timesteps
        due = model.num_timesteps // every > state.measured // every
        if due or over:
            self.measure()
        if due or over or now - self.saved >= self.config.checkpoint:
            self.save()

    def measure(self) -> None:
        """Play against the anchors; keep the policy, and the best so far."""
        config, state, decisions = self.config, self.state, self.model.num_timesteps
        learned = self.learned()
        learned.greedy = config.evaluation.greedy
        learned.save(self.folder / runs.LAST)
        if not decisions:
            learned.save(self.folder / runs.UNTRAINED)
        if config.evaluation.keep:
            make_folder(self.folder / runs.POLICIES)
            learned.save(self.folder / runs.POLICIES / f"{decisions:012}.safetensors")
        result = self._evaluated(learned, config.evaluation.deals, config.evaluation_seed)
        for line in records.evaluation_lines(decisions, "last", result):
            self.evaluations.add(line)
            for name in (result.measure, *result.metrics):
                where = f"evaluation/{name}-{line['opponent']}".rstrip("-")
                self.tensorboard.add(where, line[name], decisions)
        # Who is best: by the anchor that it does worst against, so that none makes up for another.
        gained = self.recipe.maximizes or result.measure
        worst = min(getattr(record, gained).value for record in result.overall)
        best = worst >= state.best
        if best:
            state.best = worst
            learned.save(self.folder / runs.BEST)
        self.progress.evaluated(result, best)
        self._keep_replays(result, decisions)
        state.measured = decisions
        self.marked = time.perf_counter()

    def _measure_references(self) -> None:
        """What others reach on the deals that progress is measured on, if that is not known yet."""
        path = self.folder / runs.REFERENCES
        if path.exists():
            return
        deals, lines = min(self.config.evaluation.deals, REFERENCE_DEALS), []
        for name in references(self.config.variant):
            with suppress(CyberdeckError):  # it may not play with these options
                player = copy.copy(find_player(self.config.variant, name))
                # The opponents keep the names that they have in evaluations.
                player.name = runs.TRAINED
                result = self._evaluated(player, deals, self.config.evaluation_seed)
                lines += records.evaluation_lines(0, name, result)
                self.progress.evaluated(result, who=name)
        write_whole(path, records.csv_text(self.evaluations.columns, lines))

    def save(self) -> None:
        """A checkpoint, if the recipe can go on from one."""
        if not self.recipe.resumes:
            return
        for log in (self.curves, self.evaluations, self.tensorboard):
            log.sync()
        files = {"curves": self.curves.size, "evaluations": self.evaluations.size}
        kept = {"seconds": self._seconds(), "pool": self.pool.state(), **files}
        state = self.state.model_copy(update=kept)
        checkpoints.save(self.folder / runs.CHECKPOINTS, self.model, self.envs, state)
        self.pool.prune()
        self.saved = time.perf_counter()

    def _seconds(self) -> float:
        """That were spent learning and measuring, before and after the last interruption."""
        return self.state.seconds + time.perf_counter() - self.began

    def _finish(self) -> Evaluation:
        """Measure the best policy and the untrained one on other deals, write everything down."""
        seconds = self._seconds()
        untrained = self._finally(runs.UNTRAINED, runs.BEFORE)
        untrained.save_json(self.folder / runs.UNTRAINED_RESULT)
        result = self._finally(runs.BEST, runs.TRAINED)
        decisions = self.model.num_timesteps
        lines = records.evaluation_lines(decisions, runs.TRAINED, result)
        lines += records.evaluation_lines(0, runs.BEFORE, untrained)
        write_whole(self.folder / runs.FINAL, records.csv_text(self.evaluations.columns, lines))
        checkpoints.write_packed(self.folder / runs.MODEL, self.model.save)
        rows = [[each.player, *measured(each).values()] for each in (result, untrained)]
        said = f"{result.table()}\n\n{table(['', *measured(result)], rows)}\n"
        write_whole(self.folder / runs.TABLE, said)
        result.save_json(self.folder / runs.RESULT)
        self.recipe.finish(self, result)
        made = {"decisions": decisions, "seconds": round(seconds, 1)}
        info = runs.read_info(self.folder)
        info.model_copy(update={"finished": runs.now(), **made}).write(self.folder)
        report.write(self.folder)
        return result

    # --- parts -----------------------------------------------------------------------------------

    def learned(self) -> Network:
        """What is learned by now. As an opponent it plays as it does while it learns."""
        network = self.recipe.network(self.model)
        network.greedy, network.name = False, runs.TRAINED
        return network

    def counted(self, games: int) -> None:
        """A measurement goes on, and has played so many games."""
        self.progress.measuring(games)

    def _finally(self, file: str, name: str) -> Evaluation:
        """How a policy of the folder does on the deals that the result is measured on."""
        policy = load(self.folder / file)
        policy.name = name
        return self._evaluated(policy, self.config.evaluation.final_deals, self.config.final_seed)

    def _evaluated(self, player: Player, deals: int, seed: int) -> Evaluation:
        result = evaluate(
            self.config.variant,
            player,
            self.config.evaluation.opponents,
            deals=deals,
            seed=seed,
            keep_actions=True,
            progress=self.counted,
        )
        if result.games.interrupted:  # a part of it is no evaluation
            raise KeyboardInterrupt
        return result

    def _keep_replays(self, result: Evaluation, decisions: int) -> None:
        """The first game against each opponent."""
        games, folder = result.games, self.folder / runs.REPLAYS
        make_folder(folder)
        title = f"{self.config.variant.game.title} after {decisions:,} decisions"
        for number, name in enumerate(games.players):
            if number == 0 and len(games.players) > 1:
                continue
            replay = games.replay(int((games.lineups == number).any(axis=1).argmax()), title)
            kept = "".join(letter if letter.isalnum() or letter in "._" else "_" for letter in name)
            replay.save(folder / f"{decisions:012}-{kept}.json")
            if len(replay.actions) <= SHOWN:
                replay.write_html(folder / f"{decisions:012}-{kept}.html")


class _Callback(BaseCallback):
    """Calls the run between an update and the next rollout."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run
        self._begun = False  # a rollout

    def _on_rollout_start(self) -> None:
        if self._begun:
            self._run.updated()
        elif self._run.fresh:  # games are dealt, nothing is learned
            self._run.save()
        self._begun = True

    def _on_step(self) -> bool:
        run = self._run
        run.progress.advance(run.model.num_timesteps)
        core: Any = run.envs.unwrapped.core  # type: ignore[attr-defined]  # of ``SB3VecEnv``
        dones = self.locals["dones"]
        if dones.any():
            run.games.add(core.rows[dones])
        return True

    def _on_training_end(self) -> None:
        if self._begun:
            self._run.updated()


def references(variant: Variant) -> list[str]:
    """Who else is measured once, for a report to compare with."""
    return [name for name in _REFERENCES if name in player_names(variant)]
