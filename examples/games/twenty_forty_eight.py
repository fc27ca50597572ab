"""2048: slide all tiles of a grid to one edge. Two equal tiles that meet make one of twice the
number, each once in a slide, and that number is your score. After each slide a 2 or, one time in
ten, a 4 comes to an empty cell. It is over when nothing can slide.

cyberdeck play examples/games/twenty_forty_eight.py
"""

from cyberdeck import Feature, Field, Game, Metric, Option, View, dice, end, kernel
from cyberdeck.views.view import DRAWN, Board, Cell, Ending, Page

NAMES = ("up", "down", "left", "right")
UP, DOWN, LEFT, RIGHT = range(4)
MOST_CELLS, MOST, STUCK = 25, 26, 2  # a tile is 2 to the power of what the grid holds


@kernel
def place(state, direction, line, step):
    """The cell so many steps from the edge that tiles slide to."""
    if direction % 2:
        step = state.side - 1 - step
    return state.side * step + line if direction < LEFT else state.side * line + step


@kernel
def slides(state, direction):
    for line in range(state.side):
        for step in range(1, state.side):
            tile = state.grid[place(state, direction, line, step)]
            before = state.grid[place(state, direction, line, step - 1)]
            if tile and (before == 0 or before == tile):
                return True
    return False


@kernel
def appear(state):
    """A new tile in an empty cell."""
    empty = 0
    for cell in range(state.side**2):
        empty += state.grid[cell] == 0
    skipped = dice.below(state, empty)
    for cell in range(state.side**2):
        if state.grid[cell] == 0 and skipped == 0:
            state.grid[cell] = 2 if dice.below(state, 10) == 0 else 1
            return
        skipped -= state.grid[cell] == 0


@kernel
def shuffle(state):
    state.grid[:] = 0
    appear(state)
    appear(state)


@kernel
def start(state):
    state.score = 0


@kernel
def legal(state, mask):
    for direction in range(4):
        mask[direction] = slides(state, direction)


@kernel
def act(state, action):
    for line in range(state.side):
        free, last = 0, 0  # where the next tile comes to rest, and the one it may meet there
        for step in range(state.side):
            cell = place(state, action, line, step)
            tile = state.grid[cell]
            state.grid[cell] = 0
            if tile and tile == last:
                state.grid[place(state, action, line, free - 1)] = tile + 1
                state.reward[0] += 2 << tile
                last = 0
            elif tile:
                state.grid[place(state, action, line, free)] = tile
                free, last = free + 1, tile
    state.score += int(state.reward[0])
    appear(state)
    for direction in range(4):
        if slides(state, direction):
            return
    end(state, STUCK)


@kernel
def observe(state, seat, out):
    for cell in range(state.side**2):
        out[cell] = state.grid[cell]


@kernel
def report(state, seat, out):
    for cell in range(state.side**2):
        out[0] = max(out[0], 1 << state.grid[cell])


@kernel
def heuristic(state, mask, random_bits):
    """Keep the large tiles in one corner."""
    return DOWN if mask[DOWN] else LEFT if mask[LEFT] else RIGHT if mask[RIGHT] else UP


def ending(record, viewer):
    if record.mover >= 0:
        return None
    return Ending(f"You scored {record.score}", "Nothing can slide", DRAWN)


def page(record, viewer, mask):
    cells = [Cell(str(2**tile) if tile else ".") for tile in record.grid]
    board = Board([cells[at : at + record.side] for at in range(0, record.side**2, record.side)])
    status = [f"slide {record.decisions + 1}", f"score {record.score}"]
    return Page("2048", status, "Slide the tiles", ending(record, viewer), board)


VIEW = View(
    action_name=lambda record, action: f"slide {NAMES[action]}",
    notation=lambda record, action: NAMES[action],
    how_to_write="The edge to slide to: up, down, left or right.",
    seat_name=lambda record, seat: "player",
    ending=ending,
    page=page,
)
GAME = Game(
    name="twenty_forty_eight",
    title="2048",
    seats=("player",),
    options=[Option("side", 4, "of the grid, in cells", bounds=(2, 5))],
    fields=[Field("grid", 0, MOST, (MOST_CELLS,)), Field("score", 0, 2**30)],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=lambda options: [Feature("grid", (1, options["side"], options["side"]), 0, MOST)],
    actions=[(1, name) for name in NAMES],
    reasons=("stuck",),
    scored=True,
    rewards="The numbers on the tiles that are made.",
    reward_bound=2**27,
    metrics=[Metric("largest", "the number on the largest tile")],
    report=report,
    heuristic=heuristic,
)
