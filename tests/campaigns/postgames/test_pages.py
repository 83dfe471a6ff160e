"""Whole post-games through the pages, for games with special dice, ranks and questions."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.engine.report import Report
from campaigns.models import Game, Side, Throw
from campaigns.postgames import drafts
from gangs.engine.entries import Learned, Suffered
from gangs.ledger import writer
from gangs.ledger.writer import replay_roster
from gangs.models import Gang
from tests.random_cases import one_soon
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)


class Evening:
    """A night of two players; the first one’s post-game is played in the browser."""

    def __init__(self, slug: str, result: str, player: User, other: User, organiser: User) -> None:
        self.campaign = make_campaign(organiser, slug)
        self.gang, self.others = (make_player(self.campaign, user) for user in (player, other))
        self.result, self.player, self.other = result, player, other
        self.browser = Client()
        self.browser.force_login(player)

    def ids(self, rank: str) -> list[int]:
        return [one.id for one in self.gang.roster.members if one.rank == rank]

    def add_entries(self, *entries: Any) -> None:
        writer.append(self.gang, entries, expected_version=self.gang.version, actor=self.player)
        self.gang = Gang.objects.get(pk=self.gang.pk)

    def play(self, marks: dict[int, str], **told: Any) -> None:
        everyone = tuple(one.id for one in self.gang.roster.members)
        report = Report.model_validate({"fielded": everyone, "marks": marks, **told})
        game = make_game(self.campaign, self.player, self.gang, self.others)
        reports = {str(self.gang.pk): report}
        game = confirmed(
            reported(game, self.player, result=self.result, reports=reports), self.other
        )
        self.side = side_of(game, self.gang)

    def url(self, name: str) -> str:
        return reverse(f"campaigns:{name}", args=[self.side.game_id, self.side.pk])

    def page(self) -> str:
        return html.unescape(self.browser.get(self.url("postgame")).content.decode())

    def answer(self, act: str, status: int = 302, **data: object) -> str:
        expected_version = Side.objects.get(pk=self.side.pk).draft_version
        sent = {"act": act, "seen": expected_version, **data}
        said: HttpResponse = self.browser.post(self.url("postgame-answer"), sent)
        page = html.unescape(said.content.decode())
        assert said.status_code == status, page
        return page

    def keys(self, page: str) -> list[str]:
        """Return the keys of the open rolls."""
        return re.findall(r'name="key" value="([^"]*)">\s*<button[^>]*value="throw"', page)

    def finish(self, *steps: str) -> Gang:
        """Preview the changes and commit them to the history."""
        for step in steps:
            self.answer("finish", step=step)
        preview = self.browser.get(self.url("postgame-preview"))
        assert preview.status_code == 200, self.page()
        side = Side.objects.get(pk=self.side.pk)
        sent = {"seen": side.draft_version, "seen_gang": self.gang.version}
        assert self.browser.post(self.url("postgame-commit"), sent).status_code == 302
        gang = Gang.objects.get(pk=self.gang.pk)
        assert replay_roster(gang) == gang.roster
        return gang


@pytest.mark.long
def test_post_game_shows_faces_glory_and_careers(alice: User, dora: User, bob: User) -> None:
    night = Evening("zombstone", "win", alice, dora, bob)
    hero, doc, extra = (
        night.ids("vedette")[0],
        night.ids("second_role")[0],
        night.ids("figurant")[0],
    )
    night.add_entries(Learned(member=extra, amount=4), Learned(member=hero, amount=3))
    night.play({hero: "hs", doc: "hs"})
    page = night.page()
    keys = night.keys(page)
    assert len(keys) == 2
    assert 'placeholder="9, 10, J, Q, K, A"' in page and "Rolled it yourself?" in page
    assert "1D6" not in page, "the die has no numbers"
    wrong = night.answer("typed", 422, key=keys[0], faces="joker")
    assert "Type what the die shows, one of these: 9, 10, J, Q, K, A." in wrong
    assert 'value="joker"' in wrong
    night.answer("typed", key=keys[0], faces="R")
    night.answer("typed", key=keys[1], faces="10")
    page = night.page()
    assert '<span class="die">K</span>' in page and "Recovers" in page
    assert "(chance 17%)" in page
    assert page.count("Scar") == 1, "the text of the row appears once"
    assert "An advance: which one?" in page
    [key] = re.findall(r'value="choose">\s*<input[^>]*name="key" value="(advances:[^"]*)"', page)
    night.answer("choose", key=key, option="talent")
    page = night.page()
    assert "An extra gets noticed" in page and "Top billing" not in page
    night.answer("promote", key="noticed", member=extra)
    night.answer("finish", step="casting")
    page = night.page()
    assert "treasury" not in page and "room for" not in page
    night.answer("hire", rank="figurant", name="Newcomer")
    gang = night.finish("recruits")
    assert gang.roster.member(extra).rank == "second_role"
    assert gang.roster.member(hero).traits == ("talent",)
    assert gang.roster.members[-1].name == "Newcomer"


def test_refused_recruit_stays_in_the_form_when_the_profession_is_of_another_rank(
    alice: User, dora: User, bob: User
) -> None:
    night = Evening("zombstone", "win", alice, dora, bob)
    night.play({night.ids("vedette")[0]: "hs"})
    # Once the star is dead, the roles of stars are on offer, too.
    night.answer("typed", key=night.keys(night.page())[0], faces="9")
    recruit = {"rank": "second_role", "profession": "heros", "name": "Newcomer"}
    refused = night.answer("hire", 422, **recruit)
    assert "Not for this rank" in refused
    assert 'value="Newcomer"' in refused
    assert re.findall(r'<option value="(\w+)"\s+selected', refused) == ["second_role", "heros"]


def test_faces_are_shown_in_french(alice: User, dora: User, bob: User) -> None:
    night = Evening("zombstone", "win", alice, dora, bob)
    night.play({night.ids("figurant")[0]: "hs"})
    night.browser.cookies["django_language"] = "fr"
    page = night.page()
    assert 'placeholder="9, 10, V, D, R, A"' in page
    night.answer("typed", key=night.keys(page)[0], faces="v")
    assert '<span class="die">V</span>' in night.page()


@pytest.mark.long
def test_post_game_shows_underdogs_and_asks_for_a_boss(alice: User, dora: User, bob: User) -> None:
    night = Evening("cran", "victory", alice, dora, bob)
    [boss], novices = night.ids("veteran"), night.ids("novice")
    night.play({boss: "casualty", novices[0]: "down"})
    page = night.page()
    keys = night.keys(page)
    assert "Ended down (novice)" in page and "(1D6)" in page
    night.answer("typed", key=keys[0], faces="1")
    night.answer("typed", key=keys[1], faces="4")
    assert "Roll for an injury." in night.page()
    night.answer("typed", key=night.keys(night.page())[0], faces="6")
    assert "Several are equal: who takes over?" in night.page()
    night.answer("choose", 422, key="new_boss", option=boss)
    night.answer("choose", key="new_boss", option=novices[-1])
    page = night.page()
    assert "In the treasury: <strong>$8</strong>" in page
    refused = night.answer("hire", 422, rank="veteran", name="")
    assert "finding-error" in refused
    gang = night.finish("spending")
    assert gang.roster.member(novices[-1]).traits == ("boss",)


@pytest.mark.long
def test_post_game_asks_about_fines_prisoners_and_rivals(
    alice: User, dora: User, bob: User
) -> None:
    night = Evening("au-un-pour-un", "victory", alice, dora, bob)
    [chief], [second] = night.ids("chef"), night.ids("sous_chef")[:1]
    held = night.ids("sous_fifre")[0]
    night.add_entries(
        Learned(member=second, amount=29), Suffered(member=held, condition="captured")
    )
    night.play({second: "out"}, tallies={"underlings_killed": 1})
    night.answer("typed", key=night.keys(night.page())[0], faces="65")
    night.answer("typed", key=night.keys(night.page())[0], faces="3")
    page = night.page()
    assert "What do you choose?" in page
    [question] = re.findall(r'value="choose">\s*<input[^>]*name="key" value="([^"]*)"', page)
    night.answer("choose", key=question, option=0)
    night.answer("typed", key=night.keys(night.page())[0], faces="2")
    for _ in range(20):
        page = night.page()
        forms = re.findall(r"<form.*?</form>", page, re.DOTALL)
        asking = [form for form in forms if "which one?" in form]
        waiting = re.findall(r'name="key" value="(advances:[^"]*)"', "".join(asking))
        if not waiting:
            break
        night.answer("choose", key=waiting[0], option=first_trait(page))
    assert "holds the place:" in page
    refused = night.answer("promote", 422, key="chief", member=second)
    assert "holds that place" in refused
    night.answer("promote", key="chief", member=second, how="sent_away")
    night.answer("finish", step="promotions")
    night.answer("choose", 422, key=f"ransoms:{held}", option="ransom")
    page = night.answer("choose", key=f"ransoms:{held}", option="stay")
    assert "A ransom or an exchange takes two gangs" in night.page()
    gang = night.finish("recruits")
    assert gang.roster.treasury == 8 - 2
    assert [gone.member.id for gone in gang.roster.departed] == [chief]


def loss_chances(page: str) -> list[str]:
    """Return each chance of a permanent loss that a page shows."""
    return re.findall(r"lost for good: ([^<);]*)", page)


@pytest.mark.long
def test_page_shows_the_chance_of_a_permanent_loss(alice: User, dora: User, bob: User) -> None:
    night = Evening("au-un-pour-un", "victory", alice, dora, bob)
    [chief], [second] = night.ids("chef"), night.ids("sous_chef")[:1]
    underling = night.ids("sous_fifre")[0]
    night.add_entries(Suffered(member=chief, condition="one_eye"))
    night.play({second: "out", chief: "out", underling: "out"})
    page = night.page()
    assert page.count("nothing happens: 67%") == 1 and loss_chances(page) == ["33%"]
    night.answer("typed", key=night.keys(page)[0], faces="2")
    page = night.page()
    # Once for the step, and once for the member with one eye, whose chance differs.
    assert page.count("nothing happens: 36%") == 1 and "nothing happens: 67%" not in page
    assert loss_chances(page) == ["18% to 19%, by choice", "14% to 15%, by choice"]
    keys = {key.split(":")[1]: key for key in night.keys(page)}
    night.answer("typed", key=keys[str(chief)], faces="31")
    # The judge spares five of six; then each option shows its consequence.
    night.answer("typed", key=keys[str(second)], faces="65")
    page = night.page()
    assert loss_chances(page) == ["0% to 17%, by choice"]
    key = next(key for key in night.keys(page) if "judgement" in key)
    night.answer("typed", key=key, faces="1")
    page = night.page()
    [question] = re.findall(r"What do you choose\?.*?</form>", page, re.DOTALL)
    assert loss_chances(question) == ["100%", "0%"]


@pytest.mark.long
def test_band_can_recruit_another_people(alice: User, dora: User, bob: User) -> None:
    night = Evening("au-un-pour-un", "victory", alice, dora, bob)
    night.play({}, tallies={"underlings_killed": 9})
    page = night.page()
    assert re.search(r'<select name="origin".*?gobelin_snotling', page, re.DOTALL)
    night.answer("hire", 422, rank="sous_fifre", origin="martian")
    night.answer("hire", rank="sous_fifre", name="Grek", origin="gobelin_snotling")
    assert "Grek, Underling, Goblin" in night.page()
    gang = night.finish("recruits")
    assert gang.roster.members[-1].origin == "gobelin_snotling"


def first_trait(page: str) -> str:
    """Return the first trait on offer."""
    return re.findall(r'btn-sm btn-outline-primary" name="option" value="([^"]+)"', page)[0]


def test_unavailable_options_are_folded(alice: User, dora: User, bob: User) -> None:
    night = Evening("au-un-pour-un", "victory", alice, dora, bob)
    night.add_entries(Learned(member=night.ids("chef")[0], amount=4))
    night.play({})
    page = night.page()
    [advances] = re.findall(r'<section[^>]*id="step-advances">.*?</section>', page, re.DOTALL)
    open_part, folded = advances.split("more, not available now")
    assert len(re.findall(r">\s*Take\s*<", open_part)) == 6
    assert not re.search(r">\s*Take\s*<", folded)


# Order of games


def test_page_links_to_an_earlier_game_that_comes_first(alice: User, dora: User, bob: User) -> None:
    """Games of the same day are distinguished."""
    night = Evening("blackwater-gulch", "victory", alice, dora, bob)
    night.play({})
    first = night.side
    assert "comes first" not in night.page()
    night.play({})
    page = night.page()
    told, _rest = page.split('class="progress-line"')
    assert "An earlier game of this gang comes first:" in told
    label = f"1 May 2026, against {night.others.name} (game 1 of that day)"
    assert f'{reverse("campaigns:postgame", args=[first.game_id, first.pk])}">{label}</a>' in told


def test_empty_steps_are_named_in_a_single_line(alice: User, dora: User, bob: User) -> None:
    night = Evening("blackwater-gulch", "victory", alice, dora, bob)
    night.play({})
    page = night.page()
    assert page.count("Nothing to do in:") == 1
    assert re.search(r"Nothing to do in: Injuries, Ransoms[^<]*</p>", page)
    assert 'id="step-injuries"' not in page and 'id="done-injuries"' not in page


@pytest.mark.long
def test_newest_roll_is_shown_large_once(alice: User, dora: User, bob: User) -> None:
    """It works without scripts, and the address cannot name any other text."""
    night = Evening("blackwater-gulch", "victory", alice, dora, bob)
    night.play({night.ids("leader")[0]: "out"})
    [key] = night.keys(night.page())
    sent = {"act": "typed", "seen": night.side.draft_version, "key": key, "faces": "4 4"}
    led = night.browser.post(night.url("postgame-answer"), sent)
    assert led.url == f"{night.url('postgame')}?{urlencode({'rolled': key})}"
    page = html.unescape(night.browser.get(led.url).content.decode())
    assert page.count('class="landed-roll"') == 1
    assert "landed-roll" not in night.page()
    for other in ("nothing", key + "x", ""):
        assert (
            "landed-roll"
            not in night.browser.get(night.url("postgame"), {"rolled": other}).content.decode()
        )


# Overruling


class TestOverruling:
    """Only an organiser can overrule the app's dice, with a reason."""

    @pytest.fixture
    def night(self, alice: User, dora: User, bob: User) -> Evening:
        night = Evening("blackwater-gulch", "victory", alice, dora, bob)
        night.play({night.ids("leader")[0]: "out"})
        [key] = night.keys(night.page())
        night.answer("throw", key=key)
        self.key = key
        return night

    def overrule(self, night: Evening, user: User, status: int = 302, **data: object) -> str:
        browser, night.browser = night.browser, Client()
        night.browser.force_login(user)
        page = night.answer("overrule", status, key=self.key, **data)
        night.browser = browser
        return page

    @pytest.mark.long
    def test_organiser_overrules_dice_with_a_reason(
        self, night: Evening, alice: User, bob: User
    ) -> None:
        page = night.page()
        assert "An organiser can overrule them, with a reason." in page
        assert 'value="overrule"' not in page
        self.overrule(night, bob, faces="5 5", why="The app rolled for the\n wrong leader.")
        roll = Side.objects.get(pk=night.side.pk).answers.rolls[self.key]
        why = "The app rolled for the wrong leader."
        assert (roll.faces, roll.thrown_by, roll.why) == ((5, 5), "table", why)
        assert f"overruled by an organiser: {why}" in night.page()
        # The player sees the overruled dice, too.
        assert "the roll is final" in night.answer("correct", 422, key=self.key)
        first, second = Throw.objects.filter(key=self.key)
        assert first.taken_back_at is not None and first.roll["thrown_by"] == "app"
        assert (second.actor, second.taken_back_at, second.roll["why"]) == (bob, None, why)
        told = night.browser.get(night.side.game.get_absolute_url()).content.decode()
        assert f"overruled by an organiser: {why}" in told
        gang = night.finish(*self.left(night))
        history = night.browser.get(reverse("gangs:history", args=[gang.pk])).content.decode()
        assert f"overruled by an organiser: {why}" in html.unescape(history)

    def left(self, night: Evening) -> list[str]:
        """Return the keys of the steps that are not done."""
        states = drafts.load(Side.objects.get(pk=night.side.pk)).playthrough.steps
        return [one.step.key for one in states if one.status != "done"]

    def test_only_an_organiser_can_overrule_dice(
        self, night: Evening, alice: User, dora: User
    ) -> None:
        before = Side.objects.get(pk=night.side.pk).draft
        refused = self.overrule(night, alice, 422, faces="6 6", why="I want to.")
        assert "Only an organiser of the campaign can do that." in refused
        self.overrule(night, dora, 404, faces="6 6", why="She should lose.")
        assert Side.objects.get(pk=night.side.pk).draft == before

    @pytest.mark.parametrize(
        ("data", "said"),
        one_soon(
            [
                ({"faces": "6 6", "why": " "}, "Say why the dice are overruled"),
                ({"faces": "7 6", "why": "So."}, "type 2 numbers from 1 to 6"),
                ({"faces": "", "why": "So."}, "type 2 numbers from 1 to 6"),
            ]
        ),
    )
    def test_incomplete_form_is_explained_and_kept(
        self, night: Evening, bob: User, data: dict[str, str], said: str
    ) -> None:
        before = Side.objects.get(pk=night.side.pk).draft
        page = self.overrule(night, bob, 422, **data)
        assert said in page and f'value="{data["faces"]}"' in page
        assert Side.objects.get(pk=night.side.pk).draft == before

    def test_typed_dice_cannot_be_overruled(self, alice: User, dora: User, bob: User) -> None:
        night = Evening("blackwater-gulch", "victory", alice, dora, bob)
        night.play({night.ids("leader")[0]: "out"})
        [self.key] = night.keys(night.page())
        for _ in range(2):
            page = self.overrule(night, bob, 422, faces="6 6", why="So.")
            assert "does not offer this" in page
            if not Side.objects.get(pk=night.side.pk).answers.rolls:
                night.answer("typed", key=self.key, faces="4 4")


