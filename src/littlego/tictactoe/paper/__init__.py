"""The paper's learner, its experiments and its figures."""
