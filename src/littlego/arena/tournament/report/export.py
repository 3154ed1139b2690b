"""Exporting games from the store: SGF files, JSON records, capsules of forfeits."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from littlego.arena.capsule import write_capsule
from littlego.arena.results import result_to_dict
from littlego.arena.tournament.roster import Entered
from littlego.arena.tournament.store import FinishedGame, TournamentStore
from littlego.formats.sgf.games import write_sgf
from littlego.storage.whole_files import writing


def game_name(game: FinishedGame) -> str:
    """For file names: the order in which it ended, and the players."""
    record = game.result.record
    return f"{game.finished:06d}-{record.black}-{record.white}".replace(" ", "_")


def write_sgf_files(games: Iterable[FinishedGame], folder: Path) -> int:
    """Write one file a game; returns how many. Raises UsageError."""
    count = 0
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for game in games:
            (folder / f"{game_name(game)}.sgf").write_text(write_sgf(game.result.record), encoding="utf-8")
            count += 1
    return count


def write_games_json(games: Iterable[FinishedGame], path: Path) -> int:
    """Write all games as one JSON list, a line each, so that files of any size can be streamed; returns how many."""
    count = 0
    with writing(path), path.open("w", encoding="utf-8") as file:
        file.write("[")
        for game in games:
            fields = {"finished": game.finished, "number": game.key.number, **result_to_dict(game.result)}
            file.write(",\n" if count else "\n")
            file.write(json.dumps(fields, separators=(",", ":")))
            count += 1
        file.write("\n]\n")
    return count


def write_capsules(store: TournamentStore, participants: Iterable[Entered], folder: Path) -> int:
    """Write a file for `littlego replay` for every forfeit by a program; returns how many. Raises OSError."""
    if not any(participant.is_program for participant in participants):
        return 0
    count = 0
    for game in store.games(forfeits_only=True):
        if game.result.capsule is not None:
            count += 1
            write_capsule(folder / f"{game_name(game)}.json", game.result.capsule)
    return count
