"""Forms of the builder. They only read and convert input; ``gangs.engine.actions`` decides."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.errors import Refusal
from common.forms import CrispyForm, NameField, NotesField, set_choices
from common.text import one_line
from gangs.cards.values import Card
from gangs.engine import actions, offers
from gangs.engine.actions import MOST_AT_ONCE
from gangs.engine.belonging import find_owners, may_change_owner
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry, ItemDeclared
from gangs.engine.offers import Offer
from gangs.engine.own_items import tags_of
from gangs.engine.roster import Member, Roster
from gangs.text.formats import localize, money_unit, refusal_sentence, say_price
from rules.book.model import Book, Sample
from rules.book.schema import ChoiceSetting, Item, ItemGroup, Origin, Profession, Rank, Setting
from rules.book.vocabulary import Settings, Text, name_of
from rules.odds.player_items import readable

# A number, a dash or a dot before a line of a list.
BULLET = re.compile(r"^(?:[-*•–—]|\d{1,3}[.)])\s+")
# The number of items that serve as examples for a tag.
TAG_EXAMPLES = 3


class SettingsMixin(CrispyForm):
    """Adds a field for each of a rulebook's settings, and reads them back."""

    book: Book

    def add_settings(
        self,
        book: Book,
        current: Settings,
        *,
        campaign: bool,
        disabled: bool = False,
        free: bool = False,
    ) -> None:
        """Add the fields.

        ``campaign``: include settings that only matter between games, and leave out those that each
        gang chooses for itself; ``free``: keep the latter enabled although the rest is
        ``disabled``.
        """
        self.book = book
        for setting in book.settings:
            if not (setting.gang_only if campaign else setting.campaign_only):
                field = _setting_field(setting)
                field.initial = current.get(setting.key, setting.default)
                field.disabled = disabled and not (setting.gang_only and free)
                self.fields[f"option-{setting.key}"] = field

    def chosen_settings(self) -> Settings:
        """The chosen settings by key; an empty field means the default."""
        chosen: Settings = {}
        for setting in self.book.settings:
            if f"option-{setting.key}" in self.fields:
                value = self.cleaned_data[f"option-{setting.key}"]
                chosen[setting.key] = setting.default if value in ("", None) else value
        return chosen

    def option_fields(self) -> list[forms.BoundField]:
        """The settings' fields, which templates fold away."""
        return [self[name] for name in self.fields if name.startswith("option-")]


def _setting_field(setting: Setting) -> forms.Field:
    label, text = localize(setting.name), localize(setting.text)
    if isinstance(setting, ChoiceSetting):
        choices = [(choice.key, localize(choice.name)) for choice in setting.choices]
        return forms.ChoiceField(label=label, help_text=text, choices=choices, required=False)
    return forms.IntegerField(
        label=label,
        help_text=text,
        min_value=setting.minimum,
        max_value=setting.maximum,
        required=False,
    )


