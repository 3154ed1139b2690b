"""Tic-tac-toe, the course's teaching example of Q-learning. It needs no Go.

`board`, the modules named `*_player`, `q_learner` and `match` are the files of the course under our own names: `kit`
writes them as `Board.py`, `QLearner.py` and so on. They use only the standard library and, except for types, Python
3.6; `fast` does the same as `q_learner`, compiled. `solved` has the exact values. `temporal` is the learner of the
paper; `game` lets a person play it, from Python or at a terminal; `experiments` trains it as in the paper, draws the
figures and compares them with those of the paper.
"""
