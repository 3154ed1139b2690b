"""Measures the built-in players against each other, and writes `players/strengths.json`.

    python tools/measure_players.py WORK            # plays what WORK does not have yet, then writes the file

Every pair plays from openings of two moves, each with both colours, because players that leave nothing to chance would
repeat one game. The agent and the perfect player start from the empty board, where the agent's book is: their opponents
draw between moves that look alike.

Finished games are lines of `WORK/games.jsonl`, so it can be stopped at any time. README, `littlego players`, the
browser's bars and the player `strongest` read the file. It is a tool of its own because the package only reads it.
"""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any, Final

from littlego.arena.games import openings
from littlego.arena.ratings import PairScore, fit_ratings
from littlego.core.board import Colour
from littlego.core.game import derive_seed, play
from littlego.core.position import Position
from littlego.core.rules import edition_rules
from littlego.players.catalogue import FILE, make_player

OPENING_MOVES: Final = 2
CHEAP: Final = ("random", "greedy", "qlearning", "aggressive", "smart", "alphabeta", "learner", "champion")
"""Players of every rules and size; the others are for 5x5 with the simple ko, and slow off their book."""
LARGE: Final = ("random", "alphabeta", "learner", "champion")
"""Who is measured on 7x7, where games are long."""
EXACT: Final = ("agent", "perfect")
RIVALS: Final = ("learner", "champion")
"""Whom the exact players meet: the rest would only lose to them."""


@dataclass(frozen=True)
class Pairing:
    """Two players, by the rules that they play by."""

    edition: str
    size: int
    first: str
    second: str
    games: int


def pairings() -> Iterator[Pairing]:
    """The cheapest first."""
    for edition, size, names, games in (
        ("2025", 5, CHEAP, 40),
        ("2019", 5, CHEAP, 12),
        ("2019", 7, LARGE, 6),
        ("2025", 7, LARGE, 6),
    ):
        pairs = sorted(combinations(names, 2), key=lambda pair: "champion" in pair)
        for pair in pairs:
            yield Pairing(edition, size, *pair, min(games, 20) if "champion" in pair else games)
    yield from (Pairing("2025", 5, *pair, 10) for pair in product(RIVALS, EXACT))


def play_pairing(pairing: Pairing, played: int) -> Iterator[dict[str, Any]]:
    """The games that are missing after the first `played`."""
    rules = edition_rules(pairing.edition, pairing.size)
    names = (pairing.first, pairing.second)
    beginnings = [()] if {*names} & {*EXACT} else openings(rules, OPENING_MOVES)
    for number in range(played, pairing.games):
        black = number % 2
        start = Position.initial(rules)
        for move in beginnings[number // 2 % len(beginnings)]:
            start = start.play(move)
        seed = derive_seed(1, pairing.edition, pairing.size, *names, number)
        sides = {
            Colour.BLACK: make_player(names[black], seed=seed),
            Colour.WHITE: make_player(names[1 - black], seed=seed + 1),
        }
        record = play(sides, start=start)
        assert record.outcome is not None
        yield {
            "edition": pairing.edition,
            "size": pairing.size,
            "black": names[black],
            "white": names[1 - black],
            "number": number,
            "black_won": record.outcome.winner is Colour.BLACK,
            "moves": " ".join(start.move_name(move) for move in record.moves),
        }


def measure(work: Path) -> list[dict[str, Any]]:
    """Every game of all pairings, from `work` or played now."""
    path = work / "games.jsonl"
    work.mkdir(parents=True, exist_ok=True)
    games = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    with path.open("a") as file:
        for pairing in pairings():
            pair = {pairing.first, pairing.second}
            played = sum(
                {game["black"], game["white"]} == pair
                and (game["edition"], game["size"]) == (pairing.edition, pairing.size)
                for game in games
            )
            for game in play_pairing(pairing, played):
                file.write(json.dumps(game) + "\n")
                file.flush()
                games.append(game)
    return games


def table(games: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each edition and size: every player's rating, wins by colour and distinct games, the strongest first."""
    found = []
    for edition, size in dict.fromkeys((game["edition"], game["size"]) for game in games):
        mine = [game for game in games if (game["edition"], game["size"]) == (edition, size)]
        scores = [PairScore(game["black"], game["white"], 1, float(game["black_won"])) for game in mine]
        found.append(
            {
                "edition": edition,
                "size": size,
                "opening_moves": OPENING_MOVES,
                "players": [
                    _row(player.name, player.rating, player.interval, mine) for player in fit_ratings(scores).players
                ],
                "pairs": _pairs(mine),
            }
        )
    return found


def _row(name: str, rating: float, interval: tuple[float, float], games: list[dict[str, Any]]) -> dict[str, Any]:
    black = [game for game in games if game["black"] == name]
    white = [game for game in games if game["white"] == name]
    return {
        "name": name,
        "rating": round(rating),
        "interval_95": [round(end) for end in interval],
        "black_games": len(black),
        "black_wins": sum(game["black_won"] for game in black),
        "white_games": len(white),
        "white_wins": sum(not game["black_won"] for game in white),
        "distinct_games": len({game["moves"] + game["black"] + game["white"] for game in black + white}),
    }


def _pairs(games: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How often each player beat each other, for every two that met."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for game in games:
        first, second = sorted((game["black"], game["white"]))
        row = rows.setdefault((first, second), {"first": first, "second": second, "games": 0, "first_wins": 0})
        row["games"] += 1
        row["first_wins"] += (game["black"] == first) == game["black_won"]
    return list(rows.values())


def main() -> None:
    """Play and write; WORK is the command line's one argument."""
    games = measure(Path(sys.argv[1]))
    data = {
        "measured": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "command": "python tools/measure_players.py WORK",
        "tables": table(games),
    }
    FILE.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
