"""Orders: the options of a print, and the key that identifies it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Literal

from django.conf import settings

from common.wording.texts import page_language
from printing.press import layout

Paper = Literal["a4", "letter"]
# Hardly any ink; with colour and drawings; in large print, as plain tables.
Style = Literal["ink", "illustrated", "accessible"]
STYLES: tuple[Style, ...] = ("ink", "illustrated", "accessible")
# Millimetres.
WIDTHS: dict[Paper, float] = {"a4": 210, "letter": 215.9}
HEIGHTS: dict[Paper, float] = {"a4": 297, "letter": 279.4}


@dataclass(frozen=True)
class Order:
    """Options of a print. ``language``: of rulebook texts, see ``accounts.language``; ``link``: the
    address in its QR code, "" for none. Each kind of print adds its own options in a subclass.
    """

    language: str
    paper: Paper = "a4"
    style: Style = "ink"
    link: str = ""

    @property
    def written_in(self) -> str:
        """Its language, in the form that browsers and screen readers know."""
        return page_language(self.language)

    @property
    def plain(self) -> bool:
        """Whether the print is in large letters, and made of plain tables."""
        return self.style == "accessible"

    @property
    def illustrated(self) -> bool:
        """Whether the print has colours and pictures."""
        return self.style == "illustrated"

    @property
    def page_size(self) -> str:
        """The paper's name in a stylesheet."""
        return "letter" if self.paper == "letter" else "A4"


def key(*content: object) -> str:
    """Return the key of a print: a digest of its content and of everything it is made with.

    ``content``: values that are equal only if the print is, each with a ``repr`` of its own.
    """
    return hashlib.sha256(repr((*content, _made_with())).encode()).hexdigest()


def _made_with() -> str:
    # During development, a print must follow every change of a template.
    return _fingerprint.__wrapped__() if settings.DEBUG else _fingerprint()


@cache
def _fingerprint() -> str:
    """Return a digest of our code, templates, styles and translations, and of the press."""
    made_with = hashlib.sha256(version("weasyprint").encode())
    base = settings.BASE_DIR
    apps = ("campaigns", "gangs", "printing", "rules", "typesetting")
    files = [file for app in apps for file in base.glob(f"{app}/**/*.py")]
    files += base.glob("templates/**/*.html")
    for catalogues in settings.LOCALE_PATHS:
        files += catalogues.glob("*/LC_MESSAGES/*.mo")
    for file in sorted([*files, *layout.stylesheets()]):
        made_with.update(file.read_bytes())
    return made_with.hexdigest()
