"""The page in a real browser: whole games by clicks and by keys, tabs, reloads, a killed server."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cyberdeck.playing.compiled import Compiled
from cyberdeck.playing.keeping import Keeper
from cyberdeck.playing.server import _Handler, proof
from cyberdeck.playing.table import Setup, Table
from cyberdeck.replay import Replay

from .helpers import play_on, served, table, variant

DESKTOP, PHONE, SIDEWAYS = (1280, 800), (390, 844), (844, 390)

#: The person has to decide, or the game is over, and nothing is on its way.
READY = "body:not(.quiet):has(#turn.yours), body:not(.quiet):has(#end:not([hidden]))"

#: What the browser says of a server that was stopped, and of one that was started again.
EXPECTED = re.compile("ERR_CONNECTION_REFUSED|status of (403|501)")

#: Targets that can be clicked: a hit, or what lies around it.
LIT = "#picture [data-actions]:not(.apart)"


@pytest.fixture
def serve() -> Iterator[Any]:
    """Serves tables; returns the address."""
    with contextlib.ExitStack() as servers:
        yield lambda playing: servers.enter_context(served(playing)).url


@pytest.fixture
def opened(browser: Any) -> Iterator[Any]:
    """Opens pages, which must end without a complaint of the browser's or a foreign request."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def make(url: str, size: tuple[int, int] = DESKTOP, ready: str = READY, **how: Any) -> Any:
        touch = size != DESKTOP
        shape = {"width": size[0], "height": size[1]}
        how = {"reduced_motion": "reduce", **how}  # nobody waits for what moves
        context = browser.new_context(viewport=shape, has_touch=touch, is_mobile=touch, **how)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(240_000)  # a search may have to be compiled on a busy machine
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: EXPECTED.search(said.text) or complaints.append(said.text),
        )
        page.on(
            "request",
            lambda sent: (
                sent.url.startswith((url.partition("#")[0], "blob:", "data:"))
                or complaints.append(sent.url)
            ),
        )
        page.goto(url)
        page.wait_for_selector(ready)
        return page

    make.complaints = complaints  # type: ignore[attr-defined]
    yield make
    for context in contexts:
        context.close()
    assert complaints == []


def click(page: Any, target: Any) -> None:
    """Click in the middle of a part of the picture, as a person does."""
    target.evaluate("element => element.scrollIntoView({ block: 'center', inline: 'center' })")
    box = target.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@contextlib.contextmanager
def decision(page: Any) -> Iterator[None]:
    """Something is decided, and the person has to decide again."""
    version = page.evaluate("shown.version")
    yield
    page.wait_for_function("version => shown.version !== version", arg=version)
    page.wait_for_selector(READY)


def click_a_move(page: Any, rng: random.Random) -> None:
    """Click parts of the picture until they make a move."""
    with decision(page):
        for _ in range(4):
            lit = page.locator(f"{LIT}:not(.chosen)")
            click(page, lit.nth(rng.randrange(lit.count())))
            if page.evaluate("left === null"):
                break
        else:
            raise AssertionError("four clicks made no move")


#: What a finger on and around the middle of each place may mean, and is not that place.
UNREACHED = """() => {
  const missed = [];
  for (const target of document.querySelectorAll("#picture [data-actions]")) {
    target.scrollIntoView({ block: "center" });
    const box = target.getBoundingClientRect();
    for (const [x, y] of [[0, 0], [-19, 0], [19, 0], [0, -19], [0, 19]]) {
      const clientX = box.left + box.width / 2 + x, clientY = box.top + box.height / 2 + y;
      const under = document.elementFromPoint(clientX, clientY) || document.body;
      const found = near({ clientX, clientY });
      const all = found.length ? found : [targetAt({ clientX, clientY, target: under })];
      // What is large may stand for what lies on it, and that is named then.
      const named = all.filter(Boolean).flatMap(actionsOf);
      const wide = Math.min(box.width, box.height) >= 40;
      const meant = all.some(each => each && each.dataset.actions === target.dataset.actions)
        || (wide && actionsOf(target).every(action => named.includes(action)));
      const other = all[0] ? all[0].getBoundingClientRect() : { width: 0, height: 0 };
      const large = Math.min(other.width, other.height) >= 40;
      const name = target.getAttribute("aria-label");
      const touched = !wide && Math.abs(x) <= box.width / 2 + UNDER
        && Math.abs(y) <= box.height / 2 + UNDER;
      if (!meant && (touched || !large)) missed.push(`${name} ${x} ${y}`);
    }
  }
  return missed;
}"""


