"""Evenings of two phones and a spectator over a bad network, at the real pages.

``script/prove-table`` runs it by hand; test_nights.py plays a few short evenings.

A phone behaves like ``static/table/sync.js``: taps go into an outbox, which is sent until the log
has them, and then news are fetched. The network drops requests and answers, repeats requests and
lets them arrive after later ones; phones sleep meanwhile, their clocks are wrong, some taps are
sent by forms without a script, a phone takes over the other's waiting taps, and a phone loses all
its data after the other has taken it over. From time to time both phones create a conflict that
only people can solve, a phone asks the other to undo dice of the site, or a phone undoes an act of
any kind, and the table is as if it had never happened. At the end of an evening nothing may be lost
or doubled, everybody sees the same table, and the questions are exactly about
the taps that the phones had not seen of each other.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import combinations
from random import Random
from typing import Any, cast
from uuid import UUID, uuid4

from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.people import joining
from campaigns.models import Campaign, Table, TableEntry
from campaigns.table import people, storage
from campaigns.table.access import TableSeat
from campaigns.table.board import Board
from campaigns.table.fold import Folded, begin, fold
from campaigns.table.order import UNDOING
from campaigns.table.pages import table_page
from campaigns.table.pages.waiting import MOST_SHOWN
from campaigns.table.people import Names
from campaigns.table.report import report_sides
from campaigns.table.state import Start, TableNow
from campaigns.table.taps import (
    TAPS,
    AnyTap,
    Logged,
    Note,
    Out,
    Rolled,
    Settled,
    Struck,
    TapKey,
    TurnEnded,
    UndoAnswered,
    Undone,
    alias,
    strike_tap,
)
from gangs.models import Gang
from tests.world.campaigns import make_campaign, make_game
from tests.world.gangs import make_gang

Taps = list[dict[str, Any]]
Row = dict[str, Any]
Press = Callable[[], Any]

# The fates of a request, with their frequency out of eighteen.
FATES = {"arrives": 10, "is lost": 2, "answer is lost": 2, "is repeated": 2, "is overtaken": 2}
MOST_AT_ONCE = 100
SCENES = (
    "the_same_attack",
    "struck_under_another",
    "late",
    "both_end_the_turn",
    "both_strike",
    "undo_asked",
    "act_undone",
)
# The acts that are undone in one scene.
UNDONE = 3
ANSWERS = ("agreed", "declined", "withdrawn", "nobody")
BUTTON = re.compile(r'name="taps"\s+value="([^"]*)"')
GAME = re.compile(r'<script id="table-game" type="application/json">(.*?)</script>')


def buttons(html: str) -> list[Taps]:
    """The data that each button of a page sends."""
    return [json.loads(unescape(value)) for value in BUTTON.findall(html)]


@dataclass
class Network:
    """The network between a phone and the site. ``under_way``: requests without a waiting
    sender."""

    chance: Random
    fates: Counter[str]
    troubled: bool = True
    under_way: list[Press] = field(default_factory=list)

    def ask(self, press: Press) -> Any | None:
        """Send a request and return its answer, or None if it is lost."""
        if self.under_way and self.chance.random() < 0.3:
            self.let_one_arrive()
        [fate] = self.chance.choices([*FATES], [*FATES.values()]) if self.troubled else ["arrives"]
        self.fates[fate] += 1
        match fate:
            case "arrives":
                return press()
            case "answer is lost":
                press()
            case "is repeated":
                press()
                return press()
            case "is overtaken":
                self.under_way.append(press)
        return None

    def let_one_arrive(self) -> None:
        """Let a request arrive that its sender considers lost."""
        self.under_way.pop(self.chance.randrange(len(self.under_way)))()


@dataclass
class Phone:
    """A phone of a player or spectator. ``made``: its own taps, by key; ``saw``: the others' taps
    that it knew when it sent an act; ``forms``: acts sent without a script, by their note."""

    client: Client
    table: Table
    network: Network
    chance: Random
    device: UUID
    awake: bool = True
    number: int = 0
    seen: int = 0
    turn: int = 1
    clock: int = 0
    state: Row = field(default_factory=dict)
    html: dict[str, str] = field(default_factory=dict)
    choice: list[Taps] = field(default_factory=list)
    known: dict[TapKey, Row] = field(default_factory=dict)
    outbox: list[Row] = field(default_factory=list)
    papers: list[dict[str, Any]] = field(default_factory=list)
    made: dict[TapKey, Row] = field(default_factory=dict)
    saw: dict[UUID, frozenset[TapKey]] = field(default_factory=dict)
    forms: dict[str, frozenset[TapKey]] = field(default_factory=dict)
    # Marks dice that the site rolled for the holder of the phone.
    desk: UUID = field(default_factory=uuid4)

    def sit_down(self) -> None:
        """Open the table's page."""
        page = self.client.get(self.table.get_absolute_url()).content.decode()
        left_out = ("struck", "undone", "over")
        self.choice = [taps for taps in buttons(page) if taps[0]["kind"] not in left_out]
        told = GAME.search(page)
        assert told
        self.state = json.loads(told[1])["state"]
        self.seen = self.state["seq"]
        # Some clocks are wrong by days.
        self.clock = self.chance.randint(0, self.chance.choice((10_000, 10**9)))

    # Tapping

    def tap(self, *taps: Mapping[str, Any]) -> UUID:
        """Tap an act, which waits in the outbox."""
        act = UUID(int=self.chance.getrandbits(128), version=4)
        self.clock += self.chance.randint(1, 3_000)
        for tap in taps:
            self.number += 1
            row = {"device": str(self.device), "n": self.number, "after": self.seen}
            row |= {"at": self.clock, "turn": self.turn, "act": str(act), "tap": dict(tap)}
            self.made[self.device, self.number] = row
            self.outbox.append(row)
        self.saw[act] = frozenset(self.known)
        if any(tap["kind"] == "turn" for tap in taps):
            self.turn = min(99, self.turn + 1)
        return act

    def say(self, *taps: Mapping[str, Any]) -> None:
        """Send an act by a form, with a note that identifies it later."""
        note = f"note {self.device.hex} {len(self.forms)}"
        told = [*taps, {"kind": "said", "text": note}]
        paper = {"taps": json.dumps(told), "token": note, "after": self.seen, "turn": self.turn}
        self.papers.append(paper)
        self.forms[note] = frozenset(self.known)

    def throw(self, player: User, *taps: AnyTap) -> UUID:
        """Let the site roll dice for the holder of the phone, as the form of an attempt does."""
        act = UUID(int=self.chance.getrandbits(128), version=4)
        self.saw[act] = frozenset(self.known)
        table = Table.objects.get(pk=self.table.pk)
        storage.say(table, player, self.desk, taps, act=act, after=self.seen, turn=self.turn)
        return act

    def undo(self) -> None:
        """Undo one of the last acts."""
        recent = [*self.made.values()][-6:]
        if recent:
            act = self.chance.choice(recent)["act"]
            if self.chance.random() < 0.5:
                self.tap({"kind": "undone", "act": act})
            else:
                # A page of an older version does so.
                self.strike(key for key, row in self.made.items() if row["act"] == act)

    def take_over(self, rows: Iterable[Row]) -> None:
        """Take over the waiting taps of another phone, by scanning its picture."""
        there = {(row["device"], row["n"]) for row in self.outbox}
        self.outbox += [row for row in rows if (row["device"], row["n"]) not in there]

    def lose_all(self) -> None:
        """Lose all data of the browser: to the others, the page is now opened by another phone."""
        self.outbox.clear()
        self.device, self.number = UUID(int=self.chance.getrandbits(128), version=4), 0
        self.known.clear()
        self.sit_down()
        self.seen, self.turn = 0, self.state["turn"]

    def strike(self, keys: Iterable[TapKey]) -> UUID:
        """Strike taps."""
        return self.tap(
            *({"kind": "struck", "device": str(device), "device_seq": n} for device, n in keys)
        )

    # The network

    def send(self) -> bool:
        """Send waiting taps; return whether the server has answered for all of them."""
        address = reverse("campaigns:table-taps", args=[self.table.pk])
        while self.papers:
            paper = self.papers[0]
            if self.network.ask(lambda paper=paper: self._post(address, paper)) is None:
                return False
            self.papers.pop(0)
        while self.outbox:
            rows = self.outbox[:MOST_AT_ONCE]
            body = json.dumps(rows)
            answer = self.network.ask(lambda body=body: self._post(address, body))
            if answer is None:
                return False
            assert all(answer.json()["logged"]) and len(answer.json()["logged"]) == len(rows)
            self.outbox = self.outbox[len(rows) :]
        return True

    def _post(self, address: str, sent: Any) -> Any:
        kind = {"content_type": "application/json"} if isinstance(sent, str) else {}
        answer = self.client.post(address, sent, **kind)
        assert answer.status_code == (200 if kind else 302), answer.content[:500]
        assert not kind or answer.json()["refused"] == {}
        return answer

    def pull(self) -> bool:
        """Fetch news; return whether the server has answered."""
        address = reverse("campaigns:table-since", args=[self.table.pk, self.seen])
        answer = self.network.ask(lambda: self.client.get(address))
        if answer is None:
            return False
        if answer.status_code != 204:
            self._take(answer.json())
        return True

    def _take(self, news: Row) -> None:
        names = names_of_phones(self.table) if news["taps"] else {}
        shown = [_as_made(row, names) for row in news["taps"]]
        rows = {(UUID(row["device"]), row["n"]): row for row in shown}
        numbers, newest = [row["seq"] for row in news["taps"]], news["state"]["seq"]
        assert numbers == [*range(self.seen + 1, newest + 1)]
        assert not rows.keys() & self.known.keys()
        self.known |= rows
        self.seen, self.state, self.html = newest, news["state"], news["html"]
        waiting = [row for row in self.outbox if row["tap"]["kind"] == "turn"]
        self.turn = max([self.state["turn"], *(min(99, row["turn"] + 1) for row in waiting)])

    def sync(self) -> None:
        """Send and fetch, as the script does every two seconds."""
        if self.awake and self.send():
            self.pull()

    @property
    def log(self) -> list[Logged]:
        """The fetched taps, as a log.

        Aliases of struck taps are read only here: a strike that went to another phone by code may
        reach the site before the tap that it strikes, and the alias has no phone until then.
        """
        names = names_of_phones(self.table)
        return [_logged(unveil(row, names)) for row in self.known.values()]


