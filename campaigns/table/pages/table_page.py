"""What a table's page shows, and what of it phones fetch after every tap."""

from __future__ import annotations

import uuid
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.table import taps as kinds
from campaigns.table.board import Board, Button
from campaigns.table.pages import lines, rules, story, waiting
from campaigns.table.state import FigureNow, figure_names, side_names
from campaigns.table.taps import MOST_CHANGE, MOST_TAPS, Logged, alias
from campaigns.table.text import describe
from common.forms import CrispyForm, NameField
from gangs.text.formats import localize
from rules.book.evening import Track
from rules.engine.expressions import Value, parse
from rules.reference_pages.chapters import CHAPTERS

# Of what phones are told. A page that a phone has kept goes on with what it understands, and is
# fetched anew as soon as the site speaks otherwise.
FORMAT = 2
# What is counted gets nowhere so far from nothing.
BOUND = MOST_TAPS * MOST_CHANGE


class NoteForm(CrispyForm):
    """Something for the story that no button says."""

    text = NameField(label=gettext_lazy("A note for the story"), max_length=300)


def phase(board: Board) -> str:
    """The phase that it is, in words."""
    return board.names.phase(board.now.phase) if board.now.phase else ""


@dataclass(frozen=True)
class PhaseLine:
    """A phase of the turn. ``over``: it has begun, or is past."""

    key: str
    over: bool
    begin: Button


def phases(board: Board) -> list[PhaseLine]:
    """All phases of a turn, in their order."""
    rows = board.rules.phases
    keys = [row.key for row in rows]
    done = keys.index(board.now.phase) + 1 if board.now.phase in keys else 0
    return [
        PhaseLine(
            row.key, place < done, Button.of(localize(row.name), kinds.PhaseBegan(phase=row.key))
        )
        for place, row in enumerate(rows)
    ]


def endings(board: Board) -> list[Button]:
    """How the game may end."""
    found = []
    for row in board.rules.results:
        name = localize(row.name)
        plain = board.book.campaign.goes_without_saying(row.key)
        words = _("%(who)s won") if plain else _("%(result)s: %(who)s won")
        if row.kind != "level":
            for number, side in board.names.sides.items():
                said = words % {"result": name, "who": side}
                found.append(Button.of(said, kinds.GameEnded(result=row.key, winner=number)))
        if row.kind != "decided":
            found.append(Button.of(name, kinds.GameEnded(result=row.key)))
    return found or [Button.of(_("Play is over"), kinds.GameEnded())]


def ending(board: Board) -> str:
    """How play has ended, in words; "" while it goes on."""
    if board.now.over is None:
        return ""
    over = kinds.GameEnded(result=board.now.over or None, winner=board.now.winner)
    return describe(over, board.names)


def context(board: Board) -> dict[str, Any]:
    """What the whole page shows."""
    return parts(board) | {
        "title": title(board),
        "note_form": NoteForm(),
        "scenario": rules.scenario(board),
        "phase_rules": rules.phases(board),
        "book": board.book,
        "left_out": board.left_out,
        "phase": phase(board),
        "phases": phases(board),
        "end_turn": Button.of(_("End the turn"), kinds.TurnEnded()),
        "endings": endings(board),
        "sides": lines.sides(board),
        "game_for_script": {"fixed": describe_fixed(board), "state": state(board)},
        "along": " ".join(list_addresses(board)),
    }


def list_addresses(board: Board) -> Iterator[str]:
    """The pages that belong to a table: what was told, everybody at it, the gangs that are the
    reader's, and the rules. One that there is not, or not for the reader, is left out by the
    phone."""
    table = board.table
    yield reverse("campaigns:table-story", args=[table.pk])
    for key, figure in board.now.figures.items():
        yield reverse("campaigns:table-figure", args=[table.pk, key])
        # Everybody tries what their own figures may, which is much to work out.
        if board.seat.taps and figure.side in (board.mine or board.now.sides):
            yield reverse("campaigns:table-beforehand", args=[table.pk, key])
    for side in table.sides.all():
        if side.gang_id is not None:
            yield reverse("gangs:sheet", args=[side.gang_id])
    rules = table.book_version_id
    yield reverse("rules:version", args=[rules])
    for key, _title, _draw in CHAPTERS:
        yield reverse("rules:version-chapter", args=[rules, key])


def story_context(board: Board, part: str | None) -> dict[str, Any]:
    """The context of one part of the story: a long one has several."""
    found = story.part(board, part)
    return {
        "table": board.table,
        "book": board.book,
        "left_out": board.left_out,
        "seat": board.seat,
        "now": board.now,
        "token": uuid.uuid4(),
        "title": title(board),
        "turns": found.turns,
        "page": found.page,
    }


def title(board: Board) -> str:
    """Who plays against whom."""
    return " \N{EN DASH} ".join(board.names.sides.values())


def parts(board: Board) -> dict[str, Any]:
    """What is drawn anew after every tap. Once play is over nothing is due any more."""
    over = board.now.over is not None
    return {
        "table": board.table,
        "seat": board.seat,
        "now": board.now,
        "token": uuid.uuid4(),
        "ending": ending(board),
        "dues": [] if over else waiting.dues(board),
        "follow_ups": [] if over else waiting.follow_ups(board),
        "questions": waiting.questions(board),
        "late": waiting.late(board),
        "newest": story.newest(board),
        "has_more": len(board.log) > story.NEWEST,
    }


