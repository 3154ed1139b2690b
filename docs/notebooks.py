"""The notebooks of the gallery: run here without Jupyter, and shown on the site with what they printed.

python docs/notebooks.py        runs every notebook and keeps its outputs in it
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "notebooks"
PAGE = "notebook-{}.md"


def read(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook."""
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return cells


def run(path: Path) -> list[list[dict[str, Any]]]:
    """The outputs of every code cell, one after the other in one namespace, as Jupyter would show them."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [outputs("".join(cell["source"]), names) for cell in read(path) if cell["cell_type"] == "code"]


def outputs(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """What a cell prints, and the value of its last line."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    found: list[dict[str, Any]] = []
    if text := printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_svg_"):
            data["image/svg+xml"] = value._repr_svg_().splitlines(keepends=True)
        found.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data})
    return found


def keep(path: Path) -> None:
    """Run a notebook, and write its outputs into it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    found = iter(run(path))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = next(found)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def pages() -> dict[str, str]:
    """A page of Markdown for every notebook, as it was run last."""
    return {PAGE.format(path.stem): "\n".join(map(shown, read(path))) for path in sorted(FOLDER.glob("*.ipynb"))}


def shown(cell: dict[str, Any]) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return f"{source}\n"
    parts = [f"```python\n{source}\n```\n"]
    for output in cell["outputs"]:
        data = output.get("data", {"text/plain": output.get("text", [])})
        if "image/svg+xml" in data:
            parts.append(f"```{{raw}} html\n{''.join(data['image/svg+xml'])}\n```\n")
        else:
            parts.append(f"```\n{''.join(data['text/plain']).rstrip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    for notebook in [FOLDER / name for name in sys.argv[1:]] or sorted(FOLDER.glob("*.ipynb")):
        keep(notebook)
        print(notebook.name)
