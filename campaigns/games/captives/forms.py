"""The form to offer a bargain about captives. It only reads and converts."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.engine.captives import Captive, Party, Terms, total_ransom
from campaigns.forms import TokenField
from campaigns.games.captives.bargains import Prisoner
from common.forms import NameField, helper, set_choices
from gangs.models import Gang
from gangs.text.formats import money_unit, shown_name, with_unit
from rules.engine.costing import Points, whole


class BargainForm(forms.Form):
    """The captives to set free on either side, the gang that pays, and the ransom.

    ``names``: of all gangs of the campaign.
    """

    frees = forms.MultipleChoiceField(
        label=gettext_lazy("Who is set free?"), widget=forms.CheckboxSelectMultiple
    )
    payer = forms.ChoiceField(
        label=gettext_lazy("Who pays a ransom?"), widget=forms.RadioSelect, required=False
    )
    ransom = forms.DecimalField(
        label=gettext_lazy("Ransom"), min_value=0, max_value=1_000_000, required=False
    )
    note = NameField(label=gettext_lazy("Message (optional)"), max_length=300, required=False)
    token = TokenField()

    def __init__(
        self,
        giver: Gang,
        taker: Gang,
        found: Sequence[Prisoner],
        names: Mapping[uuid.UUID, str],
        *args: Any,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.gangs: dict[Party, Gang] = {"giver": giver, "taker": taker}
        self.names: dict[Party, str] = {"giver": names[giver.pk], "taker": names[taker.pk]}
        self.captives: dict[str, tuple[Party, Captive]] = {}
        for prisoner in found:
            party: Party = "giver" if prisoner.gang == giver else "taker"
            self.captives[f"{party}-{prisoner.captive.member.id}"] = (party, prisoner.captive)
        set_choices(self, "frees", [(key, self._label(key)) for key in self.captives])
        book = giver.book
        if book.money is None:
            del self.fields["payer"], self.fields["ransom"]
        else:
            captive = {party for party, _held in self.captives.values()}
            payers = [(party, name) for party, name in self.names.items() if party in captive]
            nobody = ("", _("Nobody: exchange or release"))
            set_choices(self, "payer", [nobody, *payers])
            if all(captive.price is not None for _party, captive in self.captives.values()):
                del self.fields["ransom"]
            else:
                self.fields["ransom"].label = _("Ransom (%(unit)s)") % {"unit": money_unit(book)}
                self.fields["ransom"].widget = forms.TextInput(
                    attrs={"inputmode": "decimal", "autocomplete": "off"}
                )
        self.helper = helper()

    def _label(self, key: str) -> str:
        party, captive = self.captives[key]
        gang = self.gangs[party]
        label = f"{shown_name(gang.book, captive.member)} · {self.names[party]}"
        if captive.price and gang.book.money is not None:
            price = with_unit(captive.price, money_unit(gang.book))
            return _("%(who)s, ransom %(price)s") % {"who": label, "price": price}
        return label

    def clean_ransom(self) -> Points:
        """Check that the ransom is in whole points or halves."""
        ransom: Decimal = self.cleaned_data["ransom"] or Decimal(0)
        if (2 * ransom) % 1:
            raise forms.ValidationError(_("Whole points or halves."), "fraction")
        return whole(float(ransom))

    def clean(self) -> dict[str, Any]:
        """Check that a gang that pays names a sum, and pays for its own members."""
        data: dict[str, Any] = self.cleaned_data
        payer = data.get("payer")
        if payer and "frees" in data and not self._freed(payer):
            name = self.names[payer]
            self.add_error("payer", _("Nobody from %(gang)s is set free.") % {"gang": name})
        if "ransom" in self.fields and "ransom" in data:
            if payer and not data["ransom"]:
                self.add_error("ransom", _("How much?"))
            elif data["ransom"] and not payer:
                self.add_error("payer", _("Who pays that?"))
        return data

    def _freed(self, party: str) -> list[Captive]:
        chosen = [self.captives[key] for key in self.cleaned_data["frees"]]
        return [captive for side, captive in chosen if side == party]

    def terms(self) -> Terms:
        """The terms of the offer. Takes the ransom from the rules, where they fix it."""
        data = self.cleaned_data
        payer = data.get("payer") or None
        ransom: Points = data.get("ransom", 0)
        if payer and "ransom" not in self.fields:
            ransom = total_ransom(self._freed(payer)) or 0
        frees = [(self.captives[key][0], self.captives[key][1].member.id) for key in data["frees"]]
        return Terms.model_validate(
            {"frees": frees, "ransom": ransom, "payer": payer if ransom else None}
        )
