"""The pack for a game on paper: each gang's crew, the scenario, and the report to fill in.

A pack is for one game or for all games of a night. It is drawn only from values that were read
before (``PackGame``), so that many games take no more queries than one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.dates import date_format
from campaigns import text as campaign_text
from campaigns.games.report_forms import ReportForms
from campaigns.models import Campaign, Game, Night, Side
from campaigns.table.crews.text import versus
from gangs.models import Gang
from printing.members.drawings import qr_code
from printing.paper import orders
from printing.paper.orders import Order
from printing.paper.page import page_rules
from printing.press.jobs import Job
from printing.season.crews import CrewPage, crew_pages
from printing.season.scenario_pages import ScenarioPage, scenario_page
from rules.book.model import Book


@dataclass(frozen=True)
class PackOrder(Order):
    """Options of a pack. ``site``: the beginning of its games' addresses."""

    site: str = ""


@dataclass(frozen=True)
class PackGame:
    """A game with its sides and their gangs, as it was read. ``homes``: the gangs of hired hands,
    by key.
    """

    game: Game
    sides: Sequence[Side]
    homes: Mapping[str, Gang]


@dataclass(frozen=True)
class GamePack:
    """The pages of one game. ``number``: its place in the night, for unique ids; ``names``: of its
    sides; ``report``: the forms of its report, to fill in by hand.
    """

    number: int
    title: str
    game: Game
    link: str
    code: SafeString
    crews: Sequence[tuple[CrewPage, ...]]
    scenario: ScenarioPage
    names: Collection[str]
    report: ReportForms

    @property
    def is_dense(self) -> bool:
        """Whether the report needs smaller lines to fit a page."""
        forms = self.report.side_forms
        return sum(ceil(len(form.members) + len(form.gang_fields()) / 2) + 4 for form in forms) > 30


def key(
    campaign: Campaign, tables: Sequence[PackGame], order: PackOrder, night: Night | None
) -> str:
    """Return the key of a printed pack: everything that any of its pages shows."""
    return orders.key(
        "pack",
        campaign.name,
        campaign.book_version_id,
        sorted(campaign.settings.items()),
        (night.starts_at.isoformat(), night.place, night.note) if night else None,
        [_state(table) for table in tables],
        order,
    )


def _state(table: PackGame) -> tuple[object, ...]:
    game = table.game
    return (
        str(game.pk),
        game.version,
        game.status,
        game.played_on.isoformat(),
        game.scenario,
        game.scenario_roll,
        [
            (side.pk, side.name, side.role, side.crew, side.before, side.report, _gang(side))
            for side in table.sides
        ],
        list(campaign_text.side_names(table.sides).values()),
        sorted((home, gang.version) for home, gang in table.homes.items()),
    )


def _gang(side: Side) -> tuple[object, ...] | None:
    gang = side.gang
    if gang is None:
        return None
    return str(gang.pk), gang.version, gang.book_version_id, gang.rating, str(gang.owner or "")


def job(
    campaign: Campaign, tables: Sequence[PackGame], order: PackOrder, night: Night | None = None
) -> Job:
    """Return the pack for the press."""
    return Job(html(campaign, tables, order, night), ("fonts", "pack"))


def html(
    campaign: Campaign, tables: Sequence[PackGame], order: PackOrder, night: Night | None = None
) -> str:
    """Return the pack as HTML for the press."""
    packs = tuple(_pack(campaign, table, order, n) for n, table in enumerate(tables, start=1))
    if night:
        day = date_format(night.starts_at, "l j F Y")
        title = _("Game night, %(day)s") % {"day": day}
    else:
        title = packs[0].title if packs else campaign.name
    return render_to_string(
        "printing/season/pack.html",
        {
            "campaign": campaign,
            "book": campaign.book,
            "order": order,
            "title": title,
            "night": night,
            "packs": packs,
            "measures": _measures(campaign.book, order, packs),
        },
    )


def _pack(campaign: Campaign, table: PackGame, order: PackOrder, number: int) -> GamePack:
    game, sides = table.game, table.sides
    homes = {key: gang.roster for key, gang in table.homes.items()}
    against = versus(game, sides, None, homes)
    lines = {line.side.pk: line for line in against.lines}
    link = f"{order.site}{game.get_absolute_url()}"
    return GamePack(
        number=number,
        title=campaign_text.game_title(campaign.book, campaign_text.side_names(sides).values()),
        game=game,
        link=link,
        code=qr_code(link, _("The game’s page on the web")),
        crews=crew_pages(sides, lines, table.homes, order),
        scenario=scenario_page(game, sides, against, order.language),
        names=campaign_text.side_names(sides).values(),
        report=ReportForms(game, sides, on_paper=True),
    )


def _measures(book: Book, order: PackOrder, packs: Sequence[GamePack]) -> SafeString:
    """Return the style rules that differ from pack to pack."""
    rules = page_rules(order, book.look)
    sizes = (
        (one.crew.key, one.layout.size, one.layout.label)
        for pack in packs
        for page in pack.crews
        for one in page
    )
    return rules + format_html_join("", " #crew-{} {{ font-size: {}pt; --label: {}pt }}", sizes)
