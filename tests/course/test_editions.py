"""Edition files: what they mean, what is wrong with them, and a course that nobody has heard of, graded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from littlego.apps.cli.main import assembled
from littlego.core.errors import FormatError, UsageError
from littlego.core.rules import EDITIONS, Ending, Ko, edition_rules
from littlego.course.edition import (
    Band,
    Language,
    edition_text,
    edition_words,
    find_edition,
    format_edition,
    parse_edition,
    shipped_edition,
)
from littlego.sandbox.limits import MIB, Limits
from tests.arena.agents import PASSES, python_agent

COURSE = """
name = "tiny"
title = "An evening class"

[rules]
size = 3
komi = 0.5
length = 7
ko = "positional"

[time]
cpu_seconds = 4
wall_seconds = 20

[programs]
languages = ["python"]
memory_mib = 256

[late]
days = 2
percent_per_day = 12.5

[[stages]]
key = "exam"
title = "The exam"
games = 4
budget_seconds = 100

[[stages.opponents]]
player = "last-year"
name = "champion-of-last-year"
lines = [ { from = 60, points = 7.5 }, { from = 30, points = 4, times_rate = true } ]

[[stages.opponents]]
player = "random"
lines = [ { from = 0, points = 2 } ]
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    python_agent(tmp_path / "last-year", PASSES)
    path = tmp_path / "tiny.toml"
    path.write_text(COURSE)
    return path


@pytest.mark.parametrize("name", EDITIONS)
@pytest.mark.parametrize("size", [2, 5, 7, 19])
def test_the_files_and_the_core_have_the_same_rules(name: str, size: int) -> None:
    assert shipped_edition(name).rules(size) == edition_rules(name, size)


@pytest.mark.parametrize("name", EDITIONS)
def test_reading_undoes_writing(name: str) -> None:
    edition = replace(shipped_edition(name), title='Café 碁 \U0001f600 "\\', limits=Limits(3.0, 9.5))
    assert parse_edition(format_edition(edition), source="x.toml") == edition


def test_everything_that_a_file_says(course: Path) -> None:
    edition = find_edition(str(course))
    rules = edition.rules()
    assert (rules.size, rules.komi, rules.max_moves, rules.ko, rules.ending, rules.edition) == (
        3, 0.5, 7, Ko.POSITIONAL, Ending.TWO_PASSES, "tiny"
    )  # fmt: skip
    assert (edition.limits.cpu_seconds, edition.limits.wall_seconds) == (4, 20)
    assert edition.limits.memory_bytes == 256 * MIB
    assert edition.languages == (Language.PYTHON,)
    (batch,) = edition.scheme.batches
    assert (batch.key, batch.games, batch.games_each) == ("exam", 8, 4)
    last_year = batch.rubrics[0]
    assert last_year.bands == (Band(60, 7.5, times_rate=False), Band(30, 4), Band(0, 0))
    assert [last_year.award(wins, 4).points for wins in range(5)] == [0, 0, 2, 7.5, 7.5]
    with pytest.raises(UsageError, match="for 3x3 only: it cannot be played on 5x5"):
        edition.rules(5)


