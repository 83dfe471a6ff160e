"""The checker's answer for a rulebook that is edited, with its mistakes by table, row and field."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from pydantic import ValidationError

from common.wording.sentences import gettext_noop as _
from rules.book.model import Book, Variation
from rules.editor.data import take_apart_data
from rules.editor.overlay import Misfit, Overlay, Wrong, apply, locate
from rules.editor.places import Data, Written, take_apart
from rules.library import book_of
from rules.loading import apart
from rules.loading.reader import BadBook
from rules.loading.sample_odds import NO_ATTACK, Attack, SampleOdds

TOO_LARGE = _("too complex to work out")
# The most answers kept: every page of the editor shows the checker's list.
MOST_KEPT = 4


@dataclass(frozen=True)
class Checked:
    """A rulebook as the checker sees it.

    ``canonical``: its text, "" if anything is ``wrong`` or does not fit its base (``misfits``);
    ``notes``: rows that are never used and the like; ``formed``: the data has the right form, even
    if its content is wrong; ``too_large``: the check would take too long; ``odds``: the chances of
    a sample attack, if they were asked for.
    """

    written: Written
    misfits: tuple[Misfit, ...] = ()
    wrong: tuple[Wrong, ...] = ()
    notes: tuple[Wrong, ...] = ()
    canonical: str = ""
    formed: bool = True
    too_large: bool = False
    odds: SampleOdds | None = None

    @property
    def is_sound(self) -> bool:
        """Whether the rulebook could be published."""
        return bool(self.canonical)

    @cached_property
    def book(self) -> Book | None:
        """The rulebook; None if anything is wrong. Few pages need it, and reading it takes long."""
        return apart.parse_examined(self.canonical) if self.is_sound else None


def check_overlay(
    base: Book, overlay: Overlay, variation: Variation, attack: Attack = NO_ATTACK
) -> Checked:
    """Apply ``overlay`` to ``base`` and check the result in another process. Raises Busy."""
    written, misfits = apply(base, overlay)
    data = {**written.assembled(), "variant": variation.model_dump()}
    checked = _check(data, written, misfits, attack)
    if not checked.formed:
        return checked
    # Rows that were typed leave out defaults deep inside, which would show as differences.
    try:
        book = checked.book or Book.model_validate(data)
    except ValidationError:
        return checked
    # A variant cannot change the ready-made gangs of its base, so notes on them help nobody.
    notes = tuple(note for note in checked.notes if note.table)
    return replace(checked, written=take_apart(book, written), notes=notes)


def check_game(text: str, attack: Attack = NO_ATTACK) -> Checked:
    """Check the text of a game in another process. Raises Busy."""
    return _check(json.loads(text), take_apart_data(json.loads(text)), (), attack)


@lru_cache(maxsize=MOST_KEPT)
def check_text(
    base: str, variation: Variation | None, text: str, attack: Attack = NO_ATTACK
) -> Checked:
    """Check the stored text of a variant (with the digest of its base, and its mark) or of a game.

    ``attack``: the sample attack whose odds are worked out, too. The result is shared, so
    never change it. Raises Busy.
    """
    if variation is None:
        return check_game(text, attack)
    return check_overlay(book_of(base), Overlay.model_validate_json(text), variation, attack)


def _check(data: Data, written: Written, misfits: tuple[Misfit, ...], attack: Attack) -> Checked:
    def place(found: list[Any] | tuple[Any, ...]) -> tuple[Wrong, ...]:
        return tuple(locate(written, one.path, one.message) for one in found)

    try:
        canonical, notes, odds = apart.examine_apart(data, "", attack=attack)
    except apart.TooLarge:
        wrong = (Wrong("", "", (), TOO_LARGE),)
        return Checked(written, misfits, wrong, formed=False, too_large=True)
    except BadBook as bad:
        return Checked(written, misfits, place(bad.mistakes), formed=not bad.of_form)
    canonical = "" if misfits else canonical
    return Checked(written, misfits, (), place(notes), canonical, odds=odds)
