"""Correcting post-games in place, and whole games in all gangs."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from functools import partial

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.engine import answers, rolls
from campaigns.engine.captives import Terms
from campaigns.engine.report import Report
from campaigns.games.captives import bargains
from campaigns.games.corrections import strikes
from campaigns.holds import find_unsettled
from campaigns.models import Game, Side
from campaigns.postgames import correction, drafts
from common.errors import Refusal, Stale
from gangs.engine.entries import Named, Renamed
from gangs.ledger import writer
from gangs.ledger.writer import Leftovers, replay_roster
from gangs.models import Gang
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

PEOPLE = "au-un-pour-un"
FIRST = date(2026, 5, 1)


def fresh(gang: Gang) -> Gang:
    return Gang.objects.get(pk=gang.pk)


def facts(gang: Gang):
    now = fresh(gang)
    assert replay_roster(now) == now.roster
    return now.roster, now.rating, now.size, now.name


def commit(side: Side, actor: User, **options) -> Side:
    side = side_of(side.game, side.gang)
    drafts.commit(
        side,
        seen_draft=side.draft_version,
        seen_gang=side.gang.version,
        actor=actor,
        **options,
    )
    return side_of(side.game, side.gang)


class Season:
    """Games of two gangs, one after the other, with given dice."""

    def __init__(self, slug: str, organiser: User, alice: User, dora: User) -> None:
        self.alice, self.dora = alice, dora
        self.campaign = make_campaign(organiser, slug)
        self.hers, self.theirs = (make_player(self.campaign, who) for who in (alice, dora))

    def play(self, day: int, *, marks: dict[int, str] | None = None, **told: object) -> Game:
        """Play a game that alice won; ``marks``: the marks of her members, by their place."""
        ids = [member.id for member in fresh(self.hers).roster.members]
        report = Report.model_validate(
            {"fielded": ids, "marks": {ids[at]: mark for at, mark in (marks or {}).items()}} | told
        )
        game = make_game(
            self.campaign,
            self.alice,
            fresh(self.hers),
            fresh(self.theirs),
            day=FIRST + timedelta(days=day),
        )
        reports = {str(self.hers.pk): report}
        return confirmed(reported(game, self.alice, result="victory", reports=reports), self.dora)

    def settle(self, game: Game) -> None:
        """Answer and commit both post-games with default answers."""
        for gang, player in ((self.hers, self.alice), (self.theirs, self.dora)):
            commit(finished(side_of(game, gang)), player)


def finished(side: Side) -> Side:
    """Answer a side with constant dice and the first advance on offer."""
    for _ in range(60):
        state = drafts.load(side).playthrough.current
        if state is None:
            return side
        waiting = [one for one in state.questions if one.kind == "advance" and not one.chosen]
        if waiting:
            free = next(one.value for one in waiting[0].choices if one.refusal is None)
            change = partial(answers.choose, key=waiting[0].key, value=free)
            drafts.answer(drafts.load(side), change, expected_version=side.draft_version)
        else:
            side = answered(side)
    raise AssertionError("the post-game does not end")


def typed(side: Side, actor: User, faces: str) -> None:
    """Correct the first roll of a side to show ``faces``."""
    key = next(iter(drafts.load(side).playthrough.requests))
    if side.answers.rolls.get(key) is not None:
        change = partial(answers.roll, change=partial(rolls.forget, key=key))
        drafts.answer(drafts.load(side), change, expected_version=side.draft_version, actor=actor)
    change = partial(answers.roll, change=partial(rolls.take_over, key=key, faces=faces))
    drafts.answer(drafts.load(side), change, expected_version=side.draft_version, actor=actor)


def with_recruits(season: Season, alice: User, *names: str) -> tuple[Game, int]:
    """Commit a game with these recruits of alice; return it and the first one's id."""
    game = season.play(0, tallies={"underlings_killed": 5})
    side = finished(side_of(game, season.hers))
    change = partial(answers.reopen, step="recruits")
    drafts.answer(drafts.load(side), change, expected_version=side.draft_version)
    for name in names:
        change = partial(answers.hire, rank="sous_fifre", name=name)
        drafts.answer(drafts.load(side), change, expected_version=side.draft_version)
    commit(finished(side), alice)
    gang = fresh(season.hers)
    first = next(member for member in gang.roster.members if member.name == names[0])
    writer.append(
        gang, [Named(member=first.id, name="Ida")], expected_version=gang.version, actor=alice
    )
    return game, first.id


