"""Before a game, through the pages: dice, crews, mercenaries, and both sides face to face."""

from __future__ import annotations

import html
import json
import re
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from campaigns.engine import rolls
from campaigns.engine.crew import expect_fielded, worth_of
from campaigns.files import exporting, reading
from campaigns.files import importing as files_importing
from campaigns.games import results
from campaigns.models import Game, Side, Throw
from campaigns.postgames import drafts
from campaigns.table import storage
from campaigns.table.crews import hiring, preparing
from campaigns.table.crews.text import Versus, versus
from common.errors import Refusal, Stale
from gangs.engine.entries import Earned, Entry, Left, Promoted, Suffered
from gangs.ledger import writer
from gangs.ledger.writer import replay_roster
from gangs.models import Gang, StoredEntry
from gangs.text.formats import shown_name
from rules.engine.dice import BadFaces, Thrower
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)
from tests.world.gangs import played

SLUG = "au-un-pour-un"
pytestmark = pytest.mark.django_db


def show_faces(*faces: int) -> Thrower:
    """Dice that show these faces in turn."""
    left = list(faces)
    return lambda _sides: left.pop(0)


class Evening:
    """Two gangs that have played before, and meet again tonight; a chief has left each for hire."""

    def __init__(self, organiser: User, alice: User, dora: User) -> None:
        self.bob, self.alice, self.dora = organiser, alice, dora
        self.campaign = make_campaign(organiser, SLUG)
        self.keys = {
            "hers": make_player(self.campaign, alice).pk,
            "theirs": make_player(self.campaign, dora).pk,
        }
        for whose in self.keys:
            gang = self.gang(whose)
            chief, second = gang.roster.members[:2]
            self.befall(
                whose,
                played(gang.book, f"before-{whose}", chief.id),
                Earned(amount=200, why="gift"),
                Left(member=chief.id, departure="for_hire", gear="kept"),
                Promoted(member=second.id, rank="chef", profile="kept"),
            )
        self.game = make_game(self.campaign, alice, self.gang("hers"), self.gang("theirs"))

    def gang(self, whose: str) -> Gang:
        return Gang.objects.get(pk=self.keys[whose])

    def befall(self, whose: str, *entries: Entry) -> None:
        gang = self.gang(whose)
        writer.append(gang, entries, expected_version=gang.version, actor=gang.owner)

    def side(self, whose: str = "hers", game: Game | None = None) -> Side:
        return side_of(game or self.game, self.gang(whose))

    def wound(self, whose: str = "hers", times: int = 1) -> int:
        """Give a member an old wound, and return the member's id."""
        member = self.gang(whose).roster.members[-1].id
        self.befall(whose, *[Suffered(member=member, condition="old_wound")] * times)
        return member

    def prepared(self, whose: str = "hers") -> preparing.Preparation:
        side = self.side(whose)
        return preparing.prepare_crew(side, preparing.homes_of([side], self.game))

    def url(self, whose: str = "hers") -> str:
        return reverse("campaigns:prepare", args=[self.game.pk, self.side(whose).pk])

    def mercenary(self, of: str) -> str:
        """The key of the chief who left this gang."""
        return next(one.key for one in hiring.pool(self.campaign) if one.gang == str(self.keys[of]))

    def hire(self, whose: str, of: str, game: Game | None = None) -> None:
        hiring.hire(
            self.side(whose, game),
            self.mercenary(of),
            expected_version=self.gang(whose).version,
            actor=self.alice,
            token=uuid.uuid4().hex,
        )


@pytest.fixture
def evening(bob: User, alice: User, dora: User) -> Evening:
    return Evening(bob, alice, dora)


