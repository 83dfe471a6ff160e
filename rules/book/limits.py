"""The limits that validation checks, each with its code, severity and words."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from common.wording.sentences import gettext_noop as _
from rules.book.labels import Table, Values
from rules.book.vocabulary import (
    Frozen,
    GroupKey,
    HoldingKey,
    InCurrency,
    ItemTag,
    Line,
    NumberKey,
    Of,
    Phase,
    Selector,
    Text,
    TraitTag,
    When,
)

Severity = Annotated[
    Literal["error", "warning", "note"],
    Values(error=_("an error"), warning=_("a warning"), note=_("a note")),
]


class LimitRow(Frozen):
    """One rule that validation checks.

    ``text`` is the sentence for the player; it may use the placeholders of its kind, such as
    ``{count}``. ``later``: the severity once the gang has played its first game; ``phase``: it is
    checked only before, or only after, that game. ``task``: its words in the checklist of a new
    gang, if the gang has to add something, and ``act``: the words on the button for that ("A
    leader", "Recruit a leader").
    """

    editing = Table(_("Limits"), _("Add a limit"), removable=True)
    code: Line
    severity: Annotated[Severity, _("How serious it is")]
    later: Annotated[Severity | None, _("How serious after the first game")] = None
    phase: Annotated[Phase | None, _("Only at this time")] = None
    text: Annotated[Text, _("The sentence for the player")]
    task: Annotated[Text | None, _("In the checklist of a new gang")] = None
    act: Annotated[Text | None, _("On the button that does it")] = None
    source: Line
    when: When = {}


class SizeStep(Frozen):
    """At most ``maximum`` counted members in a gang of at most ``size`` members."""

    size: int
    maximum: int


class CountLimit(LimitRow):
    """The number of members of a kind is within bounds. Placeholders: count, minimum, maximum."""

    kind: Annotated[Literal["count"], Values(count=_("Number of members of a kind"))]
    of: Of = Selector()
    minimum: Annotated[int, _("Minimum")] = 0
    maximum: Annotated[int | None, _("Maximum")] = None
    maximum_by_size: Annotated[tuple[SizeStep, ...], _("Maximum by the gang’s size")] = ()


class ShareLimit(LimitRow):
    """At least ``part`` in ``whole`` of the members ``among`` are of a kind.

    Placeholders: count, among, needed.
    """

    kind: Annotated[Literal["share"], Values(share=_("A share of the members"))]
    of: Of
    among: Annotated[Selector, _("Among whom")] = Selector()
    part: Annotated[int, _("At least")]
    whole: Annotated[int, _("out of")]


class HighestLimit(LimitRow):
    """No other member has a higher rank than the members of a kind. Placeholders: name, rank."""

    kind: Annotated[Literal["highest"], Values(highest=_("Nobody is above them"))]
    of: Of


class ItemsLimit(LimitRow):
    """The number of items of a kind is within bounds.

    It counts the items of these ``groups`` with one of these ``item_tags`` (all if none are named),
    or their ``hands``: ``per`` member that ``of`` picks, in the whole gang (stash included), or
    ``copies`` of each single item in the gang. Placeholders: name (per member), item (copies),
    count, minimum, maximum.
    """

    kind: Annotated[Literal["items"], Values(items=_("Number of items of a kind"))]
    of: Of = Selector()
    groups: Annotated[tuple[GroupKey, ...], _("Kinds of items")] = ()
    item_tags: Annotated[tuple[ItemTag, ...], _("Items with the property")] = ()
    per: Annotated[
        Literal["member", "gang", "copies"],
        _("Counted per"),
        Values(member=_("member"), gang=_("gang"), copies=_("single item")),
    ]
    measure: Annotated[
        Literal["count", "hands"], _("Counts"), Values(count=_("items"), hands=_("hands"))
    ] = "count"
    minimum: Annotated[int, _("Minimum")] = 0
    maximum: Annotated[int | None, _("Maximum")] = None


class TraitsLimit(LimitRow):
    """The number of traits of a kind is within bounds.

    It counts the traits with one of these ``trait_tags`` (all if none are named), those of the rank
    among them and each as often as it was taken: ``per`` member that ``of`` picks, or of all these
    members together. Placeholders: name (per member), count, minimum, maximum.
    """

    kind: Annotated[Literal["trait_count"], Values(trait_count=_("Number of traits of a kind"))]
    of: Of = Selector()
    trait_tags: Annotated[tuple[TraitTag, ...], _("Traits with the property")] = ()
    per: Annotated[
        Literal["member", "gang"], _("Counted per"), Values(member=_("member"), gang=_("gang"))
    ] = "member"
    minimum: Annotated[int, _("Minimum")] = 0
    maximum: Annotated[int | None, _("Maximum")] = None


class HoldingsLimit(LimitRow):
    """The number of the gang's ``holdings`` (all if none are named) is within bounds.

    Placeholders: count, minimum, maximum.
    """

    kind: Annotated[Literal["holdings"], Values(holdings=_("Number of holdings"))]
    holdings: Annotated[tuple[HoldingKey, ...], _("Holdings")] = ()
    minimum: Annotated[int, _("Minimum")] = 0
    maximum: Annotated[int | None, _("Maximum")] = None


class CarriedLimit(LimitRow):
    """The places that a member's items take do not exceed a characteristic.

    Placeholders: name, count, maximum.
    """

    kind: Annotated[Literal["carried"], Values(carried=_("Places carried"))]
    characteristic: Annotated[NumberKey, _("Characteristic")]


class SquadLimit(LimitRow):
    """Squads have the size of their rank. Placeholders: squad, count, minimum, maximum."""

    kind: Annotated[Literal["squad"], Values(squad=_("Sizes of squads"))]


class MemberLimit(LimitRow):
    """A check of every member; the kind says which mistake it finds.

    ``level``: an item's level is above the characteristic it is compared with (placeholder
    ``excess``: by how much more than the member's allowance). ``points_over`` and ``points_left``:
    more, or fewer, points are spread than the member has. ``range``: a value is outside its bounds.
    ``traits``: more traits than the rank allows. ``repeated``: one trait twice. ``profession``: it
    is missing, or one too many. ``unnamed``: the member has no name. ``group``: more items of a
    group than a member may have. ``unavailable``: something is banned, or ruled out by the
    settings. ``unfit``: a trait, profession or origin is not for the member's rank, a trait is
    there without those that it requires, or two things exclude each other. ``unlisted``: an item is
    not among those offered to the member. ``owner``: the member belongs to nobody, or to somebody
    who cannot have them.
    """

    kind: Annotated[
        Literal[
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
            "unlisted",
            "owner",
        ],
        Values(
            level=_("Levels of items"),
            points_over=_("Too many points assigned"),
            points_left=_("Points left to assign"),
            range=_("Characteristics within their bounds"),
            traits=_("Most traits of a rank"),
            repeated=_("The same trait twice"),
            profession=_("Profession missing"),
            unnamed=_("Name missing"),
            group=_("Most items of a kind"),
            unavailable=_("Banned, or ruled out by the options"),
            unfit=_("Not for this rank"),
            unlisted=_("Not among the items offered to a member"),
            owner=_("Belongs to nobody, or to somebody who cannot have them"),
        ),
    ]


class PurseLimit(LimitRow):
    """A check of the gang's money: budget ``overspent`` or ``unspent``, or treasury in ``debt``; or
    of another ``currency``, in ``debt`` if more is spent than the gang has.

    Placeholders: amount, and budget for the first two.
    """

    kind: Annotated[
        Literal["overspent", "unspent", "debt"],
        Values(
            overspent=_("Budget overspent"), unspent=_("Budget left"), debt=_("Treasury below zero")
        ),
    ]
    currency: InCurrency = None


Limit = Annotated[
    CountLimit
    | ShareLimit
    | HighestLimit
    | ItemsLimit
    | TraitsLimit
    | HoldingsLimit
    | CarriedLimit
    | SquadLimit
    | MemberLimit
    | PurseLimit,
    Field(discriminator="kind"),
]
