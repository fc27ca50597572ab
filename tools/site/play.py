"""The page of `play --browser` for any static host: python -m tools.site.play FOLDER PYODIDE WEB.

PYODIDE is the folder of npm's package (``tools.site.pyodide``), WEB that of ``tools.native.web``:
the examples that are there as well can be played, too.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any, Final

from cyberdeck import showing
from cyberdeck.api.registration import load_file
from cyberdeck.building.webassembly import MODULES, code_in, with_description
from cyberdeck.engine import registry
from cyberdeck.engine.contract import Game
from cyberdeck.engine.variant import Variant
from cyberdeck.play.compiled import CompiledEngine, rules
from cyberdeck.players import built_in_names, levels
from cyberdeck.players.baselines import published, rules_of
from cyberdeck.players.search import usual_search
from cyberdeck.playing.server import page

ENVS: Final = Path(__file__).parents[2] / "envs"
EXAMPLES: Final = sorted((Path(__file__).parents[2] / "examples" / "games").glob("*.py"))
STATIC: Final = ENVS / "cyberdeck" / "playing" / "static"

#: What the page needs of Python's library, and files of games with further options.
TABLE: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())

#: Says which modules a table needs, and texts beside them, in a process that has no NumPy.
NEEDED: Final = """
import importlib, json, sys
from pathlib import Path
for name in ("gymnasium", "numpy", "numba"):
    sys.modules[name] = None
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
own = [m.__file__ for n, m in sys.modules.items() if n.partition(".")[0] == "cyberdeck" and m]
there = {file for name in own for file in Path(name).parent.iterdir()}
texts = [str(file) for file in there if file.suffix in (".toml", ".txt", ".svg")]
print(json.dumps(sorted({*own, *texts})))
"""


def beside(game: Game) -> dict[str, Any]:
    """What a table says of a game that its WebAssembly does not know."""
    variant = Variant(game, {}).by_outcome
    known = showing.described(variant)._asdict()
    return {
        "title": game.title,
        "summary": game.summary,
        "teams": variant.teams,
        "scored": variant.scored,
        "open": game.open,
        "rules": rules(game.name),
        "view": registry.VIEWS.get(game.name, ""),
        "built_in": built_in_names(game),
        "levels": {name: who for name, who in levels(variant).items() if name != "perfect"},
        "reward_bound": float(game.reward_bound),
        "advice": {"iterations": usual_search(game).iterations},
        "offered": CompiledEngine(variant).offered(),
        "files": [{"file": name, "options": own} for name, own in files(game).items()],
        "policies": [{"file": path.name, "rules": own} for path, own in policies(game).items()],
        "plain": {
            name: each for name, each in known.items() if name not in TABLE["options_change"]
        },
    }


def files(game: Game) -> dict[str, dict[str, Any]]:
    """Its files of WebAssembly, with the options that are chosen in each."""
    others = TABLE["further"].items()
    further = {name: own["options"] for name, own in others if own["game"] == game.name}
    return {f"{game.name}.wasm": {}, **further}


def policies(game: Game) -> dict[Path, dict[str, Any]]:
    """The published ones, with the rules that they play."""
    return {path: rules_of(trained) for path, trained in published(game).items()}


def write(folder: Path, pyodide: Path, web: Path) -> None:
    """The page and all that it needs."""
    folder.mkdir(parents=True)
    games = [registry.game(name) for name in registry.GAMES]
    built = [load_file(path) for path in EXAMPLES if (web / f"{path.stem}.wasm").is_file()]
    # A view in a game's file needs what its kernels need, and that is not there.
    games += [game for game in built if registry.view(game) is None]
    _pack((pyodide / "pyodide.asm.wasm").read_bytes(), folder / "pyodide.asm.wasm.packed")
    for name in ("pyodide.asm.mjs", "pyodide.mjs"):
        (folder / name).write_bytes((pyodide / name).read_bytes())
    _library(pyodide / "python_stdlib.zip", folder / "python_stdlib.zip")
    _sources(list(registry.VIEWS.values()), folder / "cyberdeck.zip")
    (folder / "people.json").write_text(json.dumps({game.name: beside(game) for game in games}))
    for module in MODULES:
        (folder / module.name).write_bytes((web / module.name).read_bytes())
    made = dict[str, bytes]()
    for game in games:
        code = code_in((web / f"{game.name}.wasm").read_bytes(), game.name)
        for name, options in files(game).items():
            made[name] = with_description(code, game.name, options)
            _pack(made[name], folder / f"{name}.packed")
    (folder / "static.js").write_bytes((STATIC / "static.js").read_bytes())
    (folder / "worker.mjs").write_bytes((STATIC / "worker.mjs").read_bytes())
    shows = (STATIC / "views.mjs").read_text()
    (folder / "views.mjs").write_text(shows.replace("@LOCK@", _lock(pyodide)))
    script = '<script src="static.js"></script>\n<script>'
    (folder / "index.html").write_text(page().replace("<script>", script, 1))
    there = sorted(path.name for path in folder.iterdir())
    made |= {path.name: path.read_bytes() for game in games for path in policies(game)}
    for name, content in made.items():  # policies are fetched when they play, and games by others
        (folder / name).write_bytes(content)
    version = hashlib.sha256(b"".join((folder / name).read_bytes() for name in there))
    offline = (STATIC / "offline.js").read_text().replace("@VERSION@", version.hexdigest()[:12])
    listed = json.dumps(["./", *there])
    (folder / "offline.js").write_text(offline.replace("@FILES@", listed))


def _pack(content: bytes, made: Path) -> None:
    """For the page to unpack: hosts that think to know how a file is packed do it otherwise."""
    made.write_bytes(gzip.compress(content, 9, mtime=0))


def _lock(pyodide: Path) -> str:
    """What Pyodide has to know of itself: its own lock file, without the packages."""
    lock = json.loads((pyodide / "pyodide-lock.json").read_text())
    return json.dumps({"info": lock["info"], "packages": {}})


def _library(whole: Path, made: Path) -> None:
    """Python's library without what is not needed."""
    left_out, encodings = tuple(TABLE["not_needed"]), tuple(TABLE["encodings"])
    with zipfile.ZipFile(whole) as there, zipfile.ZipFile(made, "w") as kept:
        for name in there.namelist():
            coded = name.startswith("encodings/")
            if name.startswith(left_out) or (coded and not name[10:].startswith(encodings)):
                continue
            kept.writestr(zipfile.ZipInfo(name), there.read(name), zipfile.ZIP_DEFLATED, 9)


def _sources(views: list[str], made: Path) -> None:
    """What of this package runs in the page."""
    asked = json.dumps(["cyberdeck.playing.web", *views])
    found = subprocess.run(
        [sys.executable, "-c", NEEDED, asked],
        capture_output=True,
        text=True,
        check=True,
    )
    with zipfile.ZipFile(made, "w") as kept:
        for name in json.loads(found.stdout):
            place = str(Path(name).relative_to(ENVS))
            kept.writestr(zipfile.ZipInfo(place), Path(name).read_bytes(), zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:4]))
