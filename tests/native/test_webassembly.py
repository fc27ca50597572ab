"""Games in Node: cyberdeck.mjs and GAME.wasm make the same of everything as Python, bit for bit."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch
from cyberdeck.api.registration import load_file
from cyberdeck.building.description import FORMAT, described
from cyberdeck.building.webassembly import MODULES, with_description, with_section
from cyberdeck.engine import roles, saving
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.loops import HEURISTIC, RANDOM
from cyberdeck.engine.phases import phases_between
from cyberdeck.errors import OptionError
from cyberdeck.players import find_player
from cyberdeck.players.baselines import published
from cyberdeck.players.search import Search
from tests.cases import EACH, Case, label

ROOT = Path(__file__).parents[2]
GAMES = ROOT / "examples" / "games"
DRIVER = Path(__file__).with_name("driver.mjs")
SEEDS, MOST = range(12), 150

#: Games of one's own: two of int8, one whose observation is int16, and one of float32.
OWN = {name: GAMES / f"{name}.py" for name in ("tictactoe", "goofspiel", "coin_bets")}
OWN["wide_sixteen"] = ROOT / "tests" / "wide.py"

#: Asks Node: a game, its options as it is built, a job and what that takes.
Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("WebAssembly is tried in Node: put it on the PATH")
    return found


@pytest.fixture
def ask(node: str, tmp_path: Path, request: pytest.FixtureRequest) -> Ask:
    folder = Path(request.config.getoption("--native"))

    def asked(
        name: str,
        do: str,
        *,
        built: dict[str, Any] | None = None,
        section: bytes = b"",
        **job: Any,
    ) -> Any:
        """The answer; of a file that is damaged, what is said of it."""
        file = folder / "web" / f"{name}.wasm"
        if built or section:
            code = (folder / "wasm32" / name / "code.wasm").read_bytes()
            file = tmp_path / "game.wasm"
            made = with_section(code, section) if section else with_description(code, name, built)
            file.write_bytes(made)
        given = json.dumps({"file": str(file), "do": do, **job})
        done = subprocess.run(
            [node, str(DRIVER)], input=given, capture_output=True, text=True, check=False
        )
        assert (done.returncode == 0) == (not section), done.stderr
        return done.stderr if section else json.loads(done.stdout)

    return asked


def apart(case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options that are chosen when a game is built, and those that are chosen in JavaScript."""
    name, options = case
    fixed = {each["name"] for each in described(name, {})["options"] if "fixed" in each}
    built = {key: value for key, value in options.items() if key in fixed}
    return built, {key: value for key, value in options.items() if key not in fixed}


def table(case: Case, seed: int) -> Batch:
    name, options = case
    return Batch(name, 1, seed=seed, autoreset="Disabled", **options)


def short(digest: Any) -> str:
    return digest.hexdigest()[:16]


def note(digest: Any, batch: Batch) -> None:
    """Everything that is handed out, as the driver notes it."""
    digest.update(batch.get_state(0))
    digest.update(batch.mask[0].tobytes())
    for seat in range(batch.variant.seats):
        observation, _, metrics = batch._core.look(seat)
        digest.update(observation.tobytes() + metrics.tobytes())
    digest.update(batch.reward[0].tobytes())


def played(case: Case, seed: int) -> list[Any]:
    batch, digest, steps = table(case, seed), hashlib.sha256(), 0
    note(digest, batch)
    while batch.mover[0] >= 0 and steps < MOST:
        batch.step(batch._core.choose(RANDOM if (seed + steps) % 3 else HEURISTIC))
        note(digest, batch)
        steps += 1
    note(digest, batch)
    return [steps, batch.reasons[batch.reason[0]], short(digest)]


@pytest.mark.parametrize("case", [*EACH, *((name, {}) for name in OWN)], ids=label)
def test_long_play_is_the_same(case: Case, ask: Ask) -> None:
    """Of games of one's own, too."""
    if case[0] in OWN:
        load_file(OWN[case[0]])
    built, options = apart(case)
    found = ask(case[0], "play", built=built, options=options, seeds=list(SEEDS), most=MOST)
    assert found == [played(case, seed) for seed in SEEDS]


SETTINGS: list[dict[str, Any]] = [
    {},
    {"iterations": 60, "playout": "random", "length": 20, "prior": 0.2},
    {"iterations": 40, "opponent_prior": 0.3, "c_puct": 3},
]


