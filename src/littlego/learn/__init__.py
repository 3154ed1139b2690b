"""Q-learning of Little-Go on 5x5, from games alone.

`features` and `model` are plain Python: what a value is made of, and the file it is kept in.
`opponents_kernel`, `values_kernel` and `games_kernel` are compiled: play and learning
on numbers. `trainer` runs them, with checkpoints; `curve` draws how learning went.
"""
