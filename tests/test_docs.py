"""The documentation is true: its commands run, its code runs, its figures are what we draw now."""

from __future__ import annotations

import ast
import csv
import json
import re
import runpy
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer import _click as click
from typer.core import TyperGroup

from littlego.apps.cli import main
from littlego.course import edition as editions
from littlego.course.edition import Edition
from littlego.review.verdicts import MARGINS_LEFT
from tests.command import in_this_process

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]


MEASURED = re.compile(r"^<!-- measured (\w+) -->$", re.M)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)


def commands(block: str) -> list[str]:
    return [line for line in block.splitlines() if line.startswith("littlego ")]


SESSIONS = [
    (page.name, commands(block))
    for page in PAGES
    if not page.name.startswith("tutorial-")
    for block in blocks(page, "sh")
    if commands(block)
]
WORDS = [[shlex.split(command, comments=True) for command in session] for _, session in SESSIONS]
for words, (_, session) in zip(WORDS, SESSIONS, strict=True):
    # What begins another session runs there, in an empty directory as here, and nothing here comes after it.
    while words and any(words[-1] == other[0] for other in WORDS if other and other is not words):
        words.pop()
        session.pop()
SESSIONS = [(page, session) for page, session in SESSIONS if session]


@pytest.mark.process
@pytest.mark.parametrize(("page", "commands"), SESSIONS, ids=[f"{page}-{lines[0]}" for page, lines in SESSIONS])
def test_commands_run(page: str, commands: list[str], tmp_path: Path) -> None:
    """One after the other in one directory, as a reader would type them."""
    for command in commands:
        run(page, command, tmp_path)


CHECKED_ELSEWHERE = {
    ("referee.md", "my-agent"),  # the starter kit, as in the README
    ("solution.md", "my-submission"),  # our own agent, as in tests/agent/test_agent.py
    ("tutorial-teacher.md", "class/cleo"),
}
"""A check plays whole games, which take seconds."""


def run(page: str, command: str, tmp_path: Path) -> None:
    arguments = shlex.split(command, comments=True)[1:]
    if arguments[0] == "check" and (page, arguments[1]) in CHECKED_ELSEWHERE:
        understood(arguments)
        assert (tmp_path / arguments[1] / "my_player3.py").exists()
        return
    if arguments[0] == "train" and "--games" not in arguments:
        arguments += ["--games", "500"]  # all 600,000 take minutes, and differ in nothing else
    done = in_this_process(*arguments, cwd=tmp_path)
    expected = 1 if "# exits with 1" in command else 0
    assert done.returncode == expected, f"{page}: {command}: {done.stderr}"


def understood(arguments: list[str]) -> None:
    """Reads the name and options of a command that has tests of its own."""
    command = typer.main.get_command(main.assembled())
    name, options = "littlego", arguments
    while isinstance(command, TyperGroup) and options and not options[0].startswith("-"):
        name, *options = options
        command = command.commands[name]
    if options or not isinstance(command, TyperGroup):
        command.make_context(name, options)


