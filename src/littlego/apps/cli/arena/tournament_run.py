"""What `littlego tournament run` shows and writes while games are played."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from littlego.apps.cli import output
from littlego.core.errors import UsageError

if TYPE_CHECKING:
    from littlego.arena.pool.tasks import Failure
    from littlego.arena.results import GameResult
    from littlego.arena.tournament.directory import Tournament
    from littlego.arena.tournament.runner import Wave

_WALL_SECONDS = 5.0


def write_wall(tournament: Tournament, path: Path) -> None:
    from littlego.arena.tournament.report.summary import summarise
    from littlego.arena.tournament.report.wall import wall_page
    from littlego.storage.whole_files import write_whole

    with output.writing(path):
        write_whole(path, wall_page(summarise(tournament), title=tournament.folder.resolve().name))


def wall_writer(tournament: Tournament, path: Path | None) -> Callable[[], None]:
    """Writes the page, but not too often."""
    written = time.monotonic()

    def write() -> None:
        nonlocal written
        if path is not None and time.monotonic() - written > _WALL_SECONDS:
            try:
                write_wall(tournament, path)
            except UsageError as error:  # the games go on
                output.note(str(error))
            written = time.monotonic()

    return write


@contextmanager
def watch(workers: int, on_result: Callable[[], None], wave: Wave) -> Iterator[Callable[[GameResult], None]]:
    from littlego.arena.progress import GamesProgress

    label = "" if wave.label == "games" else f", {wave.label}"
    output.note(f"To play: {len(wave.games)} games{label}.")
    with output.counted(GamesProgress(len(wave.games), workers=workers)) as count:

        def counted(result: GameResult) -> None:
            count(result)
            on_result()

        yield counted


def note_void(failure: Failure) -> None:
    from littlego.arena.games import void_words

    output.note(void_words(failure))


def note_changed(tournament: Tournament) -> None:
    """Name the participants whose originals have changed since they joined."""
    from littlego.arena.tournament.roster import has_changed
    from littlego.storage.scratch import temporary_directory

    for participant in tournament.participants:
        with temporary_directory("littlego-look-") as scratch:
            if has_changed(participant, tournament.participants, tournament.parse, scratch / "files"):
                spelled = shlex.quote(participant.listed.player)
                output.note(
                    f"{participant.name} has changed since it joined; its old version plays. To add the new one:\n"
                    f"  littlego tournament add {shlex.quote(str(tournament.folder))} {spelled}"
                )


def write_capsules(tournament: Tournament) -> None:
    from littlego.arena.tournament.report import export

    folder = tournament.folder / "capsules"
    if count := export.write_capsules(tournament.store, tournament.participants, folder):
        output.note(f"To replay a program's forfeit: littlego replay {shlex.quote(str(folder))}/... ({count} files)")
