"""A night of the sixth rulebook, page by page: crews, sheets, a campaign, a game, a post-game."""

from __future__ import annotations

import html
import io
import re
from typing import Any

import pytest
from django.urls import reverse
from pypdf import PdfReader

from campaigns.models import Campaign, Game, Side
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Affliction, Departed, Member, OwnedItem, Rise, Roster
from gangs.engine.valuation import gang_rating
from gangs.ledger.writer import replay_roster
from gangs.models import Gang
from rules.book.model import Book
from rules.reference_pages.chapters import render
from tests.sixth.conftest import Browser

pytestmark = pytest.mark.django_db


def remarks(book: Book, page: str) -> list[str]:
    """Return the codes of the limits whose findings are on a gang's page."""
    section = html.unescape(page[page.index('id="findings"') :].split("</section>")[0])
    lines = [re.sub(r"<[^>]+>", "", line) for line in section.split("<li ")[1:]]
    said = []
    for limit in book.limits:
        words = re.sub(r"\\{\w+\\}", ".+", re.escape(limit.text["en"]))
        said += [limit.code] * sum(re.search(words, line) is not None for line in lines)
    return said


def build(builder: Browser, book: Book) -> Gang:
    """Build the Low Lanterns, click by click."""
    new = reverse("gangs:new", args=["moor-ghosts"])
    builder.send(new, name="The Low Lanterns", **{"option-folk": "fen"})
    gang = Gang.objects.get(name="The Low Lanterns")
    page = gang.get_absolute_url()
    # A new gang has a list of things to do, and no mistakes yet.
    empty = builder.open(page)
    assert remarks(book, empty) == [] and "3 to do" in " ".join(empty.split())

    def press(where: str, **data: Any) -> None:
        builder.send(page + where, drawn=page, **data)

    for rank, name in (("warden", "Odile"), ("bearer", "Bran"), ("wisp", "Spark")):
        press("members/", rank=rank, name=name, count="3" if rank == "wisp" else "1")
    gang.refresh_from_db()
    odile, bran, *wisps = (member.id for member in gang.roster.members)
    press(f"members/{odile}/", name="Odile", profession="guide")
    for trait in ("keeper", "old_hand"):
        press(f"members/{odile}/traits/", take=trait)
    for member in (odile, bran):
        press(f"members/{member}/points/", change="legs:1")
    bought = {odile: "storm_lamp", bran: "rushlight", wisps[0]: "peat_knife", wisps[1]: "bog_spear"}
    for member, item in [*bought.items(), (odile, "peat_knife"), (bran, "peat_knife")]:
        press(f"members/{member}/items/", buy=item)
    for member, name in zip(wisps, ("Pip", "Nib", "Tam"), strict=True):
        press(f"members/{member}/", name=name, squad="Sparks")
    gang.refresh_from_db()
    return gang


def take(organiser: Browser) -> Gang:
    """Take the Crag Crew, a sample gang."""
    organiser.send(reverse("gangs:new", args=["moor-ghosts"]), sample="crag-crew")
    return Gang.objects.get(name="The Crag Crew")


def named(gang: Gang) -> dict[str, int]:
    """Return the members' ids by name."""
    return {member.name: member.id for member in gang.roster.members}


@pytest.mark.long
def test_a_crew_built_by_hand_matches_the_sample(builder: Browser, loaded: Book) -> None:
    gang = build(builder, loaded)
    computed = ComputedGang.of(loaded, gang.roster)
    assert (computed.price, computed.left, gang.rating) == (53, 7, 20)
    shown = builder.open(gang.get_absolute_url())
    assert remarks(loaded, shown) == ["M-27"]
    new = reverse("gangs:new", args=["moor-ghosts"])
    builder.send(new, sample="low-lanterns", gang_name="The Second Lanterns")
    model = Gang.objects.exclude(pk=gang.pk).get().roster
    for mine, other in zip(gang.roster.members, model.members, strict=True):
        assert [item.key for item in mine.items] == [item.key for item in other.items]
        same = ("name", "rank", "profession", "points", "traits", "squad")
        assert all(getattr(mine, key) == getattr(other, key) for key in same)


