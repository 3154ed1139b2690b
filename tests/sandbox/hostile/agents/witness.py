"""An honest opponent, which the same keeper starts after a hostile agent: `python witness.py FACTS`.

It needs only Python 3.7. It uses a good part of its limits, so that a keeper that was limited or slowed down shows.
"""

import json
import os
import sys
import threading

MEBI = 1 << 20


def main() -> None:
    facts = json.loads(sys.argv[1])
    memory = bytearray(100 * MEBI)
    memory[::4096] = b"x" * len(memory[::4096])
    files = [open(os.devnull) for _ in range(100)]
    thread = threading.Thread(target=len, args=(files,))
    thread.start()
    thread.join()
    if os.fork() == 0:
        os._exit(0)
    status = os.wait()[1]
    with open("large", "wb") as file:
        file.write(bytes(4 * MEBI))
    if hasattr(os, "sched_getaffinity"):
        found = [os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), len(os.sched_getaffinity(0)), status]
        if found != facts:
            sys.exit("priority, scheduler, processors, a child's status: %s, not %s" % (found, facts))
    with open("output.txt", "w") as output:
        output.write("2,3\n")


if __name__ == "__main__":
    main()
