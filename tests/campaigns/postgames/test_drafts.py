"""Post-games in the browser and in the ledger."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial

import pytest
from django.db import connection
from django.urls import reverse

from campaigns.engine import answers as engine_answers
from campaigns.engine import rolls
from campaigns.engine.report import Report
from campaigns.games import results
from campaigns.holds import find_unsettled
from campaigns.postgames import drafts
from common.errors import Refusal, Stale
from gangs.engine import actions as acts
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Dismissed, Played, Renamed, TraitTaken
from gangs.history.log import history_of
from gangs.ledger import writer
from gangs.ledger.writer import replay_roster
from gangs.models import Gang, StoredEntry
from tests.random_cases import one_soon
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)
from tests.world.gangs import POINTS


@pytest.fixture
def game(campaign, hers, theirs, alice, dora):
    return confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)


@pytest.fixture
def wild(bob, alice, dora):
    """A confirmed game with an injury: alice's second member went out of action."""
    campaign = make_campaign(bob, POINTS)
    hers, theirs = make_player(campaign, alice), make_player(campaign, dora)
    ids = tuple(member.id for member in hers.roster.members)
    report = Report(fielded=ids, marks={ids[1]: "out"})
    game = make_game(campaign, alice, hers, theirs)
    game = reported(game, alice, result="victory", reports={str(hers.pk): report})
    return side_of(confirmed(game, dora), hers)


def url(side, name="postgame"):
    return reverse(f"campaigns:{name}", args=[side.game_id, side.pk])


def commit_data(side):
    gang = Gang.objects.get(pk=side.gang_id)
    return {"seen": side.draft_version, "seen_gang": gang.version}


def committed(side, actor):
    side = answered(side)
    gang = Gang.objects.get(pk=side.gang_id)
    side.gang = gang
    drafts.commit(side, seen_draft=side.draft_version, seen_gang=gang.version, actor=actor)
    return side


