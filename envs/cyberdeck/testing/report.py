"""The names of all checks, faults, and the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from cyberdeck.common.text import counted

#: What is checked, by name.
CHECKS: Final = {
    "kernels": "kernels keep within arrays, write only what is theirs, and only numbers that fit",
    "bounds": "every field is within its bounds, and the game's own invariants hold",
    "mask": "a mask holds 0 and 1, allows something, and has as many 1 as legal returns",
    "mover": "a seat decides while the game runs, no more often than the game says it may; nobody "
    "when it is over",
    "observation": "observations are within the features' bounds, and looking changes nothing",
    "copy": "a copy of a game acts as the game does",
    "bytes": "saved bytes give back the game, with its options",
    "resample": "a redrawn game looks the same to the seat it is redrawn for",
    "secrets": "nothing that a seat is told, shown or redrawn depends on what it cannot know",
    "rounds": "who decides at the same time learns nothing meanwhile, and can take it back",
    "batch": "a game takes the same course alone and in a batch",
    "compiled": "compiled code plays as plain Python does",
    "fresh": "a record that was used before begins like a new one",
    "heuristic": "the heuristic's decisions are legal",
    "rewards": "no decision brings more than reward_bound, nor a whole game that search proves",
    "result": "a game is won once, by a whole side, for a reason of its own",
    "symmetries": "what is declared a symmetry is one: images play as the game does",
    "people": "all that people see can be made of every position, with a notation for every action",
    "end": "games and kernels come to an end",
}

_FEW: Final = 3  # faults of one check that are told
#: The same words are told once.
_ONCE: Final = ("kernels", "people", "result", "secrets", "rounds", "end")

#: So many decisions with every index checked, and pairs of positions that a seat cannot tell apart
#: where something is redrawn, are needed to say that a game keeps the contract.
ENOUGH: Final = 50
ENOUGH_TWINS: Final = 10


@dataclass(frozen=True)
class Fault:
    """A check that failed, and how to get there: the seed of a game and its decisions until then.

    >>> from cyberdeck import Batch
    >>> fault = Fault("end", "it goes on", 7, (0, 2))
    >>> batch = Batch("hackthegrid", 1, seed=fault.seed)
    >>> for action in fault.decisions:
    ...     batch.step([action])
    """

    check: str
    what: str
    seed: int
    decisions: tuple[int, ...]

    def __str__(self) -> str:
        shown = " ".join(map(str, self.decisions[-20:]))
        more = f"the last of {len(self.decisions)}: " if len(self.decisions) > 20 else ""
        then = f"after the decisions {more}{shown}" if self.decisions else "at its beginning"
        return f"{self.check}: {self.what} (seed {self.seed}, {then})"

    @property
    def without_name(self) -> str:
        """It without the name of the check."""
        return str(self).partition(": ")[2]


@dataclass
class Report:
    """The result of ``check``; ``str`` of it is for people."""

    game: str
    options: str = ""  # those that were played with, in words; none: the game has none
    decisions: int = 0
    games: int = 0
    longest: int = 0  # decisions of the longest game
    careful: int = 0  # decisions with every index checked
    shown: int = 0  # positions that were shown to people
    twins: int = 0  # pairs of positions that a seat cannot tell apart
    enough: int = 0  # careful decisions, and pairs, without which nothing can be said
    enough_twins: int = 0
    stopped: bool = False  # by the limit of time
    outside: list[str] = field(default_factory=list)  # where kernels use more than the record
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)

    @property
    def failed(self) -> list[str]:
        """The names of the checks that failed."""
        failed = {fault.check for fault in self.faults}
        return [name for name in CHECKS if name in failed]

    def add(self, fault: Fault, warning: bool = False) -> None:
        """Note a fault, unless it is known or there are enough of its kind."""
        noted = self.warnings if warning else self.faults
        same = [each for each in noted if each.check == fault.check]
        known = fault.check in _ONCE and fault.what in [each.what for each in same]
        if len(same) < _FEW and not known:
            noted.append(fault)

    def has_enough(self, name: str) -> bool:
        """True if a check has failed often enough."""
        return sum(fault.check == name for fault in self.faults) >= _FEW

    @property
    def lacking(self) -> list[str]:
        """Reasons why the play was too little to say that the game keeps the contract."""
        looked = (
            (self.careful, self.enough, "decisions with every index checked"),
            (self.twins, self.enough_twins, "pairs alike to a seat"),
        )
        return [f"{count} of {least} {what}" for count, least, what in looked if count < least]

    @property
    def status(self) -> int:
        """Of the command: 0 if the game keeps the contract, 1 if it breaks it, 3 if neither can be
        said.
        """
        return 1 if self.faults else 3 if self.lacking else 0

    def __str__(self) -> str:
        says = "keeps the contract as far as time allowed" if self.stopped else "keeps the contract"
        if self.faults:
            says = "breaks the contract"
        elif self.lacking:
            says = f"was looked at too little to say anything: {' and '.join(self.lacking)}"
        played = f"{counted(self.decisions, 'decision')} in {counted(self.games, 'game')}"
        alike = f", {counted(self.twins, 'pair')} alike to a seat" if self.twins else ""
        lines = [
            f"{self.game} {says}: {len(CHECKS)} checks, {played}",
            f"  {self.careful} of them with every index checked, "
            f"{counted(self.shown, 'position')} shown to people{alike}",
        ]
        lines += [f"  with {self.options}"] * bool(self.options)
        lines += ["  stopped by the limit of time: --seconds"] * self.stopped
        for name in self.failed:
            lines.append(f"\n{name}: it does not hold that {CHECKS[name]}")
            lines += [f"  {fault.without_name}" for fault in self.faults if fault.check == name]
        if self.outside:
            lines.append("\nwhat may be the cause:")
            lines += [f"  {each}" for each in self.outside]
        warnings = [fault for fault in self.warnings if fault.check not in self.failed]
        if warnings:
            lines.append("\nno fault, but worth a look:")
            lines += [f"  {fault.without_name}" for fault in warnings]
        return "\n".join(lines)
