"""Every scenario of every rulebook, played at the pages from the plan of a game to its post-game.

``scenes.toml`` has one row for each scenario, written from the documents. Each names the page.

``roles``: of the first and the second gang. ``samples``: the ready-made gangs, the first two by
default. ``held``: a member of the first gang and the condition that keeps them away until the
scenario brings them in. ``nonplayers``: by name; ``run_by``: the side whose player runs them.
``due``: the reminders and rolls on the page when the table opens. ``play``: what the players do and
see, in lines:

``turn``: end the turn. ``FIGURE do ACTION``: press an action. ``FIGURE ROLL OUTCOME [at FIGURE]``:
enter the result of a roll that the figure's page offers. ``FIGURE +STATE``, ``FIGURE -STATE``,
``FIGURE out [MARK] [by FIGURE]``, ``FIGURE left`` unhurt, ``FIGURE back``: a button of the table's
page. ``deal ALARM``: deal with a reminder, by dice if it asks for them. ``sees ALARM`` and
``not ALARM``: whether a reminder is on the page. ``told ALARM``: a line of the story says so.
``cannot FIGURE ACTION``: no page offers it. ``leads ROLL FIGURE [FIGURE...]``: the targets that a
roll offers to a figure.

A figure is its side and its place in the gang, ``2.1``; non-players are of side 0.
``result``, ``winner``: how the players end the game. ``reports``: what the report of each side is
filled in with, without what is empty. ``postgames``: words on the page of each post-game.
``answer``: the first gang's answer in its post-game about the member who was held, after which
they are free.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.people import joining
from campaigns.engine.report import Credit
from campaigns.models import Campaign, Game, Side, Table
from campaigns.postgames import drafts
from campaigns.table.taps import NONPLAYERS
from gangs.engine import entries
from gangs.ledger import writer
from gangs.models import Gang
from gangs.text.formats import shown_name
from rules.book.model import Book
from tests.campaigns.table.form_phones import (
    FormPhone,
    Page,
    Values,
    buttons_of,
    taps_of,
)
from tests.campaigns.table.test_play import SLUGS
from tests.hostile.forms import Field, Form
from tests.world.campaigns import make_campaign
from tests.world.gangs import make_gang, shipped

pytestmark = pytest.mark.django_db


@cache
def _rows() -> list[dict[str, Any]]:
    text = (Path(__file__).parent / "scenes.toml").read_text("utf-8")
    found: list[dict[str, Any]] = tomllib.loads(text)["scenes"]
    return found


class Scene:
    """A game of one scenario between two players, each with a phone without scripts."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.book: Book = shipped(row["book"])
        self.players = [User.objects.create_user(name) for name in ("ann", "ben")]
        organiser = User.objects.create_user("organiser")
        self.campaign: Campaign = make_campaign(organiser, row["book"])
        self.gangs = [
            self._gang(player, sample)
            for player, sample in zip(self.players, row.get("samples", [0, 1]), strict=True)
        ]
        self.phones = [FormPhone(user.username, Client()) for user in self.players]
        for phone, player in zip(self.phones, self.players, strict=True):
            phone.client.force_login(player)
        if "held" in row:
            self._hold(**row["held"])
        self.game = self._plan()
        if "held" in row:
            self._bring(row["held"]["member"])
        self.table = self._open_table()

    def _gang(self, player: User, sample: int) -> Gang:
        gang = make_gang(player, self.row["book"], sample)
        joining.join(self.campaign, gang, actor=player, expected_version=gang.version)
        return Gang.objects.get(pk=gang.pk)

    def _hold(self, member: int, condition: str) -> None:
        """Keep a member of the first gang away, as the post-game of an earlier game does."""
        first, second = self.gangs
        who = first.roster.members[member - 1].id
        captors = (str(second.pk),)
        held = entries.Suffered(
            member=who, condition=condition, against=second.name, captors=captors
        )
        writer.append(first, [held], expected_version=first.version, actor=first.owner)
        self.gangs[0] = Gang.objects.get(pk=first.pk)

    # Setting up

    def _plan(self) -> Game:
        """Plan the game with its scenario and roles, at the forms."""
        phone = self.phones[0]
        page = phone.open(reverse("campaigns:game-new", args=[self.campaign.pk]))
        form = _form_with(page, "gangs")
        changes: Values = {
            "gangs": [str(gang.pk) for gang in self.gangs],
            "scenario": self.row["scenario"],
        }
        answer = phone.press(page, form, Field("", "submit"), changes)
        game = Game.objects.get()
        assert answer.location.startswith(game.get_absolute_url())
        sides = [game.sides.get(gang=gang) for gang in self.gangs]
        if "roles" in self.row:
            page = phone.open(answer.location)
            form = _form_with(page, f"role{sides[0].pk}")
            roles = zip(sides, self.row["roles"], strict=True)
            changes = {f"role{side.pk}": role for side, role in roles}
            phone.press(page, form, Field("", "submit"), changes)
        return Game.objects.get()

    def _bring(self, member: int) -> None:
        """Tick the member who was held in the crew's form, which offers them for this scenario."""
        phone, side = self.phones[0], self.game.sides.get(gang=self.gangs[0])
        page = phone.open(reverse("campaigns:prepare", args=[self.game.pk, side.pk]))
        form = page.form("act")
        assert form is not None
        who = self.gangs[0].roster.members[member - 1].id
        name = shown_name(self.book, self.gangs[0].roster.members[member - 1])
        game = phone.open(self.game.get_absolute_url())
        assert f"{name}: tick who takes part" in game.html
        [box] = [one for one in form.fields if one.name == f"in-{who}"]
        assert not box.checked
        phone.press(page, form, Field("act", "submit", "pick"), {box.name: "on"})

    def _open_table(self) -> Table:
        """Open the table by the button of the game's page."""
        phone = self.phones[0]
        page = phone.open(self.game.get_absolute_url())
        form = next(one for one in page.forms if one.action.endswith("/play/"))
        answer = phone.press(page, form, Field("", "submit"))
        table = Table.objects.get()
        assert answer.location == table.get_absolute_url()
        return table

    # Figures and pages

    def key(self, word: str) -> str:
        """Return the key of a figure: of a gang's member by place, or of a non-player."""
        side, place = (int(number) for number in word.split("."))
        if side == 0:
            return f"{NONPLAYERS}.{place}"
        gang = self.gangs[side - 1]
        return f"{self._number(gang)}.{gang.roster.members[place - 1].id}"

    def _number(self, gang: Gang) -> int:
        return self.table.sides.get(gang=gang).number

    def phone_of(self, word: str) -> FormPhone:
        """Return the phone of the player who moves a figure."""
        side = int(word[0]) or self.row.get("run_by", 1)
        return self.phones[side - 1]

    def page(self, phone: FormPhone) -> Page:
        """Open the table."""
        return phone.open(self.table.get_absolute_url())

    def figure_page(self, word: str) -> Page:
        """Open a figure's page."""
        address = reverse("campaigns:table-figure", args=[self.table.pk, self.key(word)])
        return self.phone_of(word).open(address)

    def due(self) -> set[str]:
        """Return the alarms on the table's page."""
        page = self.page(self.phones[0])
        form = page.form("table")
        assert form is not None
        taps = (tap for button in buttons_of(form, "taps") for tap in taps_of(button))
        return {tap["alarm"] for tap in taps if tap["kind"] == "dealt" and tap.get("alarm")}

    # Playing

    def play(self, line: str) -> None:
        """Do or see what a line says."""
        match line.split():
            case ["turn"]:
                self._tap(self.phones[0], kind="turn")
            case ["sees", alarm]:
                assert alarm in self.due()
            case ["not", alarm]:
                assert alarm in self.book.alarm and alarm not in self.due()
            case ["told", alarm]:
                story = self.phones[1].open(reverse("campaigns:table-story", args=[self.table.pk]))
                assert self.book.alarm[alarm].name["en"] in story.html
            case ["deal", alarm]:
                self._deal(alarm)
            case ["cannot", who, action]:
                assert action in self.book.action
                assert action not in _deeds(self.figure_page(who))
            case ["leads", roll, who, *at]:
                form = self._attempt(self.figure_page(who), who, roll)[1]
                offered = next((one.options for one in form.fields if one.name == "at"), [])
                assert set(offered) == {self.key(one) for one in at}
            case [who, "do", action]:
                self._do(who, action)
            case [who, roll, outcome, "at", at]:
                self._enter(who, roll, outcome, self.key(at))
            case [who, "out", *how]:
                self._put_out(who, how)
            case [who, "left"]:
                self._tap(self.phone_of(who), kind="out", figure=self.key(who), unhurt=True)
            case [who, "back"]:
                self._tap(self.phone_of(who), kind="back", figure=self.key(who))
            case [who, change] if change[0] in "+-":
                kind = "began" if change[0] == "+" else "ended"
                figure, state = self.key(who), change[1:]
                self._tap(self.phone_of(who), kind=kind, figure=figure, state=state)
            case [who, roll, outcome]:
                self._enter(who, roll, outcome)
            case _:
                raise AssertionError(line)

    def _tap(self, phone: FormPhone, **wanted: object) -> None:
        """Press the first button of the table's page whose last tap has these values."""
        page = self.page(phone)
        form = page.form("table")
        assert form is not None
        offered = [(button, taps_of(button)[-1]) for button in buttons_of(form, "taps")]
        for button, tap in offered:
            if all(tap.get(name) == value for name, value in wanted.items()):
                self._press(phone, page, form, button)
                return
        about = [tap for _button, tap in offered if tap.get("figure") == wanted.get("figure")]
        raise AssertionError(f"nothing offers {wanted}: {about}")

    def _press(
        self, phone: FormPhone, page: Page, form: Form, button: Field, changes: Values | None = None
    ) -> Page | None:
        """Press a button. Returns the page that the answer shows instead of going on."""
        before = self._seq()
        answer = phone.press(page, form, button, changes)
        assert answer.page is not None or self._seq() > before
        return answer.page

    def _seq(self) -> int:
        return Table.objects.values_list("seq", flat=True).get(pk=self.table.pk)

    def _put_out(self, who: str, how: list[str]) -> None:
        by = self.key(how[-1]) if "by" in how else None
        mark = how[0] if how and how[0] != "by" else None
        wanted = {"kind": "out", "figure": self.key(who), "unhurt": False}
        self._tap(self.phone_of(who), **wanted, by=by, mark=mark)

    def _deal(self, alarm: str) -> None:
        """Deal with a reminder for everybody whom it asks."""
        phone = self.phones[0]
        while alarm in self.due():
            page = self.page(phone)
            link = next((one for one in page.links("/acts/") if _alarm_of(one) == alarm), None)
            if link is None:
                self._tap(phone, kind="dealt", alarm=alarm)
            else:
                page = phone.open(link)
                form, button = _way(page, "throw")
                assert self._press(phone, page, form, button) is None

    def _do(self, who: str, action: str) -> None:
        page, phone = self.figure_page(who), self.phone_of(who)
        form = page.form("do")
        assert form is not None, f"{who} may do nothing"
        button = _deeds(page)[action]
        shown = self._press(phone, page, form, button)
        assert shown is None, f"{action} asks for more"

    def _attempt(self, page: Page, who: str, roll: str) -> tuple[Page, Form]:
        links = [one for one in page.links("/acts/") if f"/acts/{roll}/" in one]
        assert links, f"{who} is not offered {roll}"
        found = self.phone_of(who).open(links[0])
        form = found.form("attempt")
        assert form is not None
        return found, form

    def _enter(self, who: str, roll: str, outcome: str, at: str = "") -> None:
        phone = self.phone_of(who)
        page, form = self._attempt(self.figure_page(who), who, roll)
        if at:
            [aim] = [one for one in form.fields if one.name == "at"]
            assert at in aim.options, f"{roll} is not offered at {at}"
            base = urlsplit(page.address).path
            page = phone.open(f"{base}?by={self.key(who)}&at={at}")
        form, button = _way(page, "say")
        offered = [one.value for one in form.fields if one.name == "outcome"]
        changes: Values = {"outcome": outcome} if offered else {}
        assert not offered or outcome in offered, f"{roll} cannot end {outcome}: {offered}"
        assert self._press(phone, page, form, button, changes) is None

    def try_everything(self, who: str) -> None:
        """Press each action that a figure is offered, then throw each of its rolls, as long as it
        may. Everything that is offered is recorded."""
        phone, tried = self.phone_of(who), set[str]()
        while True:
            page = self.figure_page(who)
            rolls = {urlsplit(one).path: one for one in page.links("/acts/")}
            deeds = _deeds(page)
            new = [one for one in (*deeds, *rolls) if one not in tried]
            if not new:
                return
            tried.add(new[0])
            if new[0] in deeds:
                form = page.form("do")
                assert form is not None
                shown = self._press(phone, page, form, deeds[new[0]])
                assert shown is None, f"{new[0]} asks for more"
                continue
            page = phone.open(rolls[new[0]])
            attempt = page.form("attempt")
            assert attempt is not None
            again = buttons_of(attempt, "again")
            if again:
                answer = phone.press(page, attempt, again[0])
                page = answer.page or phone.open(answer.location)
            attempt = page.form("attempt")
            assert attempt is not None
            throws = [one for one in buttons_of(attempt, "how") if one.value == "throw"]
            if throws:
                assert self._press(phone, page, attempt, throws[0]) is None
            else:
                assert "finding" in page.html, f"{new[0]} does not say why it is impossible"

    # After play

    def end(self) -> None:
        """End the game as its row says, report it and confirm it."""
        winner = self.row.get("winner")
        wanted: dict[str, object] = {"kind": "over", "result": self.row["result"]}
        if winner:
            wanted["winner"] = self._number(self.gangs[winner - 1])
        self._tap(self.phones[0], **wanted)
        phone = self.phones[0]
        page = phone.open(reverse("campaigns:game-report", args=[self.game.pk]))
        form = _form_with(page, "winner")
        phone.press(page, form, Field("", "submit"), {"sure": "1"})
        phone = self.phones[1]
        page = phone.open(self.game.get_absolute_url())
        form = next(one for one in page.forms if one.action.endswith("/verdict/"))
        [button] = buttons_of(form, "confirm")
        phone.press(page, form, button)
        assert Game.objects.get().status == "confirmed"

    def check_reports(self) -> None:
        """Compare the sent report with the row."""
        names = {
            Credit(gang=str(gang.pk), member=one.id): f"{side}.{place}"
            for side, gang in enumerate(self.gangs, start=1)
            for place, one in enumerate(gang.roster.members, start=1)
        }
        for gang, expected in zip(self.gangs, self.row["reports"], strict=True):
            side = Side.objects.get(gang=gang)
            report = side.parsed_report
            places = {one.id: place for place, one in enumerate(gang.roster.members, start=1)}
            found: dict[str, Any] = {
                "marks": {str(places[who]): mark for who, mark in report.marks.items()},
                "tallies": {key: number for key, number in report.tallies.items() if number},
                "credits": {str(places[who]): names[by] for who, by in report.credits.items()},
                "absent": sorted(places[who] for who in places.keys() - set(report.fielded)),
                "by_nonplayers": {str(places[k]): v for k, v in report.by_nonplayers.items()},
            }
            found = {name: value for name, value in found.items() if value}
            assert found == expected, gang.name

    def check_postgames(self) -> None:
        """Compare both post-games with the row, and answer what became of the member who was
        held: they are free again."""
        words = self.row.get("postgames", ["", ""])
        for phone, gang, said in zip(self.phones, self.gangs, words, strict=True):
            side = Side.objects.get(gang=gang)
            page = phone.open(reverse("campaigns:postgame", args=[self.game.pk, side.pk]))
            assert said in page.html
        if "answer" not in self.row:
            return
        phone, side = self.phones[0], Side.objects.get(gang=self.gangs[0])
        page = phone.open(reverse("campaigns:postgame", args=[self.game.pk, side.pk]))
        form = _form_with(page, "option")
        phone.press(page, form, Field("option", "submit", self.row["answer"]))
        held, before = self.row["held"], self.gangs[0].roster.members
        after = drafts.load(Side.objects.get(pk=side.pk)).playthrough.roster
        [member] = [one for one in after.members if one.id == before[held["member"] - 1].id]
        assert held["condition"] not in {one.condition for one in member.afflictions}


