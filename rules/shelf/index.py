"""The list of a shelf as values, as this site writes it and reads that of another.

Anybody may have written another site's list: it is measured before it is parsed, a wrong value
refuses all of it, and unknown keys are ignored, so that later versions can add some.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)

from common.measuring import BadData, Limits, parse
from common.text import is_fit
from common.wording.texts import Code, Text
from rules.packages.archive import BIGGEST_ZIP

FORMAT = "skirmish-shelf"
FORMAT_VERSION = 1
# Games on a shelf, and bytes of its list.
MOST_GAMES = 200
BIGGEST_INDEX = 500_000
LIMITS = Limits(size=BIGGEST_INDEX, depth=6, values=20_000)
LONGEST = 200


def _check_fit(text: str) -> str:
    if not is_fit(text):
        raise ValueError("has unfit characters")
    return text


Short = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST, strip_whitespace=True),
    AfterValidator(_check_fit),
]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
# A path on the site of the shelf, so that a list leads nowhere else.
Path = Annotated[str, StringConstraints(pattern=r"^/[!-.0-\[\]-~][!-\[\]-~]*$", max_length=500)]


class ShelfGame(BaseModel):
    """A game on a shelf. ``title``: in each of its languages; ``size``: bytes of the package when
    it was shared; ``page``, ``package`` and ``picture``: paths on the same site."""

    model_config = ConfigDict(frozen=True)

    slug: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{1,39}$")]
    title: Annotated[dict[Code, Short], Field(min_length=1, max_length=10)]
    languages: Annotated[tuple[Code, ...], Field(min_length=1, max_length=10)]
    licence: Short
    edition: Short
    author: Short
    digest: Digest
    size: Annotated[int, Field(ge=1, le=BIGGEST_ZIP)]
    page: Path
    package: Path
    picture: Path | None = None
    shared_at: datetime

    @property
    def name(self) -> Text:
        """Its title as a text, which pages show in the reader's language."""
        return Text.model_validate(self.title)


class Shelf(BaseModel):
    """The list of a shelf. ``site``: the name of the site."""

    model_config = ConfigDict(frozen=True)

    format: Literal["skirmish-shelf"]
    format_version: Annotated[int, Field(ge=1, strict=True)]
    site: Short
    games: Annotated[tuple[ShelfGame, ...], Field(max_length=MOST_GAMES)]


GAMES = TypeAdapter(tuple[ShelfGame, ...])


class BadIndex(Exception):
    """Raised for something that is not the list of a shelf. ``code``: too_big, no_shelf, newer,
    damaged or twice; ``detail``: the place of the first mistake."""

    def __init__(self, code: str, detail: str = "") -> None:
        self.code = code
        self.detail = detail[:80]
        super().__init__(f"{code} {self.detail}".strip())


def read_index(content: bytes) -> Shelf:
    """Read a list. Raises BadIndex."""
    try:
        data = parse(content, LIMITS)
    except BadData as bad:
        raise BadIndex("too_big" if bad.code in ("too_big", "too_many") else "no_shelf") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadIndex("no_shelf")
    version = data.get("format_version")
    if isinstance(version, int) and not isinstance(version, bool) and version > FORMAT_VERSION:
        raise BadIndex("newer")
    try:
        index = Shelf.model_validate(data)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors(include_input=False)[0]["loc"])
        raise BadIndex("damaged", place) from None
    for values in ([game.slug for game in index.games], [game.digest for game in index.games]):
        if len({*values}) < len(values):
            raise BadIndex("twice")
    return index


def write_index(site: str, entries: Sequence[str]) -> bytes:
    """Write the list of a site with these games, each as JSON (``Game``)."""
    head = Shelf(format="skirmish-shelf", format_version=FORMAT_VERSION, site=site, games=())
    text = head.model_dump_json(exclude={"games"}).removesuffix("}")
    return f'{text},"games":[{",".join(entries)}]}}\n'.encode()
