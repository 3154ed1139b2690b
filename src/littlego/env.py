"""Environments for research on Little-Go: the public face of `littlego.apps.env`.

littlego_v0       PettingZoo: `littlego_v0.env(size=5, edition="2025")` (extra `env`)
VectorLittleGo    many games at once, compiled: a vector environment of Gymnasium (extra `env`)
register_openspiel  makes Little-Go a game of OpenSpiel: `pyspiel.load_game(register_openspiel())`

Each is loaded when asked for, so that one can be used without the dependencies of the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlego.apps.env import littlego_v0
    from littlego.apps.env.openspiel import register_openspiel
    from littlego.apps.env.vector import VectorLittleGo

__all__ = ["VectorLittleGo", "littlego_v0", "register_openspiel"]

_WHERE = {
    "littlego_v0": "littlego.apps.env.littlego_v0",
    "VectorLittleGo": "littlego.apps.env.vector",
    "register_openspiel": "littlego.apps.env.openspiel",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_WHERE[name])
    value = globals()[name] = getattr(module, name, module)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
