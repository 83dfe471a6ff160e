"""Pictures: portraits of a gang's members, and its badge.

A gang's row says which it has (``Gang.pictures``: the number of a member, or ``BADGE``, and the
name of the picture), so that no page asks for them. The files lie in a storage that no web server
hands out (``STORAGES["pictures"]``). A name follows from the picture and its gang, so what it shows
never changes, and no two gangs have a file together. Each carries a seal: what is spoiled counts as
missing.
"""

from __future__ import annotations

import hashlib
import logging
import re
import signal
import struct
import subprocess
import sys
import time
import uuid
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS, transaction

from accounts import quotas
from accounts.models import User
from common.files import seal, unseal
from common.storages import FileStore, store
from common.turns import Turns
from gangs.models import Gang, GangView
from gangs.pictures import decoder
from gangs.pictures.decoder import SIZES, Unfit

logger = logging.getLogger(__name__)

BADGE = "badge"
NAME = re.compile(r"[0-9a-f]{32}")
SMALL, LARGE = SIZES
# The largest file that is taken, in bytes.
BIGGEST_FILE = 8 * 1024 * 1024
# How many a gang has at most: those who are gone keep theirs.
MOST_PICTURES = 200
# Seconds that a file may take in all, on a machine with much else to do.
LONGEST = 30
# Signals by which somebody ends a process that has done nothing wrong, as the system does when
# memory runs short.
KILLED = (-signal.SIGKILL, -signal.SIGTERM)
# Seconds after which a file that nothing points to is nobody's who is just about to keep it.
ABANDONED = 3600

# A large photograph takes memory.
_decoding = Turns()


class Full(Exception):
    """The gang has as many pictures as it may."""


class Interrupted(Exception):
    """The process that decodes was killed, which is not the file's fault."""


@dataclass(frozen=True)
class Decoded:
    """A picture ready to be kept: its JPEGs, in the order of ``SIZES``."""

    files: tuple[bytes, ...]

    def name_for(self, gang: Gang) -> str:
        """What it is called as one of the gang's."""
        return _name_for(gang.pk, self.files[-1])


def _name_for(gang: uuid.UUID, large: bytes) -> str:
    return hashlib.sha256(gang.bytes + large).hexdigest()[:32]


def decode(content: bytes, who: Hashable) -> Decoded:
    """Return the picture in a file, which may come from anybody. ``who``: the account, whose files
    wait for those of others. Raises Unfit, Busy, or Interrupted."""
    with _decoding.one(who):
        try:
            return _decoded(content)
        except Interrupted:
            logger.warning("The process that decodes a picture was killed: another tries once more")
            return _decoded(content)