def mentioned(page: Path) -> list[str]:
    """Commands that a page names in passing or in blocks that are not run: they take too long, or do not end."""
    text = page.read_text()
    inline = re.findall(r"`(littlego [a-z][^`]*)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    shown = [line for block in blocks(page, "") + blocks(page, "console") for line in block.splitlines()]
    lines = [line.removeprefix("$ ") for line in shown]
    return [
        *(" ".join(command.split()) for command in inline),
        *(line for line in lines if line.startswith("littlego ")),
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_are_named_exist(page: Path) -> None:
    for command in mentioned(page):
        try:
            understood(shlex.split(command.partition(" > ")[0], comments=True)[1:])
        except (click.exceptions.MissingParameter, click.exceptions.BadOptionUsage):
            pass  # `littlego grade-class`, without what it works on
        except (KeyError, click.exceptions.ClickException) as error:
            pytest.fail(f"{page.name}: {command}: {error!r}")


def test_what_is_not_understood_fails() -> None:
    understood(["tournament", "run", "cup", "--jobs", "2"])
    for wrong in (["runn"], ["run", "cup", "--jobss", "2"], ["run", "cup", "--jobs", "many"]):
        with pytest.raises(Exception, match=r"runn|jobss|many"):
            understood(["tournament", *wrong])


GRADED_BY = "2024"
"""The edition by which the tutorials grade; their other games are by the usual one."""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("tutorial-*.md")), ids=lambda page: page.stem)
@pytest.mark.parametrize("games", [1, pytest.param(None, marks=pytest.mark.exhaustive)], ids=["few games", "all games"])
def test_tutorials_work_word_for_word(
    page: Path, games: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command of the page in one directory, and every edit that it tells the reader to make.

    Gradings play as many games of each colour as they are given here, and those are short.
    """
    if games is not None:
        usual = editions.shipped_edition

        def quick(name: str) -> Edition:
            scheme = usual(name).scheme
            batches = tuple(replace(batch, games_per_colour=games) for batch in scheme.batches)
            found = replace(usual(name), scheme=replace(scheme, batches=batches))
            return replace(found, board=replace(found.board, length=12)) if name == GRADED_BY else found

        monkeypatch.setattr(editions, "shipped_edition", quick)
    steps = re.findall(r'^```(sh|python|py|text|)(?: title="([^"]+)")?\n(.*?)^```', page.read_text(), re.M | re.S)
    assert [language for language, _, _ in steps].count("sh") > 3
    for language, file, text in steps:
        if language == "python":
            replace_choose(tmp_path / file, text)
        elif language == "text" and file:
            (tmp_path / file).write_text(text)
        for line in text.splitlines():
            if line.startswith("cp -r "):
                shutil.copytree(*(tmp_path / name for name in line.split()[2:]))
            elif line.startswith("littlego ") and language == "sh":
                run(page.name, line, tmp_path)
            elif line.startswith("littlego "):  # takes too long, or does not end
                understood(shlex.split(line, comments=True)[1:])
    if page.stem == "tutorial-teacher":
        assert "Lovelace" in (tmp_path / "grades" / "canvas.csv").read_text()
    if page.stem == "tutorial-learner":
        with (tmp_path / "mine" / "curve.csv").open() as file:
            last = list(csv.DictReader(file))[-1]
        rates = {tuple(name.split()[2::2]): float(last[name]) for name in last if name.startswith("wins as")}
        assert min(rates[colour, name] for colour in ("Black", "White") for name in ("random", "greedy")) > 0.5
        assert rates["Black", "aggressive"] < 0.5, "as the page says"
    if page.stem == "tutorial-student":
        assert "of 75 points" in (tmp_path / "grade.html").read_text()
        most = [] if games is None else ["--games", "8"]
        compared = in_this_process("compare", "before", "my-agent", "--seconds", "0", *most, "--json", cwd=tmp_path)
        found = json.loads(compared.stdout)
        assert found["sprt"]["score"] > 0.6
        if games is None:
            as_the_page_says = "Yes: my-agent is better. It scores 86% against before"
            assert found["answer"].startswith(as_the_page_says)


def replace_choose(file: Path, new: str) -> None:
    before, found, after = file.read_text().partition("def choose(")
    assert found
    rest = after[after.index("\nif __name__") :]
    file.write_text(f"{before}{new}\n{rest}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_runs(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), {})
        assert capsys.readouterr().out


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = {target for page in PAGES for target in re.findall(r"(?:`|^)make ([a-z]+)\b", page.read_text(), re.M)}
    assert {"play", "test"} <= named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.M), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", page.read_text()):
        target = next(filter(None, link))
        assert (page.parent / target).exists(), target


def test_figures_are_what_we_draw() -> None:
    figures = runpy.run_path(str(ROOT / "docs" / "draw_figures.py"))["figures"]()
    assert figures
    for name, svg in figures.items():
        assert (ROOT / "docs" / "figures" / name).read_text() == svg, "run python docs/draw_figures.py"


def test_pictures_of_positions_open_in_the_pages_of_a_site() -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "build_site.py"))["pages"]()
    addresses = runpy.run_path(str(ROOT / "docs" / "draw_figures.py"))["addresses"]()
    opened = re.findall(r'<a href="\.\./#([^"]+)">(?:!|<img )[^>]*?figures/([\w-]+\.svg)', "".join(pages.values()))
    assert {name: address for address, name in opened} == addresses
    assert addresses["ko-after.svg"] == "/play/dc?from=0000000210021010021000000.w..0"
    assert addresses["solution-line-6.svg"].startswith("/review/cccbbc")


def test_where_leads_are_exact_is_what_the_code_says() -> None:
    pages = {page.name: " ".join(page.read_text().split()) for page in PAGES}
    assert f"exact where at most {MARGINS_LEFT} moves are left" in pages["gtp.md"]
    assert set(re.findall(r"with up to (\d+) moves left(?! whatever)", pages["web.md"])) == {str(MARGINS_LEFT)}


def test_the_readme_lists_every_page_once() -> None:
    site = runpy.run_path(str(ROOT / "docs" / "build_site.py"))
    pages = site["pages"]()
    listed = sorted(name for entries in site["sections"](pages["index.md"]).values() for _, name in entries)
    notebooks = runpy.run_path(str(ROOT / "docs" / "notebooks.py"))["pages"]()
    assert listed == sorted(pages.keys() - notebooks.keys() - {"index.md"})
    assert all(f"({name})" in pages["library.md"] for name in notebooks)


POINTER = re.compile(r"`([\w./-]+(?:/|\.(?:py|js|toml|cpp|json|md|html))(?::\w+)?)`")


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_files_and_names_that_are_pointed_to_exist(page: str) -> None:
    """`core/game.py:play` is a file of the package or the source, and something that it defines."""
    pointers = POINTER.findall((ROOT / page).read_text())
    assert len(pointers) > 20
    for pointer in pointers:
        path, _, name = pointer.partition(":")
        found = [base / path for base in (ROOT / "src" / "littlego", ROOT) if (base / path).exists()]
        assert found, pointer
        assert not name or name in defined(found[0]), pointer


def defined(module: Path) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


@pytest.mark.process
@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run(path: Path) -> None:
    """Every cell, and what is kept in the file is of the kind that the cell shows now."""
    notebooks = runpy.run_path(str(ROOT / "docs" / "notebooks.py"))
    kept = [cell["outputs"] for cell in notebooks["read"](path) if cell["cell_type"] == "code"]
    found = notebooks["run"](path)
    assert [kinds(cell) for cell in found] == [kinds(cell) for cell in kept]
    assert any(kinds(cell) for cell in found)


def kinds(outputs: list[dict[str, dict[str, str]]]) -> list[tuple[str, list[str]]]:
    return [(str(output["output_type"]), sorted(output.get("data", {}))) for output in outputs]


def test_the_description_for_package_indexes_stands_alone() -> None:
    """They show it without the files around it."""
    text = (ROOT / "DESCRIPTION.md").read_text()
    assert "](" not in text
    assert "<img" not in text
    for command in (line for block in blocks(ROOT / "DESCRIPTION.md", "sh") for line in commands(block)):
        name, *options = shlex.split(command, comments=True)[1:]
        if name not in ("review", "play", "web"):  # a person plays, and then asks for a review
            understood([name, *options])
    for block in blocks(ROOT / "DESCRIPTION.md", "python"):
        exec(compile(block, "DESCRIPTION.md", "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_measured_figures_are_those_of_the_files(page: Path) -> None:
    text = page.read_text()
    assert runpy.run_path(str(ROOT / "docs" / "measured.py"))["filled"](text) == text, "run python docs/measured.py"


def test_what_is_kept_is_shown() -> None:
    """Every measurement by the block that reads it, every picture and figure by a page."""
    text = "".join(page.read_text() for page in PAGES)
    tool = (ROOT / "docs" / "measured.py").read_text()
    blocks = {name: tool.partition(f"\ndef {name}()")[2].partition("\ndef ")[0] for name in MEASURED.findall(text)}
    kept = {path.stem for path in (ROOT / "docs" / "measured").iterdir()}
    assert {name for name in kept if not any(f'"{name}"' in block for block in blocks.values())} == set()
    pictures = [path for folder in ("figures", "images") for path in (ROOT / "docs" / folder).iterdir()]
    assert [path.name for path in pictures if f"{path.parent.name}/{path.name}" not in text] == []
