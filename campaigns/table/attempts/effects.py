"""What a roll's outcome brings, as taps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from campaigns.table import taps as kinds
from campaigns.table.state import TableNow
from campaigns.table.taps import AnyTap
from rules.book import rolls as declared
from rules.engine.expressions import Value, read

Who = str | int


@dataclass(frozen=True)
class Act:
    """An attack, a test, a throw for a side: who, at whom, with what, and against which weapon.
    ``doing``: the action that it is part of."""

    by: Who
    at: Who | None = None
    item: str | None = None
    mode: str | None = None
    at_item: str | None = None
    at_mode: str | None = None
    doing: str | None = None


@dataclass(frozen=True)
class Follows:
    """Another roll that an outcome asks for: which, and who throws it."""

    roll: str
    who: Who


def brought(
    now: TableNow,
    effects: Sequence[declared.RollEffect],
    act: Act,
    names: Mapping[str, Value],
) -> tuple[list[AnyTap], list[Follows]]:
    """The taps that the effects of an outcome, or of an action, come to, and the rolls that follow.

    ``now``: the table before; ``names``: everything that the roll has bound. Moves are left to
    whoever sees the table.
    """
    taps: list[AnyTap] = []
    follows: list[Follows] = []
    for effect in effects:
        if effect.kind == "moves":
            continue
        if effect.given is not None and not read(effect.given).holds(names):
            continue
        if effect.kind == "then":
            who = _whom(effect.whom, act)
            if who is not None:
                follows.append(Follows(effect.roll, who))
        else:
            taps += _taps(now, effect, act, names)
    return taps, follows


def _taps(
    now: TableNow, effect: declared.RollEffect, act: Act, names: Mapping[str, Value]
) -> Iterator[AnyTap]:
    who = _whom(effect.whom, act)
    if who is None:
        return
    figure, side = (who, None) if isinstance(who, str) else (None, who)
    item = act.item if effect.whom == "item" else None
    match effect:
        case declared.Changes():
            amount = read(effect.amount).number(names)
            if amount:
                yield kinds.Counted(
                    figure=figure, side=side, item=item, track=effect.track, by=amount
                )
        case declared.Sets():
            to = read(effect.to).number(names)
            yield kinds.SetTo(figure=figure, side=side, track=effect.track, to=to)
        case declared.Begins():
            until = effect.until
            yield kinds.Began(figure=figure, side=side, item=item, state=effect.state, until=until)
        case declared.Ends():
            yield kinds.Ended(figure=figure, side=side, item=item, state=effect.state)
        case declared.Out() if figure is not None:
            # Whoever falls in their own attack falls to whom it was aimed at.
            by = act.at if figure == act.by else act.by
            hand = by if isinstance(by, str) and by != figure else None
            yield kinds.Out(figure=figure, by=hand, mark=effect.mark)
        case declared.Out():
            # A whole side leaves: everybody of it who is still there, by nobody's hand.
            for key, there in now.figures.items():
                if there.side == side and there.out is None:
                    yield kinds.Out(figure=key, mark=effect.mark)
        case declared.Back() if figure is not None:
            yield kinds.Back(figure=figure)
        case declared.LosesWeapon() if figure is not None and act.item is not None:
            yield kinds.LostWeapon(figure=figure, item=act.item, lasting=effect.lasting)
        case declared.EndsActivation() if figure is not None:
            yield kinds.Acted(figure=figure)


def _whom(whom: str, act: Act) -> Who | None:
    """Whom an effect is about: a figure, or the number of a side."""
    match whom:
        case "by" | "item":
            return act.by
        case "at":
            return act.at
        case "by_side":
            return side_of(act.by)
        case "at_side":
            return None if act.at is None else side_of(act.at)
    raise ValueError(whom)


def side_of(who: Who) -> int:
    """The side of a figure, or the side itself."""
    return who if isinstance(who, int) else int(who.partition(".")[0])
