"""The browser's fold and the server's: both make the same table from the same taps."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page

from campaigns.models import Table
from campaigns.table.access import TableSeat
from campaigns.table.board import Board
from campaigns.table.fold import begin as begin_fold
from campaigns.table.order import acts_by_site, find_target, in_order
from campaigns.table.pages import table_page
from campaigns.table.people import Names
from campaigns.table.state import Start, TableFighter, begin
from campaigns.table.taps import Acted, Logged, Struck, UndoAnswered, Undone
from rules.book.model import Book
from rules.engine.figure import Figure
from tests.random_cases import cases
from tests.rules.small import row
from tests.world.tables import Evening, game

pytestmark = [pytest.mark.browser, pytest.mark.long]

LOGS = cases(300, 3_400)
BOTH = """([fixed, cases]) => cases.map(([base, rows]) => fold(fixed, base, rows))"""
SCRIPT = settings.BASE_DIR / "static" / "table" / "fold.js"
TRACKS = [
    row("purse", start="gang.start", each_turn="anew"),
    row("points", maximum=20),
    row("cards", start=3, each_turn="filled"),
    row("breath", per="member", start=2, minimum=1, maximum=4, each_turn="anew"),
    row("load", per="member", start=2, minimum=-1, maximum=4, when_out="lost"),
]
COUNTED = ("wounds", "purse", "points", "cards", "breath", "load", "luck")
BOOKS = (
    {"tracks": TRACKS},
    {"tracks": TRACKS, "activation": {"times": 2, "squads": True}},
    {"tracks": TRACKS, "phases": [row("actions", acts=True), row("end")]},
)


@pytest.fixture
def blank(chromium: Browser) -> Iterator[Page]:
    """Return a page with nothing but the browser's fold."""
    page = chromium.new_page()
    script = SCRIPT.read_text("utf-8")
    page.add_script_tag(
        content=f"{script}\nObject.assign(globalThis, {{ fold, limitLosses }});", type="module"
    )
    page.wait_for_function("'fold' in globalThis")
    yield page
    page.close()


def start_table(book: Book) -> Start:
    """Return a table of four against three, some of whom act together."""
    fighters = [
        TableFighter(
            book, side, str(member), f"gang-{side}", member, Figure("scout", "scout"), squad
        )
        for side, size in ((1, 4), (2, 3))
        for member in range(1, size + 1)
        for squad in ["wolves" if member > 2 else ""]
    ]
    return begin(book.usual, (1, 2), fighters)


def draw_evening(chance: random.Random, start: Start) -> list[Logged]:
    """Return an evening of two phones that send anything, some of it late, some for figures that do
    not exist.
    """
    evening = Evening(start)
    figures = [figure.key for figure in start.figures] * 3 + ["9.9"]
    for _ in range(chance.randint(5, 60)):
        phone = chance.choice("ab")
        (evening.asleep if chance.random() < 0.2 else evening.awake)(phone)
        evening.turn = max(1, evening.turn - (chance.random() < 0.1))
        evening.clock -= chance.randint(0, 3)
        act = f"act {chance.randint(1, 40)}"
        figure, side = chance.choice(figures), chance.choice((1, 2, 7))
        whose = {"figure": figure} if chance.random() < 0.7 else {"side": side}
        item = {"item": "knife"} if "figure" in whose and chance.random() < 0.3 else {}
        match chance.randint(1, 15):
            case 1 | 2:
                track = chance.choice(COUNTED)
                evening.tap("counted", phone, act, **whose, track=track, by=chance.randint(-9, 9))
            case 3:
                evening.tap("set", phone, act, **whose, track="points", to=chance.randint(-5, 30))
            case 4 | 5:
                state = chance.choice(("down", "shaken", "fleeing", "aiming", "burning", "ill"))
                until = chance.choice((None, None, "turn", "game"))
                evening.tap("began", phone, act, **whose, **item, state=state, until=until)
            case 6:
                state = chance.choice(("down", "shaken", "fleeing", "aiming", "burning"))
                evening.tap("ended", phone, act, **whose, **item, state=state)
            case 7:
                by, mark = chance.choice([*figures, None]), chance.choice((None, "fled"))
                unhurt = chance.random() < 0.3
                evening.tap("out", phone, act, figure=figure, by=by, mark=mark, unhurt=unhurt)
                if chance.random() < 0.3:
                    evening.tap("back", phone, act, figure=figure)
            case 8 | 9:
                evening.tap("acted", phone, act, figure=figure)
                evening.tap("ordered", phone, act, figure=figure, action="flee", place=0)
            case 10:
                if chance.random() < 0.7:
                    phase = chance.choice(start.book.phases).key
                    evening.tap("phase", phone, act, phase=phase)
                else:
                    evening.tap("turn", phone, act, last=chance.random() < 0.5)
            case 11:
                tally, by = chance.choice(("gold", "shots")), chance.randint(-2, 3)
                evening.tap("tallied", phone, act, **whose, tally=tally, by=by)
            case 14:
                side, holds = chance.choice((1, 2, 7)), chance.random() < 0.7
                evening.tap("declined", phone, act, side=side, holds=holds)
            case 12:
                # The site's dice with their effects: its taps arrive together.
                fell = f"fell {len(evening.log)}"
                by = chance.choice(figures)
                evening.tap("rolled", "site", fell, roll="shot", by=by, faces=((6,),), thrown=True)
                evening.tap("out", "site", fell, figure=figure, by=by)
            case 13:
                strikes = [one for one in evening.log if isinstance(one.tap, Struck)]
                if strikes:
                    strike = chance.choice(strikes)
                    evening.answer(strike, phone, agreed=chance.random() < 0.7)
            case _:
                if evening.log:
                    undo = chance.choice((evening.strike, evening.undo))
                    undo(chance.choice(evening.log), phone, asks=chance.random() < 0.7)
    return evening.log


