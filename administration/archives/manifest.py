"""What a backup says of itself: from which release and database it is, and what its parts are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from common.text import quote
from gangs.pictures.decoder import SIZES

MANIFEST = "manifest.json"
SECRET_KEY = "secret_key"
PICTURE = re.compile(rf"pictures/([0-9a-f]{{32}}-(?:{'|'.join(map(str, SIZES))})\.jpg)")
type Kind = Literal["sqlite", "postgresql"]
# What the database is called, by its kind.
DATABASES: Mapping[Kind, str] = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}


class BadArchive(Exception):
    """A file that is no backup that can be restored here, or a backup that cannot be made.

    Its words are for the host, in English, as commands speak; what they quote is cleaned.
    """

    def __init__(self, words: str) -> None:
        super().__init__(quote(words, 2_000))


class Part(BaseModel):
    """One file of a backup: its length in bytes, and its SHA-256."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """A backup's own words, which stand at its end.

    ``release``: of the product; ``migrations``: those that had been carried out, by app;
    ``counts``: how many there were of what matters; ``missing_pictures``: how many that gangs point
    to could not be found; ``parts``: every other file, by its name in the archive.
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
    """Whether a backup may have a file of this name: no other is ever written to a disk."""
    return name in {MANIFEST, SECRET_KEY, *DATABASES.values()} or bool(PICTURE.fullmatch(name))
