"""Train the learner against the random player, then let it meet every opponent, and grade it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from littlego.tictactoe.board import DRAW, Board, O, X
from littlego.tictactoe.perfect_player import PerfectPlayer
from littlego.tictactoe.q_learner import QLearner
from littlego.tictactoe.random_player import RandomPlayer
from littlego.tictactoe.smart_player import SmartPlayer

TEST_GAMES = 500
"""Games per side against each opponent."""

RUBRIC = (("RandomPlayer", 25, 0.15), ("SmartPlayer", 25, 0.15), ("PerfectPlayer", 20, 0.10))
"""Opponent, points for 95%, points for each per cent of the rate from 85% on."""


def play_game(x_player: Any, o_player: Any, board: Board) -> int:
    """Play a game and return its result. Raises ValueError if a player does not make exactly one move."""
    board.reset()
    mover, side = x_player, X
    while not board.game_over():
        moved(mover, board, side)
        mover, side = (o_player, O) if mover is x_player else (x_player, X)
    return board.game_result


def moved(player: Any, board: Board, side: int) -> int:
    """The cell that a player marks, 0 to 8. Raises ValueError if it does not make exactly one move."""
    before = board.cells()
    player.move(board)
    now = board.cells()
    marked = [cell for cell in range(9) if now[cell] != before[cell]]
    if [now[cell] for cell in marked] != [side]:
        name = type(player).__name__
        raise ValueError(f"{name}.move must put one {' XO'[side]} on the board; after it the board was\n{board}")
    return marked[0]


def battle(
    x_player: Any, o_player: Any, games: int, learn: bool = False, progress: Callable[[], None] | None = None
) -> list[int]:
    """Play games and count draws, X's wins and O's wins. With `learn`, both learn from each game."""
    x_player.set_side(X)
    o_player.set_side(O)
    board = Board()
    results = [0, 0, 0]
    for _ in range(games):
        results[play_game(x_player, o_player, board)] += 1
        if learn:
            x_player.learn(board)
            o_player.learn(board)
        if progress:
            progress()
    return results


def train(learner: Any, games: int, seed: Any = None, progress: Callable[[], None] | None = None) -> None:
    """Let the learner learn from `games` games as O, then as X, against the random player."""
    opponent = RandomPlayer(seed=seed)
    battle(opponent, learner, games, learn=True, progress=progress)
    battle(learner, opponent, games, learn=True, progress=progress)


def contest(
    learner: Any, games: int = TEST_GAMES, seed: Any = None, show: Callable[[str], None] = print
) -> dict[str, float]:
    """Play every opponent on both sides and show the table; returns the percentage of games not lost."""
    opponents = (RandomPlayer(seed=seed), SmartPlayer(seed=seed), PerfectPlayer())
    return {type(opponent).__name__: _meet(learner, opponent, games, show) for opponent in opponents}


def _meet(learner: Any, opponent: Any, games: int, show: Callable[[str], None]) -> float:
    as_x = battle(learner, opponent, games)
    show_result(learner, opponent, as_x, show)
    as_o = battle(opponent, learner, games)
    show_result(opponent, learner, as_o, show)
    return 100 * (as_x[X] + as_o[O] + as_x[DRAW] + as_o[DRAW]) / (2 * games)


def show_result(x_player: Any, o_player: Any, results: list[int], show: Callable[[str], None]) -> None:
    draws, x_wins, o_wins = (100 * count / sum(results) for count in results)
    for player, mark, wins, losses in ((x_player, "X", x_wins, o_wins), (o_player, "O", o_wins, x_wins)):
        show(f"{player_name(player)}({mark}) | Wins:{wins:.1f}% Draws:{draws:.1f}% Losses:{losses:.1f}%")
    show("")


def player_name(player: Any) -> str:
    """What a player is called in the table: its class, or `name` if it has one."""
    return str(getattr(player, "name", type(player).__name__))


def points(rates: dict[str, float]) -> float:
    """The grade out of 70 for the percentage of games not lost to each opponent."""
    total = 0.0
    for opponent, full, each in RUBRIC:
        rate = rates[opponent]
        if rate >= 95:
            total += full
        elif rate >= 85:
            total += each * rate
    return round(total, 2)


def show_summary(rates: dict[str, float], show: Callable[[str], None] = print) -> None:
    show("Summary:")
    for opponent, rate in rates.items():
        show(f"QLearner VS {opponent:>13} |  Win/Draw Rate = {rate:.1f}%")
    show(f"Task 2 Grade: {points(rates):g} / 70")


class Training:
    """Says on standard error how far a training of so many games is, at each tenth."""

    def __init__(self, games: int) -> None:
        self.games = games
        self.done = 0

    def __call__(self) -> None:
        self.done += 1
        if self.done * 10 // self.games > (self.done - 1) * 10 // self.games:
            print(f"Training: {self.done} of {self.games} games", file=sys.stderr)


def main() -> None:
    """Train the learner of QLearner.py, test it, and print the table and the grade."""
    learner = QLearner()
    train(learner, learner.GAME_NUM, progress=Training(2 * learner.GAME_NUM))
    show_summary(contest(learner))


if __name__ == "__main__":
    main()
