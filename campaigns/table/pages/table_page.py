"""Contexts of a table's page and of its story, and the news for phones."""

from __future__ import annotations

import uuid
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.table import taps as kinds
from campaigns.table.board import Board, Button
from campaigns.table.calls import CHOICES
from campaigns.table.order import UNDOING, find_about_dice
from campaigns.table.pages import lines, rules, story, waiting
from campaigns.table.state import FigureNow, figure_names, side_names
from campaigns.table.taps import MOST_CHANGE, MOST_TAPS, Logged, TapKey, alias
from campaigns.table.text import describe
from campaigns.text import game_title
from common.forms import CrispyForm, NameField
from gangs.text.formats import localize
from rules.book.evening import Track
from rules.engine.expressions import Value, parse
from rules.reference_pages.chapters import CHAPTERS

# The format of news. A page that a phone has kept is fetched again when this number changes.
FORMAT = 4
# Added for a table with one side, so that its page is fetched again when an opponent joins.
ONE_SIDE = 1000
# No count gets this far from 0.
BOUND = MOST_TAPS * MOST_CHANGE


class NoteForm(CrispyForm):
    """A note for the story."""

    text = NameField(label=gettext_lazy("A note for the story"), max_length=300)


def phase(board: Board) -> str:
    """Return the name of the current phase."""
    return board.names.phase(board.now.phase) if board.now.phase else ""


@dataclass(frozen=True)
class PhaseLine:
    """A phase of the turn. ``is_over``: it has begun; ``closes``: the end of the turn begins it, if
    nothing is due in it."""

    key: str
    is_over: bool
    closes: bool
    begin: Button


def phases(board: Board) -> list[PhaseLine]:
    """Return all phases of a turn, in order."""
    rows = board.rules.phases
    keys, closing = [row.key for row in rows], waiting.closing_phase(board)
    done = keys.index(board.now.phase) + 1 if board.now.phase in keys else 0
    return [
        PhaseLine(
            row.key,
            place < done,
            row.key == closing,
            Button.of(localize(row.name), kinds.PhaseBegan(phase=row.key)),
        )
        for place, row in enumerate(rows)
    ]


def end_turn(board: Board) -> Button:
    """Return the button that ends the turn, and begins the closing phase before."""
    closing = waiting.closing_phase(board)
    begun = [] if closing is None else [kinds.PhaseBegan(phase=closing)]
    return Button.of("", *begun, kinds.TurnEnded(last=True))


def endings(board: Board) -> list[Button]:
    """Return the buttons that end the game; a reader's own victory comes first."""
    found = []
    is_together = board.book.who_plays.is_together
    for row in board.rules.results:
        name = localize(row.name)
        if is_together:
            found.append(Button.of(name, kinds.GameEnded(result=row.key)))
            continue
        plain = board.book.campaign.goes_without_saying(row.key)
        words = _("%(who)s won") if plain else _("%(result)s: %(who)s won")
        if row.kind != "level":
            for number in board.gangs:
                said = words % {"result": name, "who": board.names.sides[number]}
                found.append(Button.of(said, kinds.GameEnded(result=row.key, winner=number)))
        if row.kind != "decided":
            found.append(Button.of(name, kinds.GameEnded(result=row.key)))
    return found or [Button.of(_("Play is over"), kinds.GameEnded())]


def ending(board: Board) -> str:
    """Return the end of play in words, "" while it goes on."""
    if board.now.over is None:
        return ""
    over = kinds.GameEnded(result=board.now.over or None, winner=board.now.winner)
    return describe(over, board.names)


def context(board: Board) -> dict[str, Any]:
    """Return the context of the whole page."""
    return parts(board) | {
        "title": title(board),
        "note_form": NoteForm(),
        "scenario": rules.scenario(board),
        "phase_rules": rules.phases(board),
        "book": board.book,
        "is_incomplete": board.left_out,
        "phase": phase(board),
        "phases": phases(board),
        "end_turn": end_turn(board),
        "endings": endings(board),
        "calls": [*CHOICES.items()],
        "sides": lines.sides(board),
        "game_for_script": {
            "fixed": describe_fixed(board),
            "state": state(board),
            "own": story.list_own(board),
        },
        "along": " ".join(list_addresses(board)),
    }