@pytest.mark.long
def test_the_page_shows_what_is_wrong_with_a_crew(builder: Browser, loaded: Book) -> None:
    gang = build(builder, loaded)
    page = gang.get_absolute_url()
    bran = named(gang)["Bran"]
    builder.send(f"{page}members/{bran}/traits/", drawn=page, take="stone_back")
    builder.send(f"{page}members/{bran}/items/", drawn=page, buy="bog_spear")
    shown = builder.open(page)
    assert {"M-08", "M-12"} <= set(remarks(loaded, shown))
    assert "A stone back is for tor folk; 1 others have it." in html.unescape(shown)


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_sheet_prints_names_and_values(alice: Any, loaded: Book, language: str) -> None:
    browser = Browser(alice, language)
    gang = build(Browser(alice), loaded)
    answer = browser.client.get(f"{gang.get_absolute_url()}sheet.pdf")
    pages = PdfReader(io.BytesIO(answer.content)).pages
    text = "".join("".join(page.extract_text() for page in pages).split())
    scores = ComputedGang.of(loaded, gang.roster).profiles[named(gang)["Odile"]].scores
    wanted = ["Odile", "Bran", "Pip", "6/5", "D12", "5k2", "Sparks", loaded.trait["fleet"].name]
    wanted += [loaded.item["storm_lamp"].name, loaded.origin["fen"].name]
    wanted += [score.characteristic.short for score in scores.values()]
    for row in wanted:
        said = row if isinstance(row, str) else row.translated(language)
        assert "".join(said.split()) in text, said


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_rules_pages_show_every_row(alice: Any, loaded: Book, language: str) -> None:
    browser = Browser(alice, language)
    base = reverse("rules:book", args=["moor-ghosts"])
    pages = browser.open(base)
    for chapter in render(loaded, language).chapters:
        pages += browser.open(f"{base}{chapter.key}/")
    pages = html.unescape(pages)
    campaign = loaded.campaign
    rows = [
        *loaded.settings,
        *loaded.characteristics,
        *loaded.ranks,
        *loaded.origins,
        *loaded.traits,
        *loaded.professions,
        *loaded.groups,
        *loaded.items,
        *loaded.adjustments,
        *loaded.conditions,
        *loaded.tables,
        *loaded.scenarios,
        *loaded.deployments,
        *loaded.references,
        *loaded.glossary,
        *campaign.results,
        *campaign.marks,
        *campaign.tallies,
        *campaign.awards,
        *campaign.promotions,
        *campaign.departures,
        *campaign.successions,
        *campaign.underdog,
        *campaign.steps,
        *(row for table in loaded.tables for row in table.rows),
    ]
    # Banned rows cannot be bought: the rules need not show them.
    missing = [
        row.name.translated(language)
        for row in rows
        if row.name.translated(language) not in pages and getattr(row, "status", "") != "banned"
    ]
    assert not missing


# A campaign, a game and its post-game ---------------------------------------------------------


