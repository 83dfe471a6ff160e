"""Other content of a table's page: faces, scenario, rules of the phase."""

from __future__ import annotations

import gzip
import json
import re
import uuid
from collections.abc import Callable
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Campaign, Table
from campaigns.table import people, storage, taps
from campaigns.table.pages import waiting
from gangs.models import Gang
from gangs.pictures.storage import SMALL, name_of
from gangs.templatetags.pictures import address
from tests.campaigns.table.test_alone import opened as opened_alone
from tests.campaigns.table.test_storage import opened, pushed
from tests.world.campaigns import make_campaign, make_game, make_player
from tests.world.gangs import SLUGS, make_gang

pytestmark = pytest.mark.django_db
AsUser = Callable[[User], Client]
MOST_BYTES = 25_000
PHONE, OTHER = uuid.uuid4(), uuid.uuid4()


def add_portrait(gang: Gang) -> str:
    """Give a gang's second member a portrait, and return its address."""
    member = gang.roster.members[1].id
    gang.pictures = {str(member): "0" * 32}
    gang.save(update_fields=["pictures"])
    return address(gang, name_of(gang, member), SMALL)


def shown(client: Client, table: Table) -> str:
    return client.get(table.get_absolute_url()).content.decode()


def test_campaign_table_shows_faces_of_both_sides(
    as_user: AsUser, campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    mine, other = add_portrait(hers), add_portrait(theirs)
    page = shown(as_user(alice), opened(campaign, alice, hers, theirs))
    assert re.findall(r'<img class="table-monogram[^"]*" src="([^"]*)"', page) == [mine, other]
    people = len(hers.roster.members) + len(theirs.roster.members)
    assert page.count('<span class="table-monogram') == people - 2


def test_table_without_a_campaign_shows_only_own_faces(
    as_user: AsUser, alice: User, bob: User
) -> None:
    gang, other = make_gang(alice), make_gang(bob, name="His")
    mine, his = add_portrait(gang), add_portrait(other)
    client = as_user(alice)
    table = opened_alone(client, gang, link=other.share_key)
    page = shown(client, table)
    assert mine in page and his not in page
    page = shown(as_user(bob), table)
    assert his in page and mine not in page


@pytest.mark.parametrize("slug", SLUGS)
def test_page_shows_the_scenario_and_deployment(
    slug: str, alice: User, bob: User, as_user: AsUser
) -> None:
    """The page stays small with a portrait for every member and every diagram."""
    campaign = make_campaign(alice, slug)
    gangs = [make_player(campaign, one) for one in (alice, bob)]
    for gang in gangs:
        gang.pictures = {str(member.id): "0" * 32 for member in gang.roster.members}
        gang.save(update_fields=["pictures"])
    game = make_game(campaign, alice, *gangs)
    book = campaign.book
    scenario = next(iter(book.scenarios), None)
    game.scenario = scenario.key if scenario else ""
    game.save()
    table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
    page = as_user(alice).get(table.get_absolute_url())
    rules = page.context["scenario"]
    assert (rules and rules.name) == (scenario and scenario.name["en"])
    html = page.content.decode()
    drawn = [place for place in rules.places if place.diagram] if rules else []
    assert html.count('<figure class="diagram">') == len(drawn)
    assert len(gzip.compress(page.content)) <= MOST_BYTES


@pytest.mark.long
def test_page_opens_the_rules_of_the_phase(
    as_user: AsUser, campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    table = opened(campaign, alice, hers, theirs)
    client = as_user(alice)

    def told() -> list[str]:
        page = shown(client, table)
        return re.findall(r'<details data-rules="([a-z_]+)" open>', page)

    acting = next(row.key for row in table.book.phases if row.acts)
    assert told() == [acting]
    last = table.book.phases[-1]
    storage.push(table, alice, [pushed(taps.PhaseBegan(phase=last.key))])
    assert told() == [last.key]
    page = shown(client, table)
    for row in table.book.phases:
        for roll in (table.book.roll[key] for key in row.rolls):
            link = f"{reverse('campaigns:table-attempt', args=[table.pk, roll.key])}?by=1"
            assert (f'href="{link}"' in page) == (roll.by == "side")


def test_table_without_a_campaign_shows_its_scenario(as_user: AsUser, alice: User) -> None:
    gang, client = make_gang(alice), as_user(alice)
    scenario = gang.book.scenarios[0]
    table = opened_alone(client, gang, scenario=scenario.key)
    assert scenario.name["en"] in shown(client, table)


@pytest.mark.long
def test_reminder_for_several_figures_is_shown_once(
    as_user: AsUser, campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    """Each figure can be ticked off separately, or all together with one press."""
    table = opened(campaign, alice, hers, theirs)
    client = as_user(alice)
    for side, gang in ((1, hers), (2, theirs)):
        figure = f"{side}.{gang.roster.members[-1].id}"
        storage.push(table, alice, [pushed(taps.Out(figure=figure))])
    storage.push(table, alice, [pushed(taps.TurnEnded())])
    dues = client.get(table.get_absolute_url()).context["dues"]
    [group] = [one for one in dues if one.name != "Initiative"]
    assert (group.name, [line.who for line in group.lines]) == (
        "Remove the dead",
        [f"{hers.name} (alice)", f"{theirs.name} (dora)"],
    )
    address = reverse("campaigns:table-taps", args=[table.pk])
    pressed = {"token": "one", "after": 3, "turn": 2, "taps": group.all_done.taps}
    assert client.post(address, pressed).status_code == 302
    left = client.get(table.get_absolute_url()).context["dues"]
    assert [one.name for one in left] == ["Initiative"]


@pytest.mark.long
def test_next_step_is_a_due_entry_of_the_readers_own_side(
    as_user: AsUser, campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    """A reminder is not the next step before its phase, and the end of the turn comes last."""
    table = opened(campaign, alice, hers, theirs)

    def first(user: User) -> waiting.FirstDue | None:
        found = as_user(user).get(table.get_absolute_url()).context["first_due"]
        assert found is None or isinstance(found, waiting.FirstDue)
        return found

    for side, gang in ((1, hers), (2, theirs)):
        figure = f"{side}.{gang.roster.members[-1].id}"
        storage.push(table, alice, [pushed(taps.Out(figure=figure))])
    storage.push(table, alice, [pushed(taps.TurnEnded())])
    assert first(alice) is None
    storage.push(table, alice, [pushed(taps.PhaseBegan(phase="start"))])
    due = first(alice)
    assert due and "/acts/initiative/" in due.url
    storage.push(table, alice, [pushed(taps.Dealt(alarm="initiative", who=1))])
    for user, gang in ((alice, hers), (dora, theirs)):
        due = first(user)
        assert due and due.words == "See: Remove the dead"
        assert due.who == f"{gang.name} ({gang.owner})"
        assert due.url == "#table-due"
    for side in (1, 2):
        storage.push(table, alice, [pushed(taps.Dealt(alarm="remove_dead", who=side))])
    assert first(alice) is None
    storage.push(table, alice, [pushed(taps.GameEnded())])
    report = reverse("campaigns:game-report", args=[table.game_id])
    assert f'<a class="btn btn-primary" href="{report}">' in shown(as_user(alice), table)


def test_end_of_the_turn_begins_its_last_phase_unless_something_is_due_in_it(
    as_user: AsUser, alice: User, bob: User
) -> None:
    campaign = make_campaign(alice, "au-un-pour-un")
    gangs = [make_player(campaign, one) for one in (alice, bob)]
    table, client = opened(campaign, alice, *gangs), as_user(alice)
    *_others, last_but_one, last = table.book.phases
    button = client.get(table.get_absolute_url()).context["end_turn"]
    assert [tap["kind"] for tap in json.loads(button.taps)] == ["phase", "turn"]
    storage.push(table, alice, [pushed(taps.PhaseBegan(phase=last_but_one.key))])
    assert client.get(table.get_absolute_url()).context["closing"] is None
    everybody = [taps.Out(figure=f"2.{one.id}") for one in gangs[1].roster.members[1:]]
    storage.push(table, alice, [pushed(tap) for tap in everybody])
    closing = client.get(table.get_absolute_url()).context["closing"]
    assert closing.key == last.key
    storage.push(table, alice, [pushed(taps.PhaseBegan(phase=last.key))])
    context = client.get(table.get_absolute_url()).context
    assert context["closing"] is None and context["first_due"] is not None


@pytest.mark.parametrize(("outcome", "starts"), [("chooses", 1), ("enemy_chooses", 2)])
def test_page_names_the_side_that_starts_for_this_turn(
    as_user: AsUser, alice: User, bob: User, outcome: str, starts: int
) -> None:
    """Neither a roll that is undone nor one of the last turn counts."""
    campaign = make_campaign(alice, "blackwater-gulch")
    gangs = [make_player(campaign, one) for one in (alice, bob)]
    table = opened(campaign, alice, *gangs)
    client, names = as_user(bob), people.name_everybody(table.book, {})
    win = names.outcome("initiative", "chooses")

    def decided() -> list[tuple[str, str]]:
        found = client.get(table.get_absolute_url()).context["decided"]
        return [(line.who, line.outcome) for line in found]

    rolled = pushed(taps.Rolled(roll="initiative", by=1, at=2, outcome=outcome))
    storage.push(table, alice, [rolled])
    # The two gangs have the same name.
    side = table.sides.select_related("gang__owner").get(number=starts)
    assert side.gang is not None
    name = f"{side.name} ({side.gang.owner})"
    assert decided() == [(name, win)]
    page = " ".join(shown(client, table).partition('id="table-due"')[2].split())
    assert f"{name}</strong> · {win}" in unescape(page)
    storage.push(table, alice, [pushed(taps.Undone(act=rolled.act))])
    assert decided() == []
    storage.push(
        table, alice, [pushed(taps.Rolled(roll="initiative", by=1, at=2, outcome=outcome))]
    )
    storage.push(table, alice, [pushed(taps.TurnEnded())])
    assert decided() == []


@pytest.mark.parametrize("share", [True, False])
def test_figures_with_the_same_name_are_told_apart_by_gang_or_player(
    as_user: AsUser, alice: User, bob: User, share: bool
) -> None:
    """Two players have the same ready-made gang; below the name of a gang, names stay short."""
    campaign = make_campaign(alice)
    table = opened(campaign, alice, *(make_player(campaign, one) for one in (alice, bob)))
    if not share:
        table.sides.filter(number=2).update(name="The Others")
    sides = list(table.sides.select_related("gang__owner"))
    homes = [str(one.gang.owner) if share and one.gang else one.name for one in sides]
    names = people.name_everybody(table.book, people.people_of(table), sides)
    [one, *_rest], [other, *_others] = (
        [key for key, person in names.people.items() if person.fighter.side == side]
        for side in (1, 2)
    )
    name = names.below_side(one)
    assert names.below_side(other) == name
    storage.push(table, alice, [pushed(taps.Rolled(roll="shot", by=one, at=other))])
    told = f"{name} ({homes[0]}) → {name} ({homes[1]})"
    page = shown(as_user(alice), table)
    assert told in unescape(page)
    assert f'<strong class="table-name">{name}</strong>' in unescape(page)


def test_next_step_leads_to_the_roll_that_is_due(as_user: AsUser, alice: User, bob: User) -> None:
    """Every reminder with a roll says whose roll it is, and its link opens the roll's form."""
    campaign = make_campaign(alice, "blackwater-gulch")
    gangs = [make_player(campaign, one) for one in (alice, bob)]
    table = opened(campaign, alice, *gangs)
    figure = people.start_of(table).figures[0].key
    storage.push(table, alice, [pushed(taps.Began(figure=figure, state="burning"))])
    client = as_user(alice)
    due = client.get(table.get_absolute_url()).context["first_due"]
    sides = table.sides.select_related("gang__owner")
    name = people.name_everybody(table.book, people.people_of(table), sides).figures[figure]
    assert (due.words, due.who) == ("Roll: On fire", name)
    assert client.get(due.url).status_code == 200


def test_alarm_without_anything_to_do_is_a_line_of_the_story_in_its_turn(
    as_user: AsUser, alice: User, bob: User
) -> None:
    campaign = make_campaign(alice, "blackwater-gulch")
    gangs = [make_player(campaign, one) for one in (alice, bob)]
    table, client = opened(campaign, alice, *gangs), as_user(alice)
    leader = next(one.key for one in people.start_of(table).figures if one.leads)
    storage.push(table, alice, [pushed(taps.Out(figure=leader))])
    said = f"{table.sides.get(number=1).name} (alice): Luck dice lost with the leader"
    context = client.get(table.get_absolute_url()).context
    assert context["alarms"] == [said]
    assert [group.name for group in context["dues"]] == ["Initiative"]
    story = client.get(reverse("campaigns:table-story", args=[table.pk]))
    assert story.context["turns"][0][2] == [said]
    storage.push(table, alice, [pushed(taps.TurnEnded())])
    assert client.get(table.get_absolute_url()).context["alarms"] == []


def test_page_has_no_reminders_when_play_is_over(
    as_user: AsUser, campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    table = opened(campaign, alice, hers, theirs)
    client = as_user(alice)
    everybody = [taps.Out(figure=f"1.{member.id}") for member in hers.roster.members]
    storage.push(table, alice, [pushed(tap) for tap in everybody])
    assert client.get(table.get_absolute_url()).context["dues"]
    storage.push(table, alice, [pushed(taps.GameEnded())])
    assert client.get(table.get_absolute_url()).context["dues"] == []


@pytest.mark.long
def test_long_story_is_shown_in_parts(
    as_user: AsUser, campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    """The last part comes first; parts link to their neighbours, and undoing returns to the
    part."""
    table = opened(campaign, alice, hers, theirs)
    client, story = as_user(alice), reverse("campaigns:table-story", args=[table.pk])
    for turn in range(1, 11):
        rows = [pushed(taps.Note(text=f"{turn}/{n}"), turn=turn) for n in range(50)]
        storage.push(table, alice, rows)
    last = client.get(story)
    assert len(last.content) < 120_000
    assert [turn for turn, *_told in last.context["turns"]] == [9, 10]
    assert 'name="page"' not in last.content.decode()
    seen: list[str] = []
    address = story
    while True:
        page = client.get(address)
        lines = [line.text for _turn, told, _alarms in page.context["turns"] for line in told]
        seen = [*lines, *seen]
        earlier = re.search(r'rel="prev" href="([^"]+)"', page.content.decode())
        if not earlier:
            break
        address = story + earlier[1]
    assert seen == [f"“{turn}/{n}”" for turn in range(1, 11) for n in range(50)]
    assert client.get(f"{story}?page=99").context["turns"] == last.context["turns"]
    assert client.get(f"{story}?page=x").status_code == 200
    pressed = {"token": "one", "back": "story", "page": "1", "after": 0, "turn": 1}
    said = taps.TAPS_LIST.dump_json((taps.Note(text="more"),)).decode()
    answer = client.post(reverse("campaigns:table-taps", args=[table.pk]), pressed | {"taps": said})
    assert answer["Location"] == f"{story}?page=1"


def test_short_story_has_one_part(
    as_user: AsUser, campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    table = opened(campaign, alice, hers, theirs)
    storage.push(table, alice, [pushed(taps.Note(text=f"{n}")) for n in range(250)])
    page = as_user(alice).get(reverse("campaigns:table-story", args=[table.pk]))
    assert page.content.decode().count("<li id=") == 250
    assert 'rel="prev"' not in page.content.decode()


@pytest.mark.long
def test_page_shows_a_limited_number_of_questions(
    as_user: AsUser, campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    """Answered questions make room for the others."""
    table = opened(campaign, alice, hers, theirs)
    start = people.start_of(table).figures
    by, at = start[0].key, start[-1].key
    for _act in range(waiting.MOST_SHOWN + 5):
        for device in (PHONE, OTHER):
            out = pushed(taps.Out(figure=at, by=by), device, turn=1 + _act)
            storage.push(table, alice, [out])
    client = as_user(alice)
    shown = client.get(table.get_absolute_url()).context["questions"]
    assert len(shown) == waiting.MOST_SHOWN
    address = reverse("campaigns:table-taps", args=[table.pk])
    for place, question in enumerate(shown):
        sent = {"token": f"{place}", "after": 99, "turn": 50, "taps": question.answers[1].taps}
        client.post(address, sent)
    assert len(client.get(table.get_absolute_url()).context["questions"]) == 5