class FoundForm(SettingsMixin):
    """Found a gang: its name and the rulebook's options."""

    name = NameField(label=_("Name of the gang"))

    def __init__(self, book: Book, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.add_settings(book, {}, campaign=False)

    @property
    def origin_name(self) -> str:
        """The name of the field for the gang's origin."""
        return f"option-{self.book.origin_setting}"

    def origin_field(self) -> forms.BoundField | None:
        """The field for the gang's origin, shown before the options; None if there is none."""
        return self[self.origin_name] if self.origin_name in self.fields else None

    def option_fields(self) -> list[forms.BoundField]:
        """The settings' fields to fold away: all but the origin."""
        return [field for field in super().option_fields() if field.name != self.origin_name]


class SampleForm(CrispyForm):
    """Take a ready-made gang. Asks for a name if a visible gang already has the sample's."""

    gang_name = NameField(label=_("Name of the gang"), required=False)

    def __init__(self, sample: Sample, taken: Container[str], data: QueryDict | None) -> None:
        """``taken``: the case-folded names of the visible gangs."""
        super().__init__(data, auto_id=f"id_{sample.key}_%s")
        self.sample, self.taken = sample, taken
        self.asks = sample.name.casefold() in taken
        if self.asks:
            self.fields["gang_name"].required = True
            self.fields["gang_name"].help_text = gettext(
                "“%(name)s” is taken: call this one something else."
            ) % {"name": sample.name}

    def clean_gang_name(self) -> str:
        """Reject a name that is taken."""
        name = str(self.cleaned_data["gang_name"])
        if self.asks and name.casefold() in self.taken:
            raise ValidationError(gettext("This name is taken, too."), "taken")
        return name


class AboutForm(SettingsMixin):
    """The gang's name, notes and options."""

    name = NameField(label=_("Name of the gang"))
    notes = NotesField(label=_("Notes"))

    def __init__(self, book: Book, roster: Roster, data: QueryDict | None) -> None:
        super().__init__(data, initial={"name": roster.name, "notes": roster.notes})
        # In a campaign, a gang may change its own settings until it plays.
        self.add_settings(
            book,
            roster.settings,
            campaign=False,
            disabled=bool(roster.campaigns),
            free=not roster.playing,
        )

    def entries(self, computed: ComputedGang) -> list[Entry]:
        """The entries that change the gang. Raises Refusal."""
        name, notes = self.cleaned_data["name"], self.cleaned_data["notes"]
        settings = self.chosen_settings()
        return actions.change_gang(computed, name=name, notes=notes, settings=settings)


def origin_choices(computed: ComputedGang, member: Member | None = None) -> list[tuple[str, str]]:
    """The origins to choose from for a recruit or a ``member``, the gang's own first, as ""."""
    book = computed.book
    key = str(computed.roster.settings.get(book.origin_setting or "", ""))
    own = localize(book.origin[key].name) if key in book.origin else _("none")
    listed = _named(offers.origins(computed, member.rank if member else None))
    if member and member.origin in book.origin and not listed:
        # A newer rulebook does not allow the origin that they have.
        listed = [(member.origin, localize(book.origin[member.origin].name))]
    others = [choice for choice in listed if choice[0] != key]
    return [("", _("same as the gang (%(origin)s)") % {"origin": own}), *others]


def owner_choices(computed: ComputedGang) -> list[tuple[str, str]]:
    """The members to choose an owner from, for recruits of the ranks that belong to one; "" for the
    others."""
    rows = [row for row in computed.rules.recruited if row.belongs_to is not None]
    ids = {one.id for row in rows for one in find_owners(computed, row)}
    return [
        ("", "–"),
        *_called(computed, (one for one in computed.roster.members if one.id in ids)),
    ]


def _called(computed: ComputedGang, members: Iterable[Member]) -> list[tuple[str, str]]:
    return [(str(one.id), localize(one.name_or_rank(computed.book))) for one in members]


def origin_label(book: Book) -> str:
    """The rulebook's word for an origin: people, faction..."""
    setting = book.setting.get(book.origin_setting or "")
    return localize(setting.name) if setting else str(_("Origin"))


def _named(listed: Iterable[Offer[Origin]] | Iterable[Offer[Profession]]) -> list[tuple[str, str]]:
    return [(offer.row.key, localize(offer.row.name)) for offer in listed]


def priced_origins(computed: ComputedGang) -> list[tuple[str, str]]:
    """The origins for a recruit, each with the prices that it changes: "Hills (Leader 25)"."""
    adjusted = [row.of for row in computed.book.adjustments if row.on == "rank"]
    if not any(of.origins or of.not_origins for of in adjusted):
        return origin_choices(computed)

    def adjusts(origin: str) -> list[tuple[bool, bool]]:
        """Which adjustments tell this origin from others."""
        return [(origin in of.origins, origin in of.not_origins) for of in adjusted]

    own, *others = origin_choices(computed)
    usual = adjusts(str(computed.roster.settings.get(computed.book.origin_setting or "", "")))
    prices = offers.rank_prices(computed)
    priced = [own]
    for key, name in others:
        # Most origins change no price.
        found = {} if adjusts(key) == usual else offers.rank_prices(computed, key)
        different = ", ".join(
            f"{localize(computed.book.rank[rank].name)} {number_format(price)}"
            for rank, price in found.items()
            if price != prices[rank]
        )
        priced.append((key, f"{name} ({different})" if different else name))
    return priced


def rank_choices(book: Book, on_offer: Sequence[Offer[Rank]]) -> list[tuple[str, str]]:
    """The ranks on offer, each with its price and the reason against it, if any."""
    choices = []
    for offer in on_offer:
        label = localize(offer.row.name)
        if price := say_price(book, offer.price, offer.row.costs):
            label = f"{label} · {price}"
        remark = offer.refusal or offer.caution
        if remark is not None:
            label += f" · {refusal_sentence(remark)}"
        choices.append((offer.row.key, label))
    return choices


def proposed_rank(on_offer: Sequence[Offer[Rank]], *, leads: bool = False) -> str | None:
    """The rank to propose: the first, if the recruit should lead, or else the last, which is the
    most common. Ranks with a remark against them are proposed only if there is no other."""
    welcome = [offer for offer in on_offer if not (offer.refusal or offer.caution)] or on_offer
    return welcome[0 if leads else -1].row.key if welcome else None


def ask(form: forms.Form, name: str, choices: Sequence[tuple[str, str]]) -> None:
    """Give a field its choices, or remove it if there is only the empty one."""
    set_choices(form, name, choices)
    if len(choices) < 2:
        del form.fields[name]


# The most ranks that are shown one below the other. A phone has room for a third of them.
MOST_SHOWN = 30


class RecruitForm(CrispyForm):
    """Recruit: rank, number, name, and an origin if the game has them."""

    rank = forms.ChoiceField(label=_("Rank"), widget=forms.RadioSelect)
    name = NameField(
        label=_("Name"),
        required=False,
        help_text=_("Optional. Recruit several and they are numbered."),
    )
    count = forms.IntegerField(
        label=_("How many"), min_value=1, max_value=MOST_AT_ONCE, initial=1, required=False
    )
    origin = forms.ChoiceField(label=_("Origin"), required=False)
    owner = forms.TypedChoiceField(
        label=_("Belongs to"), required=False, coerce=int, empty_value=None
    )

    def __init__(
        self,
        computed: ComputedGang,
        data: QueryDict | None = None,
        on_offer: Sequence[Offer[Rank]] | None = None,
    ) -> None:
        """``on_offer``: only these ranks. If only ``data`` is given, the choices get no labels:
        call ``offer`` before showing the form."""
        super().__init__(data)
        self.fields["origin"].label = origin_label(computed.book)
        if data is None or on_offer is not None:
            self.offer(computed, on_offer)
        else:
            set_choices(self, "rank", [(row.key, "") for row in computed.book.ranks])
            ask(self, "origin", origin_choices(computed))
            ask(self, "owner", owner_choices(computed))

    def offer(self, computed: ComputedGang, on_offer: Sequence[Offer[Rank]] | None = None) -> None:
        """Label every choice with its price and the reason against it."""
        self.on_offer = on_offer = offers.ranks(computed) if on_offer is None else on_offer
        if len(on_offer) > MOST_SHOWN:
            self.fields["rank"].widget = forms.Select()
        set_choices(self, "rank", rank_choices(computed.book, on_offer))
        self.fields["rank"].initial = proposed_rank(on_offer, leads=self.lacks_leader(computed))
        if "origin" in self.fields:
            ask(self, "origin", priced_origins(computed))
        if "owner" in self.fields:
            ask(self, "owner", owner_choices(computed))

    def propose(self, rank: str) -> None:
        """Preselect a rank, if it is on offer."""
        field = self.fields["rank"]
        assert isinstance(field, forms.ChoiceField)
        if field.valid_value(rank):
            field.initial = rank

    def lacks_leader(self, computed: ComputedGang) -> bool:
        """Whether to propose a leader: here, for a gang without members."""
        return not computed.roster.members

    def entries(self, computed: ComputedGang, next_id: int) -> list[Entry]:
        """The entries that recruit; ``next_id``: the number of the first. Raises Refusal."""
        data = self.cleaned_data
        return actions.recruit(
            computed,
            data["rank"],
            data["name"],
            data["count"],
            data.get("origin") or None,
            next_id,
            data.get("owner"),
        )

    def clean_count(self) -> int:
        """Take an empty field as 1."""
        return self.cleaned_data.get("count") or 1


class MemberForm(CrispyForm):
    """A member's name and notes, and their profession, origin and squad if the game has them."""

    name = NameField(label=_("Name"), required=False)
    profession = forms.ChoiceField(label=_("Profession"), required=False)
    origin = forms.ChoiceField(label=_("Origin"), required=False)
    squad = NameField(
        label=_("Squad"),
        required=False,
        max_length=40,
        help_text=_("Members with the same squad act together."),
    )
    owner = forms.TypedChoiceField(
        label=_("Belongs to"), required=False, coerce=int, empty_value=None
    )
    notes = NotesField(label=_("Notes"))

    def __init__(
        self, computed: ComputedGang, member: Member, data: QueryDict | None = None
    ) -> None:
        self.member = member
        # Several cards may be open on one page, so each form's ids carry the member's number.
        initial = {
            "name": member.name,
            "profession": member.profession or "",
            "origin": member.origin or "",
            "squad": member.squad,
            "owner": member.owner or "",
            "notes": member.notes,
        }
        super().__init__(data, initial=initial, auto_id=f"id_{member.id}_%s")
        book = computed.book
        if book.profession_name:
            self.fields["profession"].label = localize(book.profession_name)
        if book.squad_name:
            self.fields["squad"].label = localize(book.squad_name)
        self.fields["origin"].label = origin_label(book)
        ask(self, "profession", [("", "–"), *_named(offers.professions(computed, member))])
        # An origin affects prices, so once the gang plays it is fixed when somebody joins.
        ask(self, "origin", [] if computed.roster.playing else origin_choices(computed, member))
        if book.rank[member.rank].squad is None and not member.squad:
            del self.fields["squad"]
        owners: list[Member] = []
        if may_change_owner(computed, member):
            owners = find_owners(computed, book.rank[member.rank], member.id)
        ask(self, "owner", [("", "–"), *_called(computed, owners)])

    def entries(self, computed: ComputedGang) -> list[Entry]:
        """The entries that change the member; missing fields change nothing. Raises Refusal."""
        given = {name: value or None for name, value in self.cleaned_data.items()}
        return actions.describe(
            computed,
            self.member.id,
            name=given["name"] or "",
            notes=given["notes"] or "",
            profession=given.get("profession", self.member.profession),
            origin=given.get("origin", self.member.origin),
            squad=given.get("squad", self.member.squad) or "",
            owner=self.cleaned_data.get("owner"),
        )


class NamesForm(forms.Form):
    """The names of all members, each in a field of their own."""

    def __init__(self, computed: ComputedGang, data: QueryDict | None = None) -> None:
        super().__init__(data, auto_id="id_name_%s")
        self.members = {f"name-{one.id}": one for one in computed.roster.members}
        for field, member in self.members.items():
            label = localize(name_of(computed.book.rank, member.rank))
            # Members of one rank are otherwise alike as long as they have no name.
            gear = ", ".join(localize(name_of(computed.book.item, one.key)) for one in member.items)
            self.fields[field] = NameField(
                label=label, help_text=gear, required=False, initial=member.name
            )

    def entries(self, computed: ComputedGang) -> list[Entry]:
        """The entries that name the members. Raises Refusal."""
        names = {one.id: self.cleaned_data[field] for field, one in self.members.items()}
        return actions.name_members(computed, names)


class PasteForm(forms.Form):
    """A pasted list of names, one a line, for the members in their order."""

    # It is folded inside the form of names, whose other buttons must work while it is empty.
    use_required_attribute = False

    names = NotesField(
        label=_("Names, one a line"),
        required=True,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 6, "class": "form-control"}),
    )
    whom = forms.ChoiceField(
        label=_("For"),
        required=False,
        initial="unnamed",
        widget=forms.RadioSelect(attrs={"class": "form-check-input"}),
        choices=[
            ("unnamed", _("those without a name, in their order")),
            ("all", _("all members, in their order")),
        ],
    )

    def fill(self, fields: Iterable[str], data: QueryDict) -> tuple[int, list[str]]:
        """Fill the names of a valid form into the data of a NamesForm with these ``fields``.
        Returns how many there was room for, and the rest."""
        everybody = self.cleaned_data["whom"] == "all"
        lines = (BULLET.sub("", one_line(line)) for line in self.cleaned_data["names"].split("\n"))
        names = [line for line in lines if line]
        places = [field for field in fields if everybody or not one_line(data.get(field, ""))]
        for field, name in zip(places, names, strict=False):
            data[field] = name
        return min(len(names), len(places)), names[len(places) :]


