"""The command line as a user meets it, its output compared with golden files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from littlego.apps.cli.bench import add_benchmarks
from littlego.core.errors import UsageError
from littlego.course.quick_match import play_game, play_match
from littlego.formats.records import record_to_dict
from littlego.formats.sgf.games import parse_sgf
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


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "--help",
        "play --help",
        "players",
        "new --help",
        "check --help",
        "match --help",
        "compare --help",
        "tournament --help",
        "tournament new --help",
        "tournament run --help",
        "tournament report --help",
        "grade --help",
        "gtp --help",
        "replay --help",
        "sandbox --help",
        "cluster --help",
        "cluster local --help",
        "bench --help",
        "bench all --help",
        "bench engine --help",
        "bench env --help",
        "bench referee --help",
        "bench tournament --help",
        "--version",
    ],
    ids=lambda text: text or "nothing",
)
def test_help(arguments: str, golden: Callable[[str, str], None]) -> None:
    name = arguments.replace("--", "").replace(" ", "-") or "nothing"
    golden(f"cli/{name}.txt", transcript(littlego(*arguments.split())))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("play greedyy random", "no player is called 'greedyy'; did you mean 'greedy'?"),
        ("play greedy random --size 1", "board size 1: expected 2 to 19"),
        ("play greedy random --edition 1999", "edition '1999': expected one of 2019, 2022, 2024, 2025"),
        ("play greedy random --games 0", "--games"),
        ("play greedy random --games many", "--games"),
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
    """At the top right, where two black stones had their last liberty at 2,4."""
    shown = littlego("play", "greedy", "random", "--seed", "3").stdout
    assert shown.startswith("White (O) plays 2,4 and captures 2.\n")
    assert [row[-3:] for row in shown.splitlines()[2:5]] == [" . ", " . ", "[O]"]


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


def test_bench_reports_a_ratio() -> None:
    result = json.loads(littlego("bench", "engine", "--seconds", "1", "--json").stdout)
    core, naive = result["core_moves_per_second"], result["naive_moves_per_second"]
    assert min(core, naive, result["ratio"]) > 0


def test_without_the_source_bench_says_where_the_benchmarks_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is anything loaded that only lies where they would be."""
    monkeypatch.delitem(sys.modules, "littlego_bench", raising=False)
    foreign = tmp_path / "tools" / "littlego_bench" / "__init__.py"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("raise SystemExit('foreign code')")
    app = typer.Typer()
    app.callback()(lambda: None)
    add_benchmarks(app, "Measuring", source=tmp_path / "site-packages")
    for arguments in ("bench", "bench engine --seconds 2"):
        error = CliRunner().invoke(app, arguments.split()).exception
        assert isinstance(error, UsageError)
        assert "the benchmarks come with the source" in str(error)


@pytest.mark.parametrize("arguments", [["--help"], ["bench", "--help"]], ids=" ".join)
def test_starting_up_loads_nothing_heavy(arguments: list[str]) -> None:
    """Help must not pay for the solver, the page or the figures."""
    code = (
        f"import sys; sys.argv = {['littlego', *arguments]!r}\n"
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
        "matplotlib",
        "pydantic",
        "asyncio",
    }
    if arguments != ["--help"]:
        heavy -= {"pydantic"}  # Typer's own, to read the options of a group
    assert not loaded & heavy
    course = ("littlego.course.grading", "littlego.arena.referee")
    assert not [name for name in done.stderr.split() if name.startswith(course)]


@pytest.mark.process
@pytest.mark.parametrize("module", ["typer", "littlego.apps.cli.output", "littlego.course.check.inspection"])
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
