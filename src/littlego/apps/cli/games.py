"""Many games through the referee: `match` for two players, `compare` for two versions of one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import UsageError
from littlego.core.rules import DEFAULT_SIZE, Rules
from littlego.formats.text import plural
from littlego.players.catalogue import MANUAL
from littlego.storage.files import plain_name

if TYPE_CHECKING:
    from littlego.arena.games import GamesProgress, Opening
    from littlego.arena.match import Follow, MatchPlan, StoredMatch
    from littlego.arena.participants import Entrant
    from littlego.arena.pool import Failure
    from littlego.arena.sprt import Against, SequentialTest
    from littlego.arena.store import KeptGame
    from littlego.core.game import GameRecord
    from littlego.review.regret import Regret

    Game: TypeAlias = KeptGame[int]


def _followed(folder: Path, title: str = "") -> Follow:
    """Shows the progress of a match on the terminal."""

    def follow(progress: GamesProgress, test: SequentialTest | None) -> AbstractContextManager[Callable[[], None]]:
        if progress.done == progress.planned:
            output.note(f"{title}{plural(progress.planned, 'game')}, all played before.")
        elif progress.done:
            held = plural(progress.done, "game")
            output.note(f"{title}Continues with {held} of {progress.planned} that {folder} holds.")
        return output.live(lambda: f"{title}{progress.line()}{f', {test.line()}' if test else ''}")

    return follow


def _note_void(failure: Failure) -> None:
    from littlego.arena.games import void_words

    output.note(void_words(failure, f"Game {failure.task.key + 1}"))


def print_standings(rules: Rules, seed: int, records: list[GameRecord]) -> None:
    """A row for every player and colour; ties have a column where the rules allow them."""
    from littlego.arena.match import distinct_games, standings

    can_tie = float(rules.komi).is_integer()
    rows = [
        (
            f"{row['player']} ({row['colour'].capitalize()})",
            str(row["wins"]),
            str(row["losses"]),
            *([str(row["ties"])] if can_tie else []),
            str(row["forfeits"]),
            output.percent(row["win_rate"]),
            output.percent_interval(row["interval_95"]),
        )
        for row in standings(records)
    ]
    columns = ["player", "wins", "losses", *(["ties"] if can_tie else []), "forfeits", "win rate", "95% interval"]
    title = f"{plural(len(records), 'game')}, {rules.size}x{rules.size}, edition {rules.edition}, seed {seed}"
    output.print_table(columns, rows, title=title)
    print(f"  {plural(distinct_games(records), 'distinct game')}.")


_LOST_SHOWN = 10
"""Lost games shown in full."""
_GAMES, _SPRT_GAMES = 10, 1000
_BOUNDS = "0,100"


def match(
    first: Annotated[
        str,
        typer.Argument(
            help="A player: a name, an agent's directory, cmd:'COMMAND' or gtp:'COMMAND'.",
            autocompletion=options.complete_players,
        ),
    ],
    second: Annotated[str, typer.Argument(help="The other player.", autocompletion=options.complete_players)],
    *,
    games: Annotated[
        int | None, options.number_of_games("How many games. Default: 10; at most 1000 with --sprt.")
    ] = None,
    sprt: Annotated[bool, typer.Option("--sprt", help="Stop as soon as the test decides between two bounds.")] = False,
    bounds: Annotated[
        str, typer.Option(metavar="LOW,HIGH", help="For --sprt: how much stronger FIRST is, in Elo, or 50%,60%.")
    ] = _BOUNDS,
    openings: Annotated[
        str | None,
        typer.Option(
            metavar="N|FILE",
            help="Begin with every position after N moves, each twice with colours exchanged, or with those in a"
            " file of lines such as 2,2 1,2. Default: 2 with --sprt, else none (0).",
        ),
    ] = None,
    size: options.Size = None,
    edition: options.Edition,
    cpu: options.CpuSeconds = None,
    wall: options.WallSeconds = None,
    memory: options.MemoryMiB = None,
    strict: options.Strict = False,
    level: options.LevelOption = None,
    jobs: options.Jobs = 1,
    cluster: options.ClusterAddress = None,
    seed: options.PlayersSeed = 1,
    python: options.Python = None,
    out: options.MatchFolder = None,
    json: options.Json = False,
) -> None:
    """Play a match between any two players, through the referee.

    This is for agents: limits, isolation, stored games, the reason for every loss. To play yourself, or for quick
    games between built-in players, use `littlego play`; to see whether a change helped, `littlego compare`.
    The players swap colours after every game. The same command continues a match that was stopped:
    finished games are kept.

      littlego match my_agent random --games 20
      littlego match my_agent other_agent --python 3.7 --cpu 5 --jobs 2
      littlego match cmd:'./agent --strong' greedy
      littlego match my_agent greedy --sprt --bounds 0,50
    """
    from littlego.arena.building import MATCHES
    from littlego.arena.match import MatchPlan, StoredMatch, distinct_names
    from littlego.arena.participants import CourseAgent, lacking_of, preparing, runtime_of, travelling
    from littlego.course.seats import parse_entrant

    if not sprt and bounds != _BOUNDS:
        raise UsageError("--bounds needs --sprt")
    hypotheses = None
    if sprt:
        from littlego.arena.sprt import Hypotheses, parse_bounds

        hypotheses = Hypotheses(*parse_bounds(bounds))
    games = games or (_SPRT_GAMES if sprt else _GAMES)
    found = options.edition_of(edition)
    rules = found.rules(size)
    python = python or found.default_python
    entrants: list[Entrant] = []
    for text in (first, second):
        with options.for_one_agent(text):
            entrants.append(parse_entrant(text, python=python, edition=found.like))
    if MANUAL in (first, second):
        raise UsageError("a person cannot play in a match: use 'littlego play manual ...'")
    if rules.size != DEFAULT_SIZE and any(isinstance(entrant, CourseAgent) for entrant in entrants):
        board = f"{rules.size}x{rules.size}"
        output.note(f"The course's agents play 5x5: on {board} only those that read the board's size do well.")
    names = distinct_names(entrants[0].name, entrants[1].name)
    limits = options.limits_of(found, cpu=cpu, wall=wall, memory=memory, strict=strict)
    plan = MatchPlan(
        entrants[0].spelling,
        entrants[1].spelling,
        rules,
        games,
        seed,
        limits,
        options.level_of(level),
        openings=chosen_openings(openings or ("2" if sprt else "0"), rules),
    )
    with ExitStack() as stack:
        executor = stack.enter_context(options.executor(jobs, cluster))
        prepared, supervisor = stack.enter_context(preparing(entrants, level=plan.level))
        supervisor.close()  # each worker has its own
        runtimes = tuple(map(runtime_of, prepared))
        lacking = tuple(map(lacking_of, prepared))
        if executor.is_elsewhere:
            prepared = list(map(travelling, entrants, prepared))
        folder = out or Path(MATCHES) / f"{plain_name(names[0])}-{plain_name(names[1])}-{plan.identity(*prepared)}"
        played = StoredMatch(plan, names, prepared, folder, hypotheses)
        stopped = False
        try:
            played.play(
                executor,
                _followed(folder),
                _note_void,
                edition=rules.edition,
                edition_digest=found.digest(),
                size=rules.size,
            )
        except KeyboardInterrupt:
            stopped = True
    test = played.test()
    if json:
        output.print_json(_match_as_json(played, runtimes) | ({"sprt": test.as_dict()} if test else {}))
    else:
        _show_missing(played, lacking)
        _show_match(played, runtimes)
        if test:
            print(f"\n{output.printable(test.verdict(names[0]))}")
    if stopped:
        output.stop(f"\nStopped after {len(played.games)} of {games} games.")


def chosen_openings(text: str, rules: Rules) -> tuple[Opening, ...]:
    from littlego.arena.games import openings, read_openings

    if not text.isdecimal():
        return read_openings(Path(text), rules)
    return openings(rules, int(text)) if int(text) else ()


def _show_missing(played: StoredMatch, lacking: tuple[tuple[str, ...], ...]) -> None:
    """Print which modules programs lacked when they forfeited, and what helps."""
    from littlego.course.failures import missing_module, what_helps

    lost = {missing_module(game.result.capsule["stderr"]) for game in played.games if game.result.capsule}
    for name, modules in zip(played.names, lacking, strict=True):
        for module in sorted(lost.intersection(modules)):
            print(output.printable(f"{name} forfeited games: {what_helps(module)}."))


def _show_match(played: StoredMatch, runtimes: tuple[str, ...]) -> None:
    from littlego.arena.games import capsule_path
    from littlego.arena.store import isolation_of, review_command

    plan, names, games, folder = played.plan, played.names, played.games, played.folder
    print_standings(plan.rules, plan.seed, [game.result.record for game in games])
    _show_time(plan, names, games)
    results = [game.result for game in games]
    for name, runtime in zip(names, runtimes, strict=True):
        if runtime:
            print(output.printable(f"{name} ran with {runtime}."))
        if isolation := isolation_of(results, name):
            print(output.printable(f"{name}: isolation {isolation.partition(':')[0]}."))
    _show_remarks(games)
    lost = [game for game in games if plan.first_won(game) is False or game.result.is_forfeit]
    for game in lost[:_LOST_SHOWN]:
        print(f"\n{output.printable(_lost_game(game))}")
        if game.result.capsule is not None and game.result.capsule["language"] != "gtp":
            print(f"  littlego replay {shlex.quote(str(capsule_path(played.folder, game.key + 1)))}")
        elif plan.rules.passing:
            print(f"  {review_command(folder, game.key + 1)}")
    if len(lost) > _LOST_SHOWN:
        print(f"\nand {len(lost) - _LOST_SHOWN} more; --json lists every game.")
    print(f"\nResults are in {folder}.")


def _lost_game(game: Game) -> str:
    """The verdict in a sentence, the board, the end of stderr."""
    from littlego.arena.games import with_own_paths
    from littlego.formats.text import draw_game

    record = game.result.record
    outcome = record.outcome
    assert outcome is not None
    assert outcome.winner is not None
    loser = outcome.winner.opponent
    name = f"{loser} ({record.player(loser)})"
    if outcome.verdict.is_forfeit:
        move = len(record.moves) + 1
        sentence = f"Game {game.key + 1}: {name} forfeited at move {move}: {outcome.reason}"
    else:
        sentence = f"Game {game.key + 1}: {name} lost: {outcome}."
    lines = [sentence, draw_game(record, colour=False)]
    if game.result.capsule and game.result.capsule["stderr"].strip():
        stderr = with_own_paths(game.result.capsule["stderr"], game.result.capsule["agent"]).expandtabs(4)
        lines += ["  the end of its stderr:", *(f"  | {line}" for line in stderr.splitlines()[-8:])]
    return "\n".join(lines)


def _show_time(plan: MatchPlan, names: tuple[str, str], games: list[Game]) -> None:
    from littlego.arena.games import held_up_words

    rows, busy = [], []
    for k, name in enumerate(names):
        mine = [(game.result, plan.first_colour(game.key) if k == 0 else plan.first_colour(game.key).opponent)
                for game in games]  # fmt: skip
        times = [seconds for result, colour in mine for seconds in result.cpu_seconds.get(colour.word, ())]
        real = [seconds for result, colour in mine for seconds in result.wall_seconds.get(colour.word, ())]
        waited = [seconds for result, colour in mine for seconds in result.waited_seconds.get(colour.word, ())]
        busy += [f"{name}: {words}"] if (words := held_up_words(waited)) else []
        if times:
            mean, most = f"{sum(times) / len(times):.3f}", f"{max(times):.3f}"
            rows.append((name, str(len(times)), mean, most, f"{sum(times):.1f}", f"{max(real, default=0.0):.1f}"))
    if rows:
        heading = f"CPU seconds (limit {plan.limits.cpu_seconds:g})"
        output.print_table([heading, "moves", "mean", "maximum", "total", "longest real"], rows)
    for line in busy:
        print(output.printable(line))


def _show_remarks(games: list[Game]) -> None:
    """One line for each kind: remarks that differ in numbers and colours alone are the same."""
    kinds: dict[str, list[str]] = {}
    for game in games:
        for remark in game.result.remarks:
            kind = re.sub(r"\d+|^(Black|White)", "#", remark)
            kinds.setdefault(kind, []).append(f"Game {game.key + 1}: {remark}")
    for same in list(kinds.values())[:5]:
        times = f" ({len(same)} times)" if len(same) > 1 else ""
        print(f"  Remark{times}: {output.printable(same[0])}")
    if len(kinds) > 5:
        print(f"  and {len(kinds) - 5} more kinds of remarks.")


def _match_as_json(played: StoredMatch, runtimes: tuple[str, ...]) -> dict[str, Any]:
    from littlego.arena.games import capsule_path
    from littlego.arena.match import distinct_games, standings
    from littlego.arena.store import result_to_dict
    from littlego.formats.records import rules_to_dict

    plan, names, games = played.plan, played.names, played.games
    records = [game.result.record for game in games]
    return {
        "first": {"name": names[0], "spelling": plan.first, "runtime": runtimes[0]},
        "second": {"name": names[1], "spelling": plan.second, "runtime": runtimes[1]},
        "rules": rules_to_dict(plan.rules),
        "limits": plan.limits.as_dict(),
        "seed": plan.seed,
        "directory": str(played.folder),
        "games": len(games),
        "distinct_games": distinct_games(records),
        "standings": standings(records),
        "results": [
            {
                "game": game.key + 1,
                **result_to_dict(game.result),
                "capsule": None if game.result.capsule is None else str(capsule_path(played.folder, game.key + 1)),
            }
            for game in games
        ],
    }


_SHOWN = 5


def compare(
    old: Annotated[
        str,
        typer.Argument(
            help="The version before: a directory, a .zip, or any player.", autocompletion=options.complete_players
        ),
    ],
    new: Annotated[str, typer.Argument(help="The version after.", autocompletion=options.complete_players)],
    *,
    versus: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="PLAYER", help="Both also play this opponent. May be repeated."),
    ] = None,
    games: Annotated[
        int, options.number_of_games("At most this many games between them; fewer if clear.", least=2)
    ] = 100,
    each: Annotated[int, options.number_of_games("Games of each version with each --against.", "--each", least=2)] = 20,
    openings: Annotated[
        str, typer.Option(metavar="N|FILE", help="First moves of games, as for match; each with both colours.")
    ] = "2",
    edition: options.Edition,
    jobs: options.Jobs = 1,
    seed: options.PlayersSeed = 1,
    python: options.Python = None,
    seconds: Annotated[
        float,
        typer.Option(
            metavar="S", min=0, help="Seconds for counting the wins that each version threw away; 0: don't count."
        ),
    ] = 20.0,
    out: options.MatchFolder = None,
    json: options.Json = False,
) -> None:
    """Did a change help? Two versions of an agent play each other, until the answer is clear.

    For one game use `littlego play`, for a fixed number of games `littlego match`.
    Games come in pairs: an opening, played with both colours. Against other players both versions
    play the same games. The same command continues where it was stopped.

      littlego compare old-agent my-agent
      littlego compare old-agent my-agent --against aggressive --jobs 2
    """
    from littlego.arena.building import MATCHES
    from littlego.arena.match import MatchPlan, StoredMatch
    from littlego.arena.participants import preparing
    from littlego.arena.sprt import HYPOTHESES, against, head_to_head
    from littlego.course.seats import parse_entrant
    from littlego.players.catalogue import MANUAL

    found = options.edition_of(edition)
    rules, limits = found.rules(), found.limits
    if MANUAL in (old, new, *(versus or ())):
        raise UsageError("a person cannot play in a match: use 'littlego play manual ...'")
    parse = partial(parse_entrant, python=python or found.default_python, edition=found.like)
    entrants: list[Entrant] = [parse(text) for text in (old, new, *(versus or ()))]
    names = [entrant.name for entrant in entrants]
    if names[0] == names[1]:
        names[:2] = f"{names[0]}-old", f"{names[1]}-new"
    starts = chosen_openings(openings, rules)

    with ExitStack() as stack:
        executor = stack.enter_context(options.executor(jobs, None))
        prepared, supervisor = stack.enter_context(preparing(entrants))
        supervisor.close()  # each worker has its own
        if prepared[0].identity() == prepared[1].identity():
            raise UsageError(f"{old} and {new} are the same program: was the change saved?")
        folder = out or Path(MATCHES) / f"compare-{plain_name(names[0])}-{plain_name(names[1])}"

        def played(first: int, second: int, number: int) -> StoredMatch:
            plan = MatchPlan(
                entrants[first].spelling, entrants[second].spelling, rules, number, seed, limits, openings=starts
            )
            pair = (names[first], names[second])
            both = [prepared[first], prepared[second]]
            if out:
                where = folder / f"{plain_name(pair[0])}-{plain_name(pair[1])}"
            else:
                where = folder.with_name(f"{folder.name}-{plan.identity(*both)}")
            match = StoredMatch(plan, pair, both, where, HYPOTHESES if second == 0 else None)
            match.play(executor, _followed(where, f"{' against '.join(pair)}: "), _note_void)
            return match

        with output.resumable("Finished games are kept."):
            direct = played(1, 0, games + games % 2)
            others = [
                (names[k], played(0, k, each + each % 2), played(1, k, each + each % 2))
                for k in range(2, len(entrants))
            ]
    test = direct.test()
    assert test is not None
    compared = [(against(name, before.plan, before.games, after.games), after) for name, before, after in others]
    matches = [direct, *(match for _, *both in others for match in both)]
    records = [game.result.record for match in matches for game in match.games]
    regrets = _regrets(records, names[:2], seconds) if seconds else []
    answer = head_to_head(test, names[0], names[1])
    if json:
        output.print_json(
            {
                "old": names[0],
                "new": names[1],
                "answer": answer,
                "directory": str(direct.folder),
                "sprt": test.as_dict(),
                "against": [{**found.to_dict(), "directory": str(after.folder)} for found, after in compared],
                "thrown_away": [regret.to_dict() for regret in regrets],
            }
        )
        return
    print(output.printable(answer))
    _show_comparison(compared, regrets)


def _regrets(records: list[GameRecord], names: list[str], seconds: float) -> list[Regret]:
    """What each version threw away; none if the games cannot be solved."""
    from littlego.review.regret import regret_of
    from littlego.solve.oracle import why_unsolvable

    if why_unsolvable(records[0].start):
        return []
    with options.opened_oracle(None) as oracle, output.stages(transient=True) as update:
        return [regret_of(records, name, oracle, seconds=seconds, watch=partial(update, name)) for name in names]


def _show_comparison(compared: list[tuple[Against, StoredMatch]], regrets: list[Regret]) -> None:
    from littlego.arena.store import review_command

    for against, after in compared:
        print(output.printable(f"\n{against.sentence}"))
        print(f"  Of the same games {len(against.gained)} went better, {len(against.lost)} worse.")
        for number in against.lost[:_SHOWN]:
            print(f"  worse than before: {review_command(after.folder, number)}")
    for regret in regrets:
        total = regret.total
        rate = f" ({output.percent(total.rate)}, {output.percent_interval(total.interval)})" if total.won else ""
        unknown = f"; {total.unknown} positions not solved" if total.unknown else ""
        line = f"{regret.player} threw away {total.thrown} of {total.won} won positions{rate}{unknown}."
        print(output.printable(f"\n{line}" if regret is regrets[0] else line))
    if any(regret.total.unknown for regret in regrets):
        output.note(
            "Only solved positions are counted, so the two rates cannot be compared yet. The same command solves more."
        )
