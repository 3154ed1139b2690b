"""What runs inside the supervisor's own processes: standard library only, quick to import, one thread.

Lowest first:

- `syscalls`, `bpf`, `messages`, `plan`: words to speak with the kernel and with each other;
- `seccomp`, `landlock`, `mounts`, `cgroups`, `meter`, `tree`, `files`: one mechanism each;
- `child` (from fork to exec), `keeper` (one move), `judge` (its verdict), `bubblewrap` (another way to start a keeper);
- `machine` (what can be had here), `server` (move after move), `guard` (ends what a killed server leaves).

Read `child._confine` first: it is the sandbox, in order.
"""
