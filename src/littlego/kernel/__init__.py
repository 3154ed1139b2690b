"""The rules compiled: what the solver, the learner and the vector environment share.

`kernel.wasm` is what `tools/build_kernel.py` makes of the functions that `marks` marks, here and in the layers above;
`host` runs it. `words` has boards up to 5x5 as machine words: groups, symmetries, moves, and keys and proven values.

`any_size` has the rules on 3x3 to 7x7, on which learners play, and `xorshift` reproducible random numbers.
"""
