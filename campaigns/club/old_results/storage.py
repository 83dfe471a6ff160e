"""Importing old results as games that are decided and have no post-game, and undoing an import."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone

from accounts import quotas
from accounts.models import User
from campaigns.club.old_results.lines import NAME, NEW, KnownGames, KnownSide, ResultLine
from campaigns.club.old_results.reading import fold_name
from campaigns.club.people.joining import entry_of
from campaigns.engine.claims import Account, ClaimData, SideAccount
from campaigns.engine.report import Report, SideKind
from campaigns.locking import count_change, lock
from campaigns.models import Campaign, Claim, Entrant, Game, Membership, ResultsImport, Side
from common.errors import Refusal
from gangs.engine import actions
from gangs.ledger import writer
from gangs.models import NOT_SHARED, Gang

# Imports of one campaign that are not undone.
MOST_IMPORTS = 50
# The most games and gangs of a campaign, new ones included.
MOST_GAMES = 5_000
MOST_GANGS = 200
# The earliest time that a campaign's file can hold, a day later.
FIRST_MOMENT = date(2000, 1, 2)
KINDS: Mapping[str, tuple[SideKind, SideKind]] = {
    "a": ("winner", "loser"),
    "b": ("loser", "winner"),
    "draw": ("level", "level"),
}


def known_games(campaign: Campaign) -> KnownGames:
    """The campaign's games between two sides that have a result, confirmed or not. One query."""
    sides = Side.objects.filter(game__campaign=campaign)
    rows = sides.exclude(game__status__in=[Game.Status.PLANNED, Game.Status.STRUCK]).order_by("pk")
    found: dict[tuple[uuid.UUID, date], list[KnownSide]] = {}
    wanted = ("game", "game__played_on", "gang", "name", "gang__name")
    for game, day, gang, *names in rows.values_list(*wanted):
        folded = frozenset(fold_name(name) for name in names if name)
        found.setdefault((game, day), []).append(KnownSide(str(gang or ""), folded))
    known: dict[date, list[tuple[KnownSide, KnownSide]]] = {}
    for (_game, day), here in found.items():
        if len(here) == 2:
            known.setdefault(day, []).append((here[0], here[1]))
    return known


def import_results(
    campaign: Campaign,
    lines: Sequence[ResultLine],
    names: Mapping[str, str],
    *,
    known: KnownGames,
    title: str,
    digest: str,
    actor: User,
    token: uuid.UUID,
) -> ResultsImport:
    """Write a game for each of ``lines``, all without a mistake. ``names``: as in ``Mapped``;
    ``known``: the games that were known when the lines were read. A form that arrives twice imports
    once.

    Raises Refusal if the campaign is over or has too many imports or gangs, or other games by now,
    and QuotaFull.
    """
    with quotas.turn(actor):
        lock(campaign)
        earlier = ResultsImport.objects.filter(token=token).first()
        if earlier is not None:
            return earlier
        # Two organisers may import the same table at the same time.
        if known_games(campaign) != known:
            raise Refusal("results_changed")
        if campaign.results_imports.count() >= MOST_IMPORTS:
            raise Refusal("too_many_imports", most=MOST_IMPORTS)
        if campaign.games.count() + len(lines) > MOST_GAMES:
            raise Refusal("too_many_games", most=MOST_GAMES)
        quotas.use(actor, "imports")
        count_change(campaign)
        used = {name for line in lines for name in (line.a, line.b)}
        new = sorted(name for name in used if names.get(name) == NEW)
        if new and campaign.memberships.count() + len(new) > MOST_GANGS:
            raise Refusal("too_many_gangs", most=MOST_GANGS)
        gangs = _gangs(campaign, {name: names[name] for name in used})
        made = {name: _found(campaign, name) for name in new}
        gangs |= made
        act = ResultsImport.objects.create(
            campaign=campaign,
            by=actor,
            title=title[:120],
            digest=digest,
            token=token,
            gangs=[str(gang.pk) for gang in made.values()],
        )
        _write(campaign, act, lines, gangs, actor)
    return act


def _gangs(campaign: Campaign, names: Mapping[str, str]) -> dict[str, Gang | None]:
    """The gangs of the campaign by the names in the table. Raises Refusal if one has gone."""
    rows = Membership.objects.filter(campaign=campaign).select_related("gang")
    here = {str(row.gang_id): row.gang for row in rows.defer("gang__snapshot")}
    found: dict[str, Gang | None] = {}
    for name, key in names.items():
        if key == NAME:
            found[name] = None
        elif key != NEW:
            if key not in here:
                raise Refusal("gang_not_here")
            found[name] = here[key]
    return found


