"""Words and links for games, sides and post-games, ready to be shown."""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count

from django.db.models import Prefetch, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.models import User
from campaigns.engine.captives import Party
from campaigns.engine.how import FOUGHT, Manner
from campaigns.engine.report import About, SideKind
from campaigns.models import Bargain, Campaign, Game, Membership, Side, Throw
from campaigns.statistics import chronicle
from gangs.models import Gang
from gangs.text.dice import shown_faces
from gangs.text.formats import localize, outcome_name
from rules.book.fates import TableRow
from rules.book.model import Book
from rules.book.vocabulary import name_of
from rules.engine.dice import DiceRoll


@dataclass(frozen=True)
class Awaited:
    """Something that a game waits for, with a link for the user who can do it."""

    text: str
    url: str = ""


@dataclass(frozen=True)
class GameLine:
    """A game in a list. ``url``: of its page; ``title``: the names of its sides; ``outcome``: the
    result and the winners; ``sides``: with their gangs; ``may_play``: it is still to be played,
    and the reader takes part in it or runs the campaign; ``is_live``: it is being played now."""

    game: Game
    url: str
    title: str
    scenario: str
    outcome: str
    awaits: tuple[Awaited, ...]
    sides: Sequence[Side]
    may_play: bool = False
    is_live: bool = False


def game_line(
    book: Book,
    game: Game,
    sides: Sequence[Side],
    user: User,
    url: str,
    *,
    is_live: bool = False,
) -> GameLine:
    """The line of a game for this user; ``url``: the address of its page. A game that is being
    played (``is_live``) waits for nobody."""
    names = side_names(sides)
    return GameLine(
        game=game,
        url=url,
        title=game_title(book, names.values()),
        scenario=scenario_name(book, game),
        outcome=headline(book, game, sides),
        awaits=() if is_live else tuple(list_awaited(game, sides, user, url)),
        sides=sides,
        may_play=game.status == Game.Status.PLANNED and may_report(game, user, sides),
        is_live=is_live,
    )


def game_lines(
    games: QuerySet[Game], user: User, campaign: Campaign | None = None
) -> list[GameLine]:
    """Games as the user sees them, in the order of the query. Makes two queries: for the games and
    for their sides. ``campaign``: the campaign of all games, where it is known."""
    sides = Side.objects.with_standing().select_related("gang__owner")
    unread = ("draft", "kept_draft", "comment", "tale", "gang__snapshot")
    lines = []
    with_sides = games.prefetch_related(Prefetch("sides", sides.defer(*unread)))
    for game in with_sides.select_related("table").defer("note"):
        if campaign is not None:
            game.campaign = campaign
        of_game, url = list(game.sides.all()), game.get_absolute_url()
        is_live = game.is_being_played
        lines.append(game_line(game.campaign.book, game, of_game, user, url, is_live=is_live))
    return lines


def headline(book: Book, game: Game, sides: Sequence[Side]) -> str:
    """The result of a game and its winners, in one line; "" if there is no result yet."""
    if not game.has_result:
        return ""
    names = side_names(sides)
    ends = [SideEnd(names[side.pk], side.kind, side.finish) for side in sides]
    return " · ".join(outcome_parts(book, game.result, game.manner, ends))


@dataclass(frozen=True)
class SideEnd:
    """How a game ended for one side: its name, whether it won, and its place if it has one."""

    name: str
    kind: SideKind
    place: int | None = None


def outcome_parts(book: Book, result: str, how: Manner, ends: Sequence[SideEnd]) -> list[str]:
    """The outcome of a game, in short parts: what happened, and who won."""
    winners = [end.name for end in ends if end.kind == "winner"]
    losers = [end.name for end in ends if end.kind == "loser"]
    won = [_("%(name)s won") % {"name": name} for name in winners]
    match how:
        case "walk-over":
            return [_("Walk-over"), *won] if won else [_("Nobody played")]
        case "no-show":
            return [*(_("%(name)s did not come") % {"name": name} for name in losers), *won]
        case "conceded":
            return [*(_("%(name)s conceded") % {"name": name} for name in losers), *won]
        case "void":
            return [_("Void: it counts for nobody")]
        case "abandoned":
            return [_("Abandoned")]
    if book.who_plays.is_together and result:
        return [localize(name_of(book.campaign.result, result))]
    places = list_places(ends)
    if how == "recorded" and not won and not places:
        return [_("Draw")]
    plain = not result or (winners and book.campaign.goes_without_saying(result))
    said = [] if plain else [localize(name_of(book.campaign.result, result))]
    return [*said, *(places or won)]


