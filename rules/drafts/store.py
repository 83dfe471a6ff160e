"""Storing drafts of games: each function is one transaction.

The caller of a change passes the version of the draft that the player has seen: if another person
(or tab) was faster, Stale is raised and nothing is written.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from accounts import quotas
from accounts.models import User
from common.errors import Refusal
from common.locking import update_if
from common.measuring import BadData, measure
from common.text import clean_data
from rules.book.model import Book, digest_of
from rules.drafts import slugs
from rules.drafts.data import take_apart_data
from rules.loading import apart
from rules.loading.reader import BadBook, Mistake
from rules.loading.sample_odds import SampleOdds
from rules.models import BookDraft, BookVersion, Rulebook
from rules.untrusted import LIMITS
from rules.variants.overlay import TOO_LARGE, Wrong, locate
from rules.variants.places import Data, Written

MOST_STATES = 100
MOST_EDITORS = 10
# The most checked drafts kept: every page of the editor shows the checker's list.
MOST_KEPT = 4


class Refused(Refusal):
    """Raised for a refused act. Its codes: ``refusals.REFUSALS``."""


@dataclass(frozen=True)
class Checked:
    """A draft as the checker sees it. ``canonical``: the text of the rulebook, "" if anything is
    ``wrong``; ``notes``: rows that are never used and the like; ``formed``: the data has the right
    form; ``odds``: those of a sample attack, if they were asked for."""

    written: Written
    wrong: tuple[Wrong, ...] = ()
    notes: tuple[Wrong, ...] = ()
    canonical: str = ""
    formed: bool = True
    odds: SampleOdds | None = None

    @property
    def is_sound(self) -> bool:
        """Whether the draft could be published."""
        return bool(self.canonical)

    @cached_property
    def book(self) -> Book | None:
        """The rulebook; None if anything is wrong. Few pages need it, and reading it takes long."""
        return apart.parse_examined(self.canonical) if self.is_sound else None


def start(owner: User, data: Data, *, token: uuid.UUID) -> BookDraft:
    """Start a draft; a form that arrives twice starts it once.

    Raises QuotaFull, or Refused if its slug is taken or it exceeds the limits.
    """
    slug, text = str(data["slug"]), write(data)
    with quotas.turn(owner):
        found = BookDraft.objects.filter(token=token, owner=owner).first()
        if found is not None:
            return found
        quotas.check(owner, "drafts")
        if not slugs.is_reachable(slug):
            raise Refused("bad_slug")
        if not slugs.is_free(slug):
            raise Refused("slug_taken")
        try:
            with transaction.atomic():
                return BookDraft.objects.create(owner=owner, slug=slug, data=text, token=token)
        except IntegrityError:
            raise Refused("slug_taken") from None


def write(data: Data) -> str:
    """Return the text that is stored for a draft's data. Raises Refused if it is too large."""
    data = clean_data(data)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode()) > LIMITS.size:
        raise Refused("too_big")
    try:
        measure(data, LIMITS)
    except BadData:
        raise Refused("too_big") from None
    return text


def data_of(draft: BookDraft) -> Data:
    """Return the draft's data."""
    found: Data = json.loads(draft.data)
    return found


def check(draft: BookDraft) -> Checked:
    """Check the draft in another process. Raises Busy."""
    return check_text(draft.data)


@lru_cache(maxsize=MOST_KEPT)
def check_text(text: str, roll: str = "") -> Checked:
    """Check the text of a draft, and work out the odds of a sample attack with ``roll``; the result
    is shared, so never change it. Raises Busy."""
    written = take_apart_data(json.loads(text))
    try:
        canonical, notes, odds = apart.examine_apart(json.loads(text), "", roll=roll)
    except apart.TooLarge:
        return Checked(written, (Wrong("", "", (), TOO_LARGE),), formed=False)
    except BadBook as bad:
        return Checked(written, _located(written, bad.mistakes), formed=not bad.of_form)
    return Checked(written, (), _located(written, notes), canonical, odds=odds)


