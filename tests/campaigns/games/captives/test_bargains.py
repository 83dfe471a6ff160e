"""Bargains about captives: two gangs agree, and the money in the campaign stays the same."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.club.people import joining
from campaigns.engine.captives import Terms
from campaigns.games.captives import bargains
from campaigns.models import Bargain, Campaign, Participant
from campaigns.postgames import drafts
from common.errors import Refusal, Stale
from gangs.engine.entries import Died, Earned, Recovered, Suffered
from gangs.ledger import writer
from gangs.ledger.writer import replay_roster
from gangs.models import Gang
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

AGREED = "au-un-pour-un"


class Prison:
    """Two gangs that have met; either may hold members of the other."""

    def __init__(self, slug: str, organiser: User, alice: User, dora: User) -> None:
        self.campaign = make_campaign(organiser, slug)
        self.people = {"hers": alice, "theirs": dora}
        hers, theirs = make_player(self.campaign, alice), make_player(self.campaign, dora)
        self.keys = {"hers": hers.pk, "theirs": theirs.pk}
        game = confirmed(
            reported(make_game(self.campaign, alice, hers, theirs), alice, result="victory"), dora
        )
        self.sides = {}
        for whose in self.keys:
            side = answered(side_of(game, self.gang(whose)))
            drafts.commit(
                side,
                seen_draft=side.draft_version,
                seen_gang=side.gang.version,
                actor=self.people[whose],
            )
            self.sides[whose] = side
        for whose in self.keys:
            self.add_entries(whose, Earned(amount=300, why="gift"))

    def gang(self, whose: str) -> Gang:
        return Gang.objects.get(pk=self.keys[whose])

    def add_entries(self, whose: str, *entries) -> None:
        gang = self.gang(whose)
        batch = self.sides[whose].batch
        writer.append(gang, entries, expected_version=gang.version, actor=None, batch=batch)

    def capture(self, whose: str, place: int = 0) -> int:
        """Let the other gang capture a member; return the member's id."""
        member = self.gang(whose).roster.members[place].id
        captor = self.keys["theirs" if whose == "hers" else "hers"]
        taken = Suffered(
            member=member, condition="captured", against="Them", captors=(str(captor),)
        )
        self.add_entries(whose, taken)
        return member

    def treasury(self, whose: str):
        return self.gang(whose).roster.treasury

    def held(self) -> set[int]:
        return {who.captive.member.id for who in bargains.prisoners(self.campaign)}

    def offer(self, whose: str, terms: dict) -> Bargain:
        other = "theirs" if whose == "hers" else "hers"
        return bargains.offer(
            self.campaign,
            self.gang(whose),
            self.gang(other),
            Terms.model_validate(terms),
            note="",
            actor=self.people[whose],
            token=uuid.uuid4(),
        )

    def agree(self, bargain: Bargain, actor: User) -> None:
        fresh = Bargain.objects.get(pk=bargain.pk)
        expected_version = fresh.giver.version, fresh.taker.version
        bargains.agree(fresh, actor=actor, expected_version=expected_version)


@pytest.fixture
def prison(bob, alice, dora) -> Prison:
    return Prison(AGREED, bob, alice, dora)


@pytest.fixture
def jail(bob, alice, dora) -> Prison:
    """A game whose rules fix the price of a captive."""
    return Prison(POINTS, bob, alice, dora)


def test_ransom_moves_from_gang_to_gang(prison, dora):
    member = prison.capture("hers")
    before = prison.treasury("hers"), prison.treasury("theirs")
    bargain = prison.offer("hers", {"frees": [("giver", member)], "ransom": 12.5, "payer": "giver"})
    assert (prison.treasury("hers"), prison.held()) == (before[0], {member})
    prison.agree(bargain, dora)
    assert prison.held() == set()
    assert prison.treasury("hers") == before[0] - 12.5
    assert prison.treasury("theirs") == before[1] + 12.5
    bargain.refresh_from_db()
    assert (bargain.status, bargain.decided_by) == ("agreed", dora)
    for whose in ("hers", "theirs"):
        gang = prison.gang(whose)
        assert gang.entries.filter(batch=bargain.batch).count() == 1
        assert replay_roster(gang) == gang.roster


