"""The command line as a user meets it, its output compared with golden files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from littlego import __version__
from littlego.apps.cli import main, server
from littlego.arena import match
from littlego.arena.match import played
from littlego.core.errors import UsageError
from littlego.core.game import GameRecord
from littlego.course.contests import play_game, play_match
from littlego.formats.records import record_to_dict
from littlego.formats.sgf import parse_sgf
from tests.command import in_this_process

PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
ENVIRONMENT = {**os.environ, **PLAIN, "PYTHONHASHSEED": "random"}


def littlego(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return in_this_process(*arguments, typed=typed, environment=PLAIN)


def in_a_process(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "littlego", *arguments],
        input=typed,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=600,
        check=False,
    )


def transcript(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
    return "\n".join([*lines, f"exit {done.returncode}", ""])


def test_players(golden: Callable[[str, str], None]) -> None:
    golden("cli/players.txt", transcript(littlego("players")))


def test_ctrl_c_is_not_lost_while_python_frees_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the kernel's memory, of which every move of some players has some: the game went on."""

    class Freed:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "unraisablehook", main.interrupt_again)
    with pytest.raises(KeyboardInterrupt):
        Freed()
        time.sleep(60)


def test_a_series_that_was_interrupted_says_so_to_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any) -> Iterator[GameRecord]:
        yield next(played(*given))
        raise KeyboardInterrupt

    monkeypatch.setattr(match, "played", interrupted)
    done = littlego("play", "random", "random", "--games", "5", "--json")
    assert (done.returncode, json.loads(done.stdout)["games"]) == (130, 1)
    assert "Stopped after 1 of 5 games" in done.stderr


@pytest.mark.parametrize("words", [
    "tictactoe --initial nan --games 10",
    "train --alpha nan --games 100 --out model",
    "solve --size 3 --memory inf",
    "solve --size 3 --komi 1e400",
    "review game.sgf --seconds=-nan",
])  # fmt: skip
def test_what_is_no_number_is_refused_everywhere(words: str, tmp_path: Path) -> None:
    done = in_this_process(*words.split(), cwd=tmp_path, environment=PLAIN)
    assert done.returncode == 2
    assert "expected a finite number, got" in done.stderr, done.stderr


def test_the_version() -> None:
    assert littlego("--version").stdout == f"littlego {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("solve --size 3 --komi 1e308", "komi 1e+308: expected a multiple of 0.5"),
        ("train --seed -3 --out model", "-3 is not in the range"),
        ("play greedyy random", "no player is called 'greedyy'; did you mean 'greedy'?"),
        ("play greedy random --size 1", "board size 1: expected 2 to 19"),
        ("play greedy random --edition 1999", "edition '1999': expected one of 2019, 2022, 2024, 2025"),
        ("play greedy random --games 0", "--games"),
        ("play greedy random --games many", "--games"),
        ("match greedy random --games 1000000000000", "1000000000000 is not in the range 1<=x<=1000000"),
        ("compare greedy random --games 1000000000000", "1000000000000 is not in the range 2<=x<=1000000"),
        ("play greedy random --sgf /nowhere/at/all.sgf", "/nowhere/at/all.sgf: cannot be written"),
        ("new", "Missing argument 'DIR'"),
        ("new /dev/null/agent", "/dev/null/agent: cannot be written: Not a directory"),
        ("new agent --edition 1999", "edition '1999': expected one of 2019, 2022, 2024, 2025"),
        ("play a b c", "unexpected extra argument"),
        ("castle", "No such command 'castle'"),
    ],
)
def test_wrong_use_is_explained_and_exits_with_2(arguments: str, says: str) -> None:
    done = littlego(*arguments.split())
    assert done.returncode == 2
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_empty_path_is_not_the_current_directory(tmp_path: Path) -> None:
    done = in_this_process("new", "", cwd=tmp_path)
    assert (done.returncode, [*tmp_path.iterdir()]) == (2, [])
    assert done.stderr.startswith("littlego: an argument is empty, perhaps an unset shell variable")


def test_a_game_between_programs(golden: Callable[[str, str], None]) -> None:
    golden("cli/one-game.txt", transcript(littlego("play", "greedy", "random", "--seed", "1")))


def test_a_series_as_a_table(golden: Callable[[str, str], None]) -> None:
    golden("cli/series.txt", transcript(littlego("play", "greedy", "random", "-g", "40", "--seed", "1", "--swap")))


def test_a_series_fits_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    rows = littlego("play", "aggressive", "alphabeta", "-g", "2", "--seed", "1", "--swap").stdout.splitlines()
    for name in ("aggressive (Black)", "aggressive (White)", "alphabeta (Black)", "alphabeta (White)"):
        assert any(row.strip().startswith(name) for row in rows)
    assert max(map(len, rows)) <= 80


