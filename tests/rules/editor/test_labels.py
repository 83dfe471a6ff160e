"""Labels for players in the vocabulary, for everything that a variant may change."""

from __future__ import annotations

from typing import Annotated, Literal, get_args, get_origin

from django.utils import translation
from pydantic.fields import FieldInfo

from common.wording.sentences import Label, gettext_noop, pgettext
from common.wording.translating import translate
from rules.book.annotations import marker
from rules.book.labels import Values
from rules.book.vocabulary import Frozen, RankKey
from rules.editor.fields import FieldSpec, specs
from rules.editor.places import LISTS, SINGLES, TABLES, models_of, take_apart
from rules.editor.text import field_label, kind_label, table_label, value_label
from tests.rules.small import small

MODELS = [
    (table, kind, model)
    for table in (*LISTS, *SINGLES, "tables.any.rows")
    for kind, model in models_of(table).items()
]


def unlabelled(table: str, model: type[Frozen]) -> list[str]:
    """Return the fields of a model without a label, and field values without one."""
    fields: list[FieldSpec] = specs(table, model, adding=True)
    missing = [one.name for one in fields if not marker(model.model_fields[one.name], Label)]
    choices = [one for one in fields if one.kind in ("choice", "choices")]
    return missing + [
        one.name
        for one in choices
        if set(one.values) != words(model.model_fields[one.name].annotation)
    ]


def words(annotation: object) -> set[object]:
    """Return every word that a value of this type may be."""
    if get_origin(annotation) is Literal:
        return set(get_args(annotation))
    return {word for inner in get_args(annotation) for word in words(inner)}


def test_every_field_value_and_kind_has_a_label() -> None:
    for table, kind, model in MODELS:
        assert unlabelled(table, model) == []
        if kind:
            values = marker(model.model_fields["kind"], Values)
            assert values is not None and kind in values.labels, model


def test_unlabelled_finds_a_field_without_a_label() -> None:
    class Rank(Frozen):
        named: Annotated[int, gettext_noop("Price")] = 0
        forgotten: int = 0
        half: Annotated[Literal["a", "b"], gettext_noop("Kind"), Values(a=gettext_noop("items"))]

    assert unlabelled("ranks", Rank) == ["forgotten", "half"]


def test_every_list_has_a_label_for_adding_a_row() -> None:
    assert [table for table in LISTS if not TABLES[table].add] == []
    assert all(TABLES[table].name for table in (*LISTS, *SINGLES))


def test_labels_are_in_the_language_of_the_reader() -> None:
    with translation.override("fr"):
        assert table_label(take_apart(small()), "items") == "Armes et objets"
        assert field_label("items", "text") == "Effet"
        assert field_label("ranks", "text") == "Texte"
        assert value_label("campaign.steps", "ransom", "none") == "aucune"
        assert kind_label("limits", "share") == "Une part des membres"
        assert value_label("ranks", "key", "anything") == "anything"


def test_a_label_can_have_a_context() -> None:
    with translation.override("fr"):
        assert translate(pgettext("no such thing", "none")) == "aucune"
        assert translate(gettext_noop("Price")) == "Prix"


def test_the_label_of_a_field_overrides_the_label_of_its_type() -> None:
    field = FieldInfo.from_annotation(
        Annotated[Annotated[int, gettext_noop("Worth")] | None, gettext_noop("Price")]
    )
    assert marker(field, Label) == "Price"
    assert marker(FieldInfo.from_annotation(tuple[RankKey, ...]), Label) is None
