"""The processes that choose moves and work out values: the server itself never computes."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import tempfile
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final

from littlego.players.catalogue import PLAYERS

_QUICK: Final = frozenset({"random", "greedy", "aggressive", "smart", "alphabeta", "qlearning", "learner"})
"""Players that answer within milliseconds, and must not wait for a search or a program."""
_GRACE: Final = 2.0
"""Seconds that an abandoned call may hold up the next one."""

_log = logging.getLogger(__name__)


class WorkerDied(Exception):
    """The process was killed, or crashed, during a call."""


class Worker:
    """One process that runs one call after the other. A process that dies is replaced."""

    def __init__(self, *, tries: int = 3, interruptible: bool = False) -> None:
        """A call whose process dies is tried `tries` times in all.

        The process of an `interruptible` worker is replaced when a call that nobody waits for any more holds up the
        next one for too long.
        """
        self._tries = tries
        self._interruptible = interruptible
        self._pool: ProcessPoolExecutor | None = None
        self._line = asyncio.Lock()
        self._running: asyncio.Future[Any] | None = None
        """The call that runs, or the last one that did: the next call finds here what was abandoned."""

    async def ask(self, function: Callable[..., Any], *args: Any) -> Any:
        """The function's value, worked out in the process. Raises WorkerDied if every try ended the process.

        Only the call that runs is charged with a death: the others are still in line.
        """
        async with self._line:
            await self._after_the_abandoned()
            for number in range(1, self._tries + 1):
                try:
                    return await self._run(function, args)
                except BrokenProcessPool:
                    _log.warning("a process died while it ran %s (try %d)", function.__name__, number)
                    self._let_go()
            raise WorkerDied(f"its process died {self._tries} times")

    async def _run(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        try:
            running = asyncio.wrap_future(self._open().submit(function, *args))
        except BrokenProcessPool:  # it died between two calls
            self._let_go()
            running = asyncio.wrap_future(self._open().submit(function, *args))
        running.add_done_callback(_take_note)
        self._running = running
        return await asyncio.shield(running)

    def _open(self) -> ProcessPoolExecutor:
        self._pool = self._pool or ProcessPoolExecutor(
            1,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_end_with_server,
            initargs=(tempfile.gettempdir(),),
        )
        return self._pool

    async def _after_the_abandoned(self) -> None:
        """Wait until a call that nobody waits for any more is out of the way."""
        if self._running is not None and not self._running.done():
            await asyncio.wait([self._running], timeout=_GRACE if self._interruptible else None)
            if not self._running.done():
                self._let_go()

    def _let_go(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """End the process, also in the middle of a call."""
        if self._running is not None:
            self._running.cancel()
        self._let_go()


class PlayerPool:
    """Several workers; a game stays with one of them, where its players have their seats.

    Players of ours that search can be interrupted: they take their seats anew. Programs cannot, since they keep files
    from move to move, but the referee bounds their time.
    """

    def __init__(self, number: int) -> None:
        self._quick = Worker()
        self._searching = [Worker(interruptible=True) for _ in range(number)]
        self._programs = [Worker() for _ in range(number)]

    def of(self, game: str, spelling: str) -> Worker:
        """The worker of a player in a game."""
        if spelling in _QUICK:
            return self._quick
        kind = self._searching if spelling in PLAYERS else self._programs
        return kind[zlib.crc32(game.encode()) % len(kind)]

    def close(self) -> None:
        """End them all."""
        for worker in (self._quick, *self._searching, *self._programs):
            worker.close()


def _take_note(ended: asyncio.Future[Any]) -> None:
    """Look at a call's failure even if nobody waits for it any more, or asyncio would report it."""
    if not ended.cancelled():
        ended.exception()


def _end_with_server(temporary: str) -> None:
    """Ctrl-C is for the server, which ends its workers itself; one that was killed cannot, so they end with it.

    What they have on disk lies in the server's own `temporary` directory, and goes with it.
    """
    import multiprocessing.connection
    import os
    import signal
    import threading

    tempfile.tempdir = temporary
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = multiprocessing.parent_process()

    def wait() -> None:
        if server is not None:
            multiprocessing.connection.wait([server.sentinel])
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