def _as_made(row: Row, names: Mapping[str, str]) -> Row:
    """A tap of the news with the id of its phone, in place of the alias that phones are shown.
    ``names``: the ids of phones, by their aliases."""
    assert not {row["device"], row["tap"].get("device")} & {*names.values()}
    return unveil(row | {"device": names[row["device"]]}, names)


def _logged(row: Row) -> Logged:
    return Logged(
        seq=row["seq"],
        device=UUID(row["device"]),
        device_seq=row["n"],
        after=row["after"],
        at=row["at"],
        turn=row["turn"],
        act=UUID(row["act"]),
        tap=TAPS.validate_python(row["tap"]),
    )


def names_of_phones(table: Table) -> dict[str, str]:
    """The ids of the phones in the log, by their aliases."""
    found = TableEntry.objects.filter(table=table).order_by()
    devices = found.values_list("device", flat=True).distinct()
    return {str(alias(table.pk, device)): str(device) for device in devices}


def unveil(row: Row, names: Mapping[str, str]) -> Row:
    """A row whose strike refers to a phone by its id instead of its alias."""
    tap = row["tap"]
    if "device" not in tap:
        return row
    return row | {"tap": tap | {"device": names.get(tap["device"], tap["device"])}}


@dataclass(frozen=True)
class Club:
    """Two players of a game, their campaign, and its organiser."""

    campaign: Campaign
    players: tuple[User, User]
    gangs: tuple[Gang, Gang]

    @classmethod
    def of(cls, slug: str, more: str = "") -> Club:
        """A new club with ready-made gangs. ``more``: tells its players from those of another."""
        names = (f"{name}-{slug}{more}" for name in ("alice", "dora", "bob"))
        alice, dora, bob = (User.objects.create_user(name) for name in names)
        campaign = make_campaign(bob, slug)
        gangs = []
        for place, player in enumerate((alice, dora)):
            gang = make_gang(player, slug, place)
            joining.join(campaign, gang, actor=player, expected_version=gang.version)
            gangs.append(Gang.objects.get(pk=gang.pk))
        return cls(campaign, (alice, dora), (gangs[0], gangs[1]))