def test_the_words_name_what_counts(course: Path) -> None:
    text = "\n".join(edition_words(find_edition(str(course))))
    for sentence in (
        "Board: 3x3; White gets 0.5 points of komi.",
        "A game ends after 7 moves, or when both sides pass in turn.",
        "a move may not bring back any earlier board of the game",
        "4 s of CPU time a move, and at most 20 s of real time",
        "Agents are written in python.",
        "Graded out of 9.5 points, in 8 games.",
        "lose 12.5% of their points a day, for 2 days at most (75% is left then)",
        "4 games against each opponent, 2 with each colour",
        "60% or more: 7.5; 30% or more: 4 x rate; below 30%: 0",
    ):
        assert sentence in text


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('name = "tiny"', "name = 3", "tiny.toml: name: expected text, got 3"),
        ('name = "tiny"', 'name = "a b"', "tiny.toml: name: expected at most 40 letters"),
        ('name = "tiny"', "", "tiny.toml: name: missing"),
        ("size = 3", "size = 30", r"rules: size: expected 2 to 19, got 30"),
        ("komi = 0.5", "komi = 0.3", "komi 0.3: expected a multiple of 0.5"),
        ("komi = 0.5", 'komi = "half"', r"rules: komi: expected a number or 'n/2', got 'half'"),
        ('ko = "positional"', 'ko = "super"', "ko: expected one of simple, positional, got 'super'"),
        ('ko = "positional"', 'ending = "never"', "ending: expected one of two passes, no move, got 'never'"),
        ("wall_seconds = 20", "seconds = 20", r"time: seconds: unknown key; is it misspelled"),
        ('["python"]', '["perl"]', "languages: expected some of python, c"),
        ('["python"]', '["python"]\npython = "rm"', "python: expected a version such as '3.11', got 'rm'"),
        ("games = 4", "games = 1001", r"\[\[stages\]\] 1: games: expected 2 to 1000, got 1001"),
        ("games = 4", "games = 5", r"\[\[stages\]\] 1: games: expected an even number"),
        ('player = "random"', 'player = "nobody"', r"\[\[opponents\]\] 2: player: expected a player \(.*random"),
        ('player = "random"', 'player = "manual"', r"\[\[opponents\]\] 2: player: expected a player"),
        ("{ from = 60, points", "{ from = 20, points", r"highest win rate to the lowest, got from = \[20, 30\]"),
        ("from = 60", "from = 160", r"\[\[lines\]\] 1: from: expected 0 to 100, got 160"),
        ('key = "exam"', 'key = "all"', "key: expected letters and digits, and neither 'all' nor 'submit'"),
        ("[late]", "[late", "tiny.toml: not TOML"),
        (
            'title = "The exam"',
            r'title = "\u001b[2J"',
            r"\[\[stages\]\] 1: title: expected a line without control",
        ),
        ("[late]", "x = " + "[" * 20_000, "tiny.toml: not TOML: "),
        ("games = 4", f"games = 1{'0' * 5000}", "tiny.toml: not TOML"),
        ("games = 4", f"games = 1{'0' * 400}", "games: expected 2 to 1000, got 1000"),
        ("komi = 0.5", f"komi = 1{'0' * 400}", "komi: expected -1000 to 1000, got 1000"),
        ("komi = 0.5", "komi = nan", "komi nan: expected a multiple of 0.5"),
        ('player = "random"', f'player = "{"a" * 5000}"', r"\[\[opponents\]\] 2: player: expected a player"),
        ('player = "random"', 'player = "random"\nname = ".."', r"\[\[opponents\]\] 2: name: expected letters"),
        ('name = "tiny"', 'name = "2025"', "2025 is an edition that comes with littlego: choose another name"),
    ],
)
def test_what_is_wrong_with_a_file(course: Path, old: str, new: str, says: str) -> None:
    assert old in COURSE
    course.write_text(COURSE.replace(old, new, 1))
    with pytest.raises(UsageError, match=says):
        find_edition(str(course))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"none\.toml: cannot be read"):
        find_edition(str(tmp_path / "none.toml"))


def test_the_digest_follows_what_decides(course: Path) -> None:
    before = find_edition(str(course)).digest()
    course.write_text(COURSE.replace("An evening class", "A morning class").replace("The exam", "An exam"))
    assert find_edition(str(course)).digest() == before
    course.write_text(COURSE.replace("points = 4, times", "points = 6, times"))
    assert find_edition(str(course)).digest() != before
    course.write_text(COURSE)
    with (course.parent / "last-year" / "my_player3.py").open("a") as file:
        file.write("\n# stronger\n")
    assert find_edition(str(course)).digest() != before, "an opponent's files decide too"


