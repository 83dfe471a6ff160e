"""Storing variants: each function is one transaction.

The caller of a change passes the version of the draft that the player has seen: if another person
(or tab) was faster, Stale is raised and nothing is written.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from functools import lru_cache

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from accounts import quotas
from accounts.models import User
from common.errors import Refusal
from common.locking import update_if
from rules.book.model import Book, Variation
from rules.library import book_of
from rules.loading import apart
from rules.models import BookDraft, BookVersion, Variant
from rules.variants.files import VariantFile, check_bounds, write_variant
from rules.variants.overlay import Misfit, Overlay, OverlayOutcome, apply_overlay
from rules.variants.places import between

MOST_STATES = 100
# The most drafts kept after reading: every page of the editor needs the whole draft.
MOST_KEPT = 4
# The most attempts to fit changes to a rulebook: each leaves some of them out.
MOST_ROUNDS = 10


class Refused(Refusal):
    """Raised for a refused act. Its codes: too_many_states, mistakes, nothing_new, too_large."""


def start(
    owner: User, base: BookVersion, name: str, *, token: uuid.UUID, overlay: Overlay | None = None
) -> Variant:
    """Start a variant; a form that arrives twice starts it once.

    Raises QuotaFull, or BadVariant if it exceeds the limits.
    """
    overlay = overlay or Overlay()
    check_bounds(overlay)
    with quotas.turn(owner):
        if not Variant.objects.filter(token=token, owner=owner).exists():
            quotas.check(owner, "variants")
        variant, _ = Variant.objects.get_or_create(
            token=token,
            owner=owner,
            defaults={"base": base, "name": name, "draft": overlay.model_dump_json()},
        )
    return variant


def overlay_of(variant: Variant) -> Overlay:
    """Return the changes of the draft."""
    return Overlay.model_validate_json(variant.draft)


def variation(variant: Variant, number: int) -> Variation:
    """Return the mark of a rulebook that is this state of this variant."""
    return Variation(key=str(variant.pk), name=variant.name, number=number)


def outcome_of(variant: Variant, overlay: Overlay | None = None) -> OverlayOutcome:
    """Apply the draft (or ``overlay`` instead) to its base."""
    draft = variant.draft if overlay is None else overlay.model_dump_json()
    return _read(variant.base_id, draft, variation(variant, next_number(variant)))


@lru_cache(maxsize=MOST_KEPT)
def _read(base: str, draft: str, variation: Variation) -> OverlayOutcome:
    """Apply a draft; the result is shared, so never change it."""
    return apply_overlay(book_of(base), Overlay.model_validate_json(draft), variation)


def next_number(variant: Variant) -> int:
    """Return the number of the next published state."""
    return (variant.states.aggregate(highest=Max("number"))["highest"] or 0) + 1


def newest_state(variant: Variant) -> BookVersion | None:
    """Return the state published last; None before the first."""
    return variant.states.defer("canonical").order_by("-number").first()


def save(variant: Variant, overlay: Overlay, *, expected_version: int) -> None:
    """Store another draft. Raises Stale, or BadVariant if it exceeds the limits."""
    check_bounds(overlay)
    _update(variant, expected_version, draft=overlay.model_dump_json())


def rename(variant: Variant, name: str, *, expected_version: int) -> None:
    """Rename the variant. Raises Stale."""
    _update(variant, expected_version, name=name)


def _update(variant: Variant, expected_version: int, **fields: object) -> None:
    """Write ``fields`` if the draft still has the version that the player has seen."""
    fields["changed_at"] = timezone.now()
    update_if(Variant, variant.pk, expected_version, counter="draft_version", **fields)
    variant.refresh_from_db()


def publish(variant: Variant, *, expected_version: int) -> BookVersion:
    """Make the draft a version that gangs and campaigns can be founded on.

    Raises Stale, Busy, or Refused if the draft has mistakes, changes nothing, or would make its
    pages too slow.
    """
    book = outcome_of(variant).book
    if book is not None:
        try:
            # This takes a while, so it comes before the transaction.
            apart.read_apart(json.loads(book.canonical()), "", tried=True)
        except apart.TooLarge:
            raise Refused("too_large") from None
    with transaction.atomic():
        _update(variant, expected_version)
        outcome = outcome_of(variant)
        if outcome.book is None:
            raise Refused("mistakes")
        last = newest_state(variant)
        if last is not None and is_same(book_of(last.pk), outcome.book):
            raise Refused("nothing_new")
        number = next_number(variant)
        if number > MOST_STATES:
            raise Refused("too_many_states")
        return BookVersion.objects.create(
            digest=outcome.book.digest,
            slug=outcome.book.slug,
            canonical=outcome.book.canonical(),
            loaded_at=timezone.now(),
            variant=variant,
            number=number,
            overlay=write_variant(variant.name, book_of(variant.base_id), overlay_of(variant)),
        )


def is_same(old: Book, new: Book) -> bool:
    """Whether two states differ only in their number."""
    assert old.variant is not None and new.variant is not None
    return old.variant.name == new.variant.name and not between(old, new)


@dataclass(frozen=True)
class Move:
    """A variant moved to another version of its rulebook. ``overlay``: the changes that still fit;
    ``lost``: the others."""

    overlay: Overlay
    lost: tuple[Misfit, ...]
    outcome: OverlayOutcome


def try_move(variant: Variant, version: BookVersion) -> Move:
    """Move the draft to another version, without writing anything. Raises Busy."""
    return fit(overlay_of(variant), book_of(version.pk), variation(variant, 1))


def fit(overlay: Overlay, base: Book, variation: Variation) -> Move:
    """Fit ``overlay`` to a rulebook that it was not made for, without the changes that do not fit.

    Without one change another may no longer fit, so this tries again until all do. An overlay that
    is too large to work out is unchanged. Raises Busy.
    """
    lost: list[Misfit] = []
    rounds = 0
    outcome = apply_overlay(base, overlay, variation)
    while not outcome.too_large and (unfit := _find_unfit(overlay, outcome)):
        rounds += 1
        if rounds > MOST_ROUNDS:
            unfit = _as_malformed(overlay)
        lost += unfit
        dropped = [misfit.change for misfit in unfit]
        overlay = Overlay(changes=tuple(one for one in overlay.changes if one not in dropped))
        outcome = apply_overlay(base, overlay, variation)
    return Move(overlay, tuple(lost), outcome)


def _find_unfit(overlay: Overlay, outcome: OverlayOutcome) -> list[Misfit]:
    """Find the changes to leave out: those that do not fit, and those of malformed rows. All of
    them, if the rulebook is malformed and none of these says why."""
    if outcome.formed:
        return [*outcome.misfits]
    malformed = _as_malformed(overlay)
    places = {(bad.table, bad.row) for bad in outcome.wrong}
    found = [bad for bad in malformed if (bad.change.table, bad.change.row) in places]
    return [*outcome.misfits, *found] or malformed


def _as_malformed(overlay: Overlay) -> list[Misfit]:
    return [Misfit(change, "malformed") for change in overlay.changes]


def newer_base(variant: Variant) -> BookVersion | None:
    """Return the rulebook's newest version; None if the variant is on it."""
    slug = variant.base.slug
    newest = BookVersion.objects.newest().filter(slug=slug).defer("canonical").first()
    return None if newest is None or newest.pk == variant.base_id else newest