@pytest.mark.parametrize(
    ("arguments", "typed"),
    [("players", ""), ("play greedyy random", ""), ("castle", ""), ("play manual random --seed 3", "2,2\nresign\n")],
)
def test_a_process_of_its_own_says_the_same(arguments: str, typed: str) -> None:
    """The other tests run the command in theirs."""
    process = in_a_process(*arguments.split(), typed=typed)
    assert transcript(process) == transcript(littlego(*arguments.split(), typed=typed))


def test_a_thousand_games_are_reproducible() -> None:
    """Whatever the order of sets is, which is another one in each process."""
    runs = [in_a_process("play", "greedy", "random", "--games", "1000", "--seed", "1", "--json") for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout
    result = json.loads(runs[0].stdout)
    assert result["games"] == len(result["records"]) == 1000
    assert [row["games"] for row in result["standings"]] == [1000, 1000]
    assert sum(row["wins"] + row["ties"] / 2 for row in result["standings"]) == 1000
    assert result["distinct_games"] == len({tuple(record["moves"]) for record in result["records"]}) > 990


def test_a_seed_gives_the_same_game_here_and_in_the_library() -> None:
    for seed in (1, 2):
        told = json.loads(littlego("play", "greedy", "random", "--seed", str(seed), "--json").stdout)["records"][0]
        record = play_game("greedy", "random", seed=seed)
        assert (told["moves"], told["seed"]) == (record_to_dict(record)["moves"], seed)
        assert play_match("greedy", "random", games=3, seed=seed).records[0].moves == record.moves


def test_a_game_fits_a_narrow_terminal() -> None:
    shown = in_this_process("play", "aggressive", "alphabeta", "--seed", "1", environment={**PLAIN, "COLUMNS": "40"})
    assert max(map(len, shown.stdout.splitlines())) <= 40


def test_without_a_seed_games_differ_and_the_seed_is_reported() -> None:
    runs = [json.loads(littlego("play", "random", "random", "--json").stdout) for _ in range(2)]
    assert runs[0]["seed"] != runs[1]["seed"]
    again = json.loads(littlego("play", "random", "random", "--json", "--seed", str(runs[0]["seed"])).stdout)
    assert again == runs[0]


def test_deterministic_players_repeat_one_game() -> None:
    result = json.loads(littlego("play", "alphabeta", "alphabeta", "--games", "5", "--json").stdout)
    assert result["distinct_games"] == 1


def test_a_person_plays_a_whole_game(golden: Callable[[str, str], None]) -> None:
    typed = "help\n2,2\n2,2\n9,9\nhint\nundo\n1,1\npass\nresign\n"
    golden("cli/manual.txt", transcript(littlego("play", "manual", "random", "--seed", "3", typed=typed)))


def test_people_may_play_each_other_to_the_end() -> None:
    done = littlego("play", "manual", "manual", "--size", "3", typed="1,1\npass\npass\n")
    assert done.returncode == 0
    assert "A person" not in done.stdout
    assert "White wins by 0.5 (1-1.5)." in done.stdout


def test_games_are_written_as_sgf(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    done = littlego("play", "smart", "greedy", "--games", "3", "--seed", "1", "--sgf", str(path))
    assert done.returncode == 0
    assert path.read_text().count("(;") == 3
    assert parse_sgf(path.read_text()).black == "smart"


def test_a_capture_by_the_last_move_is_announced() -> None:
    """At the top, where nine black stones had their last liberty at 1,1."""
    shown = littlego("play", "greedy", "random", "--seed", "27").stdout
    assert shown.startswith("White (O) plays 1,1 and captures 9.\n")
    assert [row.split()[1:] for row in shown.splitlines()[2:4]] == [list("....."), [".", "[O]", ".", ".", "."]]


def test_a_match_shows_the_games_that_were_asked_for(tmp_path: Path) -> None:
    """The same folder holds more of them."""
    for asked, shown in ((4, 4), (2, 2), (4, 4)):
        done = in_this_process("match", "greedy", "random", "--games", str(asked), "--json", cwd=tmp_path)
        result = json.loads(done.stdout)
        assert [game["game"] for game in result["results"]] == list(range(1, shown + 1))
        assert result["games"] == shown


def test_every_lost_game_of_a_match_is_shown_with_what_to_type_next(tmp_path: Path) -> None:
    asked = ("match", "random", "greedy", "--games", "6")
    results = json.loads(in_this_process(*asked, "--json", cwd=tmp_path).stdout)["results"]
    lost = [
        game["game"] for game in results if game["record"]["outcome"]["winner"] != ("white", "black")[game["game"] % 2]
    ]
    assert lost
    shown = in_this_process(*asked, cwd=tmp_path).stdout
    for number in range(1, 7):
        assert (f"Game {number}: " in shown) == (f"--game {number}\n" in shown) == (number in lost)


@pytest.mark.parametrize(("text", "length"), [(None, None), ("30", 30), ("none", 1000)])
def test_how_long_a_game_of_gtp_may_be(text: str | None, length: int | None) -> None:
    assert server._length(text) == length
    with pytest.raises(UsageError, match="expected a number of moves up to 1000, or none"):
        server._length("no")


@pytest.mark.process
def test_what_a_message_quotes_does_not_control_the_terminal(tmp_path: Path) -> None:
    done = littlego("review", str(tmp_path / "no\x1b]0;such\x07.sgf"))
    assert done.returncode == 2
    assert "no\\x1b]0;such\\x07.sgf" in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.process
def test_sigterm_ends_a_command_as_ctrl_c_does(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "littlego", "play", "manual", "random", "--seed", "1"]
    environment = {**ENVIRONMENT, "XDG_CACHE_HOME": str(tmp_path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=environment, text=True, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT
    ) as playing:
        assert playing.stdout is not None
        said = ""
        while not said.endswith("to move: "):
            said += playing.stdout.read(1)
        playing.send_signal(signal.SIGTERM)
        said += playing.communicate()[0]
    assert playing.returncode == 130
    assert "Stopped." in said


def test_new_writes_a_kit_once(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    transcripts = []
    for arguments in (["agent"], ["agent"], ["agent", "--force"], ["class", "--edition", "2019"]):
        directory = str(tmp_path / arguments[0])
        done = littlego("new", directory, *arguments[1:])
        transcripts.append(f"$ littlego new {' '.join(arguments)}\n{transcript(done)}\n")
    golden("cli/new.txt", "".join(transcripts).replace(f"{tmp_path}/", ""))


@pytest.mark.parametrize("options", ["", "--edition 2019", "--tictactoe", "--language java"])
def test_the_next_steps_of_a_kit_fit_into_80_columns(tmp_path: Path, options: str) -> None:
    steps = littlego("new", str(tmp_path / "kit"), *options.split()).stdout.partition("Next:")[2].splitlines()
    assert [step for step in steps if len(step) > 80 and not step.startswith("  cd ")] == []
    assert len(steps) > 4


def test_the_next_steps_of_a_kit_are_of_its_edition(tmp_path: Path) -> None:
    """A kit of 2022 was told `littlego grade .`, which grades by 2025."""
    printed = littlego("new", str(tmp_path / "kit"), "--edition", "2022").stdout
    assert "littlego grade . --out ../grade" in printed
    graded = in_this_process(
        "grade", "random", "--stage", "submit2", "--out", str(tmp_path / "out"), cwd=tmp_path / "kit"
    )
    assert "edition 2022" in graded.stdout
    by_another = in_this_process(
        "grade", "random", "--stage", "submit2", "--edition", "2024", "--out", str(tmp_path / "2"), cwd=tmp_path / "kit"
    )
    assert "edition 2024" in by_another.stdout


def test_starting_up_loads_nothing_heavy() -> None:
    """Help must not pay for the solver, the page or the figures."""
    code = (
        "import sys; sys.argv = ['littlego', '--help']\n"
        "from littlego.apps.cli.main import run\n"
        "try: run()\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert "littlego" in loaded
    heavy = {
        "numba",
        "numpy",
        "llvmlite",
        "fastapi",
        "starlette",
        "uvicorn",
        "pydantic",
        "asyncio",
    }
    assert not loaded & heavy
    course = ("littlego.course.grading", "littlego.sandbox.client")
    assert not [name for name in done.stderr.split() if name.startswith(course)]


@pytest.mark.process
@pytest.mark.parametrize("module", ["typer", "littlego.apps.cli.output", "littlego.course.inspection"])
def test_ctrl_c_while_a_command_starts_leaves_no_traceback(module: str) -> None:
    """As if it came while `module` was being imported, by the installed command."""
    entry = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]["scripts"]["littlego"]
    package, function = entry.split(":")
    start = (
        "import importlib.abc, sys\n"
        "class Interrupt(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        f"from {package} import {function}\n"
        "sys.argv = ['littlego', 'check', '.']\n"
        f"{function}()\n"
    )
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert "Traceback" not in done.stderr