def _form_with(page: Page, name: str) -> Form:
    return next(form for form in page.forms if any(one.name == name for one in form.fields))


def _deeds(page: Page) -> dict[str, Field]:
    """Return the buttons of actions on a figure's page, the first of each action."""
    found: dict[str, Field] = {}
    for form in page.forms:
        for button in buttons_of(form, "do"):
            found.setdefault(button.value.partition(" ")[0], button)
    return found


def _alarm_of(link: str) -> str:
    return parse_qs(urlsplit(link).query).get("alarm", [""])[0]


def _way(page: Page, how: str) -> tuple[Form, Field]:
    form = page.form("attempt")
    assert form is not None
    again = buttons_of(form, "again")
    assert not again, "the page asks first"
    return form, next(one for one in buttons_of(form, "how") if one.value == how)


def _param(row: dict[str, Any], *marks: pytest.MarkDecorator) -> Any:
    return pytest.param(row, id=f"{row['book']}-{row['scenario']}", marks=marks)


def _soon(rows: list[dict[str, Any]]) -> list[Any]:
    """Return the scenarios, all but the first of each game marked as long."""
    seen = Counter[str]()
    params = []
    for row in rows:
        seen[row["book"]] += 1
        params.append(_param(row, *([pytest.mark.long] if seen[row["book"]] > 1 else [])))
    return params


