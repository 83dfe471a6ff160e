"""Boxes to tick at the table, in addition to life, on every printed page for a game."""

from __future__ import annotations

import re

import pytest
from django.utils.translation import override

from accounts.models import User
from campaigns.models import Game
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from printing.members.ticks import BOX, MOST, Ticked, find_ticks, lines
from printing.paper.orders import STYLES, Style
from printing.press import layout as press
from printing.press.jobs import Job
from printing.season import pack
from printing.season.pack_views import tables_of
from printing.sheets import cards as prints_cards
from printing.sheets import roster as prints_sheet
from printing.sheets.cards import CardsOrder
from printing.sheets.roster import SheetOrder
from rules.book.model import Book
from rules.book.schema import Tick
from rules.book.vocabulary import Selector, Text
from tests.printing.reading import printed, squeezed, text_of, troubles
from tests.random_cases import one_soon
from tests.world.campaigns import make_campaign, make_game, make_player
from tests.world.gangs import POINTS, rostered, shipped

pytestmark = pytest.mark.papers


def gang(book: Book, *members: tuple[str, str | None, tuple[str, ...]]) -> ComputedGang:
    """Members of these ranks and professions with these items."""
    made: list[Entry] = [kinds.Founded(name="Tickers", settings=book.default_settings())]
    for rank, profession, items in members:
        made.append(kinds.Recruited(rank=rank, name=f"Member {len(made)}"))
        number = len(made)
        if profession:
            made.append(kinds.ProfessionChosen(member=number, profession=profession))
        made += [kinds.Bought(item=item, member=number) for item in items]
    return ComputedGang.of(book, rostered(book, made))


def ticks_of(computed: ComputedGang, language: str = "en") -> list[dict[str, int]]:
    """Each member's trackers, with their number of boxes."""
    return [
        {one.label: one.boxes for one in find_ticks(computed, member.id, language)}
        for member in computed.roster.members
    ]


def job_of(kind: str, computed: ComputedGang, style: Style, language: str = "en") -> Job:
    with override(language):
        if kind == "sheet":
            return Job(prints_sheet.markup(computed, SheetOrder(language, style=style)))
        return Job(
            prints_cards.markup(computed, CardsOrder(language, style=style)), ("fonts", "cards")
        )


LEADER = ("leader", "bounty_hunter", ())
GAMBLER = ("professional", "gambler", ())


def test_leader_has_boxes_for_luck_and_gambler_for_a_re_roll() -> None:
    book = shipped(POINTS)
    computed = gang(book, ("leader", "gambler", ()), GAMBLER, ("henchman", None, ()))
    assert ticks_of(computed) == [{"Luck dice": 3, "Re-roll": 1}, {"Re-roll": 1}, {}]
    assert ticks_of(computed, "fr")[0] == {"Dés de chance": 3, "Relance": 1}


def test_every_weapon_has_its_own_jam_box() -> None:
    """Each copy has a box; thrown weapons and swords have none."""
    computed = gang(
        shipped("cran"),
        ("veteran", None, ("lemat", "lemat", "carbine")),
        ("novice", None, ("thrown", "sword")),
    )
    states = {"Shaken": 1, "Down": 1}
    assert ticks_of(computed) == [{**states, "Jammed": 3, "LeMat: sawn-off shot": 2}, states]


def test_house_value_is_marked_and_boxes_are_limited() -> None:
    word = Text(en="Spilt", fr="Renversée")
    tick = Tick(key="spilt", name=word, source="house", boxes=6, groups=("ranged",))
    book = shipped("cran").changed(ticks=(tick,))
    (only,) = ticks_of(gang(book, ("novice", None, ("carbine",) * 5)))
    assert only == {"Spilt\u00a0†": MOST}
    hidden = tick.model_copy(update={"status": "hidden"})
    assert ticks_of(gang(book.changed(ticks=(hidden,)), ("novice", None, ("carbine",)))) == [{}]


@pytest.mark.parametrize("kind", one_soon(["sheet", "cards"]))
@pytest.mark.parametrize("style", STYLES)
def test_only_members_with_a_tracker_have_its_boxes(kind: str, style: Style) -> None:
    computed = gang(shipped(POINTS), LEADER, ("henchman", None, ()), ("henchman", None, ()))
    made = job_of(kind, computed, style)
    assert made.html.count("<title>Luck dice 3</title>") == 1
    assert text_of(printed(made)).count(squeezed("Luck dice")) == 1
    before_the_others = made.html.split("Member 4")[0]
    assert "<title>Luck dice 3</title>" in before_the_others
    assert troubles(made, "paper" if kind == "cards" else "margins") == []


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sheet", "cards"])
@pytest.mark.parametrize("language", ["en", "fr"])
def test_boxes_and_labels_are_not_clipped(kind: str, language: str) -> None:
    """The longest labels and the most boxes that a rulebook may ask for."""
    book = shipped("cran")
    label = Text(en="Wwwwwwwww Wwwwwwwwww Www", fr="Mmmmmmmmmm Mmmmmmmmm Mmm")
    more = [
        Tick(key=f"tick{number}", name=label, source="sheet", boxes=6, groups=("ranged",))
        for number in range(4)
    ]
    book = book.changed(ticks=(*book.ticks, *more))
    computed = gang(book, *[("novice", None, ("lemat", "carbine", "musket"))] * 7)
    made = job_of(kind, computed, "ink", language)
    assert troubles(made, "paper" if kind == "cards" else "margins") == []
    assert len(re.findall(rf"<title>{label.translated(language)} {MOST}</title>", made.html)) == 28


def test_blank_card_has_the_boxes_that_everybody_has() -> None:
    book = shipped("cran")
    with override("en"):
        html = prints_cards.markup(gang(book), CardsOrder("en", spares=1))
    assert re.findall(r"<title>(.*?) 1</title>", html) == ["Shaken", "Down"]
    picked = book.ticks[0].model_copy(update={"of": Selector(ranks=("hero",))})
    with override("en"):
        html = prints_cards.markup(gang(book.changed(ticks=(picked,))), CardsOrder("en", spares=1))
    assert "<title>Shaken 1</title>" not in html


def test_lines_of_boxes_are_never_broken() -> None:
    one = Ticked("Luck", 3)
    across = one.across(7)
    assert across > 3 * BOX
    assert lines((), 7, 50) == 0
    assert [lines((one,) * 2, 7, room) for room in (across, 2 * across + 4)] == [2, 1]


@pytest.mark.long
@pytest.mark.django_db
def test_pack_for_a_game_prints_the_boxes(bob: User, alice: User) -> None:
    campaign = make_campaign(bob, POINTS)
    sides = [make_player(campaign, player) for player in (alice, bob)]
    game = make_game(campaign, alice, *sides)
    game = Game.objects.select_related("campaign").get(pk=game.pk)
    made = pack.job(game.campaign, tables_of([game]), pack.PackOrder("en"))
    leaders = [
        member
        for side in game.sides.select_related("gang")
        if side.gang is not None
        for member in side.gang.roster.members
        if member.rank == "leader"
    ]
    assert leaders and made.html.count("<title>Luck dice 3</title>") == len(leaders)
    assert text_of(press.pdf(made)).count(squeezed("Luck dice")) == len(leaders)
