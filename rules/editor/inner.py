"""Parts of a row's form: forms inside it for a value, or for a list that rows are added to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import ngettext

from common.text import fold_letters
from common.wording.translating import translate
from rules.book.rolls import Step
from rules.book.vocabulary import Frozen, Selector
from rules.bounds.limits import MOST_INSIDE
from rules.editor.fields import FieldSpec
from rules.editor.forms import KeyNamesField, key_for, key_sign
from rules.editor.inner_labels import KINDS, STEP_KINDS
from rules.editor.languages import text_of
from rules.editor.places import Data, source_of_new
from rules.editor.text import label_in

if TYPE_CHECKING:
    from rules.editor.row_form import RowForm


class Part:
    """One field of a row that is a value with fields (``single``), or a list of such values.

    ``prefix``: the start of its fields' names; ``forms``: its values' forms. A form that asks for
    one more row sends ``more`` with this prefix, and the kind in ``new``; one that moves a row
    sends ``move`` with the row's prefix and "up" or "down".
    """

    def __init__(self, outer: RowForm, spec: FieldSpec, value: Any) -> None:
        self.outer, self.spec = outer, spec
        self.label = label_in(outer.model, spec.name)
        self.prefix = outer.add_prefix(spec.name)
        self.single = spec.kind == "part"
        self.was_there, self.value = value is not None, value
        # A page that does not know the part leaves it as it is.
        self.is_sent = outer.is_bound and f"{self.prefix}-count" in outer.data
        rows = [value if isinstance(value, dict) else {}] if self.single else value
        rows = rows if isinstance(rows, list | tuple) else []
        self.forms = self._sent(rows) if self.is_sent and not self.single else self._given(rows)
        self.is_there = self.single and self._find_there()
        if self.is_sent and self.is_unused:
            # An unused value needs no field, so it shows no mistake.
            self.forms = [self._form(0, form.model, form.row, blank=True) for form in self.forms]

    @property
    def optional(self) -> bool:
        """Whether the value may be left out."""
        return self.single and self.spec.optional

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """The kinds of rows to choose from, if there are several."""
        if len(self.spec.models) < 2:
            return []
        labels = [(kind, kind_label(kind, model)) for kind, model in self.spec.models.items()]
        if self.has_steps:
            return labels
        return sorted(labels, key=lambda pair: fold_letters(pair[1]))

    @property
    def has_steps(self) -> bool:
        """Whether its rows are the steps of a roll, whose kind is their word."""
        return any(issubclass(model, Step) for model in self.spec.models.values())

    @property
    def opened(self) -> bool:
        """Whether it is shown unfolded: it says something, or has an error."""
        if self.single:
            filled = self.is_there if self.optional else not self.forms[0].is_blank()
            return self.spec.needed or filled or self.has_errors()
        return bool(self.forms)

    def _find_there(self) -> bool:
        """Whether a value that may be left out is there."""
        if not self.is_sent:
            return self.was_there
        ticked = f"{self.prefix}-there" in self.outer.data
        return ticked or (not self.was_there and self.forms[0].is_filled())

    @property
    def is_unused(self) -> bool:
        """Whether it is left out."""
        return self.optional and not self.is_there

    @property
    def is_selector(self) -> bool:
        """Whether it picks members."""
        return self.single and issubclass(self.forms[0].model, Selector)

    @property
    def count(self) -> int:
        """The number of places that its forms take."""
        return max((form.place_number for form in self.forms), default=-1) + 1

    def picks(self) -> str:
        """Describe how many ranks a selector picks."""
        listed = list(self.outer.written.rows("ranks"))
        named, without = self._ticked("ranks"), self._ticked("not_ranks")
        count = sum(key not in without and (not named or key in named) for key in listed)
        words = ngettext(
            "picks %(count)s of %(all)s rank", "picks %(count)s of %(all)s ranks", len(listed)
        )
        return words % {"count": count, "all": len(listed)}

    def _ticked(self, name: str) -> Sequence[str]:
        form = self.forms[0]
        found = form[name].value() if name in form.fields else form.row.get(name)
        field = form.fields.get(name)
        if isinstance(field, KeyNamesField):
            return field.find_keys(str(found or ""))
        return found if isinstance(found, list | tuple) else ()

    def _given(self, rows: Sequence[Any]) -> list[RowForm]:
        return [
            self._form(place, model, row)
            for place, row in enumerate(rows)
            if isinstance(row, dict) and (model := self._model(self._kind(row))) is not None
        ]

    def _sent(self, rows: Sequence[Any]) -> list[RowForm]:
        """The forms that were sent, each with the row that it began with; and one more if asked."""
        data = self.outer.data
        sent = data.get(f"{self.prefix}-count", "")
        count = min(int(sent), MOST_INSIDE) if sent.isdecimal() and len(sent) < 4 else 0
        forms = []
        for place in range(count):
            row_sent = f"{self.prefix}-{place}-is" in data
            if not row_sent or f"{self.prefix}-{place}-gone" in data:
                continue
            kind, origin = (data.get(f"{self.prefix}-{place}-{name}", "") for name in ("is", "was"))
            model = self._model(kind)
            if model is None:
                continue
            known = origin.isdecimal() and len(origin) < 4 and int(origin) < len(rows)
            row = rows[int(origin)] if known else {}
            if not isinstance(row, dict) or self._model(self._kind(row)) is not model:
                row = {}
            forms.append(self._form(place, model, row, origin if row else "", kind))
        forms = self._in_order(forms)
        if data.get("more") == self.prefix and count < MOST_INSIDE:
            kind = data.get(f"{self.prefix}-new", "")
            model = self._model(kind)
            if model is not None:
                forms.append(self._form(count, model, {}, "", kind, blank=True))
        return forms

    def _in_order(self, forms: list[RowForm]) -> list[RowForm]:
        """Return the forms in the page's order, with the row moved that ``move`` names."""
        data = self.outer.data

        def order(form: RowForm) -> tuple[int, int]:
            sent = data.get(f"{form.prefix}-order", "")
            known = sent.isdecimal() and len(sent) < 4
            return int(sent) if known else form.place_number, form.place_number

        forms = sorted(forms, key=order)
        moved, _space, way = data.get("move", "").partition(" ")
        for place, form in enumerate(forms):
            other = place + (1 if way == "down" else -1)
            if form.prefix == moved and 0 <= other < len(forms):
                forms[place], forms[other] = forms[other], form
                break
        return forms

    def _kind(self, row: Data) -> str:
        """Return the kind of a row; for a step, the first word that it has."""
        if self.has_steps:
            return next((word for word in self.spec.models if word in row), "")
        return str(row.get("kind"))

    def _model(self, kind: object) -> type[Frozen] | None:
        models = self.spec.models
        return models[""] if "" in models else models.get(str(kind))

    def _form(
        self,
        place: int,
        model: type[Frozen],
        row: Data,
        origin: str | None = None,
        kind: str = "",
        *,
        blank: bool = False,
    ) -> RowForm:
        from rules.editor.row_form import RowForm

        outer = self.outer
        kind = kind or (self._kind(row) if "" not in self.spec.models else "")
        named = "kind" in row or not kind or self.has_steps
        form = RowForm(
            outer.table,
            model,
            outer.written,
            row if named else {**row, "kind": kind},
            None if blank or not self.is_sent else outer.given,
            languages=outer.text_languages,
            prefix=self.prefix if self.single else f"{self.prefix}-{place}",
            outer=outer,
        )
        form.place_number = place
        form.began_with = str(place) if origin is None else origin
        form.kind_key = kind
        form.kind_words = kind_label(kind, model) if kind else str(row.get("key", ""))
        return form

    def is_valid(self) -> bool:
        """Whether every form of it is valid; an optional value that is left out is."""
        if not self.is_sent or (self.optional and not self.is_there):
            return True
        # Each form checks its fields, so that all mistakes are shown together.
        valid = [form.is_valid() for form in self.forms]
        return all(valid)

    def has_errors(self) -> bool:
        """Whether any form of it has an error."""
        return any(form.has_errors() for form in self.forms)

    def answered(self) -> Any:
        """Return its value: a table, None, or a list of tables."""
        if not self.is_sent:
            return self.value
        if self.single:
            return self.forms[0].answered() if self.is_there or not self.optional else None
        taken: set[str] = set()
        rows = []
        for form in self.forms:
            row = form.answered()
            if "source" in form.model.model_fields:
                row.setdefault("source", source_of_new(self.outer.written))
            if "key" in form.model.model_fields and "key" not in row:
                taken |= {str(other.row.get("key")) for other in self.forms}
                sign = key_sign(form.model)
                row["key"] = key_for(text_of(row.get("name") or "own"), taken, sign)
                taken.add(row["key"])
            rows.append(row)
        return rows

    def complain(self, field: tuple[str, ...], words: str) -> None:
        """Show a mistake inside it beside its field."""
        if self.single:
            self.forms[0].complain_at(field, words)
        elif field and field[0].isdecimal() and int(field[0]) < len(self.forms):
            self.forms[int(field[0])].complain_at(field[1:], words)
        else:
            self.outer.add_error(None, f"{self.label}: {words}")


def kind_label(kind: str, model: type[Frozen]) -> str:
    """Return the label of a kind of inner row: what happens, in words."""
    labels = STEP_KINDS if issubclass(model, Step) else KINDS
    return translate(labels[kind]) if kind in labels else kind.replace("_", " ")
