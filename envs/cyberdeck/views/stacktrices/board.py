"""The board in Stacktrices' pictures."""

from __future__ import annotations

from typing import Final

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST
from cyberdeck.drawing.svg import LIME, NIGHT, RED, at, box, number
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.names import FILES, square_name
from cyberdeck.views.record import Record
from cyberdeck.views.stacktrices import sight, signs
from cyberdeck.views.stacktrices.choices import Choices
from cyberdeck.views.stacktrices.story import Captured, Changed, Moved
from cyberdeck.views.view import Look

#: The sides' own colours: white's, black's.
OWN: Final = (svg.SILVER, svg.VIOLET)

GROUND: Final = svg.shade("#4a5890", "#b7c4e6")  # of the dark squares; black and white stand out
_LIGHT: Final = svg.shade("#6676b3", "#d8e0f5")
_LEFT, _TOP, _BELOW, _RIGHT = 24, 6, 26, 6  # around the squares: ranks, files
_LEAST_PITCH: Final = 12.0  # of pieces that may be chosen: all of their numbers are seen
_FULL: Final = 72.0  # a cell in which towers are as large as they are drawn
_BOW: Final = 0.2  # of the last move, where it was not straight


def draw_board(record: Record, look: Look, choices: Choices, cell: float) -> svg.Block:
    """The squares, the last move, all stacks, and what may be done with them."""
    board = _Board(record, look, choices, cell)
    under, above = board.goals()
    # Those in the back first: a tall one may touch the square behind it.
    stacks = [(owner, stack) for owner in range(2) for stack in sight.standing(record, owner)]
    stacks.sort(key=lambda each: -sight.mirrored(look.side, record.square[each[0]][each[1]]))
    drawn = board.ground() + board.last_move() + under
    for layer in (board.stack, board.changed):
        drawn += "".join(layer(*each) for each in stacks)
    drawn += above + "".join(board.chips(*each) for each in stacks)
    return svg.Block(_LEFT + board.long + _RIGHT, _TOP + board.long + _BELOW, drawn)


