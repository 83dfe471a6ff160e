"""Passages and boxes of members as HTML, broken where they were measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from typesetting.measuring import Face, Line, Run
from typesetting.passages import Columns, Kind, Passage, Room

_MARKUP: dict[Face, str] = {"plain": "{}", "bold": "<b>{}</b>", "title": '<b class="t">{}</b>'}


@dataclass(frozen=True)
class Block:
    """A paragraph as HTML, or a table with ``rows`` of a name, values, and the text below."""

    kind: Kind
    text: SafeString
    columns: Columns | None = None
    rows: tuple[tuple[SafeString, tuple[str, ...], SafeString], ...] = ()


def blocks(room: Room, passages: Sequence[Passage], size: float) -> Iterator[Block]:
    """Yield ``passages`` as blocks in letters of ``size`` points, with the rows of a table
    together.
    """
    for (columns, kind), group in groupby(passages, key=lambda one: (one.columns, one.kind)):
        if columns is None:
            for passage in group:
                yield Block(kind, _markup(room.lines(passage, size)))
            continue
        rows = tuple(
            (_markup(room.named(row, size)), row.values, _markup(room.lines(row, size)))
            for row in group
        )
        yield Block(kind, SafeString(), columns, rows)


def _markup(lines: Sequence[Line]) -> SafeString:
    return format_html_join(
        "\n", "{}", ((format_html_join("", "{}", map(_marked_up, line)),) for line in lines)
    )


def _marked_up(run: Run) -> tuple[SafeString]:
    return (format_html(_MARKUP[run.face], run.text),)
