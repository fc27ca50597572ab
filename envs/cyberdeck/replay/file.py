"""The replay itself: checked, played through, saved, loaded, and turned into pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from cyberdeck import showing
from cyberdeck.common import reading
from cyberdeck.common.files import make_folder, write_whole
from cyberdeck.common.text import printable, quoted
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import hidden_from
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, CyberdeckError, ReplayError
from cyberdeck.play.narrator import EVERYTHING, Decision, Onlooker
from cyberdeck.replay import checks
from cyberdeck.replay.checks import ENTRIES, Result
from cyberdeck.replay.frames import Frame, Item, Position, frames, onlookers, story
from cyberdeck.transformed import new_games
from cyberdeck.views import kept
from cyberdeck.views.kept import SHOWN

if TYPE_CHECKING:
    from cyberdeck.play.finished import Judged
    from cyberdeck.replay.film import Progress
    from cyberdeck.replay.prompts import Asked

#: Every option as it is by default.
NO_OPTIONS: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, init=False)
class Replay:
    """A finished game.

    Args:
        game: its name, see ``cyberdeck list``; or a ``Variant``, the game with its options.
        seed: as of ``Batch(game, 1, seed=seed)`` or ``env.reset(seed=seed)``. None only with a
            saved state to start from, whose own generator then goes on.
        actions: every seat's decisions in order, as in ``Batch`` with ``seat="every"``: by their
            numbers or in notation; -1 at the end: who had to decide resigned. The replay holds
            numbers.
        players: who played each seat.
        options: the game's own options. Those left out are filled in with their defaults.
        start: what ``reset(options=start)`` was given, if anything: a prescribed beginning, or
            ``{"state": saved}``.
        title, notes: anything you want to say.
        result: how it ended; checked against the rules when the replay is saved or loaded.
    """

    game: str
    seed: int | None
    actions: Sequence[int]
    players: Sequence[str]
    options: Mapping[str, Any]
    start: Mapping[str, Any] | None
    title: str
    notes: str
    result: Result | None
    variant: Variant = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        game: str | Variant,
        seed: int | None,
        actions: Sequence[int | str],
        players: Sequence[str] = (),
        options: Mapping[str, Any] = NO_OPTIONS,
        start: Mapping[str, Any] | None = None,
        title: str = "",
        notes: str = "",
        result: Result | None = None,
    ) -> None:
        variant, decided = checks.checked_variant(game, options), checks.checked_actions(actions)
        vars(self).update(
            game=variant.game.name,
            seed=checks.checked_seed(seed, start),
            players=checks.checked_players(players, variant),
            options=variant.options,
            start=checks.checked_start(start),
            title=checks.checked_text("title", title),
            notes=checks.checked_text("notes", notes, reading.LONGEST_TEXT, lines=True),
            result=checks.checked_result(result, variant),
            variant=variant,
            actions=decided,
        )
        vars(self)["actions"] = self._read(decided)

    # --- files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the replay as a JSON file; a game that the rules do not play is refused."""
        entries = {name: getattr(self, name) for name in ENTRIES}
        entries |= {"start": checks.start_to_json(self.start), "result": self.played()._asdict()}
        write_whole(path, kept.lines(entries).encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a replay and play it through; ``ReplayError`` says what is wrong with a file.

        The file may come from anybody: it runs no code.
        """
        try:
            entries = checks.read_entries(Path(path))
            replay = cls(**entries)
            variant, ended = replay.variant, replay.played()
            known = {"game": variant, "options": NO_OPTIONS, "actions": replay.actions}
            return cls(**{**entries, **known, "result": ended})
        except ReplayError as error:
            raise ReplayError(printable(f"{os.fspath(path)}: {error}")) from None

    # --- playing ---------------------------------------------------------------------------------

    def _read(self, actions: Sequence[int | str]) -> Sequence[int]:
        """The actions by their numbers, if some of them are in notation."""
        numbers = [action for action in actions if not isinstance(action, str)]
        if len(numbers) == len(actions):
            return tuple(numbers)
        core = self._begin()
        return tuple(self._step(core, number, each) for number, each in enumerate(actions, start=1))

    def played(self) -> Result:
        """Play the game through, and return how it ends."""
        return self._end(self._played())

    def _played(self) -> GameBatch:
        core = self._begin()
        for number, action in enumerate(self.actions, start=1):
            self._step(core, number, action)
        return core

    def positions(self) -> Iterator[Position]:
        """Every decision in order, with the record that it was made in, and at last the end."""
        for number, decision in enumerate(self._log(), start=1):
            made = decision.mover, decision.action, decision.words, decision.record.made_of
            yield Position(number, *made)
        ended = decision.after
        reason = self.variant.game.reasons[ended.reason]
        yield Position(number + 1, NOBODY, None, reason, ended.made_of)

    def _log(self) -> Iterator[Decision]:
        """Every decision in order, for who tells or shows them."""
        view, core = showing.view_of(self.variant), self._begin()
        before = showing.reader(self.variant, core.states)
        for number, action in enumerate(self.actions, start=1):
            mover, unseen_by = int(core.movers[0]), hidden_from(self.variant.game, core.states)
            self._step(core, number, action)
            after = showing.reader(self.variant, core.states)
            yield Decision(view, mover, int(action), before, after, unseen_by)
            before = after
        self._end(core)

    def _begin(self) -> GameBatch:
        core = new_games(self.variant, 1, autoreset=DISABLED)
        core.reset([self.seed or 0])
        if self.start is not None:
            try:
                core.reset([self.seed], self.start)
            except CyberdeckError as error:
                raise ReplayError(f"it cannot start like that: {error}") from None
        return core

    def _step(self, core: GameBatch, number: int, action: int | str) -> int:
        """Make a decision; its action's number, or ``ReplayError``."""
        if core.movers[0] == NOBODY:
            ended = core.game.reasons[core.reasons[0]]
            raise ReplayError(
                f"it goes on after the end: the game is over after decision {number - 1} "
                f"({ended}), and {len(self.actions)} are given"
            )
        if isinstance(action, str):
            try:
                action = showing.action_called(self.variant, core.states, action)
            except ActionError as error:
                raise ReplayError(f"decision {number}: {error}") from None
        last = self.variant.action_count - 1
        if action != RESIGNS and not (0 <= action <= last and core.masks[0, action]):
            why = f"action {quoted(action)} does not exist: actions are 0 to {last}"
            why = core.complaint(0, action) if 0 <= action <= last else why
            raise ReplayError(f"decision {number}: {why}")
        core.advance_one(action)
        return action

    def _end(self, core: GameBatch) -> Result:
        mover = int(core.movers[0])
        if mover != NOBODY:
            raise ReplayError(
                f"it ends early: after decision {len(self.actions)}, the last, the game is not "
                f"over, and {self.variant.agents[mover]} is to decide"
            )
        returns = tuple(round(float(gain), 5) + 0.0 for gain in core.final_returns[0])
        ended = Result(returns, core.game.reasons[core.reasons[0]])
        claimed = self.result
        if claimed is not None and (
            claimed.reason != ended.reason
            or not np.allclose(claimed.returns, ended.returns, rtol=0, atol=1e-4)
        ):
            raise ReplayError(
                f"its result is not what the rules give: it says {_in_words(claimed)}, and the "
                f"game ends with {_in_words(ended)}"
            )
        return ended

    # --- pictures --------------------------------------------------------------------------------

    def frames(self, seat: int | str | None = None, every_phase: bool = True) -> list[Frame]:
        """The game as pictures, the first one from before the first decision.

        With a *seat*, by its number or name, pictures and words show only what that seat knew;
        with a team's name what its seats knew, with ``"spectator"`` what everybody did. Without,
        or with ``"all"``, pictures and words show everything, from the first seat's side.
        Decisions that change nothing in the picture, such as secret plans, share one. *every_phase*
        shows a turn of Hovercrafts phase by phase, once its plans are revealed.
        """
        return list(self._frames(self._onlookers(seat)[0], every_phase))

    def story(self, seat: int | str | None = None) -> list[Item]:
        """Every decision, a ``Move``, and what it brought about, each a ``Consequence``."""
        return list(story(self._log(), self._onlookers(seat)[0]))

    def _onlookers(self, seat: int | str | None) -> list[Onlooker]:
        return onlookers(self.variant, seat, self.names())

    def _frames(
        self, onlooker: Onlooker, every_phase: bool = True, narrow: bool = False
    ) -> Iterator[Frame]:
        """The pictures as they are drawn, of a game that is known to be whole."""
        if len(self.actions) > SHOWN:
            raise ReplayError(
                f"this game has {len(self.actions):,} decisions, and pictures are drawn of at most "
                f"{SHOWN:,}: read it in words, by `cyberdeck replay FILE` or Replay.story"
            )
        self.played()
        view = showing.view_of(self.variant)
        return frames(view, self._log(), onlooker, self.names(), every_phase, narrow)

    def names(self) -> tuple[str, ...]:
        """What people call each seat: ``white``, ``Z0``."""
        states = self._begin().states
        return tuple(
            showing.seat_name(self.variant, states, at) for at in range(self.variant.seats)
        )

    def headline(self) -> str:
        """Who got what, by teams where there are any, and why the game was over."""
        variant, core = self.variant, self._played()
        names, players = self.names(), self.players or ("",) * variant.seats
        ending = showing.scene(variant, core.states, None).ending
        if self.actions and self.actions[-1] == RESIGNS:
            *_, last, _ = self.positions()
            ending = ending._replace(why=f"{names[last.mover]} resigned")
        sides = variant.sides if variant.teams else ()
        returns = self._end(core).returns
        return kept.headline(names, players, sides, variant.teams, returns, ending.words)

    def write_svgs(
        self, folder: str | os.PathLike[str], seat: int | str | None = None, theme: str = "dark"
    ) -> None:
        """Write every picture into a new or empty folder: ``0000.svg`` and so on."""
        from cyberdeck.drawing.svg import themed

        folder, drawn = Path(folder), self._frames(self._onlookers(seat)[0])
        make_folder(folder)
        if any(folder.iterdir()):
            raise ReplayError(f"{folder} is not empty: name a new folder for the pictures")
        for at, frame in enumerate(drawn):
            write_whole(folder / f"{at:04}.svg", themed(frame.svg, theme).encode())

    def write_gif(
        self,
        path: str | os.PathLike[str],
        width: int = 600,
        seconds: float = 0.8,
        seat: int | str | None = None,
        progress: Progress | None = None,
        theme: str = "dark",
    ) -> None:
        """Write the game as an animated GIF, so many pixels wide, *seconds* for each picture.

        *theme*: "dark" or "light"; a page has both. Long games take a while:
        ``progress(done, all)`` is called after each picture.
        """
        from cyberdeck.drawing.svg import themed
        from cyberdeck.replay.film import gif

        drawn = self._frames(self._onlookers(seat)[0])
        svgs = [themed(frame.svg, theme) for frame in drawn]
        write_whole(path, gif(svgs, width, seconds, progress))

    def write_html(
        self,
        path: str | os.PathLike[str],
        seat: int | str | None = None,
        seconds: float = 0.8,
        asked: Sequence[Asked] = (),
        judged: Sequence[Judged] = (),
    ) -> None:
        """Write the game as one HTML page to step through. It needs nothing but the file.

        *asked* is what chat models were asked and have answered: it is shown at their decisions, to
        who may know what their seat knew. *judged* is what the decisions gave away, as ``review``
        finds it: the page shows that to the same, as a graph to click on.
        """
        from cyberdeck.replay.page import page

        seen_by, variant = self._onlookers(seat), self.variant
        game = variant.game
        seats = zip(self.names(), self.players, strict=False)
        metrics = [("Game", game.title), *((name, player) for name, player in seats if player)]
        metrics += [(name, _value(value)) for name, value in variant.chosen.items()]
        if seen_by[0] is EVERYTHING:  # who knows the seed knows every card
            metrics.append(("Seed", "the saved state's" if self.seed is None else str(self.seed)))
        elif len(seen_by) == 1:
            metrics.append(("Seen by", seen_by[0].name))
        if self.start is not None:
            metrics.append(("Start", "a saved state" if "state" in self.start else "prescribed"))
        metrics.append(("Decisions", str(len(self.actions))))
        if self.notes:
            metrics.append(("Notes", self.notes))
        views = [
            (each.name.title() if each.seat is None else each.name, self._frames(each, narrow=True))
            for each in seen_by
        ]
        title, names = self.title or game.title, self.names() if variant.seats > 1 else ()
        talks = [[one for one in asked if each.knows_of(one.seat)] for each in seen_by]
        lost = [[one for one in judged if game.open or each.knows_of(one.seat)] for each in seen_by]
        shown = page(title, self.headline(), metrics, views, names, seconds, talks, lost)
        write_whole(path, shown.encode())


def export(replay: Replay, path: str | os.PathLike[str], seat: int | str | None = None) -> None:
    """Write a replay as what the name says: ``.html``, ``.gif``, or a folder of SVG pictures."""
    suffix = Path(path).suffix.lower()
    if suffix == ".html":
        replay.write_html(path, seat)
    elif suffix == ".gif":
        replay.write_gif(path, seat=seat)
    elif not suffix or Path(path).is_dir():
        replay.write_svgs(path, seat)
    else:
        raise ReplayError(
            f"{os.fspath(path)}: a replay cannot be written as {suffix}: name a .html or .gif "
            "file, or a folder for SVG pictures"
        )


# --- small things --------------------------------------------------------------------------------


def _in_words(result: Result) -> str:
    return f"{result.reason} and returns of " + ", ".join(f"{gain:g}" for gain in result.returns)


def _value(value: Any) -> str:
    """An option's value for the page."""
    if isinstance(value, (list, tuple)):
        parts = [_value(item) for item in value]
        return ", ".join(f"({part})" if "," in part else part for part in parts)
    return str(value)
