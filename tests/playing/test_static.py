"""The page that plays without Python: whole games by clicks, each decision checked in Python."""

from __future__ import annotations

import functools
import json
import os
import random
import re
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, showing
from cyberdeck.api.registration import load_file
from cyberdeck.engine import registry
from cyberdeck.players import find_player
from cyberdeck.replay import Replay

from .helpers import EXAMPLES
from .test_browser import READY

pytestmark = pytest.mark.page

#: Milliseconds within which a first move is possible, on a machine that does other things as well.
FIRST_MOVE = 240_000

#: Against whom, and with which options, so that games end soon. A policy knows the usual ones.
GAMES: dict[str, list[tuple[str, dict[str, str]]]] = {
    "hackthegrid": [("heuristic", {}), ("search:iterations=40", {}), ("baseline", {})],
    "matrix_overload": [("", {"max_steps": "40"})],
    "stacktrices": [("heuristic", {"max_turns": "8"}), ("baseline", {})],
    "hovercrafts": [
        ("heuristic", {"max_turns": "4"}),
        ("search:iterations=40", {"max_turns": "3"}),
        ("heuristic", {"max_turns": "2", "ships": "3,3"}),
    ],
}


class _Server(ThreadingHTTPServer):
    def __init__(self, *given: Any) -> None:
        #: Bytes of each file that was sent, by one of many threads.
        self.sent: list[int] = []
        super().__init__(*given)


class _Quiet(SimpleHTTPRequestHandler):
    server: _Server

    def copyfile(self, source: Any, outputfile: Any) -> None:
        self.server.sent.append(os.fstat(source.fileno()).st_size)
        super().copyfile(source, outputfile)

    def log_message(self, *given: Any) -> None:
        """Nobody reads it."""


@pytest.fixture
def page(browser: Any, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """The page in a fresh browser, which must not complain; its server is ``page.server``."""
    folder = request.config.getoption("--page")
    assert folder, "give --page: make site puts the page into site/play"
    server = _Server(
        ("127.0.0.1", 0), functools.partial(_Quiet, directory=str(Path(folder).resolve()))
    )
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    complaints: list[str] = []
    opened = context.new_page()
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda said: complaints.append(said.text))
    opened.server = server
    opened.goto(f"http://127.0.0.1:{server.server_address[1]}/")
    opened.wait_for_selector(READY, timeout=FIRST_MOVE)
    yield opened
    context.close()
    server.shutdown()
    server.server_close()
    assert complaints == []


def told(page: Any, **message: Any) -> dict[str, Any]:
    """The answer to a message of the page's."""
    found: dict[str, Any] = page.evaluate("message => send(message)", message)
    assert "error" not in found, found
    return found


def played(page: Any, luck: random.Random, folder: Path, **new: Any) -> Replay:
    """A new game, in which any choices of the list are clicked to its end."""
    version = told(page, do="look", version=None)["version"]
    told(page, do="new", seed=5, seat="0", version=version, **new)
    page.reload()
    for _ in range(1_000):
        page.wait_for_selector(READY, timeout=FIRST_MOVE)
        if page.locator("#end").is_visible():
            file = folder / "game.json"
            file.write_text(told(page, do="replay", kind="json")["file"]["text"])
            return Replay.load(file)
        choices = page.locator("#choices button")
        choices.nth(luck.randrange(choices.count())).click()
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("name", GAMES)
def test_whole_games_are_the_same_as_in_python(name: str, page: Any, tmp_path: Path) -> None:
    luck = random.Random(name)
    for against, options in GAMES[name]:
        others = ["against", *(["ally"] if "ships" in options else [])] if against else []
        new = {"game": name, "options": options, **dict.fromkeys(others, against)}
        check(played(page, luck, tmp_path, **new), against)
    page.locator("#review").click()  # leads through the game; the rest is Python's
    page.wait_for_selector("#past:not([hidden])")
    assert page.locator("#judge").is_hidden()
    assert page.locator("#film").is_hidden()


def test_the_examples_are_played_to_their_ends(page: Any, tmp_path: Path) -> None:
    luck = random.Random(1)
    there = {each["name"] for each in told(page, do="about")["games"]} - registry.GAMES.keys()
    assert {"tictactoe", "goofspiel", "coin_bets"} <= there
    for name in sorted(there):
        load_file(EXAMPLES / f"{name}.py")
        played(page, luck, tmp_path, game=name, options={}).frames()  # is played through