@pytest.fixture
def band(bob, alice, dora) -> Season:
    return Season(PEOPLE, bob, alice, dora)


@pytest.fixture
def season(bob, alice, dora) -> Season:
    return Season(POINTS, bob, alice, dora)


@pytest.fixture
def hurt(season, alice) -> Side:
    """A committed post-game with an injury typed as two 6."""
    game = season.play(0, marks={1: "out"})
    side = side_of(game, season.hers)
    typed(side, alice, "6 6")
    return commit(finished(side), alice)


def opened(side: Side) -> Side:
    correction.begin_correction(side, expected_version=side.draft_version)
    return side_of(side.game, side.gang)


class TestCorrecting:
    def test_correction_with_the_same_answers_changes_nothing(self, hurt, season, alice):
        before = facts(season.hers)
        corrected = commit(opened(hurt), alice)
        assert facts(season.hers) == before
        assert drafts.is_done(corrected) and not corrected.correcting
        assert fresh(season.hers).entries.live().filter(kind="played").count() == 1

    def test_mistyped_roll_is_corrected(self, hurt, season, alice, bob, dora):
        commit(finished(side_of(hurt.game, season.theirs)), dora)
        season.settle(season.play(7))
        later = facts(season.hers)
        second = list(fresh(season.hers).entries.live().filter(kind="played"))[1].batch
        side = opened(hurt)
        typed(side, bob, "1 1")
        assert facts(season.hers) == later
        side = finished(side_of(side.game, side.gang))
        commit(side, bob, reason="He threw two ones.")
        gang = fresh(season.hers)
        assert facts(season.hers) != later
        act = gang.strikes.latest("pk")
        assert (act.actor, act.by_organiser, act.reason) == (bob, True, "He threw two ones.")
        live = list(gang.entries.live())
        games = [entry.batch for entry in live if entry.kind == "played"]
        assert games == [hurt.batch, second]
        assert next(e for e in live if e.kind == "rolled").data["roll"]["faces"] == [1, 1]

    @pytest.mark.long
    def test_correction_can_be_cancelled(self, hurt, season, alice):
        before = facts(season.hers)
        kept, side = hurt.draft, opened(hurt)
        typed(side, alice, "1 1")
        side = side_of(side.game, side.gang)
        correction.cancel_correction(side, expected_version=side.draft_version, actor=alice)
        gone = side.throws.exclude(taken_back_at=None)
        assert {throw.taken_back_by for throw in gone} == {alice}
        side = side_of(side.game, side.gang)
        assert (side.draft, side.correcting, side.kept_draft) == (kept, False, None)
        assert facts(season.hers) == before
        standing = side.throws.filter(taken_back_at=None)
        assert {tuple(t.roll["faces"]) for t in standing} == {
            roll.faces for roll in side.answers.rolls.values()
        }
        with pytest.raises(Refusal, match="postgame_done"):
            typed(side, alice, "1 1")

    def test_only_a_committed_post_game_is_opened_and_only_once(self, hurt, season, alice):
        other = side_of(hurt.game, season.theirs)
        with pytest.raises(Refusal, match="gone"):
            correction.begin_correction(other, expected_version=other.draft_version)
        opened(hurt)
        with pytest.raises(Stale):
            correction.begin_correction(hurt, expected_version=hurt.draft_version)
        with pytest.raises(Stale):
            correction.cancel_correction(hurt, expected_version=hurt.draft_version)

    @pytest.mark.long
    def test_struck_post_game_played_again_takes_its_old_place(self, hurt, season, alice, dora):
        commit(finished(side_of(hurt.game, season.theirs)), dora)
        season.settle(season.play(7))
        before = facts(season.hers)
        gang = fresh(season.hers)
        writer.strike(gang, hurt.batch, expected_version=gang.version, actor=alice)
        assert facts(season.hers) != before
        commit(hurt, alice)
        assert facts(season.hers) == before

    @pytest.mark.long
    def test_recruits_keep_their_numbers_in_a_correction(self, band, alice):
        """Later entries about a recruit still fit, and an added recruit gets a new number."""
        game, ada = with_recruits(band, alice, "Ada", "Bea")
        before = facts(band.hers)
        side = opened(side_of(game, band.hers))
        commit(side, alice)
        assert facts(band.hers) == before
        side = opened(side_of(game, band.hers))
        for change in (
            partial(answers.reopen, step="recruits"),
            partial(answers.hire, rank="sous_fifre", name="Cal"),
            partial(answers.finish, step="recruits"),
        ):
            drafts.answer(drafts.load(side), change, expected_version=side.draft_version)
        commit(side, alice)
        members = fresh(band.hers).roster.members
        assert [member.name for member in members[-3:]] == ["Ida", "Bea", "Cal"]
        assert [member.id for member in members[:-1]] == [one.id for one in before[0].members]
        facts(band.hers)

    def test_misfits_are_decided_by_the_player(self, band, alice):
        game, ada = with_recruits(band, alice, "Ada")
        renamed = fresh(band.hers).entries.live().last().seq
        before = facts(band.hers)
        side = opened(side_of(game, band.hers))
        for change in (
            partial(answers.reopen, step="recruits"),
            partial(answers.take_back, what="recruits", place=0),
            partial(answers.finish, step="recruits"),
        ):
            drafts.answer(drafts.load(side), change, expected_version=side.draft_version)
        with pytest.raises(Leftovers):
            commit(side, alice)
        assert facts(band.hers) == before
        assert side_of(game, band.hers).correcting
        commit(side, alice, also={renamed})
        assert ada not in [member.id for member in fresh(band.hers).roster.members]
        facts(band.hers)

    def test_correction_is_refused_when_the_gang_has_changed(self, hurt, season, alice):
        side = opened(hurt)
        version = side.gang.version
        gang = fresh(season.hers)
        writer.append(gang, [Renamed(name="Others")], expected_version=gang.version, actor=alice)
        with pytest.raises(Stale):
            drafts.commit(
                side_of(side.game, season.hers),
                seen_draft=side.draft_version,
                seen_gang=version,
                actor=alice,
            )
        assert side_of(side.game, season.hers).correcting


