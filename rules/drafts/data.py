"""A draft's data: taking it apart for the editor, valid or not, and starting a new one."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rules.book.model import Archetype, Book, Sample, Source
from rules.book.vocabulary import Frozen
from rules.editor.places import (
    LISTS,
    SINGLES,
    Data,
    Written,
    defaults_of,
    fill_defaults,
    is_dice_rows,
    model_of,
    models_of,
    name_rows,
    reach,
    rows_of,
    source_of_new,
)

EMPTY = Path(__file__).parent / "empty.toml"
# Tables that only drafts edit, since a variant has those of its rulebook.
OWN_LISTS: dict[str, type[Frozen]] = {"archetypes": Archetype, "samples": Sample}
SOURCES = "sources"


def find_model(table: str, row: Data) -> type[Frozen] | None:
    """Return the model of a row of a draft; None for a row of an unknown kind."""
    if table == SOURCES:
        return Source
    return OWN_LISTS.get(table) or model_of(table, row)


def take_apart_data(data: Data) -> Written:
    """Take the data of a draft apart, whatever is wrong with it; ``data`` becomes part of the
    result, and is changed.

    Rows get the defaults that they leave out. Lists that are no lists are empty.
    """
    if not isinstance(data.get("campaign"), dict):
        data["campaign"] = {}
    singles: dict[str, Data] = {}
    for table in SINGLES:
        value = reach(data, table)
        if isinstance(value, dict):
            singles[table] = _filled(table, value)
            _put(data, table, singles[table])
    tables: dict[str, dict[str, Any]] = {}
    for table in (*LISTS, *OWN_LISTS):
        rows = reach(data, table)
        rows = [_filled(table, row) for row in rows] if isinstance(rows, list) else []
        tables[table] = name_rows(table, rows)
    for key, row in tables["tables"].items():
        inner = rows_of(key)
        rows = row.get("rows") if isinstance(row, dict) else None
        rows = [_filled(inner, one) for one in rows] if isinstance(rows, list) else []
        tables[inner] = name_rows(inner, rows)
    sources = data.get(SOURCES)
    tables[SOURCES] = dict(sources) if isinstance(sources, dict) else {}
    return Written(data, singles, tables)


def _filled(table: str, row: Any) -> Any:
    model = find_model(table, row) if isinstance(row, dict) else None
    return fill_defaults(model, row) if model else row


def _put(data: Data, path: str, value: object) -> None:
    *above, name = path.split(".")
    for part in above:
        data = data[part]
    data[name] = value


def assemble(written: Written) -> Data:
    """Return the whole data of a draft, without the defaults that its rows may leave out.

    ``written`` is changed; do not use it afterwards.
    """
    tables = dict(written.tables)
    sources = tables.pop(SOURCES, {})
    slim = {
        table: {name: _slim(find_model(table, row), row) for name, row in rows.items()}
        if all(isinstance(row, dict) for row in rows.values())
        else rows
        for table, rows in tables.items()
    }
    data = Written(written.data, written.singles, slim).assembled()
    data[SOURCES] = sources
    for table, value in written.singles.items():
        if table != "campaign":
            _put(data, table, _slim(next(iter(models_of(table).values())), value))
    data["campaign"] = _slim(next(iter(models_of("campaign").values())), data["campaign"])
    for table in tables:
        own = "." not in table and not is_dice_rows(table)
        if own and not data[table] and not Book.model_fields[table].is_required():
            del data[table]
    return data


def _slim(model: type[Frozen] | None, row: Data) -> Data:
    if model is None:
        return row
    defaults = defaults_of(model)
    return {
        name: value
        for name, value in row.items()
        if name not in defaults or defaults[name] != value
    }


def start_empty() -> Data:
    """Return the data of a game of which only the least is written."""
    return tomllib.loads(EMPTY.read_text("utf-8"))


def start_from(book: Book) -> Data:
    """Return the data of a game that starts as a copy of ``book``."""
    data: Data = json.loads(book.canonical())
    data.pop("variant", None)
    return data


def name_game(data: Data, slug: str, name: str, languages: Sequence[str], author: str) -> Data:
    """Return ``data`` with the slug, name, languages and author ("": nobody) of a new game.

    With one language, its texts say the same to every reader, as those that its author adds.
    """
    texts: Data = _in_language(data, languages[0]) if len(languages) == 1 else data
    return {
        **texts,
        "slug": slug,
        "name": dict.fromkeys(("en", "fr"), name),
        "languages": list(languages),
        "author": author or start_empty()["author"],
        "edition": "v1",
    }


def _in_language(value: Any, language: str) -> Any:
    """Return a value whose texts are in this language only."""
    if isinstance(value, list):
        return [_in_language(one, language) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() >= {"en", "fr"} and isinstance(value[language], str):
        return {**value, **dict.fromkeys(("en", "fr"), value[language])}
    return {name: _in_language(one, language) for name, one in value.items()}


def name_of(data: Data) -> dict[str, str]:
    """Return the game's name in both languages, whatever is wrong with it."""
    name = data.get("name")
    if isinstance(name, str):
        return {"en": name, "fr": name}
    known = name if isinstance(name, dict) else {}
    return {key: str(known.get(key) or data.get("slug") or "") for key in ("en", "fr")}


def languages_of(data: Data) -> tuple[str, ...]:
    """Return the languages of a draft's texts: those of the site, unless it says otherwise."""
    known = data.get("languages")
    found = [one for one in known if one in ("en", "fr")] if isinstance(known, list) else []
    return tuple(found) or ("en", "fr")


def new_row(model: type[Frozen], key: str, written: Written) -> Data:
    """Return the parts of a new row that its form does not ask for."""
    extra = {"key": key, "code": key, "source": source_of_new(written)}
    return {name: value for name, value in extra.items() if name in model.model_fields}