def list_addresses(board: Board) -> Iterator[str]:
    """Yield the pages that a phone saves with a table: story, figures, the reader's own gangs and
    rules."""
    table = board.table
    yield reverse("campaigns:table-story", args=[table.pk])
    for key, figure in board.now.figures.items():
        yield reverse("campaigns:table-figure", args=[table.pk, key])
        # Only for the reader's own figures, since these take long to compute.
        if board.seat.taps and figure.side in (board.mine or board.now.sides):
            yield reverse("campaigns:table-beforehand", args=[table.pk, key])
    for side in table.sides.all():
        # A sheet is its owner's.
        if side.gang_id is not None and side.number in board.mine:
            yield reverse("gangs:sheet", args=[side.gang_id])
    rules = table.book_version_id
    yield reverse("rules:version", args=[rules])
    for key, _title, _draw in CHAPTERS:
        yield reverse("rules:version-chapter", args=[rules, key])


def story_context(board: Board, part: str | None) -> dict[str, Any]:
    """Return the context of one part of the story."""
    found = story.part(board, part)
    return {
        "table": board.table,
        "book": board.book,
        "is_incomplete": board.left_out,
        "seat": board.seat,
        "now": board.now,
        "token": uuid.uuid4(),
        "title": title(board),
        "turns": found.turns,
        "page": found.page,
    }


def title(board: Board) -> str:
    """Return the names of the sides."""
    return game_title(board.book, [board.names.sides[number] for number in sorted(board.gangs)])


def parts(board: Board) -> dict[str, Any]:
    """Return the context of the parts that change with every tap. Nothing is due after the end."""
    over, told = board.now.over is not None, story.newest(board)
    closes = not over and waiting.closing_due(board)
    return {
        "table": board.table,
        "seat": board.seat,
        "now": board.now,
        "token": uuid.uuid4(),
        "ending": ending(board),
        "decided": [] if over else waiting.decided(board),
        "dues": [] if over else waiting.dues(board),
        "follow_ups": [] if over else waiting.follow_ups(board),
        "arrivals": [] if over else waiting.arrivals(board),
        "running": lines.running(board),
        "open_rolls": [] if over else waiting.open_rolls(board),
        "first_due": None if over else waiting.first_due(board),
        "closing": next((one for one in phases(board) if one.closes and closes), None),
        "questions": waiting.questions(board),
        "late": waiting.late(board),
        "alarms": story.told_alarms(board).get(board.now.turn, []),
        "newest": told[: story.UNFOLDED],
        "earlier": told[story.UNFOLDED :],
        "has_more": len(board.folded.acts) > story.NEWEST,
    }


# The templates of the parts of the page that the server draws again with every tap.
NEWS = ("ending", "asks", "due", "questions", "story", "next")


def news(board: Board, seq: int) -> dict[str, Any]:
    """Return the taps after ``seq`` and the state of the table, to which a phone adds its own
    unsent taps. ``asks``: undoing the tap may need an answer, or a part of its act is not among
    these, so the phone does not undo it by itself; ``own``: the acts that the reader may undo."""
    shown = parts(board)
    first = bisect_right(board.log, seq, key=lambda logged: logged.seq)
    asks = _find_asking(board, seq, board.log[first:])
    return {
        "state": state(board),
        "taps": [
            _under_alias(board, logged) | ({"asks": True} if logged.key in asks else {})
            for logged in board.log[first:]
        ],
        "own": story.list_own(board),
        "html": {
            name: render_to_string(f"campaigns/table/_{name}.html", shown)
            for name in (*NEWS, *(("running",) if shown["running"] else ()))
        },
    }


