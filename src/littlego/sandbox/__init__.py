"""One move of an untrusted program, confined. It imports nothing of the package but itself.

The referee's side: `limits` (limits, levels, faults), `client` (`Supervisor`), `selftest`, and `portable`, which
watches moves where there is no Linux.

The supervisor's processes, standard library only, quick to import, one thread; lowest first:

- `syscalls`, `seccomp`, `view` (mounts and Landlock), `cgroups`: what holds an agent;
- `watch`: the processes of one move, and what they use;
- `plan`, `files`: what the referee and its processes give each other;
- `keeper` (one move, from fork to the end of its last process);
- `machine` (what works here), `server` (move after move, what the program did wrong, and its guard), `supervisor`
  (the program).

Read `keeper._confine` first: it is the sandbox, step by step.
"""


class SandboxError(Exception):
    """The sandbox could not do what it was asked for; the message says why."""