class TestPages:
    @pytest.mark.long
    def test_organiser_corrects_with_a_reason(self, hurt, season, bob, alice, as_user):
        def url(name):
            return reverse(f"campaigns:{name}", args=[hurt.game_id, hurt.pk])

        browser = as_user(bob)
        assert "Correct this post-game" in browser.get(url("postgame")).content.decode()
        data = {"seen": hurt.draft_version}
        assert browser.post(url("postgame-correct"), data).status_code == 302
        page = browser.get(url("postgame")).content.decode()
        assert "Leave it as it was" in page and "in place of alice" in page
        preview = browser.get(url("postgame-preview")).content.decode()
        assert "The gang today" in preview and 'name="reason"' in preview
        side = side_of(hurt.game, season.hers)
        data = {"seen": side.draft_version, "seen_gang": side.gang.version}
        assert browser.post(url("postgame-commit"), data).status_code == 422
        data["reason"] = "The dice were read wrongly."
        for _ in range(2):
            assert browser.post(url("postgame-commit"), data).status_code == 302
        act = fresh(season.hers).strikes.get()
        assert (act.reason, act.actor) == (data["reason"], bob)

    def test_each_throw_names_its_player(self, season, bob, as_user):
        game = season.play(0, marks={1: "out"})
        side = side_of(game, season.hers)
        key = next(iter(drafts.load(side).playthrough.requests))
        url = reverse("campaigns:postgame-answer", args=[game.pk, side.pk])
        data = {"seen": 0, "act": "typed", "key": key, "faces": "5 6"}
        as_user(bob).post(url, data)
        throw = side.throws.get()
        assert (throw.actor, throw.roll["faces"], throw.roll["thrown_by"]) == (bob, [5, 6], "table")

    @pytest.mark.long
    def test_whole_game_is_struck_and_restored_on_the_pages(self, season, bob, as_user):
        game = season.play(0, marks={1: "out"})
        before = facts(season.hers), facts(season.theirs)
        season.settle(game)
        after = facts(season.hers), facts(season.theirs)
        browser = as_user(bob)
        url = reverse("campaigns:game-strike", args=[game.pk])
        page = browser.get(url)
        assert page.status_code == 200 and "Now, and without it" in page.content.decode()
        data = {f"seen-{gang.pk}": fresh(gang).version for gang in (season.hers, season.theirs)}
        data["seen"] = Game.objects.get(pk=game.pk).version
        assert browser.post(url, data).status_code == 422
        stale = data | {"reason": "Wrong day.", f"seen-{season.hers.pk}": 1}
        assert browser.post(url, stale).status_code == 409
        assert browser.post(url, data | {"weigh": "1"}).status_code == 200
        assert (facts(season.hers), facts(season.theirs)) == after
        assert browser.post(url, data | {"reason": "Wrong day."}).status_code == 302
        assert (facts(season.hers), facts(season.theirs)) == before
        game.refresh_from_db()
        assert (game.status, game.struck_by, game.struck_why) == ("struck", bob, "Wrong day.")
        url = reverse("campaigns:game-restore", args=[game.pk])
        assert "Wrong day." in browser.get(url).content.decode()
        assert browser.post(url, {"seen": 0}).status_code == 409
        assert browser.post(url, {"seen": game.version}).status_code == 302
        assert (facts(season.hers), facts(season.theirs)) == after


