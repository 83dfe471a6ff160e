"""The forms for importing a gang: its file, and the choices for a list of an army builder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.forms import CrispyForm, NameField
from gangs.files.lists import Game

ACCEPTED = "application/json,.json,.ros,.rosz"


class ImportForm(CrispyForm):
    """A gang's file, or a list of an army builder."""

    file = forms.FileField(
        label=gettext_lazy("Gang file"),
        help_text=gettext_lazy(
            "A .json file that was exported from this site or another; or a list of BattleScribe "
            "or New Recruit (.ros, .rosz, .json) for a game made from their catalogues."
        ),
        widget=forms.ClearableFileInput(attrs={"accept": ACCEPTED}),
    )


class ListForm(CrispyForm):
    """The game that a list is for, and the name of the gang."""

    game = forms.ChoiceField(label=gettext_lazy("Which game?"))
    name = NameField(label=gettext_lazy("Name of the gang"))

    def __init__(self, games: Sequence[Game], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.games = {game.version.pk: game for game in games}
        field = cast(forms.ChoiceField, self.fields["game"])
        none = ("", _("Choose the game of this list"))
        field.choices = [none, *((key, game.name) for key, game in self.games.items())]

    @property
    def chosen(self) -> Game:
        """The chosen game of a valid form."""
        return self.games[self.cleaned_data["game"]]
