"""The code of the supervisor's processes: standard library only, quick to import, one thread.

Lowest first:

- `confinement/`: what holds an agent, one mechanism of the kernel in each module;
- `processes/`: the processes of one move, what they use, and who ended them;
- `messages`, `plan`, `files`: what the referee and its processes give each other;
- `child` (from fork to exec), `keeper` (one move), `judge` (its verdict);
- `machine` (what works here), `server` (move after move), `guard` (ends what a killed server leaves behind).

Read `child._confine` first: it is the sandbox, step by step.
"""