def strike(game: Game, actor: User, also=None, reason: str = "It was a test.") -> Game:
    game = Game.objects.select_related("campaign").get(pk=game.pk)
    strokes = strikes.weigh_game(game, also)
    strikes.strike_game(
        game,
        actor=actor,
        reason=reason,
        expected_version=game.version,
        versions={stroke.gang.pk: stroke.gang.version for stroke in strokes},
        also=also or {},
    )
    return game


def restore(game: Game, actor: User) -> None:
    game = Game.objects.select_related("campaign").get(pk=game.pk)
    strikes.restore_game(game, actor=actor, reason="", expected_version=game.version)


@pytest.mark.long
@pytest.mark.parametrize("slug", [POINTS, PEOPLE])
def test_season_without_a_struck_game_equals_a_season_that_never_had_it(slug, bob, alice, dora):
    def people(roster):
        known = {}
        for member in roster.everyone():
            known.setdefault(member.id, len(known))
        return [
            (known[one.id], one.rank, one.experience, one.advances, one.games, one.traits)
            for one in roster.everyone()
        ], (roster.treasury, roster.games, len(roster.members))

    whole = Season(slug, bob, alice, dora)
    first = whole.play(0, marks={0: "out"})
    whole.settle(first)
    middle = whole.play(7)
    whole.settle(middle)
    whole.settle(whole.play(14))
    # Entries paid with the income of the middle game are in doubt and are struck along.
    weighed = strikes.weigh_game(Game.objects.select_related("campaign").get(pk=middle.pk))
    strike(
        middle,
        bob,
        {one.gang.pk: [entry.seq for entry, _why in one.weighed.implausible] for one in weighed},
    )
    short = Season(slug, bob, alice, dora)
    short.settle(short.play(0, marks={0: "out"}))
    short.settle(short.play(14))
    for one, other in ((whole.hers, short.hers), (whole.theirs, short.theirs)):
        facts(one)
        assert people(fresh(one).roster) == people(fresh(other).roster)


