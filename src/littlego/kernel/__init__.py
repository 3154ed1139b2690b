"""The rules compiled: what the solver, the learner and the vector environment share.

`compiling` compiles functions and keeps the machine code on disk, `first_use` tells a person before it happens. `bits`
has groups, liberties and symmetries of 25-bit boards, `moves` the rules of a move, `frame` the conversion between
`core` positions and those boards, `packing` the one-word layout of positions and proven values, `xorshift`
reproducible random numbers.
"""
