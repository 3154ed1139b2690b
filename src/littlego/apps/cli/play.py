"""`littlego play` and `littlego players`. Your own last game is stored, to review."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlego.apps.cli import options, output
from littlego.core.errors import UsageError
from littlego.players.catalogue import MANUAL, PLAYERS, STRONGEST
from littlego.storage.files import write_text, write_whole
from littlego.storage.scratch import user_cache

if TYPE_CHECKING:
    from littlego.arena.match import MatchPlan
    from littlego.core.game import GameRecord

_FINISHED = "last-game.sgf"


def keep_finished(record: GameRecord) -> bool:
    """Keep a game for `littlego review last`; whether that was possible."""
    from littlego.formats.sgf import write_sgf

    folder = user_cache()
    if folder is None:
        return False
    try:
        write_whole(folder / _FINISHED, write_sgf(record))
    except OSError:
        return False
    return True


def last_game() -> Path:
    """The file of the last game at the terminal. Raises UsageError."""
    folder = user_cache()
    if folder is None or not (folder / _FINISHED).exists():
        raise UsageError("there is no last game: play one with 'littlego play'")
    return folder / _FINISHED


def players(*, json: options.Json = False) -> None:
    """List the built-in players, with their measured strength on 5x5.

    littlego players
    littlego players --json
    """
    from littlego.players.catalogue import course_strengths

    measured = course_strengths()
    strengths = {name: measured.of(name) for name in PLAYERS}
    if json:
        ratings = {name: None if strength is None else strength.rating for name, strength in strengths.items()}
        output.print_json(
            [{"name": name, "summary": PLAYERS[name].summary, "rating": ratings[name]} for name in PLAYERS]
        )
        return
    output.print_table(
        ["player", "what it does", "Elo"],
        [
            (name, PLAYERS[name].summary, "" if strength is None else f"{strength.rating:+g}")
            for name, strength in strengths.items()
        ],
    )
    games = sum(strength.games for strength in measured.players) // 2
    print(f"  Elo: measured on {measured.date} in {games:,} games on 5x5; 0 is the mean.")
    print("  perfect and agent played from the empty board only, the others from openings of two moves.")


def play(
    black: Annotated[
        str,
        typer.Argument(
            help="Black: a name from 'littlego players', or an agent's directory.",
            autocompletion=options.complete_players,
        ),
    ] = MANUAL,
    white: Annotated[
        str,
        typer.Argument(help="White; 'strongest' is the best built-in player.", autocompletion=options.complete_players),
    ] = STRONGEST,
    *,
    size: options.Size = None,
    edition: options.Edition,
    games: Annotated[int, options.number_of_games("How many games.")] = 1,
    swap: Annotated[bool, typer.Option("--swap", help="Swap colours after every game.")] = False,
    seed: options.Seed = None,
    sgf: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the games to this file as SGF.")] = None,
    json: options.Json = False,
) -> None:
    """Play one game or many between any two players.

    This is for playing yourself and for quick games. To test an agent use `littlego match`, to see whether a change
    to it helped, `littlego compare`.

    Without names, you play Black against the strongest player; 'littlego review last' then shows where it was lost.

      littlego play
      littlego play greedy manual
      littlego play greedy random --games 1000 --seed 1
      littlego play smart alphabeta --games 200 --swap --json
    """
    from littlego.arena.match import MatchPlan, played
    from littlego.arena.participants import preparing
    from littlego.course.seats import parse_entrant

    found = options.edition_of(edition)
    entrants = [parse_entrant(text, python=found.default_python, edition=found.like) for text in (black, white)]
    names = (entrants[0].name, entrants[1].name)
    rules = found.rules(size)
    output.check_writable(sgf)
    with preparing(entrants) as (prepared, _):
        plan = MatchPlan(*names, rules, games, options.drawn_seed(seed), swap=swap)
        records = _played(plan, played(plan, names, prepared))
    if sgf is not None:
        from littlego.formats.sgf import write_sgf

        write_text(sgf, "".join(write_sgf(record) for record in records))
    if json:
        output.print_json(_as_json(plan, records))
    elif games == 1:
        _show_game(plan.seed, records[0])
    else:
        from littlego.apps.cli.games import print_standings

        print_standings(plan.rules, plan.seed, records)
    if sgf is not None:
        output.note(f"Written to {sgf}: open it in any Go program.")
    if games == 1 and MANUAL in names and records[0].moves and keep_finished(records[0]) and not json:
        from littlego.solve.oracle import why_unsolvable

        if why_unsolvable(records[0].start) is None:
            output.note(f"To see which move lost it:\n  littlego review {sgf or options.LAST}")
    if len(records) < games:
        raise typer.Exit(output.INTERRUPTED)


def _played(plan: MatchPlan, games: Iterable[GameRecord]) -> list[GameRecord]:
    """All games or, after Ctrl-C, those that were finished."""
    records: list[GameRecord] = []
    try:
        if MANUAL in (plan.first, plan.second):
            for number, record in enumerate(games, start=1):
                records.append(record)
                if number < plan.games:
                    output.note(f"\nGame {number} of {plan.games}: {record.outcome}.\n")
            return records
        with output.progress(f"{plan.first} against {plan.second}", plan.games) as step:
            for record in games:
                records.append(record)
                step()
    except KeyboardInterrupt:
        if not records:
            output.note("\nStopped.")
            raise typer.Exit(output.INTERRUPTED) from None
        output.note(f"\nStopped after {len(records)} of {plan.games} games. The same seed plays the same games again.")
    return records


def _show_game(seed: int, record: GameRecord) -> None:
    from littlego.core.points import Pass
    from littlego.formats.text import draw_game
    from littlego.players.manual import fitted

    if record.moves and not isinstance(last_move := record.moves[-1], Pass):
        *_, before, _ = record
        if captured := before.captures(last_move):
            who = f"{before.to_move} ({before.to_move.symbol})"
            print(f"{who} plays {before.move_name(last_move)} and captures {captured}.")
    print(draw_game(record, colour=output.has_colours()))
    width = shutil.get_terminal_size().columns
    print(fitted(f"{record.black} (X) against {record.white} (O), {len(record.moves)} moves, seed {seed}", width))
    print(fitted(f"{record.outcome}.", width))


def _as_json(plan: MatchPlan, records: list[GameRecord]) -> dict[str, Any]:
    """Only what the seed decides: the records without times."""
    from littlego.arena.match import distinct_games, standings
    from littlego.formats.records import record_to_dict, rules_to_dict

    return {
        "black": plan.first,
        "white": plan.second,
        "rules": rules_to_dict(plan.rules),
        "seed": plan.seed,
        "games": len(records),
        "distinct_games": distinct_games(records),
        "standings": standings(records),
        "records": [record_to_dict(replace(record, seconds=())) for record in records],
    }
