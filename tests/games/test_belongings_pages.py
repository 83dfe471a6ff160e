"""Owners and teachers on the pages of gangs and post-games, in files and on paper."""

from __future__ import annotations

import html
import json
import re
import uuid

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import User
from campaigns.club.people import joining
from campaigns.engine.report import Report
from campaigns.models import Side
from gangs.cards.groups import gather_cards
from gangs.cards.render import render
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.fold import fold
from gangs.engine.roster import FOLLOWED
from gangs.files.exporting import export_gang
from gangs.files.format import read_file
from gangs.history.entry_form import EntryForm, EntryMoment
from gangs.ledger import writer
from gangs.ledger.writer import replay_roster
from gangs.models import Gang, StoredEntry
from printing.members.values import paper_member
from rules.book.model import Book
from rules.book.since import format_needed
from rules.library import load
from tests.games.test_belongings import OTTO, PET, RAVEN, VERA
from tests.games.test_teachers import KNOWN
from tests.gangs.builder.test_builder import Player
from tests.world.campaigns import confirmed, make_game, reported, side_of

pytestmark = pytest.mark.django_db
FIRST = [
    kinds.Founded(name="Lodge", settings={}),
    kinds.Recruited(rank="caller", name="Vera"),
    kinds.Recruited(rank="medium", name="Otto"),
    kinds.Recruited(rank="sitter", name="Ann"),
]


def words(browser: Client, address: str) -> str:
    """Return a page as words, without tags."""
    said = browser.get(address)
    assert said.status_code == 200
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", said.content.decode())))


def test_builder_recruits_for_an_owner_and_hands_over(
    client: Client, alice: User, circle: Book
) -> None:
    client.force_login(alice)
    gang = writer.found(load(circle)[0], FIRST, owner=alice)
    player = Player(client, gang)
    page = client.get(player.base).content.decode()
    assert re.search(r'<select name="owner".*?>Vera<.*?>Otto<', page, re.S)
    refused = player.press("members/", rank="raven", name="Corax", count="1")
    assert refused.status_code == 422
    assert "Raven: choose whom they belong to." in html.unescape(refused.content.decode())
    player.press("members/", rank="raven", name="Corax", count="1", owner=VERA)
    assert [one.name for one in player.roster().members] == ["Vera", "Corax", "Otto", "Ann"]
    assert player.press("members/", rank="raven", name="X", owner="77").status_code == 422
    page = words(client, f"{player.base}?open={RAVEN}")
    assert "belongs to Vera" in page and "with Corax" in page
    player.press(f"members/{RAVEN}/", name="Corax", notes="", owner=OTTO)
    assert player.roster().member(RAVEN).owner == OTTO
    history = words(client, f"{player.base}history/")
    assert "Belongs to Vera." in history and "Corax now belongs to Otto." in history
    # An owner who is sent away takes the raven along; undone, both are back.
    player.press(f"members/{OTTO}/dismissal/")
    assert [one.name for one in player.roster().members] == ["Vera", "Ann"]
    assert "With them left: Corax." in words(client, f"{player.base}history/")
    player.press("undo/")
    assert [one.name for one in player.roster().members] == ["Vera", "Otto", "Corax", "Ann"]
    assert replay_roster(gang) == gang.roster
    for part in ("sheet/", ""):
        assert "belongs to Otto" in words(client, f"{player.base}{part}")


def test_files_keep_owners_and_teachers_in_the_newest_format(alice: User, circle: Book) -> None:
    novice = kinds.Recruited(rank="novice", name="Nic", owner=VERA)
    learned = kinds.TraitTaken(member=5, trait="mist", teacher=OTTO)
    handed = kinds.OwnerChosen(member=9, owner=OTTO)
    entries = [*FIRST, novice, *KNOWN, PET, handed, learned]
    gang = writer.found(load(circle)[0], entries, owner=alice)
    assert gang.roster.member(9).owner == OTTO
    exported = export_gang(gang)
    read = read_file(exported.encode())
    assert [one.entry for one in read.records] == entries
    assert fold(circle, [(one.seq, one.entry) for one in read.records]) == gang.roster
    assert json.loads(exported)["format_version"] == 3
    data = circle.model_dump(mode="json", exclude_defaults=True)
    assert format_needed({"ranks": data["ranks"]}) == 3


