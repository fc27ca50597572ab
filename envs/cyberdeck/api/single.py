"""What every env of one game can do, whichever library it is for."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.api.adapters import RENDER_MODES, Format
from cyberdeck.drawing.svg import THEMES
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.record import NOBODY
from cyberdeck.errors import ActionError, EpisodeError, OptionError, require
from cyberdeck.players import built_in
from cyberdeck.showing import Past, has_spectators, phases_of, picture_of, text_of

if TYPE_CHECKING:
    from cyberdeck.drawing.window import Window


class SingleGame:
    """One game by itself: states to save, copy and redraw, and pictures of it."""

    _core: GameBatch
    _window: Window | None = None
    _render_seat: int | None = None
    _past: Past  # nothing where it is not rendered
    render_mode: str | None

    def _show_as(self, core: GameBatch, shown: Format, mode: str | None, theme: str) -> None:
        """Show this game so, and in this render mode."""
        self._core, self._format = core, shown
        self._metric_names = [metric.name for metric in core.game.metrics]
        modes = f"choose {', '.join(map(repr, RENDER_MODES))}"
        require(mode in (None, *RENDER_MODES), "render_mode", mode, modes)
        require(theme in THEMES, "render_theme", theme, "choose 'dark' or 'light'")
        self.render_mode, self._render_theme = mode, theme

    def _check_render_seat(self, render_seat: int | str | None) -> int | None:
        """The seat of a name or number; None: a spectator, where pictures are asked for."""
        variant = self._core.variant
        agents = ", ".join(map(repr, variant.agents))
        if render_seat in variant.agents:
            return variant.agents.index(str(render_seat))
        if render_seat is None:
            if self.render_mode is not None and not has_spectators(variant):
                raise OptionError(
                    f"{variant.game.title} has no spectator's view: say by render_seat= whose is "
                    f"drawn: {agents}"
                )
            return None
        last = variant.seats - 1
        choose = (
            f"choose one of {agents}, a number from 0 to {last}, or None for a spectator's view"
        )
        possible = is_whole(render_seat) and 0 <= int(render_seat) <= last
        require(possible, "render_seat", render_seat, choose)
        return int(render_seat)

    def action_name(self, action: int) -> str:
        """What an action would be now, in words.

        >>> import gymnasium, cyberdeck
        >>> env = gymnasium.make("cyberdeck/HackTheGrid-v0").unwrapped
        >>> _ = env.reset(seed=0)
        >>> env.action_name(68)
        'decline the swap'
        """
        return self._core.action_name(0, action)

    def _begin(
        self, seed: int | None, options: Any, rng: np.random.Generator | None = None
    ) -> None:
        """Begin a game; the first one without a seed draws one."""
        if seed is None and not self._core.started:
            seed = int((rng or np.random.default_rng()).integers(2**63))
        self._core.reset([seed], options)
        self._past = Past()

    # --- states ----------------------------------------------------------------------------------

    def get_state(self) -> bytes:
        """The whole game as bytes, its generator included."""
        return self._core.save()

    def set_state(self, saved: bytes) -> None:
        """Go on from bytes of ``get_state``; on any error nothing changes.

        The bytes may come from anybody: they are checked to be a possible position of this game
        and run no code.
        """
        self._core.load(saved)
        self._past = Past()

    def clone(self) -> Self:
        """A twin in the same state that goes its own way (without a window of its own)."""
        return copy.deepcopy(self)

    def resample(self, seat: int | None = None, *, seed: int | None = None) -> None:
        """Redraw everything that *seat* cannot know, future dice included.

        The seat (by default the one to move) sees no difference; which of the possible games this
        becomes is decided by *seed*, or else by the env's own generator. Clones share that
        generator: give each a seed of its own, or all become the same game.

        >>> import gymnasium, cyberdeck
        >>> env = gymnasium.make("cyberdeck/MatrixOverload-v0").unwrapped
        >>> _ = env.reset(seed=0)
        >>> worlds = [env.clone() for _ in range(4)]
        >>> for seed, world in enumerate(worlds):
        ...     world.resample(seed=seed)
        >>> len({world.get_state() for world in worlds})
        4
        """
        self._core.need_game()
        if seat is None:
            seat = max(int(self._core.movers[0]), 0)
        self._core.resample(seat, seed)

    def suggest(self, player: str = "heuristic") -> int:
        """What a built-in player ("random" or "heuristic") would do for the mover now."""
        self._core.need_game()
        if self._core.movers[0] == NOBODY:
            raise EpisodeError("the game is over: there is nothing to decide")
        return int(self._core.choose(built_in(self._core.game, player).code)[0])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_window"}

    # --- actions ---------------------------------------------------------------------------------

    def _whole(self, action: Any) -> int:
        """*action* as a whole number within the action space, or ``ActionError``."""
        if isinstance(action, np.ndarray) and action.size == 1:
            action = action.item()  # what a policy answers to one observation
        last = self._core.variant.action_count - 1
        try:
            number: int | None = operator.index(action)
        except TypeError:
            number = None
        if number is None or isinstance(action, (bool, np.bool_)):
            raise ActionError(
                f"action {action!r} is of type {type(action).__name__}: a whole number from 0 to "
                f"{last} is needed; nothing was applied"
            )
        if not 0 <= number <= last:
            raise ActionError(
                f"action {number} does not exist: actions are 0 to {last}; nothing was applied"
            )
        return number

    def _apply(self, action: int) -> None:
        """Apply a legal action; an illegal one costs the game or raises, as the env was made."""
        core = self._core
        if not core.lenient and not core.one_mask.item(action):
            raise ActionError(f"nothing was applied: {core.complaint(0, action)}")
        if self.render_mode is None:
            core.advance_one(action)
        else:
            with self._noted():
                core.advance_one(action)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Remember how the step in this block began, where that is to be shown."""
        before = self._core.states.copy()
        yield
        self._past.before = before
        self._past.went_on(self._core.variant, before, self._core.states)

    # --- pictures --------------------------------------------------------------------------------

    def _viewer(self) -> int | None:
        """The seat whose view is drawn, or None for a spectator's."""
        return self._render_seat

    def _shown_to(self, seat: int | None) -> int | None:
        """*seat*, or by default the one that is rendered; there must be a game."""
        self._core.need_game()
        return self._viewer() if seat is None else seat

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def svg(
        self,
        *,
        seat: int | None = None,
        highlight: bool | Iterable[int] = True,
        theme: str | None = None,
        narrow: bool = False,
    ) -> str:
        """The game as an SVG picture from a seat's view, by default the one that is rendered.

        *highlight*: the mover's legal actions, those of them that are named, or none (False). What
        the last step has changed is marked if there is a ``render_mode``. *theme*: "dark" or
        "light", by default what is rendered. *narrow*: for a phone held upright, 390 wide.
        """
        viewer, theme = self._shown_to(seat), self._render_theme if theme is None else theme
        return picture_of(self._core, 0, viewer, highlight, self._past, theme, narrow)

    def text(self, *, seat: int | None = None) -> str:
        """The game as plain text from a seat's view, by default the one that is rendered."""
        return text_of(self._core, 0, self._shown_to(seat), self._past)

    def frames(self, *, seat: int | None = None) -> list[str]:
        """What has happened last as SVG pictures from a seat's view: one for each phase.

        Most games have one phase and so one picture; in Hovercrafts a turn is carried out in
        several, which are known if there is a ``render_mode``.
        """
        return phases_of(self._core, 0, self._shown_to(seat), self._past)

    def _repr_svg_(self) -> str | None:
        shown = self._viewer() is not None or has_spectators(self._core.variant)
        return self.svg() if shown and self._core.started else None

    def render(self) -> NDArray[np.uint8] | str | None:
        """A picture for ``rgb_array``, text for ``ansi``; ``human`` shows it in a window."""
        if self.render_mode is None:
            raise OptionError(
                "this env was made without a render_mode: give render_mode='rgb_array', 'human' "
                "or 'ansi' when making it, or call svg()"
            )
        self._core.need_game()
        if self.render_mode == "ansi":
            return self.text()
        from cyberdeck.drawing.raster import rgb

        if self.render_mode == "rgb_array":
            return rgb(self.svg(highlight=False))
        if self._window is None:
            from cyberdeck.drawing.window import Window

            self._window = Window(self._core.game.title)
        if self._window.is_open():
            self._window.show(rgb(self.svg()))
        return None

    def close(self) -> None:
        """Close the window, if there is one. The game stays as it is."""
        if self._window is not None:
            self._window.close()
            self._window = None