def test_exchange_frees_captives_of_both_gangs_for_nothing(prison, dora):
    mine, yours = prison.capture("hers"), prison.capture("theirs", 1)
    bargain = prison.offer("hers", {"frees": [("giver", mine), ("taker", yours)]})
    before = prison.treasury("hers"), prison.treasury("theirs")
    prison.agree(bargain, dora)
    assert prison.held() == set()
    assert (prison.treasury("hers"), prison.treasury("theirs")) == before


def test_prisoner_has_a_game_and_captors(prison):
    member = prison.capture("theirs")
    [prisoner] = bargains.prisoners(prison.campaign)
    assert prisoner.captive.member.id == member
    assert prisoner.game == prison.sides["hers"].game
    assert prisoner.captors == (prison.gang("hers"),)


def test_captors_are_known_by_key_and_not_by_name(prison):
    """A gang with the captor's name may be another one, and the captor may have been renamed."""
    hers, theirs = prison.gang("hers"), prison.gang("theirs")
    named, taken = [member.id for member in hers.roster.members[:2]]
    prison.add_entries(
        "hers",
        Suffered(member=named, condition="captured", against=theirs.name),
        Suffered(member=taken, condition="captured", against="Others", captors=(str(theirs.pk),)),
    )
    held = {who.captive.member.id: who.captors for who in bargains.prisoners(prison.campaign)}
    assert held == {named: (), taken: (theirs,)}


def test_post_game_lists_all_opponents_as_possible_captors(bob, alice, dora, charlie):
    """Only the players know which of several opponents holds the captive."""
    campaign = make_campaign(bob, AGREED)
    gangs = [make_player(campaign, player) for player in (alice, dora, charlie)]
    game = reported(make_game(campaign, alice, *gangs), alice, result="victory")
    now = drafts.game_report_of(side_of(game, gangs[0]))
    assert now.opponent_gangs == tuple(str(gang.pk) for gang in gangs[1:])


def test_organiser_enters_the_captors_of_a_member(prison, bob, as_user):
    """The form for an entry of the history offers all other gangs of the campaign."""
    hers, theirs = prison.gang("hers"), prison.gang("theirs")
    member = hers.roster.members[0].id
    browser, address = as_user(bob), reverse("gangs:add-entry", args=[hers.pk])
    page = browser.get(f"{address}?kind=suffered")
    assert page.context["form"].fields["captors"].choices == [(str(theirs.pk), theirs.name)]
    typed = {
        "kind": "suffered",
        "member": member,
        "condition": "captured",
        "games": 0,
        "captors": [str(theirs.pk)],
        "version": hers.version,
        "reason": "It was forgotten.",
        "sure": "1",
    }
    assert browser.post(address, typed).status_code == 302
    [prisoner] = bargains.prisoners(prison.campaign)
    assert (prisoner.captive.member.id, prisoner.captors) == (member, (theirs,))


def test_ransom_has_to_be_the_price_of_the_rules(jail, dora):
    member = jail.capture("hers")
    [prisoner] = bargains.prisoners(jail.campaign)
    price = prisoner.captive.price
    assert price
    with pytest.raises(Refusal, match="ransom_worth"):
        jail.offer("hers", {"frees": [("giver", member)], "ransom": price + 1, "payer": "giver"})
    before = jail.treasury("hers"), jail.treasury("theirs")
    bargain = jail.offer(
        "theirs", {"frees": [("taker", member)], "ransom": price, "payer": "taker"}
    )
    assert bargain.giver == jail.gang("theirs")
    jail.agree(bargain, jail.people["hers"])
    assert (jail.treasury("hers"), jail.treasury("theirs")) == (
        before[0] - price,
        before[1] + price,
    )