def list_places(ends: Sequence[SideEnd]) -> list[str]:
    """The places of a game's sides, the first place first; empty if they have none."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for end in ends:
        if end.place is not None:
            found[end.place].append(end.name)
    return [
        _("%(place)s. %(names)s") % {"place": place, "names": ", ".join(names)}
        for place, names in sorted(found.items())
    ]


def side_label(side: Side) -> str:
    """How a game ended for a side, in a word or two."""
    match side.game.how, side.side:
        case (Game.How.NO_SHOW, Side.Kind.LOSER):
            return _("did not come")
        case (Game.How.WALK_OVER, Side.Kind.LOSER):
            return _("did not play")
        case (Game.How.CONCEDED, Side.Kind.LOSER):
            return _("conceded")
        case (Game.How.VOID | Game.How.ABANDONED, _kind):
            return ""
    if side.finish is not None:
        return _("place %(place)s") % {"place": side.finish}
    return str(side.get_side_display())


def disambiguate(lines: Sequence[GameLine]) -> list[GameLine]:
    """Number the titles of games between the same gangs on the same day. ``lines``: the oldest
    first; the order stays the same."""
    # A set, since the order of the sides does not matter.
    met = [(line.game.played_on, frozenset(side.name for side in line.sides)) for line in lines]
    bearers = Counter(met)
    numbers: defaultdict[tuple[date, frozenset[str]], count[int]] = defaultdict(lambda: count(1))
    return [
        replace(line, title=f"{line.title} ({next(numbers[key])})") if bearers[key] > 1 else line
        for key, line in zip(met, lines, strict=True)
    ]


def campaign_summary(campaign: Campaign) -> str:
    """The numbers of gangs that play and of fought games, in one line. Two queries."""
    gangs = campaign.memberships.playing().count()
    games = campaign.games.filter(status=Game.Status.CONFIRMED, how__in=FOUGHT).count()
    return " · ".join(
        (
            ngettext("%(count)s gang", "%(count)s gangs", gangs) % {"count": gangs},
            ngettext("%(count)s game", "%(count)s games", games) % {"count": games},
        )
    )


def scenario_name(book: Book, game: Game) -> str:
    """The scenario's name, from the rulebook or from the row rolled on its scenario table."""
    row = book.scenario.get(game.scenario) or find_rolled_row(book, game)
    return localize(row.name) if row is not None else ""


def find_rolled_row(book: Book, game: Game) -> TableRow | None:
    """The row of the scenario table that the game's roll hit; None without a roll."""
    return chronicle.find_rolled_row(book, game.roll.total if game.roll else None)


def rivals_of(book: Book, side: Side, sides: Sequence[Side]) -> str:
    """The names of the sides that a side plays against; "" if all play together."""
    if book.who_plays.is_together:
        return ""
    return " – ".join(name for pk, name in side_names(sides).items() if pk != side.pk)


def outcome_for(book: Book, side: Side) -> str:
    """The name of the result for this side; "" if there is none yet."""
    if not side.game.has_result:
        return ""
    return outcome_name(book, side.game.result, side.kind)


def list_awaited(game: Game, sides: Sequence[Side], user: User, page: str) -> Iterable[Awaited]:
    """The things that the game waits for; the user's own duties have a link. ``page``: the game's
    address, with which all links begin."""
    match game.status:
        case Game.Status.PLANNED:
            if game.played_on > timezone.localdate():
                yield Awaited(_("Still to be played"))
            elif not may_report(game, user, sides):
                yield Awaited(_("Waiting for a result"))
            elif game.played_on == timezone.localdate():
                # The game's page has the table and the report.
                yield Awaited(_("Play today’s game, or report it"), page)
            else:
                yield Awaited(_("Played? Report the result"), f"{page}report/")
        case Game.Status.REPORTED:
            yield from _unconfirmed(game, sides, user, page)
        case Game.Status.DISPUTED:
            yield from _disputed(game, sides, user, page)
        case Game.Status.CONFIRMED:
            names = side_names(sides)
            for side in sides:
                if side.gang is not None and (side.correcting or not side.done):
                    yield _postgame(game, side, names[side.pk], user, page)


def _by_player(sides: Iterable[Side], user: User) -> list[tuple[str, bool]]:
    """The players of these sides, each once, and whether they are the user."""
    players = {
        side.gang.owner_id if side.gang and side.gang.owner_id else side: side for side in sides
    }
    return [(owner_name(side), side.is_of(user)) for side in players.values()]


def _has_player(side: Side) -> bool:
    """Whether somebody plays the side's gang, so that the game can wait for them."""
    return side.gang is not None and side.gang.owner is not None