class TestWholeGames:
    @pytest.mark.long
    def test_strike_and_restore_change_nothing(self, season, bob, alice):
        game = season.play(0, marks={1: "out"})
        season.settle(game)
        season.settle(season.play(7))
        before = facts(season.hers), facts(season.theirs)
        struck = strike(game, bob)
        assert struck.status == "struck"
        with pytest.raises(Refusal, match="gone"):
            strike(game, bob)
        restore(game, bob)
        assert (facts(season.hers), facts(season.theirs)) == before
        assert Game.objects.get(pk=game.pk).status == "confirmed"
        for gang in (season.hers, season.theirs):
            assert drafts.is_done(side_of(game, gang))

    @pytest.mark.long
    def test_game_with_an_open_side_can_be_struck(self, season, bob, alice):
        game = season.play(0)
        commit(finished(side_of(game, season.hers)), alice)
        before = facts(season.hers), facts(season.theirs)
        strike(game, bob)
        assert fresh(season.hers).roster.games == 0
        assert find_unsettled(fresh(season.theirs)) is None
        restore(game, bob)
        assert (facts(season.hers), facts(season.theirs)) == before
        assert find_unsettled(fresh(season.theirs)) is not None

    def test_gang_cannot_restore_its_half_of_a_game(self, season, bob, alice):
        game = season.play(0)
        season.settle(game)
        strike(game, bob)
        gang = fresh(season.hers)
        act = gang.strikes.get()
        assert (act.by_organiser, act.actor, act.reason) == (True, bob, "It was a test.")
        with pytest.raises(Refusal, match="game_struck"):
            writer.revise(gang, undoes=act, expected_version=gang.version, actor=alice)
        assert fresh(season.hers).roster.games == 0

    def test_misfits_are_decided_by_the_player(self, band, bob, alice):
        game, _ada = with_recruits(band, alice, "Ada")
        gang = fresh(band.hers)
        before = facts(gang)
        with pytest.raises(Refusal, match="strokes_left_over"):
            strike(game, bob)
        assert facts(gang) == before
        assert Game.objects.get(pk=game.pk).status == "confirmed"
        strike(game, bob, {gang.pk: [gang.entries.live().last().seq]})
        restore(game, bob)
        assert facts(gang) == before


