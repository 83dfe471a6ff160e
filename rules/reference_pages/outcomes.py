"""What befalls a member, in words: every outcome that a table, fate or condition may bring."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rules.book.fates import Outcome
from rules.reference_pages.pieces import Link
from rules.reference_pages.words import Words


def outcomes(words: Words, listed: Iterable[Outcome]) -> tuple[Link, ...]:
    """Each outcome in words, leading to what it names."""
    return tuple(outcome_in_words(words, outcome) for outcome in listed)


def outcome_in_words(words: Words, outcome: Outcome) -> Link:
    """One outcome in words, leading to the condition, table or trait that it names."""
    book = words.book
    match outcome.kind:
        case "dies":
            if outcome.gear == "stash":
                return Link(_("Dies; what he carried comes to the stash."))
            return Link(_("Dies; what he carried is lost."))
        case "leaves":
            row = book.campaign.departure[outcome.departure]
            gear = {
                "lost": _("what he carried is lost"),
                "stash": _("what he carried comes to the stash"),
                "kept": _("what he carries goes with him"),
            }[outcome.gear]
            told = _("Leaves: %(departure)s; %(gear)s.") % {
                "departure": words.said(row.name),
                "gear": gear,
            }
            return Link(told, f"campaign/#departure-{row.key}")
        case "suffers":
            name = words.said(book.condition[outcome.condition].name)
            if outcome.games is None:
                told = _("Gets: %(condition)s.") % {"condition": name}
            else:
                told = _("Gets: %(condition)s, for games to come: %(games)s.") % {
                    "condition": name,
                    "games": _dice(outcome.games),
                }
            return Link(told, f"tables/#condition-{outcome.condition}")
        case "loses_item":
            groups = words.named(book.group, outcome.groups)
            if outcome.every:
                return Link(_("Loses every item of: %(groups)s.") % {"groups": groups})
            return Link(_("Loses one item, by a die, of: %(groups)s.") % {"groups": groups})
        case "learns":
            return Link(_("Experience: +%(amount)s.") % {"amount": _dice(outcome.amount)})
        case "gains":
            name = words.said(book.trait[outcome.trait].name)
            told = _("Gains the trait: %(trait)s.") % {"trait": name}
            return Link(told, f"characters/#trait-{outcome.trait}")
        case "pays":
            amount = words.money(_dice(outcome.amount))
            return Link(_("The gang pays %(amount)s, as far as it can.") % {"amount": amount})
        case "rolls_on":
            return _rolls_on(words, outcome.table, outcome.times, outcome.rerolling)
        case "again":
            return Link(_("Roll again on this table."))
        case "chooses":
            options = [
                " ".join([f"{words.said(option.name)}.", *_told(words, option.outcomes)])
                for option in outcome.options
            ]
            return Link(_("Choose: %(options)s") % {"options": _(" Or: ").join(options)})


def _told(words: Words, listed: Iterable[Outcome]) -> list[str]:
    return [link.text for link in outcomes(words, listed)]


def _dice(amount: str) -> str:
    """Dice as players write them: "1D3"."""
    return amount.upper()


def _rolls_on(words: Words, key: str, times: str, rerolling: tuple[str, ...]) -> Link:
    table = words.book.table[key]
    name = words.said(table.name)
    if times == "1":
        told = _("Roll on: %(table)s.") % {"table": name}
    elif times.isdigit():
        told = ngettext(
            "Roll %(times)s time on: %(table)s.", "Roll %(times)s times on: %(table)s.", int(times)
        ) % {"times": times, "table": name}
    else:
        told = _("Roll on: %(table)s. Times: %(times)s.") % {"table": name, "times": _dice(times)}
    if rerolling:
        again = words.tagged(table.rows, rerolling)
        told += " " + _("Roll again for: %(rows)s.") % {"rows": again}
    return Link(told, f"tables/#table-{key}")
