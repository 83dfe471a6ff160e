"""A game's own data: taking it apart for the editor, valid or not, and starting a new game."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rules.book.model import Book
from rules.editor.places import (
    GAME_LISTS,
    LISTS,
    SINGLES,
    SOURCES,
    Data,
    Written,
    fill_defaults,
    is_dice_rows,
    leave_out_defaults,
    model_of,
    name_rows,
    reach,
    rows_of,
)

EMPTY = Path(__file__).parent / "empty.toml"


def take_apart_data(data: Data) -> Written:
    """Take the data of a game apart, whatever is wrong with it; ``data`` becomes part of the
    result, and is changed.

    Rows get the defaults that they leave out. Lists that are no lists are empty.
    """
    if not isinstance(data.get("campaign"), dict):
        data["campaign"] = {}
    written = Written(data, {}, {})
    for table in SINGLES:
        value = reach(data, table)
        if isinstance(value, dict):
            written.put_single(table, _filled(table, value))
    tables = written.tables
    for table in (*LISTS, *GAME_LISTS):
        tables[table] = _rows(table, reach(data, table))
    for key, row in tables["tables"].items():
        if isinstance(row, dict):
            tables[rows_of(key)] = _rows(rows_of(key), row.get("rows"))
    sources = data.get(SOURCES)
    tables[SOURCES] = dict(sources) if isinstance(sources, dict) else {}
    return written


def _rows(table: str, rows: Any) -> dict[str, Any]:
    return name_rows(table, [_filled(table, row) for row in rows] if isinstance(rows, list) else [])


def _filled(table: str, row: Any) -> Any:
    model = model_of(table, row) if isinstance(row, dict) else None
    return fill_defaults(model, row) if model else row


def assemble(written: Written) -> Data:
    """Return the whole data of a game, without the defaults that its rows may leave out.

    ``written`` is changed; do not use it afterwards.
    """
    slim = {
        table: {name: _slim(table, row) for name, row in rows.items()}
        for table, rows in written.tables.items()
    }
    data = Written(written.data, written.singles, slim).assembled()
    for table, value in written.singles.items():
        written.put_single(table, _slim(table, value))
    for table, rows in slim.items():
        own = "." not in table and not is_dice_rows(table)
        if own and not rows and not Book.model_fields[table].is_required():
            del data[table]
    return data


def _slim(table: str, row: Any) -> Any:
    model = model_of(table, row) if isinstance(row, dict) else None
    return leave_out_defaults(model, row) if model else row


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
