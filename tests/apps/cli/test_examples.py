"""The examples in `--help`: every command has one, every one can be parsed, and the quick ones run."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from littlego.apps.cli.main import assembled
from tests.command import in_this_process

QUICK = (
    "littlego new my-agent",
    "littlego new my_agent",
    "littlego new my-class --edition 2019",
    "littlego new my-learner --tictactoe",
    "littlego agent export my-submission",
    "littlego players",
    "littlego players --json",
    "littlego sandbox",
    "littlego tournament new cup random greedy aggressive my_agent --games 20",
    "littlego tournament add cup smart alphabeta",
    "littlego tournament show cup",
)
"""Run in this order in one directory, as a reader would. The second is in no help: it makes what others name."""


def commands(command: object, path: tuple[str, ...] = ("littlego",)) -> Iterator[tuple[str, object]]:
    """Every command that does something, by its full name."""
    below = getattr(command, "commands", {})
    for name, child in below.items():
        yield from commands(child, (*path, name))
    if not below or getattr(command, "invoke_without_command", False):
        yield " ".join(path), command


ROOT = typer.main.get_command(assembled())
COMMANDS = {name: command for name, command in commands(ROOT) if name != "littlego"}


def examples_of(command: object) -> list[str]:
    return [
        line.strip()
        for line in re.findall(r"^.*\blittlego .*$", getattr(command, "help", ""), re.M)
        if is_example(line)
    ]


def is_example(line: str) -> bool:
    return line.strip().startswith("littlego ") or "| littlego " in line


EXAMPLES = [(name, example) for name, command in COMMANDS.items() for example in examples_of(command)]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_an_example(name: str) -> None:
    assert any(name in example for example in examples_of(COMMANDS[name])), f"{name} --help shows no use of it"


def test_a_newcomer_sees_few_commands_and_where_the_others_are() -> None:
    """In the order of an evening: play, write an agent, have it graded, learn."""
    shown = in_this_process("--help", environment={"COLUMNS": "80", "NO_COLOR": "1"}).stdout
    seen = re.findall(r"^│ ([a-z][\w-]*)  ", shown, re.M)
    assert len(seen) <= 16
    assert [seen.index(name) for name in ("play", "new", "check", "grade", "train")] == sorted(
        seen.index(name) for name in ("play", "new", "check", "grade", "train")
    )
    others = set(getattr(ROOT, "commands")) - set(seen)  # noqa: B009 - a group
    named = shown.partition("Also, each with --help: ")[2].replace("\n", " ").strip().rstrip(".").split(", ")
    assert {name.strip() for name in named} == others
    assert in_this_process().returncode == 2


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_fits_eighty_columns(name: str) -> None:
    """Paragraphs are filled, line by line, and each example is on one line."""
    shown = in_this_process(*name.split()[1:], "--help", environment={"COLUMNS": "80", "NO_COLOR": "1"})
    assert shown.returncode == 0
    text = shown.stdout.partition("╭")[0]
    assert [line for line in examples_of(COMMANDS[name]) if f" {line} " not in text] == []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        if not any(map(is_example, lines)):
            for line, following in itertools.pairwise(lines):
                assert len(f" {line} {following.split()[0]} ") > 80, f"{line!r} has room for more"


@pytest.mark.parametrize("example", [example for _, example in EXAMPLES])
def test_examples_can_be_parsed(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands, options and the kinds of their values exist; nothing is run."""
    monkeypatch.chdir(tmp_path)
    words = shlex.split(example.rpartition("| ")[2].partition(" > ")[0], comments=True)[1:]
    command, context = ROOT, ROOT.make_context("littlego", [], resilient_parsing=True)
    while words and words[0] in getattr(command, "commands", {}):
        command = getattr(command, "commands")[words[0]]  # noqa: B009 - a group, as the loop has seen
        context = command.make_context(words.pop(0), [], parent=context, resilient_parsing=True)
    command.make_context(context.info_name, words, parent=context.parent)


@pytest.mark.process
@pytest.mark.slow
def test_the_quick_examples_run(tmp_path: Path) -> None:
    known = {example for _, example in EXAMPLES}
    assert set(QUICK) - known == {"littlego new my_agent"}, "what is run is what help shows"
    for example in QUICK:
        done = in_this_process(*shlex.split(example)[1:], cwd=tmp_path)
        assert done.returncode == 0, f"{example}: {done.stderr}"
