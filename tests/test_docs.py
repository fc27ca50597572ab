"""The documentation says what the code does: its tables, examples, links and rulings."""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import inspect
import pkgutil
import pydoc
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from tools.site import contents, replays

import cyberdeck
from cyberdeck import docs
from cyberdeck.engine import record

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ROOT / "envs" / "cyberdeck" / "games"

#: Pages whose examples are run: those for users and for people who contribute.
EXAMPLES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
#: Pages and modules whose examples take more than a second, or two if they compile something.
LONG = (
    *("README", "beliefs", "exploit", "gpu", "shapes"),
    *("solve_matrix_overload", "solve_small", "testing"),
    *("cyberdeck.api.device_env", "cyberdeck.exact", "cyberdeck.testing"),
)
PAGES = [*EXAMPLES, *sorted(ROOMS.rglob("*.md")), ROOT / "benchmarks" / "README.md"]

_FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_LEDGER = re.compile(r"^\| ([A-Z])(\d+) \|", re.MULTILINE)
_CITED = re.compile(r"\b[Rr]ulings? ((?:[A-Z]\d+(?:, | and )?)+)|\(([A-Z]\d+)\)")


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, and the line that its text begins on."""

    info: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1].strip(), found[2], text.count("\n", 0, found.start(2)) + 1)
        for found in _FENCED.finditer(text)
    ]


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


# --- tables made from the code --------------------------------------------------------------------


def test_generated_parts_are_what_the_code_gives() -> None:
    stale = [
        name(page)
        for page, wanted in docs.pages(ROOT / "docs").items()
        if page.read_text(encoding="utf-8") != wanted
    ]
    assert not stale, "run `make docs`: these pages are out of date"


@pytest.mark.parametrize("about", docs.DESCRIBING)
def test_help_explains_every_field(about: type) -> None:
    """As the reference does, which is made of the same."""
    _, sections = docs.explained(about)
    told = {name: text for names in sections.values() for name, text in names.items()}
    fields = {*inspect.get_annotations(about)}
    if about is cyberdeck.Game:
        fields |= {name for name, *_ in record.header(2)}
    assert told.keys() == fields
    helped = " ".join(pydoc.plain(pydoc.render_doc(about)).replace("|", " ").split())
    for name, text in told.items():
        assert len(text.split()) > 1
        assert f"{name}: {text}" in helped


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_a_games_page_keeps_the_common_shape(game: str) -> None:
    page = ROOT / "docs" / "games" / f"{game}.md"
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    assert headings[:2] == [cyberdeck.game(game).title, "Usage"]
    assert headings[-2:] == ["Opponents", "Version history"]
    assert f"](../images/{game}.png)" in prose(page)
    index = prose(ROOT / "docs" / "games" / "index.md")
    assert f"]({game}.md)" in index
    assert f"games/{game}/RULES.md" in index


# --- examples -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] * (page.stem in LONG))
        for page in EXAMPLES
        if "```python\n" in page.read_text(encoding="utf-8")
    ],
    ids=name,
)
def test_the_examples_of_a_page_run(
    page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In order and in one namespace, as someone who reads along would type them."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.chdir(tmp_path)  # what they write stays out of the repository
    for folder in ("configs", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    namespace = {"__name__": "__example__"}
    for block in blocks(page):
        if block.info == "python":
            # Blank lines before it make tracebacks name the page's own lines.
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
            exec(code, namespace)


def test_no_example_is_left_out_by_a_slip() -> None:
    known = {"python", "python no-run", "js", "sh", "text", "toml", "yaml"}
    for page in EXAMPLES:
        for block in blocks(page):
            directive = block.info.startswith("{")  # what only the site makes something of
            assert directive or block.info in known, (
                f"{name(page)}, line {block.line - 1}: ```{block.info}"
            )


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_the_site_has_every_page() -> None:
    """And each in one place: the pages that list others are a tree."""
    index = ROOT / "docs" / "index.md"
    named, left = [], [index]
    while left:
        page = left.pop()
        named.append(page)
        left += [(page.parent / listed).resolve() for listed in contents.listed(page)]
    assert len(set(named)) == len(named)
    assert {page for page in PAGES if page != ROOT / "README.md"} <= set(named)


@pytest.mark.slow
def test_the_authors_page_leads_to_a_game(tmp_path: Path) -> None:
    """Its first commands as they stand there, but for less, in an empty folder."""
    page = ROOT / "docs" / "write" / "first_game.md"
    first = next(block for block in blocks(page) if block.info == "sh")
    lines = [line.partition("#")[0].split() for line in first.text.splitlines()]
    expected = (
        ("new", [], "a game that works"),
        ("check", ["--decisions", "200", "--seconds", "600"], "keeps the contract"),
        ("play", [], "My game"),
        ("evaluate", ["--deals", "5"], "random +both"),
    )
    for (_, *arguments), (name, less, told) in zip(lines, expected, strict=True):
        assert arguments[0] == name
        python = [sys.executable, "-W", "error", "-m", "cyberdeck", *arguments, *less]
        done = subprocess.run(
            python, cwd=tmp_path, input="q\n", text=True, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert re.search(told, done.stdout)


#: Modules that need a library of another environment; their own tests run their examples there.
ELSEWHERE = {
    "cyberdeck.openspiel": "pyspiel",
    "cyberdeck.rllib": "ray",
    "cyberdeck.torchrl": "torchrl",
    "cyberdeck.text.openenv": "openenv",
    "cyberdeck.text.verifiers": "verifiers",
}

MODULES = {
    ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"): path
    for folder in (ROOT / "envs", ROOT / "training")
    for path in sorted(folder.glob("cyberdeck*/**/*.py"))
    # Importing one of an older version says what has taken its place.
    if re.search(r"^ *>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
    and not re.search(r"_v\d+$", path.stem)
}


@pytest.mark.parametrize(
    "module",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in LONG))
        for name in MODULES
        if name not in ELSEWHERE or find_spec(ELSEWHERE[name])
    ],
)
def test_doctests(module: str) -> None:
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert not result.failed


# --- how it is installed --------------------------------------------------------------------------


def test_nothing_installs_it_by_its_name() -> None:
    """No index has it under that name, where somebody else's package may be some day."""
    by_name = re.compile(r"pip install\b[^`]*[ \"']cyberdeck\b(?![-_/.])|\bcyberdeck\[")
    told = ("", ".cfg", ".js", ".md", ".mjs", ".py", ".sh", ".toml", ".txt", ".yaml", ".yml")
    folders = ("benchmarks", "configs", "docs", "envs", "examples", "tests", "tools", "training")
    files = [path for path in ROOT.iterdir() if path != ROOT / "pyproject.toml"]  # extras of extras
    files += [path for folder in folders for path in (ROOT / folder).rglob("*")]
    found = [
        f"{name(path)}: {line}"
        for path in files
        if path.suffix in told and path.is_file()
        for line in path.read_text(encoding="utf-8").splitlines()
        if by_name.search(line)
    ]
    assert not found