def test_impossible_offer_is_refused(prison, alice, bob):
    member = prison.capture("hers")
    free = prison.gang("hers").roster.members[1].id
    for terms, code in (
        ({"frees": [("giver", free)]}, "not_held"),
        ({"frees": [("taker", member)]}, "not_held"),
        ({"frees": [("giver", member)], "ransom": 900, "payer": "giver"}, "too_dear"),
        ({"frees": [("giver", member)], "ransom": 9, "payer": "taker"}, "nobody_ransomed"),
    ):
        with pytest.raises(Refusal, match=code):
            prison.offer("hers", terms)
    assert not Bargain.objects.exists()
    joining.archive(prison.campaign)
    prison.campaign.refresh_from_db()
    with pytest.raises(Refusal, match="campaign_archived"):
        prison.offer("hers", {"frees": [("giver", member)]})


def test_campaign_that_is_archived_meanwhile_allows_no_bargain(prison, dora):
    member = prison.capture("hers")
    bargain = prison.offer("hers", {"frees": [("giver", member)]})
    versions = prison.gang("hers").version, prison.gang("theirs").version
    read = Bargain.objects.select_related("campaign").get(pk=bargain.pk)
    joining.archive(Campaign.objects.get())
    with pytest.raises(Refusal, match="campaign_archived"):
        bargains.agree(read, actor=dora, expected_version=versions)
    with pytest.raises(Refusal, match="campaign_archived"):
        prison.offer("hers", {"frees": [("giver", member)]})
    assert prison.held() == {member}


def test_agreement_on_a_stale_version_is_refused(prison, dora):
    member = prison.capture("hers")
    bargain = prison.offer("hers", {"frees": [("giver", member)], "ransom": 300, "payer": "giver"})
    expected_version = prison.gang("hers").version, prison.gang("theirs").version
    prison.add_entries("hers", Earned(amount=1, why="gift"))
    fresh = Bargain.objects.get(pk=bargain.pk)
    with pytest.raises(Stale):
        bargains.agree(fresh, actor=dora, expected_version=expected_version)
    fresh.refresh_from_db()
    assert (fresh.status, fresh.batch, prison.held()) == ("open", None, {member})


def test_agreement_is_refused_when_the_treasury_is_too_small(prison, dora):
    one, two = prison.capture("hers"), prison.capture("hers", 1)
    have = prison.treasury("hers")
    offers = [
        prison.offer("hers", {"frees": [("giver", who)], "ransom": have - 5, "payer": "giver"})
        for who in (one, two)
    ]
    prison.agree(offers[0], dora)
    with pytest.raises(Refusal, match="too_dear"):
        prison.agree(offers[1], dora)
    again = prison.offer("hers", {"frees": [("giver", two)]})
    prison.agree(again, dora)
    with pytest.raises(Refusal, match="not_held"):
        prison.agree(offers[1], dora)


def test_agreement_is_refused_between_a_game_and_its_post_game(prison, alice, dora):
    member = prison.capture("hers")
    bargain = prison.offer("hers", {"frees": [("giver", member)]})
    day = prison.sides["hers"].game.played_on + timedelta(days=7)
    game = make_game(prison.campaign, alice, prison.gang("hers"), prison.gang("theirs"), day=day)
    reported(game, alice, result="victory")
    with pytest.raises(Refusal, match="games_unsettled"):
        prison.agree(bargain, dora)


def test_taker_and_neutral_organisers_may_answer(prison, alice, bob, dora, charlie):
    member = prison.capture("hers")
    bargain = prison.offer("hers", {"frees": [("giver", member)]})
    bargain = Bargain.objects.select_related("giver", "taker").get(pk=bargain.pk)
    may = [user for user in (alice, bob, dora, charlie) if bargains.may_answer(bargain, user)]
    assert may == [bob, dora]
    prison.campaign.participants.update_or_create(
        user=alice, defaults={"role": Participant.Role.ORGANISER}
    )
    bargain.campaign = Campaign.objects.get(pk=prison.campaign.pk)
    assert not bargains.may_answer(bargain, alice)
    assert bargains.may_withdraw(bargain, alice)
    assert not bargains.may_withdraw(bargain, dora)