def _unconfirmed(game: Game, sides: Sequence[Side], user: User, page: str) -> Iterable[Awaited]:
    silent = [side for side in sides if not side.verdict]
    for side in silent:
        if not _has_player(side):
            link = f"{page}#verdict" if game.campaign.is_run_by(user) else ""
            words = _("Nobody plays %(gang)s: an organiser decides") % {"gang": side.name}
            yield Awaited(words, link)
    for name, own in _by_player(filter(_has_player, silent), user):
        if own:
            yield Awaited(_("Is that right? Confirm or dispute"), f"{page}#verdict")
        else:
            yield Awaited(_("Waiting for %(name)s to confirm") % {"name": name})


def _disputed(game: Game, sides: Sequence[Side], user: User, page: str) -> Iterable[Awaited]:
    """The players who object, with a link for those who can settle the dispute."""
    link = f"{page}#verdict" if may_report(game, user, sides) else ""
    objecting = (side for side in sides if side.verdict == Side.Verdict.DISPUTED)
    for name, own in _by_player(objecting, user):
        words = _("You disagree") if own else _("%(name)s disagrees")
        yield Awaited(words % {"name": name}, link)


def _postgame(game: Game, side: Side, gang: str, user: User, page: str) -> Awaited:
    values = {"gang": gang, "name": owner_name(side)}
    if not _has_player(side):
        words = _("Nobody plays %(gang)s: an organiser plays its post-game")
        url = f"{page}postgame/{side.pk}/" if game.campaign.is_run_by(user) else ""
        return Awaited(words % values, url)
    if not side.is_of(user):
        return Awaited(_("Waiting for %(name)s’s post-game (%(gang)s)") % values)
    words = _("%(gang)s: play your post-game")
    if side.correcting:
        words = _("%(gang)s: play your post-game again")
    return Awaited(words % values, f"{page}postgame/{side.pk}/")


def owner_name(side: Side) -> str:
    """The name of a side's player; the side's own name if it has none."""
    if side.gang is None or side.gang.owner is None:
        return side.name
    return str(side.gang.owner)


def side_names(sides: Sequence[Side], name: Callable[[User], str] = str) -> dict[int, str]:
    """The names of a game's sides by primary key, with the player's if another gang of the game or,
    where ``with_standing`` was read, of the campaign has the same name. ``sides``: with their gangs
    and owners; ``name``: the form of the player's name."""
    namesakes = {side.name for side in sides if side.has_namesake}
    return tell_apart({side.pk: (side.name, side.gang) for side in sides}, name, namesakes)


def game_title(book: Book, names: Iterable[str]) -> str:
    """The name of a game on pages. ``names``: of its gangs, which are on one side or opponents."""
    return list_names(list(names)) if book.who_plays.is_together else book.who_plays.title(names)


def list_names(names: Sequence[str]) -> str:
    """Join names as a list within a sentence."""
    if len(names) < 2:
        return "".join(names)
    return _("%(names)s and %(last)s") % {"names": ", ".join(names[:-1]), "last": names[-1]}


def gang_names(gangs: Iterable[Gang], name: Callable[[User], str] = str) -> dict[uuid.UUID, str]:
    """The names of gangs in a list by primary key; gangs of the same name get their player's, too.
    ``gangs``: with their owners; ``name``: the form of the player's name."""
    return tell_apart({gang.pk: (gang.name, gang) for gang in gangs}, name)


def tell_apart[Key](
    named: Mapping[Key, tuple[str, Gang | None]],
    name: Callable[[User], str] = str,
    namesakes: Collection[str] = (),
) -> dict[Key, str]:
    """Names with the player's where several are the same. ``named``: names with their gangs and
    these with their owners; ``namesakes``: names that gangs elsewhere have, too; ``name``: the form
    of the player's name."""
    bearers = Counter(words for words, _gang in named.values())
    return {
        key: f"{words} ({name(gang.owner)})"
        if (bearers[words] > 1 or words in namesakes)
        and gang is not None
        and gang.owner is not None
        else words
        for key, (words, gang) in named.items()
    }


def names_here(campaign: Campaign, name: Callable[[User], str] = str) -> dict[uuid.UUID, str]:
    """The names of all gangs that are or were in a campaign, as ``gang_names``. One query.
    ``name``: the form of the player's name."""
    return names_by_campaign([campaign.pk], name)[campaign.pk]


def names_by_campaign(
    campaigns: Iterable[uuid.UUID], name: Callable[[User], str] = str
) -> dict[uuid.UUID, dict[uuid.UUID, str]]:
    """The names of all gangs that are or were in these campaigns, as ``names_here``, by the primary
    key of the campaign. One query."""
    gangs: dict[uuid.UUID, list[Gang]] = {key: [] for key in campaigns}
    rows = Membership.objects.filter(campaign__in=gangs).select_related("gang__owner")
    for row in rows.only(
        "campaign", "gang__name", "gang__owner__username", "gang__owner__stands_for"
    ):
        gangs[row.campaign_id].append(row.gang)
    return {key: gang_names(found, name) for key, found in gangs.items()}


