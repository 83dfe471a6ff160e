"""The form to offer a bargain about captives. It only reads and converts."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.engine.captives import Captive, Party, Terms, find_currency, total_ransom
from campaigns.forms import TokenField
from campaigns.games.captives.bargains import Prisoner
from campaigns.refusals import refusal_sentence
from common.errors import Refusal
from common.forms import NameField, helper, set_choices
from gangs.models import Gang
from gangs.text.formats import localize, money_unit, say_amount, shown_name
from rules.book.model import Book
from rules.engine.costing import Points, whole


def unit_of(book: Book, currency: str | None) -> str:
    """The unit of a currency; None: of money."""
    return money_unit(book) if currency is None else localize(book.currency[currency].unit)


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
        currencies = {captive.currency for _party, captive in self.captives.values()}
        if book.money is None and currencies == {None}:
            del self.fields["payer"], self.fields["ransom"]
        else:
            captive = {party for party, _held in self.captives.values()}
            payers = [(party, name) for party, name in self.names.items() if party in captive]
            nobody = ("", _("Nobody: exchange or release"))
            set_choices(self, "payer", [nobody, *payers])
            if all(captive.price is not None for _party, captive in self.captives.values()):
                del self.fields["ransom"]
            else:
                units = dict.fromkeys(unit_of(book, key) for key in sorted(currencies, key=str))
                unit = " / ".join(units)
                self.fields["ransom"].label = _("Ransom (%(unit)s)") % {"unit": unit}
                self.fields["ransom"].widget = forms.TextInput(
                    attrs={"inputmode": "decimal", "autocomplete": "off"}
                )
        self.helper = helper()

    def _label(self, key: str) -> str:
        party, captive = self.captives[key]
        gang = self.gangs[party]
        label = f"{shown_name(gang.book, captive.member)} · {self.names[party]}"
        has_unit = captive.currency is not None or gang.book.money is not None
        if captive.price and has_unit:
            price = say_amount(gang.book, captive.price, captive.currency)
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
        if payer and "frees" in data and not self.errors:
            try:
                currency = find_currency(self._freed(payer))
            except Refusal as refusal:
                self.add_error("frees", refusal_sentence(refusal))
            else:
                if currency is not None and data.get("ransom", 0) % 1:
                    self.add_error("ransom", _("A whole number."))
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
        paid = bool(payer and ransom)
        return Terms.model_validate(
            {
                "frees": frees,
                "ransom": ransom,
                "payer": payer if paid else None,
                "currency": find_currency(self._freed(payer)) if payer and paid else None,
            }
        )