class Night:
    """A game, tapped on two phones with a bad connection. ``shown``: the number of conflicts of
    each kind that were shown."""

    def __init__(self, club: Club, chance: Random, fates: Counter[str]) -> None:
        self.chance = chance
        game = make_game(club.campaign, club.players[0], *club.gangs)
        self.table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
        self.start: Start = people.start_of(self.table)
        self._folded: Folded | None = None
        self.shown: Counter[str] = Counter()
        self.players = club.players
        self.phones = [self._phone(fates) for _player in club.players]
        for phone, player in zip(self.phones, club.players, strict=True):
            phone.client.force_login(player)
        self.watcher = self._phone(fates)
        self.watcher.client.get(reverse("campaigns:watch", args=[club.campaign.watch_key]))
        for phone in self.everybody:
            phone.sit_down()

    def _phone(self, fates: Counter[str]) -> Phone:
        device = UUID(int=self.chance.getrandbits(128), version=4)
        network = Network(self.chance, fates)
        desk = UUID(int=self.chance.getrandbits(128), version=4)
        return Phone(Client(), self.table, network, self.chance, device, desk=desk)

    @property
    def everybody(self) -> list[Phone]:
        """Both phones and the spectator."""
        return [*self.phones, self.watcher]

    @property
    def now(self) -> TableNow:
        """The table that the log folds to."""
        return self.folded.now

    @property
    def folded(self) -> Folded:
        """The log, folded again from its beginning whenever it is longer."""
        if self._folded is None or len(self._folded.log) != self.table.entries.count():
            self._folded = begin(self.start).go_on(storage.log_of(self.table))
        return self._folded

    @property
    def told(self) -> int:
        """The number of taps made."""
        return sum(len(phone.made) + len(phone.forms) for phone in self.phones)

    # Actions of people

    def play(self, taps: int, scenes: Iterable[str] = SCENES) -> None:
        """Tap at random, with this many taps before each scene: a conflict that only people can
        solve."""
        for scene in scenes:
            until = self.told + taps
            while self.told < until:
                self.something()
            getattr(self, scene)()
            self.shown[scene] += 1
        self.quiet()

    def something(self) -> None:
        """Do a random action of a random person."""
        phone = self.chance.choice(self.phones)
        other = self.phones[self.phones[0] is phone]
        match self.chance.choices(range(9), [24, 4, 12, 4, 2, 2, 2, 1, 2])[0]:
            case 0:
                for _act in range(self.chance.randint(1, 5)):
                    phone.tap(*(self.any_tap(phone) for _tap in range(self.chance.randint(1, 4))))
            case 1:
                phone.undo()
            case 2:
                phone.sync()
            case 3:
                self.watcher.sync()
            case 4:
                phone.awake = not phone.awake
            case 6:
                other.take_over(phone.outbox)
                self.shown["taken_over"] += 1
            case 7 if not phone.papers:
                other.take_over(phone.outbox)
                phone.lose_all()
                self.shown["all_lost"] += 1
            case 8:
                self.throw(phone)
            case _:
                phone.say(self.any_tap(phone))

    def any_tap(self, phone: Phone) -> Row:
        """Return a random attack, or the tap of a random button."""
        draw = self.chance.random()
        if draw < 0.15:
            return self.attack()
        news = buttons("".join(phone.html.values())) if draw < 0.25 else []
        return self.chance.choice(self.chance.choice(news or phone.choice))

    def attack(self) -> Row:
        """Return an attack between random figures of the two sides."""
        by, at = self.chance.sample([self.somebody(1), self.somebody(2)], 2)
        rolls = [row.key for row in self.start.book.rolls if (row.by, row.at) == ("member",) * 2]
        if rolls and self.chance.random() < 0.5:
            return {"kind": "rolled", "roll": self.chance.choice(rolls), "by": by, "at": at}
        return {"kind": "out", "figure": at, "by": by}

    def throw(self, phone: Phone) -> UUID:
        """Let the site roll dice that take a figure out of action."""
        by, at = self.chance.sample([self.somebody(1), self.somebody(2)], 2)
        roll = self.chance.choice([row.key for row in self.start.book.rolls])
        player = self.players[self.phones.index(phone)]
        rolled = Rolled(roll=roll, by=by, at=at, faces=((6, 1),), thrown=True)
        return phone.throw(player, rolled, Out(figure=at, by=by))

    def attempt(self, phone: Phone) -> None:
        """Let the site write an attempt with all its effects, and the roll that follows from it."""
        by, at = self.chance.sample([self.somebody(1), self.somebody(2)], 2)
        player, book = self.players[self.phones.index(phone)], self.start.book
        roll = self.chance.choice([row.key for row in book.rolls])
        effects: list[Row] = [
            {"kind": "rolled", "roll": roll, "by": by, "at": at, "faces": [[6, 1]], "thrown": True},
            {"kind": "lost_weapon", "figure": by, "item": "nothing"},
            {"kind": "ordered", "figure": at, "roll": roll, "outcome": "fled", "place": 0},
            {"kind": "follows", "roll": roll, "who": at, "at": by},
            self.loss(at),
            self.loss(at) | {"kind": "set", "to": 1},
            *({"kind": "did", "figure": by, "action": row.key} for row in book.actions[:1]),
            *({"kind": "began", "figure": at, "state": row.key} for row in book.states[:1]),
            {"kind": "acted", "figure": by},
        ]
        known = [TAPS.validate_python(_whole(row)) for row in effects if _whole(row)]
        act = phone.throw(player, *known)
        dealt = {"kind": "dealt", "roll": roll, "who": at, "act": str(act)}
        phone.tap(dealt, {"kind": "rolled", "roll": roll, "by": at, "at": by})

    def somebody(self, side: int) -> str:
        """Return a random figure of a side."""
        return self.chance.choice([one.key for one in self.start.figures if one.side == side])

    def loss(self, figure: str) -> Row:
        """Return a loss of a point on a figure's track, or a note if figures have no track."""
        begun = next(one for one in self.start.figures if one.key == figure)
        track = next(iter(begun.tracks), None)
        if track is None:
            return {"kind": "said", "text": "That hurt."}
        return {"kind": "counted", "figure": figure, "track": track, "by": -1}

    def quiet(self) -> None:
        """Let the network work for a moment: every request arrives, every phone has all news."""
        for phone in self.everybody:
            phone.network.troubled, phone.awake = False, True
            while phone.network.under_way:
                phone.network.let_one_arrive()
        for phone in self.phones:
            assert phone.send()
        for phone in self.everybody:
            assert phone.pull()
            phone.network.troubled = True

    # Conflicts that only people can solve

    def the_same_attack(self) -> None:
        """Both phones tap the same attack before they see each other's tap."""
        self.quiet()
        attack = self.attack()
        at = attack["figure"] if attack["kind"] == "out" else attack["at"]
        acts = [phone.tap(attack, self.loss(at)) for phone in self.phones]
        self.quiet()
        pair = frozenset(acts)
        assert pair in {frozenset(question.acts) for question in self.now.doubles}
        self.answered(pair, answers=2)
        assert pair not in {frozenset(question.acts) for question in self.now.doubles}

    def struck_under_another(self) -> None:
        """A phone strikes a tap that the other's tap depends on."""
        self.quiet()
        one, other = self.chance.sample(self.phones, 2)
        figure = self.somebody(self.chance.choice((1, 2)))
        first, second = self.chance.choice(
            [
                ({"kind": "out", "figure": figure}, {"kind": "back", "figure": figure}),
                ({"kind": "turn", "last": True}, self.loss(figure)),
                (self.loss(figure), {"kind": "out", "figure": figure}),
            ]
        )
        if first["kind"] == "said":
            first, second = {"kind": "out", "figure": figure}, {"kind": "back", "figure": figure}
        gone = self.key_of(one, one.tap(first))
        self.quiet()
        resting = self.key_of(other, other.tap(second))
        act = UUID(one.made[gone]["act"])
        is_old = self.chance.random() < 0.5
        pair = frozenset((one.strike([gone]) if is_old else one.tap(_undo(act)), act))
        self.quiet()
        [contested] = [found for found in self.now.contested if found.struck == gone]
        assert resting in contested.resting
        self.answered(pair, answers=3)
        assert gone not in {found.struck for found in self.now.contested}

    def key_of(self, phone: Phone, act: UUID) -> TapKey:
        """The first tap of an act."""
        return next(key for key, row in phone.made.items() if row["act"] == str(act))

    def late(self) -> None:
        """A phone ends the turn while the other still taps in it."""
        self.quiet()
        one, other = self.chance.sample(self.phones, 2)
        turn, number = other.turn, self.chance.randint(1, 5)
        before = self.late_taps(other, turn)
        one.tap({"kind": "turn", "last": True})
        while one.outbox:
            one.send()
        for _tap in range(number):
            other.tap(self.loss(self.somebody(self.chance.choice((1, 2)))))
        self.quiet()
        assert self.late_taps(other, turn) == before + number
        lines = len(self.now.late)
        assert [each.html["story"].count('class="table-late"') for each in self.everybody] == [
            lines,
            lines,
            lines,
        ]

    def late_taps(self, phone: Phone, turn: int) -> int:
        """The number of a phone's taps that arrived after that turn was over."""
        found = [(late.device, late.turn, late.number) for late in self.now.late]
        return sum(number for device, of, number in found if (device, of) == (phone.device, turn))

    def both_end_the_turn(self) -> None:
        """Both phones end the turn: it ends once."""
        self.quiet()
        turn = self.watcher.state["turn"]
        for phone in self.phones:
            phone.tap({"kind": "turn", "last": True})
        self.quiet()
        assert {phone.state["turn"] for phone in self.everybody} == {min(99, turn + 1)}

    def both_strike(self) -> None:
        """Both phones strike the same tap: a phone restores it, but the other's strike still
        counts."""
        self.quiet()
        phone = self.chance.choice(self.phones)
        target = self.key_of(phone, phone.tap({"kind": "said", "text": "What luck!"}))
        self.quiet()
        strikes = [self.key_of(each, each.strike([target])) for each in self.phones]
        self.quiet()
        assert target in self.now.struck
        for strike, gone in ((strikes[0], True), (strikes[1], False)):
            phone.strike([strike])
            self.quiet()
            assert (target in self.now.struck) == gone

    def undo_asked(self) -> None:
        """A phone asks to undo dice of the site. They count until the other agrees."""
        self.quiet()
        one, other = self.chance.sample(self.phones, 2)
        act = self.throw(one)
        self.quiet()
        keys = {key for key, row in one.known.items() if row["act"] == str(act)}
        pressed = [taps for taps in buttons(one.html["story"]) if taps == [_undo(act)]]
        assert pressed
        if self.chance.random() < 0.5:
            one.tap(*pressed[0])
        else:
            # A page of an older version does not know that the dice are the site's.
            one.strike(sorted(keys))
        self.quiet()
        assert self.now.struck.isdisjoint(keys)
        [asked] = [asked for asked in self.now.asked if {*asked.taps} == keys]
        self.check_questions()
        answer = self.chance.choice(ANSWERS)
        self.shown[answer] += 1
        if answer != "nobody":
            phone = one if answer == "withdrawn" else other
            offered = [
                taps[0]
                for taps in buttons(phone.html["questions"])
                if taps[0].get("asked") == str(asked.act)
            ]
            # Only the other person gets the button to agree.
            assert [tap["agreed"] for tap in offered] == [True, False][phone is one :]
            phone.tap(offered[answer != "agreed" and phone is other])
            self.quiet()
            assert asked.act not in {one.act for one in self.now.asked}
            self.check_questions()
        assert (self.now.struck >= keys) == (answer == "agreed")
        assert not keys - self.now.struck or self.now.struck.isdisjoint(keys)

    def act_undone(self) -> None:
        """The phones undo acts of any kind, their own and each other's, and restore them."""
        self.attempt(self.chance.choice(self.phones))
        self.quiet()
        for _time in range(UNDONE):
            self.undo_and_restore()

    def undo_and_restore(self) -> None:
        """A phone undoes a random act, and a phone restores it."""
        before = self.folded
        acts: dict[str, list[UUID]] = {}
        for act, taps in before.acts.items():
            if not any(isinstance(one.tap, UNDOING) or one.key in before.gone for one in taps):
                for one in taps:
                    acts.setdefault(one.tap.kind, []).append(act)
        # Every kind is as frequent.
        kind = self.chance.choice(sorted(acts))
        act = self.chance.choice(acts[kind])
        self.shown[f"undid {kind}"] += 1
        phone = self.chance.choice(self.phones)
        self.agree(act, phone.tap(_undo(act)))
        after = self.folded
        assert after.gone.keys() == before.gone.keys() | {one.key for one in before.acts[act]}
        self.assert_same(after, without(before, act))
        strikes = [strike_tap(self.table.pk, key) for key in after.strikes[act]]
        phone = self.chance.choice(self.phones)
        self.agree(act, phone.tap(*(strike.model_dump(mode="json") for strike in strikes)))
        assert self.folded.gone.keys() == before.gone.keys() | {*after.strikes[act]}
        self.assert_same(self.folded, before)

    def agree(self, act: UUID, request: UUID) -> None:
        """Let the other player agree to a request, if it is one."""
        self.quiet()
        [asked] = [one for one in self.now.asked if one.act == request] or [None]
        assert (asked is not None) == (act in self.folded.thrown)
        if asked is not None:
            self.check_questions()
            agreed = {"kind": "undo_answered", "asked": str(request), "agreed": True}
            asking = next(phone for phone in self.phones if request in phone.saw)
            next(phone for phone in self.phones if phone is not asking).tap(agreed)
            self.quiet()

    def assert_same(self, one: Folded, other: Folded) -> None:
        """Assert that two logs make the same table and the same reports."""
        gangs = dict.fromkeys(self.start.sides, "")
        gangs |= {figure.side: figure.gang for figure in self.start.figures}
        assert one.standing == other.standing
        assert report_sides(self.start, one.now, gangs) == report_sides(
            self.start, other.now, gangs
        )

    def check_questions(self) -> None:
        """Assert that everybody is shown every question, as far as there is room."""
        now = self.now
        asked = len(now.doubles) + len(now.contested) + len(now.asked)
        shown = {each.html["questions"].count('<li class="finding') for each in self.everybody}
        assert shown == {min(asked, MOST_SHOWN)}

    def answered(self, acts: frozenset[UUID], answers: int) -> None:
        """Assert that everybody sees a question, then let one phone or both give one of this many
        answers."""
        self.check_questions()
        for phone in self.chance.sample(self.phones, self.chance.choice((1, 2))):
            offered = buttons(phone.html["questions"])
            [place] = [n for n, taps in enumerate(offered) if _settles(taps) == acts]
            phone.tap(*offered[place - self.chance.randrange(answers)])
        self.quiet()

    # Checks at the end

    def check(self) -> None:
        """Assert that nothing is lost or doubled, and that all phones have the same table."""
        assert not any(phone.outbox or phone.papers for phone in self.phones)
        log = storage.log_of(self.table)
        assert [one.seq for one in log] == [*range(1, self.table.entries.count() + 1)]
        devices = {device for phone in self.phones for device, _number in phone.made}
        by_script = {one.key: one for one in log if one.device in devices}
        made = {key: row for phone in self.phones for key, row in phone.made.items()}
        assert len(by_script) == sum(one.device in devices for one in log)
        assert by_script.keys() == made.keys()
        names = names_of_phones(self.table)
        for key, row in made.items():
            sent = {**unveil(row, names), "seq": by_script[key].seq}
            assert _logged(sent) == _unsigned(by_script[key])
        desks = {phone.desk for phone in self.phones}
        by_form = [one for one in log if one.device not in devices | desks]
        notes = [getattr(one.tap, "text", "") for one in by_form]
        said = [note for phone in self.phones for note in phone.forms]
        assert sorted(note for note in notes if note) == sorted(said)
        assert len(notes) == 2 * len(said)
        now = fold(self.start, [_unnamed(one) for one in log])
        for phone in self.everybody:
            assert phone.state == self.watcher.state
            mixed = phone.log
            assert len(mixed) == len(log)
            self.chance.shuffle(mixed)
            assert fold(self.start, mixed) == now
        self.check_state(log)
        standing = [one for one in log if one.key not in now.struck]
        saw = self.saw(log)
        assert {frozenset(question.acts) for question in now.doubles} == unseen(standing, saw)
        late = {(one.device, one.turn): one.number for one in now.late}
        assert late == late_by(standing, saw)

    def check_state(self, log: Sequence[Logged]) -> None:
        """Assert that the state sent to phones is the state that the log folds to."""
        table = Table.objects.get(pk=self.table.pk)
        seat = TableSeat(table, taps=False, device=self.watcher.device, user=None, guest="")
        board = Board(seat, begin(self.start).go_on(log), cast("Names", None), frozenset())
        assert json.loads(json.dumps(table_page.state(board))) == self.watcher.state

    def saw(self, log: Sequence[Logged]) -> dict[UUID, frozenset[TapKey]]:
        """Return the others' taps that each act's phone really knew, by act."""
        found = {act: saw for phone in self.phones for act, saw in phone.saw.items()}
        forms = {note: saw for phone in self.phones for note, saw in phone.forms.items()}
        for one in log:
            note = getattr(one.tap, "text", "")
            if note in forms:
                found[one.act] = forms[note]
        return found