def check(replay: Replay, against: str) -> None:
    """The other's decisions are those of Python's player; of a policy 99.9%, since sums differ."""
    core, same = replay._begin(), []
    player = find_player(replay.variant, against or "random")
    for number, action in enumerate(replay.actions, start=1):
        if core.movers[0] != 0:
            same.append(int(core.ask(player, np.array([0]))[0]) == action)
        replay._step(core, number, action)
    assert len(same) - sum(same) <= (len(same) // 1000 + 1 if against == "baseline" else 0)


def test_it_is_there_offline_and_goes_on(page: Any) -> None:
    page.locator("#choices button").first.click()
    page.wait_for_selector(READY, timeout=FIRST_MOVE)
    before = told(page, do="look", version=None)["heard"]
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.server.shutdown()
    page.server.server_close()
    page.reload()
    page.wait_for_selector(READY, timeout=FIRST_MOVE)
    assert told(page, do="look", version=None)["heard"] == before


#: Plays on by the heuristic; what JavaScript is told and drawn of that.
SHOWN = """async ([name, seed]) => {
  const here = file => new URL(file, location.href).href;
  const { load } = await import(here("cyberdeck.mjs"));
  const { loadViews } = await import(here("views.mjs"));
  const game = await load(here(`${name}.wasm`));
  const views = await loadViews([game]), table = game.table({ seed }), found = [];
  let refused = "";
  for (let step = 0; step < 12 && !table.over; step++) {
    const before = table.twin(), choices = views.choices(table);
    table.act(table.heuristic());
    const seen = { seat: 0, before };
    const words = views.events(table, seen).map(event => [event.kind, event.words]);
    const { status } = views.page(table, seen);
    const picture = views.picture(table, { ...seen, theme: "light", narrow: true });
    found.push({ choices, words, status, picture, text: views.text(table, seen) });
  }
  try { views.text(table, { seat: 9 }); } catch (error) { refused = String(error); }
  return { found, refused };
}"""


@pytest.mark.parametrize("name", ["hovercrafts", "stacktrices"])
def test_javascript_has_words_events_and_pictures(name: str, page: Any) -> None:
    there = page.evaluate(SHOWN, [name, 5])
    batch, viewer = Batch(name, 1, seed=5, autoreset="Disabled"), (0,)
    for seen in there["found"]:
        before, variant = batch._core.states.copy(), batch.variant
        written = {each["action"]: each["notation"] for each in seen["choices"]}
        assert written == showing.notations(variant, before)
        batch.step(batch.choose("heuristic"))
        now = batch._core.states
        told_here = showing.scene(variant, now, viewer, before).events
        assert seen["words"] == [[event.kind, event.words] for event in told_here]
        assert seen["status"] == list(showing.scene(variant, now, viewer).page.status)
        assert seen["text"] == showing.scene(variant, now, viewer, before).text()
        drawn = showing.scene(variant, now, viewer, before).picture(
            None, theme="light", narrow=True
        )
        assert seen["picture"] == drawn
    assert len(there["found"]) == 12
    assert there["refused"] == "GameError: there is no seat 9: choose 0 to 1"


def test_the_example_of_the_docs_shows_a_game(page: Any) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "use" / "webassembly.md").read_text("utf-8")
    _, example = re.findall("^```js\n(.*?)^```", docs, re.MULTILINE | re.DOTALL)
    for shows, kept in ("document.body.innerHTML", "drawn"), ("console.log", "words ="):
        example = example.replace(shows, f"window.{kept}")  # this page stays as it is
    page.add_script_tag(type="module", content=example)
    page.wait_for_function("window.words", timeout=FIRST_MOVE)
    batch = Batch("hackthegrid", 1, seed=7, autoreset="Disabled")
    before = batch._core.states.copy()
    batch.step(batch.choose("heuristic"))
    now = batch._core.states
    told_here = showing.scene(batch.variant, now, (0,), before).events
    assert page.evaluate("words") == [event.words for event in told_here]
    assert page.evaluate("drawn") == showing.scene(batch.variant, now, (0,), before).picture(None)


def test_first_visit_takes_8_mb_at_most(page: Any, request: pytest.FixtureRequest) -> None:
    """Policies come when they play: all else is fetched at once, packed, and not twice."""
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    assert 4_000_000 < sum(page.server.sent) <= 8_000_000
    folder = Path(request.config.getoption("--page"))
    apart = (".safetensors", ".wasm")  # these are for other pages
    there = {path.name for path in folder.iterdir() if path.suffix not in apart} - {"offline.js"}
    assert {f"{name}.wasm.packed" for name in registry.GAMES} <= there
    listed = (folder / "offline.js").read_text()
    assert all(json.dumps(name) in listed for name in there)
