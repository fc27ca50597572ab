"""A game in words for all its seats: everything else that speaks stands on it."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck import showing
from cyberdeck.engine import registry
from cyberdeck.engine.constants import RESIGNS, VOID
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.history import History
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import deciding
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import EpisodeError, OptionError, require
from cyberdeck.play.compiled import CompiledPosition, describe_beliefs
from cyberdeck.play.game import Game
from cyberdeck.play.narrator import SPECTATOR, seated
from cyberdeck.players import Player, find_player
from cyberdeck.players.beliefs import Filter
from cyberdeck.text.answers import ILLEGAL, Conversation, Verdict, checked_retries
from cyberdeck.text.prompts import Prompts, Transcript, since
from cyberdeck.transformed import new_games
from cyberdeck.views.notation import notations
from cyberdeck.views.view import DRAWN, Ending

#: So many worlds are followed for what a prompt says of beliefs.
WORLDS: Final = 200

#: Seeds that are drawn are below it.
_SEEDS: Final = 2**62


class TextGame:
    """A game in words, for any of its seats, or all.

    Whoever is among ``deciding`` owes an answer: several, where they decide at the same time, and
    then nothing is known of anybody's before all have answered. ``prompt(seat)`` says all that the
    seat may know, ``answer(seat, text)`` takes what it says. An answer counts by the last JSON
    object with ``move``: a text is an action's notation, a number its number. Where one action
    alone is legal, it is taken without a question, unless the game would have none at all.

    Args:
        game: its name, or a ``Variant``: the game with its options.
        players: players of the suite for some of the seats, by a seat's name or number; the others
            speak.
        list_moves: list the legal moves in each prompt.
        brief: say the rules in a game's first prompt only, and then what has happened since the
            seat's last decision: for those who remember what they were told.
        beliefs: a player by name: in each prompt stands what the others may see, and how likely
            that is if they play like it; see ``Batch.beliefs``.
        form: how prompts want the answer: "json", or "tool", where whoever asks has a tool ``move``
            whose argument is the move, and makes the JSON object of its call.
        retries: how often a seat may try again, in one decision, after an answer that is illegal,
            unparsable, or was cut off: a number, or one for each of these. Then its side loses.
        options: the game's own options.

    >>> game = TextGame("hackthegrid")
    >>> game.reset(seed=0)
    >>> seat = game.deciding[0]
    >>> "WHAT HAS BEEN DONE SO FAR" in game.prompt(seat)
    True
    >>> game.answer(seat, 'I take that. {"move": "R9"}').kind, game.answer(seat, "R1").kind
    ('illegal', 'unparsable')
    >>> game.answer(seat, '{"move": "R1"}').kind, game.transcript()
    ('move', ['row: R1'])
    """

    def __init__(
        self,
        game: str | Variant,
        *,
        players: Mapping[int | str, Player] | None = None,
        list_moves: bool = False,
        brief: bool = False,
        beliefs: Player | None = None,
        form: str = "json",
        retries: int | Mapping[str, int] = 2,
        **options: Any,
    ) -> None:
        self.variant = registry.variant(game, TextGame, **options)
        self.retries = checked_retries(retries)
        self.prompts = Prompts(self.variant, list_moves, brief, form)
        #: Follows the worlds of games in which the others play like that.
        self._believing: Filter | None = None
        if beliefs is not None:
            if self.variant.game.open:
                title = showing.title(self.variant)
                raise OptionError(
                    f"beliefs= is for games with secrets, and {title} has none: leave it out"
                )
            other = find_player(self.variant, beliefs)
            self._believing = Filter(self.variant.undisguised, other, WORLDS)
        self._players = self._seated(players or {})
        self.core = new_games(self.variant, 1, autoreset=DISABLED, history=True)
        self._sit_down(0)
        self._seeds: random.Random | None = None
        self._talks: dict[int, Conversation] = {}
        #: What has been answered in this round, and what those are told who owe an answer.
        self._answered: dict[int, int] = {}
        self._asked: dict[int, str] = {}
        #: Whether questions with one answer are not asked, and whether there were such.
        self._spare, self._spared = True, False
        #: The sides that have given up in it.
        self._guilty: set[int] = set()
        #: What each seat's decisions have brought it since somebody asked: see ``gained``.
        self._gained = np.zeros(self.variant.seats)
        #: Why the game does not count, if it does not.
        self.voided = ""
        #: What the answer was by which somebody gave up, if it could not be read.
        self._unread = ""

    def _seated(self, players: Mapping[int | str, Player]) -> dict[int, Policy]:
        return {
            self._seat(seat): find_player(self.variant, player) for seat, player in players.items()
        }

    # --- beginning -------------------------------------------------------------------------------

    def reset(
        self,
        seed: int | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        played: Sequence[int] = (),
        players: Mapping[int | str, Player] | None = None,
    ) -> None:
        """Begin a game; everything in it comes from *seed*, which without one is drawn.

        *options* prescribe how it begins, as of ``CyberdeckEnv.reset``. *played*: what is decided
        first, by whoever is to move; after that players and those who speak go on. *players*: who
        plays for some of the seats from now on. On an error the game before goes on.
        """
        require(seed is None or is_whole(seed), "seed", seed, "a whole number is needed")
        if seed is None:
            self._seeds = self._seeds or random.Random()
            seed = self._seeds.randrange(_SEEDS)
        else:
            self._seeds = random.Random(int(seed))
        now = self._players if players is None else self._seated(players)
        self.core.reset([int(seed)], options)
        self._players = now
        self._begin(int(seed), played, spare=True)
        if self.over and self._spared:  # without a question: then those with one answer are asked
            self.core.reset([int(seed)], options)
            self._begin(int(seed), played, spare=False)

    def _begin(self, seed: int, played: Sequence[int], spare: bool) -> None:
        """Go on from the beginning that the core has to the first question."""
        self.voided, self._unread, self._spare, self._spared = "", "", spare, False
        self._sit_down(seed)
        self._gained[:] = 0
        self._talks, self._answered, self._asked, self._guilty = {}, {}, {}, set()
        for action in played:
            self._game.position.check(action)
            self._game.step(action)
            self._gained += self.core.rewards[0]
        self._go_on()

    def _sit_down(self, seed: int) -> None:
        """The game that stands in the core begins."""
        core, view = self.core, showing.view_of(self.variant)
        whole = core.logs is None or core.logs[0].whole
        self._game = Game(view, CompiledPosition(core), seed, self._players)
        self._transcript = Transcript(self.variant, self._game.log, whole)

    def clone(self) -> Self:
        """A twin in the same state that goes its own way; players are shared."""
        twin = copy.copy(self)
        shared = (
            *(self.variant, self.prompts, self._believing, self._game.view),
            *self._players.values(),
        )
        memo: dict[int, Any] = {id(each): each for each in shared}
        vars(twin).update(copy.deepcopy(vars(self), memo))
        return twin

    # --- who is to say what ----------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game is over, or void."""
        return bool(self.voided) or self.core.movers.item(0) == NOBODY

    @property
    def deciding(self) -> tuple[int, ...]:
        """The seats that owe an answer."""
        if not (self._asked or self.over):  # a player has failed before it was their turn
            self._go_on()
        return tuple(self._asked)

    def prompt(self, seat: int | str) -> str:
        """What a seat that owes an answer is told; the same until it has decided."""
        at = self._asked_seat(seat)
        if not self._asked[at]:
            self._asked[at] = self._prompt(at)
        return self._asked[at]

    def legal(self, seat: int | str) -> dict[int, str]:
        """The notation of each action that is legal for a seat that owes an answer."""
        at = self._asked_seat(seat)
        self.prompt(at)
        return dict(self._talks[at].legal)

    def answer(self, seat: int | str, text: str, *, cut_off: bool = False) -> Verdict:
        """Take a seat's answer. *cut_off*: it was stopped before its end, by a limit of tokens.

        If it is a move, the game goes on as soon as all have answered; if not, the verdict's
        ``reply`` says what was wrong, and the seat has to answer again; or, if it has no try left,
        its side loses.
        """
        at = self._asked_seat(seat)
        require(isinstance(text, str), "text", text, "an answer is a text")
        self.prompt(at)
        verdict = self._talks[at].judge(text, cut_off)
        if not verdict.reply:
            if verdict.gives_up and verdict.kind != ILLEGAL:
                self._unread = verdict.kind
            self._answered[at] = RESIGNS if verdict.gives_up else verdict.answer.action or 0
            del self._asked[at]
            if not self._asked:
                self._go_on()
        return verdict

    def void(self, why: str) -> None:
        """End the game without a result, because a player's machine has failed."""
        self._need_a_running_game()
        self.voided, self._asked = why or "a player's machine has failed", {}

    @property
    def seed(self) -> int:
        """What the game was dealt from."""
        return self._game.seed

    @property
    def actions(self) -> list[int]:
        """Everybody's decisions so far; RESIGNS of who has given up."""
        return self._game.actions

    # --- what has come of it ---------------------------------------------------------------------

    def gained(self, seat: int) -> float:
        """What a seat has got since it was asked for that last."""
        gain, self._gained[seat] = float(self._gained[seat]), 0.0
        return gain

    @property
    def returns(self) -> tuple[float, ...]:
        """What each seat has got in a game that is over; nothing if that is void."""
        if not self.over:
            raise EpisodeError("the game is not over yet")
        if self.voided:
            return (0.0,) * self.variant.seats
        self.core.need_game()
        got = self.core.final_returns[0]
        if len(self._guilty) > 1:
            got = got - self.core.rewards[0] + self._verdict()
        return tuple(got.tolist())

    @property
    def reason(self) -> str:
        """Why a game is over, in the game's word, or what the last answer of who has given up was
        if that named no move; "" while it goes on, and of one that is void.
        """
        if self.core.movers.item(0) != NOBODY:
            return ""
        return self._unread or self.core.game.reasons[self.core.reasons.item(0)]

    @property
    def gave_up(self) -> tuple[int, ...]:
        """The seats that had no try left, or have resigned."""
        return tuple(seat for seat, action in self._answered.items() if action == RESIGNS)

    def ending(self, seat: int | None = None) -> Ending:
        """How a game ended, to a seat or to a spectator."""
        if self.voided:
            return Ending("The game does not count", self.voided, DRAWN)
        return self._game.ending_for(SPECTATOR if seat is None else seated(seat))

    def last_words(self, seat: int) -> str:
        """What a seat is told at the end: what has been done since it was asked, and the ending."""
        talk, ending = self._talks.get(seat), f"The game is over. {self.ending(seat).words}."
        known = talk.known if talk and talk.known is not None else 0
        return ending if self.voided else since(self._transcript, seat, known) + ending

    def answers(self, seat: int) -> dict[str, int]:
        """How many answers of each kind a seat has given."""
        talk = self._talks.get(seat)
        return dict(talk.answers) if talk else {}

    def transcript(self, seat: int | None = None) -> list[str]:
        """All that has been done, in order, as a seat may know it; or a spectator: None."""
        self.core.need_game()
        return list(self._transcript.lines(seat))

    # --- going on --------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Apply what has been answered, and let the others decide until somebody owes an answer."""
        core = self.core
        while not self.over:
            mover = core.movers.item(0)
            if mover in self._answered:
                action = self._answered.pop(mover)
            elif mover in self._players:
                player = self._players[mover]
                action = int(core.ask_in_match(player, core.all_rows)[0][0])
                if action == VOID:
                    self.void(player.failure or f"the machine of {player.name} has failed")
                    return
            else:
                seats = deciding(core.game, core.states) if core.game.simultaneous else [mover]
                self._ask([seat for seat in seats if seat not in self._players])
                if mover not in self._answered:
                    return
                self._asked = {}  # who is spared goes first
                continue
            self._game.step(action)
            if action == RESIGNS:  # it ends with all who have given up in this round
                self._answered[mover] = RESIGNS
                self._guilty = {self.variant.sides[seat] for seat in self.gave_up}
            self._gained += self._verdict() if len(self._guilty) > 1 else core.rewards[0]

    def _ask(self, seats: Sequence[int]) -> None:
        """These owe an answer, but for those who are spared a question with one answer."""
        for seat in seats:
            mask = self._position(seat)[1]
            if mask.sum() > 1 or not self._spare:
                self._asked[seat] = ""
            else:
                self._answered[seat], self._spared = int(mask.argmax()), True

    def _position(self, seat: int) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """The record with that seat as its mover, and what is legal for it."""
        states = self.core.states
        if seat == self.core.movers.item(0):
            return states, self.core.one_mask
        states = states.copy()
        states["mover"] = seat
        return states, self.variant.look(states, seat)[0]

    def _verdict(self) -> NDArray[np.float64]:
        """(S,): what the end brings where several sides have given up at the same time."""
        return np.array([-1.0 if side in self._guilty else 1.0 for side in self.variant.sides])

    def _prompt(self, seat: int) -> str:
        core, (states, mask) = self.core, self._position(seat)
        record = showing.reader(self.variant, states)
        legal = notations(self._game.view, record, mask.tolist())
        talk = self._talks.get(seat)
        if talk is None:
            talk = self._talks[seat] = Conversation(self.prompts, seat, self.retries)
        believed = ""
        if self._believing is not None and core.logs is not None:
            # As if it were first: of those who decide at the same time nobody knows what others do.
            log = replace(core.logs[0], record=states)
            believed = describe_beliefs(self._believing, History(log, seat))
        return talk.ask(record, legal, self._transcript, believed)

    # --- guards ----------------------------------------------------------------------------------

    def _seat(self, named: int | str) -> int:
        agents = self.variant.agents
        if named in agents:
            return agents.index(str(named))
        listed = ", ".join(f"{at} ({name})" for at, name in enumerate(agents))
        possible = is_whole(named) and 0 <= int(named) < len(agents)
        require(possible, "seat", named, f"choose one of {listed}")
        return int(named)

    def _asked_seat(self, named: int | str) -> int:
        self._need_a_running_game()
        seat = self._seat(named)
        if seat not in self.deciding:
            owing = ", ".join(self.variant.agents[each] for each in self._asked)
            raise EpisodeError(f"{self.variant.agents[seat]} owes no answer now: {owing} does")
        return seat

    def _need_a_running_game(self) -> None:
        self.core.need_game()
        if self.over:
            raise EpisodeError("the game is over: call reset() for another")
