"""A backup's manifest: its release, its kind of database and its files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from common.text import quote
from gangs.pictures.decoder import PHOTO_SIZES, SIZES
from outbound.push.keys import PUSH_KEY

MANIFEST = "manifest.json"
SECRET_KEY = "secret_key"
_SIDES = "|".join(map(str, (*SIZES, *PHOTO_SIZES)))
PICTURE = re.compile(rf"pictures/([0-9a-f]{{32}}-(?:{_SIDES})\.jpg)")
type Kind = Literal["sqlite", "postgresql"]
# The file name of the database's copy, by kind.
DATABASES: Mapping[Kind, str] = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}


class BadArchive(Exception):
    """A file that cannot be restored here, or a backup that cannot be made.

    The message is in English, for the command line; text it quotes is cleaned.
    """

    def __init__(self, words: str) -> None:
        super().__init__(quote(words, 2_000))


class Part(BaseModel):
    """A file of a backup: its length in bytes and its SHA-256."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """The manifest, the last file of a backup.

    ``release`` is the product's version; ``migrations`` are the applied migrations, by app;
    ``counts`` are the numbers of accounts, gangs and so on; ``missing_pictures`` is the number of
    pictures that gangs refer to but that were not found; ``parts`` has every other file of the
    archive, by name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["skirmish-backup"] = "skirmish-backup"
    format_version: Literal[1] = 1
    release: str
    made_at: AwareDatetime
    database: Kind
    migrations: dict[str, tuple[str, ...]]
    counts: dict[str, int]
    missing_pictures: int = 0
    parts: dict[str, Part]


def is_part(name: str) -> bool:
    """Whether a backup may contain this file name; no other is ever written to disk."""
    return name in {MANIFEST, SECRET_KEY, PUSH_KEY, *DATABASES.values()} or bool(
        PICTURE.fullmatch(name)
    )
