"""How values show themselves, as text and in a notebook: drawn by a layer above, which is loaded on demand.

`str` and notebooks look for a method on the value itself, and a board that imports its own renderer
is what the layers forbid. So the renderer is named here, once, and nothing is loaded before it is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

RENDERER: Final = "littlego.formats.notebook"


def svg_of(value: object) -> str:
    """A board, a position or a game as SVG."""
    drawn: str = import_module(RENDERER).svg_of(value)
    return drawn


def diagram_of(value: object) -> str:
    """A board or a position as a diagram."""
    drawn: str = import_module(RENDERER).diagram_of(value)
    return drawn
