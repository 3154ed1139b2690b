"""Q-learning of Little-Go on boards of 3x3 to 7x7, from games alone.

`features` says what a value is made of, and `model` is the file it is kept in. `values`, `life`, `opponents` and
`games` are compiled: play, learning and planning on numbers; `learned` asks them. `labels` are solved positions to
measure against. `trainer` runs all this, with checkpoints; `curve` draws how learning went.
"""
