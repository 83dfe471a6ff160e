"""The operations that read: they read as the pages do, with the same permissions."""

import json
import uuid
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router

from accounts.http import Request
from accounts.language import language, rules_language
from api import answers
from api.paging import pages
from api.problems import Problem
from campaigns.access import readable, readable_games
from campaigns.club.nights.views import night_or_404
from campaigns.models import Campaign, Game, Night, Stage
from campaigns.season.chronicle_text import chronicle_lines, plain
from campaigns.season.freshness import readable_state_or_404
from campaigns.season.loading import LoadedSeason, load_season
from campaigns.season.standings.text import rank_gangs
from campaigns.statistics.standings import columns
from gangs.access import own_gangs, readable_gang_or_404, shared_gang_or_404
from gangs.cards.cache import page_of
from gangs.cards.values import Card, ItemLine, NamedText, Page, PurseLine
from gangs.models import Gang, GangView
from gangs.snapshots.moments import place_on, view_at
from rules.access import check_readable
from rules.book.model import Book
from rules.library import book_of, offered_books
from rules.models import BookVersion
from rules.odds.asking import Reader
from rules.odds.views import find_obstacle, say_mistyped
from rules.shelf.index import LONGEST, Shelf, read_index, write_index
from rules.shelf.store import shelf_entries

# Lines of the chronicle in an answer.
LINES = 100

router = Router()
PROBLEMS = dict.fromkeys((401, 404, 422, 429), answers.Problem)


