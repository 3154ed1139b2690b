"""`make docs`: the README and the pages of this folder as a site. `make site`: the pages of the browser beside it.

    python docs/build_site.py SITE/docs
    python docs/build_site.py --pages SITE

The pages are plain Markdown that reads well on its own, so what a site needs is added to copies of them: a navigation
made from the lists of the README, the names of the library, the notebooks as they were run last.
"""

from __future__ import annotations

import inspect
import re
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PICTURES = ("figures", "images")
BESIDE_DOCS = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}


def pages() -> dict[str, str]:
    """The name and the Markdown of every page of the site."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    for name, page in BESIDE_DOCS.items():
        texts[page] = re.sub(r'(\]\(|src=")docs/', r"\1", (ROOT / name).read_text(encoding="utf-8"))
    for name, page in BESIDE_DOCS.items():
        texts = {title: text.replace(f"]({name})", f"]({page})") for title, text in texts.items()}
    texts["index.md"] += navigation(texts["index.md"])
    notebooks = runpy.run_path(str(DOCS / "notebooks.py"))["pages"]()
    library = re.sub(r"\(notebooks/([\w-]+)\.ipynb\)", r"(notebook-\1.md)", texts["library.md"])
    before, _, after = library.partition("<!-- library -->")
    intro = before.rstrip().rpartition("\n\n")[0]  # how to do without this page
    tree_of_notebooks = tree("", [name.removesuffix(".md") for name in notebooks])
    texts["library.md"] = f"{intro}\n\n{names()}{after}{tree_of_notebooks}"
    addresses = runpy.run_path(str(DOCS / "draw_figures.py"))["addresses"]()
    return {name: for_sphinx(opening(text, addresses)) for name, text in (texts | notebooks).items()}


def opening(text: str, addresses: dict[str, str]) -> str:
    """A page whose pictures of positions open in the browser's pages."""
    for name, address in addresses.items():
        picture = rf'!\[[^\]]*\]\(figures/{re.escape(name)}\)|<img src="figures/{re.escape(name)}"[^>]*>'
        text = re.sub(picture, rf'<a href="../#{address}">\g<0></a>', text)
    return text


def names() -> str:
    """A heading for each module that the package exports from, and for each name a line that Sphinx fills in."""
    import littlego

    modules: dict[str, list[str]] = {}
    for name in littlego.__all__:
        module = vars(littlego)["_WHERE"][name]
        modules.setdefault(module, []).append(f".. {directive(getattr(littlego, name))}:: {module}.{name}\n")
    return "".join(
        f"\n### {module}\n\n```{{eval-rst}}\n" + "\n".join(lines) + "```\n" for module, lines in sorted(modules.items())
    )


def directive(value: object) -> str:
    """What makes Sphinx describe a value; a constant is only named."""
    if inspect.isclass(value):
        return "autoexception" if issubclass(value, Exception) else "autoclass"
    return "autofunction" if callable(value) else "py:data"


def sections(index: str) -> dict[str, list[tuple[str, str]]]:
    """The headings of the list of pages, each with the titles and the names of the pages below it."""
    found = {}
    for part in index.partition("\n## Read on")[2].split("\n### ")[1:]:
        found[part.partition("\n")[0]] = re.findall(r"^- \[([^\]]+)\]\(([\w-]+\.md)\)", part, re.M)
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


def write_pages(site: Path) -> int:
    """The pages of the browser, and what runs agents in them if npm has brought it."""
    write = runpy.run_path(str(ROOT / "tools" / "static_site.py"))["write"]
    pyodide = ROOT / "node_modules" / "pyodide"
    write(site, pyodide if pyodide.is_dir() else None)
    return 0


def main(site: Path) -> int:
    from sphinx.cmd.build import build_main

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        for name, text in pages().items():
            (source / name).write_text(text, encoding="utf-8")
        for name in PICTURES:
            shutil.copytree(DOCS / name, source / name)
        shutil.copy(DOCS / "conf.py", source)
        shutil.rmtree(site, ignore_errors=True)
        doctrees = source / ".doctrees"
        strict = ["--quiet", "--fail-on-warning", "--keep-going"]
        failed = build_main([*strict, "-b", "html", "-d", str(doctrees), str(source), str(site)])
    for name in PICTURES:  # Sphinx brings those of Markdown, and not those of <img>
        shutil.copytree(DOCS / name, site / name)
    return failed


if __name__ == "__main__":
    sys.exit(write_pages(Path(sys.argv[2])) if sys.argv[1] == "--pages" else main(Path(sys.argv[1])))
