"""Forms of the builder. Each only reads and converts; the acts decide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from accounts.language import language
from common.forms import NameField, NotesField, helper
from gangs.engine import actions, offers
from gangs.engine.actions import MOST_AT_ONCE, Description
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.offers import Offer
from gangs.engine.roster import Member, Roster
from gangs.text.formats import money_unit, refusal_sentence, spoken, with_unit
from rules.book.model import Book
from rules.book.schema import ChoiceSetting, Origin, Profession, Rank
from rules.book.schema import Setting as BookSetting
from rules.book.vocabulary import Settings


class SettingsMixin(forms.Form):
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
        """Add the fields; ``campaign``: also those that only matter between games, not those that
        each gang chooses for itself. ``free``: of ``disabled`` ones the latter may be changed."""
        self.book = book
        for setting in book.settings:
            if not (setting.gang_only if campaign else setting.campaign_only):
                field = _setting_field(setting)
                field.initial = current.get(setting.key, setting.default)
                field.disabled = disabled and not (setting.gang_only and free)
                self.fields[f"option-{setting.key}"] = field

    def chosen_settings(self) -> Settings:
        """The settings as chosen, by key; one left empty is at its default."""
        chosen: Settings = {}
        for setting in self.book.settings:
            if f"option-{setting.key}" in self.fields:
                value = self.cleaned_data[f"option-{setting.key}"]
                chosen[setting.key] = setting.default if value in ("", None) else value
        return chosen

    def option_fields(self) -> list[forms.BoundField]:
        """The settings' fields, for a template that folds them away."""
        return [self[name] for name in self.fields if name.startswith("option-")]


def _setting_field(setting: BookSetting) -> forms.Field:
    label, text = spoken(setting.name), spoken(setting.text)
    if isinstance(setting, ChoiceSetting):
        choices = [(choice.key, spoken(choice.name)) for choice in setting.choices]
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
        self.helper = helper()

    @property
    def origin_name(self) -> str:
        """The name of the field for where the gang is from."""
        return f"option-{self.book.origin_setting}"

    def origin_field(self) -> forms.BoundField | None:
        """The field for where the gang is from, which is no mere option; None if there is none."""
        return self[self.origin_name] if self.origin_name in self.fields else None

    def option_fields(self) -> list[forms.BoundField]:
        """The settings' fields to fold away: the others."""
        return [field for field in super().option_fields() if field.name != self.origin_name]


class AboutForm(SettingsMixin):
    """The gang's name, notes and options."""

    name = NameField(label=_("Name of the gang"))
    notes = NotesField(label=_("Notes"))

    def __init__(self, book: Book, roster: Roster, *args: Any, **options: Any):
        super().__init__(*args, **options)
        # What each gang chooses for itself it may still choose in a campaign, until it plays.
        self.add_settings(
            book,
            roster.settings,
            campaign=False,
            disabled=bool(roster.campaigns),
            free=not roster.playing,
        )
        self.helper = helper()


def origin_choices(computed: ComputedGang) -> list[tuple[str, str]]:
    """The origins to choose from, the gang's own first, as ""."""
    book = computed.book
    key = str(computed.roster.settings.get(book.origin_setting or "", ""))
    own = spoken(book.origin[key].name) if key in book.origin else _("none")
    others = [choice for choice in _named(offers.origins(computed)) if choice[0] != key]
    return [("", _("as the gang (%(origin)s)") % {"origin": own}), *others]


def origin_label(book: Book) -> str:
    """What the rulebook calls an origin: a people, a faction."""
    setting = book.setting.get(book.origin_setting or "")
    return spoken(setting.name) if setting else str(_("Origin"))


def _named(listed: Iterable[Offer[Origin]] | Iterable[Offer[Profession]]) -> list[tuple[str, str]]:
    return [(offer.row.key, spoken(offer.row.name)) for offer in listed]


def priced_origins(computed: ComputedGang) -> list[tuple[str, str]]:
    """The origins to choose from for a recruit; those that change prices say which: "Hills (Leader
    25)"."""
    book, roster = computed.book, computed.roster
    adjusted = (row.of for row in book.adjustments if row.on == "rank")
    if not any(of.origins or of.not_origins for of in adjusted):
        return origin_choices(computed)
    settings = tuple(sorted(roster.settings.items()))
    return list(_priced_origins(_Pricing(computed, book.digest, settings, roster.playing)))


@dataclass(frozen=True)
class _Pricing:
    """What the prices of recruits depend on, of all that there is to know of a gang."""

    computed: ComputedGang = field(compare=False)
    digest: str
    settings: tuple[tuple[str, str | int], ...]
    playing: bool
    language: str = field(default_factory=language)


@lru_cache(maxsize=64)
def _priced_origins(pricing: _Pricing) -> tuple[tuple[str, str], ...]:
    computed = pricing.computed
    own, *others = origin_choices(computed)
    usual = offers.rank_prices(computed)
    priced = [own]
    for key, name in others:
        prices = offers.rank_prices(computed, key).items()
        told = ", ".join(
            f"{spoken(computed.book.rank[rank].name)} {number_format(price)}"
            for rank, price in prices
            if price != usual[rank]
        )
        priced.append((key, f"{name} ({told})" if told else name))
    return tuple(priced)


