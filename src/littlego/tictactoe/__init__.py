"""Tic-tac-toe, the course's teaching example of Q-learning. Complete in itself.

`board` and the modules named `*_player`, `q_learner` and `match` are the course's own files under
names of ours: `kit` writes them out as `Board.py`, `QLearner.py` and so on. They stay with the
standard library and, but for types, Python 3.6, and are plain; `fast` does the same as `q_learner`, compiled.
`solved` knows the truth. `temporal` is the learner of the paper; `game` lets a person play it, from Python or at the
`console`; `experiments` trains it as the paper does, `curves` draws the figures and `findings` compares them with what
the paper reports.
"""