class TestBrowser:
    @pytest.mark.long
    def test_post_game_is_played_without_javascript(self, wild, alice, as_user):
        browser = as_user(alice)
        page = browser.get(url(wild)).content.decode()
        assert "Roll for me" in page and "I rolled this" in page
        key = next(iter(drafts.load(wild).playthrough.requests))
        data = {"seen": 0, "act": "typed", "key": key, "faces": "5 6"}
        assert browser.post(url(wild, "postgame-answer"), data).status_code == 302
        for step in ("new_leader", "recruits"):
            side = side_of(wild.game, wild.gang)
            data = {"seen": side.draft_version, "act": "finish", "step": step}
            browser.post(url(wild, "postgame-answer"), data)
        page = browser.get(url(wild, "postgame-preview")).content.decode()
        assert "→" in page and "house value" in page
        assert Gang.objects.get(pk=wild.gang_id).roster.games == 0
        side = side_of(wild.game, wild.gang)
        answer = browser.post(url(wild, "postgame-commit"), commit_data(side), follow=True)
        assert answer.status_code == 200
        gang = Gang.objects.get(pk=wild.gang_id)
        assert gang.roster.games == 1 and gang.roster.treasury == 10
        assert replay_roster(gang) == gang.roster
        rolled = StoredEntry.objects.get(gang=gang, kind="rolled")
        assert rolled.data["roll"] == {"dice": "2d6", "faces": [5, 6], "thrown_by": "table"}
        assert "in the gang’s history" in browser.get(url(wild)).content.decode()

    def test_draft_survives_a_closed_browser(self, wild, alice, as_user):
        key = next(iter(drafts.load(wild).playthrough.requests))
        data = {"seen": 0, "act": "throw", "key": key}
        as_user(alice).post(url(wild, "postgame-answer"), data)
        side = side_of(wild.game, wild.gang)
        roll = side.answers.rolls[key]
        assert roll.thrown_by == "app"
        page = as_user(alice).get(url(wild)).content.decode()
        assert f"= {roll.total}" in page and "rolled here" in page

    def test_second_throw_changes_nothing(self, wild, alice, as_user):
        browser = as_user(alice)
        key = next(iter(drafts.load(wild).playthrough.requests))
        data = {"seen": 0, "act": "throw", "key": key}
        browser.post(url(wild, "postgame-answer"), data)
        roll = side_of(wild.game, wild.gang).answers.rolls[key]
        assert browser.post(url(wild, "postgame-answer"), data).status_code == 409
        assert browser.post(url(wild, "postgame-answer"), data | {"seen": 1}).status_code == 422
        for act in ("correct", "typed"):
            data |= {"seen": 1, "act": act, "faces": "6 6"}
            assert browser.post(url(wild, "postgame-answer"), data).status_code == 422
        assert side_of(wild.game, wild.gang).answers.rolls[key] == roll

    def test_impossible_dice_are_explained(self, wild, alice, as_user):
        browser = as_user(alice)
        key = next(iter(drafts.load(wild).playthrough.requests))
        data = {"seen": 0, "act": "typed", "key": key, "faces": "7 7"}
        answer = browser.post(url(wild, "postgame-answer"), data)
        assert answer.status_code == 422
        text = answer.content.decode()
        assert "type 2 numbers from 1 to 6" in text and 'value="7 7"' in text

    def test_htmx_answer_contains_only_the_steps(self, wild, alice, as_user):
        browser = as_user(alice)
        key = next(iter(drafts.load(wild).playthrough.requests))
        data = {"seen": 0, "act": "typed", "key": key, "faces": "4 4"}
        answer = browser.post(url(wild, "postgame-answer"), data, HTTP_HX_REQUEST="true")
        text = answer.content.decode()
        assert answer.status_code == 200
        assert text.lstrip().startswith('<div id="play"') and "<html" not in text
        assert 'name="csrfmiddlewaretoken"' in text

    @pytest.mark.parametrize(
        "data",
        one_soon(
            [
                {},
                {"act": "nonsense"},
                {"act": "throw", "key": "nothing"},
                {"act": "typed", "key": "nothing", "faces": "1"},
                {"act": "choose", "key": "ransoms:1", "option": "eaten"},
                {"act": "promote", "key": "nothing", "member": "99"},
                {"act": "promote", "key": "NO KEY", "member": ""},
                {"act": "hire", "rank": "king"},
                {"act": "finish", "step": "nothing"},
            ]
        ),
    )
    def test_unknown_act_is_refused(self, wild, alice, as_user, data):
        answer = as_user(alice).post(url(wild, "postgame-answer"), {"seen": 0, **data})
        assert answer.status_code == 422
        assert side_of(wild.game, wild.gang).draft == {}

    def test_promotion_and_recruit_are_answered_on_the_page(
        self, campaign, hers, theirs, alice, dora, as_user
    ):
        ids = {member.rank: member.id for member in hers.roster.members}
        report = Report(
            fielded=tuple(member.id for member in hers.roster.members),
            marks={ids["leader"]: "dead"},
        )
        game = make_game(campaign, alice, hers, theirs)
        game = confirmed(reported(game, alice, reports={str(hers.pk): report}), dora)
        side = side_of(game, hers)
        browser = as_user(alice)
        for number, data in enumerate(
            [
                {"act": "promote", "key": "new_leader", "member": ids["second"]},
                {"act": "finish", "step": "promotions"},
                {"act": "hire", "rank": "henchman", "name": "Zoé"},
                {"act": "finish", "step": "recruits"},
            ]
        ):
            data |= {"seen": number}
            assert browser.post(url(side, "postgame-answer"), data).status_code == 302
        side = side_of(game, hers)
        assert "Zoé" in browser.get(url(side)).content.decode()
        browser.post(url(side, "postgame-commit"), commit_data(side))
        gang = Gang.objects.get(pk=hers.pk)
        assert gang.roster.treasury == 4 - 2 - 1
        assert gang.roster.member(ids["second"]).rank == "leader"
        assert "Zoé" in [member.name for member in gang.roster.members]