class Night:
    """Both crews in a campaign, after the tor folk won a night at the drowned bell."""

    def __init__(self, builder: Browser, organiser: Browser, book: Book) -> None:
        self.browsers = {"low": builder, "crag": organiser}
        self.gangs = {"low": build(builder, book), "crag": take(organiser)}
        organiser.send(reverse("campaigns:new", args=["moor-ghosts"]), name="Autumn")
        self.campaign = Campaign.objects.get()
        for key, browser in self.browsers.items():
            url = reverse("campaigns:join", args=[self.campaign.invite_key])
            browser.send(url, gang=str(self.gangs[key].pk))
        keys = [str(gang.pk) for gang in self.gangs.values()]
        plan = reverse("campaigns:game-new", args=[self.campaign.pk])
        played = {"played_on": "2026-10-31", "scenario": "typed", "faces": "3 1"}
        builder.send(plan, gangs=keys, **played)
        self.game = Game.objects.get()
        self.report()
        organiser.send(
            f"{self.game.get_absolute_url()}verdict/", drawn=self.game.get_absolute_url()
        )

    def report(self) -> None:
        low, crag = self.side("low"), self.side("crag")
        at = {**named(self.gangs["low"])}
        data: dict[str, Any] = {"played_on": "2026-10-31", "result": "dawn", "winner": crag.pk}
        told = {"mark-Odile": "drowned", "mark-Bran": "out", "mark-Pip": "out", "mark-Nib": "out"}
        told |= {"ghosts-Bran": 3, "lights-Tam": 1}
        data |= self.fields(low, at, told) | {f"side{low.pk}-tally-bells": 1}
        at = named(self.gangs["crag"])
        told = {"mark-Garrick": "out", "mark-Isolt": "out", "mark-Dell": "fled", "lights-Cob": 1}
        data |= self.fields(crag, at, told)
        self.browsers["low"].send(reverse("campaigns:game-report", args=[self.game.pk]), **data)

    def fields(self, side: Side, at: dict[str, int], told: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of a report: all members took part; ``told`` has members by name."""
        data: dict[str, Any] = {f"side{side.pk}-in-{member}": "on" for member in at.values()}
        for field, value in told.items():
            what, name = field.split("-")
            data[f"side{side.pk}-{what}-{at[name]}"] = value
        return data

    def side(self, crew: str) -> Side:
        return Side.objects.select_related("gang", "game__campaign").get(gang=self.gangs[crew])

    def answer(self, crew: str, act: str, **data: Any) -> str:
        """Give one answer in a crew's post-game; return the resulting page."""
        page = reverse("campaigns:postgame", args=[self.game.pk, self.side(crew).pk])
        self.browsers[crew].send(f"{page}answer/", drawn=page, act=act, **data)
        return html.unescape(self.browsers[crew].open(page))

    def roll(self, crew: str, asked: str, faces: str) -> str:
        return self.answer(crew, "typed", key=asked, faces=faces)

    def commit(self, crew: str) -> Roster:
        page = reverse("campaigns:postgame", args=[self.game.pk, self.side(crew).pk])
        self.browsers[crew].send(f"{page}commit/", drawn=f"{page}preview/")
        gang = self.gangs[crew]
        gang.refresh_from_db()
        assert replay_roster(gang) == gang.roster
        return gang.roster


@pytest.fixture
def night(builder: Browser, organiser: Browser, loaded: Book) -> Night:
    return Night(builder, organiser, loaded)


@pytest.mark.long
def test_the_rolled_errand_becomes_the_scenario(night: Night) -> None:
    assert (night.game.scenario, night.side("low").gang.roster.settings["folk"]) == ("bell", "fen")
    assert night.game.scenario_roll["faces"] == [3, 1]
    night.game.refresh_from_db()
    assert night.game.status == Game.Status.CONFIRMED


@pytest.mark.long
def test_the_post_game_of_the_loser_gives_the_expected_roster(night: Night, loaded: Book) -> None:
    at = named(night.gangs["low"])
    bran, pip, nib, tam = (at[name] for name in ("Bran", "Pip", "Nib", "Tam"))
    before = night.gangs["low"].roster
    moor, wisps = f"fates:{bran}:moor", "fates:{}:wisps"
    # The moor calls twice; a deep result is rolled again; soaked twice, Bran is ill instead.
    assert "It calls twice" in night.roll("low", moor, "3 3")
    night.roll("low", f"{moor}:0:0:moor", "4 5")
    assert "Swallowed" in night.roll("low", f"{moor}:0:1:moor", "1 1")
    night.roll("low", f"{moor}:0:1:moor#1", "1 10")
    night.answer("low", "correct", key=f"{moor}:0:1:moor#1")
    night.roll("low", f"{moor}:0:1:moor#1", "5 5")
    night.roll("low", f"{moor}:0:1:moor#1:0:beyond:0:1d3", "2")
    # A die whose sides have names; a member with only one item to lose does not roll.
    night.roll("low", wisps.format(pip), "Smoke")
    assert "Lessons" in night.roll("low", wisps.format(nib), "flame")
    night.answer("low", "choose", key=f"advances:{bran}:0:0", option="cold_nerve")
    shown = night.answer("low", "hire", rank="bearer", name="Una")
    assert "Una" in shown
    night.answer("low", "finish", step="recruits")
    roster = night.commit("low")
    una = roster.members[-1].id
    kept = {member.id: member for member in before.members}
    assert roster == before.model_copy(
        update={
            "settings": {**before.settings, "toll": 2, "old_age": 12, "newcomers": "session"},
            "campaigns": (str(night.campaign.pk),),
            "played": (str(night.game.pk),),
            "first_size": 5,
            # Seven were left at the founding; 2 for the night, 3 ghosts, a bell at the toll of 2.
            "earned": 7 + 2 + 3 + 2,
            "spent": 8,
            "recruits_since_game": 1,
            "recruits_since_start": 1,
            "ranks_since_game": ("bearer",),
            "departed": (Departed(member=with_game(kept[at["Odile"]]), fate="dead"),),
            "members": (
                changed(
                    with_game(kept[bran]),
                    rank="warden",
                    base_rank="bearer",
                    taken_out=3,
                    # Taking part, two ghosts at most, a cold lesson; none of it at the new rank.
                    experience=4,
                    experience_before=4,
                    advances=0,
                    traits=("cold_nerve", "keeper"),
                    afflictions=(
                        Affliction(condition="soaked"),
                        Affliction(condition="fever", games_left=2),
                    ),
                ),
                changed(with_game(kept[pip]), experience=1, items=()),
                changed(with_game(kept[nib]), experience=1),
                changed(
                    with_game(kept[tam]),
                    rank="bearer",
                    worth_rank="bearer",
                    base_rank="wisp",
                    rises=(Rise(rank="bearer", traits=0),),
                    taken_out=1,
                    experience=2,
                    experience_before=2,
                ),
                Member(id=una, name="Una", rank="bearer", worth_rank="bearer"),
            ),
        }
    )
    computed = ComputedGang.of(loaded, roster)
    values = {key: str(score.value) for key, score in computed.profiles[bran].scores.items()}
    # Bran's own profile, but the calls of a warden; cold nerve, then soaked and ill.
    assert values == {
        **{"legs": "0", "aim": "5", "calls": "3", "nerve": "4/2", "eye": "D6"},
        **{"wick": "LLLG", "luck": "3k2"},
    }
    assert gang_rating(loaded, roster).total == (5 + 1 + 2 + 2) + 1 + 3 + (3 + 1) + 3
    page = night.browsers["low"].open(night.gangs["low"].get_absolute_url())
    assert {"M-09", "M-14", "M-21"} <= set(remarks(loaded, page))


def with_game(member: Member) -> Member:
    return changed(member, games=1)


def changed(member: Member, **values: Any) -> Member:
    return member.model_copy(update=values)


@pytest.mark.long
def test_the_post_game_of_the_winner_gives_the_expected_roster(night: Night, loaded: Book) -> None:
    at = named(night.gangs["crag"])
    garrick, isolt, cob = (at[name] for name in ("Garrick", "Isolt", "Cob"))
    before = night.gangs["crag"].roster
    kept = {member.id: member for member in before.members}
    night.roll("crag", f"fates:{garrick}:moor", "10 9")
    night.roll("crag", f"fates:{garrick}:moor#1", "9 9")
    shown = night.roll("crag", f"fates:{isolt}:moor", "8 8")
    assert "Laisser payer les autres" in shown
    night.answer("crag", "choose", key=f"fates:{isolt}:moor:0", option=0)
    night.roll("crag", f"fates:{isolt}:moor:0:0:0:1d6", "4")
    # A member who went astray tonight cannot be found tonight.
    shown = night.answer("crag", "choose", key=f"astray:{garrick}", option="stay")
    # There is room for only one bearer who grew up here: the dice decide which member leaves.
    assert "Isolt" in shown and "2d10" in shown
    night.answer("crag", "promote", key="grows_up", member=cob, how="dice")
    night.roll("crag", f"promotions:grows_up:{cob}", "5 6")
    night.answer("crag", "finish", step="promotions")
    night.answer("crag", "finish", step="recruits")
    roster = night.commit("crag")
    assert roster == before.model_copy(
        update={
            "settings": {**before.settings, "toll": 2, "old_age": 12, "newcomers": "session"},
            "campaigns": (str(night.campaign.pk),),
            "played": (str(night.game.pk),),
            "first_size": 5,
            # Lamps at half price left 23.5; 6 for the night, alms for a glow of 20 against 17.
            "earned": 23.5 + 6 + 1,
            # The toll.
            "spent": 4,
            "departed": (Departed(member=with_xp(kept[isolt], 2), fate="sent_home"),),
            "members": (
                changed(
                    with_xp(kept[garrick], 2),
                    afflictions=(
                        *kept[garrick].afflictions,
                        Affliction(condition="astray"),
                    ),
                ),
                changed(
                    with_xp(kept[cob], 2),
                    rank="bearer",
                    worth_rank="bearer",
                    base_rank="wisp",
                    rises=(Rise(rank="bearer", traits=0),),
                    experience_before=2,
                    taken_out=1,
                ),
                with_xp(kept[at["Dell"]], 0),
                with_xp(kept[at["Esk"]], 1),
            ),
        }
    )
    assert isinstance(roster.departed[0].member.items[0], OwnedItem)


def with_xp(member: Member, experience: int) -> Member:
    return changed(member, games=1, experience=experience)


@pytest.mark.long
def test_dice_decide_which_member_leaves(night: Night) -> None:
    at = named(night.gangs["crag"])
    for name, faces in (("Garrick", "7 7"), ("Isolt", "8 8")):
        night.roll("crag", f"fates:{at[name]}:moor", faces)
    night.answer("crag", "choose", key=f"fates:{at['Isolt']}:moor:0", option=1)
    night.answer("crag", "promote", key="grows_up", member=at["Cob"], how="dice")
    night.roll("crag", f"promotions:grows_up:{at['Cob']}", "6 6")
    for step in ("promotions", "recruits"):
        night.answer("crag", "finish", step=step)
    roster = night.commit("crag")
    assert [(gone.member.name, gone.fate) for gone in roster.departed] == [("Cob", "sent_home")]
    assert roster.member(at["Isolt"]).traits == ("shamed",)


@pytest.mark.long
def test_verses_can_outweigh_a_win_in_the_standings(night: Night) -> None:
    page = html.unescape(night.browsers["low"].open(night.campaign.get_absolute_url()))
    table = page[page.index("Verses") :]
    # 1 for the loser, 3 ghosts, 2 for a bell; 3 for the winner.
    assert table.index("The Low Lanterns") < table.index("The Crag Crew")
    table = re.sub(r"<span class=.face[^<]*</span>", "", table)
    cells = re.findall(r"<t[dh][^>]*>\s*(?:<[^>]+>\s*)*([^<]*?)\s*<", table)
    low, crag = cells.index("The Low Lanterns"), cells.index("The Crag Crew")
    assert "6" in cells[low:crag] and "3" in cells[crag : crag + 5]
