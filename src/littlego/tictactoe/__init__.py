"""Tic-tac-toe, the course's teaching example of Q-learning. It needs no Go.

`board`, the modules named `*_player`, `q_learner` and `match` are the files of the course under our own names: `kit`
writes them as `Board.py`, `QLearner.py` and so on, and loads a user's. They use only the standard library and, except
for types, Python 3.6. `learner` does the same as `q_learner`, compiled, and knows the solved game. `paper` is the
learner of the paper, which a person can play against; `curves` trains it as in the paper and draws the figures.
"""
