"""What `make docs` adds to MkDocs, which calls these functions by their names."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
_REFERENCE = runpy.run_path(str(Path(__file__).parent / "write_reference.py"))


def on_files(files: Any, config: Any) -> Any:
    """Add the two pages that live beside the README."""
    from mkdocs.structure.files import File

    for name in ("CHANGELOG.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, name.lower(), content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fill in the reference; name files of the source instead of linking to them, since the site has none."""
    del page
    for name in ("commands", "library"):
        mark = f"<!-- {name} -->"
        if mark in markdown:
            before, _mark, after = markdown.partition(mark)
            intro = before.rstrip().rpartition("\n\n")[0]  # how to do without this page
            markdown = f"{intro}\n\n{_REFERENCE[name]()}{after}"
    return _without_source_links(markdown)


def _without_source_links(markdown: str) -> str:
    import re

    return re.sub(r"\[([^\]]+)\]\(\.\./(?:src|tools)/[^)]*\)", r"`\1`", markdown)
