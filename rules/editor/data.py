"""A game's own data: taking it apart for the editor, valid or not, and starting a new game."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from common.wording.sentences import gettext_noop as _
from common.wording.texts import USUAL, in_languages, needed, read_languages
from rules.book.model import Book
from rules.book.vocabulary import (
    CharacteristicKey,
    Frozen,
    Line,
    MemberOrigins,
    SettingKey,
    Text,
)
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
from rules.skeletons.shipped import start_campaign

# Without its campaign, which is that of every game that has none yet.
EMPTY = Path(__file__).parent / "empty.toml"


class Basics(Frozen):
    """The single values of a game that are no tables: its name, its author and its words."""

    name: Annotated[Text, _("Name of the game")]
    summary: Annotated[Text, _("What it is, in a sentence or two")]
    edition: Annotated[Line, _("Edition")]
    author: Annotated[Line, _("Author")]
    life: Annotated[CharacteristicKey | None, _("Characteristic that is ticked off")] = None
    origin_setting: Annotated[SettingKey | None, _("Option for the gang’s origin")] = None
    member_origins: Annotated[MemberOrigins, _("Origin of members")] = "any"
    profession_name: Annotated[Text | None, _("Word for a profession")] = None
    squad_name: Annotated[Text | None, _("Word for a squad")] = None
    experience_name: Annotated[Text | None, _("Word for experience")] = None
    traits_name: Annotated[Text | None, _("Word for traits")] = None


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
    return {
        **tomllib.loads(EMPTY.read_text("utf-8")),
        **in_languages(start_campaign(), USUAL, USUAL),
    }


def start_from(book: Book) -> Data:
    """Return the data of a game that starts as a copy of ``book``."""
    data: Data = json.loads(book.canonical())
    data.pop("variant", None)
    return data


def name_game(data: Data, slug: str, name: str, languages: Sequence[str], author: str) -> Data:
    """Return ``data`` with the slug, name, languages and author ("": nobody) of a new game.

    Texts that lack one of the languages say there what they say in the first.
    """
    return {
        **in_languages(data, languages, languages_of(data)),
        "slug": slug,
        "name": dict.fromkeys(needed(languages), name),
        "languages": list(languages),
        "author": author or start_empty()["author"],
        "edition": "v1",
    }


def name_of(data: Data) -> dict[str, str]:
    """Return the game's name by language, whatever is wrong with it."""
    name = data.get("name")
    if isinstance(name, str):
        return dict.fromkeys(USUAL, name)
    known = name if isinstance(name, dict) else {}
    return {
        key: str(known.get(key) or data.get("slug") or "") for key in needed(languages_of(data))
    }


def languages_of(data: Data) -> tuple[str, ...]:
    """Return the languages of a game's texts: the usual ones, unless it names others."""
    return read_languages(data.get("languages"))
