"""Members of gangs as fighters on the rules' pages of odds."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import replace

from django.http import Http404, HttpRequest

from common.forms import number
from gangs import hooks as gang_hooks
from gangs.access import may_have_gangs, own_gangs, readable_gang_or_404, shared_gang_or_404
from gangs.cards.cache import computed_gang
from gangs.cards.trial import show_first_gang, try_out
from gangs.engine.fitting import arm
from gangs.engine.roster import Member
from gangs.models import Gang
from gangs.text.formats import shown_name
from rules import hooks
from rules.book.model import Book, Sample
from rules.engine.figure import Belongings
from rules.hooks import Fighter

# Nobody reads a longer list; other gangs can still be named in the address.
MOST_GANGS = 12
# Prefixes of members' names in addresses: of gangs named by their key, and by their shared link.
OWN, SHARED = "gang", "shared"


class Gangs(hooks.Gangs):
    """Finds members of gangs that the reader may see."""

    def listed(self, request: HttpRequest, digest: str) -> list[tuple[str, list[tuple[str, str]]]]:
        """The reader's own gangs under this version, the latest changed first. One query."""
        gangs = own_gangs(request).active().filter(book_version=digest).order_by("-changed_at")
        return [
            (
                gang.name,
                [(key(gang, one), shown_name(gang.book, one)) for one in gang.roster.members],
            )
            for gang in gangs[:MOST_GANGS]
            if gang.roster.members
        ]

    def fighter(self, request: HttpRequest, digest: str, key: str) -> Fighter | None:
        """The member, if the gang uses this version and the reader may read its sheet."""
        kind, _dot, rest = key.partition(".")
        name, _dot, place = rest.partition(".")
        gang = _gang(request, kind, name)
        if gang is None:
            return None
        computed, member = computed_gang(gang), number(place)
        if gang.book_version_id != digest or member not in computed.figures:
            return None
        assert member is not None
        book, figure = arm(gang.book, computed.roster, computed.roster.member(member))
        own = {item.key: item for item in book.items if gang.book.item.get(item.key) is None}
        # Custom items of two gangs may have the same key.
        keys = {found: f"{found}-{gang.pk.hex[:8]}" for found in own}
        items = tuple(keys.get(item, item) for item in figure.items)
        return Fighter(
            key=key,
            name=shown_name(computed.book, computed.roster.member(member)),
            gang=gang.name,
            figure=replace(figure, items=items),
            settings=computed.roster.settings,
            items=tuple(own[found].model_copy(update={"key": new}) for found, new in keys.items()),
            mates=tuple(
                (f"{kind}.{name}.{one.id}", shown_name(computed.book, one))
                for one in computed.roster.members
            ),
        )

    def named(self, request: HttpRequest, slug: str) -> list[tuple[str, str]]:
        """The reader's own gangs of a game, the latest changed first. One query, or none for
        visitors who have built nothing."""
        if not may_have_gangs(request):
            return []
        gangs = own_gangs(request).active().filter(book_version__slug=slug).order_by("-changed_at")
        return [(str(key), name) for key, name in gangs.values_list("pk", "name")[:MOST_GANGS]]

    def belongings(self, request: HttpRequest, slug: str, key: str) -> Belongings | None:
        """The gang's items and traits, if it plays this game and the reader may read its sheet."""
        gang = _gang(request, OWN, key)
        if gang is None or gang.book.slug != slug:
            return None
        computed, roster = computed_gang(gang), gang.roster
        items = {item.key for item in computed.rules.innate}
        items.update(owned.key for owned in roster.stash)
        traits: set[str] = set()
        for member in roster.members:
            items.update(owned.key for owned in member.items)
            traits.update(member.traits)
            traits.update(trait.key for trait in computed.profiles[member.id].gained)
        figures = tuple(computed.figures.values())
        return Belongings(figures, frozenset(items), frozenset(traits))

    def is_used_by(self, request: HttpRequest, digest: str) -> bool:
        """Whether the reader has a gang of this version, or sees a campaign of it. At most two
        queries."""
        mine = may_have_gangs(request) and own_gangs(request).filter(book_version=digest).exists()
        return mine or gang_hooks.oversight.uses_rules(request, digest)

    def try_out(self, book: Book, sample: Sample, language: str) -> hooks.TrialGang | None:
        """The ready-made gang on a sheet; work in proportion to its members, no queries."""
        return try_out(book, sample, language)

    def first_gang(self, book: Book, language: str) -> hooks.FirstGang | None:
        """The legal gang on cards; the search for it is bounded and remembered. No queries."""
        return show_first_gang(book, language)


def _gang(request: HttpRequest, kind: str, name: str) -> Gang | None:
    """The gang named in an address by its key or by its shared link; None if the reader may not see
    it."""
    with suppress(Http404, ValueError):
        if kind == SHARED:
            return shared_gang_or_404(name)
        if kind == OWN:
            return readable_gang_or_404(request, uuid.UUID(name))
    return None


def key(gang: Gang, member: Member) -> str:
    """The name of a gang's member in addresses."""
    return f"{OWN}.{gang.pk}.{member.id}"