@pytest.mark.parametrize("name", [*cyberdeck.GAMES, *OWN])
def test_search_is_the_same(name: str, ask: Ask) -> None:
    """Also where it proves results or mixes, as in games of one's own without a heuristic."""
    if name in OWN:
        load_file(OWN[name])
    seeds, expected, steps = list(range(6)), [], 1 if name in ("coin_bets", "wide_sixteen") else 4
    for seed in seeds:
        batch = table((name, {}), seed)
        batch.play("random", steps)
        searches = [Search(**settings) for settings in SETTINGS]
        expected.append([int(batch._core.ask(one, batch._core.all_rows)[0]) for one in searches])
    found = ask(name, "search", options={}, seeds=seeds, steps=steps, settings=SETTINGS)
    assert found == expected


@pytest.mark.parametrize("name", [*cyberdeck.GAMES, *OWN])
def test_what_is_shown_is_the_same(name: str, ask: Ask) -> None:
    """Records and where their fields lie, sides, who decides, and who does not see it; and who
    resigns has lost.
    """
    if name in OWN:
        load_file(OWN[name])
    batch, most = table((name, {}), 3), 9
    game, records = batch.variant.game, []
    while batch.mover[0] >= 0 and len(records) < most:
        states = batch._core.states
        roles_ = [roles.sides(game, states)[: batch.variant.seats], roles.deciding(game, states)]
        roles_.append(list(roles.hidden_from(game, states)))
        records.append((states.tobytes().hex(), *roles_))
        batch.step(batch.choose("random"))
    if batch.mover[0] >= 0:
        batch._core.step(np.array([RESIGNS]), np.array([True]))
    told = ask(name, "show", options={}, seed=3, most=most)
    fields = (game.dtype.fields or {}).items()
    assert told["layout"] == {
        field: [kind.base.name, offset, list(kind.shape)]
        for field, (kind, offset, *_) in fields
        if not field.startswith("_")
    }
    for (record, sides, *others), (theirs, known) in zip(records, told["found"], strict=True):
        assert theirs == record
        assert known["sides"] == sides
        there = [known["deciding"], known["hidden"]]
        assert [[seat for seat, now in enumerate(each) if now] for each in there] == others
    assert told["reason"] == batch.reasons[batch.reason[0]]
    assert told["rewards"] == batch._core.states["reward"][0, : batch.variant.seats].tolist()


@pytest.mark.parametrize("name", ["hovercrafts", "hackthegrid"])
def test_the_phases_of_turns_are_the_same(name: str, ask: Ask) -> None:
    """They end with what the turn has led to, and go on from where one of them is."""
    batch, most, expected = table((name, {}), 3), 120, []
    while batch.mover[0] >= 0 and len(expected) < most:
        before = batch._core.states.copy()
        batch.step(batch.choose("random"))
        found = [
            each.tobytes().hex()
            for each in phases_between(batch._core.game, before, batch._core.states)
        ]
        expected.append([found, found[1:]])
    assert ask(name, "phases", options={}, seed=3, most=most) == expected
    assert any(found for found, _ in expected) == (name == "hovercrafts")


@pytest.mark.parametrize("name", cyberdeck.GAMES)
def test_what_a_search_finds_out_is_the_same_also_in_pieces(name: str, ask: Ask) -> None:
    batch, job = table((name, {}), 3), {"seed": 3, "settings": {"iterations": 60}}
    seen = batch._core.seen(batch._core.all_rows, True)
    visits, values = (found[0].tolist() for found in Search(iterations=60).examine(seen))
    at_once = ask(name, "examine", options={}, **job)
    *in_pieces, shares, fewer, refused = ask(name, "ponder", options={}, **job)
    assert at_once == in_pieces
    assert at_once[1:] == [visits, values]
    assert visits[at_once[0]] == max(visits)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert 0 < sum(fewer) < sum(visits)
    assert all("a search goes on in this game" in said for said in refused)


@pytest.mark.parametrize("name", ["stacktrices", "hackthegrid"])
def test_what_a_forced_move_brings_is_the_same(name: str, ask: Ask) -> None:
    search, steps = Search(iterations=60), 0
    batch = table((name, {}), 3)
    while batch.mask.sum() > 1:
        batch.play("random", 1)
        steps += 1
    seen = batch._core.seen(batch._core.all_rows, True)
    visits, values = (found[0].tolist() for found in search.examine(seen, forced=True))
    job = {"seed": 3, "settings": {"iterations": 60}, "steps": steps, "forced": True}
    assert ask(name, "examine", options={}, **job)[1:] == [visits, values]
    assert sum(visits) == 60


