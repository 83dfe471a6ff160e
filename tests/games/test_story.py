"""Scenarios that lead to others, in both games: what opens, what comes next, and the tree."""

from __future__ import annotations

import html

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.planning import plans
from campaigns.club.planning.forms import PlanForm
from campaigns.engine.story import Story, StoryGame, draw, follow
from campaigns.models import Game, Side
from campaigns.story import story_of
from rules.book.fates import DiceTable
from rules.book.model import Book
from rules.engine.dice import DiceRoll
from tests.games.club import Club, Told, recruit
from tests.rules.small import mistakes, text, told


def test_the_winner_decides_what_follows(circle: Book) -> None:
    rules = circle.usual
    story = follow(rules, [])
    assert (story.open, story.next) == ({"parlour"}, ())
    hosts, guests = (StoryGame("parlour", "won", (role,)) for role in ("hosts", "guests"))
    story = follow(rules, [hosts])
    assert (story.open, story.next) == ({"parlour", "attic"}, ("attic",))
    story = follow(rules, [hosts, StoryGame("attic", "won", ("",))])
    assert (story.next, story.played) == (("parlour",), {"parlour", "attic"})
    story = follow(rules, [guests])
    assert (story.open, story.next) == ({"well"}, ("well",))


def test_a_result_opens_and_closes_scenarios(terraces: Book) -> None:
    rules = terraces.usual
    won, drawn = (StoryGame("slope", "won", winners) for winners in (("",), ()))
    assert follow(rules, [drawn]).open == {"slope"}
    story = follow(rules, [won])
    assert (story.open, story.next) == ({"slope", "press", "night"}, ("press",))
    assert follow(rules, [won, StoryGame("press", "won", ("",))]).open == {"slope", "press"}


def test_the_tree_ends_where_scenarios_lead_in_a_circle(circle: Book) -> None:
    [parlour] = draw(circle.usual)
    attic, well = parlour.branches
    [again] = attic.branches
    assert [one.scenario.key for one in (parlour, attic, well, again)] == [
        "parlour",
        "attic",
        "well",
        "parlour",
    ]
    assert not again.branches and not well.branches


@pytest.mark.django_db
def test_a_confirmed_game_opens_the_next_scenario(
    client: Client, players: list[User], circle: Book
) -> None:
    club = Club(circle, players[0], players)
    for name in ("The Ninth", "The Tenth"):
        club.found(name, recruit("caller", f"Ann of {name}"))

    def choices() -> list[str]:
        form = PlanForm(club.campaign, [])
        return [key for key, _name in form.fields["scenario"].choices]

    assert choices() == ["", "roll", "parlour"] or choices() == ["", "parlour"]
    game = club.meet(1, "The Ninth", "The Tenth", Told(), Told())
    Game.objects.filter(pk=game.pk).update(scenario="parlour")
    Side.objects.filter(game=game, side=Side.Kind.WINNER).update(role="hosts")
    story = story_of(club.campaign)
    assert story is not None and story.next == ("attic",)
    assert choices()[0] == "attic" and "well" not in choices()
    client.force_login(players[0])
    address = reverse("campaigns:campaign", args=[club.campaign.pk])
    page = " ".join(html.unescape(client.get(address).content.decode()).split())
    assert "Hosts won →</span> The attic" in page and "Guests won →</span> The well" in page
    plan = reverse("campaigns:game-new", args=[club.campaign.pk])
    assert "Next: The attic" in html.unescape(client.get(plan).content.decode())


def test_checker_wants_a_way_to_a_closed_scenario() -> None:
    words = {"victory": text("x")}
    leads = [{"winner": "nobody"}, {"leads_to": "one", "closes": ["one"]}]
    scenarios = [told("one", leads=leads, **words), told("two", closed=True, **words)]
    found = mistakes(scenarios=scenarios)
    assert found.keys() == {
        "scenarios.0.leads.0",
        "scenarios.0.leads.0.winner",
        "scenarios.0.leads.1.closes",
        "scenarios.1.closed",
    }


def with_table(book: Book) -> Book:
    """Return the game with a table of its scenarios, of which one is open at first."""
    keys = [row.key for row in book.scenarios]
    table = {
        "key": "evenings",
        "name": text("Evenings"),
        "dice": f"1d{len(keys)}",
        "rows": [
            {"low": n, "high": n, "name": text(key.title()), "scenario": key, "source": "ledger"}
            for n, key in enumerate(keys, start=1)
        ],
        "source": "ledger",
    }
    row = DiceTable.model_validate(table)
    campaign = book.campaign.model_copy(update={"scenario_table": "evenings"})
    return book.changed(tables=(*book.tables, row), campaign=campaign)


def test_site_rolls_again_for_closed_scenarios(
    circle: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = with_table(circle)
    story = follow(book.usual, [])
    places = {row.key: n for n, row in enumerate(book.scenarios, start=1)}
    dice = book.table["evenings"].dice
    faces = [*(places[key] for key in places if key != "parlour"), places["parlour"]]
    rolls = iter(DiceRoll(dice=dice, faces=(face,), thrown_by="app") for face in faces)
    monkeypatch.setattr(plans, "throw", lambda _dice: next(rolls))
    chosen, roll = plans.choose_scenario(book.usual, plans.ROLL, story=story)
    assert chosen == "parlour" and roll is not None and roll.faces == (places["parlour"],)
    # With every scenario closed, none is chosen.
    nothing = Story(frozenset(), (), frozenset())
    monkeypatch.undo()
    assert plans.choose_scenario(book.usual, plans.ROLL, story=nothing) == ("", None)


@pytest.mark.django_db
def test_players_roll_again_for_a_closed_scenario(circle: Book, players: list[User]) -> None:
    book = with_table(circle)
    club = Club(book, players[0], players)
    places = {row.key: n for n, row in enumerate(book.scenarios, start=1)}

    def typed(key: str) -> PlanForm:
        data = {"played_on": "2026-05-01", "scenario": "typed", "faces": str(places[key])}
        return PlanForm(club.campaign, [], data)

    assert "rolled again" in str(typed("parlour").fields["scenario"].help_text)
    assert typed("parlour").is_valid()
    form = typed("well")
    assert not form.is_valid()
    assert form.errors["faces"] == ["“Well” is closed in this story: roll again."]
