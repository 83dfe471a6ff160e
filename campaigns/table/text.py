"""Taps as sentences, in the reader's language."""

from __future__ import annotations

from functools import singledispatch

from django.utils.translation import gettext as _

from campaigns.table import taps as kinds
from campaigns.table.people import Names
from campaigns.table.taps import Tap
from common.units import add_unit

MINUS, ARROW = "\u2212", "\u2192"


def sign(amount: int) -> str:
    """Format a change of a number: +1, −1."""
    return f"+{amount}" if amount >= 0 else f"{MINUS}{-amount}"


@singledispatch
def describe(tap: Tap, names: Names) -> str:
    """Return a tap as a sentence."""
    raise TypeError(type(tap))


def _whose(
    tap: kinds.Counted | kinds.SetTo | kinds.Began | kinds.Ended | kinds.Tallied, names: Names
) -> str:
    """Return the figure or side of a tap, with the item if it is about one."""
    who = names.who(tap.figure if tap.figure is not None else tap.side or 0)
    item = getattr(tap, "item", None)
    if item is None:
        return who
    return _("%(who)s, %(item)s") % {"who": who, "item": names.item(tap.figure, item)}


def describe_about(tap: Tap, names: Names, who: str | int | None) -> str:
    """Return a tap as a result of an act whose sentence already names ``who``; a tap about somebody
    else as a sentence."""
    match tap:
        case kinds.Out() if tap.figure == who:
            if tap.mark is not None:
                return names.mark(tap.mark)
            return _("left the table") if tap.unhurt else _("out of action")
        case kinds.Back() if tap.figure == who:
            return _("back in the game")
        case kinds.Ordered() if who is not None and who in (tap.figure, tap.side):
            return _describe_order(tap, names)
        case kinds.Counted() | kinds.SetTo() | kinds.Began() | kinds.Ended() | kinds.Tallied() if (
            who is not None and who in (tap.figure, tap.side)
        ):
            words = _describe_change(tap, names)
            item = getattr(tap, "item", None)
            return words if item is None else f"{names.item(tap.figure, item)}: {words}"
    return describe(tap, names)


def _describe_change(
    tap: kinds.Counted | kinds.SetTo | kinds.Began | kinds.Ended | kinds.Tallied, names: Names
) -> str:
    match tap:
        case kinds.Counted():
            return f"{names.track(tap.track)} {sign(tap.by)}"
        case kinds.SetTo():
            return f"{names.track(tap.track)} {tap.to}"
        case kinds.Tallied():
            return f"{names.tally(tap.tally)} {sign(tap.by)}"
        case kinds.Began():
            return names.state(tap.state)
    return _("no longer %(state)s") % {"state": names.state(tap.state)}


@describe.register
def _counted(tap: kinds.Counted, names: Names) -> str:
    values = {"who": _whose(tap, names), "what": names.track(tap.track), "change": sign(tap.by)}
    return _("%(who)s: %(what)s %(change)s") % values


@describe.register
def _set_to(tap: kinds.SetTo, names: Names) -> str:
    values = {"who": _whose(tap, names), "what": names.track(tap.track), "number": tap.to}
    return _("%(who)s, %(what)s: %(number)s") % values


@describe.register
def _began(tap: kinds.Began, names: Names) -> str:
    values = {"who": _whose(tap, names), "state": names.state(tap.state)}
    return _("%(who)s: %(state)s") % values


@describe.register
def _ended(tap: kinds.Ended, names: Names) -> str:
    values = {"who": _whose(tap, names), "state": names.state(tap.state)}
    return _("%(who)s: no longer %(state)s") % values


@describe.register
def _out(tap: kinds.Out, names: Names) -> str:
    values = {"who": names.who(tap.figure)}
    if tap.by is not None:
        values["by"] = names.who(tap.by)
    if tap.mark is None and tap.unhurt:
        return _("%(who)s leaves the table unhurt") % values
    if tap.mark is None:
        sentence = (
            _("%(by)s takes %(who)s out of action")
            if tap.by is not None
            else _("%(who)s is out of action")
        )
        return sentence % values
    values["how"] = names.mark(tap.mark)
    return (
        _("%(who)s: %(how)s, by %(by)s") if tap.by is not None else _("%(who)s: %(how)s")
    ) % values


@describe.register
def _back(tap: kinds.Back, names: Names) -> str:
    words = _("%(who)s is back in the game")
    if names.may_arrive(tap.figure):
        words = _("%(who)s comes into play")
    return words % {"who": names.who(tap.figure)}


@describe.register
def _acted(tap: kinds.Acted, names: Names) -> str:
    values = {"who": names.who(tap.figure)}
    if tap.action is None:
        return _("%(who)s has acted") % values
    return _("%(who)s: %(action)s") % {**values, "action": names.action(tap.action)}