def _located(written: Written, mistakes: list[Mistake] | tuple[Mistake, ...]) -> tuple[Wrong, ...]:
    return tuple(locate(written, one.path, one.message) for one in mistakes)


def save(draft: BookDraft, data: Data, *, expected_version: int) -> None:
    """Store other data for the draft. Raises Stale, or Refused if it exceeds the limits."""
    save_text(draft, write({**data, "slug": draft.slug}), expected_version=expected_version)


def save_text(draft: BookDraft, text: str, *, expected_version: int) -> None:
    """Store the text of other data, from ``write``. Raises Stale."""
    _update(draft, expected_version, data=text)


def _update(draft: BookDraft, expected_version: int, **fields: Any) -> None:
    """Write ``fields`` if the draft still has the version that the player has seen."""
    update_if(BookDraft, draft.pk, expected_version, changed_at=timezone.now(), **fields)
    draft.refresh_from_db()


def next_number(draft: BookDraft) -> int:
    """Return the number of the next published version."""
    return (draft.states.aggregate(highest=Max("number"))["highest"] or 0) + 1


def newest_state(draft: BookDraft) -> BookVersion | None:
    """Return the version published last; None before the first."""
    return draft.states.defer("canonical").order_by("-number").first()


def newest_numbers(drafts: Sequence[BookDraft]) -> dict[uuid.UUID, int]:
    """Return the number of the version published last, by draft. One query."""
    published = BookVersion.objects.filter(draft__in=drafts).order_by()
    return dict(published.values_list("draft").annotate(Max("number")))


def listed_numbers(drafts: Sequence[BookDraft]) -> dict[uuid.UUID, int | None]:
    """Return the number of the newest version on the front page, by draft. One query."""
    offered = BookVersion.objects.offered().filter(draft__in=drafts)
    return dict(offered.values_list("draft", "number"))


def publish(draft: BookDraft, *, expected_version: int) -> BookVersion:
    """Make the draft a version that gangs and campaigns can be founded on.

    It stays off the front page until an administrator puts it there (``library.load``). Raises
    Stale, Busy, or Refused if the draft has mistakes, nothing is new, or its pages would be too
    slow.
    """
    try:
        # This takes a while, so it comes before the transaction.
        book = apart.read_apart(data_of(draft), "", tried=True)
    except apart.TooLarge:
        raise Refused("too_large") from None
    except BadBook:
        raise Refused("mistakes") from None
    with transaction.atomic():
        _update(draft, expected_version)
        if BookVersion.objects.filter(pk=book.digest).exists():
            raise Refused("nothing_new")
        number = next_number(draft)
        if number > MOST_STATES:
            raise Refused("too_many_states")
        Rulebook.objects.get_or_create(slug=book.slug)
        return BookVersion.objects.create(
            digest=book.digest,
            slug=book.slug,
            canonical=book.canonical(),
            loaded_at=timezone.now(),
            draft=draft,
            number=number,
        )


def is_published(state: BookVersion | None, checked: Checked) -> bool:
    """Whether the draft is as it was published last."""
    return state is not None and checked.is_sound and digest_of(checked.canonical) == state.pk


def share(draft: BookDraft, name: str) -> None:
    """Let a person edit the draft, too. Nothing shows whether there is such an account.

    Raises Refused if the draft has too many editors.
    """
    user = User.objects.filter(username__iexact=name, is_active=True, stands_for="").first()
    with transaction.atomic():
        BookDraft.objects.select_for_update().get(pk=draft.pk)
        if draft.editors.filter(name__iexact=name).exists():
            return
        if draft.editors.count() >= MOST_EDITORS:
            raise Refused("too_many_editors")
        draft.editors.create(name=name, user=user)


def unshare(draft: BookDraft, editor: int) -> None:
    """Take the right to edit the draft from a person."""
    draft.editors.filter(pk=editor).delete()
