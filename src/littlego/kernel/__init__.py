"""The rules compiled: what the solver, the learner and the vector environment share.

`kernel.wasm` is what `tools/build_kernel.py` makes of the functions that `compiling` marks, here and in `solve`; `host`
runs it. `bits` has groups, liberties and symmetries of 25-bit boards, `moves` the rules of a move, `frame` the
conversion between `core` positions and those boards, `packing` the one-word layout of positions and proven values.

Learning, tic-tac-toe and the vector environment are still compiled by numba when they first run: `machine_code` does
that and keeps the result on disk, `first_use` tells a person before it happens. They use `any_size`, the rules on 3x3
to 7x7, and `xorshift`, reproducible random numbers.
"""
