"""What may be chosen in Stacktrices' pictures: the legal actions of stacks, squares and pieces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from cyberdeck.drawing.svg import target
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.views.record import Record
from cyberdeck.views.stacktrices.page import MOVE, OTHER, PICK, PUT, act_of, action_name


class Choices:
    """What the legal actions that a picture shows take part in; none where nobody chooses."""

    def __init__(self, record: Record, legal: Sequence[int]) -> None:
        self.record = record
        #: The squares that stacks may move to; each with the stacks, and their actions.
        self.moves: dict[int, dict[int, int]] = defaultdict(dict)
        #: Of each stack, by its owner and number.
        self.of_stack: dict[tuple[int, int], list[int]] = defaultdict(list)
        #: The pieces that may leave a stack (-1), or come on it (1), and the action.
        self.pieces: dict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
        #: Of the kinds that lie beside the board: in the hand, or in the store.
        self.of_kind: dict[int, list[int]] = defaultdict(list)
        #: Those that are neither square nor piece, by what they are from `claim` on.
        self.buttons: dict[int, int] = {}
        for action in legal:
            sort, owner, stack, what = act_of(record, action)
            if sort == OTHER:
                self.buttons[what] = action
                continue
            self.of_stack[owner, stack].append(action)
            if sort == MOVE:
                self.moves[what][stack] = action
            elif sort in (PUT, PICK):
                self.pieces[owner, stack].append((1 if sort == PUT else -1, what, action))
            if sort == PUT or (sort == PICK and record.phase == c.STEAL):  # stolen from the store
                self.of_kind[what].append(action)

    def one(self, content: str, action: int) -> str:
        """*content* as what stands for an action."""
        return target(content, [action], action_name(self.record, action))

    def some(self, content: str, actions: Sequence[int], words: str) -> str:
        """*content* as one end of actions, which others stand for as well."""
        return target(content, actions, words, alone=False)
