"""The rules compiled: what the solver, the learner and the vector environment share.

`kernel.wasm` is what `tools/build_kernel.py` makes of the functions that `marks` marks, here and in the layers above;
`host` runs it. `bits` has groups, liberties and symmetries of 25-bit boards, `moves` the rules of a move, `frame` the
conversion between `core` positions and those boards, `packing` the one-word layout of positions and proven values.

`any_size` has the rules on 3x3 to 7x7, on which learners play, and `xorshift` reproducible random numbers.
"""