def reads[**P, R](path: str, answer: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate an operation that reads; ``answer``: the model of its answer."""
    made: Callable[[Callable[P, R]], Callable[P, R]] = router.get(
        path, response={200: answer, **PROBLEMS}
    )
    return made


@reads("/me", answers.Account)
def me(request: Request) -> answers.Account:
    """The owner of the token; a watch key has none."""
    if not request.user.is_authenticated:
        raise Http404
    return answers.Account(name=str(request.user), language=language())


@reads("/rulebooks", list[answers.Rulebook])
def rulebooks(request: Request) -> list[answers.Rulebook]:
    """The rulebooks that the site offers, in their newest versions."""
    return [
        answers.Rulebook(
            slug=version.slug,
            title=book.title.translated(rules_language()),
            edition=book.edition,
            digest=version.digest,
        )
        for version, book in offered_books()
    ]


@reads("/shelf", Shelf)
def shelf(request: Request) -> Shelf:
    """The games that this site shares, which other sites may take. `/games/index.json` is the same
    list for everybody, without a token; `page`, `package` (a zip) and `picture` are paths on this
    site."""
    return read_index(write_index(settings.SITE_NAME[:LONGEST], shelf_entries()))


@reads("/rulebooks/{digest}", answers.Book)
def rulebook(request: Request, digest: str) -> answers.Book:
    """A version of a rulebook, complete. Its answer never changes."""
    return answers.Book(digest=digest, book=json.loads(_book(request, digest).canonical()))


@reads("/rulebooks/{digest}/odds", answers.Odds)
def odds(request: Request, digest: str) -> answers.Odds:
    """The odds of a roll. The question is in the query, written as in the address of the page of
    odds: copy it there. Without one, the answer is about the page's own example."""
    book = _book(request, digest)
    if not book.usual.rolls:
        raise Http404
    asked = Reader(request, book, digest).read()
    question = asked.question
    if question is None:
        mistakes = [
            (part.add_prefix(name), str(words))
            for part in asked.parts
            for name, found in part.errors.items()
            for words in found
        ]
        raise Problem(422, say_mistyped(), errors=tuple(mistakes))
    if obstacle := find_obstacle(question):
        raise Problem(422, obstacle, "impossible")
    read = question.odds
    return answers.Odds(
        roll=question.roll.key,
        query=asked.query,
        outcomes=[
            answers.Chance(
                key=outcome.key,
                name=outcome.declared.name.translated(rules_language()),
                chance=float(read.outcomes[outcome.key]),
                fraction=str(read.outcomes[outcome.key]),
            )
            for outcome in question.ready.outcomes
        ],
        averages={row.of: float(read.average(row.of)) for row in question.roll.numbers},
    )


def _book(request: HttpRequest, digest: str) -> Book:
    """A version of a rulebook. Raises Http404 if there is none, or the reader may not see it."""
    check_readable(request, digest)
    try:
        return book_of(digest)
    except BookVersion.DoesNotExist:
        raise Http404 from None


@reads("/gangs", list[answers.GangLine])
@pages("changed_at")
def gangs(request: Request, archived: bool = False) -> Any:
    """Your gangs, the last changed first."""
    if not request.user.is_authenticated:
        return Gang.objects.none()
    mine = own_gangs(request)
    return (mine.exclude(archived_at=None) if archived else mine.active()).defer("snapshot")


@reads("/gangs/{gang}", answers.Sheet)
def gang(request: Request, gang: uuid.UUID, at: date | None = None) -> answers.Sheet:
    """A gang that you may read, with its members; ``at``: at the end of an earlier day."""
    return _sheet(readable_gang_or_404(request, gang), at)


@reads("/shared/{key}", answers.Sheet)
def shared(request: Request, key: str) -> answers.Sheet:
    """A gang by the key of its shared sheet."""
    return _sheet(shared_gang_or_404(key), None)


@reads("/campaigns", list[answers.CampaignLine])
@pages("created_at")
def campaigns(request: Request) -> Any:
    """The campaigns that you take part in, the newest first."""
    return readable(request).distinct()


@reads("/campaigns/{campaign}", answers.CampaignPage)
def campaign(request: Request, campaign: uuid.UUID) -> Campaign:
    """A campaign with its people and the gangs that play in it."""
    return get_object_or_404(readable(request), pk=campaign)


@reads("/campaigns/{campaign}/standings", list[answers.Place])
def standings(request: Request, campaign: uuid.UUID) -> list[answers.Place]:
    """The standings, the best gang first."""
    season = _season(request, campaign).season
    shown = columns(season.book, season.table)
    found = []
    for row in rank_gangs(season):
        gang = season.gang.get(row.gang)
        found.append(
            answers.Place(
                place=row.place,
                shared=row.shared,
                gang=row.gang,
                name=gang.name if gang else row.name,
                player=gang.owner if gang else "",
                won=row.won,
                drawn=row.level,
                lost=row.lost,
                values={column: float(row.value(column)) for column in shown},
            )
        )
    return found


@reads("/campaigns/{campaign}/games", list[answers.GameLine])
@pages("created_at")
def campaign_games(request: Request, campaign: uuid.UUID) -> Any:
    """The games of a campaign, the newest first."""
    get_object_or_404(readable(request), pk=campaign)
    return Game.objects.filter(campaign=campaign).prefetch_related("sides")


@reads("/campaigns/{campaign}/nights", list[answers.NightLine])
@pages("starts_at")
def campaign_nights(request: Request, campaign: uuid.UUID) -> Any:
    """The nights of a campaign, the latest first."""
    get_object_or_404(readable(request), pk=campaign)
    return Night.objects.filter(campaign=campaign)


@reads("/campaigns/{campaign}/stages", list[answers.StageLine])
def stages(request: Request, campaign: uuid.UUID) -> list[Stage]:
    """The stages of the league in a campaign, with their rounds and fixtures, the first first."""
    found = get_object_or_404(readable(request), pk=campaign)
    return list(found.stages.order_by("number").prefetch_related("rounds__fixtures"))


@reads("/campaigns/{campaign}/chronicle", answers.Chronicle)
def chronicle(request: Request, campaign: uuid.UUID, before: str = "") -> answers.Chronicle:
    """The chronicle, the newest line first; ``before``: the key of a line to go on after."""
    season = _season(request, campaign).season
    lines = chronicle_lines(season)
    start = 0
    if before:
        known = [line.key for line in lines]
        if before not in known:
            raise Http404
        start = known.index(before) + 1
    some = lines[start : start + LINES]
    results = [
        answers.ChronicleLine(
            key=line.key,
            day=line.day,
            kind=line.kind,
            text=plain(season.book, line),
            gang=line.gang,
            game=line.game,
        )
        for line in some
    ]
    return answers.Chronicle(
        results=results, next=some[-1].key if start + LINES < len(lines) else None
    )


@reads("/games/{game}", answers.GamePage)
def game(request: Request, game: uuid.UUID) -> Game:
    """A game with the reports of its sides."""
    return get_object_or_404(readable_games(request).prefetch_related("sides"), pk=game)


@reads("/nights/{night}", answers.NightPage)
def night(request: Request, night: uuid.UUID) -> Night:
    """A night with its answers and its games."""
    return night_or_404(request, night)


def _season(request: HttpRequest, campaign: uuid.UUID) -> LoadedSeason:
    return load_season(campaign, readable_state_or_404(request, campaign))


def _sheet(gang: Gang, at: date | None) -> answers.Sheet:
    """A gang's sheet. Raises Http404 if it did not exist on that day."""
    shown: Gang | GangView = gang
    if at is not None:
        place = place_on(gang, at)
        if place is None:
            raise Http404
        shown = view_at(gang, place)
    page = page_of(shown)
    return answers.Sheet(
        id=shown.pk,
        name=page.name,
        rulebook=shown.book_version_id,
        at=at,
        origin=page.origin,
        rating=page.rating if page.rating_name else None,
        left=page.left,
        purses=_purses(page.purses),
        members=[_member(card, page) for card in page.cards],
        stash=_items(page.stash),
        holdings=[
            answers.Row(key=str(holding.id), name=holding.name, text=holding.text)
            for holding in page.holdings
        ],
        findings=[
            answers.Finding(severity=finding.severity, text=finding.text)
            for finding in page.findings
        ],
    )


def _member(card: Card, page: Page) -> answers.Member:
    return answers.Member(
        id=card.id,
        name=card.name,
        shown_name=card.shown_name,
        rank=card.rank,
        profession=card.profession,
        origin=card.origin or page.origin,
        values=[
            answers.Value(key=stat.key, label=stat.short, name=stat.name, value=stat.value)
            for stat in card.stats
        ],
        abilities=_rows(card.abilities),
        items=_items(card.items),
        conditions=_rows(card.afflictions),
        experience=card.experience,
        games=card.games,
        taken_out=card.taken_out,
        rating=card.rating,
        price=card.cost,
        costs=_purses(card.costs),
        belongs_to=card.owner,
    )


def _purses(lines: Sequence[PurseLine]) -> list[answers.Purse]:
    return [answers.Purse(key=line.key, name=line.name, amount=line.amount) for line in lines]


def _rows(texts: Sequence[NamedText]) -> list[answers.Row]:
    return [answers.Row(key=text.key, name=text.name, text=text.text) for text in texts]


def _items(items: Sequence[ItemLine]) -> list[answers.Item]:
    return [
        answers.Item(
            key=item.key,
            name=item.name,
            text=item.text,
            price=item.price,
            columns=dict(item.cells),
        )
        for item in items
    ]