def _found(campaign: Campaign, name: str) -> Gang:
    """Found a gang without members and without an owner, which an organiser may hand over."""
    entries = [*actions.found(campaign.book, name, {}), entry_of(campaign)]
    gang = writer.found(campaign.book_version, entries, owner=None)
    kept = {"kept_at": timezone.now(), **NOT_SHARED}
    Gang.objects.filter(pk=gang.pk).update(**kept)
    Membership.objects.create(campaign=campaign, gang=gang)
    return gang


def _write(
    campaign: Campaign,
    act: ResultsImport,
    lines: Iterable[ResultLine],
    gangs: Mapping[str, Gang | None],
    actor: User,
) -> None:
    """Write the games, each with its two sides and a decision. Eight queries for any number."""
    gone = Side.objects.filter(game__campaign=campaign, gang=None).order_by("-pk")
    spelled = {fold_name(name): name for name in gone.values_list("name", flat=True)}

    def name_of(name: str) -> str:
        """The gang's name; without a gang, the name as the campaign spells it already."""
        gang = gangs[name]
        return gang.name if gang is not None else spelled.get(fold_name(name), name)

    games: list[Game] = []
    pairs: list[tuple[Side, Side]] = []
    noon = timezone.make_aware(datetime.combine(date(2000, 1, 1), time(12)))
    for place, line in enumerate(lines):
        assert line.day is not None and line.winner is not None
        # They take their place in the chronicle by the day of the game: they are no news.
        day = max(line.day, FIRST_MOMENT)
        at = noon.replace(year=day.year, month=day.month, day=day.day)
        game = Game(
            campaign=campaign,
            brought_by=act,
            played_on=line.day,
            scenario=line.scenario,
            how=Game.How.RECORDED,
            status=Game.Status.CONFIRMED,
            note=line.note,
            version=1,
            created_at=at + timedelta(seconds=place),
            luck_at=timezone.now(),
        )
        games.append(game)
        first, second = (
            Side(
                game=game,
                gang=gangs[name],
                name=name_of(name),
                side=kind,
                report=Report().model_dump(mode="json"),
            )
            for name, kind in zip((line.a, line.b), KINDS[line.winner], strict=True)
        )
        pairs.append((first, second))
    Game.objects.bulk_create(games)
    Side.objects.bulk_create([side for pair in pairs for side in pair])
    claims = [_claim(game, pair, actor) for game, pair in zip(games, pairs, strict=True)]
    Claim.objects.bulk_create(claims)
    for game, made in zip(games, claims, strict=True):
        game.claim = made
    Game.objects.bulk_update(games, ["claim"], batch_size=100)


def _claim(game: Game, sides: Sequence[Side], actor: User) -> Claim:
    account = Account(
        result="",
        how="recorded",
        played_on=game.played_on,
        note=game.note,
        sides={side.pk: SideAccount(side.kind, Report()) for side in sides},
    )
    data = ClaimData(account=account, decided=True).model_dump(mode="json")
    return Claim(game=game, actor=actor, data=data, at=game.created_at)


def count_resting(act: ResultsImport) -> int:
    """The number of the import's games on which something rests: somebody has corrected them or
    told their story, they decide a fixture, or they have a table. One query."""
    games = act.games.annotate(told=Count("claims"))
    told = Exists(Side.objects.filter(game=OuterRef("pk")).exclude(tale=""))
    used = Q(told__gt=1) | Q(table__isnull=False) | Q(fixture__isnull=False) | told
    return games.filter(used).count()


def undo(campaign: Campaign, key: int) -> int | None:
    """Take an import back: delete its games, and the gangs that it brought and nobody has used
    since. Returns the number of games, or None if it was undone before.

    Raises Refusal if the campaign is over, or something rests on one of the games.
    """
    with transaction.atomic():
        lock(campaign)
        act = campaign.results_imports.filter(pk=key).first()
        if act is None:
            return None
        games = list(act.games.select_for_update(of=("self",), no_key=True))
        if count := count_resting(act):
            raise Refusal("results_in_use", count=count)
        count_change(campaign)
        act.delete()
        # Nobody has named, filled, taken or entered them.
        unused = Gang.objects.filter(pk__in=act.gangs, owner=None, version=1, sides=None)
        entered = Entrant.objects.filter(gang__in=act.gangs).values("gang")
        for gang in unused.exclude(pk__in=entered).exclude(attendances__isnull=False):
            gang.delete()
    return len(games)
