"""A form's fields as crispy lays them out, kept for forms of the same content.

Laying a form out takes some 8 ms, a third of a change; most changes leave a gang's forms as they
are.
"""

from __future__ import annotations

from crispy_forms.utils import render_crispy_form
from django.forms import ChoiceField, Form
from django.utils.safestring import SafeString

from accounts.language import rules_language
from gangs.cards.cache import cached_html
from gangs.engine.keyed import Keyed


def fields_html(form: Form) -> SafeString:
    """The fields of a form. A bound one, which may have errors, is laid out each time."""
    if form.is_bound:
        return SafeString(render_crispy_form(form))
    content: list[object] = [type(form), str(form.auto_id), rules_language()]
    for name, field in form.fields.items():
        choices = field.widget.choices if isinstance(field, ChoiceField) else ()
        words = str(field.label), str(field.help_text), field.required, field.disabled
        initial = form.get_initial_for_field(field, name)
        content.append((name, *words, initial, *((key, str(label)) for key, label in choices)))
    return _laid_out(Keyed(tuple(content), form))


@cached_html(maxsize=128)
def _laid_out(form: Keyed[Form]) -> SafeString:
    return SafeString(render_crispy_form(form.value))
