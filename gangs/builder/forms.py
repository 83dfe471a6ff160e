"""Forms of the builder. Each only reads and converts; the acts decide."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.http import HttpRequest, QueryDict
from django.utils.formats import number_format
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from gangs import offers
from gangs.acts import MOST_AT_ONCE, Description
from gangs.offers import Offer
from gangs.roster import Member, Roster
from gangs.scene import Scene
from gangs.wording import money_unit, refusal_sentence, spoken, with_unit
from rules.book import Book
from rules.costing import Points
from rules.schema import ChoiceSetting, Origin, Profession, Rank
from rules.schema import Setting as BookSetting
from rules.vocabulary import Settings

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def helper() -> FormHelper:
    """Crispy's layout for a form whose tag, buttons and state the template writes."""
    layout = FormHelper()
    layout.form_tag = False
    layout.disable_csrf = True
    return layout


def form_token(data: QueryDict, path: str) -> str:
    """What makes a submission the same as another: page, version seen, address and all fields.

    A double click sends the same page's token with the same fields, and so the same form token; a
    second tab, or the same decision taken again on purpose, does not.
    """
    parts = [path]
    for key in sorted(data):
        if key != "csrfmiddlewaretoken":
            parts.append(key)
            parts.extend(data.getlist(key))
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


def number(text: str | None) -> int | None:
    """A number out of a request: a version, an id, a place; None if it is none."""
    if text and text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    return None


def numbers(data: QueryDict, name: str) -> frozenset[int]:
    """All the numbers that a request gives under one name, as by ticked boxes."""
    return frozenset(found for text in data.getlist(name) if (found := number(text)) is not None)


def seen(data: QueryDict, name: str) -> int:
    """A number that the page was drawn with; -1 (never right) if it says none."""
    found = number(data.get(name))
    return -1 if found is None else found


def version_seen(request: HttpRequest) -> int:
    """The version of the gang that the page was drawn from; -1 (never right) if it says none."""
    return seen(request.POST, "version")


class NameField(forms.CharField):
    """A name: one line, without control characters or blanks at its ends."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": 80, **options})

    def to_python(self, value: Any) -> str:
        """The name, with inner runs of blanks made one."""
        return CONTROL.sub("", " ".join(str(super().to_python(value) or "").split()))


class NotesField(forms.CharField):
    """Free notes."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 2})
        super().__init__(required=False, max_length=4000, widget=widget, **options)

    def to_python(self, value: Any) -> str:
        """The notes, with plain line ends."""
        text = str(super().to_python(value) or "").replace("\r\n", "\n")
        return CONTROL.sub("", text)


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


def origin_choices(scene: Scene) -> list[tuple[str, str]]:
    """The origins to choose from, the gang's own first, as ""."""
    book = scene.book
    key = str(scene.roster.settings.get(book.origin_setting or "", ""))
    own = spoken(book.origin[key].name) if key in book.origin else _("none")
    others = [choice for choice in _named(offers.origins(scene)) if choice[0] != key]
    return [("", _("as the gang (%(origin)s)") % {"origin": own}), *others]


def origin_label(book: Book) -> str:
    """What the rulebook calls an origin: a people, a faction."""
    setting = book.setting.get(book.origin_setting or "")
    return spoken(setting.name) if setting else str(_("Origin"))


def _named(listed: Iterable[Offer[Origin]] | Iterable[Offer[Profession]]) -> list[tuple[str, str]]:
    return [(offer.row.key, spoken(offer.row.name)) for offer in listed]


def _other_prices(scene: Scene, origin: str, usual: dict[str, Points]) -> str:
    """What members of this origin cost, where it is not the usual price: " (Leader 25)"."""
    others = [
        f"{spoken(offer.row.name)} {number_format(offer.price)}"
        for offer in offers.ranks(scene, origin)
        if offer.price != usual.get(offer.row.key)
    ]
    return f" ({', '.join(others)})" if others else ""


def priced_origins(scene: Scene) -> list[tuple[str, str]]:
    """The origins to choose from for a recruit; those that change prices say which.

    What they say is worked out when it is read: a choice that was sent is known by its key.
    """
    if not money_unit(scene.book):
        return origin_choices(scene)

    @cache
    def usual() -> dict[str, Points]:
        return {offer.row.key: offer.price for offer in offers.ranks(scene)}

    def said(key: str, name: str) -> str:
        return f"{name}{_other_prices(scene, key, usual())}"

    told = lazy(said, str)
    return [(key, told(key, name) if key else name) for key, name in origin_choices(scene)]


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

    def __init__(self, scene: Scene, *args: Any, fresh: bool = False, **options: Any) -> None:
        """``fresh``: the gang has nobody yet, so the first rank, which leads, is proposed;
        otherwise the last, of which there are many. None that the rules frown upon."""
        super().__init__(*args, **options)
        self.offers = offers.ranks(scene)
        field = self.fields["rank"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = rank_choices(self.offers, money_unit(scene.book))
        field.initial = proposed_rank(self.offers, leads=fresh)
        self._offer_origins(scene)
        self.helper = helper()

    def _offer_origins(self, scene: Scene) -> None:
        """Ask for the origin where there is a choice."""
        choices = priced_origins(scene)
        if len(choices) < 2:
            del self.fields["origin"]
            return
        field = self.fields["origin"]
        assert isinstance(field, forms.ChoiceField)
        field.label = origin_label(scene.book)
        field.choices = choices

    def chosen_origin(self) -> str | None:
        """The origin chosen; None: the gang's."""
        return self.cleaned_data.get("origin") or None

    def clean_count(self) -> int:
        """One, if the field was left empty."""
        return self.cleaned_data.get("count") or 1


class MemberForm(forms.Form):
    """A member's name and notes, and what he is where the game asks for it."""

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

    def __init__(self, scene: Scene, member: Member, data: QueryDict | None = None) -> None:
        # Several cards may be open on one page, so each form's ids carry the member's number.
        initial = {
            "name": member.name,
            "profession": member.profession or "",
            "origin": member.origin or "",
            "squad": member.squad,
            "notes": member.notes,
        }
        super().__init__(data, initial=initial, auto_id=f"id_{member.id}_%s")
        professions = [("", "–"), *_named(offers.professions(scene, member))]
        self._choose("profession", professions)
        book = scene.book
        if book.profession_name and "profession" in self.fields:
            self.fields["profession"].label = spoken(book.profession_name)
        if book.squad_name:
            self.fields["squad"].label = spoken(book.squad_name)
        # It has a price, so once the gang plays it is said when somebody joins.
        self.fields["origin"].label = origin_label(scene.book)
        self._choose("origin", [] if scene.roster.playing else origin_choices(scene))
        if scene.book.rank[member.rank].squad is None and not member.squad:
            del self.fields["squad"]
        self.helper = helper()

    def _choose(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        """Give a field its choices; without any but the empty one it is not asked for."""
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)
        if len(choices) < 2:
            del self.fields[name]

    def said(self, current: Member) -> Description:
        """What the form says; what it does not ask for stays as it is."""
        data = self.cleaned_data
        return Description(
            name=data["name"],
            notes=data["notes"],
            profession=(data["profession"] or None)
            if "profession" in self.fields
            else current.profession,
            origin=(data["origin"] or None) if "origin" in self.fields else current.origin,
            squad=data["squad"] if "squad" in self.fields else current.squad,
        )


class ImportForm(forms.Form):
    """A gang's file."""

    file = forms.FileField(
        label=_("Gang file"),
        help_text=_("A .json file that was exported from this site or another."),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["file"].widget.attrs["accept"] = "application/json,.json"
        self.helper = helper()
