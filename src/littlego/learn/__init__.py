"""Q-learning of Little-Go on boards of 3x3 to 7x7, from games alone.

`features`, `life` and `model` are plain Python: what a value is made of, and the file it is kept in. `values_kernel`,
`life_kernel`, `games_kernel`, `opponents_kernel`, `endings_kernel` and `search_kernel` are compiled: play, learning and
looking ahead on numbers. `labels` are solved positions to measure against. `trainer` runs all this, with checkpoints;
`curve` draws how learning went.
"""
