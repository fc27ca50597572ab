"""Stacktrices in pictures: only what the viewer may see, and what may be chosen in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST, small, width
from cyberdeck.drawing.svg import AMBER, BRIGHT, LIME, LINE, NIGHT, RED, Block, at, box, number, way
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.names import COLOURS, FILES, KIND_NAMES, square_name
from cyberdeck.views.record import Record
from cyberdeck.views.stacktrices import sight, signs
from cyberdeck.views.stacktrices.page import MOVE, OTHER, PICK, PUT, act_of, action_name, hand_name
from cyberdeck.views.stacktrices.story import Captured, Changed, Exposed, Hidden, Moved, Raided
from cyberdeck.views.view import NEWS, STATUS, Drawn, Look, Page, seat_of

#: The sides' own colours: white's, black's.
OWN: Final = (svg.SILVER, svg.VIOLET)

_GROUND: Final = svg.shade("#4a5890", "#b7c4e6")  # of the dark squares; black and white stand out
_LIGHT: Final = svg.shade("#6676b3", "#d8e0f5")
_LEFT, _TOP, _BELOW, _RIGHT = 24, 6, 26, 6  # around the squares: ranks, files
_LEAST_PITCH: Final = 12.0  # of pieces that may be chosen: all of their numbers are seen
_FULL: Final = 72.0  # a cell in which towers are as large as they are drawn
_BOW: Final = 0.2  # of the last move, where it was not straight


class _Choices:
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
            if sort == PUT or (sort == PICK and record.phase == c.STEAL):
                self.of_kind[what].append(action)

    def one(self, content: str, action: int) -> str:
        """*content* as what stands for an action."""
        return svg.target(content, [action], action_name(self.record, action))

    def some(self, content: str, actions: Sequence[int], words: str) -> str:
        """*content* as one end of actions, which others stand for as well."""
        return svg.target(content, actions, words, alone=False)


def _board(record: Record, look: Look, choices: _Choices, cell: float) -> Block:
    """The squares, the last move, all stacks, and what may be done with them."""
    board = _Layers(record, look, choices, cell)
    under, above = board.goals()
    # Those in the back first: a tall one may touch the square behind it.
    stacks = [(owner, stack) for owner in range(2) for stack in sight.standing(record, owner)]
    stacks.sort(key=lambda each: -sight.mirrored(look.side, record.square[each[0]][each[1]]))
    drawn = board.ground() + board.last_move() + under
    for layer in (board.stack, board.changed):
        drawn += "".join(layer(*each) for each in stacks)
    drawn += above + "".join(board.chips(*each) for each in stacks)
    return Block(_LEFT + board.long + _RIGHT, _TOP + board.long + _BELOW, drawn)


class _Layers:
    """The layers of the board, and where its squares lie."""

    def __init__(self, record: Record, look: Look, choices: _Choices, cell: float) -> None:
        self.record, self.look, self.choices, self.cell = record, look, choices, cell
        self.scale, self.long = cell / _FULL, c.SIDE * cell
        self.moved = {(each.seat, each.stack) for each in look.events if isinstance(each, Moved)}
        self.changes = {
            (each.seat, each.stack): each for each in look.events if isinstance(each, Changed)
        }
        self.shown = {  # as a thief
            (each.seat, each.stack) for each in look.events if isinstance(each, Raided | Exposed)
        }

    def corner(self, square: int) -> signs.Point:
        """The upper left corner of a square."""
        row, file = divmod(sight.mirrored(self.look.side, square), c.SIDE)
        return _LEFT + self.cell * file, _TOP + self.cell * (c.SIDE - 1 - row)

    # --- squares ---------------------------------------------------------------------------------

    def ground(self) -> str:
        """The squares, the home rows, ranks and files."""
        cell, long, side = self.cell, self.long, self.look.side
        corners = map(self.corner, range(0, c.SQUARES, 2))
        dark = "".join(way("M{} {}h{}v{}h{}z", *each, cell, cell, -cell) for each in corners)
        ground = box(_LEFT, _TOP, long, long, fill=_LIGHT) + svg.path(dark, fill=_GROUND)
        for owner in range(2):
            ink, own = OWN[sight.colour_of(self.record, owner)], owner == side
            top = _TOP + (long - cell if own else 0)
            edge = top + cell + 2 if own else top - 2
            ground += box(_LEFT, top, long, cell, fill=ink, fill_opacity=0.16)
            ground += svg.stroke(f"M{_LEFT} {number(edge)}h{number(long)}", ink, 3)
        for at_, file in enumerate(FILES):
            rank, y = sight.rank_of(self.record, side, at_), cell * (c.SIDE - 0.5 - at_)
            ground += small(str(rank), _LEFT - 9, _TOP + y + LEAST / 2, svg.DIM, "end")
            ground += small(file, _LEFT + cell * (at_ + 0.5), _TOP + long + 20, svg.DIM, "middle")
        return ground

    def last_move(self) -> str:
        """Where the last move came from, and where it went; bowed towards the middle of the board
        if it was not straight.
        """
        record, cell = self.record, self.cell
        if record.last_from == c.NONE:
            return ""
        (left, top), (x, y) = self.corner(record.last_from), self.corner(record.last_to)
        right, down, bow = x - left, y - top, 0.0
        if not sight.straight(record, record.last_from, record.last_to):
            middle = _LEFT + self.long / 2 - left, _TOP + self.long / 2 - top
            bow = _BOW if right * middle[1] > down * middle[0] else -_BOW
        share = 1 - 0.4 * cell / max(abs(right), abs(down))  # well into the last square
        there = box(x + 1, y + 1, cell - 2, cell - 2, 4, fill=svg.CYAN, fill_opacity=0.22)
        trail = signs.trail(share * right, share * down, bow)
        return there + at(left + cell / 2, top + cell / 2, trail)

    def goals(self) -> tuple[str, str]:
        """The squares where stacks may go, and above them the numbers of these stacks."""
        record, cell, moves = self.record, self.cell, self.choices.moves
        several = len({stack for stacks in moves.values() for stack in stacks}) > 1
        light, edge, dashes = (0.12, 0.6, "4 4") if several else (0.3, 1, None)
        under = above = ""
        for square, stacks in moves.items():
            x, y = self.corner(square)
            actions, name = list(stacks.values()), square_name(record.first, square)
            captures = record.board[square] != c.NONE
            if captures:
                ground = box(x, y, cell, cell, fill=RED, fill_opacity=0.3)
                frame = at(x + cell / 2, y + cell / 2, signs.aim(cell / 2 - 3))
                above += self.choices.some(frame + self._whole(x, y), actions, name)
            else:
                ground = box(
                    *(x + 4, y + 4, cell - 8, cell - 8, 8),
                    fill=LIME,
                    fill_opacity=light,
                    stroke=LIME,
                    stroke_opacity=edge,
                    stroke_width=1.6,
                    stroke_dasharray=dashes,
                )
            under += self.choices.some(ground, actions, name)
            for at_, (stack, action) in enumerate(stacks.items()):
                relayed = not sight.straight(record, record.square[record.mover][stack], square)
                spot = self._spot(x, y, at_, len(stacks), captures)
                above += self.choices.one(at(*spot, signs.goal(stack, captures, relayed)), action)
        return under, above

    def _whole(self, x: float, y: float) -> str:
        """All of a square can be clicked."""
        return box(x, y, self.cell, self.cell, fill=NIGHT, fill_opacity=0)

    def _spot(self, x: float, y: float, place: int, count: int, captures: bool) -> signs.Point:
        """The middle of the sign for one of several stacks that may go to a square."""
        cell, pitch, across = self.cell, 19 * max(self.scale, 0.84), 3
        if captures:  # along the edges, where the stack's name and signs are last
            right, down = ((1, 2), (1, 1), (0, 2), (0, 1), (1, 0), (0, 0), (0.5, 0))[place]
            return x + 13 + (cell - 26) * right, y + 14 + (cell - 28) / 2 * down
        row, column = divmod(place, across)
        aside = column - (min(across, count - across * row) - 1) / 2
        under = row - ((count - 1) // across) / 2
        return x + cell / 2 + pitch * aside, y + cell / 2 + pitch * under

    # --- stacks ----------------------------------------------------------------------------------

    def stack(self, owner: int, stack: int) -> str:
        """A stack on its square, with its name and its marks."""
        record, viewer, cell, scale = self.record, self.look.viewer, self.cell, self.scale
        (x, y), queen, drawn = self.corner(record.square[owner][stack]), stack >= c.DRONES, ""
        actions = self.choices.of_stack[owner, stack]
        if actions and owner == record.mover:
            drawn += box(x + 1, y + 1, cell - 2, cell - 2, 6, fill=LIME, fill_opacity=0.2)
            drawn += self._may_act(x, y, 3)
        pieces = sight.pieces_seen(record, viewer, owner, stack)
        change = self.changes.get((owner, stack))
        fresh = change.came if change else ()
        pyramids, counts = signs.tower(sight.colour_of(record, owner), queen, pieces, fresh)
        # Beside the pieces that may be chosen.
        aside = 4 if self.choices.pieces[owner, stack] else 0
        foot_x, foot_y = x + cell / 2 - aside, y + cell - 7 * scale
        tower = at(foot_x, foot_y, pyramids, scale)
        for words, (left, down) in counts:
            tower += signs.plate(words, foot_x + scale * left - 14, foot_y + scale * down - LEAST)
        if sight.caps_hidden(record, viewer, owner):
            tower += signs.plate("?", foot_x - 6, foot_y - 44 * scale)
        name, size = sight.label(record, owner, stack), max(scale, 0.8)
        drawn += svg.piece(tower + signs.plate(name, x + 3, y + 3), name)
        if stack == sight.thief_seen(record, viewer, owner):
            mark = signs.thief_mark(stack == sight.known_thief(record, owner))
            drawn += at(x + 12, y + cell - 12, mark, size)
        if not queen and record.raided[owner][stack]:
            drawn += at(x + 12, y + cell - 12 - 20 * size, signs.RAIDED, size)
        if not actions:
            return drawn
        drawn += self._whole(x, y)
        if c.HIDES <= actions[0] < c.PUTS:
            return self.choices.one(drawn, actions[0])
        return self.choices.some(drawn, actions, sight.stack_name(record, owner, stack))

    def _may_act(self, x: float, y: float, inset: float) -> str:
        """Corners of a square whose stack has legal actions."""
        wide = self.cell - 2 * inset
        frame = x + inset, y + inset, wide, wide, 0.19 * self.cell
        return svg.corners(*frame, NIGHT, 5) + svg.corners(*frame, LIME, 2.6)

    def changed(self, owner: int, stack: int) -> str:
        """What has just happened to a stack: it has moved, has captured, has got or lost pieces, or
        has shown that it is the thief.
        """
        key, cell, record = (owner, stack), self.cell, self.record
        if key not in self.moved and key not in self.changes and key not in self.shown:
            return ""
        x, y = self.corner(record.square[owner][stack])
        marked = lettering.ring(x + 4, y + 4, cell - 8, cell - 8, 5)
        if owner == record.mover and self.choices.of_stack[key]:
            marked += self._may_act(x, y, 1)  # over the ring
        if key not in self.moved:
            return marked
        marked += lettering.happened(x + cell - 6, y + 6, lettering.MOVED)
        fell = (e.stack for e in self.look.events if isinstance(e, Captured) and e.seat == owner)
        if (victim := next(fell, None)) is not None:
            words = f"{lettering.FELL}{sight.label(record, 1 - owner, victim)}"
            marked += signs.plate(words, x + cell - 39, y + cell - 17, RED)
        return marked

    def chips(self, owner: int, stack: int) -> str:
        """The pieces that have just left a stack or come on it, and those that may, down its right
        edge.
        """
        record, now = self.record, list[tuple[int, int]]()
        if change := self.changes.get((owner, stack)):
            now = [(1, kind) for kind in change.came] + [(-1, kind) for kind in change.left]
        earlier = [  # given or got so far in a trade
            (sense, piece % c.KINDS)
            for sense, pieces in ((-1, record.given), (1, record.taken))
            for piece in pieces
            if record.phase == c.TRADE and record.mover == owner
            if piece != c.NONE and piece // c.KINDS == stack
        ]
        for each in now:
            if each in earlier:
                earlier.remove(each)
        drawn: list[tuple[str, int | None]] = [
            *((signs.chip(*each, signs.NOW), None) for each in now),
            *((signs.chip(*each, signs.EARLIER), None) for each in earlier),
        ]
        top = 17.0 if (owner, stack) in self.moved else -2.0 if drawn else 2.0  # below signs
        for sense, kind, action in sorted(self.choices.pieces[owner, stack]):
            drawn.append((signs.chip(sense, kind, signs.MAY), action))
        (wide, high), (x, y) = signs.CHIP, self.corner(record.square[owner][stack])
        room = self.cell - top - high - 1
        pitch = min(high + 1.0, max(_LEAST_PITCH, room / max(1, len(drawn) - 1)))
        rows, content = 1 + int(room / pitch + 0.01), ""
        for place, (sign, chosen) in enumerate(drawn):
            column, row = divmod(place, rows)
            there = at(x + self.cell - (wide + 1) * (column + 1), y + top + pitch * row, sign)
            content += there if chosen is None else self.choices.one(there, chosen)
        return content


# --- the sides -----------------------------------------------------------------------------------


def _side(record: Record, look: Look, owner: int, wide: float) -> Block:
    """Who plays this side, whether it is to decide, and the stacks that it has left."""
    colour, left = sight.colour_of(record, owner), sight.standing(record, owner)
    mover, ink, name, high = record.mover == owner, OWN[colour], COLOURS[colour], 46
    bar = svg.panel(0, 0, wide, high, LIME if mover else LINE)
    bar += lettering.text(name, 14, 29, 12, colour=ink)
    x = 14 + width(name, 12) + 10
    if owner == seat_of(look.viewer):
        bar += box(x, 14, 42, 19, 9, fill=ink)
        bar += lettering.text("You", x + 21, 29, LEAST, "middle", NIGHT, 1.8)
        x += 50
    if mover:
        bar += svg.stroke(f"M{x + 2} 17l7 6-7 6", LIME, 2.6)
    if any(isinstance(each, Hidden) and each.seat == owner for each in look.events):
        bar += at(x + 24, 23, signs.thief_mark(False))
        bar += svg.disc(x + 24, 23, 12, "none", stroke=BRIGHT, stroke_width=2.4)
    # On the board's own ground: black is black.
    bar += box(wide - 216, 3, 176, high - 6, 8, fill=_GROUND)
    fell = [e.stack for e in look.events if isinstance(e, Captured) and e.seat != owner]
    for stack in range(c.STACKS):
        x = wide - 200 + 24 * stack
        bar += at(x, 23, signs.silhouette(colour, stack >= c.DRONES, stack in left))
        bar += small(str(stack), x, 40, BRIGHT, "middle")
        if stack in fell:
            bar += box(x - 12, 1, 24, high - 2, 6, stroke=BRIGHT, stroke_width=2.4)
    bar += lettering.text(str(len(left)), wide - 12, 30, 14, "end", BRIGHT)
    return Block(wide, high, bar)


# --- beside the board ----------------------------------------------------------------------------


def _shelf(
    words: str, counts: list[int], had: list[int], lit: Mapping[int, list[int]], all_: _Choices
) -> Block:
    """Pieces by kind, movement left and skill right; a frame where there are more than it *had*."""
    shelf, wide, high = small(words, 2, LEAST, svg.CYAN), 64, 32
    for kind, count in enumerate(counts):
        x, y = (wide + 2 if kind >= c.SKILL else 0), 18 + high * (c.QUEEN - kind % c.SKILL)
        frame, actions, there = (x, y, wide, high - 2, 6), lit.get(kind, []), ""
        if actions:
            there += svg.glow(*frame, LIME, 0.7)
            there += box(*frame, fill=NIGHT, stroke=LIME, stroke_width=2)
        sign = at(x + 21, y + 27, signs.piece(kind), 0.72)
        there += svg.group(sign, opacity=None if count else 0.25)
        ink = BRIGHT if count else LINE
        there += lettering.text(str(count), x + wide - 6, y + 23, LEAST, "end", ink, 1.8)
        if actions and actions[0] >= c.OWN_PICKS:  # nothing else stands for it
            there = all_.one(there, actions[0])
        else:
            there = all_.some(there, actions, KIND_NAMES[kind])
        if count > had[kind]:
            there += box(*frame, stroke=BRIGHT, stroke_width=2.4)
        shelf += there
    return Block(2 * wide + 2, 3 * high + 18, shelf)


def _shelves(record: Record, look: Look, choices: _Choices) -> Block:
    """The store, and the open hand."""
    old, name, hand = look.before or record, hand_name(record), sight.hand_seen(record, look.viewer)
    in_hand = record.phase in (c.CAP, c.STEAL, c.PLACE_STOLEN, c.PLACE_RAIDED)
    lit = ({}, choices.of_kind) if in_hand else (choices.of_kind, {})
    store = _shelf("Store", sight.store_seen(record), sight.store_seen(old), lit[0], choices)
    if not any(hand):
        return Block(2 * store.width + 12, store.height, store.content)
    if name == "given":
        worth = sight.pips_of(record.given)
        name += f" {worth}, take {worth - c.TRADE_FEE}"
    had = [0] * c.KINDS
    if hand_name(old) == hand_name(record):
        had = sight.hand_seen(old, look.viewer)
    beside = _shelf(name, hand, had, lit[1], choices)
    edge = svg.stroke(f"M-7 2V{store.height - 4}", LINE, 1)
    return svg.flow([store, beside._replace(content=edge + beside.content)], 300, 12)


@svg.kept
def _legend(wide: float, own: bool) -> Block:
    """What pieces and marks mean; *own*: to one of the players."""
    skills = [
        at(-5, 9, signs.piece(c.SKILL + size), 0.5) + at(8, -4, signs.compass(size, BRIGHT), 0.7)
        for size in range(c.SIZES)
    ]
    friend, _ = signs.tower(0, False, (0, 1, 0, 0, 0, 0))
    items = [
        (at(0, 9, signs.base(0, False, False), 0.5), "drone"),
        (at(0, 9, signs.base(0, True, False), 0.45), "queen"),
        (lettering.happened(0, 0, lettering.MOVED), "moved"),
        (at(0, 9, signs.piece(c.PAWN), 0.6), "movement pawn: reach 1"),
        (at(0, 9, signs.piece(c.DRONE), 0.6), "drone: 2"),
        (at(0, 9, signs.piece(c.QUEEN), 0.6), "queen: 3"),
        (skills[c.PAWN], "skill pawn: diagonal"),
        (skills[c.DRONE], "drone: straight"),
        (at(-9, -9, svg.corners(0, 0, 18, 18, 6, LIME, 2.6)), "may act"),
        (skills[c.QUEEN], "queen: all"),
        (small(f"{lettering.FELL}B1", 0, LEAST / 2, RED, "middle"), "captured"),
        (at(0, 9, friend, 0.5), "pass straight through; with skill, also turn"),
        (signs.thief_mark(False), "thief, only you see it" if own else "thief"),
        (at(0, 2, signs.thief_mark(True), 0.8), "thief, known to all"),
        (signs.RAIDED, "has raided"),
        (at(-9, 0, signs.trail(20, 0), 0.9), "last move"),
        (signs.goal(3, False), "3 may come"),
        (signs.aim(11), "to capture"),
        (signs.goal(3, False, True), "by own stacks or warp"),
        (_chips(1, signs.MAY), "2-pip piece may come"),
        (_chips(-1, signs.MAY), "or leave"),
        (_chips(1, signs.NOW), "came"),
        (_chips(-1, signs.NOW), "left"),
        (_chips(-1, signs.EARLIER), "left earlier in this trade"),
    ]
    return lettering.legend(items, wide, 11)


def _chips(change: int, edge: str) -> str:
    """A piece of movement over one of skill."""
    skill, movement = signs.chip(change, c.SKILL, edge), signs.chip(change, c.DRONE, edge)
    return at(-13, -13, skill) + at(-7, -2, movement)


# --- the whole -----------------------------------------------------------------------------------


def _buttons(choices: _Choices, wide: float) -> Block:
    """The legal choices that are neither square nor piece."""
    buttons = []
    for after, words, ink in (
        (0, "Claim a raid", AMBER),
        (c.EXPOSE, "Expose", AMBER),
        (c.CALL_OFF, "Call off: all back, turn ends", LIME),
        (c.END_TURN, "End turn", LIME),
    ):
        if after in choices.buttons:
            long = width(words, LEAST) + 26
            drawn = lettering.button(words, 0, 0, long, ink, NIGHT, 1.8)
            buttons.append(Block(long, 26, choices.one(drawn, choices.buttons[after])))
    return svg.flow(buttons, wide, 9)


_GAP: Final = 10


def draw(record: Record, page: Page, look: Look) -> Drawn:
    """The table, the viewer's home row below."""
    wide, edge, cell = (390, 5, 50) if look.narrow else (896, 14, 71 if look.bare else 72)
    room = wide - 2 * edge
    choices = _Choices(record, look.choices or ())
    board = _board(record, look, choices, cell)
    if not look.narrow:
        board = svg.panelled(board, 12)
    sides = [_side(record, look, owner, board.width) for owner in (1 - look.side, look.side)]
    middle = svg.flow([sides[0], board, sides[1]], board.width, _GAP)
    beside = room if look.narrow else room - board.width - _GAP
    meant = _legend(beside - (36 if look.narrow else 28), look.viewer is not None)
    signs_ = svg.flow([_shelves(record, look, choices), meant], beside - 28, 12)
    if look.narrow:
        signs_ = svg.panelled(signs_, 14, beside)
    else:
        ground = svg.panel(0, 0, beside, middle.height)
        if look.bare:  # what may be chosen has a place of its own there
            ground += at(14, middle.height - 36, _buttons(choices, beside - 28).content)
        signs_ = Block(beside, middle.height, ground + at(14, 16, signs_.content))
    blocks: list[Block | str] = [middle, NEWS, STATUS, signs_]
    if not look.narrow:
        blocks = [middle, signs_, NEWS, STATUS]
    unit, rows = "move" if record.phase == c.MOVE else "choice", 4 if look.narrow else 2
    buttons = None if look.bare and not look.narrow else _buttons(choices, room)
    return Drawn(wide, edge, _GAP, blocks, unit=unit, buttons=buttons, news_rows=rows)
