"""What runs inside the supervisor's own processes: standard library only, quick to import, no threads.

Lowest first: `syscalls`, `bpf`; `seccomp`, `landlock`, `mounts`, `cgroups`, `meter`, `tree`, `files` (one mechanism
each); `child` (from fork to exec), `keeper` (one move's watchman), `bubblewrap`; `machine` (what this machine can do).
"""
