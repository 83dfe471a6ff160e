"""What a rulebook's validation looks at: each limit with its code, severity and words."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rules.vocabulary import Frozen, Key, Line, Phase, Selector, Text, When

Severity = Literal["error", "warning", "note"]


class LimitRow(Frozen):
    """One thing that validation may have to say.

    ``text`` is the sentence for the player; it may use the placeholders that its kind offers, as
    ``{count}``. ``later``: the severity once the gang has played its first game; ``phase``: it is
    looked at only before, or only after, that game.
    """

    code: Line
    severity: Severity
    later: Severity | None = None
    phase: Phase | None = None
    text: Text
    source: Line
    when: When = {}


class SizeStep(Frozen):
    """Up to this many members, at most ``maximum`` of the chosen ones."""

    size: int
    maximum: int


class CountLimit(LimitRow):
    """So many members of a sort, no fewer and no more. Placeholders: count, minimum, maximum."""

    kind: Literal["count"]
    of: Selector = Selector()
    minimum: int = 0
    maximum: int | None = None
    maximum_by_size: tuple[SizeStep, ...] = ()


class ShareLimit(LimitRow):
    """At least ``part`` in ``whole`` of some members are of a sort.

    Placeholders: count, among, needed.
    """

    kind: Literal["share"]
    of: Selector
    among: Selector = Selector()
    part: int
    whole: int


class HighestLimit(LimitRow):
    """Nobody else is of a higher rank than the members of a sort. Placeholders: name, rank."""

    kind: Literal["highest"]
    of: Selector


class ItemsLimit(LimitRow):
    """So many items of a sort, no fewer and no more.

    Counted are the items of these ``groups`` with one of these ``item_tags`` (all if none are
    named), or their ``hands``: ``per`` member of those that ``of`` picks, in the whole gang (stash
    included), or ``copies`` of each single item in the gang. Placeholders: name (per member), item
    (copies), count, minimum, maximum.
    """

    kind: Literal["items"]
    of: Selector = Selector()
    groups: tuple[Key, ...] = ()
    item_tags: tuple[Key, ...] = ()
    per: Literal["member", "gang", "copies"]
    measure: Literal["count", "hands"] = "count"
    minimum: int = 0
    maximum: int | None = None


class CarriedLimit(LimitRow):
    """The places taken by a member's items do not exceed a characteristic.

    Placeholders: name, count, maximum.
    """

    kind: Literal["carried"]
    characteristic: Key


class SquadLimit(LimitRow):
    """Squads have the size their rank asks for. Placeholders: squad, count, minimum, maximum."""

    kind: Literal["squad"]


class MemberLimit(LimitRow):
    """A check that every member passes through; the kind says which.

    ``level``: an item's level above the characteristic it is compared with. ``points_over`` and
    ``points_left``: more, or fewer, points spread than the member has. ``range``: a value outside
    its bounds. ``traits``: more traits than the rank allows. ``repeated``: one trait twice.
    ``profession``: one missing, or one too many. ``unnamed``: a member has no name.
    ``group``: more items of a group than a member may have. ``unavailable``: something banned, or
    that the settings in force rule out. ``unfit``: a trait or profession that is not for the
    member's rank, or a trait without those it requires.
    """

    kind: Literal[
        "level",
        "points_over",
        "points_left",
        "range",
        "traits",
        "repeated",
        "profession",
        "unnamed",
        "group",
        "unavailable",
        "unfit",
    ]


class PurseLimit(LimitRow):
    """``overspent`` or ``unspent`` budget; ``debt``: a treasury below zero.

    Placeholders: amount, and budget for the first two.
    """

    kind: Literal["overspent", "unspent", "debt"]


Limit = Annotated[
    CountLimit
    | ShareLimit
    | HighestLimit
    | ItemsLimit
    | CarriedLimit
    | SquadLimit
    | MemberLimit
    | PurseLimit,
    Field(discriminator="kind"),
]