class TestCommitting:
    def test_post_game_is_committed_once(self, game, hers, alice):
        side = answered(side_of(game, hers))
        stale = side_of(game, hers)
        committed(side, alice)
        with pytest.raises(Refusal, match="postgame_done"):
            drafts.commit(stale, seen_draft=stale.draft_version, seen_gang=2, actor=alice)
        assert StoredEntry.objects.filter(gang=hers, kind="played").count() == 1

    def test_commit_from_a_stale_tab_is_refused(self, game, hers, alice, as_user):
        side = answered(side_of(game, hers))
        browser, data = as_user(alice), commit_data(side)
        assert browser.post(url(side, "postgame-commit"), data).status_code == 302
        second = browser.post(url(side, "postgame-commit"), data, follow=True)
        assert "already in the gang’s history" in second.content.decode()
        assert StoredEntry.objects.filter(gang=hers, kind="played").count() == 1

    def test_only_one_of_two_racing_commits_is_written(self, game, hers, alice, monkeypatch):
        """Both tabs pass the first check; the lock on the side admits only one."""
        one, two = answered(side_of(game, hers)), side_of(game, hers)
        expected_version = Gang.objects.get(pk=hers.pk).version
        two.gang = Gang.objects.get(pk=hers.pk)
        committed(one, alice)
        monkeypatch.setattr(drafts, "is_done", lambda side: False)
        with pytest.raises(Stale):
            drafts.commit(
                two, seen_draft=two.draft_version, seen_gang=expected_version, actor=alice
            )
        assert StoredEntry.objects.filter(gang=hers, kind="played").count() == 1

    def test_commit_is_refused_when_the_gang_has_changed(self, game, hers, alice, as_user):
        side = answered(side_of(game, hers))
        data = commit_data(side)
        gang = Gang.objects.get(pk=hers.pk)
        entries = acts.change_gang(
            ComputedGang.of(gang.book, gang.roster), name="Renamed", notes=""
        )
        writer.append(gang, entries, expected_version=gang.version, actor=alice)
        answer = as_user(alice).post(url(side, "postgame-commit"), data)
        assert answer.status_code == 409
        assert "changed in another window" in answer.content.decode()
        side = side_of(game, hers)
        assert side.batch is None
        assert not StoredEntry.objects.filter(gang=hers, kind="played").exists()
        assert (
            as_user(alice).post(url(side, "postgame-commit"), commit_data(side)).status_code == 302
        )

    def test_commit_is_refused_before_every_answer(self, wild, alice):
        with pytest.raises(Refusal, match="postgame_open"):
            drafts.commit(wild, seen_draft=0, seen_gang=wild.gang.version, actor=alice)
        assert side_of(wild.game, wild.gang).batch is None

    def test_struck_post_game_opens_again_with_the_same_dice(self, wild, alice):
        side = committed(wild, alice)
        gang = Gang.objects.get(pk=wild.gang_id)
        rolls = side.answers.rolls
        writer.strike(gang, side.batch, expected_version=gang.version, actor=alice)
        side = side_of(wild.game, gang)
        assert not drafts.is_done(side)
        assert side.answers.rolls == rolls
        committed(side, alice)
        assert Gang.objects.get(pk=wild.gang_id).roster.games == 1

    @pytest.mark.long
    def test_restored_commit_belongs_to_its_game(self, wild, alice, as_user):
        acts = []
        for _ in range(2):
            side = committed(side_of(wild.game, wild.gang), alice)
            gang = Gang.objects.get(pk=side.gang_id)
            acts.append(writer.strike(gang, side.batch, expected_version=gang.version, actor=alice))
        writer.revise(gang, undoes=acts[0], expected_version=gang.version)
        assert gang.roster.games == 1
        assert drafts.is_done(side) and find_unsettled(gang) is None
        page = as_user(alice).get(url(side))
        assert page.status_code == 200 and "in the gang’s history" in page.content.decode()
        again, once = history_of(gang).batches[:2]
        assert len(once.sentences) == len(again.sentences) and once.first.struck_id is None

    def test_post_games_are_committed_in_the_order_of_games(
        self, campaign, hers, theirs, alice, dora
    ):
        games = [
            confirmed(
                reported(make_game(campaign, alice, hers, theirs, day=date(2026, 5, day)), alice),
                dora,
            )
            for day in (1, 2)
        ]
        second = answered(side_of(games[1], hers))
        with pytest.raises(Refusal, match="earlier_postgame"):
            committed(second, alice)
        committed(side_of(games[0], hers), alice)
        committed(side_of(games[1], hers), alice)
        assert Gang.objects.get(pk=hers.pk).roster.games == 2

    def test_game_with_a_committed_post_game_cannot_be_withdrawn(self, game, hers, alice, bob):
        committed(side_of(game, hers), alice)
        game.refresh_from_db()
        with pytest.raises(Refusal, match="postgame_written"):
            results.withdraw(game, actor=bob, expected_version=game.version)

    @pytest.mark.long
    def test_game_with_a_struck_post_game_cannot_be_withdrawn(
        self, game, hers, alice, bob, as_user
    ):
        side = committed(side_of(game, hers), alice)
        gang = Gang.objects.get(pk=hers.pk)
        act = writer.strike(gang, side.batch, expected_version=gang.version, actor=alice)
        game.refresh_from_db()
        browser = as_user(bob)
        assert "Delete this game" not in browser.get(game.get_absolute_url()).content.decode()
        withdraw = reverse("campaigns:game-withdraw", args=[game.pk])
        answer = browser.post(withdraw, {"seen": game.version})
        assert answer.status_code == 422
        assert "it cannot be deleted" in answer.content.decode()
        writer.revise(gang, undoes=act, expected_version=gang.version)
        assert drafts.is_done(side_of(game, hers))


