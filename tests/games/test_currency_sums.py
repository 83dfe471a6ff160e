"""Upkeep, incomes, ransoms and games without a battle in other currencies than money."""

from __future__ import annotations

import html
import uuid
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.engine import captives, underdog
from campaigns.engine.answers import choose
from campaigns.engine.captives import Terms
from campaigns.engine.holdings import hauls
from campaigns.engine.income import income
from campaigns.engine.report import Answers, Report
from campaigns.engine.script_state import Playthrough
from campaigns.files.exporting import export_campaign
from campaigns.games import results
from campaigns.games.captives import bargains
from campaigns.games.captives.forms import BargainForm
from campaigns.games.captives.text import sentences
from campaigns.games.unfought import account_without_battle
from campaigns.games.unfought_form import UnfoughtForm
from campaigns.models import Bargain, Game
from campaigns.postgames.text import compare_states
from campaigns.season.chronicle_text import chronicle_lines, plain
from campaigns.season.loading import load_season
from common.errors import Refusal
from gangs.cards.as_text import gang_text
from gangs.cards.render import render
from gangs.cards.sheet import member_worth
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.differences import between
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.purses import balance
from gangs.engine.roster import Roster
from gangs.engine.timeline import LedgerLine, replay
from gangs.history.entry_form import EntryForm, EntryMoment
from gangs.ledger import writer
from gangs.ledger.storage import replay_roster
from gangs.models import Gang
from gangs.text.entries import Describer
from gangs.text.passages import as_plain
from printing.pictures.gangs import picture_of
from rules.book.model import Book
from rules.book.season import Unfought, UpkeepStep
from rules.library import load
from rules.loading.check_building import check
from rules.reference_pages.campaign import campaign as rules_of_campaign
from rules.reference_pages.holdings import holdings as rules_of_holdings
from rules.reference_pages.words import BookWording
from tests.games.club import Club, recruit
from tests.games.test_currencies import corrected
from tests.world.campaigns import make_game, make_situation, rolled_out, side_of
from tests.world.gangs import played

ANN, MARY = 2, 3
FOUNDING: list[Entry] = [
    kinds.Founded(name="The Ninth", settings={}),
    kinds.Recruited(rank="caller", name="Ann"),
    kinds.Recruited(rank="medium", name="Mary"),
]
PROMISES = kinds.UpkeepPaid(upkeep="promises", paid=0, costs={"favour": 1}, members=(MARY,))


def gang_after(book: Book, *more: Entry) -> Roster:
    first = [*FOUNDING, played(book, "g1", ANN, MARY)]
    return fold(book, enumerate([*first, *more], start=1))


def due(book: Book, roster: Roster, answers: Answers | None = None) -> Playthrough:
    """Play the step of upkeep."""
    steps = tuple(one for one in book.campaign.steps if isinstance(one, UpkeepStep))
    book = book.changed(campaign=book.campaign.model_copy(update={"steps": steps}))
    game = make_situation(roster, "won", "winner")
    return rolled_out(book, roster, game, answers or Answers())


# Upkeep


def test_upkeep_is_paid_in_its_currency(circle: Book) -> None:
    before = gang_after(circle)
    through = due(circle, before)
    assert [one.entry for one in through.played if one.entry.kind == "upkeep_paid"] == [PROMISES]
    assert balance(circle, through.roster) == {"favour": 1}
    assert through.roster.treasury == before.treasury
    said = Describer(circle, before).describe(PROMISES)
    assert said == "Promises, paid 1 favours: Mary."
    rows = compare_states(circle, before, through.roster)
    assert ("Favours", 2, 1) in rows
    shifts = between(ComputedGang.of(circle, before), ComputedGang.of(circle, through.roster))
    assert [(one.before, one.after) for one in shifts.shifts if one.before == 2] == [(2, 1)]


def test_upkeep_beyond_the_currency_is_refused(circle: Book) -> None:
    poor = gang_after(circle, kinds.Fined(paid=0, costs={"favour": 2}))
    waiting = due(circle, poor)
    [question] = [one for one in waiting.questions.values() if one.chosen is None]
    refusals = [one.refusal and one.refusal.code for one in question.choices]
    assert refusals == ["lacks_currency", None]
    through = due(circle, poor, choose(waiting, Answers(), question.key, "unpaid"))
    assert through.complete
    assert [one.condition for one in through.roster.member(MARY).afflictions] == ["sulking"]


