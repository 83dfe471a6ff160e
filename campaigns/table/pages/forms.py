"""What is typed at a table."""

from __future__ import annotations

import re

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.forms import CrispyForm, NameField, set_choices
from gangs.access import TooManyGuesses, gang_of_code
from gangs.models import Gang
from gangs.pages.sharing import TOO_MANY_GUESSES
from gangs.text.formats import localized

# The end of the address under which a gang's sheet is shared.
SHARED = re.compile(r"(?:^|/)([0-9A-Za-z_-]{16,32})/?$")


class NoteForm(CrispyForm):
    """Something for the story that no button says."""

    text = NameField(label=gettext_lazy("A note for the story"), max_length=300)


class OpponentForm(CrispyForm):
    """Against which gang one plays without a campaign, if against one that is here: one's own, or
    one whose sheet is shared; and which scenario."""

    own = forms.ChoiceField(label=gettext_lazy("Another of your gangs"), required=False)
    link = NameField(
        label=gettext_lazy("Or the code or link of another player’s gang"),
        help_text=gettext_lazy("They find both on the gang’s page, under “Sharing”."),
        max_length=300,
        required=False,
    )
    scenario = forms.ChoiceField(label=gettext_lazy("Scenario"), required=False)

    def __init__(self, request: HttpRequest, gang: Gang, others: list[Gang]) -> None:
        super().__init__(request.POST if request.method == "POST" else None)
        self.request = request
        self.gang = gang
        self.others = {str(other.pk): other for other in others}
        names = [(key, other.name) for key, other in self.others.items()]
        set_choices(self, "own", [("", _("None: track this gang only")), *names])
        if not others:
            del self.fields["own"]
            self.fields["link"].label = _("The code or link of another player’s gang")
        rows = gang.book.under(gang.roster.settings).scenarios
        scenarios = [(row.key, localized(row.name)) for row in rows]
        set_choices(self, "scenario", [("", _("None of the rulebook’s")), *scenarios])
        if not scenarios:
            del self.fields["scenario"]

    def clean_link(self) -> Gang | None:
        """The gang that the code or the link leads to."""
        text = self.cleaned_data["link"]
        if not text:
            return None
        try:
            gang = self._shared(text)
        except TooManyGuesses:
            raise forms.ValidationError(str(TOO_MANY_GUESSES)) from None
        if gang is None:
            raise forms.ValidationError(_("No gang is shared under that code or link."))
        if gang.book.slug != self.gang.book.slug:
            raise forms.ValidationError(_("That gang plays another game."))
        if gang.pk == self.gang.pk:
            raise forms.ValidationError(_("That is this gang itself."))
        return gang

    def _shared(self, text: str) -> Gang | None:
        if key := SHARED.search(text):
            return Gang.objects.filter(share_key=key[1]).first()
        return gang_of_code(self.request, text)

    @property
    def gangs(self) -> list[Gang]:
        """Those who play, this gang first."""
        own = self.others.get(self.cleaned_data.get("own", ""))
        other = self.cleaned_data["link"] or own
        return [self.gang, other] if other is not None else [self.gang]