def _decoded(content: bytes) -> Decoded:
    """Raises Unfit, or Interrupted."""
    try:
        # Neither the site's secrets nor its folder are handed on.
        done = subprocess.run(
            [sys.executable, "-I", decoder.__file__],
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unfit("damaged") from None
    if done.returncode == -signal.SIGXCPU:
        raise Unfit("too_slow")
    if done.returncode in KILLED:
        raise Interrupted
    if done.returncode == decoder.UNFIT:
        raise Unfit(done.stdout.decode())
    files = _unpacked(done.stdout)
    # Whatever befell the process: only what it is meant to make is taken from it.
    if done.returncode or len(files) != len(SIZES) or not all(map(_is_jpeg, files)):
        raise Unfit("damaged")
    return Decoded(files)


def _unpacked(written: bytes) -> tuple[bytes, ...]:
    files = []
    while len(written) >= 4:
        (length,) = struct.unpack(">I", written[:4])
        files.append(written[4 : 4 + length])
        written = written[4 + length :]
    return tuple(files)


def _is_jpeg(file: bytes) -> bool:
    return file.startswith(b"\xff\xd8\xff") and file.endswith(b"\xff\xd9")


def name_of(gang: Gang | GangView, member: int | None) -> str:
    """The name of a member's portrait, past or present, or of the badge; "" if there is none."""
    name = gang.pictures.get(_place(member), "")
    return name if _is_name(name) else ""


def content_of(gang: Gang | GangView, name: str, size: int) -> bytes | None:
    """One of the gang's pictures by its name, as JPEG; None if it has none of that name, or if the
    file is missing or spoiled. Raises OSError if it cannot be read."""
    if name not in gang.pictures.values() or not _is_name(name) or size not in SIZES:
        return None
    file = _file(name, size)
    stored = _store().read(file)
    if stored is None:
        return None
    content = unseal(stored)
    if content is None and _is_sound(gang, name, size, stored):
        content = stored
    if content is None:
        logger.error("The picture %s is spoiled", file)
    return content


def files_of(gang: Gang | GangView, members: Iterable[int | None]) -> dict[int | None, str]:
    """For a print: the files of those of the members who have a portrait, and the badge's by None.
    Raises OSError if they cannot be read."""
    names = {member: name_of(gang, member) for member in members}
    return {
        member: _file(name, LARGE)
        for member, name in names.items()
        if name and content_of(gang, name, LARGE) is not None
    }


def _is_sound(gang: Gang | GangView, name: str, size: int, stored: bytes) -> bool:
    """Whether a file from before there were seals seems to be what it was: of the large ones that
    is known, for their name tells."""
    named = size != LARGE or _name_for(gang.pk, stored) == name
    return _is_jpeg(stored) and named


def picture_names(gang: Gang) -> tuple[tuple[str, str], ...]:
    """Which pictures the gang has: for the keys of what shows them."""
    return tuple(sorted(gang.pictures.items()))


def keep(gang: Gang, member: int | None, picture: Decoded) -> None:
    """Let the gang have a picture, in the place of the one before. Doing it twice does it once.

    Raises Full, QuotaFull, ``Gang.DoesNotExist`` if the gang is gone by now, and OSError if there
    is no room.
    """
    name = picture.name_for(gang)
    with quotas.turn(gang.owner):
        pictures = _locked(gang)
        before = dict(pictures)
        pictures[_place(member)] = name
        if len(pictures) > max(MOST_PICTURES, len(before)):
            raise Full
        quotas.check(gang.owner, "pictures", more=len(pictures) - len(before))
        # While the row is locked, so that nobody clears them away before it names them.
        for size, content in zip(SIZES, picture.files, strict=True):
            _store().write(_file(name, size), seal(content))
        _set(gang, pictures, before)


def remove(gang: Gang, member: int | None) -> None:
    """Let the gang have a picture no longer. Raises ``Gang.DoesNotExist`` if the gang is gone."""
    with transaction.atomic():
        pictures = _locked(gang)
        before = dict(pictures)
        pictures.pop(_place(member), None)
        _set(gang, pictures, before)


def count_of(user: User) -> int:
    """How many pictures all the gangs of an account have."""
    found = Gang.objects.owned_by(user).exclude(pictures={}).values_list("pictures", flat=True)
    return sum(map(len, found))


def _locked(gang: Gang) -> dict[str, str]:
    row = Gang.objects.select_for_update(no_key=True).only("pictures").get(pk=gang.pk)
    return dict(row.pictures)


def _set(gang: Gang, pictures: dict[str, str], before: dict[str, str]) -> None:
    # Not a change of the gang: neither its version nor the time of its last change moves.
    Gang.objects.filter(pk=gang.pk).update(pictures=pictures)
    gang.pictures = pictures
    if dropped := set(before.values()) - set(pictures.values()):
        # What is done is done: a file that cannot be deleted is left to ``clear_forgotten``.
        transaction.on_commit(lambda: clear(gang.pk, dropped), robust=True)


def clear(gang: uuid.UUID, names: Iterable[str]) -> None:
    """Clear away those of a gang's files that it does not point to, or all if the gang is gone."""
    with transaction.atomic():
        row = Gang.objects.select_for_update(no_key=True).only("pictures").filter(pk=gang).first()
        for name in filter(_is_name, set(names) - set(row.pictures.values() if row else ())):
            for size in SIZES:
                _store().delete(_file(name, size))


def leave_with(instance: Gang, **_signal: object) -> None:
    """The gang is about to be deleted: its files go once it is gone."""
    if names := set(instance.pictures.values()):
        key = instance.pk
        transaction.on_commit(lambda: clear(key, names), robust=True)


def clear_forgotten() -> int:
    """Clear away files that nothing points to, which a crash may leave; returns how many."""
    limit, count = time.time() - ABANDONED, 0
    # Which files there are is asked first: what is kept meanwhile is younger than the limit.
    files = sorted(_store().written())
    in_use = {
        name
        for pictures in Gang.objects.exclude(pictures={}).values_list("pictures", flat=True)
        for name in pictures.values()
    }
    for file, written_at in files:
        if file.partition("-")[0] not in in_use and written_at < limit:
            _store().delete(file)
            count += 1
    return count


def _place(member: int | None) -> str:
    """Under what a gang's row has the picture of a member, or the badge."""
    return BADGE if member is None else str(member)


def file_names(using: str = DEFAULT_DB_ALIAS) -> Iterator[str]:
    """The files of all pictures that a database's gangs point to, as they are called in the
    storage, whether they are there or not."""
    gangs = Gang.objects.using(using).exclude(pictures={})
    for pictures in gangs.values_list("pictures", flat=True).iterator():
        for name in filter(_is_name, pictures.values()):
            for size in SIZES:
                yield _file(name, size)


def _is_name(name: str) -> bool:
    # Whatever a row says by now: a path is made of nothing else.
    return NAME.fullmatch(name) is not None


def _file(name: str, size: int) -> str:
    return f"{name}-{size}.jpg"


def _store() -> FileStore:
    return store("pictures")