# The report


REPORT = {"result": "win", "played_on": "2026-05-01", "note": ""}


def send_report(night: Evening, status: int, **fields: object) -> str:
    game = make_game(night.campaign, night.player, night.gang, night.others)
    url = reverse("campaigns:game-report", args=[game.pk])
    sides = {side.gang_id: side.pk for side in game.sides.all()}
    data: dict[str, object] = {**REPORT, "seen": game.version, "winner": sides[night.gang.pk]}
    for gang in (night.gang, night.others):
        for one in gang.roster.members:
            data[f"side{sides[gang.pk]}-in-{one.id}"] = "on"
    for name, value in fields.items():
        data[f"side{sides[night.gang.pk]}-{name}"] = value
    said = night.browser.post(url, data)
    assert said.status_code == status
    night.side = side_of(Game.objects.get(pk=game.pk), night.gang)
    return html.unescape(said.content.decode())


def test_sorts_of_enemies_are_added_up(alice: User, dora: User, bob: User) -> None:
    night = Evening("zombstone", "win", alice, dora, bob)
    hero, doc = night.ids("vedette")[0], night.ids("second_role")[0]
    fields = {f"stars_out-{hero}": 1, f"extras_out-{hero}": 2, f"supporting_out-{doc}": 1}
    send_report(night, 302, **fields)
    report = night.side.parsed_report
    assert report.counts["taken_out"] == {hero: 3, doc: 1}
    page = html.unescape(night.browser.get(night.side.game.get_absolute_url()).content.decode())
    assert "<dt>Enemy extras taken out</dt><dd>by Marshal Ada Quill\u00a0× 2</dd>" in page
    assert "taken_out" not in page and "<dt>Took out</dt>" not in page


@pytest.mark.parametrize(("count", "opened"), [("", 0), ("99", 1)])
def test_deeds_of_a_member_are_folded_when_empty(
    alice: User, dora: User, bob: User, count: str, opened: int
) -> None:
    night = Evening("zombstone", "win", alice, dora, bob)
    hero = night.ids("vedette")[0]
    # A form with a mistake is shown again as it was sent.
    page = send_report(
        night, 422, **{f"stars_out-{hero}": count, f"in-{hero}": "", f"mark-{hero}": "hs"}
    )
    unfolded = re.findall(r"<details[^>]* open><summary>What this member did</summary>", page)
    assert len(unfolded) == opened
    assert page.count("What this member did") == len(night.gang.roster.members) + len(
        night.others.roster.members
    )