def _settles(taps: Taps) -> frozenset[UUID] | None:
    """The acts that a button confirms."""
    return frozenset(map(UUID, taps[0]["acts"])) if taps[0]["kind"] == "settled" else None


def _unnamed(one: Logged) -> Logged:
    """A tap of the log as its phone knows it: without its actor."""
    return replace(one, actor=None)


def _unsigned(one: Logged) -> Logged:
    """The same without the fields that the server adds when dice of the site are undone."""
    signs = {"asked_by": None} if isinstance(one.tap, UNDOING) else {"by": None}
    if not isinstance(one.tap, (*UNDOING, UndoAnswered)):
        return _unnamed(one)
    return replace(_unnamed(one), tap=one.tap.model_copy(update=signs))


def _whole(row: Row) -> Row:
    """A change of a track as ``set`` has it; nothing for a figure without tracks."""
    if row["kind"] != "set":
        return row
    return {key: value for key, value in row.items() if key != "by"} if "track" in row else {}


def _undo(act: UUID) -> Row:
    """The tap that undoes an act, as the story's button sends it."""
    return {"kind": "undone", "act": str(act)}


def without(folded: Folded, act: UUID) -> Folded:
    """The table as if an act had never happened: a log of the taps that count, without those of the
    act, and with notes in place of old strikes."""
    log = [
        replace(one, tap=Note(text="struck")) if isinstance(one.tap, Struck) else one
        for one in folded.log
        if one.key not in folded.gone and one.act != act and not isinstance(one.tap, Undone)
    ]
    return begin(folded.start).go_on(log)


