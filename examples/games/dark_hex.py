"""Dark Hex: join two edges of the board, and nobody sees the other's stones.
In turn each puts a stone into a cell, 0, 1, 2 and so on row by row. The first joins top and bottom,
the second left and right. A cell's neighbours are left, right, above, below, above to the right and
below to the left. If the other already holds the chosen cell, the mover finds that out, the other
does not notice: by classical rules the mover chooses again, by abrupt rules the turn is over.
"""

from cyberdeck import Feature, Field, Game, Option, dice, kernel, offset_table, win

SMALLEST, LARGEST, ALL, JOINED = 2, 5, 2**25 - 1, 2


@kernel
def start(state):
    state.stones[:] = state.found[:] = 0


@kernel
def legal(state, mask):
    known = state.stones[state.mover] | state.found[state.mover]
    for cell in range(len(mask)):
        mask[cell] = (known >> cell & 1) == 0


@kernel
def join(state, seat, stones):
    """Whether these stones join the seat's two edges."""
    n, top = state.size, (1 << state.size) - 1
    left = ((1 << n * n) - 1) // top
    old, new = 0, stones & (left if seat else top)
    while old != new:
        old, w, e = new, new & ~left, new & ~(left << n - 1)  # with a cell to the west, to the east
        new |= (new << n | new >> n | w >> 1 | w << n - 1 | e << 1 | e >> n - 1) & stones
    return new & (left << n - 1 if seat else top << n * (n - 1)) != 0


@kernel
def act(state, action):
    seat, other, bit = state.mover, 1 - state.mover, 1 << action
    held = state.stones[other] & bit
    state.found[seat] |= held
    state.stones[seat] |= bit ^ held
    if state.abrupt or not held:
        state.mover = other
    if not held and join(state, seat, state.stones[seat]):
        win(state, seat, JOINED)


@kernel
def secret(state, seat):
    """Nobody sees where the other tries."""
    return True


def features(options):
    board = options["size"], options["size"]
    return [
        Feature("own", board, 0, 1, "stones"),
        Feature("found", board, 0, 1, "the other's that are known"),
        Feature("seat", (1,), 0, 1, "whether you are the second"),
    ]


PLACES = offset_table([features({"size": size}) for size in range(SMALLEST, LARGEST + 1)])


@kernel
def observe(state, seat, out):
    at = PLACES[state.size - SMALLEST]
    for cell in range(state.size**2):
        out[at.own + cell] = state.stones[seat] >> cell & 1
        out[at.found + cell] = state.found[seat] >> cell & 1
    out[at.seat] = seat


@kernel
def count(cells):
    many = 0
    for cell in range(LARGEST * LARGEST):
        many += cells >> cell & 1
    return many


@kernel
def some(state, cells, many):
    """Draw so many of these cells."""
    drawn = 0
    while count(drawn) < many:
        drawn |= 1 << dice.below(state, state.size * state.size) & cells
    return drawn


@kernel
def resample(state, seat):
    """Abrupt rules tell a seat how many cells the other has tried; classical, how many it has."""
    other, own, known = 1 - seat, state.stones[seat], state.found[seat]
    tried = state.stones[other] | state.found[other] * state.abrupt
    while state.mover >= 0:
        finds = 0 if state.abrupt else some(state, own, dice.below(state, count(own) + 1))
        cells = ~known if state.abrupt else ~known & ~own
        cells = known | finds | some(state, cells, count(tried & ~known))
        if not join(state, other, cells & ~own):
            state.stones[other], state.found[other] = cells & ~own, cells & own
            state.decisions = count(own) + count(known) + count(cells)
            return


GAME = Game(
    name="dark_hex",
    seats=("first", "second"),
    options=[
        Option("size", 3, "of the board: rows and columns", bounds=(SMALLEST, LARGEST)),
        Option("rules", "classical", "of a taken cell", ("classical", "abrupt"), field="abrupt"),
    ],
    fields=[Field("stones", 0, ALL, (2,)), Field("found", 0, ALL, (2,))],  # a bit for each cell
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    secret=secret,
    features=features,
    actions=lambda options: [(options["size"] ** 2, "choose cell")],
    reasons=("joined",),
    longest=lambda options: options["size"] ** 2,
)