def news(board: Board, seq: int) -> dict[str, Any]:
    """What a phone that has seen all taps up to ``seq`` does not know yet, and the table as it
    stands: on that it puts what it has told itself since. ``asks``: undoing the tap may ask
    somebody, so the phone does not do so by itself."""
    shown, thrown = parts(board), board.folded.thrown
    first = bisect_right(board.log, seq, key=lambda logged: logged.seq)
    return {
        "state": state(board),
        "taps": [
            _under_alias(board, logged) | ({"asks": True} if logged.act in thrown else {})
            for logged in board.log[first:]
        ],
        "html": {
            name: render_to_string(f"campaigns/table/_{name}.html", shown)
            for name in ("ending", "due", "questions", "story")
        },
    }


def _under_alias(board: Board, logged: Logged) -> dict[str, Any]:
    """A tap as phones get it: an alias stands for the phone that made it, and for the phone whose
    tap it strikes."""
    row = row_of(logged)
    row["device"] = str(alias(board.table.pk, logged.device))
    if isinstance(logged.tap, kinds.Struck):
        row["tap"]["device"] = str(alias(board.table.pk, logged.tap.device))
    return row


def row_of(logged: Logged) -> dict[str, Any]:
    """A tap as phones send it, with its number in the log."""
    return {
        "seq": logged.seq,
        "device": str(logged.device),
        "n": logged.device_seq,
        "after": logged.after,
        "at": logged.at,
        "turn": logged.turn,
        "act": str(logged.act),
        "tap": logged.tap.model_dump(mode="json"),
    }


# What the page's script keeps of a table. It shows at once what somebody taps, and asks for no
# rulebook: every number comes with its bounds and with what a new turn makes of it, as of now.


def describe_fixed(board: Board) -> dict[str, Any]:
    """What no tap changes."""
    book, declared = board.book, board.rules.mark
    squads = book.activation is not None and book.activation.squads
    return {
        "life": book.life,
        "phases": [[row.key, row.upkeep, localize(row.name)] for row in book.phases],
        "acting": book.acting_phase.key if book.acting_phase else "",
        "states": {row.key: [row.lasts, row.stops] for row in book.states},
        "filled": [row.key for row in book.tracks if row.each_turn == "filled"],
        "figures": {
            one.key: [one.side, one.times, one.squad if squads else ""]
            for one in board.start.figures
        },
        "names": {key: board.names.figures[key] for key in board.figures},
        "marks": {key: localize(row.name) for key, row in declared.items()},
    }


def state(board: Board) -> dict[str, Any]:
    """The table as it stands. ``seq``: after which tap; one that cannot be read is not asked for
    again either."""
    now = board.now
    return {
        "format": FORMAT,
        "seq": max([board.table.seq, *(logged.seq for logged in board.log[-1:])]),
        "turn": now.turn,
        "phase": now.phase,
        "over": now.over,
        "figures": {key: _figure(board, figure) for key, figure in now.figures.items()},
        "sides": {
            number: {
                "tracks": _tracks(board, side.tracks, partial(_side_names, board, number)),
                "states": dict(side.states),
            }
            for number, side in now.sides.items()
        },
        "tallies": now.tallies,
    }


def _figure(board: Board, figure: FigureNow) -> dict[str, Any]:
    out = figure.out
    return {
        "tracks": _tracks(board, figure.tracks, partial(_figure_names, board, figure)),
        "states": dict(figure.states),
        "items": {item: dict(of) for item, of in figure.item_states.items()},
        "acted": figure.acted,
        "out": None if out is None else [out.turn, out.by, out.mark],
    }


def _tracks(
    board: Board, now: Mapping[str, int], names: Callable[[int], Mapping[str, Value]]
) -> dict[str, list[int | None]]:
    """What is counted: how much it is, the least and the most that it can be, and what the next
    turn makes of it, if anything."""
    rows = {row.key: row for row in board.rules.tracks}
    return {key: _track(board, rows.get(key), key, number, names) for key, number in now.items()}


def _track(
    board: Board,
    row: Track | None,
    key: str,
    number: int,
    names: Callable[[int], Mapping[str, Value]],
) -> list[int | None]:
    if row is None:
        # Life may fall below nothing; boxes may not.
        return [number, -BOUND if key == board.book.life else 0, BOUND, None]
    turn = board.now.turn
    most = BOUND if row.maximum is None else parse(row.maximum).number(names(turn))
    anew = None
    if row.each_turn != "kept":
        anew = max(row.minimum, parse(row.start).number(names(turn + 1)))
    return [number, row.minimum, most, anew]


def _side_names(board: Board, number: int, turn: int) -> Mapping[str, Value]:
    return side_names(board.now.sides, number, turn, board.settings)


def _figure_names(board: Board, figure: FigureNow, turn: int) -> Mapping[str, Value]:
    own = figure_names(board.book, board.figures[figure.key], figure)
    return {**_side_names(board, figure.side, turn), **own}
