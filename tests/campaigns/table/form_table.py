"""A table whose forms are pressed by phones without scripts, and compared with a plain story."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import UUID

from django.test import Client
from django.urls import reverse

from campaigns.table import people, storage
from campaigns.table.fold import Folded, begin
from campaigns.table.order import UNDOING
from campaigns.table.report import table_account
from campaigns.table.state import Start, TableNow, find_mark
from campaigns.table.taps import (
    NONPLAYERS,
    TAPS,
    AnyTap,
    Dealt,
    Logged,
    Struck,
    UndoAnswered,
    Undone,
    resolve_aliases,
)
from tests.campaigns.table.form_phones import (
    Answer,
    FormPhone,
    Page,
    Values,
    number_of,
    story_lines,
    taps_of,
)
from tests.campaigns.table.nights import Club
from tests.campaigns.table.plain_story import Entry, Part, PlainStory, Waiting, entry_of
from tests.hostile.forms import Field, Form
from tests.world.campaigns import make_game

SECTION = re.compile(r'<section class="panel mt-3">\s*<h2>\D*(\d+)\D*</h2>(.*?)</section>', re.S)


class FormTable:
    """A game, pressed on two phones and watched on a third. ``shown``: how often each kind of act
    happened."""

    def __init__(self, club: Club, chance: Random) -> None:
        self.chance = chance
        self.dice = Random(chance.random())
        self.game = make_game(club.campaign, club.players[0], *club.gangs)
        sides = list(self.game.sides.select_related("gang__owner"))
        self.table = storage.open_for(self.game, sides)
        self.start: Start = people.start_of(self.table)
        self.story = PlainStory(self.start)
        self.folded: Folded = begin(self.start)
        self.phones: list[FormPhone] = []
        for player, name in zip(club.players, "ab", strict=True):
            phone = FormPhone(name, Client())
            phone.client.force_login(player)
            self.phones.append(phone)
        # The name under which each phone sends what it has collected, and its last number.
        self.devices = {
            phone.name: (str(UUID(int=chance.getrandbits(128), version=4)), 0)
            for phone in self.phones
        }
        self.watcher = FormPhone("watcher", Client())
        self.watcher.open(reverse("campaigns:watch", args=[club.campaign.watch_key]))
        self.moment = 0
        self.opened: dict[str, tuple[int, Page | None, Form | None]] = {}
        # The presses that wait for an answer: whether they restore, and their acts.
        self.requests: dict[UUID, tuple[bool, list[UUID]]] = {}
        self.shown: Counter[str] = Counter()

    # Addresses and pages

    def address(self, name: str, *more: object) -> str:
        """Return an address of this table."""
        return reverse(f"campaigns:{name}", args=[self.table.pk, *more])

    def open_table(self, phone: FormPhone) -> tuple[Page, Form]:
        """Open the table's page, unless this phone has done so since the last tap."""
        seen, page, form = self.opened.get(phone.name, (-1, None, None))
        if page is not None and form is not None and seen == self.seq:
            return page, form
        page = phone.open(self.table.get_absolute_url())
        form = page.form("table")
        assert form is not None
        self.opened[phone.name] = (self.seq, page, form)
        if phone is not self.watcher:
            assert number_of(form, "turn") == min(99, self.story.turn)
            assert number_of(form, "after") == self.seq
        return page, form

    def news(self, phone: FormPhone, seq: int = 0) -> dict[str, Any]:
        """Return the news that a phone gets."""
        answer = phone.client.get(self.address("table-since", seq))
        found: dict[str, Any] = answer.json() if answer.status_code == 200 else {}
        return found

    @property
    def seq(self) -> int:
        """The number of the last tap."""
        return len(self.folded.log)

    def other(self, phone: FormPhone) -> FormPhone:
        """Return the other player's phone."""
        return self.phones[self.phones[0] is phone]

    def side(self, phone: FormPhone) -> int:
        """Return the side that a phone's player plays."""
        return self.phones.index(phone) + 1

    def figures(self, side: int, *, standing: bool = True) -> list[str]:
        """Return the figures of a side in random order."""
        now = self.folded.standing
        keys = [one.key for one in self.start.figures if one.side == side]
        keys = [key for key in keys if not standing or now.figures[key].out is None]
        return self.chance.sample(keys, len(keys))

    @contextmanager
    def seeded_dice(self) -> Iterator[None]:
        """Let the site's dice follow from the evening's seed."""
        with patch("campaigns.seeds.faces", lambda *_: lambda sides: self.dice.randint(1, sides)):
            yield

    # Presses

    def press(
        self,
        phone: FormPhone,
        page: Page,
        form: Form,
        button: Field,
        changes: Values | None = None,
        *,
        entry: Entry | None = None,
    ) -> tuple[Answer, list[UUID]]:
        """Press a button, and tell the plain story of its acts. ``entry``: the due entry for
        which the player presses it. Returns the answer and the new acts."""
        turn, saw = number_of(form, "turn"), number_of(form, "after")
        self.moment += 1
        answer = phone.press(page, form, button, changes)
        return answer, self.take(phone, turn, saw, entry)

    def take(self, phone: FormPhone, turn: int, saw: int, entry: Entry | None = None) -> list[UUID]:
        """Read the new taps of the log, and tell the plain story of new acts and answers."""
        rows = storage.log_of(self.table, since=self.seq)
        new = self.tell(rows, phone.name, {}, turn, saw, entry)
        self.folded = self.folded.go_on(rows)
        return new

    def tell(
        self,
        rows: Sequence[Logged],
        phone: str,
        moments: dict[UUID, tuple[int, int]],
        turn: int,
        saw: int,
        entry: Entry | None = None,
        known: Sequence[Waiting] | None = None,
    ) -> list[UUID]:
        """Tell the plain story of these taps. ``moments``: the turn and the moment of an act, if it
        happened earlier; ``known``: what was due as the player saw the table."""
        acts: dict[UUID, list[Logged]] = {}
        for row in rows:
            if not isinstance(row.tap, (*UNDOING, UndoAnswered)):
                acts.setdefault(row.act, []).append(row)
        new = []
        for act, ours in acts.items():
            taps = tuple(row.tap for row in ours)
            if act in self.story.acts:
                self.story.answer(act, self.moment, ours[0].seq, taps)
                continue
            of_turn, moment = moments.get(act, (turn, self.moment))
            part = Part(act, of_turn, saw, moment, ours[0].seq, taps)
            made_for = self.deals(taps, entry)
            if made_for and known is None:
                known = self.story.play()[1]
            self.story.add(part, phone, made_for, known or ())
            new.append(act)
        return new

    def deals(self, taps: Iterable[AnyTap], entry: Entry | None) -> list[Entry]:
        """Return the entries that an act deals with. ``entry``: the one for which its button was
        pressed: no other of its kind is dealt with."""
        found = [entry_of(tap) for tap in taps if isinstance(tap, Dealt)]
        if entry is not None:
            same = [one for one in found if one[0] == entry[0]]
            assert same == [entry], f"dealt with {same} in place of {entry}"
        return found

    # Checks after each press

    def check(self) -> None:
        """Compare the table with the plain story."""
        folded, story = self.folded, self.story
        now = folded.standing
        for key, act in story.acts.items():
            gone = {one.key in folded.gone for one in folded.acts[key]}
            assert gone == {act.gone is not None}, f"an act is {gone}, not {act.gone}: {act}"
        assert folded.acts.keys() >= story.acts.keys()
        assert now.turn == min(99, story.turn), (now.turn, story.turn)
        table, waiting = story.play()
        assert_equal(now, table)
        late = Counter[int]()
        for one in folded.now.late:
            late[one.turn] += one.number
        assert late == story.late(), f"late: {late}, not {story.late()}"
        self.check_questions()

    def check_questions(self) -> None:
        """Assert that no question is about an act whose player had seen the undo, or about two acts
        of which one player knew the other."""
        now, by_key = self.folded.now, self.folded.by_key
        for contested in now.contested:
            undone = self.story.acts[by_key[contested.struck].act]
            assert undone.gone is not None
            for key in contested.resting:
                act = self.story.acts.get(by_key[key].act)
                if act is not None:
                    assert act.first.saw < undone.gone_since, f"{act} was made after an undo"
        for double in now.doubles:
            one, other = (self.story.acts[act] for act in double.acts)
            assert one.phone != other.phone
            assert one.first.saw < other.first.arrived and other.first.saw < one.first.arrived

    def check_pages(self) -> None:
        """Compare the story, and what its buttons undo, with the plain story."""
        phone = self.chance.choice(self.phones)
        page = phone.open(self.address("table-story"))
        told = tell_turns(page.html)
        assert told == self.story.order, "the story has another order"
        for act, buttons in story_lines(page.html):
            self.check_line(UUID(act), buttons)
        watched = self.watcher.open(self.address("table-story")).html
        assert [act for act, _b in story_lines(watched)] == [str(act) for _turn, act in told]
        assert not any(buttons for _act, buttons in story_lines(watched))
        for one in self.phones:
            for own in self.news(one).get("own", ()):
                led = {UUID(act) for act in own["led"]}
                assert led == self.story.undone_with(UUID(own["act"])) - {UUID(own["act"])}

    def check_line(self, act: UUID, buttons: Sequence[Field]) -> None:
        """Assert that the button of an act undoes it with all that followed, or restores that."""
        there = self.story.acts[act]
        if there.asked is not None:
            assert not buttons
            return
        [button] = buttons
        taps = [TAPS.validate_python(tap) for tap in taps_of(button)]
        if there.gone is None:
            undone = {tap.act for tap in taps if isinstance(tap, Undone)}
            expected = self.story.undone_with(act)
            assert undone == expected, f"one press undoes {undone}, not {expected}"
        else:
            restored = self.restored_by(taps)
            expected = self.story.restored_with(act)
            assert restored == expected, f"one press restores {restored}, not {expected}"

    def restored_by(self, taps: Sequence[AnyTap]) -> set[UUID]:
        """Return the acts whose undo these taps strike."""
        devices = {one.device for one in self.folded.log}
        found = set()
        for tap in resolve_aliases(self.table.pk, taps, devices):
            if isinstance(tap, Struck):
                struck = self.folded.by_key[tap.device, tap.device_seq].tap
                if isinstance(struck, Undone):
                    found.add(struck.act)
        return found

    def check_report(self) -> None:
        """Compare the report with the numbers of the plain story."""
        sides = list(self.game.sides.all())
        account = table_account(self.game, sides)
        if account is None:
            assert not self.story.acts
            return
        numbers = {side.gang_id: side.number for side in self.table.sides.all()}
        departures, tallies = self.story.departures(), self.story.tallies()
        everybody = {one.key: one for one in self.start.figures}
        declared = self.start.rules.mark
        for side in sides:
            number = numbers[side.gang_id]
            report = account.sides[side.pk].report
            own = {
                one.member: one.key
                for one in self.start.figures
                if one.side == number and one.gang == str(side.gang_id)
            }
            turns: dict[int, int] = {}
            credits: dict[int, tuple[str, int]] = {}
            for member, key in own.items():
                out = departures.get(key)
                mark = find_mark(self.start.rules.marks, out) if out is not None else None
                if out is None or mark is None:
                    continue
                turns[member] = out.turn
                assert report.marks[member] == mark
                by = everybody.get(out.by or "")
                hit = by is not None and by.side not in (number, NONPLAYERS)
                if by is not None and hit and not declared[mark].stands:
                    credits[member] = (by.gang, by.member)
            assert report.turns == turns, f"out of action: {report.turns}, not {turns}"
            found = {member: (one.gang, one.member) for member, one in report.credits.items()}
            assert found == credits, f"by whom: {found}, not {credits}"
            own_tallies = {key: n for (key, who), n in tallies.items() if who == number}
            assert {key: n for key, n in report.tallies.items() if n} == own_tallies
            counts = {
                (tally, own[member]): n
                for tally, counted in report.counts.items()
                for member, n in counted.items()
            }
            mine = {key: n for key, n in tallies.items() if key[1] in own.values()}
            assert counts == mine


def tell_turns(html: str) -> list[tuple[int, UUID]]:
    """Return the turn and the act of each line of the story's page."""
    return [
        (int(turn), UUID(act))
        for turn, section in SECTION.findall(html)
        for act, _buttons in story_lines(section)
    ]


def assert_equal(now: TableNow, table: TableNow) -> None:
    """Assert that the folded table is the table of the plain story."""
    for name in ("turn", "phase", "figures", "sides", "tallies", "due", "follow_ups", "over"):
        found, expected = getattr(now, name), getattr(table, name)
        if isinstance(found, dict):
            for key in found.keys() | expected.keys():
                assert found.get(key) == expected.get(key), f"{name} {key}"
        assert found == expected, name