def test_organiser_releases_a_captive_without_captors(prison, alice, bob):
    member = prison.capture("hers")
    gang = prison.gang("hers")
    with pytest.raises(Refusal, match="captors_there"):
        bargains.release(prison.campaign, gang, member, actor=bob, expected_version=gang.version)
    prison.gang("theirs").delete()
    [prisoner] = bargains.prisoners(prison.campaign)
    assert prisoner.captors == ()
    bargains.release(prison.campaign, gang, member, actor=bob, expected_version=gang.version)
    assert prison.held() == set()


class TestPages:
    def url(self, prison, name="captives", *arguments):
        return reverse(f"campaigns:{name}", args=[prison.campaign.pk, *arguments])

    @pytest.mark.long
    def test_offer_and_agreement_are_made_on_the_pages(self, prison, alice, dora, charlie, as_user):
        member = prison.capture("hers")
        hers, theirs = as_user(alice), as_user(dora)
        page = hers.get(self.url(prison)).content.decode()
        address = self.url(
            prison, "captive-offer", prison.keys["hers"], member, prison.keys["theirs"]
        )
        assert address in page
        form = hers.get(address).content.decode()
        token = form.split('name="token" value="')[1].split('"')[0]
        data = {"frees": f"giver-{member}", "payer": "giver", "ransom": "", "token": token}
        refused = hers.post(address, data)
        assert refused.status_code == 422 and "How much?" in refused.content.decode()
        data["ransom"] = "7.5"
        for _ in range(2):
            assert hers.post(address, data).status_code == 302
        [bargain] = Bargain.objects.all()
        answer = self.url(prison, "bargain-answer", bargain.pk)
        expected_version = {
            "seen_giver": prison.gang("hers").version,
            "seen_taker": prison.gang("theirs").version,
        }
        assert hers.post(answer, {"act": "agree", **expected_version}).status_code == 404
        assert as_user(charlie).get(self.url(prison)).status_code == 404
        page = theirs.get(self.url(prison)).content.decode()
        assert 'value="agree"' in page and 'value="withdraw"' not in page
        for name, version in expected_version.items():
            assert f'name="{name}" value="{version}"' in page
        stale = theirs.post(answer, {"act": "agree", "seen_giver": 1, "seen_taker": 1})
        assert stale.status_code == 409 and 'value="agree"' in stale.content.decode()
        assert theirs.post(answer, {"act": "agree", **expected_version}).status_code == 302
        assert theirs.post(answer, {"act": "agree", **expected_version}).status_code == 409
        assert prison.held() == set()
        assert "Agreed" in hers.get(self.url(prison)).content.decode()

    @pytest.mark.parametrize(("act", "who"), [("decline", "theirs"), ("withdraw", "hers")])
    def test_offer_can_be_declined_or_withdrawn(self, prison, act, who, as_user):
        member = prison.capture("hers")
        bargain = prison.offer("hers", {"frees": [("giver", member)]})
        answer = self.url(prison, "bargain-answer", bargain.pk)
        assert as_user(prison.people[who]).post(answer, {"act": act}).status_code == 302
        bargain.refresh_from_db()
        assert (bargain.decided_by, prison.held()) == (prison.people[who], {member})
        with pytest.raises(Stale):
            bargains.decline(bargain, actor=prison.people[who])

    @pytest.mark.long
    @pytest.mark.parametrize("slug", [AGREED, POINTS])
    def test_post_game_offers_a_rescue_only_when_the_rules_allow_it(
        self, slug, bob, alice, dora, as_user
    ):
        prison = Prison(slug, bob, alice, dora)
        prison.capture("hers")
        day = prison.sides["hers"].game.played_on + timedelta(days=7)
        both = prison.gang("hers"), prison.gang("theirs")
        game = make_game(prison.campaign, alice, *both, day=day)
        game = confirmed(reported(game, alice, result="victory"), dora)
        side = answered(side_of(game, prison.gang("hers")))
        page = (
            as_user(alice)
            .get(reverse("campaigns:postgame", args=[game.pk, side.pk]))
            .content.decode()
        )
        assert "Stays captive" in page and "Given up" in page
        assert ("Rescued in the game" in page) == (slug == POINTS)

    def test_other_players_cannot_make_an_offer(self, prison, charlie, as_user):
        member = prison.capture("hers")
        prison.campaign.take_part(charlie)
        browser = as_user(charlie)
        page = browser.get(self.url(prison)).content.decode()
        assert "Make an offer" not in page and "Captured" in page
        address = self.url(
            prison, "captive-offer", prison.keys["hers"], member, prison.keys["theirs"]
        )
        assert browser.get(address).status_code == 404

    @pytest.mark.long
    def test_query_count_does_not_grow_with_captives(
        self, prison, bob, as_user, django_assert_max_num_queries
    ):
        browser = as_user(bob)
        browser.get(self.url(prison))
        with django_assert_max_num_queries(14):
            browser.get(self.url(prison))
        for whose in ("hers", "theirs"):
            for place in range(2):
                prison.offer(whose, {"frees": [("giver", prison.capture(whose, place))]})
        with django_assert_max_num_queries(14):
            browser.get(self.url(prison))


