"""HACKtheGRID in plain Python: lists, dictionaries and words, no tables of moves, no speed.

Written from the rules text without looking at the engine. Seat 0 (the column hacker) moves along
the top edge, seat 1 (the row hacker) along the left edge.
"""

from __future__ import annotations

#: The colours of the cards of each kind.
COLOURS = {
    "SCRAMBLE": "cyan magenta",
    "SIGNAL SPIKE": "magenta yellow green",
    "FIREWALL": "cyan yellow green",
    "LOOPBACK": "yellow green",
    "NET NODE": "cyan magenta green",
    "DATA PACKET": "cyan magenta yellow",
}
DEFAULT = [(kind, colour) for kind, colours in COLOURS.items() for colour in colours.split()]

# What each card is worth when a Run holds one, two, three of its kind; the last one holds on.
WORTH: dict[str, list[int]] = {
    "SCRAMBLE": [-3],
    "SIGNAL SPIKE": [2],
    "FIREWALL": [0, 1, -1],
    "LOOPBACK": [4, 1],
    "NET NODE": [0, 1, 2],
    "DATA PACKET": [1, 1, 2],
}

DECLINE = 68


def score_of(cards: list[tuple[str, str]]) -> int:
    """The score of a Run, given left to right as (kind, colour) pairs."""
    total = 0
    kinds = [kind for kind, _ in cards]
    for kind in kinds:
        worth = WORTH[kind]
        count = kinds.count(kind)
        total += worth[min(count, len(worth)) - 1]
    for position, (_, colour) in enumerate(cards):
        like_left = position > 0 and cards[position - 1][1] == colour
        like_right = position + 1 < len(cards) and cards[position + 1][1] == colour
        if like_left or like_right:
            total += 1
    return total


class HackTheGrid:
    """One game over a prescribed grid: sixteen card numbers, row by row."""

    def __init__(
        self,
        grid: list[int],
        first: int,
        deck: list[tuple[str, str]] = DEFAULT,
        scramble: str = "on_take",
        reward: str = "outcome",
    ) -> None:
        if sorted(grid) != list(range(16)) or len(deck) != 16:
            raise ValueError("sixteen different cards are needed")
        self.deck = list(deck)
        self.scramble = scramble
        self.reward = reward
        # Each crossing by its (row, column); None once the card is taken.
        self.grid: dict[tuple[int, int], int | None] = {
            (row, column): grid[4 * row + column] for row in range(4) for column in range(4)
        }
        self.avatars = [0, 0]
        self.runs: list[list[int]] = [[], []]
        self.mover: int | None = first
        self.phase = "move"
        self.over = False
        self.reason = ""
        # Who took a SCRAMBLE whose swap is still to be decided, in the order of taking.
        self.waiting: list[int] = []
        # Who moves after the swap of this turn.
        self.next_mover = first

    def scores(self) -> tuple[int, int]:
        first, second = ([self.deck[card] for card in run] for run in self.runs)
        return score_of(first), score_of(second)

    def is_scramble(self, card: int) -> bool:
        return self.deck[card][0] == "SCRAMBLE"

    def crossing(self, player: int, position: int) -> tuple[int, int]:
        """Where the lines cross if this player's avatar stands at a position: (row, column)."""
        if player == 0:
            return (self.avatars[1], position)
        return (position, self.avatars[0])

    def positions(self, player: int) -> list[int]:
        return [p for p in range(4) if self.grid[self.crossing(player, p)] is not None]

    def swaps(self, player: int) -> list[int]:
        found = []
        for i, mine in enumerate(self.runs[player]):
            for j, _ in enumerate(self.runs[1 - player]):
                if not self.is_scramble(mine):
                    found.append(4 + 8 * i + j)
        return found

    def legal(self) -> list[int]:
        if self.over:
            return []
        if self.phase == "swap":
            return [*self.swaps(self.mover), DECLINE]
        return self.positions(self.mover)

    def act(self, action: int) -> tuple[float, float]:
        if action not in self.legal():
            raise ValueError(f"action {action} is not legal: {self.legal()}")
        if self.phase == "move":
            self._take(action)
        else:
            self._swap(action)
        self._go_on()
        return self._rewards()

    def _take(self, position: int) -> None:
        player = self.mover
        where = self.crossing(player, position)
        self.avatars[player] = position
        card = self.grid[where]
        self.grid[where] = None
        self.runs[player].append(card)
        self.next_mover = 1 - player
        if self.is_scramble(card):
            self.waiting.append(player)

    def _swap(self, action: int) -> None:
        if action == DECLINE:
            return
        mine, theirs = self.runs[self.mover], self.runs[1 - self.mover]
        i, j = (action - 4) // 8, (action - 4) % 8
        mine[i], theirs[j] = theirs[j], mine[i]

    def _go_on(self) -> None:
        """Find out whose decision comes next, or end the game."""
        cards_left = [card for card in self.grid.values() if card is not None]
        if self.scramble == "on_take" or not cards_left:
            while self.waiting:
                player = self.waiting.pop(0)
                if self.swaps(player):
                    self.mover, self.phase = player, "swap"
                    return
        self.mover, self.phase = self.next_mover, "move"
        if not cards_left:
            self._end("grid_emptied")
        elif not self.positions(self.mover):
            self._end("cards_remain")

    def _end(self, reason: str) -> None:
        self.over, self.reason, self.mover = True, reason, None

    def _rewards(self) -> tuple[float, float]:
        if not self.over:
            return (0.0, 0.0)
        if self.reason == "cards_remain":
            return (-1.0, -1.0)
        first, second = self.scores()
        if self.reward == "margin":
            margin = max(-1.0, min(1.0, (first - second) / 20))
            return (margin, -margin)
        if first == second:
            return (0.0, 0.0)
        return (1.0, -1.0) if first > second else (-1.0, 1.0)
