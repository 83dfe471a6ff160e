"""A gang worked out and drawn once for as long as it stays as it is.

What a snapshot means under a version of a rulebook never changes, so a process remembers it: a
page, the change made on it and the page after it share their work.
"""

from __future__ import annotations

from functools import lru_cache

from gangs.cards import Page
from gangs.drawing import draw
from gangs.models import Gang
from gangs.roster import Roster
from gangs.scene import Scene
from gangs.wording import language
from rules.library import book_of

REMEMBERED = 64


def scene_of(gang: Gang) -> Scene:
    """The gang as it stands, with its profiles worked out."""
    return _scene(gang.book_version_id, gang.snapshot)


def page_of(gang: Gang) -> Page:
    """The gang as it stands, drawn in the reader's language."""
    return _page(gang.book_version_id, gang.snapshot, language())


@lru_cache(maxsize=REMEMBERED)
def _scene(digest: str, snapshot: str) -> Scene:
    return Scene.of(book_of(digest), Roster.model_validate_json(snapshot))


@lru_cache(maxsize=REMEMBERED)
def _page(digest: str, snapshot: str, language: str) -> Page:
    return draw(_scene(digest, snapshot), language)