@pytest.mark.parametrize("state", ["planned", "reported", "disputed"])
def test_unconfirmed_result_changes_no_gang(campaign, hers, theirs, alice, dora, as_user, state):
    game = make_game(campaign, alice, hers, theirs)
    if state != "planned":
        game = reported(game, alice)
    if state == "disputed":
        results.dispute(game, comment="No!", actor=dora, expected_version=game.version)
    before = dict(Gang.objects.values_list("pk", "snapshot"))
    side = side_of(game, hers)
    browser = as_user(alice)
    assert browser.get(url(side)).status_code == 404
    assert browser.post(url(side, "postgame-commit"), commit_data(side)).status_code == 404
    with pytest.raises(Refusal, match="not_confirmed"):
        drafts.answer(
            drafts.load(side),
            lambda through, answers: engine_answers.finish(through, answers, "x"),
            expected_version=0,
        )
    with pytest.raises(Refusal, match="not_confirmed"):
        drafts.commit(side, seen_draft=0, seen_gang=hers.version, actor=alice)
    assert dict(Gang.objects.values_list("pk", "snapshot")) == before


@pytest.mark.django_db(transaction=True)
def test_only_one_of_eight_commits_at_the_same_time_is_written(bob, alice, dora):
    campaign = make_campaign(bob)
    hers, theirs = make_player(campaign, alice), make_player(campaign, dora)
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    side = answered(side_of(game, hers))
    expected_version = Gang.objects.get(pk=hers.pk).version
    start = threading.Barrier(8)

    def commit() -> str:
        try:
            own = side_of(game, hers)
            start.wait()
            drafts.commit(
                own, seen_draft=side.draft_version, seen_gang=expected_version, actor=alice
            )
        except (Stale, Refusal) as error:
            return type(error).__name__
        finally:
            connection.close()
        return "written"

    with ThreadPoolExecutor(8) as pool:
        answers = [future.result() for future in [pool.submit(commit) for _ in range(8)]]
    assert answers.count("written") == 1
    assert StoredEntry.objects.filter(gang=hers, kind="played").count() == 1
    gang = Gang.objects.get(pk=hers.pk)
    assert replay_roster(gang) == gang.roster


