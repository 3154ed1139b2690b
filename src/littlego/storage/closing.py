"""Things to be closed, as context managers."""

from __future__ import annotations

from typing import Self


class Closing:
    """Closes itself at the end of a `with` statement."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
