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
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.logger import Logger
from threadpoolctl import threadpool_limits

from cyberdeck import CyberdeckError
from cyberdeck.common.brought import in_words
from cyberdeck.common.files import make_folder, remove_leftovers, write_whole
from cyberdeck.common.text import table, tell
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.variant import Variant
from cyberdeck.evaluation import Evaluation, evaluate
from cyberdeck.players import Player, find_player, player_names
from cyberdeck.views.kept import SHOWN
from cyberdeck_training import algorithms, checkpoints, records, report, runs
from cyberdeck_training.networks import Learned, Module, load
from cyberdeck_training.selfplay import Pool
from cyberdeck_training.settings import RunSettings
from cyberdeck_training.values import PRECISIONS

#: Players that a report compares with, where a game has them.
_REFERENCES: Final = ("heuristic", "baseline", "optimal")

#: As many deals tell how strong they are; exact play takes its time.
REFERENCE_DEALS: Final = 100

#: What the run itself and stable-baselines3 record, by what their names begin with.
_RECORDED: Final = ("train", "games", "evaluation")


def begin(config: RunSettings, folder: Path, command: Sequence[str] = ()) -> Evaluation:
    """Train in the new, empty *folder*; returns how the policy did at the end."""
    with runs.locked(folder), _full_disk_explained(folder):
        runs.describe(config, folder, runs.new_info(config, shlex.join(command)))
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
            run.pool.restore(state.pool, run.core)
            checkpoints.restore(last, state, run.model, run.envs)
        run.open_logs()
        # They were of a shorter run.
        for name in (runs.TABLE, runs.RESULT, runs.FINAL, runs.EXPLOITED):
            (folder / name).unlink(missing_ok=True)
        runs.describe(config, folder, runs.resumed_info(config, info, done))
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
        self.core: GameBatch = self.envs.unwrapped.core  # type: ignore[attr-defined]  # of ``SB3VecEnv``
        self.pool.deal(self.core, 1.0)
        self.model = self.recipe.make_learner(self.envs)
        self.callbacks = self.recipe.callbacks
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        self.games: Any = records.GameCounts(config.variant)
        self.began = self.marked = self.saved = time.perf_counter()
        #: Whether a callback has ended the run, within a rollout, which no checkpoint has.
        self.stopped = False

    def open_logs(self) -> None:
        """The tables, new ones or cut back to where the checkpoint was."""
        folder, columns = self.folder, records.evaluation_columns(self.config.variant)
        self.curves = records.CsvLog(folder / "curves.csv", records.CURVES, self.state.curves)
        evaluations = self.state.evaluations
        self.evaluations = records.CsvLog(folder / "evaluations.csv", columns, evaluations)

    # --- the course of a run ---------------------------------------------------------------------

    def train(self) -> Evaluation:
        """All that is left to do; the final evaluation."""
        self.progress = records.Progress(self.config.decisions, self.model.num_timesteps)
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
        board = records.TensorBoardLog(self.folder / runs.TENSORBOARD, purge)
        with closing(board) as self.tensorboard:
            if self.fresh:
                self.measure()
            self._measure_references()
            self.began = self.marked = time.perf_counter()
            self.recipe.learn(self)
            if self.state.measured < model.num_timesteps:
                self.measure()
                if not self.stopped:  # nothing was left to learn
                    self.save()

    def callback(self) -> BaseCallback:
        """Keeps the run up to date while a model of stable-baselines3 learns; then those that the
        configuration names are called, which find all that has been recorded.
        """
        for each in self.callbacks:  # as if the run had not been interrupted
            each.n_calls = self.model.num_timesteps // self.config.num_envs
        return CallbackList([_Callback(self), *self.callbacks])

    def updated(self) -> None:
        """After each update, before the next rollout."""
        model, now, state = self.model, time.perf_counter(), self.state
        state.updates += 1
        games, met = self.games.take()
        self.pool.record(met)
        line = {
            "update": state.updates,
            "decisions": model.num_timesteps,
            "seconds": round(self._seconds(), 3),
            "decisions_per_second": round(self.config.rollout / (now - self.marked)),
            **games,
            **records.learning(model.logger.name_to_value),
        }
        self.marked = now
        for name, value in model.logger.name_to_value.items():
            if name.partition("/")[0] not in _RECORDED and isinstance(value, (int, float)):
                self.tensorboard.add(name, value, model.num_timesteps)  # a callback has recorded it
        self.curves.add(line)
        for name, value in line.items():
            if name not in ("update", "decisions"):
                if name in records.LEARNING:  # which the logger has already
                    self.tensorboard.add(f"learning/{name}", value, model.num_timesteps)
                else:
                    self._record(f"games/{name}", value, model.num_timesteps)
        model.logger.dump(model.num_timesteps)  # what was logged is of this update
        self.progress.update(model.num_timesteps, games)
        self.pool.add_past(self.learned, state.updates)
        self.pool.deal(self.core, 1 - model.num_timesteps / self.config.total_timesteps)
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
                self._record(where, line[name], decisions)
        self.model.logger.dump(decisions)
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

    def _record(self, name: str, value: float, decisions: int) -> None:
        """For TensorBoard, and for what callbacks have put beside it."""
        self.tensorboard.add(name, value, decisions)
        self.model.logger.record(name, value)

    def _measure_references(self) -> None:
        """What others reach on the deals that progress is measured on, if that is not known yet."""
        path = self.folder / runs.REFERENCES
        if path.exists():
            return
        deals, every = min(self.config.evaluation.deals, REFERENCE_DEALS), []
        for name in references(self.config.variant):
            with suppress(CyberdeckError):  # it may not play with these options
                player = copy.copy(find_player(self.config.variant, name))
                # The opponents keep the names that they have in evaluations.
                player.name = runs.TRAINED
                result = self._evaluated(player, deals, self.config.evaluation_seed)
                every.append((0, name, result))
                self.progress.evaluated(result, who=name)
        records.write_evaluations(path, self.config.variant, every)

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
        every = [(decisions, runs.TRAINED, result), (0, runs.BEFORE, untrained)]
        records.write_evaluations(self.folder / runs.FINAL, self.config.variant, every)
        checkpoints.write_packed(self.folder / runs.MODEL, self.model.save)
        rows = [[each.player, *records.measured(each).values()] for each in (result, untrained)]
        said = f"{result.table()}\n\n{table(['', *records.measured(result)], rows)}\n"
        write_whole(self.folder / runs.TABLE, said)
        result.save_json(self.folder / runs.RESULT)
        self._export()
        self.recipe.finish(self, result)
        made = {"finished": runs.now(), "decisions": decisions, "seconds": round(seconds, 1)}
        info = runs.read_info(self.folder).model_copy(update=made)
        runs.describe(self.config, self.folder, info)
        report.write(self.folder)
        return result

    def _export(self) -> None:
        """As ONNX the best policy too, where its own file cannot be played without its code."""
        best = load(self.folder / runs.BEST, self.config)
        if isinstance(best, Module):
            try:
                write_whole(self.folder / runs.ONNX, best.onnx())
            except Exception as error:  # of somebody's code, or of what PyTorch does not know
                tell(f"{runs.ONNX} is not written: {in_words(error)}")

    # --- parts -----------------------------------------------------------------------------------

    def learned(self) -> Learned:
        """What is learned by now. As an opponent it plays as it does while it learns."""
        policy = self.recipe.network(self.model)
        policy.greedy, policy.name = False, runs.TRAINED
        return policy

    def counted(self, games: int) -> None:
        """A measurement goes on, and has played so many games."""
        self.progress.measuring(games)

    def _finally(self, file: str, name: str) -> Evaluation:
        """How a policy of the folder does on the deals that the result is measured on."""
        policy = load(self.folder / file, self.config)
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
        self._under_way = False

    def _on_rollout_start(self) -> None:
        if self._begun:
            self._run.updated()
        elif self._run.fresh:  # games are dealt, nothing is learned
            self._run.save()
        self._begun = self._under_way = True

    def _on_step(self) -> bool:
        run = self._run
        run.progress.advance(run.model.num_timesteps)
        dones = self.locals["dones"]
        if dones.any():
            run.games.add(run.core.rows[dones])
        return True

    def _on_rollout_end(self) -> None:
        self._under_way = False

    def _on_training_end(self) -> None:
        self._run.stopped = self._under_way
        if self._begun and not self._under_way:
            self._run.updated()


def references(variant: Variant) -> list[str]:
    """Who else is measured once, for a report to compare with."""
    return [name for name in _REFERENCES if name in player_names(variant)]