class TestRefusedAnswers:
    """Answers that are no longer possible are listed and can be undone."""

    @pytest.fixture
    def bloody(self, campaign, hers, theirs, alice, dora):
        """A game that alice's leader did not survive; its income is 4."""
        ids = tuple(member.id for member in hers.roster.members)
        report = Report(fielded=ids, marks={ids[0]: "dead"})
        game = make_game(campaign, alice, hers, theirs)
        return confirmed(reported(game, alice, reports={str(hers.pk): report}), dora)

    @staticmethod
    def press(browser, side, act, **values):
        """Press the button of this act whose form has these values, as the page shows it."""
        page = browser.get(url(side)).content.decode()
        for form in re.findall(r"<form.*?</form>", page, re.S):
            inputs = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
            if inputs.get("act") == act and all(text in form for text in values.values()):
                answer = browser.post(url(side, "postgame-answer"), inputs)
                assert answer.status_code == 302, answer.content
                return
        raise AssertionError(f"no button for {act}")

    def answer(self, side, change):
        fresh = side_of(side.game, side.gang)
        drafts.answer(drafts.load(fresh), change, expected_version=fresh.draft_version)

    @pytest.mark.long
    def test_promotion_of_a_dead_member_is_listed_and_undone(self, bloody, hers, alice, as_user):
        side = side_of(bloody, hers)
        seconds = [member for member in hers.roster.members if member.rank == "second"]
        chosen = seconds[0].id
        self.answer(side, partial(engine_answers.promote, promotion="new_leader", member=chosen))
        gang = Gang.objects.get(pk=hers.pk)
        gone = [Dismissed(member=chosen), Renamed(name="The Rest")]
        writer.append(gang, gone, expected_version=gang.version, actor=alice)
        browser = as_user(alice)
        page = browser.get(url(side)).content.decode()
        assert "no longer there" in page
        self.press(browser, side, "unpromote", what="A second becomes leader, ")
        assert side_of(bloody, hers).answers.promotions == ()
        assert "no longer there" not in browser.get(url(side)).content.decode()
        side = committed(side_of(bloody, hers), alice)
        assert drafts.is_done(side)

    def test_corrected_dice_overrule_earlier_answers(self, campaign, alice, dora, bob, as_user):
        """A new leader follows the dead one; with corrected dice the old leader lives."""
        campaign = make_campaign(bob, POINTS)
        hers, theirs = make_player(campaign, alice), make_player(campaign, dora)
        leader, heir = (
            next(one.id for one in hers.roster.members if one.rank == rank)
            for rank in ("leader", "professional")
        )
        ids = tuple(member.id for member in hers.roster.members)
        report = Report(fielded=ids, marks={leader: "out"})
        game = make_game(campaign, alice, hers, theirs)
        game = confirmed(
            reported(game, alice, result="victory", reports={str(hers.pk): report}), dora
        )
        side = side_of(game, hers)
        (asked,) = drafts.load(side).playthrough.requests.values()
        self.answer(
            side,
            partial(
                engine_answers.roll, change=partial(rolls.take_over, key=asked.key, faces="1 1")
            ),
        )
        self.answer(side, partial(engine_answers.promote, promotion="new_leader", member=heir))
        self.answer(side, partial(engine_answers.roll, change=partial(rolls.forget, key=asked.key)))
        self.answer(
            side,
            partial(
                engine_answers.roll, change=partial(rolls.take_over, key=asked.key, faces="5 5")
            ),
        )
        side = side_of(game, hers)
        assert side.answers.rolls[asked.key].faces == (5, 5)
        assert "Not needed: the gang has" in as_user(alice).get(url(side)).content.decode()
        self.press(as_user(alice), side, "unpromote")
        assert side_of(game, hers).answers.promotions == ()

    def test_recruit_that_is_too_dear_is_listed_and_undone(self, bloody, hers, alice, as_user):
        side = side_of(bloody, hers)
        self.answer(side, partial(engine_answers.finish, step="promotions"))
        for rank, name in (("henchman", "Ada"), ("second", "Ben"), ("henchman", "Cy")):
            self.answer(side, partial(engine_answers.hire, rank=rank, name=name))
        gang = Gang.objects.get(pk=hers.pk)
        spent = [Played(game="x", title="x", result="draw", side="level", fielded=())]
        trait = gang.book.traits[0].key
        spent.append(TraitTaken(member=gang.roster.members[0].id, trait=trait, paid=2))
        writer.append(gang, spent, expected_version=gang.version, actor=alice)
        browser = as_user(alice)
        page = browser.get(url(side)).content.decode()
        assert "The treasury is" in page
        through = drafts.load(side_of(bloody, hers)).playthrough
        assert [unmet.place for unmet in through.step("recruits").refused] == [1]
        # The last affordable recruit is the third answer, not the second.
        self.press(browser, side, "unhire", name="Cy,")
        names = [hire.name for hire in side_of(bloody, hers).answers.recruits]
        assert names == ["Ada", "Ben"]
        self.press(browser, side, "unhire", name="Ben,")
        assert [hire.name for hire in side_of(bloody, hers).answers.recruits] == ["Ada"]
        committed(side_of(bloody, hers), alice)
