"""The date and time of things that people read. Durations are measured by another clock: this one can jump."""

from __future__ import annotations

from datetime import datetime


def now() -> str:
    """Local date and time, to the minute, with the offset from UTC."""
    return datetime.now().astimezone().isoformat(sep=" ", timespec="minutes")