class Lodge:
    """A circle with a novice and a raven after a game won, and the browser of its player."""

    def __init__(self, book: Book, player: User, other: User) -> None:
        version, _is_new = load(book)
        campaign = joining.start(
            name="The long winter",
            version=version,
            settings={},
            notes="",
            organiser=player,
            token=uuid.uuid4(),
        )
        more = [
            kinds.Recruited(rank="novice", name="Nic", owner=VERA),
            kinds.Recruited(rank="raven", name="Corax", owner=OTTO),
            *KNOWN,
        ]
        gangs = []
        for user in (player, other):
            gang = writer.found(version, [*FIRST, *more], owner=user)
            joining.join(campaign, gang, actor=user, expected_version=gang.version)
            gangs.append(Gang.objects.get(pk=gang.pk))
        self.gang = gangs[0]
        everyone = tuple(one.id for one in self.gang.roster.members)
        game = make_game(campaign, player, *gangs)
        report = Report(fielded=everyone, marks={OTTO: "out", 6: "out"})
        reports = {str(gangs[0].pk): report, str(gangs[1].pk): Report(fielded=everyone)}
        game = reported(game, player, result="won", reports=reports)
        self.side = side_of(confirmed(game, other), self.gang)
        self.browser = Client()
        self.browser.force_login(player)

    def url(self, name: str) -> str:
        return reverse(f"campaigns:{name}", args=[self.side.game_id, self.side.pk])

    def answer(self, act: str, **data: object) -> str:
        seen = Side.objects.get(pk=self.side.pk).draft_version
        sent = {"act": act, "seen": seen, **data}
        assert self.browser.post(self.url("postgame-answer"), sent).status_code == 302
        return words(self.browser, self.url("postgame"))

    def hire(self, name: str, owner: int) -> None:
        self.answer("hire", rank="raven", name=name, owner=owner)

    def commit(self) -> Gang:
        """Finish recruiting, and write the post-game."""
        self.answer("finish", step="seats")
        side = Side.objects.get(pk=self.side.pk)
        sent = {"seen": side.draft_version, "seen_gang": self.gang.version}
        said = self.browser.post(self.url("postgame-commit"), sent)
        assert said.status_code == 302, html.unescape(said.content.decode())
        gang = Gang.objects.get(pk=self.gang.pk)
        assert replay_roster(gang) == gang.roster
        return gang


def test_post_game_asks_for_a_teacher_and_buries_the_owner_of_a_raven(
    circle: Book, alice: User, bob: User
) -> None:
    lodge = Lodge(circle, alice, bob)
    page = lodge.answer("typed", key=f"frights:{OTTO}:frights", faces="1")
    assert "With them left: Corax." in page
    # Otto is dead, so that only Vera teaches.
    assert "Call the mist from Vera" in page and "from Otto" not in page
    page = lodge.answer("choose", key=question_of(lodge), option=f"mist:{VERA}")
    assert "Nic , Novice · Call the mist from Vera" in page
    lodge.hire("Rook", owner=VERA)
    gang = lodge.commit()
    assert [one.name for one in gang.roster.members] == ["Vera", "Nic", "Rook", "Ann"]
    assert [(one.member.name, one.fate) for one in gang.roster.departed] == [
        ("Otto", "dead"),
        ("Corax", FOLLOWED),
    ]
    assert gang.roster.member(5).traits == ("mist",)
    # The sheet remembers both, each with their end.
    page = words(lodge.browser, gang.get_absolute_url())
    assert "✝ dead" in page and "left with their owner" in page
    history = words(lodge.browser, f"{gang.get_absolute_url()}history/")
    assert "Otto is dead. With them left: Corax." in history
    assert "Nic learned Call the mist from Vera." in history
    page = words(lodge.browser, f"{gang.get_absolute_url()}members/6/career/")
    assert "Left with their owner." in page


def question_of(lodge: Lodge) -> str:
    """Return the key of the question about the novice's advance."""
    said = lodge.browser.get(lodge.url("postgame")).content.decode()
    [key] = set(re.findall(r'name="key" value="(novices?[^"]*|[a-z]+:5:[^"]*)"', said))
    return key


def test_correction_of_a_recruit_offers_owners_of_that_moment(
    client: Client, alice: User, circle: Book
) -> None:
    client.force_login(alice)
    gang = writer.found(load(circle)[0], [*FIRST, PET], owner=alice)
    row = StoredEntry.objects.get(gang=gang, number=RAVEN)
    moment = EntryMoment.of(gang, row)
    form = EntryForm(moment, "recruited", PET)
    assert form.initial["owner"] == str(VERA)
    sent = QueryDict(urlencode({"rank": "raven", "name": "Corax", "paid": "0", "owner": str(OTTO)}))
    changed = EntryForm(moment, "recruited", PET, sent)
    assert changed.is_valid(), changed.errors
    assert changed.new_entry == PET.model_copy(update={"owner": OTTO})
    said = QueryDict(urlencode({"rank": "raven", "name": "", "paid": "0", "owner": "77"}))
    assert "owner" in EntryForm(moment, "recruited", PET, said).errors
    # Without the owner's entry, the raven's no longer fits.
    first = StoredEntry.objects.get(gang=gang, number=VERA)
    page = words(client, f"{gang.get_absolute_url()}history/correct/?strike={first.seq}")
    assert "Corax" in page and "the member is no longer there" in page


def test_paper_names_the_owner(alice: User, circle: Book) -> None:
    roster = fold(circle, enumerate([*FIRST, PET], start=1))
    computed = ComputedGang.of(circle, roster)
    groups = gather_cards(computed, render(computed, "en"))
    shown = {one.card.name: paper_member(computed, one, "en").card.standing for one in groups}
    assert shown["Corax"] == "Raven · belongs to Vera"
