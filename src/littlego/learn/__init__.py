"""Q-learning of Little-Go on boards of 3x3 to 7x7, from games alone.

`features`, `life` and `model` are plain Python: what a value is made of, and the file it is kept in. `values`,
`life_kernel`, `opponents` and `games` are compiled: play, learning and looking ahead on numbers; `learned` asks them.
`labels` are solved positions to measure against. `trainer` runs all this, with checkpoints; `curve` draws how learning
went.
"""
