"""What of a page to send again after a change: only the parts that read otherwise than before.

A template marks a part, an element with an id, by ``{% part %}`` … ``{% endpart %}``; parts may
hold others. Where both texts of a page are known, as it was and as it is, only the innermost parts
that differ are sent, for htmx to put in the place of those with the same ids. Parts that came or
went among others that stayed are put in or taken out alone, so that one more item in a long list
costs one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

BEGIN, END = "<!--part-->", "<!--/part-->"
MARK = re.compile(f"{BEGIN}|{END}")
ID = re.compile(r'\A\s*<[^>]*?\sid="([^"]+)"')
FIRST_TAG = re.compile(r"\A(\s*<[a-z0-9]+)")
OOB = re.compile(r"\A\s*<[^>]*hx-swap-oob")
# What may stand in a table alone: a browser drops it where there is none around it.
ROWS = ("<tbody", "<tr")


@dataclass
class Part:
    """A piece of a page: its text and the parts within it, in order; ``id`` is "" for the whole."""

    id: str = ""
    pieces: list[str | Part] = field(default_factory=list)

    @property
    def parts(self) -> list[Part]:
        """The parts directly within this one."""
        return [piece for piece in self.pieces if isinstance(piece, Part)]

    def has_place(self, part: Part) -> bool:
        """Whether a part within can be put in by what comes before it: another one, or nothing but
        this one's own tag."""
        place = next(at for at, piece in enumerate(self.pieces) if piece is part)
        head = self.pieces[place - 1]
        assert isinstance(head, str)
        if place > 1:
            return not head.strip()
        return head.count("<") == 1 and head.rstrip().endswith(">")

    @property
    def frame(self) -> str:
        """The text around the parts within, wherever they stand."""
        own = "".join(piece for piece in self.pieces if isinstance(piece, str))
        return " ".join(own.split())

    def text(self) -> str:
        """All of it."""
        return "".join(piece if isinstance(piece, str) else piece.text() for piece in self.pieces)


def without_marks(page: str) -> str:
    """The text as readers get it."""
    return MARK.sub("", page)


def read(page: str) -> Part:
    """The parts of a page that was written with its marks."""
    root = Part()
    around = [root]
    at = 0
    for mark in MARK.finditer(page):
        around[-1].pieces.append(page[at : mark.start()])
        at = mark.end()
        if mark[0] == BEGIN:
            inner = Part()
            around[-1].pieces.append(inner)
            around.append(inner)
        else:
            done = around.pop()
            found = ID.match(done.text())
            if found is None:
                raise ValueError(f"A part without an id: {done.text()[:80]}")
            done.id = found[1]
    root.pieces.append(page[at:])
    return root


def difference(before: str, after: str) -> str:
    """What to send: ``after``, a page with its marks, without the parts that are in ``before`` as
    they are now."""
    old = {part.id: part for part in _all(read(before))}
    gone: list[str] = []
    changed: list[str] = []
    for piece in read(after).pieces:
        if isinstance(piece, str):
            changed.append(piece)
        else:
            _compare(old.get(piece.id), piece, gone, changed)
    return "".join([*gone, *changed])


def _all(part: Part) -> Iterator[Part]:
    for inner in part.parts:
        yield inner
        yield from _all(inner)


def _compare(old: Part | None, new: Part, gone: list[str], changed: list[str]) -> None:
    """Note what to take out and what to put in, for ``old`` to become ``new``."""
    if old is None or old.frame != new.frame:
        changed.append(_instead(new.text()))
        return
    was, now = [part.id for part in old.parts], [part.id for part in new.parts]
    stayed = [part for part in was if part in now]
    added = [part for part in new.parts if part.id not in was]
    # Nobody could say where something new belongs among what is in another order, or behind text.
    if stayed != [part for part in now if part in was] or not all(map(new.has_place, added)):
        changed.append(_instead(new.text()))
        return
    gone += [_away(part) for part in old.parts if part.id not in now]
    parts = {part.id: part for part in old.parts}
    last = ""
    for part in new.parts:
        if part.id in parts:
            _compare(parts[part.id], part, gone, changed)
        else:
            changed.append(_behind(last, new.id, part.text()))
        last = part.id


def _instead(text: str) -> str:
    if OOB.match(text):
        return text
    text = FIRST_TAG.sub(r'\1 hx-swap-oob="true"', text, count=1)
    return f"<template>{text}</template>" if text.lstrip().startswith(ROWS) else text


def _behind(last: str, around: str, text: str) -> str:
    where = f"afterend:#{last}" if last else f"afterbegin:#{around}"
    wrap = "table" if text.lstrip().startswith(ROWS) else "div"
    return f'<{wrap} hx-swap-oob="{where}">{text}</{wrap}>'


def _away(part: Part) -> str:
    return f'<div id="{part.id}" hx-swap-oob="delete"></div>'
