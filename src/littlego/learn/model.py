"""A trained model: values of afterstates in a file that plain Python reads, without numpy or numba.

The file is JSON. Numbers are packed: little-endian, compressed with zlib, written in base64.

    format, version, size        what it is
    representation               "patterns", or "table", which is for 5x5 alone
    games, seed, settings        how it was trained
    patterns:  view              what it looks at: see `features.View`; without it, small blocks in four stages
               scale, weights    weights are int16, in the order of `features`; times `scale`
    table:     keys, values      keys are int64, rising; values are uint8, 255 for certain victory

A table's key is, from the high bits: own stones 25, other stones 25, moves played 5, of the symmetry that
makes (own, other) smallest.
"""

from __future__ import annotations

import base64
import json
import math
import sys
import zlib
from abc import ABC, abstractmethod
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

from littlego.core.errors import FormatError, UsageError
from littlego.core.points import Mask, canonical_symmetry
from littlego.core.rules import DEFAULT_SIZE
from littlego.learn.features import SMALL_BLOCKS, View, features_of
from littlego.storage.whole_files import reading

FORMAT = "littlego q-learning model"
VERSION = 1
FILE_NAME = "model.json"
"""The name of the model that training writes."""

SLACK = 0.005
"""How close to an even chance a value counts as even; see `least_alike`."""

UNKNOWN = 0.5
"""The value of a state that a table does not have."""


def least_alike(best: float, slack: float = SLACK) -> float:
    """The least value that counts as no worse than `best`: a player draws among such moves, so that games differ.

    Near certainty values must be closer: a loss in 300 games is not as good as a proven win.

    >>> least_alike(0.5), least_alike(1.0)
    (0.495, 1.0)
    """
    return best - 4 * slack * best * (1 - best)


@dataclass(frozen=True, kw_only=True)
class Model(ABC):
    """What was learned about the value of afterstates, and how."""

    size: int = DEFAULT_SIZE
    games: int = 0
    seed: int = 0
    settings: dict[str, Any] = field(default_factory=dict)

    representation: ClassVar[str]

    @abstractmethod
    def value(self, own: Mask, other: Mask, colour: int, played: int) -> float:
        """The chance of winning, 0 to 1, of the side that has just made move `played` (1 to 23 on 5x5).

        `own` are its stones on a board of the model's size; `colour` is 0 for Black and 1 for White.
        """

    @abstractmethod
    def numbers(self) -> dict[str, Any]:
        """The learned numbers, as the file has them."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "size": self.size,
            "representation": self.representation,
            "games": self.games,
            "seed": self.seed,
            "settings": self.settings,
            **self.numbers(),
        }


@dataclass(frozen=True)
class PatternModel(Model):
    """A sum of weights of local shapes, squeezed into 0 to 1."""

    weights: Sequence[int]
    scale: float
    view: View = SMALL_BLOCKS

    representation = "patterns"

    def value(self, own: Mask, other: Mask, colour: int, played: int) -> float:
        features, weights = features_of(self.size, self.view), self.weights
        seen = features.see(own, other, colour, played)
        if seen.winner is not None:
            return float(seen.winner)
        total = self.scale * sum([weights[index] for index in features.indices(seen, colour, played)])
        return 1 / (1 + math.exp(-total))

    def numbers(self) -> dict[str, Any]:
        return {"view": asdict(self.view), "scale": self.scale, "weights": pack("h", self.weights)}


@dataclass(frozen=True)
class TableModel(Model):
    """A value for every state that was met, and an even chance for all others."""

    keys: Sequence[int]
    values: Sequence[int]

    representation = "table"

    def value(self, own: Mask, other: Mask, colour: int, played: int) -> float:  # noqa: ARG002 - `played` implies the colour
        symmetry = canonical_symmetry(self.size, own, other)
        key = (symmetry.mask(own) << 25 | symmetry.mask(other)) << 5 | played
        place = bisect_left(self.keys, key)
        return self.values[place] / 255 if place < len(self.keys) and self.keys[place] == key else UNKNOWN

    def numbers(self) -> dict[str, Any]:
        return {"keys": pack("q", self.keys), "values": pack("B", self.values)}


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
    if not 3 <= size <= 7:
        raise ValueError(f"size {size}: expected 3 to 7")
    trained: dict[str, Any] = {
        "size": size,
        "games": int(data["games"]),
        "seed": int(data["seed"]),
        "settings": dict(data["settings"]),
    }
    if data["representation"] == "table":
        keys, values = unpack("q", data["keys"]), unpack("B", data["values"])
        if len(keys) != len(values):
            raise ValueError(f"{len(keys)} keys and {len(values)} values: expected equal numbers")
        return TableModel(keys, values, **trained)
    view = SMALL_BLOCKS
    if "view" in data:
        view = View(int(data["view"]["stages"]), tuple(data["view"]["kinds"]))
    weights = unpack("h", data["weights"])
    if len(weights) != (expected := features_of(size, view).weights):
        raise ValueError(f"{len(weights)} weights: expected {expected}")
    return PatternModel(weights, float(data["scale"]), view, **trained)


_SHIPPED = {DEFAULT_SIZE: FILE_NAME, 7: "model-7x7.json"}
"""The models that ship with the package, by the size of their board."""


def shipped_sizes() -> tuple[int, ...]:
    return tuple(_SHIPPED)


@cache
def shipped_model(size: int = DEFAULT_SIZE) -> Model:
    return parse_model(files("littlego.learn").joinpath(_SHIPPED[size]).read_text(encoding="utf-8"))
