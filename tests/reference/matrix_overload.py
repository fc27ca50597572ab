"""MATR1X 0VERL0AD in plain Python: lists, tuples and words, no tables, no speed.

Written from the rules text without looking at the engine. Every pile has a (row, column) place.
The matrix fills rows and columns 0, 1 and 2. An outer pile lies one step outside the matrix, in
row or column -1 or 3, beside the edge square that it borders.
"""

from __future__ import annotations

from copy import copy

SUITS = ["clubs", "hearts", "spades", "diamonds"]
COLOURS = {"clubs": "black", "spades": "black", "hearts": "red", "diamonds": "red"}
EDITIONS = ["firewall", "royals", "rulebook"]

# A fallen royal's reward: the greatest 32-bit float that is not above 1/12.
ROYAL = 2**27 // 12 / 2**27

# A card as words: (suit, value, colour). A joker is ("", 0, "").
Card = tuple[str, int, str]
Place = tuple[int, int]

INNER_PLACES: list[Place] = [(row, column) for row in range(3) for column in range(3)]

OUTER_PLACES: list[Place] = (
    [(-1, column) for column in range(3)]
    + [(row, column) for row in range(3) for column in (-1, 3)]
    + [(3, column) for column in range(3)]
)


def card_of(number: int) -> Card:
    """The card behind a number: 13 cards a suit from the ace up, then the jokers."""
    if number >= 52:
        return ("", 0, "")
    suit = SUITS[number // 13]
    return (suit, number % 13 + 1, COLOURS[suit])


def is_court(number: int) -> bool:
    return card_of(number)[1] >= 11


def is_ace(number: int) -> bool:
    return card_of(number)[1] == 1


def is_joker(number: int) -> bool:
    return card_of(number)[1] == 0


def steps_inward(outer: int) -> Place:
    """The one-step move that leads from an outer pile into the matrix."""
    row, column = OUTER_PLACES[outer]
    if row == -1:
        return (1, 0)
    if row == 3:
        return (-1, 0)
    if column == -1:
        return (0, 1)
    return (0, -1)


def inner_piles_seen_from(outer: int) -> list[int]:
    """The three inner piles in line with an outer pile, the nearest (the bordered one) first."""
    row, column = OUTER_PLACES[outer]
    down, right = steps_inward(outer)
    found = []
    for _ in range(3):
        row, column = row + down, column + right
        found.append(INNER_PLACES.index((row, column)))
    return found


class MatrixOverload:
    """One game over a prescribed deck. `deck[0]` is drawn first."""

    def __init__(
        self,
        deck: list[int],
        edition: str = "firewall",
        reward: str = "win",
        max_steps: int = 500,
        stall: str | None = None,
    ) -> None:
        if edition not in EDITIONS:
            raise ValueError(f"no such edition: {edition}")
        jokers = 2 if edition == "rulebook" else 1
        if sorted(deck) != list(range(52 + jokers)):
            raise ValueError("the deck must hold every card once")
        self.edition = edition
        self.reward = reward
        self.max_steps = max_steps
        self.stall = stall or ("lose" if edition == "rulebook" else "truncate")
        self.steps = 0
        self.terminated = False
        self.truncated = False
        self.reason = ""
        self.piles: list[list[int]] = [[] for _ in range(9)]
        self.outer: list[dict | None] = [None for _ in range(12)]

        deck = list(deck)
        set_aside: list[int] = []
        for pile in [0, 1, 2, 3, 5, 6, 7, 8]:
            while is_court(deck[0]):
                set_aside.append(deck.pop(0))
            self.piles[pile].append(deck.pop(0))
        self.draw_pile: list[int] = set_aside + deck
        # Which cards of the draw pile the player has seen, card by card.
        self.seen: list[bool] = [True] * len(set_aside) + [False] * len(deck)
        self._turn_up()

    def copied(self) -> MatrixOverload:
        """Another game in the same position, to try a move on."""
        other = copy(self)
        other.piles = [list(pile) for pile in self.piles]
        other.outer = [None if spot is None else dict(spot) for spot in self.outer]
        other.draw_pile = list(self.draw_pile)
        other.seen = list(self.seen)
        return other

    # What one can ask.

    @property
    def over(self) -> bool:
        return self.terminated or self.truncated

    @property
    def cards_left(self) -> int:
        return len(self.draw_pile)

    @property
    def royals_killed(self) -> int:
        return len([spot for spot in self.outer if spot is not None and spot["dead"]])

    @property
    def known(self) -> tuple[int, int]:
        """Known cards at the front (the face-up one among them) and at the back.

        When every card is known they are all counted at the front.
        """
        if all(self.seen):
            return len(self.seen), 0
        front = self.seen.index(False)
        back = self.seen[::-1].index(False)
        return front, back

    def top(self, pile: int) -> int | None:
        return self.piles[pile][-1] if self.piles[pile] else None

    def strength(self, outer: int) -> int:
        """What it takes to beat the royal on an outer pile."""
        return card_of(self.outer[outer]["card"])[1] + self.outer[outer]["ice"]

    def living_royals(self) -> list[int]:
        return [
            outer
            for outer, spot in enumerate(self.outer)
            if spot is not None and spot["card"] is not None and not spot["dead"]
        ]

    def empty_outer_piles(self) -> list[int]:
        """Outer piles without a royal. ICE alone, laid as a precaution, does not fill one."""
        return [
            outer for outer, spot in enumerate(self.outer) if spot is None or spot["card"] is None
        ]

    # Where cards may go.

    def legal(self) -> list[int]:
        if self.over or not self.draw_pile:
            return []
        return self._legal_for(self.draw_pile[0])

    def _legal_for(self, card: int) -> list[int]:
        if is_court(card):
            return sorted(9 + outer for outer in self._best_empty_outer_piles(card))
        if is_ace(card):
            return list(range(9))
        if is_joker(card):
            return self._lowest_piles()
        value = card_of(card)[1]
        fitting = []
        for pile in range(9):
            top = self.top(pile)
            if top is None or card_of(top)[1] <= value:
                fitting.append(pile)
        if fitting:
            return fitting
        return sorted(9 + outer for outer in self._ice_places(card))

    def _lowest_piles(self) -> list[int]:
        values = {}
        for pile in range(9):
            top = self.top(pile)
            if top is not None:
                values[pile] = card_of(top)[1]
            elif self.edition == "rulebook":
                values[pile] = 0
        if not values:
            return list(range(9))
        return [pile for pile in values if values[pile] == min(values.values())]

    def _likeness(self, card: int, top: int | None) -> str:
        """How the top card of an inner pile relates to a card looking for an outer pile."""
        suit, value, colour = card_of(card)
        if top is None:
            return "neither"
        if is_joker(top):
            return "suit" if self.edition == "rulebook" else "neither"
        top_suit, _, top_colour = card_of(top)
        shows_suit, shows_colour = True, True
        if self.edition == "firewall" and value == 11:
            shows_suit, shows_colour = False, False
        if self.edition == "firewall" and value == 12:
            shows_suit = False
        if shows_suit and suit == top_suit:
            return "suit"
        if shows_colour and colour == top_colour:
            return "colour"
        return "neither"

    def _best_empty_outer_piles(self, card: int) -> list[int]:
        ranks = {}
        for outer in self.empty_outer_piles():
            top = self.top(inner_piles_seen_from(outer)[0])
            order = ["neither", "colour", "suit"].index(self._likeness(card, top))
            value = 0 if top is None else card_of(top)[1]
            ranks[outer] = (order, value)
        return [outer for outer in ranks if ranks[outer] == max(ranks.values())]

    def _ice_places(self, card: int) -> list[int]:
        """Outer piles that may take a number card which fits nowhere in the matrix."""
        suit, value, colour = card_of(card)
        living = self.living_royals()
        if self.edition != "rulebook":
            return [outer for outer in living if self.strength(outer) + value <= 20]
        if not living:
            return self._best_empty_outer_piles(card)
        same_suit, same_colour = [], []
        for outer in living:
            royal_suit, _, royal_colour = card_of(self.outer[outer]["card"])
            if royal_suit == suit:
                same_suit.append(outer)
            if royal_colour == colour:
                same_colour.append(outer)
        candidates = same_suit or same_colour or living
        distance = {outer: abs(self.strength(outer) - value) for outer in candidates}
        return [outer for outer in candidates if distance[outer] == min(distance.values())]

    # What a move does.

    def act(self, action: int) -> float:
        if action not in self.legal():
            raise ValueError(f"action {action} is not legal: {self.legal()}")
        card = self.draw_pile.pop(0)
        self.seen.pop(0)
        self.steps += 1
        dead_before = self.royals_killed
        too_strong = False
        if action < 9:
            if is_ace(card) or is_joker(card):
                self._reset(action)
            self.piles[action].append(card)
            self._attack_from(action)
        else:
            too_strong = self._place_outside(card, action - 9)
        self._turn_up()

        if self.royals_killed == 12:
            self.terminated, self.reason = True, "won"
        elif too_strong:
            self.terminated, self.reason = True, "black_ice"
        elif not self.draw_pile:
            self.terminated, self.reason = True, "draw_pile_empty"
        elif not self._legal_for(self.draw_pile[0]):
            self.terminated, self.reason = True, "no_legal_pile"
        elif self.steps >= self.max_steps and self.stall == "lose":
            self.terminated, self.reason = True, "stalled"
        elif self.steps >= self.max_steps:
            self.truncated, self.reason = True, "max_steps"

        won = 1.0 if self.reason == "won" else 0.0
        if self.reward == "royals":
            return (self.royals_killed - dead_before) * ROYAL + won
        return won

    def _turn_up(self) -> None:
        if self.draw_pile:
            self.seen[0] = True

    def _reset(self, pile: int) -> None:
        """The pile goes to the bottom of the draw pile, its top card first."""
        while self.piles[pile]:
            self.draw_pile.append(self.piles[pile].pop())
            self.seen.append(True)

    def _attack_from(self, pile: int) -> None:
        for outer in self.living_royals():
            nearest, middle, farthest = inner_piles_seen_from(outer)
            if farthest == pile and self._beats(nearest, middle, outer):
                self.outer[outer]["dead"] = True

    def _beats(self, nearest: int, middle: int, outer: int) -> bool:
        royal_suit, royal_value, royal_colour = card_of(self.outer[outer]["card"])
        total = 0
        for pile in (nearest, middle):
            top = self.top(pile)
            if top is None:
                continue
            suit, value, colour = card_of(top)
            wild = self.edition == "rulebook" and is_joker(top)
            counts = wild
            if royal_value == 11:
                counts = True
            if royal_value == 12 and colour == royal_colour:
                counts = True
            if royal_value == 13 and suit == royal_suit:
                counts = True
            if not counts:
                return False
            total += value
        return total >= self.strength(outer)

    def _place_outside(self, card: int, outer: int) -> bool:
        """Lay a court card or a card of ICE outside the matrix. True if it is now too strong."""
        spot = self.outer[outer]
        if spot is None:
            spot = {"card": None, "ice": 0, "dead": False}
            self.outer[outer] = spot
        if is_court(card):
            spot["card"] = card
        else:
            spot["ice"] += card_of(card)[1]
        return spot["card"] is not None and self.strength(outer) > 20
