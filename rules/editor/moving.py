"""Moving a variant to another version of its base, and fitting a variant's file to one."""

from __future__ import annotations

from dataclasses import dataclass

from rules.book.model import Book, Variation
from rules.editor.checking import Checked, check_overlay
from rules.editor.documents import overlay_of, variation
from rules.editor.overlay import Misfit, Overlay
from rules.library import book_of
from rules.models import BookVersion, Variant

# The most attempts to fit changes to a rulebook: each leaves some of them out.
MOST_ROUNDS = 10


@dataclass(frozen=True)
class Move:
    """A variant moved to another version of its base. ``overlay``: the changes that still fit;
    ``lost``: the others."""

    overlay: Overlay
    lost: tuple[Misfit, ...]
    checked: Checked


def newer_base(variant: Variant) -> BookVersion | None:
    """Return the newest version of the base; None if the variant is on it."""
    slug = variant.base.slug
    newest = BookVersion.objects.newest().filter(slug=slug).defer("canonical").first()
    return None if newest is None or newest.pk == variant.base_id else newest


def try_move(variant: Variant, version: BookVersion) -> Move:
    """Move the variant to another version, without writing anything. Raises Busy."""
    return fit(overlay_of(variant), book_of(version.pk), variation(variant, 1))


def fit(overlay: Overlay, base: Book, variation: Variation) -> Move:
    """Fit ``overlay`` to a rulebook that it was not made for, without the changes that do not fit.

    Without one change another may no longer fit, so this tries again until all do. An overlay that
    is too large to work out is unchanged. Raises Busy.
    """
    lost: list[Misfit] = []
    rounds = 0
    checked = check_overlay(base, overlay, variation)
    while not checked.too_large and (unfit := _find_unfit(overlay, checked)):
        rounds += 1
        if rounds > MOST_ROUNDS:
            unfit = _as_malformed(overlay)
        lost += unfit
        dropped = [misfit.change for misfit in unfit]
        overlay = Overlay(changes=tuple(one for one in overlay.changes if one not in dropped))
        checked = check_overlay(base, overlay, variation)
    return Move(overlay, tuple(lost), checked)


def _find_unfit(overlay: Overlay, checked: Checked) -> list[Misfit]:
    """Find the changes to leave out: those that do not fit, and those of malformed rows. All of
    them, if the rulebook is malformed and none of these says why."""
    if checked.formed:
        return [*checked.misfits]
    malformed = _as_malformed(overlay)
    places = {(bad.table, bad.row) for bad in checked.wrong}
    found = [bad for bad in malformed if (bad.change.table, bad.change.row) in places]
    return [*checked.misfits, *found] or malformed


def _as_malformed(overlay: Overlay) -> list[Misfit]:
    return [Misfit(change, "malformed") for change in overlay.changes]