def rank_choices(on_offer: Sequence[Offer[Rank]], unit: str) -> list[tuple[str, str]]:
    """The ranks on offer, each with its price and with what speaks against it."""
    choices = []
    for offer in on_offer:
        label = spoken(offer.row.name)
        if unit:
            label = f"{label} · {with_unit(offer.price, unit)}"
        remark = offer.refusal or offer.caution
        if remark is not None:
            label += f" ({refusal_sentence(remark)})"
        choices.append((offer.row.key, label))
    return choices


def proposed_rank(on_offer: Sequence[Offer[Rank]], *, leads: bool = False) -> str | None:
    """The rank that is proposed: the first, which leads, or the last, of which there are many; none
    that the rules frown upon, if there is another."""
    welcome = [offer for offer in on_offer if not (offer.refusal or offer.caution)] or on_offer
    return welcome[0 if leads else -1].row.key if welcome else None


class RecruitForm(forms.Form):
    """Recruit: which rank, how many, under which name, and from where if the game has origins."""

    rank = forms.ChoiceField(label=_("Rank"), widget=forms.RadioSelect)
    name = NameField(
        label=_("Name"), required=False, help_text=_("May wait. Several get a number behind it.")
    )
    count = forms.IntegerField(
        label=_("How many"), min_value=1, max_value=MOST_AT_ONCE, initial=1, required=False
    )
    origin = forms.ChoiceField(label=_("Origin"), required=False)

    def __init__(
        self,
        computed: ComputedGang,
        data: QueryDict | None = None,
        on_offer: Sequence[Offer[Rank]] | None = None,
    ) -> None:
        """``on_offer``: only these. With ``data`` alone, what the choices are called is not worked
        out: see ``offer``."""
        super().__init__(data)
        self.fields["origin"].label = origin_label(computed.book)
        if data is None or on_offer is not None:
            self.offer(computed, on_offer)
        else:
            self._choose("rank", [(row.key, "") for row in computed.book.ranks])
            self._choose("origin", origin_choices(computed))
        if len(self.fields["origin"].choices) < 2:  # type: ignore[attr-defined]
            del self.fields["origin"]
        self.helper = helper()

    def offer(self, computed: ComputedGang, on_offer: Sequence[Offer[Rank]] | None = None) -> None:
        """Say of every choice what it costs and what speaks against it, for whoever reads it."""
        on_offer = offers.ranks(computed) if on_offer is None else on_offer
        self._choose("rank", rank_choices(on_offer, money_unit(computed.book)))
        self.fields["rank"].initial = proposed_rank(on_offer, leads=self.lacks_leader(computed))
        if "origin" in self.fields:
            self._choose("origin", priced_origins(computed))

    def lacks_leader(self, computed: ComputedGang) -> bool:
        """Whether somebody who leads is proposed: here, to a gang without anybody."""
        return not computed.roster.members

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def entries(self, computed: ComputedGang, _next_id: int) -> list[Entry]:
        """What the form asks for. Raises Refusal."""
        data = self.cleaned_data
        return actions.recruit(
            computed, data["rank"], data["name"], data["count"], data.get("origin") or None
        )

    def clean_count(self) -> int:
        """One, if the field was left empty."""
        return self.cleaned_data.get("count") or 1


class MemberForm(forms.Form):
    """A member's name and notes, and what they are where the game asks for it."""

    name = NameField(label=_("Name"), required=False)
    profession = forms.ChoiceField(label=_("Profession"), required=False)
    origin = forms.ChoiceField(label=_("Origin"), required=False)
    squad = NameField(
        label=_("Squad"),
        required=False,
        max_length=40,
        help_text=_("Members with the same squad act together."),
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
            "notes": member.notes,
        }
        super().__init__(data, initial=initial, auto_id=f"id_{member.id}_%s")
        professions = [("", "–"), *_named(offers.professions(computed, member))]
        self._choose("profession", professions)
        book = computed.book
        if book.profession_name and "profession" in self.fields:
            self.fields["profession"].label = spoken(book.profession_name)
        if book.squad_name:
            self.fields["squad"].label = spoken(book.squad_name)
        # It has a price, so once the gang plays it is said when somebody joins.
        self.fields["origin"].label = origin_label(computed.book)
        self._choose("origin", [] if computed.roster.playing else origin_choices(computed))
        if computed.book.rank[member.rank].squad is None and not member.squad:
            del self.fields["squad"]
        self.helper = helper()

    def _choose(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        """Give a field its choices; without any but the empty one it is not asked for."""
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)
        if len(choices) < 2:
            del self.fields[name]

    def entries(self, computed: ComputedGang, _next_id: int) -> list[Entry]:
        """What the form says of the member; what it does not ask for stays as it is. Raises
        Refusal."""
        given = {name: value or None for name, value in self.cleaned_data.items()}
        description = Description(
            name=given["name"] or "",
            notes=given["notes"] or "",
            profession=given.get("profession", self.member.profession),
            origin=given.get("origin", self.member.origin),
            squad=given.get("squad", self.member.squad) or "",
        )
        return actions.describe(computed, self.member.id, description)
