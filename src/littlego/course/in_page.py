"""An agent in a page: checked, played and graded in the browser's own Python, and told to the page as JSON.

The page runs this module in Pyodide. It is the code of the commands on another sandbox (`sandbox/browser.py`), so the
words, the verdicts and the points are theirs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from littlego.arena.building import BuildFailed, main_file, read_sources, without_path
from littlego.arena.games import Capsule
from littlego.arena.participants import CourseAgent, Entrant, Prepared, preparing
from littlego.arena.program import ProgramPlayer
from littlego.arena.store import KeptGame, isolation_of, parse_result, result_to_dict
from littlego.core.board import Colour
from littlego.core.errors import LittleGoError
from littlego.core.game import Player, derive_seed, play, tell_players
from littlego.core.points import Move
from littlego.core.position import Position
from littlego.core.rules import DEFAULT_EDITION, EDITIONS
from littlego.course.edition import Edition, find_edition
from littlego.course.grading import words
from littlego.course.grading.html import grade_page
from littlego.course.grading.plan import AGENT, GradingPlan, Slot
from littlego.course.grading.report import GradedGame, GradeReport, graded_repeats
from littlego.course.grading.run import GradingTerms, grading_plan
from littlego.course.inspection import inspect, is_class, unwrapped
from littlego.course.seats import parse_entrant
from littlego.course.starter import kit_files
from littlego.formats.records import record_to_dict
from littlego.players.catalogue import make_player
from littlego.sandbox.browser import PYTHON, Host, NotHere, settle
from littlego.sandbox.client import Supervisor
from littlego.storage.scratch import temporary_directory

Tell = Callable[[str], None]
"""Gets a message for the page, as JSON."""

PLACE: Final = Path("/dropped")
"""Where the page puts the files, in a folder or as an archive."""
_BEATS: Final = 150_000
_COMPILED: Final = {".cpp": ("C++", "g++"), ".java": ("Java", "a Java development kit")}
OPPONENTS: Final = ("random", "greedy", "aggressive", "smart", "alphabeta", "qlearning", "learner")
"""Built-in players that need no compiled code."""


def begin(host: Host) -> None:
    """Make this interpreter ready, and answer to `host`."""
    PYTHON.host = host
    settle()


def beats() -> None:
    """A fixed amount of the work that agents do, to measure this interpreter by."""
    number = 0
    counts: dict[int, int] = {}
    for k in range(_BEATS):
        number = (number * 31 + k) & 0xFFFF
        counts[number & 255] = counts.get(number & 255, 0) + 1


def offers() -> dict[str, Any]:
    """What the page offers, as JSON values: opponents, editions with their stages, starter kits."""
    return {
        "opponents": OPPONENTS,
        "editions": [
            {
                "name": edition.name,
                "kit": {str(name): path.read_text(encoding="utf-8") for name, path in kit_files(edition.like).items()},
                "stages": [
                    {
                        "key": batch.key,
                        "title": batch.title,
                        "games": batch.games_each,
                        "opponents": [rubric.opponent for rubric in batch.rubrics],
                    }
                    for batch in edition.scheme.batches
                ],
            }
            for edition in map(find_edition, reversed(EDITIONS))
        ],
    }


def work(asked: str, tell: Tell) -> None:
    """Do what the page asks, and tell it every step: the last message has `done`, or `refused` with a sentence."""
    fields = json.loads(asked)
    PYTHON.start("")

    def say(**message: Any) -> None:
        tell(json.dumps(message))

    os.chdir(PLACE)
    kinds: dict[str, Callable[..., None]] = {"check": _check, "game": _game, "grade": _grade}
    try:
        kinds[fields.pop("kind")](say, **fields)
    except NotHere as error:
        say(refused=f"{error}. At home, `littlego grade .` in the agent's folder grades it.")
    except LittleGoError as error:
        say(refused=str(error))
    except OSError as error:
        say(refused=f"{error.filename or 'the files'}: {error.strerror or error}")
    else:
        say(done=True)


def _check(say: Callable[..., None], name: str, edition: str) -> None:
    found = find_edition(edition)
    with (
        _agent(name, found) as (folder, _),
        Supervisor() as supervisor,
        inspect(str(folder), supervisor, edition=found) as inspection,
    ):
        say(titles=inspection.titles(), **_told(folder, found))
        for each in inspection.checks():
            say(
                check={
                    "title": each.title,
                    "status": each.status.value,
                    "detail": without_path(each.detail),
                    "advice": each.advice,
                    "input": each.capsule.input if each.capsule else "",
                }
            )


def _game(say: Callable[..., None], name: str, edition: str, opponent: str, colour: str, seed: int = 1) -> None:
    """One game, told move by move."""
    found, side = find_edition(edition), Colour[colour.upper()]
    with (
        _agent(name, found) as (folder, entrant),
        preparing([entrant]) as ((prepared,), supervisor),
        prepared.seated(0, supervisor, found.limits) as player,
    ):
        assert isinstance(player, ProgramPlayer)
        other = make_player(opponent, seed=derive_seed(seed, side.opponent.name))
        players: dict[Colour, Player] = {side: player, side.opponent: other}
        start = Position.initial(found.rules())
        observers = tell_players(players)
        own = entrant.name if entrant.name != opponent else f"{entrant.name}-agent"
        names = (own, opponent) if side is Colour.BLACK else (opponent, own)
        say(game=None, black=names[0], white=names[1], **_told(folder, found))

        def observe(before: Position, move: Move, after: Position) -> None:
            if observers:
                observers(before, move, after)
            say(move=before.move_name(move))

        record = play(players, start=start, names=names, seed=seed, observer=observe)
        level = str(supervisor.level)
        is_lost = record.outcome is not None and record.outcome.winner is side.opponent
        is_forfeit = record.outcome is not None and record.outcome.verdict.is_forfeit
        capsule = Capsule.of_loser(entrant.spelling, player, record, level) if is_lost and is_forfeit else None
        say(
            game=record_to_dict(record),
            outcome=str(record.outcome),
            seconds=max(player.cpu_seconds, default=0.0),
            stderr=capsule.stderr if capsule else "",
            input=capsule.input if capsule else "",
        )


def _grade(
    say: Callable[..., None], name: str, edition: str, stage: str, games: int | None, results: list[str]
) -> None:
    """A grading, told game by game. `results` are those of games that were told before, in the order of play."""
    found = find_edition(edition)
    if games is not None:
        found = _with_fewer_games(found, games)
    with _agent(name, found) as (folder, entrant):
        plan = grading_plan(entrant, GradingTerms(found, stage, repeats=1))
        told = _told(folder, found, stage)
        for rubric in (rubric for each in plan.rounds() for rubric in each.batch.rubrics):
            if rubric.spelling not in OPPONENTS:
                raise NotHere(f"{rubric.spelling} plays in this stage, and needs more than this page's Python")
        fixtures = [fixture for each in plan.rounds() for fixture in plan.fixtures(each)]
        say(planned=len(fixtures), **told)
        try:
            with preparing([entrant]) as ((prepared,), _), plan.job({AGENT: prepared}, {}).open() as played:
                kept: dict[Slot, GradedGame] = {}
                for number, fixture in enumerate(fixtures):
                    if number < len(results):
                        result = parse_result(results[number], f"game {number + 1}")
                    else:
                        PYTHON.start(f"game {number + 1}:")
                        result = played(fixture)
                        say(result=json.dumps(result_to_dict(result)))
                    kept[fixture.key] = KeptGame(fixture.key, result, number + 1)
                    if number >= len(results) - 1:
                        say(report=_report(plan, kept, prepared, {}))
        except BuildFailed as error:
            say(report=_report(plan, {}, None, {AGENT: str(error)}))


def _report(
    plan: GradingPlan, games: dict[Slot, GradedGame], prepared: Prepared | None, problems: dict[str, str]
) -> dict[str, Any]:
    program = getattr(prepared, "program", None)
    report = GradeReport(
        plan,
        graded_repeats(plan, games, problems),
        isolation_of((game.result for game in games.values()), plan.name),
        runtime=program.runtime if program else "",
        digest=program.digest if program else "",
        lacking=program.lacking if program else (),
    )
    return {
        **{key: value for key, value in report.to_dict().items() if key != "directory"},
        "runtime": without_path(report.runtime),
        "fix": words.first_fix(report),
        "luck": words.luck(report),
        "inputs": inputs_of(report),
        "page": grade_page(report) if report.complete else "",
    }


def inputs_of(report: GradeReport) -> dict[int, str]:
    """What the agent read before the move that forfeited a game, by the game's number."""
    return {
        game.number: game.result.capsule.get("input", "")
        for grade in report.grades
        for game in grade.lost
        if game.result.capsule
    }


