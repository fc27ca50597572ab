"""A window that shows pictures as they come, with pygame."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from cyberdeck.errors import install


class Window:
    """Opens with the first frame. Once closed, by the user or by ``close``, it stays closed."""

    def __init__(self, title: str = "cyberdeck") -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it prints an advertisement
        try:
            import pygame
        except ImportError as missing:
            raise DependencyNotInstalled(
                f"a window needs pygame, which is not installed: {install('window')}"
            ) from missing
        self._pygame: Any = pygame
        self._title = title
        self._screen: Any = None
        self.closed = False

    def is_open(self) -> bool:
        """Whether a frame would be seen. Who has to draw it first asks: drawing takes long."""
        if self._is_own_display() and self._pygame.event.get(self._pygame.QUIT):
            self.close()
        return not self.closed

    def show(self, frame: NDArray[np.uint8]) -> None:
        """Show a frame of shape (height, width, 3), pixel by pixel."""
        if not self.is_open():
            return
        pygame = self._pygame
        shape = (frame.shape[1], frame.shape[0])
        # pygame has one display: another window of this process may have taken or closed it.
        if not self._is_own_display() or self._screen.get_size() != shape:
            self._open_display()
            pygame.display.set_caption(self._title)
            self._screen = pygame.display.set_mode(shape)
        pygame.event.pump()
        self._screen.blit(pygame.surfarray.make_surface(frame.swapaxes(0, 1)), (0, 0))
        pygame.display.flip()

    def _open_display(self) -> None:
        """Where there is no display SDL takes one that nobody sees, unless it is told to."""
        self._pygame.display.init()
        driver = self._pygame.display.get_driver()
        if driver in ("dummy", "offscreen") and os.environ.get("SDL_VIDEODRIVER") != driver:
            self._pygame.display.quit()
            raise self._pygame.error("this machine has no display")

    def close(self) -> None:
        if self._is_own_display():
            self._pygame.display.quit()
        self._screen = None
        self.closed = True

    def _is_own_display(self) -> bool:
        if self._screen is None or not self._pygame.display.get_init():
            return False
        return self._pygame.display.get_surface() is self._screen
