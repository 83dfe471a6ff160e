"""Members who went down in another game whose post-game, with their injury roll, is still open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from campaigns.models import Game, Side

# The members of a gang whose fate is open, each with the names of the opponents in that game; "" if
# there were none.
DueFates = Mapping[int, str]
REPORTED = (Game.Status.REPORTED, Game.Status.DISPUTED, Game.Status.CONFIRMED)


def find_due_fates(game: Game, sides: Sequence[Side]) -> dict[str, DueFates]:
    """Return the members of the sides' gangs whose fate from another game is still open, by gang.

    Only games of the same day or earlier count; a game that is confirmed already has none. Two
    queries at most.
    """
    keys = [side.gang_id for side in sides if side.gang_id is not None]
    if game.status == Game.Status.CONFIRMED:
        return {}
    marks = game.campaign.rules.mark
    undone = Side.objects.undone().filter(gang__in=keys, game__status__in=REPORTED)
    undone = undone.filter(game__played_on__lte=game.played_on).exclude(game=game.pk)
    down = [
        (
            side,
            [who for who, mark in report.marks.items() if mark in marks and not marks[mark].stands],
        )
        for side in undone.order_by("game__played_on", "pk")
        if (report := side.sound_report) is not None
    ]
    down = [(side, members) for side, members in down if members]
    if not down:
        return {}
    games = {side.game_id for side, _members in down}
    names: defaultdict[object, list[tuple[int, str]]] = defaultdict(list)
    for row in Side.objects.filter(game__in=games).order_by("pk").values_list("game", "pk", "name"):
        names[row[0]].append(row[1:])
    found: dict[str, dict[int, str]] = {}
    for side, members in down:
        others = ", ".join(name for pk, name in names[side.game_id] if pk != side.pk)
        if game.campaign.book.who_plays.is_together:
            others = ""
        found.setdefault(str(side.gang_id), {}).update(dict.fromkeys(members, others))
    return {gang: dict(fates) for gang, fates in found.items()}
