"""Long work: each job a process of its own, with progress that pages see and a way to stop it.

A job's kind names a function `run(params, data, tell)` in `littlego.apps.web.work`. All of them go on where
they were when they are run again, which is what happens to unfinished jobs when the server starts.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

from littlego.apps.web.live import Hub
from littlego.apps.web.store import Json, NotThere, Store, new_id
from littlego.core.errors import UsageError

KIND: Final = "job"
UNFINISHED: Final = ("waiting", "running")
_LONG: Final = ("grade", "tournament", "train")
"""Kinds that may take hours, and must not keep a review waiting."""
_MOST_WAITING: Final = 100
_LINE_LIMIT: Final = 64 << 20
_GRACE: Final = 3.0
"""Seconds between asking a job to stop and killing it."""


class Jobs:
    """The jobs of a server. Some long and some short jobs run at a time, the others wait their turn."""

    def __init__(self, store: Store, hub: Hub, data: Path, at_once: int = 1) -> None:
        self._store = store
        self._hub = hub
        self._data = data
        self._turns = {is_long: asyncio.Semaphore(at_once) for is_long in (False, True)}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def begin(self, kind: str, title: str, params: Json) -> Json:
        """Start a job, or put it in line. Raises UsageError if too many wait."""
        if len(self._tasks) >= _MOST_WAITING:
            raise UsageError(f"{_MOST_WAITING} jobs are waiting: try again later")
        job = new_id()
        data = {
            "kind": kind,
            "title": title,
            "params": params,
            "state": "waiting",
            "done": 0,
            "total": 0,
            "message": "",
            "result": None,
        }
        self._store.put(KIND, job, data)
        self._start(job)
        return {"id": job, **data}

    def resume(self) -> None:
        """Start again what the last server left unfinished."""
        for data in reversed(self._store.newest(KIND, 1000)):
            if data["state"] in UNFINISHED:
                self._start(data["id"])

    def find(self, job: str) -> Json:
        """A job. Raises NotThere."""
        data = self._store.get(KIND, job)
        if data is None:
            raise NotThere(job)
        return {"id": job, **data}

    def newest(self, most: int) -> list[Json]:
        """The last jobs, without their results."""
        return [
            {key: value for key, value in data.items() if key != "result"} for data in self._store.newest(KIND, most)
        ]

    def cancel(self, job: str) -> Json:
        """Stop a job; what it has done is kept. Raises NotThere."""
        data = self.find(job)
        if data["state"] in UNFINISHED:
            # At once, not when its process has ended: a task that has not begun yet would never say so.
            self._change(job, state="cancelled", message="stopped")
        task = self._tasks.get(job)
        if task is not None:
            task.cancel()
        return self.find(job)

    async def close(self) -> None:
        """Stop all jobs; they go on when the next server starts."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _start(self, job: str) -> None:
        task = asyncio.create_task(self._run(job))
        self._tasks[job] = task
        task.add_done_callback(lambda _task: self._tasks.pop(job, None))

    def _change(self, job: str, **changes: Any) -> None:
        data = self._store.get(KIND, job)
        if data is not None:
            data.update(changes)
            self._store.put(KIND, job, data)
            self._hub.tell(f"job:{job}", {"job": {"id": job, **data}})

    async def _run(self, job: str) -> None:
        try:
            async with self._turns[self.find(job)["kind"] in _LONG]:
                await self._run_process(job)
        except Exception as error:  # ours, whatever it is: a job that nobody runs must not be called running
            self._change(job, state="failed", message=f"{type(error).__name__}: {error}"[:500])

    async def _run_process(self, job: str) -> None:
        data = self.find(job)
        self._change(job, state="running", message="")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "littlego.apps.web.work",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=_LINE_LIMIT,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        errors = asyncio.create_task(process.stderr.read())
        try:
            order = {"kind": data["kind"], "params": data["params"], "data": str(self._data), "job": job}
            process.stdin.write(json.dumps(order).encode())
            process.stdin.close()
            ended = False
            async for line in process.stdout:
                news = json.loads(line)
                ended = news.get("state") in ("done", "failed")
                self._change(job, **news)
            await process.wait()
            if not ended:
                told = (await errors).decode(errors="replace").strip().splitlines()
                self._change(job, state="failed", message=told[-1][:500] if told else "the process was killed")
        finally:
            await _end(process)
            errors.cancel()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Stop a job's process and all that it started."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
