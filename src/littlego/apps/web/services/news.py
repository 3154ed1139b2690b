"""News for open pages: each page subscribes to topics, over one WebSocket.

A page sends `{"listen": "game:ID"}` or `{"forget": "game:ID"}` and receives `{"topic": ..., ...}`. It may miss news
while it is disconnected, so it must be able to ask for the state again. With `"confirm": "yes"` beside `listen` it
receives `{"topic": ..., "listening": true}` first: if it asks then, it misses nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import defaultdict
from typing import Any, Final

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from littlego.apps.web.http.access import visitors_may_hear
from littlego.apps.web.http.security import OWNER

_MOST_TOPICS: Final = 64
_MOST_TEXT: Final = 200
_BACKLOG: Final = 256

router = APIRouter()


class Hub:
    """The listeners of each topic, in one event loop."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[asyncio.Queue[str]]] = defaultdict(set)

    def publish(self, topic: str, news: dict[str, Any]) -> None:
        """Send news to all listeners of a topic. A page that does not keep up misses some."""
        if not self.has_listeners(topic):
            return
        text = json.dumps({"topic": topic, **news})
        for queue in self._listeners[topic]:
            with contextlib.suppress(asyncio.QueueFull):
                queue.put_nowait(text)

    def has_listeners(self, topic: str) -> bool:
        return bool(self._listeners.get(topic))

    def listen(self, topic: str, queue: asyncio.Queue[str]) -> None:
        """Put news of a topic into a queue from now on, until `forget`."""
        self._listeners[topic].add(queue)

    def forget(self, topic: str, queue: asyncio.Queue[str]) -> None:
        self._listeners[topic].discard(queue)
        if not self._listeners[topic]:
            del self._listeners[topic]


@router.websocket("/api/live")
async def live(socket: WebSocket) -> None:
    """The news of the topics that a page asks for."""
    hub: Hub = socket.app.state.arena.hub
    owner = socket.scope[OWNER]
    await socket.accept()
    queue: asyncio.Queue[str] = asyncio.Queue(_BACKLOG)
    topics: set[str] = set()
    sender = asyncio.create_task(_send(socket, queue))
    try:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                break
            asked = _parse(message.get("text") or "")
            if (topic := asked.get("listen")) and len(topics) < _MOST_TOPICS and (owner or visitors_may_hear(topic)):
                topics.add(topic)
                hub.listen(topic, queue)
                if asked.get("confirm"):
                    with contextlib.suppress(asyncio.QueueFull):
                        queue.put_nowait(json.dumps({"topic": topic, "listening": True}))
            elif (topic := asked.get("forget")) in topics:
                topics.discard(topic)
                hub.forget(topic, queue)
    finally:
        sender.cancel()
        for topic in topics:
            hub.forget(topic, queue)


async def _send(socket: WebSocket, queue: asyncio.Queue[str]) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.send_text(await queue.get())


def _parse(text: str) -> dict[str, str]:
    with contextlib.suppress(ValueError):
        data = json.loads(text[:_MOST_TEXT])
        if isinstance(data, dict):
            return {key: value for key, value in data.items() if isinstance(value, str)}
    return {}
