"""The processes that think, and how they are asked: the server itself never computes a move."""

from __future__ import annotations

import asyncio
import multiprocessing
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final

_QUICK: Final = frozenset({"random", "greedy", "aggressive", "smart", "alphabeta", "qlearning"})
"""Players that answer within milliseconds, and must not wait for a search or a program."""


class Thinker:
    """One process; what it is asked is done in turn. A process that dies is replaced."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    async def ask(self, function: Callable[..., Any], *args: Any) -> Any:
        """The function's value, worked out over there. Asks once more if the process dies."""
        for last_try in (False, True):
            pool = self._pool = self._pool or ProcessPoolExecutor(
                1, mp_context=multiprocessing.get_context("spawn"), initializer=_serve_one_server
            )
            try:
                return await asyncio.get_running_loop().run_in_executor(pool, function, *args)
            except BrokenProcessPool:
                if self._pool is pool:
                    self._pool = None
                if last_try:
                    raise
        raise AssertionError

    def close(self) -> None:
        """End the process, also in the middle of a thought."""
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)


class Thinkers:
    """Several thinkers; a game stays with one of them, where its players have their seats."""

    def __init__(self, number: int) -> None:
        self._quick = Thinker()
        self._thinkers = [Thinker() for _ in range(number)]

    def of(self, game: str, spelling: str) -> Thinker:
        """The thinker of a player in a game."""
        if spelling in _QUICK:
            return self._quick
        return self._thinkers[zlib.crc32(game.encode()) % len(self._thinkers)]

    def close(self) -> None:
        """End them all."""
        for thinker in (self._quick, *self._thinkers):
            thinker.close()


def _serve_one_server() -> None:
    """Ctrl-C is for the server, which ends its thinkers itself; one that was killed cannot, so they end with it."""
    import multiprocessing.connection
    import os
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = multiprocessing.parent_process()

    def end_with_it() -> None:
        if server is not None:
            multiprocessing.connection.wait([server.sentinel])
            os._exit(1)

    threading.Thread(target=end_with_it, daemon=True).start()
