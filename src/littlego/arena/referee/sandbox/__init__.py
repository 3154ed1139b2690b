"""The code of the supervisor's processes: standard library only, quick to import, one thread.

Lowest first:

- `syscalls`, `bpf`, `messages`, `plan`: how they talk to the kernel and to each other;
- `seccomp`, `landlock`, `mounts`, `cgroups`, `meter`, `tree`, `files`: one mechanism each;
- `child` (from fork to exec), `keeper` (one move), `judge` (its verdict), `bubblewrap` (another way to start a keeper);
- `machine` (what works here), `server` (move after move), `guard` (ends what a killed server leaves behind).

Read `child._confine` first: it is the sandbox, step by step.
"""
