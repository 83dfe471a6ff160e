"""What of a page to send again after a change: only the parts that read otherwise than before.

A template marks a part, an element with an id, by ``{% part %}`` … ``{% endpart %}``; parts may
hold others. Where both texts of a page are known, as it was and as it is, only the innermost parts
that differ are sent, for htmx to put in the place of those with the same ids. Parts that came or
went among others that stayed are put in or taken out alone, so that one more item in a long list
costs one line. What only changed its place is named instead of sent: ``<template data-kept="row- a
b">`` stands for ``row-a`` and ``row-b`` of the reader's page, and ``static/skirmish.js`` puts them
there.

What every request has of its own, the state that forms carry, would make a difference to all of
them: a sign stands for it while pages are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from django.utils.safestring import mark_safe

BEGIN, END = "<!--part-->", "<!--/part-->"
# Signs, and what they stand for. What every form of a page carries: its tokens and the version it
# shows.
STATE = mark_safe("<!--state-->")
# The token that a page's script puts into forms.
TOKEN = mark_safe("<!--token-->")
# What tells a browser to forget what was typed into a form.
ANEW = mark_safe("<!--anew-->")
# What was done.
DONE = mark_safe("<!--done-->")
SIGNS = {"state": STATE, "fresh_token": TOKEN, "anew": ANEW, "done": DONE}
MARK = re.compile(f"{BEGIN}|{END}")
ID = re.compile(r'\A\s*<[^>]*?\sid="([^"]+)"')
FIRST_TAG = re.compile(rf"\A(\s*(?:{BEGIN})?\s*<[a-z0-9]+)")
OOB = re.compile(r"\A\s*<[^>]*hx-swap-oob")
# What somebody types into keeps its lines.
TYPED = re.compile(r"(<textarea.*?</textarea>)", re.DOTALL)
# What may stand in a table alone: a browser drops it where there is none around it.
AROUND = {"<tr": "tbody", "<thead": "table", "<tbody": "table", "<tfoot": "table"}
# What somebody has typed, ticked or unfolded would be lost with an element that is written again.
CHANGED_BY_HAND = re.compile("<(?:form|input|select|textarea|details)")
# An element that stays on the page, with what it holds, is worth so many characters more.
WORTH_LEAVING = 300
KEPT = re.compile(r'<template data-kept="([^ "]*) ([^"]*)"></template>')
KEPT_TOGETHER = re.compile(rf"(?:{KEPT.pattern}\s*){{2,}}")


@dataclass
class Part:
    """A piece of a page: its text and the parts within it, in order; ``id`` is "" for the whole.
    ``begin``: where it begins; ``marked``: all of it, with the marks of the parts within."""

    id: str = ""
    pieces: list[str | Part] = field(default_factory=list)
    begin: int = 0
    marked: str = ""

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


def placed(text: str, signs: Mapping[str, str], *, oob: bool, parted: bool) -> str:
    """What was written with signs, as a page or an answer has it. ``signs``: what each stands for;
    one that is not among them stays. ``oob``: htmx puts it in the place of the one before;
    ``parted``: the marks stay."""
    if oob:
        text = FIRST_TAG.sub(r'\1 hx-swap-oob="true"', text, count=1)
    if not parted:
        text = MARK.sub("", text)
    for sign, what in signs.items():
        text = text.replace(sign, what)
    return text


def without_marks(page: str) -> str:
    """The text as readers get it."""
    return in_one_line(MARK.sub("", page))


def in_one_line(text: str) -> str:
    """Without the lines and steps that templates are written in: of them a browser needs one space.
    What does not break a line, as before a French colon, stays."""
    pieces = TYPED.split(text)
    pieces[::2] = map(_spaced, pieces[::2])
    return "".join(pieces)


def _spaced(text: str) -> str:
    # Of bytes only the blanks of ASCII are parted with, and faster than by an expression.
    words = b" ".join(text.encode().split()).decode()
    begin, end = (" " if text[at : at + 1].isspace() else "" for at in (0, len(text) - 1))
    return f"{begin}{words}{end}" if words else begin


def read(page: str) -> Part:
    """The parts of a page that was written with its marks."""
    root = Part()
    around = [root]
    at = 0
    for mark in MARK.finditer(page):
        around[-1].pieces.append(page[at : mark.start()])
        at = mark.end()
        if mark[0] == BEGIN:
            inner = Part(begin=at)
            around[-1].pieces.append(inner)
            around.append(inner)
        else:
            done = around.pop()
            done.marked = page[done.begin : mark.start()]
            found = ID.match(done.marked)
            if found is None:
                raise ValueError(f"A part without an id: {done.marked[:80]}")
            done.id = found[1]
    root.pieces.append(page[at:])
    return root


def difference(before: str, after: str) -> str:
    """What to send: ``after``, a page with its marks, without the parts that are in ``before`` as
    they are now."""
    old = {part.id: part for part in _all(read(before))}
    sent: list[str] = []
    for piece in read(after).pieces:
        sent.append(piece if isinstance(piece, str) else _Comparison(old).of(piece))
    return "".join(sent)


def _all(part: Part) -> Iterator[Part]:
    for inner in part.parts:
        yield inner
        yield from _all(inner)


@dataclass(frozen=True)
class _Comparison:
    """With the parts of the page before, by their ids."""

    old: dict[str, Part]

    def of(self, new: Part) -> str:
        """What makes the part that the reader has this one: "" if it is."""
        old = self.old.get(new.id)
        if old is not None and old.marked == new.marked:
            return ""
        whole = self.instead(new)
        if old is None or old.frame != new.frame:
            return whole
        was, now = [part.id for part in old.parts], [part.id for part in new.parts]
        stayed = [part for part in was if part in now]
        added = [part for part in new.parts if part.id not in was]
        # Nobody could say where something new belongs among what is in another order, or behind
        # text.
        if stayed != [part for part in now if part in was] or not all(map(new.has_place, added)):
            return whole
        gone = [_away(part) for part in old.parts if part.id not in now]
        changed: list[str] = []
        last = ""
        for part in new.parts:
            changed.append(self.behind(last, new.id, part) if part in added else self.of(part))
            last = part.id
        pieces = "".join([*gone, *changed])
        return pieces if len(pieces) < len(whole) + WORTH_LEAVING else whole

    def instead(self, part: Part) -> str:
        """The whole part, for the place of the one that the reader has."""
        text, besides = self.written(part)
        if not OOB.match(text):
            text = FIRST_TAG.sub(r'\1 hx-swap-oob="true"', text, count=1)
            text = (
                f"<template>{text}</template>" if text.lstrip().startswith(tuple(AROUND)) else text
            )
        return text + besides

    def behind(self, last: str, around: str, part: Part) -> str:
        """A part that is new here: behind another one, or at the begin of what is around it."""
        where = f"afterend:#{last}" if last else f"afterbegin:#{around}"
        text, besides = self.named(part) or self.written(part)
        tag = part.text().lstrip()
        wrap = next((wrap for row, wrap in AROUND.items() if tag.startswith(row)), "div")
        placed = f'<{wrap} hx-swap-oob="{where}">{text}</{wrap}>'
        # A browser puts rows without a body into one, and a body alone nowhere.
        return (f"<template>{placed}</template>" if wrap == "tbody" else placed) + besides

    def written(self, part: Part) -> tuple[str, str]:
        """Its text, what the reader has of it only named, and what has to change there."""
        text, besides = "", ""
        for piece in part.pieces:
            if isinstance(piece, str):
                text += piece
            else:
                inner, more = self.named(piece) or self.written(piece)
                text, besides = text + inner, besides + more
        return KEPT_TOGETHER.sub(_together, text), besides

    def named(self, part: Part) -> tuple[str, str] | None:
        """The name of a part that the reader has, and what has to change there; None if they do not
        have it, or if there is less to write."""
        old, name = self.old.get(part.id), _kept_alone(part.id)
        if old is None or old.frame != part.frame or CHANGED_BY_HAND.search(old.text()):
            return None
        if [inner.id for inner in old.parts] != [inner.id for inner in part.parts]:
            return None
        besides = "".join(self.of(inner) for inner in part.parts)
        return (name, besides) if len(name + besides) < len(part.text()) else None


def _away(part: Part) -> str:
    return f'<div id="{part.id}" hx-swap-oob="delete"></div>'


def _kept(prefix: str, names: str) -> str:
    return f'<template data-kept="{prefix} {names}"></template>'


def _kept_alone(id: str) -> str:
    prefix, dash, name = id.rpartition("-")
    return _kept(prefix + dash, name)


def _together(found: re.Match[str]) -> str:
    """What is named in one go, what their ids have in common once."""
    each = groupby(KEPT.findall(found[0]), key=itemgetter(0))
    return "".join(_kept(prefix, " ".join(names for _, names in those)) for prefix, those in each)