class TestStaleOffers:
    """An open offer can become impossible; agreeing then shows the reason."""

    SENTENCES = {
        "died": "One of the captives is no longer held",
        "freed": "One of the captives is no longer held",
        "spent": "The treasury is 12 pts short.",
        "archived": "This campaign is over",
        "left": "This is no longer there",
    }

    def happen(self, prison, what: str, member: int) -> None:
        match what:
            case "died":
                prison.add_entries("hers", Died(member=member))
            case "freed":
                prison.add_entries("hers", Recovered(member=member, condition="captured"))
            case "spent":
                other = prison.capture("hers", 1)
                fine = Recovered(member=other, condition="captured", paid=292)
                prison.add_entries("hers", fine)
            case "archived":
                joining.archive(prison.campaign)
            case "left":
                prison.campaign.memberships.filter(gang=prison.keys["hers"]).update(
                    left_at=timezone.now()
                )

    @pytest.mark.parametrize("what", one_soon(SENTENCES))
    def test_impossible_agreement_is_explained_and_changes_nothing(
        self, prison, dora, what, as_user
    ):
        """No part of an exchange with a ransom is carried out; the offer stays open."""
        mine, yours = prison.capture("hers"), prison.capture("theirs", 1)
        terms = {
            "frees": [("giver", mine), ("taker", yours)],
            "ransom": 20,
            "payer": "giver",
        }
        bargain = prison.offer("hers", terms)
        self.happen(prison, what, mine)
        before = [prison.gang(whose).roster for whose in prison.keys]
        address = reverse("campaigns:bargain-answer", args=[prison.campaign.pk, bargain.pk])
        data = {
            "act": "agree",
            "seen_giver": prison.gang("hers").version,
            "seen_taker": prison.gang("theirs").version,
        }
        answer = as_user(dora).post(address, data)
        assert answer.status_code == 422
        assert self.SENTENCES[what] in answer.content.decode()
        bargain.refresh_from_db()
        assert (bargain.status, bargain.batch, bargain.decided_by) == ("open", None, None)
        assert [prison.gang(whose).roster for whose in prison.keys] == before

    @pytest.mark.parametrize("first", one_soon(["agree", "decline", "withdraw"]))
    @pytest.mark.parametrize("second", ["agree", "decline", "withdraw"])
    def test_second_answer_to_an_offer_is_refused(self, prison, bob, first, second, as_user):
        """A double click counts as a second answer."""
        member = prison.capture("hers")
        terms = {"frees": [("giver", member)], "ransom": 5, "payer": "giver"}
        bargain = prison.offer("hers", terms)
        address = reverse("campaigns:bargain-answer", args=[prison.campaign.pk, bargain.pk])
        browser = as_user(bob)
        for act, status in ((first, 302), (second, 409)):
            data = {
                "act": act,
                "seen_giver": prison.gang("hers").version,
                "seen_taker": prison.gang("theirs").version,
            }
            answer = browser.post(address, data)
            assert answer.status_code == status
        assert "Somebody was faster" in answer.content.decode()
        bargain.refresh_from_db()
        said = {"agree": "agreed", "decline": "declined", "withdraw": "withdrawn"}
        assert bargain.status == said[first]
        paid = 5 if first == "agree" else 0
        assert (prison.treasury("hers"), prison.treasury("theirs")) == (300 - paid, 300 + paid)
        assert prison.held() == (set() if first == "agree" else {member})

    def test_other_players_cannot_answer_an_offer(self, prison, charlie, as_user):
        member = prison.capture("hers")
        bargain = prison.offer("hers", {"frees": [("giver", member)]})
        prison.campaign.take_part(charlie)
        address = reverse("campaigns:bargain-answer", args=[prison.campaign.pk, bargain.pk])
        for act in ("agree", "decline", "withdraw"):
            assert as_user(charlie).post(address, {"act": act}).status_code == 404
        bargain.refresh_from_db()
        assert bargain.status == "open"


