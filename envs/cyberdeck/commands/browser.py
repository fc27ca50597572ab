"""``play --browser``: the game on a page that this machine alone can open, or its network."""

from __future__ import annotations

import shlex
import webbrowser
from contextlib import ExitStack, suppress
from pathlib import Path

from cyberdeck.commands.arguments import Chosen
from cyberdeck.common.text import tell
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.players import built_in_names
from cyberdeck.playing.compiled import Compiled
from cyberdeck.playing.keeping import Keeper
from cyberdeck.playing.server import HOST, Server, address_in_network
from cyberdeck.playing.table import Setup, Table


def serve(variant: Variant, chosen: Chosen) -> None:
    """Open the page, and serve it until Ctrl-C."""
    for given, argument in ((chosen.window, "--window"), (chosen.output, "--output")):
        if given:
            raise OptionError(
                f"{argument} is for playing in the terminal: leave it out; the page shows the "
                "game, and saves its replay"
            )
    host = address_in_network() if chosen.lan else HOST
    if host is None:
        raise OptionError("--lan: this machine is in no network: leave it out")
    usual = built_in_names(variant.game)[-1]
    setup = Setup(chosen.seat, chosen.opponent or usual, chosen.ally or usual)
    own_file = chosen.game.endswith(".py")
    keeper = Keeper(
        variant.game.name,
        {
            "file": str(Path(chosen.game).resolve()) if own_file else "",
            "version": variant.game.version,
            "options": variant.options,
            "setup": [setup.seat, setup.against, setup.ally, chosen.seed],
        },
    )
    keeper.open()
    try:
        tell("Starting: the first time on a machine this takes a while.")
        table = _table(variant, setup, chosen, keeper)
        _serve(table, keeper, host)
    finally:
        keeper.close()


def _table(variant: Variant, setup: Setup, chosen: Chosen, keeper: Keeper) -> Table:
    """The table as it was left, or a new one."""
    command = shlex.join(["cyberdeck", *chosen.given])
    engine = Compiled(variant)
    if keeper.game is not None:
        try:
            return Table(engine, setup, keep=keeper.keep_game, kept=keeper.game, command=command)
        except OptionError as error:
            tell(f"{error}. It is put aside as {keeper.put_aside()}; a new one begins.")
    return Table(engine, setup, chosen.seed, keeper.keep_game, command=command)


def _warn(url: str) -> None:
    """Say what is open now, and show the link so that a phone can read it."""
    tell(
        "Whoever in your network has this link can open the page and do there what you can. What\n"
        "is sent can be read on the way: use it in a network that you trust, and stop it with\n"
        "Ctrl-C: the link ends with that, and the next start has another one. Other devices may\n"
        "be kept out by this machine's firewall.\n"
    )
    try:
        import segno
    except ImportError:
        tell('For a code that a phone can read: pip install "segno>=1.6"\n')
        return
    segno.make(url, error="l").terminal(compact=True)
    tell()


def _serve(table: Table, keeper: Keeper, host: str) -> None:
    known = keeper.address
    made = Server(table, known.get("port", 0), known.get("key"), host)
    with made as server, ExitStack() as stack:
        shown = None
        # On a full disk, for instance, the game goes on, and the page says that it is not kept.
        with suppress(OSError):
            key = {"key": server.key} if server.lasting else {}  # else the one of before stays
            keeper.keep_address({**known, **key, "port": server.port, "url": server.url})
            shown = stack.enter_context(keeper.leading_to(server.url))
        if table.resumed:
            tell("Your game goes on where it was left.")
        tell(f"Open this address, if the browser does not do so by itself:\n\n  {server.url}\n")
        if host != HOST:
            _warn(server.url)
        tell("A tab that is closed loses nothing: open the address again.")
        if table.unkept:
            tell(table.unkept)
        else:
            tell("Ctrl-C stops. Your game is kept, and the same command goes on with it.")
        if shown is not None:
            _open(shown)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            if table.unkept:
                tell("\nStopped. What was played last could not be kept on the disk.")
            else:
                tell("\nStopped. Your game is kept, and the same command goes on with it.")


def _open(page: Path) -> None:
    """Show a page, if there is a browser that does not want the terminal for itself."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if type(browser) is not webbrowser.GenericBrowser:  # such as lynx
        browser.open(page.as_uri())
