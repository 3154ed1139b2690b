"""The commands and the library as Markdown, from the command line and the package themselves.

`build_site.py` puts them into the site when it is built, so they are never out of date.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LAYERS = ["core", "formats", "solve", "learn", "players", "arena", "review", "course", "apps"]


def commands() -> str:
    """Every command, its arguments and its options."""
    from typer.main import get_command

    from littlego.apps.cli.main import app

    return "".join(section("littlego", get_command(app), depth=1))


def library() -> str:
    """A heading for each module that the package exports from, and for each name a line that Sphinx fills in."""
    import littlego

    modules: dict[str, list[str]] = {}
    for name in littlego.__all__:
        module = vars(littlego)["_WHERE"][name]
        modules.setdefault(module, []).append(f".. {_directive(getattr(littlego, name))}:: {module}.{name}\n")
    return "".join(
        f"\n### {module}\n\n```{{eval-rst}}\n" + "\n".join(lines) + "```\n"
        for module, lines in sorted(modules.items(), key=lambda item: _layer(item[0]))
    )


def _directive(value: object) -> str:
    """What makes Sphinx describe a value; a constant is only named."""
    if inspect.isclass(value):
        return "autoexception" if issubclass(value, Exception) else "autoclass"
    return "autofunction" if inspect.isroutine(inspect.unwrap(value)) else "py:data"  # type: ignore[arg-type]


def _layer(module: str) -> tuple[int, str]:
    """Lowest layer first; what stands beside the layers last."""
    folder = module.split(".")[1] if module.count(".") > 1 else ""
    return _LAYERS.index(folder) if folder in _LAYERS else len(_LAYERS), module


def section(name: str, command: Any, *, depth: int) -> Iterator[str]:
    """A command and, for a group, those in it."""
    children = getattr(command, "commands", {})
    if depth > 1:
        yield f"\n{'#' * min(depth, 3)} {name}\n\n{usage(name, command)}{explained(command.help or '')}"
    yield from table("argument", [row for row in command.params if row.param_type_name == "argument"])
    yield from table("option", [row for row in command.params if row.param_type_name == "option"])
    for child, inner in children.items():
        yield from section(f"{name} {child}", inner, depth=depth + 1)


def usage(name: str, command: Any) -> str:
    """One line, as it is typed."""
    words = [name]
    if any(row.param_type_name == "option" for row in command.params):
        words.append("[OPTIONS]")
    for row in command.params:
        if row.param_type_name == "argument":
            shown = (row.metavar or row.name).upper().strip("[]{}. ")
            shown += "..." if row.nargs == -1 else ""
            words.append(shown if row.required else f"[{shown}]")
    if getattr(command, "commands", {}):
        words.append("COMMAND")
    return f"```\n{' '.join(words)}\n```\n"


def explained(text: str) -> str:
    """The help as Markdown: what was kept as it is, such as examples, becomes a block of code."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        kept = paragraph.startswith("\b")
        plain = inspect.cleandoc(paragraph.removeprefix("\b").strip("\n"))
        lines = plain.splitlines()
        example = bool(lines) and all(line.lstrip().startswith(("littlego ", "echo ", "  ")) for line in lines)
        parts.append(f"```\n{plain}\n```" if kept or example else escaped(" ".join(lines)))
    return "\n" + "\n\n".join(part for part in parts if part) + "\n" if text else ""


def table(what: str, rows: list[Any]) -> Iterator[str]:
    """Arguments or options, a line each."""
    shown = [row for row in rows if not getattr(row, "hidden", False) and row.name != "help"]
    if not shown:
        return
    yield f"\n| {what} | | default |\n| --- | --- | --- |\n"
    for row in shown:
        if what == "argument":
            name = (row.metavar or row.name).upper().strip("[]{}. ")
        else:
            value = "" if row.is_flag else f" {(row.metavar or row.name or '').upper()}"
            name = ", ".join(f"{opt}{value}" for opt in row.opts)
        yield f"| `{name}` | {escaped(row.help or '')} | {default(row)} |\n"


def default(row: Any) -> str:
    """The default as shown: `required` if there is none, empty for what is off."""
    value = row.default
    if row.required or callable(value) or value is None or value is False or value in ((), [], ""):
        return "required" if row.required else ""
    if not isinstance(value, str | int | float | list | tuple | Path):
        value = getattr(value, "value", "")
        if not isinstance(value, str | int | float):
            return ""
    return f"`{value}`"


def escaped(text: str) -> str:
    """Text for a table or a paragraph of Markdown."""
    words = " ".join(text.split())
    return words.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[")
