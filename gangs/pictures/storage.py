"""The storage of pictures: portraits of a gang's members, its badge, and files of other rows.

A gang's row lists them (``Gang.pictures``: the number of a member, or ``BADGE``, and the name of
the picture), so that pages need no query for them. The files are in a storage that no web server
exposes (``STORAGES["pictures"]``). A name is a hash of the picture and its gang, so its content
never changes, and two gangs never share a file. Each file has a seal; a corrupt one counts as
missing. Administrators may hide a picture: the row lists it in ``Gang.hidden_pictures`` instead,
and its file stays.
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
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS, transaction
from django.db.models import QuerySet

from accounts import quotas
from accounts.models import User
from common.files import seal, unseal
from common.storages import FileStore, store
from common.turns import Turns
from gangs.models import Gang, GangView
from gangs.pictures import decoder
from gangs.pictures.decoder import PHOTO, PHOTO_SIZES, SIZES, Unfit

logger = logging.getLogger(__name__)

BADGE = "badge"
NAME = re.compile(r"[0-9a-f]{32}")
SMALL, LARGE = SIZES
# The largest file to accept, in bytes.
BIGGEST_FILE = 16_000_000
# The most pictures of a gang, including those of members who have left.
MOST_PICTURES = 200
# Seconds that decoding may take in all, on a busy machine.
LONGEST = 30
# Signals that end an innocent process, for example when the system runs out of memory.
KILLED = (-signal.SIGKILL, -signal.SIGTERM)
# Seconds after which a file without a reference cannot belong to an upload in progress.
ABANDONED = 3600

# Large photographs take much memory, so they are decoded in turn.
_decoding = Turns()


class Full(Exception):
    """Raised when the gang has as many pictures as it may."""


class Interrupted(Exception):
    """Raised when the decoding process was killed, without fault of the file."""


@dataclass(frozen=True)
class Decoded:
    """A picture ready to be stored: its JPEGs, in the order of ``SIZES``."""

    files: tuple[bytes, ...]

    def name_for(self, gang: Gang) -> str:
        """The name of the picture as one of this gang's."""
        return self.name_in(gang.pk)

    def name_in(self, owner: uuid.UUID) -> str:
        """The name of the picture as one of a gang's or game's, by its key."""
        return _name_for(owner, self.files[-1])


def _name_for(owner: uuid.UUID, large: bytes) -> str:
    return hashlib.sha256(owner.bytes + large).hexdigest()[:32]


# Functions that list the files of other rows in a database (``register``).
type FileNames = Callable[[str], Iterable[str]]
_others: list[FileNames] = []


def register(names: FileNames) -> None:
    """Keep and save the files that ``names`` lists, in addition to those of gangs."""
    if names not in _others:
        _others.append(names)


def write_files(name: str, sizes: Iterable[int], picture: Decoded) -> None:
    """Write the files of a picture. Raises OSError."""
    for size, content in zip(sizes, picture.files, strict=True):
        _store().write(file_name(name, size), seal(content))


def read_file(name: str, size: int) -> bytes | None:
    """Return a file written by ``write_files``; None if it is missing or corrupt. Raises
    OSError."""
    stored = _store().read(file_name(name, size)) if _is_name(name) else None
    return None if stored is None else unseal(stored)


def delete_files(name: str, sizes: Iterable[int]) -> None:
    """Delete the files of a picture. Raises OSError."""
    for size in sizes if _is_name(name) else ():
        _store().delete(file_name(name, size))


def decode(content: bytes, who: Hashable, *, is_photo: bool = False) -> Decoded:
    """Return the picture in an untrusted file: its middle, or the whole of a photo. ``who``: the
    account; accounts take turns. Raises Unfit, Busy, or Interrupted."""
    with _decoding.one(who):
        try:
            return _decoded(content, is_photo=is_photo)
        except Interrupted:
            logger.warning("The process that decodes a picture was killed: another tries once more")
            return _decoded(content, is_photo=is_photo)