def test_the_digest_does_not_depend_on_where_the_files_are(course: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    python_agent(elsewhere / "last-year", PASSES)
    (elsewhere / "tiny.toml").write_text(COURSE)
    assert find_edition(str(elsewhere / "tiny.toml")).digest() == find_edition(str(course)).digest()
    python_agent(elsewhere / "last-year", PASSES + "\n# changed")
    assert find_edition(str(elsewhere / "tiny.toml")).digest() != find_edition(str(course)).digest()


def test_the_file_in_the_docs(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "grading.md"
    text = page.read_text().partition("```toml\n")[2].partition("```")[0]
    python_agent(tmp_path / "last-years-best", PASSES)
    edition = parse_edition(text, source="grading.md", folder=tmp_path)
    assert [rubric.opponent for rubric in edition.scheme.batches[0].rubrics] == ["greedy", "veteran"]


@pytest.mark.process
def test_a_made_up_course_from_its_file_to_the_grade(course: Path, tmp_path: Path) -> None:
    """Other rules, time, opponents and points: checked, played, started from its kit, and graded."""
    run, python = CliRunner(), python_agent(tmp_path / "agent", PASSES)

    def littlego(*words: object, status: int = 0) -> str:
        result = run.invoke(assembled(), [str(word) for word in words])
        assert result.exit_code == status, (result.output, result.exception)
        return result.stdout

    assert littlego("edition", "show", course) == COURSE
    assert "Graded out of 9.5 points" in littlego("edition", "check", course)
    game = json.loads(littlego("play", "random", "greedy", "--edition", course, "--seed", 1, "--json"))
    assert game["rules"]["edition"] == "tiny"
    assert game["rules"]["size"] == 3
    printed = littlego("new", tmp_path / "kit", "--edition", course)
    assert "littlego check . --edition ../tiny.toml" in printed, "a copy in the kit would not find last year's agent"
    assert not (tmp_path / "kit" / "edition.toml").exists()
    alone = tmp_path / "alone.toml"
    alone.write_text(COURSE.replace('player = "last-year"', 'player = "greedy"'))
    littlego("new", tmp_path / "kit2", "--edition", alone)
    assert (tmp_path / "kit2" / "edition.toml").read_text() == alone.read_text()
    assert "Ready to submit" in littlego("check", tmp_path / "kit2", "--edition", tmp_path / "kit2" / "edition.toml")
    grade = ["grade", python, "--edition", course, "--out", tmp_path / "out", "--json"]
    report = json.loads(littlego(*grade, "--late", 1))
    # Both pass at once: White has the komi, and wins half of the games against the champion of last year.
    assert report["edition"] == "tiny"
    (batch,) = report["repeats"][0]["batches"]
    last_year, other = batch["opponents"]
    assert [last_year[key] for key in ("opponent", "games", "wins", "points")] == ["champion-of-last-year", 4, 2, 2.0]
    assert (other["games"], other["points"]) == (4, 2)
    assert (report["earned"], report["points"], report["max_points"]) == (4, 3.5, 9.5)
    course.write_text(COURSE.replace("points = 4, times", "points = 6, times"))
    again = run.invoke(assembled(), [str(word) for word in grade])
    assert "The edition has changed since these games were played" in again.stderr
    assert json.loads(again.stdout)["points"] == 5, "the same games by the new points"
    course.write_text(COURSE.replace("komi = 0.5", "komi = 1.5"))
    refused = run.invoke(assembled(), [str(word) for word in grade])
    assert isinstance(refused.exception, UsageError)
    assert "holds another grading" in str(refused.exception)
    (tmp_path / "agent" / "my_player3.py").rename(tmp_path / "agent" / "my_player.java")
    refused = run.invoke(assembled(), [str(word) for word in grade])
    assert "my_player.java: edition tiny takes agents in python only" in str(refused.exception)


def test_an_edition_may_say_only_what_differs() -> None:
    text = 'name = "spring"\nlike = "2022"\n[late]\ndays = 2\n[time]\nwall_seconds = 60\n'
    mine, year = parse_edition(text, source="spring.toml"), shipped_edition("2022")
    assert (mine.late.days, mine.late.percent, mine.limits.wall_seconds) == (2, 20.0, 60.0)
    assert replace(mine, name=year.name, late=year.late, limits=year.limits) == year
    assert parse_edition(format_edition(mine), source="in full") == mine
    stage = """
[[stages]]
key = "1"
games = 2
budget_seconds = 9
[[stages.opponents]]
player = "learner"
lines = [{ from = 0, points = 1 }]
"""
    other = parse_edition(f'name = "short"\nlike = "2025"\n{stage}', source="short.toml")
    assert [batch.key for batch in other.scheme.batches] == ["1"], "stages are taken as a whole"
    assert other.scheme.repeats == 3
    with pytest.raises(FormatError, match=r"spring.toml: like: expected one of 2019, 2022, 2024, 2025, got '2023'"):
        parse_edition(text.replace("2022", "2023"), source="spring.toml")


@pytest.mark.parametrize("year", ["2022", "2024"])
def test_what_is_shown_of_a_year_is_all_of_it(year: str) -> None:
    assert "like" not in edition_text(year)
    assert parse_edition(edition_text(year), source=year) == shipped_edition(year)