def test_upkeep_can_be_corrected_and_taken_back(circle: Book) -> None:
    form = corrected(circle, kinds.UpkeepPaid(upkeep="promises", paid=1), currency="favour")
    assert form.is_valid(), form.errors
    assert form.new_entry == kinds.UpkeepPaid(upkeep="promises", paid=0, costs={"favour": 1})
    form = corrected(circle, PROMISES.model_copy(update={"members": ()}), paid="2")
    assert form.is_valid(), form.errors
    assert form.new_entry == kinds.UpkeepPaid(upkeep="promises", paid=0, costs={"favour": 2})
    assert balance(circle, gang_after(circle, PROMISES)) == {"favour": 1}
    assert balance(circle, gang_after(circle)) == {"favour": 2}


def test_upkeep_page_names_the_currency(client: Client, players: list[User], circle: Book) -> None:
    club = Club(circle, players[0], players)
    club.found("The Ninth", recruit("caller", "Ann"), recruit("medium", "Mary"))
    club.found("The Tenth", recruit("caller", "Ben"))
    gangs = [club.gang(name) for name in club.keys]
    game = make_game(club.campaign, players[0], *gangs)
    sides = {
        side_of(game, gang).pk: results.SideAccount(
            kind, Report(fielded=tuple(one.id for one in gang.roster.members))
        )
        for gang, kind in zip(gangs, ("winner", "loser"), strict=True)
    }
    account = results.Account(result="won", played_on=game.played_on, sides=sides)
    results.decide(game, account=account, actor=players[0], expected_version=game.version)
    client.force_login(players[0])
    side = side_of(Game.objects.get(), gangs[0])
    address = reverse("campaigns:postgame", args=[game.pk, side.pk])
    page = html.unescape(client.get(address).content.decode()).replace("\xa0", " ")
    assert "1 favours" in page


# Incomes


def test_haul_and_daring_bring_esteem(terraces: Book) -> None:
    rules = terraces.under(terraces.default_settings())
    roster = fold(
        terraces,
        enumerate(
            [
                kinds.Founded(name="South", settings=terraces.default_settings()),
                kinds.Recruited(rank="elder"),
            ],
            start=1,
        ),
    )
    report = Report(tallies={"baskets": 6}, fielded=(2,))
    game = make_situation(roster, "won", "winner", report=report, rating=10, opponents=(80,))
    found = [(one.amount, one.currency) for one in hauls(rules, game, 1) if one.key == "talk"]
    assert found == [(1, "esteem")]
    daring = [one for one in income(rules, game) if one.why == "underdog"]
    assert [(one.amount, one.currency, one.key) for one in daring] == [(2, "esteem", "daring")]
    said = Describer(terraces, roster).describe(daring[0])
    assert said == "The gang earned 2 esteem: Daring."
    assert underdog.is_known(rules)


# Games without a battle


@pytest.fixture
def slope(players: list[User], terraces: Book) -> Club:
    club = Club(terraces, players[0], players)
    for name in ("South", "North"):
        club.found(name, recruit("elder", f"Elder of {name}"))
    return club


def settle(club: Club, actor: User, game: Game, how: str, *absent: str, why: str = "") -> Game:
    sides = list(game.sides.select_related("gang__owner"))
    keys = [side.pk for side in sides if side.gang_id in [club.keys[name] for name in absent]]
    account = account_without_battle(game, sides, how, keys)  # type: ignore[arg-type]
    version = game.version
    results.decide(game, account=account, actor=actor, expected_version=version, why=why)
    return Game.objects.get(pk=game.pk)


def purses(gang: Gang) -> tuple[float, dict[str, int]]:
    assert replay_roster(gang) == gang.roster
    return gang.roster.treasury, dict(gang.roster.purses)


