"""Pseudonyms for a public leaderboard: stable, distinct, and revealing nothing about the names.

Derived from a secret that stays with the results, so that a name and this program are not enough to find its
pseudonym. Once given, a pseudonym stays, whoever joins the class later.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from littlego.core.errors import UsageError
from littlego.storage.files import write_whole

FILE: Final = "pseudonyms.json"

_KINDS: Final = (
    "amber ashen blue brass bright calm clear copper coral dawn deep dusky fair gentle golden "
    "green grey hazel hidden ivory keen lively lunar merry misty mossy noble north opal pale patient "
    "pearl plain quick quiet rapid red river rosy royal rustic sandy silent silver slate snowy solar south "
    "still stony sunny swift tidal violet warm west white wild"
)
_THINGS: Final = (
    "acorn aspen badger beech birch bison brook cedar cliff clover comet crane crow dove eagle elm falcon fern "
    "finch fox gull hare hawk heron hill ibis iris jay kestrel lake lark lily lynx maple marten meadow "
    "moon moth oak orchid osprey otter owl pebble pine plover poplar quail raven reed robin sable seal sparrow "
    "spruce star stork swan tern thistle thrush tulip wren yew"
)


def pseudonyms(students: Iterable[str], directory: Path) -> dict[str, str]:
    """The pseudonym of every student, stored in `directory` in a file that only its owner can read.

    Raises UsageError if that file is damaged.
    """
    path = directory / FILE
    salt, given = _read(path) if path.exists() else (secrets.token_hex(16), {})
    taken = set(given.values())
    missing = {student for student in students if student not in given}
    # In the order of their digests: the order of names would let the list of pseudonyms reveal something.
    for student in sorted(missing, key=lambda student: _digest(salt, student, 0)):
        attempt = 0
        while (name := _name(_digest(salt, student, attempt))) in taken:
            attempt += 1
        given[student] = name
        taken.add(name)
    if missing:
        write_whole(path, json.dumps({"salt": salt, "pseudonyms": given}, indent=1) + "\n", mode=0o600)
    return given


def share_pseudonyms(identities: Mapping[str, str], roster: Path, directory: Path) -> None:
    """Give students in `directory` the pseudonyms that lie beside a roster, where they are made if necessary.

    `identities` says what a student is called there: the same roster serves gradings, tournaments and the server.
    Nothing happens where the roster's own directory cannot be written.
    """
    with contextlib.suppress(OSError):
        shared = pseudonyms(identities.values(), roster.absolute().parent)
        path = directory / FILE
        salt, given = _read(path) if path.exists() else (secrets.token_hex(16), {})
        new = given | {student: shared[identity] for student, identity in identities.items()}
        if new != given:
            directory.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps({"salt": salt, "pseudonyms": new}, indent=1) + "\n", mode=0o600)


def _read(path: Path) -> tuple[str, dict[str, str]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return str(data["salt"]), {str(student): str(name) for student, name in data["pseudonyms"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: cannot be read, and new pseudonyms would differ: repair or remove it") from error


def _digest(salt: str, student: str, attempt: int) -> bytes:
    return hmac.digest(salt.encode(), f"{attempt} {student}".encode("utf-8", "surrogateescape"), hashlib.sha256)


def _name(digest: bytes) -> str:
    kinds, things = _KINDS.split(), _THINGS.split()
    kind, thing = kinds[digest[0] % len(kinds)], things[digest[1] % len(things)]
    return f"{kind.capitalize()} {thing} {int.from_bytes(digest[2:6]) % 900 + 100}"