@pytest.mark.parametrize(
    ("game", "options", "size"),
    [
        ("matrix_overload", {"max_steps": 12}, PHONE),
        ("hackthegrid", {}, DESKTOP),
        ("stacktrices", {"setup": "random", "max_turns": 4}, PHONE),
        ("hovercrafts", {"ships": (3, 3), "max_turns": 1}, PHONE),
        ("kuhn_poker.py", {}, DESKTOP),
    ],
)
def test_a_whole_game_by_clicks(
    game: str,
    options: dict[str, Any],
    size: tuple[int, int],
    serve: Any,
    opened: Any,
    tmp_path: Path,
) -> None:
    playing = table(game, "zion" if game == "hovercrafts" else "0", **options)
    page = opened(serve(playing), size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    rng, moves = random.Random(1), 0
    while not page.is_visible("#end"):
        assert page.locator("#choices button").count() == page.evaluate("shown.choices.length")
        if size == PHONE and moves < 2:  # all is large enough for a finger
            assert page.evaluate(UNREACHED) == []
            buttons = page.locator("button:visible")
            heights = [buttons.nth(at).bounding_box()["height"] for at in range(buttons.count())]
            assert min(heights) >= 40
        click_a_move(page, rng)
        moves += 1
    page.reload()
    page.wait_for_selector("#end:not([hidden])")
    end = page.evaluate("shown.end")
    assert page.inner_text("#outcome") == end["outcome"]
    assert end["reason"][1:] in page.inner_text("#reason")
    with page.expect_download() as download:
        page.click("#file")
    download.value.save_as(tmp_path / "game.json")
    replay = Replay.load(tmp_path / "game.json")
    assert sum(each == "person" for each in replay.players) == (3 if game == "hovercrafts" else 1)
    with page.expect_download() as download:
        page.click("#film")
    assert download.value.suggested_filename.endswith(".html")
    page.click("#again")
    page.wait_for_selector("#end", state="hidden")
    page.wait_for_selector(READY)
    assert page.evaluate("shown.heard.filter(each => each.own).length") == 0


def test_a_whole_game_by_keys_alone(serve: Any, opened: Any) -> None:
    page = opened(serve(table("stacktrices", setup="random", max_turns=4)))
    rng = random.Random(2)

    def at(what: str) -> bool:
        return bool(page.evaluate("what => document.activeElement.matches(what)", what))

    moves = 0
    while not page.is_visible("#end"):
        with decision(page):
            if moves % 2:  # by its words
                words = rng.choice(page.evaluate("shown.choices.map(each => each.words)"))
                page.keyboard.press("/")
                assert at("#filter")
                page.keyboard.type(words)
                page.keyboard.press("Enter")
            else:  # by Tab, Enter and Space in the picture
                for key in ("Enter", " ", "Enter", " "):
                    for _ in range(60):
                        if at("#picture [data-actions]:not(.apart):not(.chosen)"):
                            break
                        page.keyboard.press("Tab")
                    page.keyboard.press(key)
                    if page.evaluate("left === null"):
                        break
        moves += 1
    assert at("#outcome")
    page.keyboard.press("Tab")
    assert at("#again")
    page.keyboard.press("Enter")
    page.wait_for_selector("#end", state="hidden")


def test_a_move_is_found_by_its_notation(serve: Any, opened: Any) -> None:
    page = opened(serve(table("stacktrices", setup="random")))
    shown = page.evaluate("shown.choices")
    assert page.locator("#choices small").all_inner_texts() == [each["notation"] for each in shown]
    chosen = shown[-1]
    stack, square = chosen["notation"].split("-")

    def typed(text: str) -> list[str]:
        page.fill("#filter", text)
        found: list[str] = page.locator("#choices small").all_inner_texts()
        return found

    begun = [each["notation"] for each in shown if each["notation"].startswith(f"{stack}-")]
    assert typed(f"{stack.lower()}-") == begun
    for text in (chosen["notation"], f" {stack}x{square.upper()}+", f"{stack.lower()} × {square}"):
        assert typed(text) == [chosen["notation"]]
    page.press("#filter", "Enter")
    page.wait_for_selector(f"#heard .own:has-text('{chosen['words']}') small")
    assert page.inner_text("#heard .own small") == chosen["notation"]
    # One that says the same is left out.
    assert page.evaluate("async () => (await begin({ game: 'matrix_overload' })).waiting === false")
    page.wait_for_selector(READY)
    assert page.locator("#choices button").count() > 0
    assert page.locator("#choices small").count() == 0


def test_keys_for_everything_else(serve: Any, opened: Any) -> None:
    page = opened(serve(table("tictactoe.py")))
    page.click("#choices button")
    page.wait_for_function("() => shown.choices.length === 7")
    page.keyboard.press("u")
    page.wait_for_function("() => shown.choices.length === 9")
    page.wait_for_selector("#notice:has-text('Undone: ')")
    page.keyboard.press("h")
    page.wait_for_selector("#hint:has-text('suggests: ')")
    assert page.locator("#choices .best").count() == 1
    assert page.locator("#picture .best").count() == 1
    assert re.search(r"\d%|a (win|draw|loss)", page.inner_text("#choices"))
    page.keyboard.press("r")
    assert page.is_visible("#rules")
    assert not page.is_visible("#play")
    page.keyboard.press("r")
    assert page.is_visible("#play")
    theme = page.get_attribute("html", "data-theme")
    drawn = page.inner_html("#picture")
    page.keyboard.press("t")
    page.wait_for_function("theme => document.documentElement.dataset.theme !== theme", arg=theme)
    page.wait_for_function("drawn => picture.innerHTML !== drawn", arg=drawn)
    page.keyboard.press("k")
    assert page.is_visible("#help")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.closest('dialog') !== null")
    levels = page.locator("#level option").all_inner_texts()
    named = [each.partition(":")[0] for each in levels]
    assert named == ["easy", "medium", "hard", "another player …"]
    assert page.is_hidden("#against")
    page.select_option("#level", label="another player …")
    page.fill("#against", "serach")
    page.keyboard.press("Enter")
    page.wait_for_selector("#wrong:has-text('did you mean search')")
    page.fill("#against", "random")
    page.select_option("#seat", "o")
    page.fill("#seed", "5")
    page.keyboard.press("Enter")
    page.wait_for_selector("#begin", state="hidden")
    page.wait_for_selector("#who:has-text('you: o · against you: x (random)')")
    page.wait_for_selector(READY)
    assert page.evaluate("shown.heard.length") == 1
    # Who came there by keys stays in the list.
    page.focus("#filter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_function("() => shown.choices.length === 6")
    assert page.evaluate("document.activeElement.closest('#play') !== null")


def test_a_first_visit_is_taught_in_steps_and_then_given_up(serve: Any, opened: Any) -> None:
    page = opened(serve(table("hackthegrid")))
    page.wait_for_selector("#welcome:not([hidden])")
    page.click("#meet")
    page.wait_for_selector("#lesson[open]")
    seen = set()
    for step in range(1, 7):
        assert page.inner_text("#lesson-head").endswith(f"step {step} of 6")
        seen.add((page.inner_text("#lesson-words"), page.inner_html("#lesson-picture")))
        box = page.locator("#lesson").bounding_box()
        assert 0 <= box["y"] <= DESKTOP[1] - box["height"], "all of it is on the screen"
        page.click("#lesson-on")
    assert len(seen) == 6
    page.wait_for_selector("#lesson:not([open])", state="hidden")
    assert not page.is_visible("#welcome"), "it is asked once"
    page.reload()
    page.wait_for_selector(READY)
    assert not page.is_visible("#welcome")
    page.keyboard.press("l")
    page.wait_for_selector("#lesson[open]")
    page.keyboard.press("Escape")
    # Where nothing lies nothing is chosen; resigning takes two clicks.
    box = page.locator("#picture svg").bounding_box()
    page.mouse.click(box["x"] + 3, box["y"] + 3)
    page.wait_for_selector("#ask:has-text('Only what is lit can be chosen')")
    page.click("#resign")
    assert page.inner_text("#resign") == "Really resign?"
    page.click("#resign")
    page.wait_for_selector("#end")
    assert page.inner_text("#reason").startswith("You resigned. Deal 3")
    page.click("#undo")
    page.wait_for_selector("#turn.yours")
    assert page.is_hidden("#end")
    page.click("#new")
    page.select_option("#level", "optimal")
    page.click("#begin .main")
    page.wait_for_selector("#who:has-text('row (optimal)')")
    page.click("#resign")
    page.click("#resign")
    page.click("#swap")
    page.wait_for_selector("#who:has-text('you: row')")


def test_two_clicks_and_letting_go(serve: Any, opened: Any) -> None:
    page = opened(serve(table("hovercrafts")))
    facing = page.locator("#picture [aria-label='facing S']")
    count = page.evaluate("shown.choices.length")
    click(page, facing)
    left = page.evaluate("left.actions.length")
    assert 1 < left < count == page.evaluate("shown.choices.length")
    assert page.locator("#choices button").count() == left
    assert page.locator("#picture .chosen").count() >= 1
    assert "Esc" in page.inner_text("#ask")
    page.keyboard.press("Escape")
    assert page.locator("#choices button").count() == count
    click(page, facing)
    click(page, facing)
    assert page.evaluate("left === null")
    # Wherever in the hex: it is the facing that was chosen.
    click(page, facing)
    click(page, page.locator("#picture [aria-label='deploy in row 0, facing N']"))
    page.wait_for_selector("#heard .own:has-text('deploy in row 0, facing S')")


def test_tabs_stay_in_step(serve: Any, opened: Any) -> None:
    url = serve(table("tictactoe.py"))
    one, other = opened(url), opened(url)
    stale = other.evaluate("shown.version")
    click_a_move(one, random.Random(1))
    other.evaluate(
        """version => {
          shown = { ...shown, version };
          change({ do: "choose", action: shown.choices[0].action });
        }""",
        stale,
    )
    other.wait_for_selector("#notice:has-text('has gone on in the meantime')")
    assert other.evaluate("shown.version") == one.evaluate("shown.version")
    # And without a click, the other tab follows by itself.
    click_a_move(other, random.Random(2))
    version = other.evaluate("shown.version")
    one.wait_for_function("version => shown.version === version", arg=version)


#: The height of the smallest letters in the picture, in pixels on the screen.
LETTERS = """() => Math.min(...[...document.querySelectorAll("#picture path")]
  .filter(each => /^(M[\\d.]+ 0m[^M]+)+$/.test(each.getAttribute("d")))
  .map(each => each.getScreenCTM()).map(seen => 10 * Math.hypot(seen.c, seen.d)))"""


def test_letters_can_be_read_on_a_laptop(serve: Any, opened: Any) -> None:
    page = opened(serve(table("stacktrices")))
    for game, options in (
        ("stacktrices", {"setup": "random"}),
        ("matrix_overload", {}),
        ("hackthegrid", {}),
        ("hovercrafts", {"ships": "5v5"}),
        ("hovercrafts", {"ships": "3v3", "goal": "seize"}),
    ):
        asked = {"game": game, "options": options, "seed": 3}
        assert page.evaluate("async asked => (await begin(asked)).picture !== undefined", asked)
        page.wait_for_selector(READY)
        for _ in range(2):
            assert page.evaluate(LETTERS) >= 11, asked
            choice = page.evaluate("shown.choices[0].action")
            page.evaluate("action => choose(action)", choice)
            page.wait_for_selector(READY)
    page.click("#resign")
    page.click("#resign")
    page.wait_for_selector("#end")
    assert page.evaluate(LETTERS) >= 11
    page.evaluate("openBack()")
    page.wait_for_selector("#slide")
    page.wait_for_function("() => back.picture")
    assert page.evaluate(LETTERS) >= 11


def test_everything_has_a_name_and_room(serve: Any, opened: Any) -> None:
    page = opened(serve(table("hackthegrid")), PHONE)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, [data-actions]")]
        .filter(each => !each.getAttribute("aria-label") && !each.labels?.length)
        .filter(each => !each.textContent.trim()).map(each => each.outerHTML)"""
    )
    assert nameless == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(found => found.id)")
    assert len(set(ids)) == len(ids)
    for width, height in (PHONE, SIDEWAYS, DESKTOP):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for name in ("undo", "advise", "new"):  # in sight, and large enough for a thumb
            box = page.locator(f"#{name}").bounding_box()
            assert box["height"] >= 40
            assert 0 <= box["y"] <= height - box["height"]
    page.click("#tab-rules")
    assert page.locator("#rules details table").count() > 2  # RULES.md has some


#: What is on its way to another place.
GLIDING = "#picture svg > g[aria-hidden]"


def test_things_move(serve: Any, opened: Any) -> None:
    page = opened(serve(table("hackthegrid")), reduced_motion="no-preference")
    page.evaluate("chosenPace = 'slow'")
    card = page.locator("#picture [data-actions] [data-piece^='card']").first
    name, before = card.get_attribute("data-piece"), card.bounding_box()
    click(page, card)
    page.wait_for_selector(GLIDING, state="attached")
    on_its_way = page.locator(f"#picture [data-piece='{name}']")
    assert on_its_way.evaluate("each => each.style.visibility") == "hidden"
    start = page.locator(GLIDING).first.bounding_box()
    page.wait_for_selector(READY)
    page.wait_for_function(f"() => !document.querySelector('{GLIDING}')")
    after = on_its_way.bounding_box()
    assert on_its_way.evaluate("each => each.style.visibility") == ""
    assert abs(after["y"] - before["y"]) > 20  # from the grid into the Run
    assert start
    # Off at once, and remembered.
    assert page.inner_text("#motion") == "Motion: normal"
    page.evaluate("motion()")
    while page.inner_text("#motion") != "Motion: off":
        page.click("#motion")
    click(page, page.locator("#picture [data-actions] [data-piece^='card']").first)
    page.wait_for_selector(READY)
    assert not page.locator(GLIDING).count()
    page.reload()
    page.wait_for_selector(READY)
    assert page.inner_text("#motion") == "Motion: off"


def test_a_turn_is_shown_phase_by_phase(serve: Any, opened: Any) -> None:
    url = serve(table("hovercrafts"))
    page = opened(url, reduced_motion="no-preference")
    page.evaluate("chosenPace = 'slow'")  # there is time to look
    for each in ("deploy", "landing", "landing"):
        page.wait_for_selector(READY)  # a click is heeded
        version = page.evaluate("shown.version")
        page.locator(f"#choices button:has-text('{each}')").first.click()
        page.wait_for_function("version => shown.version !== version", arg=version)
    page.wait_for_selector("#ask:has-text('phase 1')")
    assert page.locator("#picture [data-actions]").count() == 0
    page.wait_for_selector("#ask:has-text('phase 2')")
    page.click("#skip")
    assert page.is_hidden("#skip")
    assert page.inner_text("#turn") == "Your move (Z0)"
    assert page.locator("#picture [data-actions]").count() > 1
    # A page that comes later is shown how it stands, and no film.
    later = opened(url, reduced_motion="no-preference")
    assert later.is_hidden("#skip")
    # Nothing is said twice: the picture holds no news, no prompt and no legend.
    assert "phase" not in page.evaluate("document.querySelector('#picture title').textContent")
    page.keyboard.press("s")
    assert page.locator("#signs svg").count() == 1


def test_another_game_evaluation_and_dragging(serve: Any, opened: Any) -> None:
    page = opened(serve(table("tictactoe.py")))
    page.click("#new")
    page.select_option("#game", "hackthegrid")
    page.wait_for_selector("#options label:has-text('scramble')", state="attached")
    assert page.locator("#level option").all_inner_texts()[-2] == "perfect: optimal"
    page.click("#for-options summary")
    page.select_option("#options select", "at_end")
    page.wait_for_selector("#wrong:has-text('Getting ready')", state="hidden")
    page.fill("#seed", "3")
    page.click("#begin .main")
    page.wait_for_selector("#begin", state="hidden")
    page.wait_for_selector("#title:has-text('HACKtheGRID')")
    page.wait_for_selector("#who:has-text('scramble=at_end')")
    # Nobody says who is ahead before that is asked for.
    assert page.is_hidden("#worth")
    page.click("#weigh")
    page.wait_for_selector("#worth:has-text('The solver')")
    assert page.evaluate("scale.value") in (0, 0.5, 1)
    # A card is dragged to where it goes; back on its place it stays.
    card = page.locator("#picture [data-draggable]").first
    box, decided = card.bounding_box(), page.evaluate("shown.heard.length")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(to: tuple[float, float]) -> None:
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 30, y + 30)
        page.mouse.move(*to)
        page.mouse.up()

    drag((x + 4, y + 4))
    page.wait_for_timeout(200)
    assert page.evaluate("shown.heard.length") == decided
    drag((x, y + 300))
    page.wait_for_function("decided => shown.heard.length > decided", arg=decided)
    page.wait_for_selector(READY)


def test_a_finger_drags_a_piece_and_is_asked_which_of_two_it_means(serve: Any, opened: Any) -> None:
    page = opened(serve(table("stacktrices", setup="random")), PHONE)
    stack = page.locator("#picture [data-draggable][data-actions*=' ']").first
    one = stack.get_attribute("data-actions").split()[0]
    words = page.evaluate("one => shown.choices.find(each => each.action === +one).words", one)
    stack.evaluate("element => element.scrollIntoView({ block: 'center' })")
    boxes = [stack.bounding_box(), page.locator(f"#picture [data-actions='{one}']").bounding_box()]
    start, end = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes)
    fingers, scrolled = page.context.new_cdp_session(page), page.evaluate("scrollY")

    def touch(what: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y} for x, y in points]
        fingers.send("Input.dispatchTouchEvent", {"type": what, "touchPoints": at})

    touch("touchStart", start)
    touch("touchMove", (start[0] + 20, start[1]))
    touch("touchMove", end)
    page.wait_for_selector("#picture .apart", state="attached")  # what does not go with it
    touch("touchEnd")
    assert page.evaluate("scrollY") == scrolled  # the page stays where it is
    page.wait_for_selector(f"#heard .own:has-text('{words}')", state="attached")
    page.wait_for_selector(READY)
    crowded = page.evaluate(
        """() => {
          for (const target of document.querySelectorAll("#picture [data-actions]")) {
            target.scrollIntoView({ block: "center" });
            const box = target.getBoundingClientRect();
            const clientX = box.left + box.width / 2, clientY = box.top + box.height / 2;
            if (near({ clientX, clientY }).length > 1) return [clientX, clientY];
          }
          return null;
        }"""
    )
    page.touchscreen.tap(*crowded)
    page.wait_for_selector("#which button")
    page.locator("#near button").first.click()
    page.wait_for_selector("#which", state="hidden")
    page.wait_for_selector("#picture .chosen, #heard .own")


def test_a_game_is_looked_back_on_and_goes_into_a_link(serve: Any, opened: Any) -> None:
    playing = table("hackthegrid")
    play_on(playing)
    url = serve(playing)
    page = opened(url)
    page.click("#review")
    page.wait_for_selector("#graph:not([hidden]) circle.lost")
    page.wait_for_selector("#here:has-text('better is')")
    for mark in ("best", "chosen"):  # the picture may come a little later
        page.wait_for_selector(f"#picture .{mark}", state="attached")
    at = page.evaluate("back.at")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("at => back.at === at + 1 && back.picture", arg=at)
    box = page.locator("#graph svg").bounding_box()
    page.mouse.click(box["x"] + 12, box["y"] + 40)
    page.wait_for_function("() => back.at === 0")
    page.keyboard.press("Escape")
    assert page.is_visible("#end")
    link = playing.handle({"do": "replay", "kind": "link"})["link"]
    other = table("tictactoe.py")
    page = opened(f"{serve(other)}&game={link}")
    page.wait_for_selector("#here:has-text('The beginning')")
    assert page.inner_text("#past-head") == "HACKtheGRID"
    page.click("#last")
    last = len(playing._session.actions)
    page.wait_for_selector(f"#here:has-text('{last} of {last}')")
    page.click("#close")
    page.wait_for_selector(READY)
    assert page.evaluate("shown.choices.length") == 9
    page.click("#new")
    page.click("#begin summary:has-text('link')")
    page.fill("#link", link[:-3])
    page.click("#follow")
    page.wait_for_selector("#wrong:has-text('holds no game')")


def test_addresses_that_lead_to_the_game_and_one_that_does_not(
    serve: Any, browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a browser without signatures, as pages of another machine are without encryption."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    url = serve(table("tictactoe.py"))
    page = browser.new_page()
    page.add_init_script(
        "for (const name of ['subtle', 'randomUUID'])"
        "  Object.defineProperty(Crypto.prototype, name, { value: undefined });"
    )
    with Keeper("tictactoe", {}).leading_to(url) as leading:
        page.goto(leading.as_uri())
        page.wait_for_selector(READY)
    assert page.evaluate("location.href") == url
    assert page.evaluate("crypto.subtle === undefined && crypto.randomUUID === undefined")
    click_a_move(page, random.Random(1))
    page.close()
    page = browser.new_page()
    page.goto(url[:-1])
    page.wait_for_selector("#gone:has-text('Open the one that the terminal shows')")
    assert page.evaluate("shown") is None
    assert page.inner_text("#turn") == ""
    page.close()


def test_a_stopped_server_loses_nothing_and_who_takes_its_port_is_not_believed(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A server that is stopped here leaves no connection open, as if its process had ended.
    monkeypatch.setattr(_Handler, "protocol_version", "HTTP/1.0")
    command = "cyberdeck play tictactoe.py --browser"
    playing = Table(Compiled(variant("tictactoe.py")), Setup(), 3, command=command)
    with served(playing) as first:
        page = opened(first.url)
    page.wait_for_selector("#gone:has-text('Nothing is lost')")
    assert command in page.inner_text("#gone")
    page.click("#choices button >> nth=0")  # a click in vain
    page.wait_for_selector("body:not(.quiet)")
    assert page.is_visible("#gone")
    asked: list[str] = []

    def impostor(route: Any) -> None:
        """Has the port, and says what the tab wants to hear."""
        sent = route.request
        asked.append(f"{sent.url} {sent.all_headers()} {sent.post_data}")
        answer = '{"version": "a.1", "picture": "<svg><title>Mine</title></svg>", "key": "b"}'
        once = sent.headers.get("proof", "").partition(" ")[0]
        proved = {"Proof": proof("b", "answered", once, answer.encode())}
        route.fulfill(body=answer, content_type="application/json", headers=proved)

    page.route("**/*", impostor)
    page.wait_for_selector("#gone:has-text('no longer, that of the game')")
    for _ in range(2):
        page.wait_for_event("request", lambda sent: sent.url.endswith("/again"))
    page.unroute("**/*")
    assert page.evaluate("shown.choices.length") == 9
    assert "/again" in "".join(asked)
    assert first.token not in "".join(asked)
    assert first.key not in "".join(asked)
    # The game's own server, started again: only that one has the key.
    with served(playing, first.port, first.key) as again:
        page.wait_for_selector("#gone", state="hidden")
        page.wait_for_selector("#notice:has-text('is back')")
        assert page.evaluate("token") == again.token
        assert page.evaluate("location.href") == again.url
        page.reload()
        page.wait_for_selector(READY)
        click_a_move(page, random.Random(1))
    with served(playing, first.port) as other:  # another table's
        page.wait_for_selector("#gone:has-text('no longer, that of the game')")
        # A new address in the same tab: the browser itself does not load the page anew.
        page.evaluate("url => { location.href = url; }", other.url)
        page.wait_for_selector(READY)
        assert page.evaluate("token") == other.token
