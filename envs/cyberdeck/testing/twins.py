"""Secrets must not leak: positions that a seat cannot tell apart are made and compared.

A game is played again with other dice, or with other decisions made in secret, as long as a seat
observes the same, may do the same and is paid the same. That makes two positions, twins, which the
seat cannot tell apart. Both must be redrawn alike for it, its heuristic must choose the same, and
whatever it or a spectator is told or shown must be the same.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
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
from cyberdeck.engine.variant import Variant
from cyberdeck.engine.watched import Misuse
from cyberdeck.testing.alike import Redraws, fields_apart, never_dealt
from cyberdeck.testing.courses import DECISIONS, Course, Courses, Pair, left_in_round, wrong_round
from cyberdeck.testing.position_checks import fault_of
from cyberdeck.testing.report import Fault, Report

_TRIES: Final = 40  # other courses for each seat of one
_STEPS: Final = 1_000  # decisions of those
_ON: Final = 40  # decisions that are made in a redrawn game
_PAIRS: Final = 3  # of one course that are looked at closely
_AHEAD: Final = 3  # times that a pair is played on
_REDRAWS: Final = 12  # after which a field counts as never redrawn
_BITS: Final = 4  # random bits that a heuristic is asked with, or a pair redrawn by
_LISTED: Final = 8  # pairs of a seat of which all outcomes of redrawing are listed


class Twins:
    """Courses of one game by plain Python, and others that some seat cannot tell from them."""

    def __init__(self, variant: Variant, careful: Careful, report: Report) -> None:
        self.variant, self.game, self.report = variant, variant.game, report
        self.careful = careful
        self.random = np.random.default_rng(0)
        self.courses = Courses(variant, careful, self.random)
        self.redraws = Redraws(variant)
        self.listed = [0] * variant.seats

    def run(self, courses: int, seed: int, until: float) -> None:
        """Look at pairs of so many courses, begun from *seed* on."""
        for number in range(seed, seed + courses):
            try:
                course = self.courses.played(number)
                if self.game.simultaneous:
                    self._check_rounds(course)
                for seat in range(self.variant.seats):
                    self._play_on(course, seat)
                    for secretly in (True, False):
                        self._look_for(course, seat, secretly, until)
            except Exception as error:
                self.report.add(fault_of(error, number, ()))
                return
            if time.monotonic() > until:
                self.report.stopped = True
                return

    def _check_rounds(self, course: Course) -> None:
        if wrong := wrong_round(self.courses, course):
            self._add("rounds", course, *wrong)
        elif self.game.withdraw_secret_actions is nothing_in_secret:
            what = "there is no withdraw_secret_actions: no search lets the others decide anew"
            self._add("rounds", course, 0, what, warning=True)

    def _play_on(self, course: Course, seat: int) -> None:
        """Redraw one of the positions for a seat, and play on: nothing may go wrong."""
        at = int(self.random.integers(max(1, len(course.decisions))))
        agents, wrong = self.variant.agents, ""
        try:
            world = self.redraws.redrawn(seat, course.records[at], course.seed)
            for _ in range(_ON):
                mover = int(world["mover"][0])
                if mover == NOBODY:
                    break
                mask = self.courses.mask(world)
                if not mask.any():
                    wrong = f"{agents[mover]} has no legal action"
                    break
                self._act_at_random(mask, world)
        except Misuse as error:
            if error.check == "end":
                raise
            wrong = str(error)
        if wrong:
            what = f"where it is redrawn for {agents[seat]} and played on, this goes wrong: {wrong}"
            self._add("resample", course, at, what)

    def _act_at_random(self, mask: NDArray[np.int8], *records: Record) -> None:
        """One decision, the same in all records."""
        action = int(self.random.choice(np.flatnonzero(mask)))
        for record in records:
            self.courses.k["act"](record[0], action)

    def _add(self, check: str, course: Course, at: int, what: str, warning: bool = False) -> None:
        self.report.add(Fault(check, what, course.seed, tuple(course.decisions[:at])), warning)

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

    def _note(self, pair: Pair, what: str, warning: bool = False) -> None:
        self._add("secrets", pair.course, pair.at, what, warning)

    def _compare(self, pair: Pair, secretly: bool) -> None:
        """Both positions must be redrawn alike, and the same must be told of them."""
        if pair.record["mover"][0] == NOBODY or self._never_redrawn(pair, secretly):
            return
        if not fields_apart(pair.record, pair.twin):
            return
        if secretly or pair.changed is not None:
            self._compare_moves(pair)
        if not secretly:
            return
        if what := left_in_round(self.courses, pair):
            self._add("rounds", pair.course, pair.at, what)
        self._compare_what_text_differs(pair)
        agent = self.variant.agents[pair.seat]
        if self.listed[pair.seat] < _LISTED:
            missing = never_dealt(self.game, pair.record, pair.twin, pair.seat)
            self.listed[pair.seat] += _LISTED if missing is None else 1
            if missing:
                what = f"resample never deals {agent} a world in which {missing}, which is possible"
                self._note(pair, what)
                return
        bits = int(self.random.integers(1 << 32))
        tries = range(bits, bits + _BITS)
        if what := self.redraws.fault(pair.record, pair.twin, pair.seat, tries):
            self._note(pair, f"{what}: {self._apart(pair)}")

    def _apart(self, pair: Pair, one: Any = "", other: Any = "") -> str:
        """The first difference between the two positions, and its effects, in words."""
        where, values = pair.first_apart(fields_apart(pair.record, pair.twin)[0])
        first, second = (f"{where} is {number}" for number in values)
        if one == other:
            return f"it differs between {first} and {second}"
        return f"{one} where {first}, {other} where {second}"

    # --- what is never redrawn -------------------------------------------------------------------

    def _never_redrawn(self, pair: Pair, secretly: bool) -> bool:
        """Note what differs between the two and is never redrawn; True if that is a fault.

        If it does not matter, the twin gets it from the record, to be compared in all the rest.
        """
        kept, agent = self._kept(pair), self.variant.agents[pair.seat]
        if not kept:
            return False
        named = " and ".join(
            name
            if np.array_equal(pair.record[name] != pair.twin[name], places)
            else f"part of {name}"
            for name, places in kept.items()
        )
        what = f"{named} {'is' if len(kept) == 1 else 'are'} never redrawn for {agent}"
        if not self._matters(pair, kept):
            why = "which does not see it; but nothing has come of that"
            self._note(pair, f"{what}, {why}", warning=True)
            for name, places in kept.items():
                pair.twin[name][places] = pair.record[name][places]
            return False
        if not secretly and self._text_differs(pair):
            why = "observe does not show it, but text does: what is public belongs in both"
            self._note(pair, f"{what}; {why}", warning=True)
        else:
            cure = "redraw it in resample(state, seat), or show it in observe"
            where, (one, other) = pair.first_apart(next(iter(kept)))
            which = f"which cannot know whether {where} is {one} or {other}"
            self._note(pair, f"{what}, {which}: {cure}")
        return True

    def _kept(self, pair: Pair) -> dict[str, NDArray[np.bool_]]:
        """Masks of what differs between the two and is never redrawn, by field."""
        apart = fields_apart(pair.record, pair.twin)
        kept = {name: pair.record[name] != pair.twin[name] for name in apart}
        for bits, record in itertools.product(range(_REDRAWS), (pair.record, pair.twin)):
            world = self.redraws.redrawn(pair.seat, record, bits)
            same = {name: at & (world[name] == record[name]) for name, at in kept.items()}
            kept = {name: where for name, where in same.items() if where.any()}
            if not kept:
                break
        return kept

    def _matters(self, pair: Pair, kept: Mapping[str, NDArray[np.bool_]]) -> bool:
        """True if the game would go another way with the twin's fields in the position, or another
        seat would see something else: a search lets it decide by that.

        That need be no possible position: what kernels cannot do there is another way too.
        """
        changed = pair.record.copy()
        for name, where in kept.items():
            changed[name][where] = pair.twin[name][where]
        try:
            return any(self._differ(pair.record, changed, bits) for bits in range(_AHEAD))
        except Misuse as error:
            if error.check == "end":
                raise
            return True

    def _differ(self, one: Record, other: Record, bits: int) -> bool:
        """True if two games with the same dice and decisions go different ways."""
        courses, one, other = self.courses, one.copy(), other.copy()
        one["dice"] = other["dice"] = dice.seeded(bits)
        for _ in range(DECISIONS):
            known = [[courses.known(each, seat) for seat in courses.seats] for each in (one, other)]
            if known[0] != known[1]:
                return True
            mask = courses.mask(one)
            if not mask.any():
                break
            self._act_at_random(mask, one, other)
        return False

    # --- what is told ----------------------------------------------------------------------------

    def _compare_moves(self, pair: Pair) -> None:
        """The list of moves must be the same: prompts, replays and pages are made of it."""
        course, agents = pair.course, self.variant.agents
        for at, move in enumerate(pair.moves):
            if move != course.move_for(pair.seat, at):
                record = course.records[at]
                mover = agents[int(record["mover"][0])]
                made = [each for each in (course.move_for(pair.seat, at), move) if each != HIDDEN]
                named = " or ".join(self.game.named_action(record, each) for each in made)
                what = f"the list of moves tells {agents[pair.seat]} what {mover} decides ({named})"
                cure = "say so in secret(state, seat), or show it in observe"
                where = pair.first_apart(fields_apart(pair.record, pair.twin)[0])[0]
                self._note(pair, f"{what}, and so what {where} is, which it cannot know: {cure}")
                return

    def _compare_what_text_differs(self, pair: Pair) -> None:
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
        for (what, one), (_, other) in self._descriptions(pair):
            if one != other:
                if isinstance(one, str):
                    one, other = one.splitlines(), other.splitlines()
                lines = itertools.zip_longest(one, other, fillvalue="")
                first, second = next((a.strip(), b.strip()) for a, b in lines if a != b)
                apart = self._apart(pair, repr(first[:60]), repr(second[:60]))
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

    def _text_differs(self, pair: Pair) -> bool:
        """True if the view tells the seat which of the two it is."""
        if registry.view(self.game) is None:
            return False
        (_, one), (_, other) = next(self._descriptions(pair))  # the text
        return bool(one != other)

    def _descriptions(self, pair: Pair) -> Iterator[tuple[tuple[str, Any], tuple[str, Any]]]:
        """All that is told of both positions, to the seat and to spectators, each with its name."""
        return zip(
            *(self._descriptions_of(pair, now, before) for now, before in pair.ways), strict=True
        )

    def _descriptions_of(
        self, pair: Pair, now: Record, before: Record
    ) -> Iterator[tuple[str, Any]]:
        """The same of one position: texts, or lists of them."""
        variant, viewer, agent = self.variant, (pair.seat,), self.variant.agents[pair.seat]
        view, both = showing.view_of(variant), (now, before)
        yield f"the text for {agent}", showing.scene(variant, now, viewer, before).text()
        yield f"the picture for {agent}", showing.scene(variant, now, viewer, before).picture()
        # Whoever watches a game or a replay reads it, whoever is to move.
        yield f"turn for {agent}", [view.turn(showing.reader(variant, each)) for each in both]
        if pair.record["mover"][0] == pair.seat:
            legal = np.flatnonzero(self.courses.mask(pair.record)).tolist()
            names = [registry.named_action(variant, now, action) for action in legal]
            yield f"action_name for {agent}", names
            if view.notation is not None:
                written = showing.notations(variant, now).items()
                yield f"notation for {agent}", [f"{action} {name}" for action, name in written]
        if showing.has_spectators(variant):
            shown = [showing.public(variant, each) for each in both]
            yield "the spectators' view", showing.scene(variant, shown[0], None, shown[1]).text()
        if view.public is not None:
            public = showing.public(variant, now)
            fields = (name for name in self.game.dtype.names or () if name != "dice")
            yield "public", [f"{name} {public[name].tolist()}" for name in fields]