@describe.register
def _did(tap: kinds.Did, names: Names) -> str:
    values = {"who": names.who(tap.figure), "action": names.action(tap.action)}
    return _("%(who)s: %(action)s") % values


@describe.register
def _lost_weapon(tap: kinds.LostWeapon, names: Names) -> str:
    values = {"who": names.who(tap.figure), "item": names.item(tap.figure, tap.item)}
    if tap.lasting:
        return _("%(who)s loses this for good: %(item)s") % values
    return _("%(who)s cannot use this again in this game: %(item)s") % values


@describe.register
def _ordered(tap: kinds.Ordered, names: Names) -> str:
    who = names.who(tap.figure if tap.figure is not None else tap.side or 0)
    return _("%(who)s: %(what)s") % {"who": who, "what": _describe_order(tap, names)}


def _describe_order(tap: kinds.Ordered, names: Names) -> str:
    unit, text = names.order(tap)
    moves = _("moves")
    if tap.distance is not None:
        moves = _("moves %(distance)s") % {"distance": add_unit(str(tap.distance), unit)}
    return " \u00b7 ".join(filter(None, (moves, text)))


@describe.register
def _phase(tap: kinds.PhaseBegan, names: Names) -> str:
    return _("Phase: %(phase)s") % {"phase": names.phase(tap.phase)}


@describe.register
def _turn(tap: kinds.TurnEnded, names: Names) -> str:
    return _("The turn is over")


@describe.register
def _tallied(tap: kinds.Tallied, names: Names) -> str:
    values = {"who": _whose(tap, names), "what": names.tally(tap.tally), "change": sign(tap.by)}
    return _("%(who)s: %(what)s %(change)s") % values


@describe.register
def _rolled(tap: kinds.Rolled, names: Names) -> str:
    who = names.who(tap.by)
    if tap.at is not None:
        who = f"{who} {ARROW} {names.who(tap.at)}"
    parts = [names.roll(tap.roll)]
    if tap.item is not None:
        parts.append(names.item(tap.by, tap.item))
    if tap.faces:
        parts.append(" / ".join(" ".join(names.faces(tap.roll, faces)) for faces in tap.faces))
    if tap.outcome is not None and not tap.open:
        parts.append(names.outcome(tap.roll, tap.outcome))
    if tap.answered_by is not None:
        parts.append(_("answered by %(side)s") % {"side": names.who(tap.answered_by)})
    if tap.by_phone:
        parts.append(_("phone dice, unverified"))
    return _("%(who)s: %(what)s") % {"who": who, "what": " \u00b7 ".join(parts)}


@describe.register
def _declined(tap: kinds.Declined, names: Names) -> str:
    words = (
        _("%(who)s: spending nothing this turn") if tap.holds else _("%(who)s: to be asked again")
    )
    return words % {"who": names.who(tap.side)}


@describe.register
def _runs(tap: kinds.Runs, names: Names) -> str:
    words = (
        _("%(who)s: running the non-players")
        if tap.holds
        else _("%(who)s: no longer running the non-players")
    )
    return words % {"who": names.who(tap.side)}


@describe.register
def _followed(tap: kinds.Followed, names: Names) -> str:
    values = {"who": names.who(tap.who), "roll": names.roll(tap.roll)}
    return _("%(who)s: next, %(roll)s") % values


@describe.register
def _dealt(tap: kinds.Dealt, names: Names) -> str:
    what = names.alarm(tap.alarm) if tap.alarm is not None else names.roll(tap.roll or "")
    values = {"who": names.who(tap.who), "what": what}
    return _("%(who)s: %(what)s, done") % values


@describe.register
def _said(tap: kinds.Note, names: Names) -> str:
    return _("“%(text)s”") % {"text": tap.text}


@describe.register
def _over(tap: kinds.GameEnded, names: Names) -> str:
    if tap.result is None:
        return _("Play is over")
    values = {"result": names.result(tap.result)}
    if tap.winner is None:
        return _("Play is over: %(result)s") % values
    return _("Play is over: %(result)s, %(who)s won") % {**values, "who": names.who(tap.winner)}


@describe.register(kinds.Struck)
@describe.register(kinds.Undone)
def _struck(tap: Tap, names: Names) -> str:
    return _("Something is undone")


@describe.register
def _undo_answered(tap: kinds.UndoAnswered, names: Names) -> str:
    return _("Undo agreed") if tap.agreed else _("Undo declined: the roll counts")


@describe.register
def _settled(tap: kinds.Settled, names: Names) -> str:
    return _("A question is answered: both count")