def test_the_page_about_it_has_every_extra() -> None:
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    table = (ROOT / "docs" / "install.md").read_text("utf-8").partition("\n## Extras")[2]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert sorted(extra for row in rows for extra in re.findall(r"`(\w+)`", row)) == sorted(known)


# --- links ----------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The names that a page's headings have in links, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in _LINK.findall(prose(page)):
        if re.match(r"[a-z]+:|\.\./\.\./actions/", link):  # the badge, wherever GitHub has this
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


#: A name of the package in a sentence; neither a file nor a group of entry points.
_NAME = re.compile(r"`(cyberdeck(?:_training)?(?:\.[A-Za-z]\w*)+)(?!\w*[./-])")


def exists(dotted: str) -> bool:
    """Whether a module has a name; by its source where it needs what is not installed here."""
    with contextlib.suppress(AttributeError):
        return pkgutil.resolve_name(dotted) is not None
    path = ROOT / "envs" / dotted.replace(".", "/")
    if path.with_suffix(".py").exists() or not path.parent.with_suffix(".py").exists():
        return path.with_suffix(".py").exists() or path.is_dir()
    tree = ast.parse(path.parent.with_suffix(".py").read_text("utf-8"))
    return path.name in {getattr(each, "name", None) for each in tree.body}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_names_of_the_package_exist(page: Path) -> None:
    named = set(_NAME.findall(prose(page))) - {"cyberdeck.algorithms", "cyberdeck.mjs"}
    assert [each for each in sorted(named) if not exists(each)] == []