class PointsForm(forms.Form):
    """Spread points: a field for each characteristic, with the traits gained by raising it."""

    def __init__(self, card: Card, book: Book, data: QueryDict | None = None) -> None:
        super().__init__(data, auto_id=f"id_{card.id}_%s", prefix="spread")
        self.stats = {stat.key: stat for stat in card.stats if stat.bought_with_points}
        self.member = card.id
        for key, stat in self.stats.items():
            self.fields[key] = forms.IntegerField(
                label=stat.name,
                help_text=_coming(book, key, stat.natural),
                initial=stat.natural,
                min_value=stat.least,
                max_value=stat.most,
                error_messages={
                    "required": _("Enter a number."),
                    "invalid": _("Enter a number."),
                    "min_value": _("At least %(limit_value)s."),
                    "max_value": _("At most %(limit_value)s."),
                },
            )

    def entries(self, computed: ComputedGang) -> list[Entry]:
        """The entries that spread the points. Raises Refusal."""
        if not self.stats:
            raise Refusal("not_offered")
        stats = self.stats.items()
        amounts = {key: self.cleaned_data[key] - stat.natural for key, stat in stats}
        return actions.spread_points(computed, self.member, amounts)


def _coming(book: Book, characteristic: str, value: int) -> str:
    """The traits that a member gains at higher values, "4: Quickdraw"."""
    return " · ".join(
        f"{trait.gained_at.value}: {localize(trait.name)}"
        for trait in book.traits
        if trait.gained_at is not None
        and trait.gained_at.characteristic == characteristic
        and trait.gained_at.value > value
    )


