"""Which gangs, campaigns and variants use the versions of a rulebook, or did so in their past."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import PROTECT, Count, Q
from django.utils.translation import gettext as _

from campaigns.models import Campaign
from gangs.models import Gang
from rules.models import BookVersion, Variant

# The most names to list of each kind.
MOST_NAMED = 20


@dataclass(frozen=True)
class Usage:
    """The numbers of gangs, campaigns and variants on a version now; ``past``: the number of other
    records that need it, such as a gang's founding or a finished game's table."""

    gangs: int = 0
    campaigns: int = 0
    variants: int = 0
    past: int = 0

    @property
    def is_needed(self) -> bool:
        """Whether the version cannot be removed."""
        return bool(self.gangs or self.campaigns or self.variants or self.past)

    def describe(self) -> str:
        """The numbers in words."""
        told = {
            "gangs": self.gangs,
            "campaigns": self.campaigns,
            "variants": self.variants,
            "past": self.past,
        }
        words = _(
            "gangs: %(gangs)s · campaigns: %(campaigns)s · variants: %(variants)s · past records: "
            "%(past)s"
        )
        return words % told


def find_usage(digests: Iterable[str]) -> dict[str, Usage]:
    """The use of each version. One query for each table that refers to versions."""
    wanted, past = [*digests], Counter[str]()
    counts: dict[type, Counter[str]] = {model: Counter() for model in (Gang, Campaign, Variant)}
    for relation in BookVersion._meta.related_objects:
        if getattr(relation, "on_delete", None) is not PROTECT:
            continue
        name, model = relation.field.name, relation.related_model
        rows = model._default_manager.filter(**{f"{name}__in": wanted})
        if model is Gang and name == "founded_with":
            # A gang that never changed its version is counted already.
            rows = rows.exclude(book_version__in=wanted)
        found = dict(rows.order_by().values_list(name).annotate(Count("pk")))
        is_now = model in counts and name != "founded_with"
        (counts[model] if is_now else past).update(found)
    return {
        digest: Usage(
            gangs=counts[Gang][digest],
            campaigns=counts[Campaign][digest],
            variants=counts[Variant][digest],
            past=past[digest],
        )
        for digest in wanted
    }


@dataclass(frozen=True)
class Users:
    """Some of the gangs, campaigns and variants that use a rulebook or a variant of it."""

    gangs: list[Gang]
    campaigns: list[Campaign]
    variants: list[Variant]


def find_users(slug: str) -> Users:
    """The users of a rulebook that changed last. Three queries."""
    here = Q(book_version__slug=slug)
    return Users(
        [*Gang.objects.filter(here).defer("snapshot").order_by("-changed_at")[:MOST_NAMED]],
        [*Campaign.objects.filter(here).order_by("-created_at")[:MOST_NAMED]],
        [
            *Variant.objects.filter(base__slug=slug)
            .select_related("owner")
            .order_by("-changed_at")[:MOST_NAMED]
        ],
    )