class TestBargains:
    @pytest.fixture
    def bargain(self, bob, alice, dora):
        """A chief who was captured in a game and ransomed for two points."""
        season = Season(PEOPLE, bob, alice, dora)
        game = season.play(0, marks={0: "out"}, tallies={"underlings_killed": 1})
        side = side_of(game, season.hers)
        typed(side, alice, "6 2")
        commit(finished(side), alice)
        commit(finished(side_of(game, season.theirs)), dora)
        chief = fresh(season.hers).roster.members[0].id
        made = bargains.offer(
            season.campaign,
            fresh(season.hers),
            fresh(season.theirs),
            Terms(frees=(("giver", chief),), ransom=2, payer="giver"),
            note="",
            actor=alice,
            token=uuid.uuid4(),
        )
        self.before = facts(season.hers), facts(season.theirs)
        expected_version = fresh(season.hers).version, fresh(season.theirs).version
        bargains.agree(made, actor=dora, expected_version=expected_version)
        made.refresh_from_db()
        self.season, self.game = season, game
        return made

    def both(self):
        return facts(self.season.hers), facts(self.season.theirs)

    @pytest.mark.parametrize("whose", ["hers", "theirs"])
    def test_gang_cannot_strike_its_half_of_a_bargain(self, bargain, whose, alice):
        before = self.both()
        gang = fresh(getattr(self.season, whose))
        with pytest.raises(Refusal, match="bound"):
            writer.strike(gang, bargain.batch, expected_version=gang.version, actor=gang.owner)
        own = side_of(self.game, gang).batch
        if whose == "hers":
            with pytest.raises(Refusal, match="bound"):
                writer.strike(
                    gang, own, expected_version=gang.version, actor=alice, with_misfits=True
                )
        assert self.both() == before

    @pytest.mark.long
    def test_organiser_strikes_a_bargain_in_both_gangs(self, bargain, bob, as_user):
        url = reverse("campaigns:bargain-back", args=[self.season.campaign.pk, bargain.pk])
        browser = as_user(bob)
        assert browser.get(url).status_code == 200
        data = {
            f"seen-{gang.pk}": fresh(gang).version
            for gang in (self.season.hers, self.season.theirs)
        }
        data["reason"] = "Never agreed."
        assert browser.post(url, data).status_code == 302
        assert self.both() == self.before
        page = browser.get(reverse("campaigns:captives", args=[self.season.campaign.pk]))
        assert "then undone" in page.content.decode()
        gang = fresh(self.season.theirs)
        with pytest.raises(Refusal, match="bound"):
            writer.revise(gang, undoes=gang.strikes.get(), expected_version=gang.version, actor=bob)

    @pytest.mark.long
    def test_bargain_is_struck_with_its_game(self, bargain, bob):
        before = self.both()
        strike(self.game, bob)
        assert [fresh(gang).roster.treasury for gang in (self.season.hers, self.season.theirs)] == [
            0,
            0,
        ]
        [line] = bargains.standing(self.season.campaign)
        assert not line.stands
        restore(self.game, bob)
        assert self.both() == before


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_agreement_during_a_strike_leaves_no_half_bargain(bob, alice):
    dora = User.objects.create_user("dora", password="correct horse battery")
    season = Season(PEOPLE, bob, alice, dora)
    game = season.play(0, marks={0: "out"}, tallies={"underlings_killed": 1})
    side = side_of(game, season.hers)
    typed(side, alice, "6 2")
    commit(finished(side), alice)
    commit(finished(side_of(game, season.theirs)), dora)
    chief = fresh(season.hers).roster.members[0].id
    made = bargains.offer(
        season.campaign,
        fresh(season.hers),
        fresh(season.theirs),
        Terms(frees=(("giver", chief),), ransom=2, payer="giver"),
        note="",
        actor=alice,
        token=uuid.uuid4(),
    )
    expected_version = fresh(season.hers).version, fresh(season.theirs).version
    start = threading.Barrier(2)

    def run(act) -> str:
        try:
            start.wait(120)
            act()
        except (Stale, Refusal):
            return "refused"
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(2) as pool:
        agreed = pool.submit(
            run, lambda: bargains.agree(made, actor=dora, expected_version=expected_version)
        )
        struck = pool.submit(run, lambda: strike(game, bob))
        outcome = agreed.result(), struck.result()
    assert "done" in outcome
    hers, theirs = facts(season.hers)[0], facts(season.theirs)[0]
    earned = 0 if outcome[1] == "done" else 8
    assert hers.treasury + theirs.treasury == earned
    assert min(hers.treasury, theirs.treasury) >= 0


def test_undo_in_the_builder_stops_at_the_last_post_game(
    band: Season, alice: User, as_user: Callable[[User], Client]
) -> None:
    game = band.play(0)
    side = finished(side_of(game, band.hers))
    commit(side, alice)
    gang = fresh(band.hers)
    member = gang.roster.members[0]
    writer.append(
        gang, [Named(member=member.id, name="Ida")], expected_version=gang.version, actor=alice
    )
    client, undo = as_user(alice), reverse("gangs:undo", args=[gang.pk])
    before = facts(band.hers)
    assert client.post(undo, {"version": fresh(gang).version}).status_code == 302
    stopped = facts(band.hers)
    assert stopped != before
    answer = client.post(undo, {"version": fresh(gang).version})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert reverse("campaigns:postgame", args=[game.pk, side.pk]) in page and "post-game of" in page
    assert facts(band.hers) == stopped
    client.post(reverse("gangs:redo", args=[gang.pk]), {"version": fresh(gang).version})
    assert facts(band.hers) == before
