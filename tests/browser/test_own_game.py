"""A game that is written on its pages only, from nothing to a gang, its print and a post-game."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import expect

from accounts.models import User
from campaigns.club.people import joining
from campaigns.engine.report import Report
from gangs.engine import entries as kinds
from gangs.ledger import writer
from gangs.models import Gang
from rules.library import book_of
from rules.models import BookDraft
from tests.browser.authoring import Author
from tests.browser.building import patiently, recruit
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person
from tests.browser.test_club_night import commit, step
from tests.browser.test_deep_postgame import hurry
from tests.printing.reading import text_of
from tests.world.campaigns import confirmed, make_game, reported, side_of

pytestmark = [pytest.mark.browser, pytest.mark.long]


def write_people(author: Author) -> None:
    """Write characteristics, ranks, a trait, kinds of items, items, and a limit."""
    author.add(
        "Characteristics",
        "Add a characteristic",
        {"Name": "Pace", "Abbreviation": "Pa", "Text": "Inches.", "Start": "5", "Unit": "″"},
        {"Name": "Will", "Abbreviation": "Wi", "Text": "For calls.", "Start": "1", "Maximum": "6"},
        {"Name": "Nerve", "Abbreviation": "Ne", "Text": "Frights borne.", "Start": "2"},
    )
    author.remove("Characteristics", "Move")
    author.open_part("Name and words")
    author.save({"What it is, in a sentence or two": "Circles call spirits."})
    author.open_part("Money")
    author.save({"Name": "Candles", "Unit": "candles"})
    caller = {"Name": "Caller", "Price (candles)": "15", "Will": "4", "Nerve": "4"}
    author.change("Ranks", "Leader", caller)
    author.change("Ranks", "Fighter", {"Name": "Sitter", "Price (candles)": "6"})
    author.add(
        "Traits and skills",
        "Add a trait",
        {
            "Name": "Calm",
            "What it does": "Bears more.",
            "Price (candles)": "4",
            "What it changes": [
                ("adds to a characteristic", {"Characteristic": "Nerve", "Amount": "1"})
            ],
        },
    )
    author.add(
        "Kinds of items",
        "Add a kind of item",
        {"Name": "Things", "Columns": [("", {"Name": "Fright"})]},
        {"Name": "Supplies", "Most per member": "3", "Sold for this share of the price": "1/2"},
    )
    brass = {"New properties, with commas between them": "Brass"}
    author.add(
        "Weapons and items",
        "Add a weapon or item",
        {"Name": "Bell", "Price (candles)": "3", "Fright": "+1", **brass},
        {"Name": "Bare hands", "Everybody has it for free": True, "Fright": "0"},
        kind="Things",
    )
    author.add(
        "Weapons and items",
        "Add a weapon or item",
        {"Name": "Incense", "Price (candles)": "4", "Number of uses": "3"},
        kind="Supplies",
    )
    author.add(
        "Limits",
        "Add a limit",
        {
            "The sentence for the player": "A circle has one caller.",
            "Minimum": "1",
            "Maximum": "1",
            "Applies to": {"Of these ranks": ["Caller"]},
        },
    )


def write_dice(author: Author) -> None:
    """Write a roll in steps, with its outcomes, and two dice tables with what happens."""
    author.add(
        "Rolls",
        "Add a roll",
        {
            "Name": "Calling",
            "Steps": [
                (
                    "throws dice and adds them up",
                    {
                        "Name of the total": "call",
                        "How many dice": "1",
                        "Sides of a die": "20",
                        "Added to the total": "by.will",
                    },
                ),
                ("sets a number", {"Name of the number": "need", "Number or formula": "15"}),
            ],
            "Outcomes": [
                ("", {"Name": "It comes at once", "This is the outcome if": "call >= need"}),
                ("", {"Name": "Silence"}),
            ],
        },
    )
    author.add(
        "Dice tables",
        "Add a dice table",
        {"Name": "Frights", "Dice": "1d6", "Rows": "1; Taken along\n2-5; Bad dreams\n6; Alone"},
        {"Name": "Insights", "Dice": "1d6", "Rows": "1-6; A firmer will"},
    )
    author.change_dice_row("Frights", "1 · Taken along", {"What happens": [("dies", {})]})
    rise = [("a characteristic rises", {"Characteristic": "Will"})]
    author.change_dice_row("Insights", "1–6 · A firmer will", {"What happens": rise})


def write_campaign(author: Author) -> None:
    """Write what happens after a game: fates, experience, advances, holdings, income, upkeep."""
    author.add(
        "How members end a game",
        "Add a way to end a game",
        {"Name": "Frightened off", "Text": "Rolls a die."},
    )
    sulking = {"Name": "Sulking", "Text": "Was not paid.", "For how many games": "1"}
    author.add("Lasting conditions", "Add a condition", {**sulking, "Cannot play meanwhile": True})
    calm = [("adds to a characteristic", {"Characteristic": "Will", "Amount": "1"})]
    author.add(
        "Holdings",
        "Add a holding",
        {"Name": "Empty house", "Price (candles)": "4", "What it changes": calm},
    )
    author.add("Experience awards", "Add an award", {"Name": "Took part"})
    author.add(
        "Advances at thresholds",
        "Add advances",
        {"Name": "Séances", "Then one for every": "1", "Dice table": "Insights"},
    )
    author.add(
        "Income per holder",
        "Add an income",
        {"Name": "Visitors", "For each holding": ["Empty house"], "Amount": "3"},
    )
    author.add(
        "Upkeep",
        "Add an upkeep",
        {
            "Name": "Care of the bells",
            "For each member": {"Of these ranks": ["Sitter"]},
            "For each item with the property": ["brass"],
            "Amount": "1",
            "If it is not paid": [("gets a condition", {"Condition": "Sulking"})],
        },
    )
    author.change("Results of a game", "Won", {"Money for the winner": "8"})
    for kind, name, more in (
        ("Injuries", "Frights", {"Dice table": "Frights"}),
        ("Experience", "Lessons", {}),
        ("Advances", "Insight", {}),
        ("Upkeep", "Rent", {}),
    ):
        author.add(
            "Steps after a game",
            "Add a step",
            {"Name": name, "Text": "After each game.", "Placed before": "Recruits", **more},
            kind=kind,
        )


def publish(author: Author) -> None:
    """Look at the preview, and publish the game without a mistake."""
    person, page = author.person, author.page
    person.open(author.game)
    expect(page.locator("#checks")).to_contain_text("No mistakes: the game can be played.")
    person.look("own-game")
    person.follow("Preview")
    expect(page.locator("main")).to_contain_text("Caller")
    person.look("own-game-preview")
    person.open(author.game)
    person.follow("Publish…")
    person.look("own-game-publish")
    person.press("Publish")
    expect(page.locator("main")).to_contain_text("version 1 is published")


def build_gang(person: Person) -> Gang:
    """Create a gang with the published version, through its link."""
    person.follow("create a gang with it")
    person.fill("Name of the gang", "The Ninth Circle")
    person.press("Create gang")
    expect(person.page.locator("h1")).to_have_text("The Ninth Circle")
    for rank, name in (("Caller", "Maud"), ("Sitter", "Ned"), ("Sitter", "Olive")):
        recruit(person, rank, name)
        expect(person.page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    return Gang.objects.get(name="The Ninth Circle")


def type_roll(person: Person, name: str, faces: str) -> None:
    """Type the dice of the first roll that waits in a step of the post-game."""
    waiting = step(person, name)
    waiting.get_by_role("textbox").first.fill(faces)
    with person.page.expect_response(re.compile("/answer/$")):
        person.press("I rolled this", waiting)
    person.page.wait_for_load_state("networkidle")


def test_game_is_written_played_and_printed_without_json_or_toml(invite: Invite) -> None:
    alice, bob = (User.objects.create_user(name, password=PASSWORD) for name in ("alice", "bob"))
    person = invite()
    person.sign_in("alice")
    author = Author(person)
    author.begin("The Circle")
    person.look("own-game-empty")
    write_people(author)
    write_dice(author)
    write_campaign(author)
    publish(author)
    (state,) = BookDraft.objects.get(slug="the-circle").states.all()
    book = book_of(state.pk)
    assert [row.key for row in book.rolls[0].outcomes] == ["it_comes_at_once", "silence"]
    assert book.items[0].tags == {"brass"}

    gang = build_gang(person)
    answer = person.context.request.get(f"/gangs/{gang.pk}/sheet.pdf")
    printed = text_of(patiently(person, answer))
    assert all(name in printed for name in ("Maud", "Ned", "Olive"))

    members = [kinds.Recruited(rank="leader"), kinds.Recruited(rank="fighter")]
    founded = kinds.Founded(name="The Tenth", settings={})
    others = writer.found(state, [founded, *members], owner=bob)
    campaign = joining.start(
        name="Houses", version=state, settings={}, notes="", organiser=alice, token=uuid.uuid4()
    )
    for one in (gang, others):
        joining.join(campaign, one, actor=one.owner, expected_version=one.version)
    gang, others = (Gang.objects.get(pk=one.pk) for one in (gang, others))
    everybody = tuple(one.id for one in gang.roster.members)
    report = Report(fielded=everybody, marks={everybody[1]: "frightened-off"})
    game = make_game(campaign, alice, gang, others)
    game = reported(game, alice, result="won", reports={str(gang.pk): report})
    game = confirmed(game, bob)
    person.open(f"/campaigns/games/{game.pk}/postgame/{side_of(game, gang).pk}/")
    type_roll(person, "Frights", "3")
    expect(step(person, "Frights")).to_contain_text("Bad dreams")
    for _ in everybody:
        type_roll(person, "Insight", "2")
    hurry(person)
    commit(person, "own-game-changes")
    gang = Gang.objects.get(pk=gang.pk)
    assert gang.roster.treasury == 100 - 27 + 8
    assert all(member.raised for member in gang.roster.members)