def name_here(campaign: Campaign, gang: Gang, name: Callable[[User], str] = str) -> str:
    """The name of a gang, with its player's if another gang has it that is or was in the campaign,
    or asks to join. One query."""
    # By keys, since two conditions on two tables would read every gang of the site.
    members = campaign.memberships.order_by().values("gang")
    near = members.union(campaign.join_requests.order_by().values("gang"))
    others = Gang.objects.filter(pk__in=near, name=gang.name)
    if gang.owner is None or not others.exclude(pk=gang.pk).exists():
        return gang.name
    return f"{gang.name} ({name(gang.owner)})"


def bargain_parties(bargain: Bargain, names: Mapping[uuid.UUID, str]) -> dict[Party, str]:
    """The names of the gangs of a bargain; those of deleted gangs are as they were."""
    giver, taker = bargain.giver_id, bargain.taker_id
    return {
        "giver": names.get(giver, bargain.giver_name) if giver else bargain.giver_name,
        "taker": names.get(taker, bargain.taker_name) if taker else bargain.taker_name,
    }


def bargain_title(bargain: Bargain, names: Mapping[uuid.UUID, str]) -> str:
    """The two gangs of a bargain. ``names``: of all gangs of the campaign."""
    return " – ".join(bargain_parties(bargain, names).values())


def gang_address(gang: Gang | None, user: User) -> str:
    """The page of a gang for a reader of the campaign: the builder for its player, the sheet of a
    shared gang for others; "" if there is none."""
    if gang is None:
        return ""
    return gang.get_absolute_url() if gang.is_owned_by(user) else _shared_sheet(gang)


def sheet_address(gang: Gang, user: User) -> str:
    """The sheet of a gang for a reader of the campaign; "" if its player does not share it."""
    if gang.is_owned_by(user):
        return reverse("gangs:sheet", args=[gang.pk])
    return _shared_sheet(gang)


def _shared_sheet(gang: Gang) -> str:
    return reverse("gangs:shared", args=[gang.share_key]) if gang.is_shared else ""


def may_report(game: Game, user: User, sides: Sequence[Side]) -> bool:
    """Whether the user may report or correct the game now."""
    if game.status == Game.Status.STRUCK:
        return False
    plays = game.status != Game.Status.CONFIRMED and any(side.is_of(user) for side in sides)
    return plays or game.campaign.is_run_by(user)


ROLLED_FOR = {
    "item": gettext_lazy("Which item?"),
    "experience": gettext_lazy("Experience"),
    "games": gettext_lazy("For how many games?"),
    "fine": gettext_lazy("How much is to be paid?"),
    "times": gettext_lazy("How many rolls?"),
    "money": gettext_lazy("How much comes in?"),
    "number": gettext_lazy("How many?"),
    "member": gettext_lazy("Which member?"),
    "scenario": gettext_lazy("Scenario"),
    "search": gettext_lazy("Is it found?"),
    "price": gettext_lazy("What does it cost?"),
    "track": gettext_lazy("How much less?"),
    "rivals": gettext_lazy(
        "Who leaves? Low: the one who holds the place. High: the one who wants it."
    ),
}


@dataclass(frozen=True)
class ThrowLine:
    """A throw of a game and its ``roll``. ``whose``: the side's name; ``what``: its purpose."""

    throw: Throw
    roll: DiceRoll
    whose: str
    what: str
    faces: Sequence[str]


def throw_lines(book: Book, throws: Iterable[Throw], sides: Sequence[Side]) -> list[ThrowLine]:
    """The readable throws of a game, in the order in which they were made."""
    by_side = side_names(sides)
    lines = []
    for throw in throws:
        roll, about = throw.sound_roll, throw.sound_about
        if roll is None:
            continue
        table = book.table.get(about.table or "")
        whose, what = by_side.get(throw.side_id or 0, ""), _what_for(book, about)
        lines.append(ThrowLine(throw, roll, whose, what, shown_faces(roll, table)))
    return lines


def _what_for(book: Book, about: About) -> str:
    """The purpose of a throw, for the reader, without parts that are missing in the rulebook."""
    parts = []
    if about.member:
        rank = book.rank.get(about.member)
        parts.append(localize(rank.name) if rank else about.member)
    for key in (about.table, about.scenario_table):
        if key in book.table:
            parts.append(localize(book.table[key].name))
    if about.asked in ROLLED_FOR:
        parts.append(str(ROLLED_FOR[about.asked]))
    if about.what is not None:
        parts.append(localize(about.what))
    if about.roles is not None:
        parts.append(_("Roles"))
    return " · ".join(parts)