@pytest.mark.django_db
def test_unfought_game_pays_in_currencies_and_takes_back(
    slope: Club, client: Client, players: list[User]
) -> None:
    organiser = players[0]
    game = make_game(slope.campaign, organiser, *(slope.gang(name) for name in ("South", "North")))
    form = UnfoughtForm(game, list(game.sides.select_related("gang__owner")))
    [brings] = [group.brings for group in form.groups if "no-show" in group.presses[0][0]]
    assert "Esteem: winner 2, loser 0" in brings and "winner 3" in brings
    before = slope.gang("South").roster.treasury
    game = settle(slope, organiser, game, "no-show", "North")
    assert purses(slope.gang("South")) == (before + 3, {"esteem": 2})
    assert slope.gang("North").roster.purses == {}
    client.force_login(organiser)
    page = html.unescape(client.get(game.get_absolute_url()).content.decode())
    assert "<dt>Esteem</dt><dd>2</dd>" in page
    # The file keeps what was paid.
    file = "".join(export_campaign(slope.campaign).decode().split())
    assert '"rewards":{"esteem":2}' in file
    # The other side, then nobody.
    game = settle(slope, organiser, game, "no-show", "South", why="A slip.")
    assert purses(slope.gang("South")) == (before, {})
    assert slope.gang("North").roster.purses == {"esteem": 2}
    game = settle(slope, organiser, game, "void", why="Nobody knows.")
    assert slope.gang("North").roster.purses == {}


def test_recorded_draw_pays_in_currencies(circle: Book) -> None:
    row = circle.campaign.unfought[0].model_copy(update={"how": "recorded"})
    campaign = circle.campaign.model_copy(update={"unfought": (row,)})
    book = circle.changed(campaign=campaign)
    game = make_situation(gang_after(book), "", "level", how="recorded")
    found = [(one.amount, one.currency) for one in income(book.under({}), game)]
    assert found == [(1, "favour")]


def test_checker_names_senseless_rewards(circle: Book) -> None:
    def mistakes(**values: object) -> list[str]:
        data = circle.campaign.unfought[0].model_dump() | values
        row = Unfought.model_validate(data)
        campaign = circle.campaign.model_copy(update={"unfought": (row,)})
        return [
            ".".join(map(str, path)) for path, _words in check(circle.changed(campaign=campaign))
        ]

    assert mistakes() == []
    found = mistakes(rewards=[{"currency": "favour", "winner": 1}])
    assert found == ["campaign.unfought.0.rewards.0.winner"]
    assert mistakes(rewards=[{"currency": "fame", "each": 1}]) != []


# Captives


KEPT = kinds.Suffered(member=MARY, condition="kept", against="The Tenth", captors=("abc",))


def test_ransom_is_paid_in_the_currency_of_the_step(circle: Book) -> None:
    held = gang_after(circle, KEPT)
    [captive] = captives.find_held(circle, held)
    assert (captive.price, captive.currency) == (None, "favour")
    terms = Terms(frees=(("giver", MARY),), ransom=2, payer="giver", currency="favour")
    [freed] = captives.entries_for(terms, "giver", circle, held)
    assert freed == kinds.Recovered(member=MARY, condition="kept", costs={"favour": 2})
    other = gang_after(circle)
    [earned] = captives.entries_for(terms, "taker", circle, other)
    assert earned == kinds.Earned(amount=2, why="ransom", currency="favour")
    assert balance(circle, gang_after(circle, KEPT, freed)) == {"favour": 0}
    assert balance(circle, gang_after(circle, earned)) == {"favour": 4}
    assert Describer(circle, held).describe(earned) == "The gang was paid a ransom: 2 favours."
    for change, code in (
        ({"ransom": 3}, "lacks_currency"),
        ({"currency": None}, "ransom_currency"),
        ({"ransom": 1.5}, "ransom_currency"),
    ):
        with pytest.raises(Refusal, match=code):
            captives.entries_for(terms.model_copy(update=change), "giver", circle, held)


def test_correction_of_a_ransom_asks_for_its_currency(circle: Book) -> None:
    roster = gang_after(circle, KEPT)
    freed = kinds.Recovered(member=MARY, condition="kept", costs={"favour": 2})
    moment = EntryMoment(circle, roster, 40)
    form = EntryForm(moment, freed.kind, freed)
    assert [form.initial[key] for key in ("paid", "currency")] == [2, "favour"]


def test_timeline_keeps_ransoms_and_purses(circle: Book) -> None:
    freed = kinds.Recovered(member=MARY, condition="kept", costs={"favour": 2})
    entries = [*FOUNDING, KEPT, played(circle, "g1", ANN), freed]
    now = datetime(2026, 5, 1, tzinfo=UTC)
    batches = ["a", "a", "a", "b", "c", "c"]
    lines = [
        LedgerLine(number, number, entry, now, batch)
        for number, (entry, batch) in enumerate(zip(entries, batches, strict=True), start=1)
    ]
    _roster, timeline = replay(circle, lines)
    assert timeline.start is not None and timeline.start.purses == {"favour": 2}
    assert [moment.purses for moment in timeline.moments] == [{"favour": 0}]
    [event] = [one for one in timeline.events if one.kind == "recovered"]
    assert event.costs == {"favour": 2}


