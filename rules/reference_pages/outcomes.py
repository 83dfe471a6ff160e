"""What befalls a member, in words: every outcome that a table, fate or condition may bring."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rules.book.fates import Outcome, RollsOn
from rules.reference_pages.pieces import Link
from rules.reference_pages.words import BookWording


def outcomes(words: BookWording, listed: Iterable[Outcome]) -> tuple[Link, ...]:
    """Each outcome in words, leading to what it names."""
    return tuple(outcome_in_words(words, outcome) for outcome in listed)


def outcome_in_words(words: BookWording, outcome: Outcome) -> Link:
    """One outcome in words, leading to the condition, table or trait that it names."""
    book = words.book
    match outcome.kind:
        case "dies":
            if outcome.gear == "stash":
                return Link(_("Dies; their gear goes to the stash."))
            return Link(_("Dies; their gear is lost."))
        case "leaves":
            departure = book.campaign.departure[outcome.departure]
            gear = {
                "lost": _("their gear is lost"),
                "stash": _("their gear goes to the stash"),
                "kept": _("their gear goes with them"),
            }[outcome.gear]
            sentence = _("Leaves: %(departure)s; %(gear)s.")
            names = {"departure": words.translated(departure.name), "gear": gear}
            return words.link("departure", departure, sentence % names)
        case "suffers":
            condition = book.condition[outcome.condition]
            sentence = _("Gets: %(condition)s.")
            if outcome.games is not None:
                sentence = _("Gets: %(condition)s, for games to come: %(games)s.")
            names = {
                "condition": words.translated(condition.name),
                "games": (outcome.games or "").upper(),
            }
            return words.link("condition", condition, sentence % names)
        case "loses_item":
            sentence = _("Loses one item, by a die, of: %(groups)s.")
            if outcome.every:
                sentence = _("Loses every item of: %(groups)s.")
            return Link(sentence % {"groups": words.named(book.group, outcome.groups)})
        case "learns":
            return Link(_("Experience: +%(amount)s.") % {"amount": outcome.amount.upper()})
        case "gains":
            trait = book.trait[outcome.trait]
            sentence = _("Gains the trait: %(trait)s.") % {"trait": words.translated(trait.name)}
            return words.link("trait", trait, sentence)
        case "pays":
            amount = words.money(outcome.amount.upper())
            return Link(_("The gang pays %(amount)s, or all it has.") % {"amount": amount})
        case "rolls_on":
            return _rolls_on(words, outcome)
        case "again":
            return Link(_("Roll again on this table."))
        case "chooses":
            options = [
                " ".join(
                    [f"{words.translated(option.name)}."]
                    + [link.text for link in outcomes(words, option.outcomes)]
                )
                for option in outcome.options
            ]
            return Link(_("Choose: %(options)s") % {"options": _(" Or: ").join(options)})


def _rolls_on(words: BookWording, outcome: RollsOn) -> Link:
    table, times = words.book.table[outcome.table], outcome.times
    if times == "1":
        sentence = _("Roll on: %(table)s.")
    elif times.isdigit():
        sentence = ngettext(
            "Roll %(times)s time on: %(table)s.", "Roll %(times)s times on: %(table)s.", int(times)
        )
    else:
        sentence = _("Roll on: %(table)s. Times: %(times)s.")
    sentence %= {"times": times.upper(), "table": words.translated(table.name)}
    if outcome.rerolling:
        again = words.tagged(table.rows, outcome.rerolling)
        sentence += " " + _("Roll again for: %(rows)s.") % {"rows": again}
    return words.link("table", table, sentence)
