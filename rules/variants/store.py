"""Storing variants: each function is one transaction.

Whoever changes a draft says which state of it was seen: if somebody (or the other tab) was
faster, Stale is raised and nothing is written.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from functools import lru_cache

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts import quotas
from accounts.models import User
from common.errors import Refusal
from common.locking import update_if
from rules.book.model import Book, Variation
from rules.library import book_of
from rules.loading import apart
from rules.models import BookVersion, Variant
from rules.variants.differences import between
from rules.variants.files import VariantFile, check_bounds, write_variant
from rules.variants.overlay import Misfit, Overlay, OverlayOutcome, apply_overlay

MOST_STATES = 100
# So many drafts are kept as they were read: every page of the editor needs its whole, and whoever
# edits turns from page to page.
MOST_KEPT = 4
# How often changes are tried that do not fit: each time, some of them are left out.
MOST_ROUNDS = 10


class Refused(Refusal):
    """It cannot be done. Its codes: too_many_states, mistakes, nothing_new, too_large."""


def start(
    owner: User, base: BookVersion, name: str, *, token: uuid.UUID, overlay: Overlay | None = None
) -> Variant:
    """Start a variant; a form that arrives twice starts it once. Raises QuotaFull, or BadVariant if
    it holds too much."""
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
    """The draft's changes."""
    return Overlay.model_validate_json(variant.draft)


def variation(variant: Variant, number: int) -> Variation:
    """How a rulebook says that it is this state of this variant."""
    return Variation(key=str(variant.pk), name=variant.name, number=number)


def outcome_of(variant: Variant, overlay: Overlay | None = None) -> OverlayOutcome:
    """What the draft (or ``overlay`` in its place) makes of the base."""
    draft = variant.draft if overlay is None else overlay.model_dump_json()
    return _read(variant.base_id, draft, variation(variant, next_number(variant)))


@lru_cache(maxsize=MOST_KEPT)
def _read(base: str, draft: str, variation: Variation) -> OverlayOutcome:
    """Of which nobody changes anything."""
    return apply_overlay(book_of(base), Overlay.model_validate_json(draft), variation)


def next_number(variant: Variant) -> int:
    """The number that the next published state gets."""
    highest = variant.states.aggregate(highest=Max("number"))["highest"]
    return (highest or 0) + 1


def newest_state(variant: Variant) -> BookVersion | None:
    """The state published last."""
    return variant.states.defer("canonical").order_by("-number").first()


def save(variant: Variant, overlay: Overlay, *, expected_version: int) -> None:
    """Store another draft. Raises Stale, or BadVariant if it holds too much."""
    check_bounds(overlay)
    _claim(variant, expected_version, draft=overlay.model_dump_json())


def rename(variant: Variant, name: str, *, expected_version: int) -> None:
    """Call the variant something else. Raises Stale."""
    _claim(variant, expected_version, name=name)


def _claim(variant: Variant, expected_version: int, **fields: object) -> None:
    """Write ``fields`` if the draft is still as it was seen."""
    fields["changed_at"] = timezone.now()
    update_if(Variant, variant.pk, expected_version, counter="draft_version", **fields)
    variant.refresh_from_db()


def publish(variant: Variant, *, expected_version: int) -> BookVersion:
    """Make the draft a version that gangs and campaigns can be founded on.

    Raises Stale, or Refused if something is wrong with it or nothing is new, or if what its pages
    work out takes too long; Busy.
    """
    book = outcome_of(variant).book
    if book is not None:
        try:
            # Before the transaction, for it takes a while.
            apart.read_apart(json.loads(book.canonical()), "", tried=True)
        except apart.TooLarge:
            raise Refused("too_large") from None
    with transaction.atomic():
        _claim(variant, expected_version)
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
    """Whether two states differ in nothing but their number."""
    assert old.variant is not None and new.variant is not None
    return old.variant.name == new.variant.name and not between(old, new)


@dataclass(frozen=True)
class Move:
    """A variant on another version of its rulebook. ``overlay``: what still fits."""

    overlay: Overlay
    lost: tuple[Misfit, ...]
    outcome: OverlayOutcome


def try_move(variant: Variant, version: BookVersion) -> Move:
    """The draft as it would be on another version; nothing is written. Raises Busy."""
    return fit(overlay_of(variant), book_of(version.pk), variation(variant, 1))


def fit(overlay: Overlay, base: Book, variation: Variation) -> Move:
    """``overlay`` on a rulebook that it was not made for: without the changes that do not fit.

    Without one change another may no longer fit: it is tried again until all do. What cannot be
    worked out at all is left as it is. Raises Busy.
    """
    lost: list[Misfit] = []
    for left in range(MOST_ROUNDS, -2, -1):
        outcome = apply_overlay(base, overlay, variation)
        if outcome.too_large:
            break
        places = {(bad.table, bad.row) for bad in outcome.wrong} if not outcome.formed else set()
        unfit = [
            *outcome.misfits,
            *(
                Misfit(change, "malformed")
                for change in overlay.changes
                if (change.table, change.row) in places
            ),
        ]
        if not left or (not unfit and not outcome.formed):
            unfit = [Misfit(change, "malformed") for change in overlay.changes]
        if not unfit:
            break
        lost.extend(unfit)
        gone = [misfit.change for misfit in unfit]
        overlay = Overlay(changes=tuple(change for change in overlay.changes if change not in gone))
    return Move(overlay, tuple(lost), outcome)


def newer_base(variant: Variant) -> BookVersion | None:
    """The rulebook's newest version, if the variant is on an older one."""
    slug = variant.base.slug
    newest = BookVersion.objects.newest().filter(slug=slug).defer("canonical").first()
    return None if newest is None or newest.pk == variant.base_id else newest


def move(variant: Variant, version: BookVersion, *, expected_version: int) -> None:
    """Put the draft on another version of the rulebook; what does not fit is dropped. Raises Stale,
    or Refused if it cannot be worked out there; Busy."""
    there = try_move(variant, version)
    if there.outcome.too_large:
        raise Refused("too_large")
    overlay = there.overlay
    _claim(variant, expected_version, base=version, draft=overlay.model_dump_json())


def restore(variant: Variant, state: BookVersion, *, expected_version: int) -> None:
    """Take the draft back to what a published state was made from. Raises Stale."""
    file = VariantFile.model_validate_json(state.overlay)
    base = BookVersion.objects.rulebooks().get(digest=file.digest)
    _claim(variant, expected_version, base=base, draft=file.overlay.model_dump_json())


def archive(variant: Variant, *, back: bool) -> None:
    """Put the variant away, or take it out again. Gangs and campaigns keep the state they have."""
    when = None if back else timezone.now()
    Variant.objects.filter(pk=variant.pk).update(archived_at=when)


def find_offered(user: User) -> list[tuple[BookVersion, Book]]:
    """The newest published state of each of the user's variants: what they may found with."""
    states = BookVersion.objects.filter(variant__owner=user, variant__archived_at=None)
    ordered = states.defer("canonical", "overlay").order_by("variant_id", "number")
    newest = {state.variant_id: state for state in ordered}
    listed = [(state, book_of(state.pk)) for state in newest.values()]
    return sorted(listed, key=lambda pair: (pair[1].slug, _name(pair[1]).casefold()))


def _name(book: Book) -> str:
    return book.variant.name if book.variant else ""
