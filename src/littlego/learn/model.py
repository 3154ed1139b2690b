"""A trained model: values of afterstates, in a file.

The file is JSON. Weights are packed: little-endian, compressed with zlib, written in base64.

    format, version              what it is
    size, komi, length           the game that it is for
    games, seed, settings        how it was trained
    view                         what it looks at: see `features.View`
    scale, weights               weights are int16, in the order of `features`; times `scale`
"""

from __future__ import annotations

import base64
import json
import sys
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from littlego.core.errors import FormatError, UsageError
from littlego.core.rules import DEFAULT_SIZE, Rules
from littlego.learn.features import SIZES, SMALL_BLOCKS, Features, View
from littlego.storage.files import reading

FORMAT = "littlego q-learning model"
VERSION = 1
FILE_NAME = "model.json"
"""The name of the model that training writes."""

SLACK = 0.005
"""How close to an even chance a value counts as even; see `least_alike`."""


def least_alike(best: float, slack: float = SLACK) -> float:
    """The least value that counts as no worse than `best`: a player draws among such moves, so that games differ.

    Near certainty values must be closer: a loss in 300 games is not as good as a proven win.

    >>> least_alike(0.5), least_alike(1.0)
    (0.495, 1.0)
    """
    return best - 4 * slack * best * (1 - best)


@dataclass(frozen=True)
class Model:
    """What was learned about the value of afterstates, for which game, and how.

    `learned` has its values.
    """

    weights: Sequence[int]
    scale: float
    view: View = SMALL_BLOCKS
    _: KW_ONLY
    size: int = DEFAULT_SIZE
    komi: float = DEFAULT_SIZE / 2
    length: int = DEFAULT_SIZE**2 - 1
    """The most moves of a game."""
    games: int = 0
    seed: int = 0
    settings: dict[str, Any] = field(default_factory=dict)

    def plays(self, rules: Rules) -> bool:
        """Whether its values are for this game: they mean nothing with another size, komi or length."""
        return (self.size, self.komi, self.length) == (rules.size, rules.komi, rules.max_moves)

    def check_plays(self, rules: Rules) -> None:
        """Raises UsageError for rules that the model is not for."""
        if not self.plays(rules):
            raise UsageError(
                f"a model for {self.size}x{self.size}, komi {self.komi:g}, {self.length} moves"
                f" has no values for {rules.size}x{rules.size}, komi {rules.komi:g}, {rules.max_moves} moves"
            )

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "size": self.size,
            "komi": self.komi,
            "length": self.length,
            "games": self.games,
            "seed": self.seed,
            "settings": self.settings,
            "view": asdict(self.view),
            "scale": self.scale,
            "weights": pack("h", self.weights),
        }


def pack(kind: str, numbers: Sequence[int]) -> str:
    """Numbers as text; `kind` is a type code of the module `array`."""
    packed = array(kind, numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return base64.b64encode(zlib.compress(packed.tobytes(), 9)).decode()


def unpack(kind: str, text: str) -> array[int]:
    """The numbers of `pack`. Raises ValueError."""
    numbers = array(kind)
    try:
        numbers.frombytes(zlib.decompress(base64.b64decode(text)))
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def write_model(path: Path, model: Model) -> None:
    path.write_text(json.dumps(model.to_dict()) + "\n", encoding="utf-8")


def read_model(path: Path) -> Model:
    """The model in a file, or in the directory that training wrote. Raises UsageError."""
    if path.is_dir():
        path = path / FILE_NAME
    with reading(path):
        data = path.read_bytes()
    try:
        return parse_model(data)
    except (UsageError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path}: expected a model that 'littlego train' wrote: {error}") from error


def parse_model(text: str | bytes) -> Model:
    """The model of a file's content. Raises UsageError, ValueError, KeyError or TypeError."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise ValueError(f"expected {FORMAT!r}, version {VERSION}")
    size = int(data["size"])
    if size not in SIZES:
        raise ValueError(f"size {size}: expected {SIZES[0]} to {SIZES[-1]}")
    model = Model(
        unpack("h", data["weights"]),
        float(data["scale"]),
        View(int(data["view"]["stages"]), tuple(data["view"]["kinds"])),
        size=size,
        komi=float(data["komi"]),
        length=int(data["length"]),
        games=int(data["games"]),
        seed=int(data["seed"]),
        settings=dict(data["settings"]),
    )
    if len(model.weights) != (expected := Features(size, model.view, model.length).weights):
        raise ValueError(f"{len(model.weights)} weights: expected {expected}")
    return model


_SHIPPED = {DEFAULT_SIZE: FILE_NAME, 7: "model-7x7.json"}
"""The models that ship with the package, by the size of their board."""


def model_for(rules: Rules) -> Model | None:
    """The shipped model for a game, or None: there is none for a size, a komi or a length of somebody's own."""
    model = shipped_model(rules.size) if rules.size in _SHIPPED else None
    return model if model and model.plays(rules) else None


@cache
def shipped_model(size: int = DEFAULT_SIZE) -> Model:
    """Raises UsageError for a size that no model ships for."""
    if size not in _SHIPPED:
        raise UsageError(f"no model comes with the package for {size}x{size}: there is one for 5x5 and one for 7x7")
    return parse_model(files("littlego.learn").joinpath(_SHIPPED[size]).read_text(encoding="utf-8"))
