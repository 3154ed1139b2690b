"""How values show themselves, as text and in a notebook: drawn by a layer above, which is loaded on demand.

`str` and notebooks call a method of the value itself, but the layers forbid a board that imports its own
renderer. So the renderer is named here, once, and loaded when it is first needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

RENDERER: Final = "littlego.formats.notebook"


def svg_of(value: object) -> str:
    drawn: str = import_module(RENDERER).svg_of(value)
    return drawn


def position_of_diagram(text: str, *terms: object) -> object:
    """The drawing read back: the one thing that a value asks of the layer above and does not show."""
    return import_module(RENDERER).position_of_diagram(text, *terms)


def diagram_of(value: object) -> str:
    drawn: str = import_module(RENDERER).diagram_of(value)
    return drawn