def split_log(chance: random.Random, log: list[Logged]) -> tuple[list[Logged], list[Logged]]:
    """Split a log into the taps that the server has sent and the taps that the phone adds: later
    taps, of other acts, neither part striking the other's. Only the site's dice are asked about,
    which changes nothing until the server sends an answer.
    """
    ordered = in_order(log)
    cut = chance.randint(0, len(ordered))
    before, after = ordered[:cut], ordered[cut:]
    acts = {one.act for one in before if isinstance(one.tap, Acted)}
    after = [one for one in after if one.act not in acts or not isinstance(one.tap, Acted)]
    thrown = acts_by_site(ordered)
    answered = {one.tap.asked for one in before if isinstance(one.tap, UndoAnswered)}
    after = [
        one
        for one in after
        if not isinstance(one.tap, UndoAnswered) and one.act not in thrown | answered
    ]
    before = own_strikes(own_undos(before, after, frozenset()))
    after = own_undos(after, before, acts_by_site(before))
    return before, own_strikes(after, before)


def own_undos(log: list[Logged], others: list[Logged], dice: frozenset[UUID]) -> list[Logged]:
    """Return a log without undos of acts with taps among others, except for those that ask about
    these acts with dice."""
    acts = {one.act for one in others}

    def is_kept(one: Logged) -> bool:
        if not isinstance(one.tap, Undone) or one.tap.act not in acts:
            return True
        return one.tap.asked_by is not None and one.tap.act in dice

    return [one for one in log if is_kept(one)]


def own_strikes(log: list[Logged], asked: list[Logged] | None = None) -> list[Logged]:
    """Return a log without strikes of taps outside it, except for those that ask about another
    player's dice.
    """
    by_key = {one.key: one for one in (*(asked or ()), *log)}
    keys, thrown = {one.key for one in log}, acts_by_site(asked or ())

    def is_kept(one: Logged) -> bool:
        if not isinstance(one.tap, Struck) or (one.tap.device, one.tap.device_seq) in keys:
            return True
        undone = find_target(one, by_key)
        return one.tap.asked_by is not None and undone is not None and undone.act in thrown

    return [one for one in log if is_kept(one)]


def board(start: Start, log: list[Logged]) -> Board:
    """Return a table as its page sees it, without names."""
    names = Names(start.book, {}, {one.key: one.key for one in start.figures}, {1: "A", 2: "B"})
    folded = begin_fold(start).go_on(log)
    seat = TableSeat(Table(seq=len(log)), taps=False, device=UUID(int=0), user=None, guest="")
    return Board(seat, folded, names, frozenset())


def select_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a state that taps set: the number of each track, without its bounds."""
    whole = json.loads(json.dumps(state))
    for one in (*whole["figures"].values(), *whole["sides"].values()):
        one["tracks"] = {key: number for key, (number, *_) in one["tracks"].items()}
        one["items"] = {item: states for item, states in one.get("items", {}).items() if states}
    return {key: whole[key] for key in ("turn", "phase", "declined", "figures", "sides", "tallies")}


@pytest.mark.firefox
@pytest.mark.parametrize("declared", BOOKS)
def test_folds_of_browser_and_server_make_the_same_table(
    blank: Page, declared: dict[str, Any]
) -> None:
    chance = random.Random(f"{declared}")
    start = start_table(game(**declared))
    parts = [split_log(chance, draw_evening(chance, start)) for _ in range(LOGS)]
    cases = [
        (table_page.state(board(start, before)), [table_page.row_of(one) for one in after])
        for before, after in parts
    ]
    found = blank.evaluate(
        BOTH, json.loads(json.dumps([table_page.describe_fixed(board(start, [])), cases]))
    )
    for (before, after), there in zip(parts, found, strict=True):
        wanted = table_page.state(board(start, [*before, *after]))
        assert select_state(there) == select_state(wanted), [one.tap for one in after]


def test_browser_limits_losses_to_the_life_that_is_left(blank: Page) -> None:
    figures = {
        "1.1": {"tracks": {"hp": [2, 0, 9, None]}},
        "1.2": {"tracks": {"hp": [0, 0, 9, None]}},
    }
    lost = [{"kind": "counted", "figure": key, "track": "hp", "by": -3} for key in figures]
    kept = [
        {"kind": "counted", "figure": "1.1", "track": "luck", "by": -3},
        {"kind": "counted", "figure": "1.2", "track": "hp", "by": 1},
        {"kind": "out", "figure": "1.2"},
    ]
    table = [{"life": "hp"}, {"figures": figures}, [*lost, *kept]]
    found = blank.evaluate("(table) => limitLosses(...table)", table)
    assert found == [{**lost[0], "by": -2}, *kept]


@pytest.mark.parametrize("kind", ["struck", "settled", "undo_answered"])
def test_browser_goes_back_to_the_turn_before_whatever_was_answered_since(
    blank: Page, kind: str
) -> None:
    start = start_table(game())
    evening = Evening(start)
    undo = evening.undo(evening.tap("out", figure="1.1"))
    ended = evening.tap("turn", last=True)
    match kind:
        case "struck":
            evening.strike(undo)
        case "settled":
            evening.tap("settled", acts=(ended.act, ended.act))
        case "undo_answered":
            evening.tap("undo_answered", asked=ended.act, agreed=False)
    evening.undo(ended)
    rows = [table_page.row_of(one) for one in evening.log]
    case = [
        table_page.describe_fixed(board(start, [])),
        [[table_page.state(board(start, [])), rows]],
    ]
    [found] = blank.evaluate(BOTH, json.loads(json.dumps(case)))
    assert found["turn"] == table_page.state(board(start, evening.log))["turn"] == 1