class _Board:
    """The layers of the board, and where its squares lie."""

    def __init__(self, record: Record, look: Look, choices: Choices, cell: float) -> None:
        self.record, self.look, self.choices, self.cell = record, look, choices, cell
        self.scale, self.long = cell / _FULL, c.SIDE * cell
        moved = [event for event in look.events if isinstance(event, Moved)]
        self.moved = {(event.seat, event.stack) for event in moved}
        self.changes = {
            (event.seat, event.stack): event for event in look.events if isinstance(event, Changed)
        }

    def corner(self, square: int) -> signs.Point:
        """The upper left corner of a square."""
        row, file = divmod(sight.mirrored(self.look.side, square), c.SIDE)
        return _LEFT + self.cell * file, _TOP + self.cell * (c.SIDE - 1 - row)

    def place(self, owner: int, stack: int) -> signs.Point:
        """The same of a stack's square."""
        return self.corner(self.record.square[owner][stack])

    # --- squares ---------------------------------------------------------------------------------

    def ground(self) -> str:
        """The squares, the home rows, ranks and files."""
        cell, long, side = self.cell, self.long, self.look.side
        dark = "".join(
            f"M{number(x)} {number(y)}h{number(cell)}v{number(cell)}h{number(-cell)}z"
            for x, y in map(self.corner, range(0, c.SQUARES, 2))
        )
        ground = box(_LEFT, _TOP, long, long, fill=_LIGHT) + svg.path(dark, fill=GROUND)
        for owner in range(2):
            ink, own = OWN[sight.colour_of(self.record, owner)], owner == side
            top = _TOP + (long - cell if own else 0)
            edge = top + cell + 2 if own else top - 2
            ground += box(_LEFT, top, long, cell, fill=ink, fill_opacity=0.16)
            ground += svg.stroke(f"M{_LEFT} {number(edge)}h{number(long)}", ink, 3)
        for at_ in range(c.SIDE):
            y = _TOP + cell * (c.SIDE - 0.5 - at_) + LEAST / 2
            rank = str(sight.rank_of(self.record, side, at_))
            ground += lettering.text(rank, _LEFT - 9, y, LEAST, "end", svg.DIM)
            x, y = _LEFT + cell * (at_ + 0.5), _TOP + long + 20
            ground += lettering.text(FILES[at_], x, y, LEAST, "middle", svg.DIM)
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
        if not _straight(record, record.last_from, record.last_to):
            middle = _LEFT + self.long / 2 - left, _TOP + self.long / 2 - top
            bow = _BOW if right * middle[1] > down * middle[0] else -_BOW
        share = 1 - 0.4 * cell / max(abs(right), abs(down))  # well into the last square
        there = box(x + 1, y + 1, cell - 2, cell - 2, 4, fill=svg.CYAN, fill_opacity=0.22)
        way = signs.trail(share * right, share * down, bow)
        return there + at(left + cell / 2, top + cell / 2, way)

    def goals(self) -> tuple[str, str]:
        """The squares where stacks may go, and above them the numbers of these stacks."""
        record, cell, moves = self.record, self.cell, self.choices.moves
        several = len({stack for stacks in moves.values() for stack in stacks}) > 1
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
                    x + 4,
                    y + 4,
                    cell - 8,
                    cell - 8,
                    8,
                    fill=LIME,
                    fill_opacity=0.12 if several else 0.3,
                    stroke=LIME,
                    stroke_opacity=0.6 if several else 1,
                    stroke_width=1.6,
                    stroke_dasharray="4 4" if several else None,
                )
            under += self.choices.some(ground, actions, name)
            for at_, (stack, action) in enumerate(stacks.items()):
                relayed = not _straight(record, record.square[record.mover][stack], square)
                sign = signs.goal(stack, captures, relayed)
                spot = self._spot(x, y, at_, len(stacks), captures)
                above += self.choices.one(at(*spot, sign), action)
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
        row, at_row = divmod(place, across)
        rows = (count + across - 1) // across
        length = min(across, count - across * row)
        return (
            x + cell / 2 + pitch * (at_row - (length - 1) / 2),
            y + cell / 2 + pitch * (row - (rows - 1) / 2),
        )

    # --- stacks ----------------------------------------------------------------------------------

    def stack(self, owner: int, stack: int) -> str:
        """A stack on its square, with its name and its marks."""
        record, viewer, cell, scale = self.record, self.look.viewer, self.cell, self.scale
        (x, y), queen, drawn = self.place(owner, stack), stack >= c.DRONES, ""
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
        name, small = sight.label(record, owner, stack), max(scale, 0.8)
        drawn += svg.piece(tower + signs.plate(name, x + 3, y + 3), name)
        if stack == sight.thief_seen(record, viewer, owner):
            mark = signs.thief_mark(stack == sight.known_thief(record, owner))
            drawn += at(x + 12, y + cell - 12, mark, small)
        if not queen and record.raided[owner][stack]:
            drawn += at(x + 12, y + cell - 12 - 20 * small, signs.RAIDED, small)
        if not actions:
            return drawn
        drawn += self._whole(x, y)
        if c.HIDES <= actions[0] < c.PUTS:
            return self.choices.one(drawn, actions[0])
        return self.choices.some(drawn, actions, sight.stack_name(record, owner, stack))

    def _may_act(self, x: float, y: float, inset: float) -> str:
        """Corners of a square whose stack has legal actions."""
        wide, arm = self.cell - 2 * inset, 0.19 * self.cell
        frame = x + inset, y + inset, wide, wide, arm
        return svg.corners(*frame, NIGHT, 5) + svg.corners(*frame, LIME, 2.6)

    def changed(self, owner: int, stack: int) -> str:
        """What has just happened to a stack: it has moved, has captured, has got or lost pieces."""
        key, cell, record = (owner, stack), self.cell, self.record
        if key not in self.moved and key not in self.changes:
            return ""
        x, y = self.place(owner, stack)
        marked = lettering.ring(x + 4, y + 4, cell - 8, cell - 8, 5)
        if owner == record.mover and self.choices.of_stack[key]:
            marked += self._may_act(x, y, 1)  # over the ring
        if key not in self.moved:
            return marked
        marked += lettering.happened(x + cell - 6, y + 6, lettering.MOVED)
        for event in self.look.events:
            if isinstance(event, Captured) and event.seat == owner:
                words = f"{lettering.FELL}{sight.label(record, 1 - owner, event.stack)}"
                marked += signs.plate(words, x + cell - 39, y + cell - 17, RED)
                break
        return marked

    def chips(self, owner: int, stack: int) -> str:
        """The pieces that have just left a stack or come on it, and those that may, down its right
        edge.
        """
        change, earlier = self.changes.get((owner, stack)), _traded(self.record, owner, stack)
        now = [(1, kind) for kind in change.came] if change else []
        now += [(-1, kind) for kind in change.left] if change else []
        for each in now:
            if each in earlier:
                earlier.remove(each)
        drawn: list[tuple[str, int | None]] = [
            *((signs.chip(*each, signs.NOW), None) for each in now),
            *((signs.chip(*each, signs.EARLIER), None) for each in earlier),
        ]
        top = 17.0 if (owner, stack) in self.moved else -2.0 if drawn else 2.0  # below signs
        drawn += [
            (signs.chip(way, kind, signs.MAY), action)
            for way, kind, action in sorted(self.choices.pieces[owner, stack])
        ]
        (wide, high), (x, y) = signs.CHIP, self.place(owner, stack)
        room = self.cell - top - high - 1
        pitch = min(high + 1.0, max(_LEAST_PITCH, room / max(1, len(drawn) - 1)))
        rows, content = 1 + int(room / pitch + 0.01), ""
        for place, (sign, action) in enumerate(drawn):
            column, row = divmod(place, rows)
            there = at(x + self.cell - (wide + 1) * (column + 1), y + top + pitch * row, sign)
            content += there if action is None else self.choices.one(there, action)
        return content


def _straight(record: Record, start: int, end: int) -> bool:
    """Whether two squares are on a line, and nothing stands between them."""
    (rank, file), (end_rank, end_file) = divmod(start, c.SIDE), divmod(end, c.SIDE)
    up, right = end_rank - rank, end_file - file
    if up and right and abs(up) != abs(right):
        return False
    far = max(abs(up), abs(right))
    step = (end - start) // far
    return all(record.board[start + step * at_] == c.NONE for at_ in range(1, far))


def _traded(record: Record, owner: int, stack: int) -> list[tuple[int, int]]:
    """The pieces that a stack has given and got so far in a trade."""
    if record.phase != c.TRADE or record.mover != owner:
        return []
    return [
        (change, piece % c.KINDS)
        for change, pieces in ((-1, record.given), (1, record.taken))
        for piece in pieces
        if piece != c.NONE and piece // c.KINDS == stack
    ]
