"""`make docs`: the pages of this folder as a site, by Sphinx.

    python docs/build_site.py SITE

The pages are plain Markdown that reads well on its own, so what a site needs is added to copies of them: the reference,
a navigation made from the lists of `index.md`, and the two pages that live beside the README.
"""

from __future__ import annotations

import re
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
BESIDE_README = ("CHANGELOG.md", "CONTRIBUTING.md")


def pages() -> dict[str, str]:
    """The name and the Markdown of every page of the site."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    for name in BESIDE_README:
        texts[name.lower()] = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
    notebooks = runpy.run_path(str(DOCS / "notebooks.py"))["pages"]()
    texts["gallery.md"] = re.sub(r"\(notebooks/([\w-]+)\.ipynb\)", r"(notebook-\1.md)", texts["gallery.md"])
    texts["gallery.md"] += tree("", [name.removesuffix(".md") for name in notebooks])
    texts |= notebooks
    for name in BESIDE_README:
        texts["index.md"] = texts["index.md"].replace(f"(../{name})", f"({name.lower()})")
    texts["index.md"] += navigation(texts["index.md"])
    reference = runpy.run_path(str(DOCS / "write_reference.py"))
    for name in ("commands", "library"):
        before, _mark, after = texts[f"{name}.md"].partition(f"<!-- {name} -->")
        intro = before.rstrip().rpartition("\n\n")[0]  # how to do without this page
        texts[f"{name}.md"] = f"{intro}\n\n{reference[name]()}{after}"
    return {name: for_sphinx(text) for name, text in texts.items()}


def sections(index: str) -> dict[str, list[tuple[str, str]]]:
    """The headings of the index, each with the titles and the names of the pages listed under it."""
    found = {}
    for part in index.split("\n## ")[1:]:
        listed = re.findall(r"^- \[([^\]]+)\]\(([\w-]+\.md)\)", part, re.M)
        found[part.partition("\n")[0]] = listed
    return found


def navigation(index: str) -> str:
    """The pages that the index lists, for the side of every page."""
    return "".join(
        tree(heading, [f"{title} <{name.removesuffix('.md')}>" for title, name in listed])
        for heading, listed in sections(index).items()
    )


def tree(caption: str, entries: list[str]) -> str:
    """Pages for the side, under a caption or, without one, under the page that has this."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n" + "\n".join(["```{toctree}", *options, "", *entries, "```", ""])


def for_sphinx(text: str) -> str:
    """Titles of code as captions; files of the source named and not linked to, since the site has none."""
    text = re.sub(r'^```(\w+) title="([^"]+)"$', r"```{code-block} \1\n:caption: \2\n", text, flags=re.M)
    return re.sub(r"\[([^\]]+)\]\(\.\./(?!docs)[^)]*\)", r"`\1`", text)


def main(site: Path) -> int:
    from sphinx.cmd.build import build_main

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        for name, text in pages().items():
            (source / name).write_text(text, encoding="utf-8")
        for name in ("figures", "images"):
            shutil.copytree(DOCS / name, source / name)
        shutil.copy(DOCS / "conf.py", source)
        shutil.rmtree(site, ignore_errors=True)
        doctrees = source / ".doctrees"
        strict = ["--quiet", "--fail-on-warning", "--keep-going"]
        return build_main([*strict, "-b", "html", "-d", str(doctrees), str(source), str(site)])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