class OwnItemForm(CrispyForm):
    """A custom item, with the columns of its group.

    Asks for a price if the game has money, and for tags if items of the group have any.
    """

    name = NameField(label=_("Name"))

    def __init__(self, book: Book, group: ItemGroup, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.book, self.group = book, group
        self.fields["name"].widget.attrs["autofocus"] = True
        unit = money_unit(book)
        if unit:
            self.fields["price"] = forms.IntegerField(
                label=_("Price (%(unit)s)") % {"unit": unit}, min_value=0, max_value=10_000
            )
        if group.level_against is not None:
            self.fields["level"] = forms.IntegerField(
                label=_("Level"),
                min_value=0,
                max_value=100,
                required=False,
                help_text=_("Empty: same as the price."),
            )
        kind = [item for item in book.items if item.group == group.key]
        if group.slots or any(item.hands is not None for item in kind):
            self.fields["hands"] = forms.IntegerField(
                label=_("Hands"), min_value=0, max_value=9, required=False
            )
        for column in group.columns:
            field = NameField(label=localize(column.name), required=False, max_length=40)
            self.fields[f"column-{column.key}"] = field
        self.fields["text"] = NameField(label=_("What it does"), required=False)
        self.changes = [row for row in book.characteristics if row.kind == "number"]
        for row in self.changes:
            label = _("Adds to %(characteristic)s") % {"characteristic": localize(row.name)}
            added = forms.IntegerField(label=label, min_value=-20, max_value=20, required=False)
            added.widget.attrs["placeholder"] = "0"
            self.fields[f"adds-{row.key}"] = added
        tags = tags_of(book, group.key)
        if tags:
            self.fields["tags"] = forms.MultipleChoiceField(
                label=_("Counts as"),
                choices=[(tag, _tag_label(book, tag, names)) for tag, names in tags.items()],
                widget=forms.CheckboxSelectMultiple,
                required=False,
                help_text=_("What the gear rules treat it as."),
            )

    def clean(self) -> dict[str, Any]:
        """Reject cells that rolls cannot read."""
        data = super().clean() or self.cleaned_data
        for column in self.group.columns:
            written = data.get(f"column-{column.key}") or ""
            if written and not readable(self.book, self.group, column, written):
                sentence = _("Rolls cannot use that. Write it like %(value)s, or leave it empty.")
                values = {"value": "D8" if column.kind == "die" else "4, +2, 3+1D6"}
                self.add_error(f"column-{column.key}", sentence % values)
        return data

    def entries(self, computed: ComputedGang) -> list[Entry]:
        """The entry that declares the item. Raises Refusal."""
        data = self.cleaned_data
        columns = {column.key: data[f"column-{column.key}"] for column in self.group.columns}
        level = data.get("level")
        price = data.get("price") or 0
        if level is None and self.group.level_against is not None:
            level = min(price, 100)
        declared = ItemDeclared(
            name=data["name"],
            group=self.group.key,
            price=price,
            level=level,
            hands=data.get("hands"),
            columns={key: value for key, value in columns.items() if value},
            text=data["text"],
            tags=tuple(data.get("tags", ())),
            adds={row.key: more for row in self.changes if (more := data[f"adds-{row.key}"])},
        )
        return actions.declare_item(computed, declared)


def as_typed(item: Item) -> dict[str, object]:
    """The form's initial values for an item like this one, without its name."""
    columns = {f"column-{key}": localize(value) for key, value in item.columns.items()}
    values = {"price": item.price, "level": item.level, "hands": item.hands}
    adds = {f"adds-{one.characteristic}": one.amount for one in item.effects if one.kind == "add"}
    return {
        **values,
        **columns,
        **adds,
        "text": localize(item.text or "")[:80],
        "tags": sorted(item.tags),
    }


def _tag_label(book: Book, tag: str, names: Sequence[Text]) -> str:
    """A tag's label: its name or key, and examples of items that have it."""
    named = book.tag.get(tag)
    label = localize(named.name) if named else tag.replace("_", " ").replace("-", " ").capitalize()
    examples = ", ".join(localize(name) for name in names[:TAG_EXAMPLES])
    if len(names) > TAG_EXAMPLES:
        examples += "…"
    return f"{label} ({examples})"