@pytest.fixture
def browser(evening: Evening, alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def form(page: str, act: str, containing: str = "") -> dict[str, list[str]]:
    """The fields of the form with this button, with the page's values."""
    for drawn in re.findall(r"<form.*?</form>", page, re.S):
        if f'value="{act}"' in drawn and containing in html.unescape(drawn):
            fields: dict[str, list[str]] = {"act": [act]}
            for tag in re.findall(r"<input[^>]*>", drawn):
                name = re.search(r'name="([^"]*)"', tag)
                value = re.search(r'value="([^"]*)"', tag)
                if name and ("checkbox" not in tag or " checked" in tag):
                    fields[name[1]] = [html.unescape(value[1]) if value else "on"]
            return fields
    raise AssertionError(f"no form for {act} {containing}")


def press(client: Client, url: str, act: str, containing: str = "", **typed: str) -> int:
    """Press a button of the current page."""
    fields = form(client.get(url).content.decode(), act, containing)
    return client.post(url, {**fields, **typed}).status_code


# Dice


def test_roll_by_the_application_is_final(evening: Evening, alice: User) -> None:
    evening.wound()
    side = evening.side()
    (chance,) = evening.prepared().waiting
    preparing.roll(
        side,
        partial(rolls.throw_one, key=chance.key, by=show_faces(1)),
        expected_version=0,
        actor=alice,
    )
    now = evening.prepared()
    assert (now.waiting, now.chances[chance.key].sits_out) == ((), True)
    for again in (rolls.throw_one, rolls.forget):
        with pytest.raises(Refusal, match="roll_final"):
            change = partial(again, key=chance.key)
            preparing.roll(evening.side(), change, expected_version=1, actor=alice)
    with pytest.raises(Refusal, match="roll_final"):
        preparing.roll(
            evening.side(),
            partial(rolls.take_over, key=chance.key, faces="6"),
            expected_version=1,
            actor=alice,
        )
    with pytest.raises(Stale):
        preparing.roll(
            evening.side(),
            partial(rolls.throw_one, key=chance.key),
            expected_version=0,
            actor=alice,
        )
    (kept,) = Throw.objects.filter(side=side)
    assert (kept.key, kept.actor, kept.roll["faces"]) == (chance.key, alice, [1])
    assert kept.roll["thrown_by"] == "app"


def test_typed_dice_can_be_corrected_and_both_throws_are_kept(
    evening: Evening, alice: User
) -> None:
    member = evening.wound()
    (chance,) = evening.prepared().waiting
    with pytest.raises(BadFaces):
        preparing.roll(
            evening.side(),
            partial(rolls.take_over, key=chance.key, faces="7"),
            expected_version=0,
            actor=alice,
        )
    preparing.roll(
        evening.side(),
        partial(rolls.take_over, key=chance.key, faces="1"),
        expected_version=0,
        actor=alice,
    )
    assert member not in {one.member.id for one in evening.prepared().crew}
    preparing.roll(
        evening.side(), partial(rolls.forget, key=chance.key), expected_version=1, actor=alice
    )
    assert evening.prepared().waiting
    preparing.roll(
        evening.side(),
        partial(rolls.take_over, key=chance.key, faces="2"),
        expected_version=2,
        actor=alice,
    )
    assert member in {one.member.id for one in evening.prepared().crew}
    told = [
        (one.roll["faces"], one.taken_back_at is None)
        for one in Throw.objects.filter(side=evening.side())
    ]
    assert told == [([1], False), ([2], True)]


def test_rolling_all_dice_keeps_earlier_rolls(evening: Evening, alice: User) -> None:
    evening.wound(times=3)
    first = evening.prepared().waiting[0]
    preparing.roll(
        evening.side(),
        partial(rolls.take_over, key=first.key, faces="4"),
        expected_version=0,
        actor=alice,
    )
    preparing.roll(
        evening.side(),
        partial(rolls.throw_all, by=show_faces(5, 6)),
        expected_version=1,
        actor=alice,
    )
    made = preparing.before_of(evening.side()).rolls
    assert sorted(roll.total for roll in made.values()) == [4, 5, 6]
    assert [roll.thrown_by for roll in made.values()].count("table") == 1
    assert Throw.objects.filter(taken_back_at=None).count() == 3


def test_reload_rolls_nothing(evening: Evening, browser: Client) -> None:
    evening.wound()
    url = evening.url()
    sent = form(browser.get(url).content.decode(), "throw")
    assert browser.post(url, sent).status_code == 302
    fell = evening.side().before
    # The same form again, as a reload of an impatient browser sends it.
    assert browser.post(url, sent).status_code == 409
    assert browser.get(url).status_code == 200
    assert evening.side().before == fell
    assert Throw.objects.count() == 1


@pytest.mark.long
def test_impossible_faces_stay_in_their_field(evening: Evening, browser: Client) -> None:
    evening.wound()
    url = evening.url()
    sent = form(browser.get(url).content.decode(), "typed")
    answer = browser.post(url, {**sent, "faces": "9"})
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    assert "1D6: type one number from 1 to 6." in page
    assert 'value="9"' in page
    assert press(browser, url, "typed", faces="1") == 302
    assert "sits this game out" in browser.get(url).content.decode()
    assert press(browser, url, "correct") == 302
    assert evening.side().before == {"rolls": {}}


# The crew


@pytest.mark.long
def test_crew_is_picked_on_the_page(evening: Evening, browser: Client) -> None:
    url, ids = evening.url(), [one.id for one in evening.gang("hers").roster.members]
    page = browser.get(url).content.decode()
    assert "not picked yet" in page
    sent = form(page, "pick")
    assert {name for name in sent if name.startswith("in-")} == {f"in-{key}" for key in ids}
    del sent[f"in-{ids[0]}"]
    assert browser.post(url, sent).status_code == 302
    assert evening.side().crew == ids[1:]
    now = evening.prepared()
    assert len(now.crew) == len(ids) - 1
    assert worth_of(now.crew) == sum(one.worth for one in now.candidates[1:])
    page = browser.get(url).content.decode()
    assert f"in-{ids[0]}" not in form(page, "pick")
    assert expect_fielded(now.book, now.roster, now.before, evening.side().crew) == set(ids[1:])
    assert press(browser, url, "all") == 302
    assert evening.side().crew == ids
    assert press(browser, url, "none") == 302
    assert evening.side().crew == []
    # An empty crew is an error unless it is requested.
    answer = browser.post(url, form(browser.get(url).content.decode(), "pick"))
    assert answer.status_code == 422
    assert "Tick at least one member." in html.unescape(answer.content.decode())


def test_page_says_that_an_open_table_keeps_its_crew(evening: Evening, browser: Client) -> None:
    note = "The game’s table is open already."
    assert note not in browser.get(evening.url()).content.decode()
    table = storage.open_for(evening.game, [evening.side("hers"), evening.side("theirs")])
    page = browser.get(evening.url()).content.decode()
    assert note in page
    seated = [*table.sides.values_list("crew", flat=True)]
    sent = form(page, "pick")
    del sent[next(name for name in sent if name.startswith("in-"))]
    assert browser.post(evening.url(), sent).status_code == 302
    assert [*table.sides.values_list("crew", flat=True)] == seated


def test_absent_member_cannot_be_picked(evening: Evening, browser: Client) -> None:
    first, second, third = [one.id for one in evening.gang("hers").roster.members][:3]
    evening.befall(
        "hers",
        Suffered(member=first, condition="captured", against="The Reds"),
        Suffered(member=second, condition="missing", games=2),
        Suffered(member=third, condition="old_wound"),
    )
    url = evening.url()
    page = html.unescape(browser.get(url).content.decode())
    assert "held by The Reds" in page and "against The Reds" not in page
    assert "2 more games" in page
    assert "Members who still have to roll can be ticked after that." in page
    sent = form(page, "pick")
    sent |= {f"in-{key}": ["on"] for key in (first, second, third)}
    assert browser.post(url, sent).status_code == 302
    assert not {first, second, third} & set(evening.side().crew)


@pytest.mark.long
@pytest.mark.parametrize("act", ["pick", "all", "none"])
def test_stale_page_picks_nobody(evening: Evening, browser: Client, act: str) -> None:
    url = evening.url()
    old = form(browser.get(url).content.decode(), act)
    assert press(browser, url, "none") == 302
    answer = browser.post(url, old)
    assert answer.status_code == 409
    assert "changed in another window" in answer.content.decode()
    assert evening.side().crew == []
    # The gang has changed meanwhile, and so have its available members.
    old = form(browser.get(url).content.decode(), act)
    evening.wound()
    assert browser.post(url, old).status_code == 409


@pytest.mark.long
def test_owner_and_organiser_may_prepare_a_side(
    evening: Evening, as_user: Callable[[User], Client], charlie: User
) -> None:
    asked = {evening.alice: 200, evening.bob: 200, evening.dora: 404, charlie: 404}
    for user, status in asked.items():
        client = as_user(user)
        assert client.get(evening.url()).status_code == status
        posted = client.post(evening.url(), {"act": "none", "seen": 99})
        assert posted.status_code == (409 if status == 200 else 404)
    assert evening.side().crew is None


def test_unknown_button_does_nothing(evening: Evening, browser: Client) -> None:
    assert browser.post(evening.url(), {"act": "bribe"}).status_code == 422
    gone = browser.post(evening.url(), {"act": "throw", "key": "before:1:none:1", "seen": "0"})
    assert gone.status_code == 422


@pytest.mark.long
def test_crew_is_final_after_the_report(evening: Evening, browser: Client, alice: User) -> None:
    url = evening.url()
    old = form(browser.get(url).content.decode(), "none")
    reported(evening.game, alice, result="victory")
    assert browser.post(url, old).status_code == 302
    assert browser.get(url).status_code == 302
    assert evening.side().crew is None
    with pytest.raises(Refusal, match="not_planned"):
        preparing.roll(evening.side(), rolls.throw_all, expected_version=0, actor=alice)
    with pytest.raises(Refusal, match="not_planned"):
        evening.hire("hers", "theirs")


def test_archived_campaign_allows_no_preparation(evening: Evening, alice: User) -> None:
    evening.campaign.archived_at = evening.game.created_at
    evening.campaign.save()
    with pytest.raises(Refusal, match="campaign_archived"):
        preparing.roll(evening.side(), rolls.throw_all, expected_version=0, actor=alice)
    with pytest.raises(Refusal, match="campaign_archived"):
        evening.hire("hers", "theirs")


# Mercenaries


@pytest.mark.long
def test_mercenary_is_hired_and_sent_back_on_the_page(evening: Evening, browser: Client) -> None:
    url, before = evening.url(), evening.gang("hers").roster
    price = next(one for one in hiring.pool(evening.campaign)).price
    key = evening.mercenary("theirs")
    page = browser.get(url).content.decode()
    assert page.count("statline") == 2
    sent = form(page, "hire", key)
    assert browser.post(url, sent).status_code == 302
    assert browser.post(url, sent).status_code == 302  # a double click
    hers = evening.gang("hers")
    (hand,) = hers.roster.hired
    assert (hand.game, hand.paid) == (str(evening.game.pk), price)
    assert hers.roster.treasury == before.treasury - price
    assert replay_roster(hers) == hers.roster
    now = evening.prepared()
    assert now.crew[-1].hired == hand
    assert worth_of(now.crew) == hers.rating + now.crew[-1].worth
    page = html.unescape(browser.get(url).content.decode())
    assert "hired for this game" in page
    assert "Hirelings for one game, at most: 1." in page
    assert press(browser, url, "send-back") == 302
    hers = evening.gang("hers")
    assert hers.roster == before
    assert replay_roster(hers) == before
    # Sent back twice: the mercenary has already left.
    gone = {"act": "send-back", "key": key, "seen_gang": str(hers.version)}
    assert browser.post(url, gone).status_code == 302
    assert evening.gang("hers").roster == before


@pytest.mark.long
def test_mercenary_hired_after_picking_joins_the_crew(evening: Evening, browser: Client) -> None:
    assert press(browser, evening.url(), "none") == 302
    evening.hire("hers", "hers")  # Their old gang may hire them for a game.
    gone = evening.gang("hers").roster.departed[0].member.id
    assert [one.key for one in evening.prepared().crew] == [evening.mercenary("hers")]
    sent = form(browser.get(evening.url()).content.decode(), "pick")
    first = evening.gang("hers").roster.members[0].id
    assert browser.post(evening.url(), {**sent, f"in-{first}": "on"}).status_code == 302
    assert evening.side().crew == [first, [str(evening.keys["hers"]), gone]]
    book, roster = evening.prepared().book, evening.prepared().roster
    assert expect_fielded(book, roster, evening.prepared().before, evening.side().crew) == {first}


def test_mercenary_cannot_play_for_both_sides(evening: Evening) -> None:
    evening.hire("hers", "theirs")
    with pytest.raises(Refusal, match="hired_already"):
        evening.hire("theirs", "theirs")
    evening.hire("theirs", "hers")
    # They may play for the other side in another game.
    later = make_game(evening.campaign, evening.bob, evening.gang("hers"), evening.gang("theirs"))
    evening.hire("theirs", "theirs", later)
    assert len(evening.gang("theirs").roster.hired) == 2


def test_gang_with_an_open_post_game_hires_nobody(evening: Evening, alice: User, bob: User) -> None:
    later = make_game(evening.campaign, bob, evening.gang("hers"), evening.gang("theirs"))
    reported(evening.game, alice, result="victory")
    with pytest.raises(Refusal, match="postgame_waits"):
        evening.hire("hers", "theirs", later)


def test_mercenaries_go_home_with_the_post_game(evening: Evening, alice: User, dora: User) -> None:
    evening.hire("hers", "theirs")
    paid = evening.gang("hers").roster.hired[0].paid
    evening.game = confirmed(reported(evening.game, alice, result="victory"), dora)
    side = answered(evening.side())
    before = evening.gang("hers").roster
    expected_version = evening.gang("hers").version
    drafts.commit(side, seen_draft=side.draft_version, seen_gang=expected_version, actor=alice)
    hers = evening.gang("hers")
    assert (before.hired != (), hers.roster.hired) == (True, ())
    spent = [one.data["paid"] for one in StoredEntry.objects.filter(gang=hers, kind="hired")]
    assert spent == [paid]
    assert replay_roster(hers) == hers.roster


def test_withdrawn_game_returns_the_money(evening: Evening, bob: User) -> None:
    before = {whose: evening.gang(whose).roster for whose in evening.keys}
    evening.hire("hers", "theirs")
    evening.hire("theirs", "hers")
    results.withdraw(evening.game, actor=bob, expected_version=evening.game.version)
    for whose, roster in before.items():
        assert evening.gang(whose).roster == roster
        assert replay_roster(evening.gang(whose)) == roster


def test_single_side_sends_its_mercenaries_back(evening: Evening, bob: User) -> None:
    evening.hire("hers", "theirs")
    evening.hire("theirs", "hers")
    hiring.give_back(evening.game, actor=bob, side=evening.side("hers"))
    assert evening.gang("hers").roster.hired == ()
    assert len(evening.gang("theirs").roster.hired) == 1


@pytest.mark.long
def test_mercenary_who_never_left_can_be_sent_back(evening: Evening, browser: Client) -> None:
    """After the correction they never left, so no record of them exists; they can still be sent
    back."""
    evening.hire("hers", "theirs")
    theirs = evening.gang("theirs")
    left = theirs.entries.get(kind="left")
    writer.strike(
        theirs, left.batch, expected_version=theirs.version, actor=evening.dora, with_misfits=True
    )
    page = html.unescape(browser.get(evening.url()).content.decode())
    assert "they never left it. Send them back." in page
    assert all(one.hired is None for one in evening.prepared().candidates)
    assert press(browser, evening.url(), "send-back") == 302
    assert evening.gang("hers").roster.hired == ()


def test_mercenary_rolls_for_an_old_wound(evening: Evening, alice: User) -> None:
    theirs = evening.gang("theirs")
    left = theirs.entries.get(kind="left")
    member = left.data["member"]
    writer.strike(
        theirs, left.batch, expected_version=theirs.version, actor=evening.dora, with_misfits=True
    )
    evening.befall(
        "theirs",
        played(theirs.book, "again", member),
        Suffered(member=member, condition="old_wound"),
        Left(member=member, departure="legend", gear="kept"),
    )
    evening.befall("hers", Earned(amount=200, why="gift"))
    evening.hire("hers", "theirs")
    (chance,) = evening.prepared().waiting
    preparing.roll(
        evening.side(),
        partial(rolls.throw_one, key=chance.key, by=show_faces(1)),
        expected_version=0,
        actor=alice,
    )
    assert all(one.hired is None for one in evening.prepared().crew)


@pytest.mark.long
def test_campaign_file_includes_a_crew_with_a_hired_hand(
    evening: Evening, browser: Client, charlie: User
) -> None:
    scarred = evening.wound("theirs")
    evening.befall("theirs", Left(member=scarred, departure="for_hire", gear="kept"))
    (key,) = (one.key for one in hiring.pool(evening.campaign) if one.member.id == scarred)
    expected_version = evening.gang("hers").version
    hiring.hire(
        evening.side(),
        key,
        expected_version=expected_version,
        actor=evening.alice,
        token=uuid.uuid4().hex,
    )
    (chance,) = evening.prepared().waiting
    preparing.roll(
        evening.side(),
        partial(rolls.throw_one, key=chance.key, by=show_faces(6)),
        expected_version=0,
        actor=evening.alice,
    )
    assert press(browser, evening.url(), "all") == 302
    text = exporting.export_campaign(evening.campaign).decode()
    assert str(evening.keys["theirs"]) not in text
    file = reading.read_file(text.encode())
    arrived = files_importing.write_campaign(
        file, importer=charlie, own_place=None, token=uuid.uuid4()
    )
    assert json.loads(exporting.export_campaign(arrived))["games"] == json.loads(text)["games"]
    side = Side.objects.filter(game__campaign=arrived, crew__isnull=False).get()
    now = preparing.prepare_crew(side, preparing.homes_of([side], side.game))
    assert now.crew[-1].hired in now.roster.hired
    assert now.waiting == ()
    prepared = evening.prepared()
    assert [one.worth for one in now.crew] == [one.worth for one in prepared.crew]


# Match-up


def test_game_page_shows_both_sides(evening: Evening, bob: User) -> None:
    def told(user: User | None) -> Versus:
        sides = list(evening.game.sides.select_related("gang__owner"))
        for side in sides:
            side.game = evening.game
        return versus(evening.game, sides, user)

    evening.hire("hers", "theirs")
    shown = told(evening.alice)
    hers, theirs = shown.lines
    assert (hers.url, theirs.url) == (evening.url("hers"), "")
    assert (len(hers.now.hired), theirs.now.hired) == (1, [])
    assert shown.differences == (
        "Both gangs are worth the same.",
        f"Tonight’s stronger crew: {hers.name} (61 pts more).",
    )
    assert shown.has_dues is False
    assert [bool(line.url) for line in told(bob).lines] == [True, True]
    assert not any(line.url or line.sheet for line in told(None).lines)
    rival = evening.gang("theirs")
    assert hers.sheet == reverse("gangs:sheet", args=[hers.side.gang_id])
    assert theirs.sheet == reverse("gangs:shared", args=[rival.share_key])
    Gang.objects.filter(pk=rival.pk).update(share_key=None)
    assert told(evening.alice).lines[1].sheet == ""
    evening.befall(
        "hers", Left(member=evening.gang("hers").roster.members[-1].id, departure="retired")
    )
    first, second = told(None).differences
    assert re.fullmatch(r".* is worth \d+ pts more than .*\.", first)
    assert second.startswith("Tonight’s stronger crew: ")


@pytest.mark.long
def test_preparation_queries_do_not_grow(evening: Evening, browser: Client) -> None:
    """With any number of gangs, wounded members and mercenaries."""

    def counted() -> int:
        browser.get(evening.url())
        with CaptureQueriesContext(connection) as queries:
            assert browser.get(evening.url()).status_code == 200
        return len(queries)

    evening.hire("hers", "theirs")
    few = counted()
    for number in range(4):
        player = User.objects.create_user(f"player{number}", password="correct horse battery")
        gang = make_player(evening.campaign, player)
        first = gang.roster.members[0].id
        entries = [
            played(gang.book, "g", first),
            Left(member=first, departure="for_hire", gear="kept"),
        ]
        writer.append(gang, entries, expected_version=gang.version, actor=player)
    evening.wound(times=4)
    assert counted() == few <= 10


# Races


def run_together(count: int, act: Callable[[int], None]) -> list[str]:
    """Run an action several times simultaneously, each in a thread, and return the outcomes."""
    start = threading.Barrier(count)

    def run(number: int) -> str:
        try:
            start.wait(120)
            act(number)
        except (Stale, Refusal) as error:
            return str(error) or type(error).__name__
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(count) as pool:
        return sorted(pool.map(run, range(count)))


@pytest.mark.django_db(transaction=True)
def test_two_windows_hire_simultaneously(bob: User, alice: User, dora: User) -> None:
    evening = Evening(bob, alice, dora)
    before, expected_version = evening.gang("hers").roster, evening.gang("hers").version
    keys = [evening.mercenary("theirs"), evening.mercenary("hers")] * 2
    sides = [evening.side() for _ in keys]

    def hire(number: int) -> None:
        hiring.hire(
            sides[number],
            keys[number],
            expected_version=expected_version,
            actor=alice,
            token=uuid.uuid4().hex,
        )

    assert run_together(4, hire).count("done") == 1
    hers = evening.gang("hers")
    (hand,) = hers.roster.hired
    assert hers.roster.treasury == before.treasury - hand.paid
    assert replay_roster(hers) == hers.roster


@pytest.mark.django_db(transaction=True)
def test_two_sides_hire_the_same_mercenary_simultaneously(
    bob: User, alice: User, dora: User
) -> None:
    evening = Evening(bob, alice, dora)
    key = evening.mercenary("theirs")
    sides = [evening.side("hers"), evening.side("theirs")]
    expected_version = [evening.gang("hers").version, evening.gang("theirs").version]

    def hire(number: int) -> None:
        hiring.hire(
            sides[number],
            key,
            expected_version=expected_version[number],
            actor=bob,
            token=uuid.uuid4().hex,
        )

    assert run_together(2, hire) == ["done", "hired_already"]
    hands = [hand for whose in evening.keys for hand in evening.gang(whose).roster.hired]
    assert len(hands) == 1


@pytest.mark.django_db(transaction=True)
def test_two_phones_roll_simultaneously(bob: User, alice: User, dora: User) -> None:
    evening = Evening(bob, alice, dora)
    evening.wound()
    (chance,) = evening.prepared().waiting
    sides = [evening.side() for _ in range(4)]

    def roll(number: int) -> None:
        preparing.roll(
            sides[number], partial(rolls.throw_one, key=chance.key), expected_version=0, actor=alice
        )

    assert run_together(4, roll) == ["Stale", "Stale", "Stale", "done"]
    assert Throw.objects.count() == 1
    assert len(evening.side().before["rolls"]) == 1


def test_game_page_lists_captives_of_the_other_side(evening: Evening, browser: Client) -> None:
    """The players decide there whether the game may free them."""
    hers, theirs = evening.gang("hers"), evening.gang("theirs")
    first, second = [one.id for one in hers.roster.members][:2]
    evening.befall(
        "hers",
        Suffered(member=first, condition="captured", captors=("nobody", str(theirs.pk))),
        Suffered(member=second, condition="captured", against=theirs.name),
    )
    page = html.unescape(browser.get(evening.game.get_absolute_url()).content.decode())
    who = shown_name(hers.book, hers.roster.members[0])
    assert f"{who} ({hers.name} (alice)) is held by {theirs.name} (dora)." in page
    assert page.count("is held by") == 1