@pytest.mark.parametrize("name", cyberdeck.GAMES)
def test_published_policies_decide_the_same(name: str, ask: Ask) -> None:
    """In 2,500 decisions of each game; sums in another order may make a difference in few."""
    case, seeds, most, expected = (name, {}), list(range(200)), 200, list[int]()
    (file,) = [path for path in published(cyberdeck.game(name)) if path.stem == name]
    for seed in seeds:
        batch, step = table(case, seed), 0
        player = find_player(batch.variant, "baseline")
        while batch.mover[0] >= 0 and step < most and len(expected) < 2_500:
            expected.append(int(batch._core.ask(player, batch._core.all_rows)[0]))
            batch.step(batch.choose("random") if step % 2 else np.array([expected[-1]]))
            step += 1
        if len(expected) == 2_500:
            seeds = seeds[: seed + 1]
            break
    found = ask(name, "policy", options={}, seeds=seeds, most=most, policy=str(file))
    same = sum(one == other for one, other in zip(expected, found, strict=False))
    assert same >= 0.999 * len(expected)
    assert len(expected) > 1_000


def test_policies_that_play_in_python_alone_are_refused(ask: Ask, tmp_path: Path) -> None:
    """Those that draw, or read a history; of another game or version; and what is no policy."""
    (file,) = published(cyberdeck.game("hackthegrid"))
    whole = file.read_bytes()
    length = int.from_bytes(whole[:8], "little")
    about, numbers = json.loads(whole[8 : 8 + length]), whole[8 + length :]
    wrong = [
        ("greedy", "false", "a policy with greedy=false plays in Python alone"),
        ("history", "4", "a policy with history=4 plays in Python alone"),
        ("beliefs", '["random", 9]', 'a policy with beliefs=["random", 9] plays in Python alone'),
        ("game", "stacktrices", "this policy plays stacktrices, not hackthegrid"),
        ("cyberdeck policy", "1", "no policy of cyberdeck, or of another version than 4"),
    ]
    policies = [tmp_path / "none.safetensors"]
    policies[0].write_bytes(b"nothing")
    for at, (entry, value, _) in enumerate(wrong):
        words = {**about["__metadata__"], entry: value}
        header = json.dumps({**about, "__metadata__": words}).encode()
        policies.append(tmp_path / f"{at}.safetensors")
        policies[-1].write_bytes(len(header).to_bytes(8, "little") + header + numbers)
    given = [*map(str, policies), str(file)]
    *said, right = ask("hackthegrid", "refused", options={}, policies=given)
    assert right is None
    for told, expected in zip(
        said, ["these bytes are no policy", *(e for *_, e in wrong)], strict=True
    ):
        assert told.startswith("GameError: ")
        assert expected in told


@pytest.mark.parametrize("name", cyberdeck.GAMES)
def test_any_options_that_can_be_chosen_are_the_same(name: str, ask: Ask) -> None:
    """Also those that cannot go together, which are refused in the same words."""
    luck = random.Random(3)
    free = [option for option in described(name, {})["options"] if "fixed" not in option]

    def drawn(option: dict[str, Any]) -> Any:
        if "bounds" in option:
            return luck.randint(*option["bounds"])
        return luck.choice([*option["choices"], option["default"]])

    def begun(options: dict[str, Any]) -> str:
        try:
            return short(hashlib.sha256(table((name, options), 5).get_state(0)))
        except OptionError as error:
            return f"GameError: {error}"

    chosen = [
        {each["name"]: drawn(each) for each in luck.sample(free, luck.randint(0, len(free)))}
        for _ in range(150)
    ]
    assert ask(name, "begin", chosen=chosen, seed=5) == [begun(options) for options in chosen]