def _with_fewer_games(edition: Edition, games: int) -> Edition:
    """The first games of each opponent. They are those of the whole grading: a game's seed depends on its place."""
    batches = tuple(
        dataclasses.replace(batch, games_per_colour=min(batch.games_per_colour, max(1, games // 2)))
        for batch in edition.scheme.batches
    )
    return dataclasses.replace(edition, scheme=dataclasses.replace(edition.scheme, batches=batches))


@contextlib.contextmanager
def _agent(name: str, edition: Edition) -> Iterator[tuple[Path, Entrant]]:
    """The agent's folder, found in what was dropped, and its entrant. Raises UsageError and NotHere."""
    with temporary_directory("littlego-page-") as place:
        folder = unwrapped(Path(name), place)
        main = main_file(folder)
        if main.suffix in _COMPILED:
            language, tool = _COMPILED[main.suffix]
            raise NotHere(f"{main.name}: a browser cannot compile {language}, and your own machine needs {tool} for it")
        here = {each for each in edition.packages if importlib.util.find_spec(each) is not None}
        if missing := sorted(read_sources(main).needed & (set(edition.packages) - here)):
            raise NotHere(f"it needs {', '.join(missing)}, which the course has but this page's Python does not")
        where = str(folder) if folder.is_absolute() else f"./{folder}"
        spelling = f"class:{where}" if is_class(folder) else where
        entrant = parse_entrant(spelling, edition=edition.like)
        yield folder, dataclasses.replace(entrant, given=Path(name)) if isinstance(entrant, CourseAgent) else entrant


def _told(folder: Path, edition: Edition, stage: str = "") -> dict[str, Any]:
    """What the page says before the first result: the file that is run, and the same at home."""
    main = main_file(folder)
    agent = f"class:{main.name}" if is_class(folder) else "."
    options = "" if edition.name == DEFAULT_EDITION else f" --edition {edition.name}"
    options += f" --stage {shlex.quote(stage)}" if stage else ""
    return {"main": main.name, "command": f"littlego {'grade' if stage else 'check'} {agent}{options}"}


def forget() -> None:
    """Remove what was dropped before."""
    os.chdir(PLACE.parent)
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(exist_ok=True)
