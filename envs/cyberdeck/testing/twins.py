"""Secrets must not leak: positions that a seat cannot tell apart are made and compared.

A game is played again with other dice, or with other decisions made in secret, as long as a seat
observes the same, may do the same and is paid the same. That makes two positions, twins, which the
seat cannot tell apart. Both must be redrawn alike for it, its heuristic must choose the same, and
whatever it or a spectator is told or shown must be the same.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck import showing
from cyberdeck.engine import dice, registry
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.contract import Record
from cyberdeck.engine.defaults import nothing_in_secret
from cyberdeck.engine.history import HIDDEN
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import deciding
from cyberdeck.engine.variant import Variant
from cyberdeck.engine.watched import Misuse
from cyberdeck.testing.alike import (
    fields_apart,
    never_dealt,
    redrawing,
    redrawn_otherwise,
    redrawn_the_same,
    wrongly_redrawn,
)
from cyberdeck.testing.courses import DECISIONS, Course, Courses, Pair
from cyberdeck.testing.position_checks import fault_of
from cyberdeck.testing.report import Fault, Report
from cyberdeck.testing.rounds import Rounds

_TRIES: Final = 40  # other courses for each seat of one
_STEPS: Final = 1_000  # decisions of those
_ON: Final = 40  # decisions that are made in a redrawn game
_PAIRS: Final = 3  # of one course that are looked at closely
_AHEAD: Final = 3  # times that a pair is played on
_REDRAWS: Final = 12  # after which a field counts as never redrawn
_BITS: Final = 4  # random bits that a heuristic is asked with
_LISTED: Final = 8  # pairs of a seat of which all outcomes of redrawing are listed
_SURE: Final = 3  # pairs of which many redraws were compared, and found alike


class Twins:
    """Courses of one game by plain Python, and others that some seat cannot tell from them."""

    def __init__(self, variant: Variant, careful: Careful, report: Report) -> None:
        self.variant, self.game, self.report = variant, variant.game, report
        self.careful = careful
        self.random = np.random.default_rng(0)
        self.courses = Courses(variant, careful, self.random)
        self.k, self.seats = self.courses.k, self.courses.seats
        self.sure = [0] * variant.seats
        self.listed = [0] * variant.seats

    def run(self, courses: int, seed: int, until: float) -> None:
        """Look at pairs of so many courses, begun from *seed* on."""
        for number in range(courses):
            try:
                course = self.courses.played(seed + number)
                if self.game.simultaneous:
                    self._check_rounds(course)
                for seat in self.seats:
                    self._play_on(course, seat)
                    for secretly in (True, False):
                        self._look_for(course, seat, secretly, until)
            except Exception as error:
                self.report.add(fault_of(error, seed + number, ()))
                return
            if time.monotonic() > until:
                self.report.stopped = True
                return

    def _check_rounds(self, course: Course) -> None:
        rounds = Rounds(self.variant, self.k["act"], self.k["withdraw_secret_actions"])
        for at, what in rounds.wrong(course.records, course.decisions):
            self._add("rounds", course, at, what)
            return
        if self.game.withdraw_secret_actions is nothing_in_secret:
            what = "there is no withdraw_secret_actions: no search lets the others decide anew"
            self._add("rounds", course, 0, what, warning=True)

    def _play_on(self, course: Course, seat: int) -> None:
        """Redraw one of the positions for a seat, and play on: nothing may go wrong."""
        at = int(self.random.integers(max(1, len(course.decisions))))
        world, agents = course.records[at].copy(), self.variant.agents
        wrong = ""
        try:
            redrawing(self.variant, seat)(world, course.seed)
            for _ in range(_ON if world["mover"][0] != NOBODY else 0):
                mask = self.courses.mask(world)
                if not mask.any():
                    mover = int(world["mover"][0])
                    wrong = "" if mover == NOBODY else f"{agents[mover]} has no legal action"
                    break
                self.k["act"](world[0], int(self.random.choice(np.flatnonzero(mask))))
        except Misuse as error:
            if error.check == "end":
                raise
            wrong = str(error)
        if wrong:
            what = f"where it is redrawn for {agents[seat]} and played on, this goes wrong: {wrong}"
            self._add("resample", course, at, what)

    # --- pairs -----------------------------------------------------------------------------------

    def _look_for(self, course: Course, seat: int, secretly: bool, until: float) -> None:
        """Make pairs for a seat, and look closely at some of them.

        Where a decision that the seat saw is another, only a field that shows nowhere can be wrong:
        any other difference may come from what the seat saw.
        """
        close, steps = 0, self.courses.steps + _STEPS
        for _ in range(_TRIES):
            made = self.courses.otherwise(course, seat, secretly)
            pairs = [pair for pair in made if fields_apart(pair.twin, pair.record)]
            self.report.twins += len(pairs)
            # The first, the last, and one between them.
            chosen = {0, len(pairs) - 1, int(self.random.integers(max(1, len(pairs))))}
            for at in sorted(chosen) if pairs else ():
                self._compare(pairs[at], secretly)
            close += bool(pairs)
            enough = close == _PAIRS or self.report.has_enough("secrets")
            if enough or self.courses.steps > steps or time.monotonic() > until:
                return

    def _note(self, pair: Pair, what: str, warning: bool = False, check: str = "secrets") -> None:
        self._add(check, pair.course, pair.at, what, warning)

    def _add(self, check: str, course: Course, at: int, what: str, warning: bool = False) -> None:
        self.report.add(Fault(check, what, course.seed, tuple(course.decisions[:at])), warning)

    def _compare(self, pair: Pair, secretly: bool) -> None:
        """Both positions must be redrawn alike, and the same must be told of them."""
        if pair.record["mover"][0] == NOBODY:
            return
        agent = self.variant.agents[pair.seat]
        kept = self._never_redrawn(pair)
        if kept:
            named = " and ".join(
                name
                if np.array_equal(pair.record[name] != pair.twin[name], places)
                else f"part of {name}"
                for name, places in kept.items()
            )
            what = f"{named} {'is' if len(kept) == 1 else 'are'} never redrawn for {agent}"
            if self._matters(pair, kept):
                if not secretly and self._is_told(pair):
                    why = "observe does not show it, but text does: what is public belongs in both"
                    self._note(pair, f"{what}; {why}", warning=True)
                else:
                    cure = "redraw it in resample(state, seat), or show it in observe"
                    where, (one, other) = pair.first_apart(next(iter(kept)))
                    which = f"which cannot know whether {where} is {one} or {other}"
                    self._note(pair, f"{what}, {which}: {cure}")
                return
            why = "which does not see it; but nothing has come of that"
            self._note(pair, f"{what}, {why}", warning=True)
            for name, places in kept.items():  # it might as well be the same
                pair.twin[name][places] = pair.record[name][places]
        if not fields_apart(pair.record, pair.twin):
            return
        if secretly or pair.changed is not None:
            self._compare_moves(pair)
        if not secretly:
            return
        self._compare_withdrawn(pair)
        self._compare_what_is_told(pair)
        redraw = redrawing(self.variant, pair.seat)
        if self.listed[pair.seat] < _LISTED:
            missing = never_dealt(self.game, pair.record, pair.twin, pair.seat)
            self.listed[pair.seat] += _LISTED if missing is None else 1
            if missing:
                what = f"resample never deals {agent} a world in which {missing}, which is possible"
                self._note(pair, what)
                return
        bits = int(self.random.integers(1 << 32))
        same = redrawn_the_same(redraw, pair.record, pair.twin, bits)
        if same or self.sure[pair.seat] == _SURE:
            return
        names, sampled = redrawn_otherwise(self.game, redraw, pair.record, pair.twin, pair.seat)
        self.sure[pair.seat] += sampled and not names
        if names:
            self._note(pair, f"{wrongly_redrawn(names, agent)}: {self._apart(pair)}")

    def _is_told(self, pair: Pair) -> bool:
        """True if the view tells the seat which of the two it is."""
        if registry.view(self.game) is None:
            return False
        told = self._told(pair)[f"the text for {self.variant.agents[pair.seat]}"]
        return bool(told(*pair.ways[0]) != told(*pair.ways[1]))

    def _apart(self, pair: Pair, one: Any = "", other: Any = "") -> str:
        """The first difference between the two positions, and its effects, in words."""
        where, held = pair.first_apart(fields_apart(pair.record, pair.twin)[0])
        first, second = (f"{where} is {number}" for number in held)
        if one == other:
            return f"it differs between {first} and {second}"
        return f"{one} where {first}, {other} where {second}"

    def _never_redrawn(self, pair: Pair) -> dict[str, NDArray[np.bool_]]:
        """Masks of what differs between the two and is never redrawn, by field."""
        redraw = redrawing(self.variant, pair.seat)
        apart = fields_apart(pair.record, pair.twin)
        kept = {name: pair.record[name] != pair.twin[name] for name in apart}
        for bits in range(_REDRAWS):
            for record in (pair.record, pair.twin):
                world = record.copy()
                redraw(world, bits)
                same = {name: at & (world[name] == record[name]) for name, at in kept.items()}
                kept = {name: where for name, where in same.items() if where.any()}
                if not kept:
                    return kept
        return kept

    def _matters(self, pair: Pair, kept: Mapping[str, NDArray[np.bool_]]) -> bool:
        """True if the game would go another way with the twin's fields in the position, or another
        seat would see something else: a search lets it decide by that.

        That need be no possible position: what kernels cannot do there is another way too.
        """
        try:
            return self._goes_another_way(pair, kept)
        except Misuse as error:
            if error.check == "end":
                raise
            return True

    def _goes_another_way(self, pair: Pair, kept: Mapping[str, NDArray[np.bool_]]) -> bool:
        changed = pair.record.copy()
        for name, where in kept.items():
            changed[name][where] = pair.twin[name][where]
        for bits in range(_AHEAD):
            one, other = pair.record.copy(), changed.copy()
            one["dice"] = other["dice"] = dice.seeded(bits)
            for _ in range(DECISIONS):
                mask = self.courses.mask(one)
                alike = all(
                    self.courses.known(one, seat) == self.courses.known(other, seat)
                    for seat in self.seats
                )
                paid = one["reward"].tobytes() == other["reward"].tobytes()
                if not (alike and paid and np.array_equal(mask, self.courses.mask(other))):
                    return True
                if not mask.any():
                    break
                action = int(self.random.choice(np.flatnonzero(mask)))
                for record in (one, other):
                    self.k["act"](record[0], action)
        return False

    def _compare_moves(self, pair: Pair) -> None:
        """The list of moves must be the same: prompts, replays and pages are made of it."""
        course, agents = pair.course, self.variant.agents
        for at, told in enumerate(pair.told):
            if told != course.told(pair.seat, at):
                record = course.records[at]
                mover = agents[int(record["mover"][0])]
                made = [each for each in (course.told(pair.seat, at), told) if each != HIDDEN]
                named = " or ".join(self.game.named_action(record, each) for each in made)
                what = f"the list of moves tells {agents[pair.seat]} what {mover} decides ({named})"
                cure = "say so in secret(state, seat), or show it in observe"
                where = pair.first_apart(fields_apart(pair.record, pair.twin)[0])[0]
                self._note(pair, f"{what}, and so what {where} is, which it cannot know: {cure}")
                return

    def _compare_withdrawn(self, pair: Pair) -> None:
        """Another seat's decision in this round must be taken back, whatever it was."""
        own = self.game.withdraw_secret_actions is not nothing_in_secret
        if not own or pair.changed is None or pair.record["mover"][0] != pair.seat:
            return
        then = pair.course.records[pair.changed : pair.at]
        if not all(pair.seat in deciding(self.game, each) for each in then):
            return  # of a round before this one
        taken = [pair.record.copy(), pair.twin.copy()]
        for each in taken:
            self.k["withdraw_secret_actions"](each[0], pair.seat)
        if names := fields_apart(taken[0], taken[1]):
            agents = self.variant.agents
            other = agents[int(then[0]["mover"][0])]
            what = (
                f"withdraw_secret_actions for {agents[pair.seat]} leaves {' and '.join(names)} as "
                f"{other} has decided: take back all that was decided in this round"
            )
            self._note(pair, what, check="rounds")

    def _compare_what_is_told(self, pair: Pair) -> None:
        """The heuristic, the metrics and all that people see must be the same."""
        agent = self.variant.agents[pair.seat]
        numbers = [self.variant.look(each, pair.seat)[2] for each in (pair.record, pair.twin)]
        for metric, one, other in zip(self.game.metrics, *numbers, strict=True):
            if one != other:
                what = f"report tells {agent}, through {metric.name}, what it cannot know"
                self._note(pair, f"{what}: {self._apart(pair, one, other)}")
        if pair.record["mover"][0] == pair.seat and self.game.has_heuristic:
            self._compare_heuristic(pair)
        if registry.view(self.game) is None:
            return  # the plain view shows what a seat observes, and no more
        for what, told in self._told(pair).items():
            one, other = (told(*each) for each in pair.ways)
            if one != other:
                apart = self._apart(pair, *_where_apart(one, other))
                self._note(pair, f"{what} tells what cannot be known: {apart}")

    def _compare_heuristic(self, pair: Pair) -> None:
        mask = self.courses.mask(pair.record)
        for bits in range(_BITS):
            drawn = dice.mixed(dice.seeded(bits))
            asked = [
                int(self.careful.kernel("heuristic")(each[0].copy(), mask, drawn))
                for each in (pair.record, pair.twin)
            ]
            if asked[0] != asked[1]:
                names = [self.game.named_action(pair.record, each) for each in asked]
                agent = self.variant.agents[pair.seat]
                what = f"the heuristic looks at what {agent} cannot know"
                self._note(pair, f"{what}: {self._apart(pair, *names)}")
                return

    def _told(self, pair: Pair) -> dict[str, Callable[[Record, Record], Any]]:
        """All that is told of a position and the one before, to the seat and to spectators."""
        variant, viewer, agent = self.variant, (pair.seat,), self.variant.agents[pair.seat]
        told: dict[str, Callable[[Record, Record], Any]] = {
            f"the text for {agent}": lambda now, old: showing.text(variant, now, viewer, old),
            f"the picture for {agent}": lambda now, old: showing.picture(
                variant, now, viewer, before=old
            ),
            # Whoever watches a game or a replay reads it, whoever is to move.
            f"turn for {agent}": lambda now, old: [
                showing.turn(variant, each) for each in (now, old)
            ],
        }
        if pair.record["mover"][0] == pair.seat:
            legal = np.flatnonzero(self.courses.mask(pair.record)).tolist()
            told[f"action_name for {agent}"] = lambda now, old: [
                showing.action_name(variant, now, action) for action in legal
            ]
            if showing.view_of(variant).notation is not None:
                told[f"notation for {agent}"] = lambda now, old: [
                    f"{action} {name}" for action, name in showing.notations(variant, now).items()
                ]
        if showing.has_spectators(variant):

            def spectators(now: Record, old: Record) -> str:
                shown = [showing.public(variant, each) for each in (now, old)]
                return showing.text(variant, shown[0], None, shown[1])

            told["the spectators' view"] = spectators
        if showing.view_of(variant).public is not None:
            told["public"] = lambda now, old: [
                f"{name} {showing.public(variant, now)[name].tolist()}"
                for name in self.game.dtype.names or ()
                if name != "dice"
            ]
        return told


def _where_apart(one: Any, other: Any) -> tuple[str, str]:
    """The first lines by which two texts, or two lists of them, differ."""
    parts = [each.splitlines() if isinstance(each, str) else each for each in (one, other)]
    pairs = itertools.zip_longest(*parts, fillvalue="")
    first, second = next((a.strip(), b.strip()) for a, b in pairs if a != b)
    return repr(first[:60]), repr(second[:60])
