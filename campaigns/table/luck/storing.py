"""How lucky everybody was in a game, worked out beside the pages and kept with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from django.db import transaction
from django.utils import timezone

from campaigns.models import Game, Table
from campaigns.statistics.luck import GameLuck, Source, Tries, What, tries_of
from campaigns.stored import sound
from campaigns.table.folded import folded
from campaigns.table.luck.tries import attempts, fates
from common.background import every
from common.cache import Cache

# So many games at once; the next ones half a minute later.
AT_ONCE = 20
# Chances are kept so precisely: their sums are shown to one place.
PLACES = 5

_of_tables: Cache[tuple[tuple[int, Source, float, bool], ...]] = Cache(most=16)


def at_table(table: Table) -> tuple[tuple[int, Source, float, bool], ...]:
    """The attempts at a table, as ``tries.attempts`` has them; worked out once in a process."""

    def make(_before: object) -> tuple[tuple[int, Source, float, bool], ...]:
        found = folded(table)
        return tuple(attempts(found.start, found.now, found.log))

    return _of_tables.get(table.pk, (table.seq, table.changed_at), make)


def luck_of(game: Game) -> GameLuck:
    """How lucky everybody was in a game. Reads its table, its sides and its throws."""
    sides = list(game.sides.order_by("pk").values_list("pk", "gang"))
    places = {pk: place for place, (pk, _gang) in enumerate(sides)}
    by_gang = {gang: places[pk] for pk, gang in sides if gang is not None}

    def found() -> Iterator[tuple[int, What, Source, float, bool]]:
        table = Table.objects.filter(game=game).first()
        if table is not None:
            gangs = dict(table.sides.values_list("number", "gang"))
            for number, source, chance, came in at_table(table):
                if gangs.get(number) in by_gang:
                    yield by_gang[gangs[number]], "attempt", source, chance, came
        for side, source, chance, came in fates(game.campaign.book, game.throws.all()):
            yield places[side], "fate", source, chance, came

    return GameLuck(
        tries=tuple(
            Tries(
                side=side,
                what=what,
                source=source,
                chances=tuple(sorted(round(chance, PLACES) for chance in chances)),
                came=came,
            )
            for (side, what, source), (chances, came) in sorted(tries_of(found()).items())
        )
    )


def stored_luck(game: Game) -> GameLuck:
    """What is kept of it; nothing until it is worked out."""
    return (sound(GameLuck, game, "luck") if game.luck_at else None) or GameLuck()


@every(seconds=30, name="luck of games")
def work_out() -> int:
    """Work out what is to be worked out, the oldest games first; of how many games it was."""
    due = Game.objects.filter(status=Game.Status.CONFIRMED, luck_at=None).order_by("created_at")
    number = 0
    for game in islice(due.select_related("campaign"), AT_ONCE):
        number += _keep(game, luck_of(game))
    return number


def _keep(game: Game, luck: GameLuck) -> bool:
    """Keep what was worked out, unless somebody has changed the game since it was read: then it is
    worked out again."""
    with transaction.atomic():
        locked = Game.objects.select_for_update(no_key=True).filter(pk=game.pk).first()
        if locked is None or locked.version != game.version:
            return False
        locked.luck, locked.luck_at = luck.model_dump(mode="json"), timezone.now()
        locked.save(update_fields=["luck", "luck_at"])
    return True