def test_what_is_wrong_is_told(ask: Ask) -> None:
    batch = Batch("hackthegrid", 1, seed=3)
    saved = batch.get_state(0)
    other = Batch("hackthegrid", 1, seed=3, scramble="at_end").get_state(0)
    deck = Batch("hackthegrid", 1, seed=3, deck=[("NET NODE", at % 2) for at in range(16)])
    one_seat = Batch("hackthegrid", 1, seed=3, seat=0, opponent="random")
    illegal = int(np.flatnonzero(batch.mask[0] == 0)[0])
    wrong: list[tuple[list[Any], str]] = [
        (["act", 69], "action 69 does not exist: actions are 0 to 68"),
        (["act", 1.5], "action 1.5 does not exist"),
        (["act", illegal], f"action {illegal} ("),
        (["phases", {}], "phases() is given an earlier table of the same game"),
        (["observe", 2], "seat=2 is not a seat of HACKtheGRID: there are 0 to 1"),
        (["search", {"iterations": 0}], "iterations=0 is not possible: it must be a whole"),
        (["search", {"prior": 1}], "prior=1 is not possible: it must be a number from 0"),
        (["table", {"sed": 1}], "sed is not a setting of table(): there are seed, options"),
        (["table", {"seed": 1.5}], "seed=1.5 is not possible"),
        (
            ["table", {"options": {"scrambel": 1}}],
            "not an option of HACKtheGRID: there are scramble",
        ),
        (["table", {"options": {"scramble": "end"}}], 'choose one of "on_take", "at_end"'),
        (["table", {"options": {"deck": []}}], "chosen when it is built: cyberdeck build"),
        (["table", None], "null is not possible for table(): give an object, such as {}"),
        (["table", {"options": None}], "null is not possible for HACKtheGRID: give an object"),
        (["search", None], "null is not possible for search(): give an object"),
        (["restore", as_text(pending(batch, 1e226))], "saved where one seat is played"),
        (["restore", as_text(saved[:-1])], "this is no saved game of HACKtheGRID"),
        (["restore", as_text(changed(saved, -20))], "the saved game is damaged"),
        (["restore", as_text(other)], 'saved with scramble="at_end", and this table has scramble='),
        (["restore", as_text(deck.get_state(0))], "saved with other options: one of deck differs"),
        (["restore", as_text(one_seat.get_state(0))], "saved where one seat is played"),
        (["restore", as_text(signed(changed(saved[:-16], -100)))], "no possible position of HACK"),
    ]
    said = ask("hackthegrid", "complain", calls=[call for call, _ in wrong], seed=3)
    for (call, expected), told in zip(wrong, said, strict=True):
        assert told is not None, call
        assert told.startswith("GameError: "), told
        assert expected in told
    assert said[2].endswith(": mask() says which are")


def test_fractions_out_of_their_bounds_are_no_position(ask: Ask) -> None:
    batch = Batch(load_file(OWN["coin_bets"]).name, 1, seed=3)
    calls = [["restore", as_text(batch.get_state(0))]]
    for money in (np.nan, np.inf, -0.5, 250.5):
        batch._core.states["money"] = money
        calls.append(["restore", as_text(batch.get_state(0))])
    right, *wrong = ask("coin_bets", "complain", calls=calls, seed=3)
    assert right is None
    assert all("this is no possible position of Coin Bets" in said for said in wrong)


def pending(batch: Batch, gain: float) -> bytes:
    """Its game, as if so much had not been handed out yet."""
    core = batch._core
    row, record = saving.unpack(core.game, core.rows.dtype, batch.get_state(0))
    row["pending"] = gain
    return saving.pack(core.game, row, record)


@pytest.mark.parametrize(
    "change",
    [
        lambda section: section[: len(section) // 2],
        lambda section: b"null",
        lambda section: b'{"format": %d}' % FORMAT,
        lambda section: section.replace(b'"saved": "', b'"saved": "?'),
    ],
)
def test_a_damaged_file_is_a_game_error(change: Callable[[bytes], bytes], ask: Ask) -> None:
    """Its code is whole, and what it says of its game is not."""
    told = json.dumps(described("hackthegrid", {})).encode()
    said = ask("hackthegrid", "begin", section=change(told), chosen=[], seed=1)
    assert "GameError: this file is" in said


def as_text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def changed(data: bytes, at: int) -> bytes:
    found = bytearray(data)
    found[at] ^= 255
    return bytes(found)


def signed(body: bytes) -> bytes:
    return body + hashlib.blake2b(body, digest_size=16).digest()


@pytest.mark.parametrize("name", cyberdeck.GAMES)
def test_files_are_small(name: str, request: pytest.FixtureRequest) -> None:
    """Compressed by gzip -9, as servers do."""
    file = Path(request.config.getoption("--native"), "web", f"{name}.wasm")
    assert len(gzip.compress(file.read_bytes(), 9)) < 120_000


def test_the_page_shows_what_runs(
    node: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "use" / "webassembly.md").read_text("utf-8")
    example, _ = re.findall("^```js\n(.*?)^```", page, re.MULTILINE | re.DOTALL)  # one in Node
    (tmp_path / "example.mjs").write_text(example)
    for name in ("hackthegrid.wasm", *(module.name for module in MODULES)):
        shutil.copy(Path(request.config.getoption("--native"), "web", name), tmp_path)
    done = subprocess.run(
        [node, "example.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    batch = table(("hackthegrid", {"scramble": "at_end"}), 7)
    while batch.mover[0] >= 0:
        search = batch._core.ask(Search(iterations=50), batch._core.all_rows)
        batch.step(search if batch.mover[0] == 0 else batch.choose("heuristic"))
    rewards = ", ".join(f"{reward:g}" for reward in batch.reward[0])
    assert done.stdout.splitlines()[-1] == f"{batch.reasons[batch.reason[0]]} [ {rewards} ]"
