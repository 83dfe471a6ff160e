"""The form for an item of the gang's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from common.forms import NameField, helper
from gangs.engine.entries import ItemDeclared
from gangs.engine.own_items import tags_of
from gangs.text.formats import money_unit, spoken
from rules.book.model import Book
from rules.book.schema import Item, ItemGroup
from rules.book.vocabulary import Text

TAG_EXAMPLES = 3


class OwnItemForm(forms.Form):
    """An item of the gang's own: the columns are those of its group.

    A price is asked for where the game has money, and tags where items of the group have some.
    """

    name = NameField(label=_("Name"))

    def __init__(self, book: Book, group: ItemGroup, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.group = group
        self.fields["name"].widget.attrs["autofocus"] = True
        unit = money_unit(book)
        if unit:
            self.fields["price"] = forms.IntegerField(
                label=_("Price (%(unit)s)") % {"unit": unit}, min_value=0, max_value=10_000
            )
        if group.level_against is not None:
            self.fields["level"] = forms.IntegerField(
                label=_("Level"),
                min_value=0,
                max_value=100,
                required=False,
                help_text=_("Left empty, it is the price."),
            )
        kind = [item for item in book.items if item.group == group.key]
        if group.slots or any(item.hands is not None for item in kind):
            self.fields["hands"] = forms.IntegerField(
                label=_("Hands"), min_value=0, max_value=9, required=False
            )
        for column in group.columns:
            field = NameField(label=spoken(column.name), required=False)
            field.max_length = 40
            self.fields[f"column-{column.key}"] = field
        self.fields["text"] = NameField(label=_("What it does"), required=False)
        tags = tags_of(book, group.key)
        if tags:
            self.fields["tags"] = forms.MultipleChoiceField(
                label=_("Counts as"),
                choices=[(tag, _tag_label(book, tag, names)) for tag, names in tags.items()],
                widget=forms.CheckboxSelectMultiple,
                required=False,
                help_text=_("What the rules on equipment are to take it for."),
            )
        self.helper = helper()

    def declared(self) -> ItemDeclared:
        """The entry that declares the item."""
        data = self.cleaned_data
        columns = {column.key: data[f"column-{column.key}"] for column in self.group.columns}
        level = data.get("level")
        price = data.get("price") or 0
        if level is None and self.group.level_against is not None:
            level = min(price, 100)
        return ItemDeclared(
            name=data["name"],
            group=self.group.key,
            price=price,
            level=level,
            hands=data.get("hands"),
            columns={key: value[:40] for key, value in columns.items() if value},
            text=data["text"],
            tags=tuple(data.get("tags", ())),
        )


def as_typed(item: Item) -> dict[str, object]:
    """An item as it would be typed into the form, but for its name."""
    columns = {f"column-{key}": spoken(value) for key, value in item.columns.items()}
    values = {"price": item.price, "level": item.level, "hands": item.hands}
    return {**values, **columns, "text": spoken(item.text or "")[:80], "tags": sorted(item.tags)}


def _tag_label(book: Book, tag: str, names: Sequence[Text]) -> str:
    """A tag in words: its name, if it has one, and items that have it to explain it."""
    named = book.tag.get(tag)
    label = spoken(named.name) if named else tag.replace("_", " ").replace("-", " ").capitalize()
    examples = ", ".join(spoken(name) for name in names[:TAG_EXAMPLES])
    if len(names) > TAG_EXAMPLES:
        examples += "…"
    return f"{label} ({examples})"