# --- the rules pages ------------------------------------------------------------------------------


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_the_rules_page_names_every_option_and_value(game: str) -> None:
    text = (ROOMS / game / "RULES.md").read_text(encoding="utf-8")
    for option in cyberdeck.game(game).options:
        assert f"| `{option.name}` |" in text
        for value in option.choices:
            assert f"`{value}`" in text, f"{option.name}={value!r}"
        if option.bounds is not None:
            assert f"| `{option.name}` | {option.default} |" in text
    for start in cyberdeck.game(game).starts:
        assert f'"{start.name}":' in text
    for reason in cyberdeck.game(game).reasons[2:]:  # its own, after those of every game
        assert f"`{reason}`" in text


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_the_ledger_numbers_every_ruling_that_the_code_cites(game: str) -> None:
    text = (ROOMS / game / "RULES.md").read_text(encoding="utf-8")
    ledger = _LEDGER.findall(text)
    assert len({letter for letter, _ in ledger}) == 1
    assert [int(number) for _, number in ledger] == list(range(1, len(ledger) + 1))
    known = {letter + number for letter, number in ledger}
    for source in [*sorted((ROOMS / game).glob("*.py")), ROOMS / game / "RULES.md"]:
        for listed, alone in _CITED.findall(source.read_text(encoding="utf-8")):
            for cited in re.findall(r"[A-Z]\d+", listed or alone):
                assert cited in known, f"{name(source)} cites the ruling {cited}"


# --- who is credited ------------------------------------------------------------------------------

#: As the games' texts name them.
AUTHORS = {
    "matrix_overload": ("Michael Elliot", "Tom Francis", "Andrew Steele"),
    "hackthegrid": ("Kelli Shaver & Jumpgate Games",),
    "stacktrices": ("Gregory Lattanzio",),
    "hovercrafts": ("author not named in the text we have",),
}


@pytest.mark.parametrize("game", AUTHORS)
def test_the_authors_of_a_game_are_credited(game: str) -> None:
    rules = f"envs/cyberdeck/games/{game}/RULES.md"
    for page in ("README.md", "NOTICE", "CITATION.cff", f"docs/games/{game}.md", rules):
        text = " ".join((ROOT / page).read_text("utf-8").split())
        for author in AUTHORS[game]:
            assert author in text, f"{page} does not name {author}"


def test_the_citation_refers_to_the_authors() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    named = [author["name"] for work in cited["references"] for author in work["authors"]]
    assert sorted(named) == sorted(name for names in AUTHORS.values() for name in names)


# --- the site -------------------------------------------------------------------------------------


def test_where_the_site_shows_a_game_other_readers_find_words() -> None:
    found = []
    for page in (ROOT / "docs").rglob("*.md"):
        marks = re.findall(r"^<!-- replay: (.*) -->\n\n(.*)", page.read_text("utf-8"), re.MULTILINE)
        assert all(beside and beside[0] not in "#<`" for _, beside in marks), page
        found += [game for game, _ in marks]
    assert set(found) == set(replays.GAMES)