def _find_asking(board: Board, seq: int, taps: Sequence[Logged]) -> set[TapKey]:
    """Return the taps after ``seq`` that a phone does not undo by itself, and the strikes and
    answers whose effect it does not know."""
    folded = board.folded
    strikes: frozenset[TapKey] = frozenset()
    if any(isinstance(one.tap, UNDOING) for one in taps):
        strikes = find_about_dice(folded.taps, folded.thrown).strikes
    return {
        one.key
        for one in taps
        if one.act in folded.thrown
        or one.key in strikes
        or isinstance(one.tap, kinds.UndoAnswered)
        or min(each.seq for each in folded.acts[one.act]) <= seq
    }


def _under_alias(board: Board, logged: Logged) -> dict[str, Any]:
    """Return a tap for phones, with aliases in place of phone ids."""
    row = row_of(logged)
    row["device"] = str(alias(board.table.pk, logged.device))
    if isinstance(logged.tap, kinds.Struck):
        row["tap"]["device"] = str(alias(board.table.pk, logged.tap.device))
    return row


def row_of(logged: Logged) -> dict[str, Any]:
    """Return a tap as phones send it, with its number in the log."""
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


# Data for the page's script. It shows taps immediately, without a rulebook: every number comes with
# its current bounds and its value in the next turn.


def describe_fixed(board: Board) -> dict[str, Any]:
    """Return the data that no tap changes."""
    book, declared = board.book, board.rules.mark
    squads = book.activation is not None and book.activation.squads
    return {
        "life": book.life,
        "phases": [[row.key, row.upkeep, localize(row.name)] for row in book.phases],
        "acting": book.acting_phase.key if book.acting_phase else "",
        "states": {row.key: [row.lasts, row.stops] for row in book.states},
        "filled": [row.key for row in book.tracks if row.each_turn == "filled"],
        "lost": [row.key for row in book.tracks if row.when_out == "lost"],
        "figures": {
            one.key: [one.side, one.times, one.squad if squads else ""]
            for one in board.start.figures
        },
        "names": {key: board.names.figures[key] for key in board.figures},
        # The usual one comes first: a member who stands did not go down.
        "marks": {
            row.key: localize(row.name)
            for row in sorted(declared.values(), key=lambda row: row.stands)
        },
    }


def state(board: Board) -> dict[str, Any]:
    """Return the current state of the table. ``seq``: the last tap, also if it cannot be read, so
    that phones do not ask for it again."""
    now = board.now
    return {
        "format": FORMAT + ONE_SIDE * (len(now.sides) == 1),
        "seq": max([board.table.seq, *(logged.seq for logged in board.log[-1:])]),
        "turn": now.turn,
        "phase": now.phase,
        "over": now.over,
        "declined": sorted(now.declined),
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
        "out": None if out is None else [out.turn, out.by, out.mark, out.unhurt],
    }


def _tracks(
    board: Board, now: Mapping[str, int], names: Callable[[int], Mapping[str, Value]]
) -> dict[str, list[int | None]]:
    """Return for each track its value, minimum and maximum, and its value in the next turn, None if
    that is the same."""
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
        # Life may fall below 0; boxes may not.
        return [number, -BOUND if key == board.book.life else 0, BOUND, None]
    turn = board.now.turn
    most = BOUND if row.maximum is None else parse(row.maximum).number(names(turn))
    anew = None
    if row.each_turn != "kept":
        anew = max(row.minimum, parse(row.start).number(names(turn + 1)))
    return [number, row.minimum, most, anew]


def _side_names(board: Board, number: int, turn: int) -> Mapping[str, Value]:
    return side_names(board.rules, board.now.sides, number, turn)


def _figure_names(board: Board, figure: FigureNow, turn: int) -> Mapping[str, Value]:
    own = figure_names(board.book, board.figures[figure.key], figure)
    return {**_side_names(board, figure.side, turn), **own}