@pytest.mark.parametrize("row", _soon(_rows()))
def test_scenario_is_played_as_its_document_says(row: dict[str, Any]) -> None:
    dice = Random(1)
    with patch("campaigns.seeds.faces", lambda *_: lambda sides: dice.randint(1, sides)):
        scene = Scene(row)
        html = scene.page(scene.phones[0]).html
        for name in row.get("nonplayers", ()):
            assert name in html
        assert scene.due() == set(row["due"])
        for line in row["play"]:
            try:
                scene.play(line)
            except (AssertionError, StopIteration, KeyError) as error:
                raise AssertionError(f"{line}: {error}") from error
        scene.end()
        scene.check_reports()
        scene.check_postgames()


@pytest.mark.long
@pytest.mark.parametrize("row", [_param(row) for row in _rows()])
def test_everything_that_a_scenario_offers_works(row: dict[str, Any]) -> None:
    """For a figure of each gang, the member who was held, and a non-player."""
    dice = Random(2)
    with patch("campaigns.seeds.faces", lambda *_: lambda sides: dice.randint(1, sides)):
        scene = Scene(row)
        held = [f"1.{row['held']['member']}"] if "held" in row else []
        others = ["0.1"] if row.get("nonplayers") else []
        for who in ("1.1", "2.2", *held, *others):
            scene.try_everything(who)


@pytest.mark.parametrize("slug", SLUGS)
def test_every_scenario_is_played_with_all_that_it_brings(slug: str) -> None:
    """All its actions, rolls, states and reminders are in the lines of its row."""
    book = shipped(slug)
    rows = {row["scenario"]: row for row in _rows() if row["book"] == slug}
    assert rows.keys() == {row.key for row in book.scenarios}
    assert all(row["source"] for row in rows.values())
    for scenario, row in rows.items():
        words = {word.strip("+-") for line in row["play"] for word in line.split()}
        words |= set(row["due"])
        for declared in (*book.actions, *book.rolls, *book.alarms):
            if scenario in declared.scenarios:
                assert declared.key in words, f"{scenario}: {declared.key} is not played"