def move(variant: Variant, version: BookVersion, *, expected_version: int) -> None:
    """Move the draft to another version of the rulebook, without the changes that do not fit.

    Raises Stale, Busy, or Refused if it is too large to work out there.
    """
    there = try_move(variant, version)
    if there.outcome.too_large:
        raise Refused("too_large")
    _update(variant, expected_version, base=version, draft=there.overlay.model_dump_json())


def restore(variant: Variant, state: BookVersion, *, expected_version: int) -> None:
    """Take the draft back to a published state. Raises Stale."""
    file = VariantFile.model_validate_json(state.overlay)
    base = BookVersion.objects.rulebooks().get(digest=file.digest)
    _update(variant, expected_version, base=base, draft=file.overlay.model_dump_json())


def archive(variant: Variant, *, back: bool) -> None:
    """Archive the variant, or take it ``back``. Gangs and campaigns keep the state they have."""
    when = None if back else timezone.now()
    Variant.objects.filter(pk=variant.pk).update(archived_at=when)


def find_offered(user: User) -> list[tuple[BookVersion, Book]]:
    """List the newest published state of each of the user's variants and games, to found gangs
    with, except hidden ones. Editors of a game have it, too."""
    mine = Q(variant__owner=user, variant__archived_at=None, variant__hidden_why="")
    mine |= Q(draft__in=BookDraft.objects.open_to(user), draft__hidden_why="")
    states = BookVersion.objects.filter(mine)
    ordered = states.defer("canonical", "overlay").order_by("number")
    newest = {(state.variant_id, state.draft_id): state for state in ordered}
    listed = [(state, book_of(state.pk)) for state in newest.values()]

    def place(pair: tuple[BookVersion, Book]) -> tuple[str, str]:
        book = pair[1]
        return book.slug, book.variant.name.casefold() if book.variant else ""

    return sorted(listed, key=place)