class TestExchange:
    @pytest.mark.long
    def test_exchange_frees_three_captives_with_a_ransom(self, prison, dora):
        """Everything is in one batch in both gangs, and the total of money stays the same."""
        mine = [prison.capture("hers"), prison.capture("hers", 1)]
        yours = prison.capture("theirs", 2)
        frees = [("giver", mine[0]), ("giver", mine[1]), ("taker", yours)]
        bargain = prison.offer("hers", {"frees": frees, "ransom": 7.5, "payer": "giver"})
        gear = {
            whose: [len(member.items) for member in prison.gang(whose).roster.members]
            for whose in prison.keys
        }
        prison.agree(bargain, dora)
        bargain.refresh_from_db()
        kinds = {
            whose: [
                (entry.kind, entry.data.get("paid"), entry.data.get("amount"))
                for entry in prison.gang(whose).entries.filter(batch=bargain.batch).order_by("seq")
            ]
            for whose in prison.keys
        }
        assert kinds == {
            "hers": [("recovered", 7.5, None), ("recovered", 0, None)],
            "theirs": [("recovered", 0, None), ("earned", None, 7.5)],
        }
        assert prison.held() == set()
        assert prison.treasury("hers") + prison.treasury("theirs") == 600
        for whose, carried in gear.items():
            members = prison.gang(whose).roster.members
            assert [len(member.items) for member in members] == carried

    def test_exchange_costs_nothing_when_the_rules_fix_ransoms(self, jail, dora):
        """The captives may even have different prices."""
        chief, other = jail.capture("hers"), jail.capture("theirs", 2)
        worth = {
            who.captive.member.id: who.captive.price for who in bargains.prisoners(jail.campaign)
        }
        assert worth[chief] != worth[other]
        bargain = jail.offer("hers", {"frees": [("giver", chief), ("taker", other)]})
        before = jail.treasury("hers"), jail.treasury("theirs")
        jail.agree(bargain, dora)
        assert (jail.treasury("hers"), jail.treasury("theirs")) == before
        assert jail.held() == set()

    def test_captor_can_offer_a_release_for_nothing(self, prison, alice):
        """The captor makes the offer."""
        member = prison.capture("hers")
        bargain = prison.offer("theirs", {"frees": [("taker", member)]})
        prison.agree(bargain, alice)
        assert prison.held() == set()
        assert (prison.treasury("hers"), prison.treasury("theirs")) == (300, 300)


@pytest.mark.django_db(transaction=True)
def test_only_one_of_two_agreements_at_the_same_time_succeeds(bob, alice):
    dora = User.objects.create_user("dora", password="correct horse battery")
    prison = Prison(AGREED, bob, alice, dora)
    member = prison.capture("hers")
    bargain = prison.offer("hers", {"frees": [("giver", member)], "ransom": 8, "payer": "giver"})
    expected_version = prison.gang("hers").version, prison.gang("theirs").version
    before = prison.treasury("hers"), prison.treasury("theirs")
    start = threading.Barrier(2)

    def agree(user: User) -> str:
        try:
            mine = Bargain.objects.select_related("giver", "taker").get(pk=bargain.pk)
            start.wait(120)
            bargains.agree(mine, actor=user, expected_version=expected_version)
        except Stale:
            return "stale"
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(agree, (dora, bob))) == ["done", "stale"]
    assert (prison.treasury("hers"), prison.treasury("theirs")) == (before[0] - 8, before[1] + 8)
