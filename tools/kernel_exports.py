"""The functions that `kernel.wasm` exports: numbers and addresses in, a number out. `build_kernel` compiles them.

An `Address` is where an array begins in the kernel's memory; arrays are of 64-bit words unless it says otherwise.
"""

from __future__ import annotations

from typing import Any, Final, cast

from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from littlego.kernel.compiling import borrowing, use_machine_code
from littlego.solve import guess, search, table
from littlego.solve.order import FRAME_WORDS, MOST_PLIES, WORK_WORDS
from littlego.solve.proof import fast_check

use_machine_code()

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


words_at = _array_at(types.int64)
halves_at = _array_at(types.int16)
bytes_at = _array_at(types.uint8)


@borrowing
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


@borrowing
def table_probe(words: Address, bits: int, key: Wide) -> int:
    """`solve.table.probe`."""
    return table.probe(words_at(words, table.SLOTS << bits), bits, key)


@borrowing
def table_store_all(words: Address, bits: int, keys: Address, values: Address, count: int) -> int:
    """`solve.table.store_all`; how many."""
    table.store_all(words_at(words, table.SLOTS << bits), bits, words_at(keys, count), words_at(values, count))
    return count


@borrowing
def table_double(words: Address, bits: int) -> int:
    """`solve.table.double`; the new number of bits."""
    table.double(words_at(words, table.SLOTS << bits + 1), bits)
    return bits + 1


@borrowing
def checker_remember(known: Address, places: int, keys: Address, count: int) -> int:
    """`solve.proof.fast_check.remember`; how many."""
    fast_check.remember(words_at(known, places), words_at(keys, count))
    return count


@borrowing
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
        words_at(scratch, fast_check.SCRATCH_WORDS),
    )
    return fast_check.first_wrong(tables, words_at(keys, entries), bytes_at(moves, entries), words_at(numbers, count))


EXPORTS: Final = (
    search_slice,
    table_probe,
    table_store_all,
    table_double,
    checker_remember,
    checker_first_wrong,
)
