"""Forms for a club's own trophies, and for an award."""

from __future__ import annotations

from typing import Any, get_args

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.forms import TokenField
from campaigns.models import Trophy
from campaigns.season.loading import LoadedSeason
from campaigns.season.trophies.storage import Recipient
from campaigns.season.trophies.text import count_name
from campaigns.statistics.chronicle import person_name
from campaigns.statistics.season_facts import SeasonGang
from campaigns.statistics.trophies import HeldTrophy
from common.forms import CrispyForm, NameField, helper, set_choices
from gangs.text.formats import localize
from rules.book.season import TrophyCount


class TrophyForm(CrispyForm):
    """A trophy of the club's own."""

    name = NameField(label=gettext_lazy("Name"))
    text = NameField(label=gettext_lazy("What it is for"), max_length=300, required=False)
    count = forms.ChoiceField(
        label=gettext_lazy("How to win it"),
        help_text=gettext_lazy("The site counts who has the most, or you award it yourself."),
    )
    token = TokenField()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        named = [(key, capfirst(count_name(key))) for key in get_args(TrophyCount)]
        set_choices(self, "count", [*named[-1:], *named[:-1]])
        self.helper = helper()


class TrophyAwardForm(CrispyForm):
    """An award: the trophy, the gang or member, and a reason."""

    trophy = forms.ChoiceField(label=gettext_lazy("Trophy"))
    to = forms.ChoiceField(label=gettext_lazy("Who gets it"))
    reason = NameField(
        label=gettext_lazy("Why?"),
        max_length=300,
        required=False,
        help_text=gettext_lazy("It is in the chronicle, for everybody to read."),
    )
    token = TokenField()

    def __init__(
        self, loaded: LoadedSeason, trophies: list[HeldTrophy], *args: Any, **options: Any
    ) -> None:
        """``trophies``: those that organisers award."""
        super().__init__(*args, **options)
        self.loaded = loaded
        named = [(_key(trophy), localize(trophy.name)) for trophy in trophies]
        set_choices(self, "trophy", named)
        field = self.fields["to"]
        assert isinstance(field, forms.ChoiceField)
        self.names: dict[str, str] = {}
        field.choices = [self._group(gang) for gang in loaded.season.gangs]
        self.helper = helper()

    def _group(self, gang: SeasonGang) -> tuple[str, list[tuple[str, str]]]:
        season = self.loaded.season
        members = {
            f"{gang.id}:{number}": localize(person_name(season, gang, number))
            for number in sorted(gang.people)
        }
        self.names |= members
        return season.names[gang.id], [(gang.id, _("The whole gang")), *members.items()]

    def recipient(self) -> Recipient:
        """The chosen gang or member, once the form is valid."""
        key: str = self.cleaned_data["to"]
        gang, _colon, member = key.partition(":")
        found = self.loaded.gangs[gang]
        return Recipient(found, int(member or 0), self.names.get(key, "")[:80])

    def chosen(self) -> Trophy | str | None:
        """The club's trophy, or the key of the rulebook's, once the form is valid; None if it was
        deleted meanwhile."""
        kind, _colon, key = self.cleaned_data["trophy"].partition(":")
        return Trophy.objects.filter(pk=int(key)).first() if kind == "own" else str(key)


def _key(trophy: HeldTrophy) -> str:
    return f"{'own' if trophy.own else 'book'}:{trophy.key}"
