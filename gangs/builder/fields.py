"""A form's fields as HTML, laid out once for all forms of the same content.

Laying a form out takes longer than working a gang out, and most changes of a gang leave its forms
as they are, but for what the choices are called: prices, and what speaks against them.
"""

from __future__ import annotations

from crispy_forms.utils import render_crispy_form
from django.forms import ChoiceField, Form
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from accounts.language import rules_language
from gangs.cards.cache import cached_html
from gangs.engine.keyed import Keyed

# Signs that no text has: around the number of a choice, where its label will be.
BEGIN, END = "\ue000", "\ue001"


def fields_html(form: Form) -> SafeString:
    """The fields of a form, as crispy lays them out; an unbound one is used up by it."""
    if form.is_bound:
        return SafeString(render_crispy_form(form))
    labels: list[str] = []
    # What the layout depends on: of each field its name, its words, what it asks for, its initial
    # value and the keys of its choices.
    content: list[object] = [type(form), str(form.auto_id), rules_language()]
    for name, field in form.fields.items():
        keys: list[object] = []
        if isinstance(field, ChoiceField):
            listed = list(field.widget.choices)
            keys = [key for key, _label in listed]
            numbered = enumerate(keys, start=len(labels))
            field.choices = [(key, f"{BEGIN}{number}{END}") for number, key in numbered]
            labels += [str(label) for _key, label in listed]
        words = str(field.label), str(field.help_text), field.required, field.disabled
        content.append((name, *words, form.get_initial_for_field(field, name), *keys))
    html = _laid_out(Keyed(tuple(content), form))
    for number, label in enumerate(labels):
        html = html.replace(f"{BEGIN}{number}{END}", escape(label))
    return mark_safe(html)


@cached_html(maxsize=128)
def _laid_out(form: Keyed[Form]) -> str:
    return str(render_crispy_form(form.value))
