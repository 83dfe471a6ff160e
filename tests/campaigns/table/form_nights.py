"""Evenings at the real pages, pressed by phones without scripts, against a plain story.

``script/prove-table`` plays them beside the evenings over a bad network (``nights.py``);
test_form_nights.py plays a short one. Phones declare actions, throw, type or enter results, answer
questions about open dice, take the tests that fall due, end turns, undo and restore acts of every
kind, ask each other to undo dice of the site, press pages of ended turns, and come back from
offline. After each press the table, its turn, what is due, what is undone and the questions are
compared with ``plain_story.py``; the story, the buttons to undo and the report from time to time.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from django.test import Client
from django.urls import reverse

from campaigns.table import people, storage
from campaigns.table.attempts.actions import begin_attempt
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.effects import bring_outcome
from campaigns.table.attempts.entering import names_of_ends
from campaigns.table.fold import Folded, begin
from campaigns.table.order import UNDOING
from campaigns.table.report import table_account
from campaigns.table.state import Start, TableNow, find_mark
from campaigns.table.taps import (
    NONPLAYERS,
    TAPS,
    AnyTap,
    Counted,
    Dealt,
    Did,
    Followed,
    Logged,
    Ordered,
    Out,
    Rolled,
    Settled,
    SetTo,
    Struck,
    Tallied,
    UndoAnswered,
    Undone,
    resolve_aliases,
)
from rules.engine.odds import HOPELESS, endings
from tests.campaigns.table.form_phones import (
    Answer,
    FormPhone,
    Page,
    Values,
    buttons_of,
    number_of,
    story_lines,
    taps_of,
    values_of,
)
from tests.campaigns.table.nights import Club
from tests.campaigns.table.plain_story import Act, Entry, Part, PlainStory, Waiting, entry_of
from tests.hostile.forms import Field, Form, forms_of
from tests.world.campaigns import make_game

# The scenes of an evening, with what each has to show at least once in all evenings.
SCENES = (
    "answer_from_an_old_page",
    "press_an_old_form",
    "tap_on_an_old_page",
    "come_back_from_offline",
    "act_after_a_seen_undo",
    "act_before_an_unseen_undo",
    "follow_and_undo",
    "settle_one_of_two_tests",
    "test_and_undo",
    "ask_to_undo",
    "enter_results",
)
KINDS = (
    *("declared", "threw", "entered", "typed", "stood", "spent", "answered from an old page"),
    *("ended a turn", "rolled for a test", "rolled for all", "followed", "followed again"),
    *("said it is done", "tapped", "tapped on an old page", "tapped late", "pressed an old form"),
    *("attempted offline", "settled one of two tests", "undid", "undid in the story"),
    *("undid by the arrow", "undid what followed", "restored", "asked to undo"),
    *("undo agreed", "undo declined", "undo withdrawn", "acted after a seen undo"),
    *("asked about an unseen undo", "answered about an undo", "compared an entered result"),
)
# No search for something possible takes more tries than these.
FIGURES, LINKS, TYPED, TRIES, TAPPED = 5, 4, 40, 10, 12
# The kinds of the free taps: not about other taps, turns and dice.
ABOUT_OTHERS = {"undone", "struck", "undo_answered", "settled", "dealt", "turn", "over"}
# Taps with a number, and taps that an outcome need not have in each of its ends.
NUMBERS = (Counted, SetTo, Tallied, Ordered)
SECTION = re.compile(r'<section class="panel mt-3">\s*<h2>\D*(\d+)\D*</h2>(.*?)</section>', re.S)
FOR_ALL = re.compile(r'formaction="([^"]*/due/\w+/)"')
CARD = re.compile(r'<ul class="findings table-questions".*?</ul>', re.S)


class FormNight:
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
        """Press a button, and tell the plain story what came of it. ``entry``: the due entry for
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
        assert told == self.story.order, "the story is told in another order"
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

    # An evening

    def play(self, acts: int, scenes: Iterable[str] = SCENES) -> None:
        """Do this many random acts before each scene, and check everything."""
        with self.seeded_dice():
            for scene in scenes:
                for _act in range(acts):
                    self.something()
                    self.check()
                getattr(self, scene)()
                self.check()
                self.check_pages()
            self.answer_all()
            self.end_turn(self.chance.choice(self.phones))
            self.check()
            self.check_pages()
            self.check_report()

    def something(self) -> None:
        """Do a random act of a random player."""
        phone = self.chance.choice(self.phones)
        acts: list[tuple[int, Callable[[FormPhone], object]]] = [
            (4, self.free_tap),
            (2, self.declare),
            (3, self.throw),
            (3, self.enter),
            (3, self.type),
            (4, self.deal_with_something),
            (2, self.end_turn),
            (4, self.undo_something),
            (3, self.answer_dice),
            (1, self.answer_undo),
            (1, self.answer_question),
            (1, self.undo_by_arrow),
        ]
        [act] = self.chance.choices([one for _n, one in acts], [n for n, _one in acts])
        act(phone)

    # Acts on the table's page

    def free_tap(self, phone: FormPhone, *kinds: str, figure: str = "") -> UUID | None:
        """Press a button of the table's page, by default any that is about no other tap."""
        page, form = self.open_table(phone)
        return self.tap_on(phone, page, form, *kinds, figure=figure)

    def tap_on(
        self, phone: FormPhone, page: Page, form: Form, *kinds: str, figure: str = ""
    ) -> UUID | None:
        """Press such a button of a page that was opened before."""
        by_kind: dict[str, list[Field]] = {}
        for button in buttons_of(form, "taps"):
            taps = taps_of(button)
            told = {tap["kind"] for tap in taps}
            if told & ABOUT_OTHERS or (kinds and not told & {*kinds}):
                continue
            if not figure or any(tap.get("figure") == figure for tap in taps):
                by_kind.setdefault(taps[0]["kind"], []).append(button)
        if not by_kind:
            return None
        button = self.chance.choice(by_kind[self.chance.choice(sorted(by_kind))])
        _answer, acts = self.press(phone, page, form, button)
        self.shown["tapped"] += len(acts)
        return acts[0] if acts else None

    def end_turn(self, phone: FormPhone) -> UUID | None:
        """End the turn."""
        page, form = self.open_table(phone)
        for button in buttons_of(form, "taps"):
            if taps_of(button)[-1]["kind"] == "turn" and self.story.turn < 90:
                _answer, [act] = self.press(phone, page, form, button)
                self.shown["ended a turn"] += 1
                return act
        return None

    def due_buttons(self, form: Form) -> list[tuple[Entry, Field]]:
        """Return what a page shows as due, each with the button that says it is done."""
        buttons = ((button, taps_of(button)) for button in buttons_of(form, "taps"))
        alone = (
            (button, TAPS.validate_python(taps[0])) for button, taps in buttons if not taps[1:]
        )
        return [(entry_of(tap), button) for button, tap in alone if isinstance(tap, Dealt)]

    def due_links(self, page: Page) -> list[tuple[Entry, str]]:
        """Return the links to the forms of due rolls."""
        found: list[tuple[Entry, str]] = []
        for link in page.links("/acts/"):
            query = parse_qs(urlsplit(link).query)
            roll, by = urlsplit(link).path.strip("/").split("/")[-1], query.get("by", [""])[0]
            who: str | int = int(by) if by.isdecimal() else by
            if "alarm" in query:
                found.append((("alarm", query["alarm"][0], who, None), link))
            elif "cause" in query:
                found.append((("roll", roll, who, UUID(query["cause"][0])), link))
        return found

    def deal_with_something(self, phone: FormPhone) -> None:
        """Take a test that is due, make a roll that follows, or say that it is done."""
        page, form = self.open_table(phone)
        links, dealt = self.due_links(page), self.due_buttons(form)
        for_all = rolls_for_all(page)
        draw = self.chance.random()
        if for_all and draw < 0.3:
            alarm = self.chance.choice(sorted(for_all))
            self.roll_for_all(phone, page, form, alarm, for_all[alarm])
        elif links and draw < 0.85:
            self.follow(phone, *self.chance.choice(links))
        elif dealt:
            entry, button = self.chance.choice(dealt)
            self.press(phone, page, form, button, entry=entry)
            self.shown["said it is done"] += 1

    def roll_for_all(
        self, phone: FormPhone, page: Page, form: Form, alarm: str, button: Field
    ) -> list[UUID]:
        """Roll for all figures of a due test: nothing else is dealt with."""
        turn, known = self.story.turn, self.story.play()[1]
        phone.press(page, form, button)
        rows = storage.log_of(self.table, since=self.seq)
        acts = list(dict.fromkeys(row.act for row in rows))
        for act in acts:
            ours = [row for row in rows if row.act == act]
            dealt = [tap.alarm for row in ours if isinstance(tap := row.tap, Dealt) and tap.alarm]
            assert dealt == [alarm], f"dealt with {dealt} in place of {alarm}"
            # The dice of each figure fall after those of the figure before.
            self.moment += 1
            self.tell(ours, phone.name, {}, turn, ours[0].seq - 1, known=known)
            self.folded = self.folded.go_on(ours)
            known = self.story.play()[1]
        self.shown["rolled for all"] += bool(acts)
        return acts

    def follow(self, phone: FormPhone, entry: Entry, link: str) -> UUID | None:
        """Make a roll that is due."""
        ways = [self.throw_form, self.type_form, self.enter_form]
        page = self.open_attempt(phone, link)
        if page is None:
            return None
        act = self.chance.choice(ways)(phone, page, entry=entry)
        if act is not None:
            self.shown["rolled for a test" if entry[0] == "alarm" else "followed"] += 1
            self.check_stays(entry)
        return act

    def check_stays(self, entry: Entry) -> None:
        """Assert that a roll that follows for several targets stays due, and that every other one
        is dealt with."""
        sort, roll, who, cause = entry
        act_of = self.story.acts.get(cause) if cause is not None else None
        if sort != "roll" or act_of is None:
            return
        is_many = self.follows_for_many(act_of, roll)
        figure = self.folded.standing.figures.get(str(who))
        if is_many is not None and figure is not None and figure.out is None:
            follow_ups = self.folded.standing.follow_ups
            stays = (roll, who, cause) in {(one.roll, one.who, one.act) for one in follow_ups}
            assert stays == is_many, f"{entry} stays due: {stays}"

    def follows_for_many(self, cause: Act, following: str) -> bool | None:
        """Whether the rulebook says that a roll follows from an act for several targets; None if
        that depends on something else, or if it follows twice."""
        rolled = [tap for tap in cause.taps if isinstance(tap, Rolled) and not tap.open]
        told = sum(isinstance(tap, Followed) and tap.roll == following for tap in cause.taps)
        if len(rolled) != 1 or told != 1:
            return None
        roll = self.start.book.roll[rolled[0].roll]
        outcome = next((one for one in roll.outcomes if one.key == rolled[0].outcome), None)
        effects = roll.effects_of(outcome) if outcome is not None else ()
        many = {one.many for one in effects if one.kind == "then" and one.roll == following}
        return many.pop() if len(many) == 1 else None

    # Attempts

    def open_attempt(self, phone: FormPhone, link: str) -> Page | None:
        """Open an attempt's form, and confirm what speaks against it; None if it is impossible."""
        page = phone.open(link)
        form = page.form("attempt")
        assert form is not None
        again = buttons_of(form, "again")
        if again:
            answer = phone.press(page, form, again[0])
            page = answer.page or phone.open(answer.location)
        return page if self.has_way(page, "throw") else None

    def has_way(self, page: Page, how: str) -> bool:
        """Whether an attempt's form has this button."""
        form = page.form("attempt")
        return form is not None and any(one.value == how for one in buttons_of(form, "how"))

    def find_attempt(self, phone: FormPhone, rolls: Iterable[str] = (), at: int = 0) -> Page | None:
        """Open the form of a possible attempt of one of the player's figures. ``rolls``: of one of
        these, if there are any; ``at``: the side of the target."""
        wanted = {*rolls}
        for figure in self.figures(self.side(phone))[:FIGURES]:
            page = phone.open(self.address("table-figure", figure))
            links = page.links("/acts/")
            links = [one for one in links if not wanted or _roll_of(one) in wanted]
            links = [
                one for one in links if not at or self.start.book.roll[_roll_of(one)].at == "member"
            ]
            for link in self.chance.sample(links, min(len(links), LINKS)):
                found = self.open_attempt(phone, link)
                if found is not None:
                    return found
        return None

    def throw(self, phone: FormPhone) -> UUID | None:
        """Let the site throw for an attempt."""
        page = self.find_attempt(phone)
        return None if page is None else self.throw_form(phone, page)

    def enter(self, phone: FormPhone) -> UUID | None:
        """Enter the result of an attempt."""
        page = self.find_attempt(phone)
        return None if page is None else self.enter_form(phone, page)

    def type(self, phone: FormPhone) -> UUID | None:
        """Type the dice of an attempt."""
        page = self.find_attempt(phone)
        return None if page is None else self.type_form(phone, page)

    def throw_form(
        self, phone: FormPhone, page: Page, *, entry: Entry | None = None
    ) -> UUID | None:
        """Press the button that throws."""
        form, button = _way(page, "throw")
        _answer, acts = self.press(phone, page, form, button, entry=entry)
        self.shown["threw"] += len(acts)
        return acts[0] if acts else None

    def enter_form(
        self,
        phone: FormPhone,
        page: Page,
        *,
        entry: Entry | None = None,
        outcomes: Iterable[str] = (),
    ) -> UUID | None:
        """Choose an outcome, by default any, and record it as the form proposes."""
        form, button = _way(page, "say")
        offered = [one.value for one in form.fields if one.name == "outcome"]
        wanted = {*outcomes}
        chosen = [one for one in offered if not wanted or one in wanted]
        if wanted and not chosen:
            return None
        # Those that ask for more are the harder ones.
        asking = [one for one in chosen if any(f.name.startswith(f"n-{one}-") for f in form.fields)]
        if asking and self.chance.random() < 0.5:
            chosen = asking
        changes: Values = {"outcome": self.chance.choice(chosen)} if chosen else {}
        before, action = self.folded, values_of(form).get("action")
        _answer, acts = self.press(phone, page, form, button, changes, entry=entry)
        self.shown["entered"] += len(acts)
        if acts:
            self.check_entered(before, acts[0], str(action) if action else None)
        return acts[0] if acts else None

    def check_entered(self, before: Folded, act: UUID, action: str | None) -> None:
        """Assert that an entered result brought nothing that the player did not enter: only what
        every way to this outcome brings, with numbers that one of them has."""
        taps = list(self.story.acts[act].taps)
        [rolled] = [tap for tap in taps if isinstance(tap, Rolled)]
        made = replace(Attempt.of(rolled), action=action)
        now, start = before.standing, self.start
        asked = made.question(start, now)
        names = names_of_ends(asked.roll, asked.names)
        try:
            ways = endings(asked.ready, asked.names, names).ways
        except HOPELESS:
            return
        row = next((one for one in asked.roll.outcomes if one.key == rolled.outcome), None)
        ends = []
        for key, values in ways:
            if key == (rolled.outcome or ""):
                known = {n: v for n, v in zip(names, values, strict=True) if v != ""}
                ends.append(bring_outcome(start, now, made, row, known))
        if not ends:
            self.check_loses_all(before, taps)
            return
        begun = [tap for tap in begin_attempt(start, now, made) if not isinstance(tap, Dealt)]
        brought = [tap for tap in taps if not isinstance(tap, Rolled | Dealt | Did | Ordered)]
        brought = [tap for tap in brought if tap not in begun]
        fixed = [tap for tap in brought if not isinstance(tap, NUMBERS)]
        invented = [tap for tap in fixed if not all(tap in end for end in ends)]
        assert not invented, f"entered {rolled.roll} {rolled.outcome}: invented {invented}"
        possible = any(all(tap in end for tap in brought) for end in ends)
        assert possible, f"entered {rolled.roll} {rolled.outcome}: {brought} is impossible"
        self.shown["compared an entered result"] += 1

    def check_loses_all(self, before: Folded, taps: Sequence[AnyTap]) -> None:
        """Assert that a figure that an entered result puts out loses all the life that it had."""
        for out in taps:
            if isinstance(out, Out) and not out.unhurt:
                life = before.standing.figures[out.figure].tracks.get(self.start.book.life or "", 0)
                lost = [
                    tap.by
                    for tap in taps
                    if isinstance(tap, Counted)
                    and (tap.figure, tap.track) == (out.figure, self.start.book.life)
                ]
                assert not lost or -sum(lost) == life, f"{out.figure} lost {lost} of {life}"

    def type_form(
        self, phone: FormPhone, page: Page, *, entry: Entry | None = None, high: float = 0.4
    ) -> UUID | None:
        """Type dice until the roll is complete. ``high``: how often a die shows its most."""
        form, button = _way(page, "tell")
        changes: Values = {}
        for _throw in range(TYPED):
            answer, acts = self.press(phone, page, form, button, changes, entry=entry)
            if acts or answer.page is None:
                self.shown["typed"] += len(acts)
                return acts[0] if acts else None
            page = answer.page
            there = page.form("attempt")
            if there is None or not self.has_way(page, "tell"):
                return None
            form, button = _way(page, "tell")
            changes = self.faces(form, high)
        return None

    def faces(self, form: Form, high: float) -> Values:
        """Return dice for the boxes of a form, and the dice to keep that it proposes."""
        boxes = [one for one in form.fields if one.name == "dice"]
        keeps = [one for one in form.fields if one.name == "keep"]
        kept = [one.value for one in keeps if one.checked]
        number = len(keeps) - len(kept) if keeps else len(boxes)
        typed = [self.face(box, high) for box in boxes[:number]]
        return {"dice": [*typed, *[""] * (len(boxes) - number)], "keep": kept}

    def face(self, box: Field, high: float) -> str:
        """Return a face for a box."""
        signs = [one for one in box.options if one != "–"]
        if signs:
            signs = [one for one in signs if one]
            return signs[-1] if self.chance.random() < high else self.chance.choice(signs)
        sides = int(box.attributes["data-die"])
        return str(sides if self.chance.random() < high else self.chance.randint(1, sides))

    def declare(self, phone: FormPhone) -> UUID | None:
        """Do an action without dice."""
        for figure in self.figures(self.side(phone))[:FIGURES]:
            page = phone.open(self.address("table-figure", figure))
            form = page.form("do")
            deeds = buttons_of(form, "do") if form is not None else []
            if form is not None and deeds:
                _answer, acts = self.press(phone, page, form, self.chance.choice(deeds))
                self.shown["declared"] += len(acts)
                return acts[0] if acts else None
        return None

    # Open dice

    def answer_dice(self, phone: FormPhone, old: tuple[Page, Form] | None = None) -> UUID | None:
        """Answer the question of open dice, from the table's page. ``old``: a page that was opened
        before: the question comes with the news."""
        page, form = old or self.open_table(phone)
        asks = form
        if old is not None:
            html = self.news(phone, self.seq - 1).get("html", {}).get("asks", "")
            [asks] = forms_of(page.address, f"<form>{html}</form>".encode())
        cards = [one for one in buttons_of(asks) if one.name in ("stand", "spend")]
        if not cards:
            return None
        button = self.chance.choice(cards)
        before = {key: len(act.parts) for key, act in self.story.acts.items()}
        answer, acts = self.press(phone, page, form, button)
        for _throw in range(TYPED):
            if answer.page is None:
                break
            typed = answer.page.form("spend")
            if typed is None or not any(one.name == "dice" for one in typed.fields):
                break
            [button] = buttons_of(typed, "spend")
            answer, acts = self.press(phone, answer.page, typed, button, self.faces(typed, 0.4))
        assert not acts
        answered = [
            key for key, act in self.story.acts.items() if len(act.parts) > before.get(key, 0)
        ]
        self.shown["stood" if button.name == "stand" else "spent"] += len(answered)
        return answered[0] if answered else None

    def answer_all(self) -> None:
        """Answer the questions about open dice."""
        for _time in range(TRIES):
            answered = [self.answer_dice(phone) for phone in self.phones]
            if not any(answered):
                return

    # Undoing

    def undo_something(self, phone: FormPhone) -> None:
        """Undo or restore a random act, from the table or from the story. Every kind of act is as
        frequent."""
        in_story = self.chance.random() < 0.5
        page = phone.open(self.address("table-story")) if in_story else self.open_table(phone)[0]
        lines = [(UUID(act), buttons) for act, buttons in story_lines(page.html) if buttons]
        kinds: dict[str, list[UUID]] = {}
        for act, _buttons in lines:
            for tap in self.story.acts[act].taps:
                kinds.setdefault(tap.kind, []).append(act)
        if kinds:
            act = self.chance.choice(kinds[self.chance.choice(sorted(kinds))])
            self.undo(phone, act, page)

    def undo(self, phone: FormPhone, act: UUID, page: Page | None = None) -> UUID | None:
        """Press the button of an act's line, and return the press. Dice of the site wait for the
        other player."""
        page = page or phone.open(self.address("table-story"))
        form = page.form("telling") or page.form("table")
        assert form is not None
        lines = dict(story_lines(page.html))
        buttons = lines.get(str(act), [])
        self.check_line(act, buttons)
        if not buttons:
            return None
        in_story = form.name == "telling"
        restores = self.story.acts[act].gone is not None
        acts = self.story.restored_with(act) if restores else self.story.undone_with(act)
        press = self.press_undo(phone, page, form, buttons[0], acts, restores=restores)
        self.shown["restored" if restores else "undid in the story" if in_story else "undid"] += 1
        self.shown["undid what followed"] += not restores and len(acts) > 1
        return press

    def press_undo(
        self,
        phone: FormPhone,
        page: Page,
        form: Form,
        button: Field,
        acts: Iterable[UUID],
        *,
        restores: bool,
    ) -> UUID:
        """Press a button that undoes or restores these acts."""
        before = self.seq
        self.press(phone, page, form, button)
        return self.note_undo(before, acts, restores=restores)

    def note_undo(self, before: int, acts: Iterable[UUID], *, restores: bool) -> UUID:
        """Tell the plain story of an undo whose taps follow this number."""
        [press] = {one.act for one in self.folded.log[before:]}
        acts = [*acts]
        asked = [act for act in acts if self.story.acts[act].is_by_site]
        now = [act for act in acts if act not in asked]
        if restores:
            self.story.restore(now)
        else:
            self.story.undo(now, press, before + 1)
        for act in asked:
            self.story.acts[act].asked = press
        if asked:
            self.requests[press] = (restores, asked)
            self.shown["asked to undo"] += 1
        return press

    def undo_by_arrow(self, phone: FormPhone) -> None:
        """Undo the last act of a phone's player, as the script's arrow does."""
        own = self.news(phone).get("own", ())
        if own:
            act = UUID(own[0]["act"])
            acts = self.story.undone_with(act)
            assert {UUID(one) for one in (own[0]["act"], *own[0]["led"])} == acts
            before = self.seq
            told = [{"kind": "undone", "act": one} for one in (own[0]["act"], *own[0]["led"])]
            self.send(phone, [self.row(phone, told)])
            self.take(phone, self.story.turn, before)
            self.note_undo(before, acts, restores=False)
            self.shown["undid by the arrow"] += 1

    def answer_undo(
        self, phone: FormPhone, press: UUID | None = None, *, agree: bool | None = None
    ) -> None:
        """Answer a request to undo dice of the site, or withdraw it."""
        page, form = self.open_table(phone)
        found = []
        for button in buttons_of(form, "taps"):
            taps = taps_of(button)
            if taps[0]["kind"] == "undo_answered" and press in (None, UUID(taps[0]["asked"])):
                found.append((UUID(taps[0]["asked"]), bool(taps[0]["agreed"]), button))
        found = [one for one in found if agree in (None, one[1])]
        if not found:
            return
        asked, agreed, button = self.chance.choice(found)
        is_own = not any(one for one in found if one[0] == asked and one[1]) and agree is None
        before = self.seq
        self.press(phone, page, form, button)
        restores, acts = self.requests.pop(asked)
        for act in acts:
            self.story.acts[act].asked = None
        if agreed and restores:
            self.story.restore(acts)
        elif agreed:
            self.story.undo(acts, asked, before + 1)
        words = "agreed" if agreed else "withdrawn" if is_own else "declined"
        self.shown[f"undo {words}"] += 1

    def answer_question(self, phone: FormPhone) -> None:
        """Answer a question about two acts, or about an undone act on which others depend."""
        page, form = self.open_table(phone)
        card = CARD.search(page.html)
        if card is None:
            return
        [questions] = forms_of("", f"<form>{card[0]}</form>".encode())
        offered = [
            one
            for one in buttons_of(questions, "taps")
            if taps_of(one)[0]["kind"] in ("undone", "struck", "settled")
        ]
        if not offered:
            return
        button = self.chance.choice(offered)
        taps = [TAPS.validate_python(tap) for tap in taps_of(button)]
        self.shown["answered about an undo"] += 1
        if isinstance(taps[0], Settled):
            self.press(phone, page, form, button)
        elif isinstance(taps[0], Struck):
            restored = self.restored_by(taps)
            acts = {one for act in restored for one in self.story.restored_with(act)}
            assert restored == acts, f"one press restores {restored}, not {acts}"
            self.press_undo(phone, page, form, button, acts, restores=True)
        else:
            undone = {tap.act for tap in taps if isinstance(tap, Undone)}
            acts = {one for act in undone for one in self.story.undone_with(act)}
            assert undone == acts, f"one press undoes {undone}, not {acts}"
            self.press_undo(phone, page, form, button, acts, restores=False)

    # Offline

    def row(
        self,
        phone: FormPhone,
        taps: Sequence[dict[str, Any]],
        saw: int | None = None,
        turn: int = 0,
    ) -> list[dict[str, Any]]:
        """Return the rows of an act that a phone collects now."""
        act = UUID(int=self.chance.getrandbits(128), version=4)
        device, number = self.devices[phone.name]
        self.devices[phone.name] = (device, number + len(taps))
        # No two acts of a phone happen in the same millisecond.
        time.sleep(0.002)
        shared = {"device": device, "at": time.time_ns() // 1_000_000, "act": str(act)}
        shared |= {"after": self.seq if saw is None else saw, "turn": turn or self.story.turn}
        return [shared | {"n": n, "tap": tap} for n, tap in enumerate(taps, start=number + 1)]

    def send(self, phone: FormPhone, acts: Sequence[Sequence[dict[str, Any]]]) -> None:
        """Send acts that a phone has collected."""
        rows = [row for act in acts for row in act]
        answer = phone.client.post(
            self.address("table-taps"), json.dumps(rows), content_type="application/json"
        )
        assert answer.status_code == 200 and all(answer.json()["logged"]), answer.json()

    def come_back_from_offline(self) -> None:
        """A phone collects taps and an attempt without a network, while the other goes on."""
        phone = self.chance.choice(self.phones)
        other = self.other(phone)
        page, form = self.open_table(phone)
        saw, turn, known = self.seq, number_of(form, "turn"), self.story.play()[1]
        offered: list[dict[str, Any]] = []
        for figure in self.figures(self.side(phone))[:2]:
            answer = phone.client.get(self.address("table-beforehand", figure))
            offered = offered or answer.json()["attempts"]
        buttons = [
            one
            for one in buttons_of(form, "taps")
            if not {tap["kind"] for tap in taps_of(one)} & ABOUT_OTHERS
        ]
        collected: list[list[dict[str, Any]]] = []
        moments: dict[UUID, tuple[int, int]] = {}
        for place in range(self.chance.randint(2, 4)):
            self.moment += 1
            told = taps_of(self.chance.choice(buttons))
            if place == 1 and offered:
                attempt = self.chance.choice(offered)
                told = self.chance.choice(attempt["ends"])["taps"]
                told = [
                    tap | {"by_phone": True} if tap["kind"] == "rolled" else tap for tap in told
                ]
                self.shown["attempted offline"] += 1
            collected.append(self.row(phone, told, saw, turn))
            moments[UUID(collected[-1][0]["act"])] = (turn, self.moment)
            if self.chance.random() < 0.6:
                self.chance.choice((self.free_tap, self.end_turn, self.throw))(other)
        self.end_turn(other)
        self.send(phone, collected)
        rows = storage.log_of(self.table, since=self.seq)
        self.tell(rows, f"{phone.name} offline", moments, turn, saw, known=known)
        self.folded = self.folded.go_on(rows)
        self.shown["tapped late"] += sum(self.story.late().values()) > 0

    # Scenes

    def enter_results(self) -> None:
        """Both players enter results against the other's figures."""
        for phone in (*self.phones, *self.phones):
            page = self.find_attempt(phone, at=self.side(self.other(phone)))
            if page is not None:
                self.enter_form(phone, page)
                self.check()

    def answer_from_an_old_page(self) -> None:
        """A phone only watches, with the page of an earlier turn, and answers a question."""
        phone, watching = self.phones if self.chance.random() < 0.5 else self.phones[::-1]
        self.answer_all()
        old = self.open_table(watching)
        self.end_turn(phone)
        if self.chance.random() < 0.5:
            self.end_turn(phone)
        for _try in range(TRIES):
            page = self.find_attempt(phone, at=self.side(watching))
            if page is not None:
                self.type_form(phone, page, high=0.7)
            self.check()
            if self.answer_dice(watching, old) is not None:
                self.shown["answered from an old page"] += 1
                self.check()
                return
            self.answer_all()

    def press_an_old_form(self) -> None:
        """A page of an attempt or of a figure from an ended turn is shown again, and nothing is
        written; pressed again, it counts in the new turn."""
        phone = self.chance.choice(self.phones)
        page = self.find_attempt(phone)
        figure = phone.open(
            self.address("table-figure", self.figures(self.side(phone), standing=False)[0])
        )
        if page is None:
            return
        self.end_turn(self.other(phone))
        deeds = figure.form("do")
        if deeds is not None:
            [*_others, button] = buttons_of(deeds, "do")
            assert self.press(phone, figure, deeds, button)[1] == []
        for how in ("throw", "tell", "say"):
            form, button = _way(page, how)
            answer, acts = self.press(phone, page, form, button)
            assert acts == [] and answer.page is not None
            again = answer.page
            self.shown["pressed an old form"] += 1
            if self.has_way(again, "say"):
                page = again
                break
        if self.has_way(page, "say"):
            self.enter_form(phone, page)

    def tap_on_an_old_page(self) -> None:
        """A page that was opened before says what its player had seen."""
        phone = self.chance.choice(self.phones)
        other = self.other(phone)
        old = self.open_table(phone)
        for act in self.chance.sample((self.free_tap, self.throw, self.end_turn, self.enter), 2):
            act(other)
        for _time in range(2):
            if self.tap_on(phone, *old) is not None:
                self.shown["tapped on an old page"] += 1
            self.check()

    def put_out(self, phone: FormPhone) -> tuple[str, UUID] | None:
        """Take a figure of the other side out by a tap."""
        for figure in self.figures(self.side(self.other(phone))):
            act = self.free_tap(phone, "out", figure=figure)
            if act is not None:
                return figure, act
        return None

    def act_after_a_seen_undo(self) -> None:
        """What was made with the undo in sight does not depend on the undone act."""
        phone = self.chance.choice(self.phones)
        other = self.other(phone)
        found = self.put_out(phone)
        if found is None:
            return
        figure, act = found
        self.undo(phone, act)
        self.check()
        asked = len(self.folded.now.contested)
        for _time in range(2):
            made = self.free_tap(other, figure=figure)
            self.shown["acted after a seen undo"] += made is not None
            self.check()
            resting = {one.act for one in self.resting(act)}
            assert made not in resting
        assert len(self.folded.now.contested) == asked

    def resting(self, act: UUID) -> list[Logged]:
        """Return the taps about which players are asked since an act was undone."""
        by_key = self.folded.by_key
        return [
            by_key[key]
            for one in self.folded.now.contested
            if by_key[one.struck].act == act
            for key in one.resting
        ]

    def act_before_an_unseen_undo(self) -> None:
        """What was made without the undo in sight is asked about."""
        phone = self.chance.choice(self.phones)
        other = self.other(phone)
        found = self.put_out(phone)
        if found is None:
            return
        figure, act = found
        old = self.open_table(other)
        self.undo(phone, act)
        made = self.tap_on(other, *old, "back", figure=figure)
        if made is None:
            return
        self.check()
        assert made in {one.act for one in self.resting(act)}
        self.shown["asked about an unseen undo"] += 1
        self.answer_question(self.chance.choice(self.phones))

    def leading(self) -> dict[str, set[str]]:
        """Return the rolls that lead to others, each with the outcomes that do."""
        found: dict[str, set[str]] = {}
        for roll in self.start.rules.rolls:
            for outcome in roll.outcomes:
                if any(one.kind == "then" for one in roll.effects_of(outcome)):
                    found.setdefault(roll.key, set()).add(outcome.key)
        return found

    def follow_and_undo(self) -> None:
        """Rolls follow from an act, some for several targets; one press undoes all of it."""
        leading = self.leading()
        many = {
            roll.key
            for roll in self.start.rules.rolls
            for outcome in roll.outcomes
            if any(one.kind == "then" and one.many for one in roll.effects_of(outcome))
        }
        for phone in self.chance.sample(self.phones, 2):
            for rolls in (many, {*leading} - many):
                if rolls:
                    self.lead(phone, {key: leading[key] for key in rolls})
                    self.check()

    def lead(self, phone: FormPhone, leading: dict[str, set[str]]) -> None:
        """Make an attempt that leads to others, follow it, undo it and restore it."""
        for _try in range(2):
            page = self.find_attempt(phone, leading)
            if page is None:
                return
            form = page.form("attempt")
            assert form is not None
            act = self.enter_form(phone, page, outcomes=leading[_roll_of(form.action)])
            if act is None:
                continue
            self.check()
            followed = 0
            for _time in range(3):
                table, _form = self.open_table(self.chance.choice(self.phones))
                links = [one for one in self.due_links(table) if one[0][3] == act]
                if links and self.follow(self.chance.choice(self.phones), *links[0]) is not None:
                    followed += 1
                    self.check()
            self.shown["followed again"] += followed > 1
            if act not in self.story.gone:
                self.undo(self.chance.choice(self.phones), act)
                self.check()
                self.answer_undo(self.chance.choice(self.phones))
                self.check()
                if act in self.story.gone and self.chance.random() < 0.7:
                    self.undo(self.chance.choice(self.phones), act)
                    self.check()
            return

    def hurt(self, phone: FormPhone, figure: str = "") -> UUID | None:
        """Tap a loss of a figure, or that it is out or in a state."""
        figure = figure or self.figures(self.chance.choice((1, 2)), standing=False)[0]
        return self.free_tap(phone, "counted", "out", "began", figure=figure)

    def lose(self, phone: FormPhone, figure: str) -> None:
        """Tap the first loss that the table's page offers for a figure, or any harm."""
        page, form = self.open_table(phone)
        for button in buttons_of(form, "taps"):
            [tap, *more] = taps_of(button)
            is_loss = tap["kind"] == "counted" and tap["by"] < 0
            if is_loss and tap.get("figure") == figure and not more:
                self.press(phone, page, form, button)
                return
        self.hurt(phone, figure)

    def test_and_undo(self) -> None:
        """A tap makes a test due; undoing the tap undoes the test with it."""
        for _try in range(TAPPED):
            phone = self.chance.choice(self.phones)
            act = self.hurt(phone)
            if act is None:
                continue
            self.check()
            raised = {one.entry for one in self.story.play()[1] if one.origin == act}
            table, _form = self.open_table(phone)
            links = [one for one in self.due_links(table) if one[0] in raised]
            if links and self.follow(phone, *self.chance.choice(links)) is not None:
                self.check()
                self.undo(self.chance.choice(self.phones), act)
                self.check()
                return

    def settle_one_of_two_tests(self) -> None:
        """Two tests of a figure use the same roll: a roll settles the one that asked for it."""
        side = self.chance.choice((1, 2))
        leaders = {one.key for one in self.start.figures if one.leads}
        hurt, *rest = sorted(self.figures(side), key=lambda key: key in leaders) or [""]
        others = iter(sorted(rest, key=lambda key: key not in leaders))
        for _try in range(TAPPED if hurt else 0):
            phone = self.chance.choice(self.phones)
            table, form = self.open_table(phone)
            links = self.due_links(table)
            asked = Counter((_roll_of(link), one[2]) for one, link in links if one[0] == "alarm")
            twice = [(one, link) for one, link in links if asked[_roll_of(link), one[2]] > 1]
            if twice:
                entry, link = twice[-1]
                for_all = rolls_for_all(table)
                if entry[1] in for_all and self.chance.random() < 0.5:
                    self.roll_for_all(phone, table, form, entry[1], for_all[entry[1]])
                    self.shown["settled one of two tests"] += 1
                elif self.follow(phone, entry, link) is not None:
                    self.shown["settled one of two tests"] += 1
                return
            # Losses of one figure, then departures in its gang, its leaders' first.
            if hurt in {who for _roll, who in asked}:
                self.free_tap(phone, "out", figure=next(others, hurt))
            else:
                self.lose(phone, hurt)
            self.check()

    def ask_to_undo(self) -> None:
        """A player asks to undo dice of the site: they count until the other agrees."""
        phone = self.chance.choice(self.phones)
        act = self.throw(phone)
        if act is None:
            return
        self.check()
        press = self.undo(phone, act)
        self.check()
        if press is None or press not in self.requests:
            return
        agree = self.chance.random() < 0.6
        if agree:
            self.answer_undo(self.other(phone), press, agree=True)
        else:
            self.answer_undo(self.chance.choice(self.phones), press)
        self.check()


def tell_turns(html: str) -> list[tuple[int, UUID]]:
    """Return the turn and the act of each line of the story's page."""
    return [
        (int(turn), UUID(act))
        for turn, section in SECTION.findall(html)
        for act, _buttons in story_lines(section)
    ]


def rolls_for_all(page: Page) -> dict[str, Field]:
    """Return the buttons that roll for all figures of a due test, by its alarm."""
    return {
        address.rstrip("/").split("/")[-1]: Field("", "submit", attributes={"formaction": address})
        for address in FOR_ALL.findall(page.html)
    }


def _roll_of(link: str) -> str:
    return urlsplit(link).path.strip("/").split("/")[-1]


def _way(page: Page, how: str) -> tuple[Form, Field]:
    """Return an attempt's form and its button."""
    form = page.form("attempt")
    assert form is not None
    return form, next(one for one in buttons_of(form, "how") if one.value == how)


def assert_equal(now: TableNow, table: TableNow) -> None:
    """Assert that the folded table is the table of the plain story."""
    for name in ("turn", "phase", "figures", "sides", "tallies", "due", "follow_ups", "over"):
        found, expected = getattr(now, name), getattr(table, name)
        if isinstance(found, dict):
            for key in found.keys() | expected.keys():
                assert found.get(key) == expected.get(key), f"{name} {key}"
        assert found == expected, name