def _attack(one: Logged) -> tuple[int, object, object] | None:
    match one.tap:
        case Rolled(by=by, at=at) if at is not None:
            return one.turn, by, at
        case Out(by=by, figure=figure) if by is not None:
            return one.turn, by, figure
    return None


def unseen(
    standing: Iterable[Logged], saw: Mapping[UUID, frozenset[TapKey]]
) -> set[frozenset[UUID]]:
    """Acts with the same attack, unknown to each other's phone and confirmed by nobody."""
    acts: dict[UUID, list[Logged]] = {}
    attacks: dict[object, set[UUID]] = {}
    settled = set()
    for one in standing:
        acts.setdefault(one.act, []).append(one)
        if (attack := _attack(one)) is not None:
            attacks.setdefault(attack, set()).add(one.act)
        if isinstance(one.tap, Settled):
            settled.add(frozenset(one.tap.acts))

    def apart(one: UUID, other: UUID) -> bool:
        ours, theirs = acts[one], acts[other]
        strangers = {tap.device for tap in ours}.isdisjoint(tap.device for tap in theirs)
        return (
            strangers
            and saw[one].isdisjoint(tap.key for tap in theirs)
            and saw[other].isdisjoint(tap.key for tap in ours)
        )

    pairs = (pair for told in attacks.values() for pair in combinations(told, 2))
    return {frozenset(pair) for pair in pairs if apart(*pair)} - settled


def late_by(
    standing: Sequence[Logged], saw: Mapping[UUID, frozenset[TapKey]]
) -> dict[tuple[UUID, int], int]:
    """The number of taps, by phone and turn, that arrived after somebody had ended that turn
    without the phone's knowledge."""
    ends: dict[int, Logged] = {}
    for one in sorted(standing, key=lambda one: one.seq):
        if isinstance(one.tap, TurnEnded):
            ends.setdefault(one.turn, one)
    found: Counter[tuple[UUID, int]] = Counter()
    for one in standing:
        end = ends.get(one.turn)
        silent = (TurnEnded, *UNDOING, UndoAnswered, Settled)
        if end is None or isinstance(one.tap, silent):
            continue
        if one.seq > end.seq and end.key not in saw[one.act]:
            found[one.device, one.turn] += 1
    return dict(found)