@pytest.mark.django_db
def test_bargain_names_and_pays_the_currency(players: list[User], circle: Book) -> None:
    club = Club(circle, players[0], players)
    club.found("The Ninth", recruit("caller", "Ann"), recruit("medium", "Mary"))
    club.found("The Tenth", recruit("caller", "Ben"))
    ninth, tenth = (club.gang(name) for name in club.keys)
    suffered = KEPT.model_copy(update={"captors": (str(tenth.pk),)})
    writer.append(
        ninth, [played(circle, "g1", ANN), suffered], expected_version=ninth.version, actor=None
    )
    ninth, tenth = (club.gang(name) for name in club.keys)
    names = {ninth.pk: "The Ninth", tenth.pk: "The Tenth"}
    found = bargains.between(bargains.prisoners(club.campaign), ninth, tenth)

    def form(ransom: str) -> BargainForm:
        token = str(uuid.uuid4())
        key = f"giver-{MARY}"
        data = {"frees": [key], "payer": "giver", "ransom": ransom, "token": token}
        return BargainForm(ninth, tenth, found, names, data)

    assert form("2").fields["ransom"].label == "Ransom (favours)"
    assert form("1.5").errors["ransom"] == ["A whole number."]
    sent = form("2")
    assert sent.is_valid(), sent.errors
    bargain = bargains.offer(
        club.campaign,
        ninth,
        tenth,
        sent.terms(),
        note="",
        actor=players[0],
        token=uuid.uuid4(),
    )
    said = sentences(circle, bargain, names)
    assert said[-1].replace("\xa0", " ") == "The Ninth pays 2 favours to The Tenth."
    versions = (ninth.version, tenth.version)
    bargains.agree(bargain, actor=players[1], expected_version=versions)
    assert [club.gang(name).roster.purses for name in club.keys] == [{"favour": 0}, {"favour": 2}]
    assert Bargain.objects.get().status == Bargain.Status.AGREED
    lines = chronicle_lines(load_season(club.campaign.pk).season)
    assert any("paid 2 favours" in plain(circle, line).replace("\xa0", " ") for line in lines)


# Pages, texts, pictures


@pytest.mark.django_db
def test_texts_pictures_and_programs_show_currencies(
    client: Client, alice: User, terraces: Book
) -> None:
    founding: list[Entry] = [
        kinds.Founded(name="South", settings=terraces.default_settings()),
        kinds.Recruited(rank="elder", name="Odile"),
        kinds.Bought(item="stave", member=2),
        kinds.Bought(item="spike", member=2, on=3),
    ]
    gang = writer.found(load(terraces)[0], founding, owner=alice)
    page = render(ComputedGang.of(terraces, gang.roster), "en")
    assert [(one.key, one.amount) for one in page.cards[0].costs] == [("esteem", 3)]
    assert "3 esteem" in member_worth(page, page.cards[0])
    text = as_plain(gang_text(page, "Terraces"))
    assert "Esteem -3 esteem" in text.replace("\N{MINUS SIGN}", "-").replace("\xa0", " ")
    assert "3 esteem" in text.splitlines()[4].replace("\xa0", " ")
    assert "esteem" in picture_of(gang, "wide").facts


def test_rules_name_the_currencies_of_sums(terraces: Book, circle: Book) -> None:
    def facts(book: Book) -> dict[str, dict[str, str]]:
        words = BookWording(book, "en")
        sections = [*rules_of_holdings(words), *rules_of_campaign(words)]
        return {
            piece.anchor: {
                fact.label: fact.values[0].text.replace("\xa0", " ") for fact in piece.facts
            }
            for section in sections
            for piece in section.pieces
        }

    known, others = facts(circle), facts(terraces)
    assert known["upkeep-promises"]["Price"] == "1 favours"
    assert known["unfought-lights_out"]["Favours"] == "each 1"
    assert others["haul-talk"]["Currency"] == "Esteem"
    assert others["underdog-daring"]["At most"] == "2 esteem"
    assert others["unfought-nobody"]["Esteem"] == "winner 2, loser 0"