def _decoded(content: bytes, *, is_photo: bool) -> Decoded:
    """Raises Unfit, or Interrupted."""
    sizes = PHOTO_SIZES if is_photo else SIZES
    try:
        # The process gets neither the site's secrets nor its folder.
        done = subprocess.run(
            [sys.executable, "-I", decoder.__file__, *([PHOTO] if is_photo else [])],
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
    # The process may be compromised, so only valid output is accepted.
    if done.returncode or len(files) != len(sizes) or not all(map(_is_jpeg, files)):
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
    """The name of a present or former member's portrait, or of the badge; "" if there is none."""
    name = gang.pictures.get(_place(member), "")
    return name if _is_name(name) else ""


def content_of(gang: Gang | GangView, name: str, size: int) -> bytes | None:
    """One of the gang's pictures by name, as JPEG; None if the gang has no such picture, or if the
    file is missing or corrupt. Raises OSError if it cannot be read."""
    return _content(gang, name, size) if name in gang.pictures.values() else None


def hidden_content_of(gang: Gang, name: str, size: int) -> bytes | None:
    """As ``content_of``, of a picture that administrators hide."""
    return _content(gang, name, size) if name in gang.hidden_pictures.values() else None


def _content(gang: Gang | GangView, name: str, size: int) -> bytes | None:
    if not _is_name(name) or size not in SIZES:
        return None
    file = file_name(name, size)
    stored = _store().read(file)
    if stored is None:
        return None
    content = unseal(stored)
    if content is None and _is_sound(gang, name, size, stored):
        content = stored
    if content is None:
        logger.error("The picture %s is corrupt", file)
    return content


def files_of(gang: Gang | GangView, members: Iterable[int | None]) -> dict[int | None, str]:
    """The names of the files for a print: portraits by member, the badge by None, without missing
    ones. Raises OSError if they cannot be read."""
    names = {member: name_of(gang, member) for member in members}
    return {
        member: file_name(name, LARGE)
        for member, name in names.items()
        if name and content_of(gang, name, LARGE) is not None
    }


def _is_sound(gang: Gang | GangView, name: str, size: int, stored: bytes) -> bool:
    """Whether a file from before the introduction of seals seems intact. Large ones are checked by
    their names, which are hashes."""
    named = size != LARGE or _name_for(gang.pk, stored) == name
    return _is_jpeg(stored) and named


def picture_names(gang: Gang) -> tuple[tuple[str, str], ...]:
    """The gang's pictures in a form for the keys of caches."""
    return tuple(sorted(gang.pictures.items()))


def keep(gang: Gang, member: int | None, picture: Decoded) -> None:
    """Store a picture in place of the one before. Calling it twice has the same effect as once.

    Raises Full, QuotaFull, ``Gang.DoesNotExist`` if the gang was deleted, and OSError if the disk
    is full.
    """
    name = picture.name_for(gang)
    with quotas.turn(gang.owner):
        pictures = _locked(gang)
        before = dict(pictures)
        pictures[_place(member)] = name
        if len(pictures) > max(MOST_PICTURES, len(before)):
            raise Full
        quotas.check(gang.owner, "pictures", more=len(pictures) - len(before))
        # Written while the row is locked, so that ``clear`` cannot delete them before it is saved.
        write_files(name, SIZES, picture)
        _set(gang, pictures, before)


def copy(source: Gang, gang: Gang, places: Mapping[str, str]) -> None:
    """Give a gang the pictures of another, as files of its own. ``places``: those of the pictures
    in the new gang, by those in the other; missing and corrupt files are left out.

    Raises QuotaFull, and OSError if files can be neither read nor written.
    """
    copied: dict[str, Decoded] = {}
    for place, name in source.pictures.items():
        files = [content_of(source, name, size) for size in SIZES] if place in places else []
        whole = tuple(file for file in files if file is not None)
        if len(whole) == len(SIZES):
            copied[places[place]] = Decoded(whole)
    if not copied:
        return
    with quotas.turn(gang.owner):
        before = _locked(gang)
        new = {place: picture.name_for(gang) for place, picture in copied.items()}
        quotas.check(gang.owner, "pictures", more=len(new.keys() - before.keys()))
        for place, picture in copied.items():
            write_files(new[place], SIZES, picture)
        _set(gang, {**before, **new}, before)


def remove(gang: Gang, member: int | None) -> None:
    """Remove a picture. Raises ``Gang.DoesNotExist`` if the gang was deleted."""
    with transaction.atomic():
        pictures = _locked(gang)
        before = dict(pictures)
        pictures.pop(_place(member), None)
        _set(gang, pictures, before)


def hide(gang: Gang, places: Iterable[str]) -> int:
    """Hide some of the gang's pictures; returns their number. A hidden picture of the same member
    is deleted. Raises ``Gang.DoesNotExist`` if the gang was deleted."""
    with transaction.atomic():
        row = _locked_row(gang)
        before = dict(row.pictures)
        hidden = {place: before[place] for place in places if place in before}
        left = {place: name for place, name in before.items() if place not in hidden}
        earlier = row.hidden_pictures
        _set(gang, left, before, hidden={**earlier, **hidden}, was_hidden=earlier.values())
    return len(hidden)


def show_hidden(gang: Gang) -> int:
    """Show the gang's hidden pictures again; returns their number. A picture that has been uploaded
    in its place meanwhile stays, and the hidden one is deleted. Raises ``Gang.DoesNotExist``."""
    with transaction.atomic():
        row = _locked_row(gang)
        before, hidden = dict(row.pictures), row.hidden_pictures
        _set(gang, {**hidden, **before}, before, hidden={}, was_hidden=hidden.values())
    return len(hidden.keys() - before.keys())


def count_of(user: User) -> int:
    """The number of pictures in all gangs of an account."""
    found = Gang.objects.owned_by(user).exclude(pictures={}).values_list("pictures", flat=True)
    return sum(map(len, found))


def _locked(gang: Gang) -> dict[str, str]:
    return dict(_locked_row(gang).pictures)


def _locked_row(gang: Gang) -> Gang:
    rows = Gang.objects.select_for_update(no_key=True).only("pictures", "hidden_pictures")
    return rows.get(pk=gang.pk)


def _set(
    gang: Gang,
    pictures: dict[str, str],
    before: dict[str, str],
    *,
    hidden: dict[str, str] | None = None,
    was_hidden: Iterable[str] = (),
) -> None:
    """Store the gang's pictures in place of those ``before``, and ``hidden`` in place of those that
    were hidden, if given."""
    # This does not count as a change of the gang, so its version and time of change stay.
    new = {"pictures": pictures}
    if hidden is not None:
        new["hidden_pictures"] = hidden
    Gang.objects.filter(pk=gang.pk).update(**new)
    for name, value in new.items():
        setattr(gang, name, value)
    kept = {*pictures.values(), *(hidden or {}).values()}
    if dropped := {*before.values(), *was_hidden} - kept:
        # The change is committed; ``clear_forgotten`` deletes files that cannot be deleted now.
        transaction.on_commit(lambda: clear(gang.pk, dropped), robust=True)


def clear(gang: uuid.UUID, names: Iterable[str]) -> None:
    """Delete the files that a gang no longer refers to, or all its files if it was deleted."""
    with transaction.atomic():
        rows = Gang.objects.select_for_update(no_key=True).only("pictures", "hidden_pictures")
        row = rows.filter(pk=gang).first()
        used = {*row.pictures.values(), *row.hidden_pictures.values()} if row else set()
        for name in set(names) - used:
            delete_files(name, SIZES)


def leave_with(instance: Gang, **_signal: object) -> None:
    """Delete a gang's files once the deletion of the gang is committed."""
    if names := {*instance.pictures.values(), *instance.hidden_pictures.values()}:
        key = instance.pk
        transaction.on_commit(lambda: clear(key, names), robust=True)


def clear_forgotten() -> int:
    """Delete files without a reference, which a crash may leave; returns their number."""
    limit, count = time.time() - ABANDONED, 0
    # The files are listed before the references; a file stored in between is too young to delete.
    files = sorted(_store().written())
    in_use = set(_names_in_use(Gang.objects.all()))
    others = {file for names in _others for file in names(DEFAULT_DB_ALIAS)}
    for file, written_at in files:
        is_used = file in others or file.partition("-")[0] in in_use
        if not is_used and written_at < limit:
            _store().delete(file)
            count += 1
    return count


def _place(member: int | None) -> str:
    """The key of a member's picture, or of the badge, in ``Gang.pictures``."""
    return BADGE if member is None else str(member)


def file_names(using: str = DEFAULT_DB_ALIAS) -> Iterator[str]:
    """The names in the storage of all files that a database's rows refer to, including missing
    ones."""
    for name in filter(_is_name, _names_in_use(Gang.objects.using(using))):
        for size in SIZES:
            yield file_name(name, size)
    for names in _others:
        yield from names(using)


def _names_in_use(gangs: QuerySet[Gang]) -> Iterator[str]:
    """The names of all pictures that these gangs refer to, hidden ones included. One query."""
    some = gangs.exclude(pictures={}, hidden_pictures={})
    for shown, hidden in some.values_list("pictures", "hidden_pictures").iterator():
        yield from shown.values()
        yield from hidden.values()


def _is_name(name: str) -> bool:
    # Paths are only made of valid names, even if a row is corrupt.
    return NAME.fullmatch(name) is not None


def file_name(name: str, size: int) -> str:
    """The name in the storage of a picture's file."""
    return f"{name}-{size}.jpg"


def _store() -> FileStore:
    return store("pictures")
