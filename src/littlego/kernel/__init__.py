"""The rules compiled: what the solver, the learner and the vector environment share.

`kernel.wasm` is what `tools/build_kernel.py` makes of the functions that `marks` marks, here and in the layers above;
`host` runs it. `words` has boards up to 5x5 as the search sees them: groups, symmetries, keys and proven values.

`any_size` has the rules on 2x2 to 7x7, for learners and many games at once, and `xorshift` reproducible random numbers.
"""
