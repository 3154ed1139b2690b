"""The functions that `kernel.wasm` exports: numbers and addresses in, a number out. `build_kernel` compiles them.

An `Address` is where an array begins in the kernel's memory; arrays are of 64-bit words unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, Final, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from compiling import compiled
from littlego.apps.env import many_games
from littlego.core.rules import edition_rules
from littlego.kernel.words import best_move, greatest, image, inverse, least, pack_value
from littlego.learn import games as practice
from littlego.learn import values as learned_values
from littlego.solve import guess, layout, search, table
from littlego.solve.proof import fast_check, strategy
from littlego.solve.search import FRAME_WORDS, MOST_PLIES, WORK_WORDS
from littlego.tictactoe import kernel as tictactoe

Address = int
"""32 bits, unsigned; a plain `int` has 32 bits and a sign."""
Wide = int
"""64 bits: a BigInt in JavaScript."""


def _array_at(kind: Any) -> Any:
    def of(_typing: Any, _address: Any, _count: Any) -> Any:
        array = types.Array(kind, 1, "C")

        def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            made = make_array(array)(context, builder)
            item = context.get_abi_sizeof(context.get_value_type(kind))
            width = context.get_constant(types.intp, item)
            data = builder.inttoptr(args[0], context.get_data_type(kind).as_pointer())
            populate_array(made, data=data, shape=[args[1]], strides=[width], itemsize=width, meminfo=None)
            return made._getvalue()

        return array(types.int64, types.int64), codegen

    return cast(Any, intrinsic(of))


def _structure_like(example: Any) -> Any:
    """Reads a named tuple of the types of `example` from the words at an address, as `host.KernelMemory.put` writes."""
    kind = numba.typeof(example)

    def of(_typing: Any, _address: Any) -> Any:
        def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            place = count()

            def word(llvm: Any) -> Any:
                where = builder.add(args[0], ir.Constant(ir.IntType(64), 8 * next(place)))
                return builder.load(builder.inttoptr(where, llvm.as_pointer()))

            def value(kind: Any) -> Any:
                if isinstance(kind, types.BaseTuple):
                    return context.make_tuple(builder, kind, [value(one) for one in cast(Any, kind)])
                if isinstance(kind, types.Array):
                    return array(context, builder, kind, word)
                if isinstance(kind, types.Boolean):
                    return builder.icmp_signed("!=", word(ir.IntType(64)), ir.Constant(ir.IntType(64), 0))
                return word(ir.DoubleType() if isinstance(kind, types.Float) else ir.IntType(64))

            return value(kind)

        return kind(types.int64), codegen

    return cast(Any, intrinsic(of))


def array(context: Any, builder: Any, kind: Any, word: Callable[[Any], Any]) -> Any:
    made = make_array(kind)(context, builder)
    item = context.get_constant(types.intp, context.get_abi_sizeof(context.get_value_type(kind.dtype)))
    data = builder.inttoptr(word(ir.IntType(64)), context.get_data_type(kind.dtype).as_pointer())
    shape = [word(ir.IntType(64)) for _ in range(kind.ndim)]
    strides = [item]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(made, data=data, shape=shape, strides=strides, itemsize=item, meminfo=None)
    return made._getvalue()


words_at = _array_at(types.int64)
halves_at = _array_at(types.int16)
bytes_at = _array_at(types.uint8)
states_at = _array_at(types.uint64)

LEARNED: Final = learned_values.new_arrays(edition_rules())
RATES: Final = practice.Rates(0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, np.zeros(1, np.int64), np.zeros(1, np.int64))
RECORD: Final = practice.new_games(1, 1)
RESPONSES: Final = strategy.new_responses(1)
TABLES: Final = tictactoe.new_tables(0.0)
GAMES: Final = many_games.new_games(1, LEARNED.game, 1)
STRUCTURES: Final = (LEARNED, RATES, RECORD, RESPONSES, TABLES, GAMES)
learned_at, rates_at, record_at, responses_at, tables_at, games_at = map(_structure_like, STRUCTURES)


@compiled
def search_slice(
    frames: Address,
    state: Address,
    work: Address,
    log: Address,
    log_words: int,
    words: Address,
    bits: int,
    busy: Address,
    control: Address,
    weights: Address,
    budget: int,
) -> int:
    """`solve.search.search`: WON, LOST or STOPPED."""
    line = search.SearchLine(
        words_at(frames, FRAME_WORDS * MOST_PLIES),
        words_at(state, search.STATE_WORDS),
        words_at(work, WORK_WORDS),
        words_at(log, log_words),
    )
    shared = search.Shared(
        words_at(words, table.SLOTS << bits),
        bits,
        words_at(busy, 1 << search.BUSY_BITS),
        words_at(control, 8),
        halves_at(weights, guess.SETS * guess.SET_SIZE),
    )
    return search.search(line, shared, budget)


@compiled
def strategy_respond(
    frames: Address,
    state: Address,
    work: Address,
    log: Address,
    log_words: int,
    words: Address,
    bits: int,
    busy: Address,
    control: Address,
    weights: Address,
    target: int,
    until: int,
    asked: int,
    responses: Address,
) -> int:
    """`solve.proof.strategy.respond`, into Responses; how many keys follow."""
    line = search.SearchLine(
        words_at(frames, FRAME_WORDS * MOST_PLIES),
        words_at(state, search.STATE_WORDS),
        words_at(work, WORK_WORDS),
        words_at(log, log_words),
    )
    shared = search.Shared(
        words_at(words, table.SLOTS << bits),
        bits,
        words_at(busy, 1 << search.BUSY_BITS),
        words_at(control, 8),
        halves_at(weights, guess.SETS * guess.SET_SIZE),
    )
    return strategy.respond(line, shared, target, until, asked, responses_at(responses))


@compiled
def table_probe(words: Address, bits: int, key: Wide) -> int:
    """`solve.table.probe`."""
    return table.probe(words_at(words, table.SLOTS << bits), bits, key)


@compiled
def table_value(words: Address, bits: int, mine: int, theirs: int, ko: int, left: int, board: int) -> int:
    """What the table knows of a position, in the layout of `kernel.words`, or 0; the move as the position lies."""
    key, symmetry = search.key_of(mine, theirs, ko, left, board)
    info = table.probe(words_at(words, table.SLOTS << bits), bits, key)
    if info == 0:
        return 0
    move = image(best_move(info), inverse(symmetry))
    return pack_value(least(info), greatest(info), move)


@compiled
def table_store_all(words: Address, bits: int, keys: Address, values: Address, count: int) -> int:
    """`solve.table.store_all`; how many."""
    table.store_all(words_at(words, table.SLOTS << bits), bits, words_at(keys, count), words_at(values, count))
    return count


@compiled
def table_double(words: Address, bits: int) -> int:
    """`solve.table.double`; the new number of bits."""
    table.double(words_at(words, table.SLOTS << bits + 1), bits)
    return bits + 1


@compiled
def checker_remember(known: Address, places: int, keys: Address, count: int) -> int:
    """`solve.proof.fast_check.remember`; how many."""
    fast_check.remember(words_at(known, places), words_at(keys, count))
    return count


@compiled
def checker_first_wrong(
    known: Address,
    places: int,
    size: int,
    board: Wide,
    komi: int,
    fold: int,
    searched: int,
    frontier: int,
    scratch: Address,
    keys: Address,
    moves: Address,
    entries: int,
    numbers: Address,
    count: int,
) -> int:
    """`solve.proof.fast_check.first_wrong`; moves are bytes."""
    tables = fast_check.Tables(
        words_at(known, places),
        size,
        board,
        komi,
        fold,
        searched,
        frontier,
        words_at(scratch, layout.CHECKER_WORDS),
    )
    return fast_check.first_wrong(tables, words_at(keys, entries), bytes_at(moves, entries), words_at(numbers, count))


@compiled
def learned_value_after(values: Address, own: Wide, other: Wide, colour: int, played: int, passes: int) -> float:
    """`learn.games.value_after`; `values` are LearnedArrays."""
    return practice.value_after(learned_at(values), own, other, colour, played, passes)


@compiled
def learned_planned(values: Address, own: Wide, other: Wide, ko: int, passes: int, played: int, plans: int) -> float:
    """`learn.games.planned`."""
    return practice.planned(learned_at(values), own, other, ko, passes, played, plans)


@compiled
def learned_best_move(
    values: Address,
    own: Wide,
    other: Wide,
    legal: Wide,
    colour: int,
    passes: int,
    played: int,
    slack: float,
    state: Address,
) -> int:
    """`learn.games.best_move`; `found` has the value of every move."""
    learned, drawn = learned_at(values), states_at(state, 1)
    move, _ = practice.best_move(learned, own, other, legal, colour, passes, played, slack, drawn)
    return move


@compiled
def learned_play(values: Address, games: int, first_game: int, rates: Address, record: Address, state: Address) -> int:
    """`learn.games.play_games`, by Rates into PracticeGames; how many."""
    practice.play_games(learned_at(values), games, first_game, rates_at(rates), record_at(record), states_at(state, 1))
    return games


@compiled
def learned_learn(values: Address, games: int, rates: Address, alpha: float, record: Address) -> int:
    """`learn.games.learn_games`, with an alpha of its own; how many."""
    practice.learn_games(learned_at(values), games, rates_with(rates, alpha), record_at(record))
    return games


@compiled
def learned_train(
    values: Address, games: int, first_game: int, rates: Address, alpha: float, record: Address, state: Address
) -> int:
    """`learn.games.train_games`; how many."""
    practice.train_games(
        learned_at(values), games, first_game, rates_with(rates, alpha), record_at(record), states_at(state, 1)
    )
    return games


@compiled
def rates_with(rates: int, alpha: float) -> practice.Rates:
    at = rates_at(rates)
    return practice.Rates(
        alpha, at.gamma, at.lambda_, at.epsilon, at.starts, at.opening, at.endings, at.openers, at.opponents
    )


@compiled
def learned_match(values: Address, games: int, opponent: int, learner: int, slack: float, state: Address) -> int:
    """`learn.games.match_games`: how many are won."""
    return practice.match_games(learned_at(values), games, opponent, learner, slack, states_at(state, 1))


@compiled
def tictactoe_train(tables: Address, side: int, games: int, gamma: float, epsilon: float, state: Address) -> int:
    """`tictactoe.kernel.train`; how many games."""
    return tictactoe.train(tables_at(tables), side, games, gamma, epsilon, states_at(state, 1))


@compiled
def games_begin(games: Address, number: int) -> int:
    """`apps.env.many_games.begin` of a game, or of all for -1; how many."""
    if number < 0:
        return many_games.begin_all(games_at(games))
    many_games.begin(games_at(games), number)
    return 1


@compiled
def games_mark_legal(games: Address, number: int) -> int:
    """`apps.env.many_games.mark_legal`; the game's number."""
    many_games.mark_legal(games_at(games), number)
    return number


@compiled
def games_step(games: Address) -> int:
    """`apps.env.many_games.step_all`: how many games ended."""
    return many_games.step_all(games_at(games))


@compiled
def games_observe(games: Address, count: int) -> int:
    """`apps.env.many_games.write_observations`; how many."""
    return many_games.write_observations(games_at(games), count)


@compiled
def games_draw(games: Address, state: Address) -> int:
    """`apps.env.many_games.draw_actions`; how many."""
    return many_games.draw_actions(games_at(games), states_at(state, 1))


@compiled
def games_play_random(games: Address, steps: int, state: Address) -> int:
    """`apps.env.many_games.play_random`: how many games ended."""
    return many_games.play_random(games_at(games), steps, states_at(state, 1))


EXPORTS: Final = (
    strategy_respond,
    tictactoe_train,
    games_begin,
    games_mark_legal,
    games_step,
    games_observe,
    games_draw,
    games_play_random,
    learned_value_after,
    learned_planned,
    learned_best_move,
    learned_play,
    learned_learn,
    learned_train,
    learned_match,
    search_slice,
    table_probe,
    table_value,
    table_store_all,
    table_double,
    checker_remember,
    checker_first_wrong,
)
