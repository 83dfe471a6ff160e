"""Entries as sentences, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from gangs import entries as kinds
from gangs.dice_words import faces_told
from gangs.entries import Entry
from gangs.fold import Books, no_books
from gangs.misfit import Misfit
from gangs.own_items import extended
from gangs.roster import Roster
from gangs.upgrading import carried_over
from gangs.wording import money_unit, rules_name, shown_name, spoken, with_unit
from rules.book import Book
from rules.costing import Points
from rules.vocabulary import Row, Text


class Teller:
    """Tells entries as sentences, against the roster as it stood before each of them."""

    def __init__(self, book: Book, roster: Roster, books: Books = no_books) -> None:
        self.book = book
        self.roster = roster
        self.books = books
        # The names of whom and what entries brought, by number: struck ones speak of them, too,
        # where the roster has lost them.
        self.brought: dict[int, str] = {}

    def tell(self, entry: Entry) -> str:
        """``entry`` as a sentence."""
        return _TELL[type(entry)](self, entry)

    def tell_award(self, entry: kinds.Learned, members: Sequence[int]) -> str:
        """What several members learned for the same award, as one sentence."""
        if len(members) == 1:
            return self.tell(entry)
        awards = {row.key: row for row in self.book.campaign.awards}
        return _("%(award)s, %(experience)s +%(amount)s each: %(names)s.") % {
            "award": self.row(awards, entry.award),
            "experience": spoken(self.book.experience_name),
            "amount": entry.amount,
            "names": ", ".join(map(self.who, members)),
        }

    def who(self, member: int | None) -> str:
        """The name of a member, in or out of the gang."""
        for candidate in self.roster.everyone():
            if candidate.id == member:
                return shown_name(self.book, candidate)
        return self.brought.get(member or 0) or _("somebody")

    def row(self, table: Mapping[str, Row], key: str | None) -> str:
        """The name of a rulebook's row; the key if there is none."""
        row = table.get(key) if key else None
        return spoken(row.name) if row else str(key)

    def outcome(self, entry: kinds.Played) -> str:
        """What a game ended in for the gang."""
        return spoken(self.book.campaign.outcome(entry.result, entry.side))

    def item(self, item: int) -> str:
        """The name of an item that somebody has."""
        try:
            return self.item_row(self.roster.holder(item)[1].key)
        except KeyError:
            return self.brought.get(item) or _("something")

    def item_row(self, key: str) -> str:
        """The name of an item, the rulebook's or the gang's own."""
        return self.row(extended(self.book, self.roster).item, key)

    def paid(self, amount: Points) -> str:
        """What was paid, in brackets; nothing if it was free."""
        return f" ({self.money(amount)})" if amount else ""

    def money(self, amount: Points) -> str:
        """An amount of money with its unit."""
        return with_unit(amount, money_unit(self.book))


def _founded(teller: Teller, entry: kinds.Founded) -> str:
    return _("%(name)s was founded.") % {"name": entry.name}


def _renamed(teller: Teller, entry: kinds.Renamed) -> str:
    return _("The gang is now called %(name)s.") % {"name": entry.name}


def _settings(teller: Teller, entry: kinds.SettingsChosen) -> str:
    names = ", ".join(teller.row(teller.book.setting, key) for key in entry.settings)
    return _("Options changed: %(names)s.") % {"names": names}


def _noted(teller: Teller, entry: kinds.Noted) -> str:
    if entry.member is None:
        return _("The gang’s notes were changed.")
    return _("%(who)s: notes changed.") % {"who": teller.who(entry.member)}


def _recruited(teller: Teller, entry: kinds.Recruited) -> str:
    rank = teller.row(teller.book.rank, entry.rank)
    paid = teller.paid(entry.paid)
    if entry.name:
        return _("%(name)s was recruited as %(rank)s%(paid)s.") % {
            "name": entry.name,
            "rank": rank,
            "paid": paid,
        }
    return _("Recruited: %(rank)s%(paid)s.") % {"rank": rank, "paid": paid}


def _dismissed(teller: Teller, entry: kinds.Dismissed) -> str:
    return _("%(who)s was dismissed.") % {"who": teller.who(entry.member)}


def _named(teller: Teller, entry: kinds.Named) -> str:
    values = {"who": teller.who(entry.member), "name": entry.name}
    return _("%(who)s is now called %(name)s.") % values


def _reordered(teller: Teller, entry: kinds.Reordered) -> str:
    values = {"who": teller.who(entry.member), "place": entry.position + 1}
    return _("%(who)s moved to place %(place)s.") % values


def _points(teller: Teller, entry: kinds.PointsSpread) -> str:
    return _("%(who)s: %(characteristic)s %(amount)s.") % {
        "who": teller.who(entry.member),
        "characteristic": teller.row(teller.book.characteristic, entry.characteristic),
        "amount": f"{entry.amount:+d}",
    }


def _profession(teller: Teller, entry: kinds.ProfessionChosen) -> str:
    which = teller.row(teller.book.profession, entry.profession) if entry.profession else ""
    return _is(teller, entry.member, teller.book.profession_name or _("Profession"), which)


def _trait_taken(teller: Teller, entry: kinds.TraitTaken) -> str:
    return _("%(who)s gained %(trait)s%(paid)s.") % {
        "who": teller.who(entry.member),
        "trait": teller.row(teller.book.trait, entry.trait),
        "paid": teller.paid(entry.paid),
    }


def _trait_dropped(teller: Teller, entry: kinds.TraitDropped) -> str:
    values = {
        "who": teller.who(entry.member),
        "trait": teller.row(teller.book.trait, entry.trait),
    }
    return _("%(who)s gave up %(trait)s.") % values


def _bought(teller: Teller, entry: kinds.Bought) -> str:
    values = {
        "who": teller.who(entry.member),
        "item": teller.item_row(entry.item),
        "paid": teller.paid(entry.paid),
    }
    if entry.member is None:
        return _("Bought for the stash: %(item)s%(paid)s.") % values
    return _("%(who)s got %(item)s%(paid)s.") % values


def _item_declared(teller: Teller, entry: kinds.ItemDeclared) -> str:
    values = {"item": entry.name, "group": teller.row(teller.book.group, entry.group)}
    return _("The gang has an item of its own: %(item)s (%(group)s).") % values


def _moved(teller: Teller, entry: kinds.Moved) -> str:
    values = {"item": teller.item(entry.item), "who": teller.who(entry.member)}
    if entry.member is None:
        return _("%(item)s went to the stash.") % values
    return _("%(item)s was handed to %(who)s.") % values


def _discarded(teller: Teller, entry: kinds.Discarded) -> str:
    return _("%(item)s was given away.") % {"item": teller.item(entry.item)}


def _joined(teller: Teller, entry: kinds.Joined) -> str:
    return _("The gang joined the campaign %(name)s.") % {"name": entry.name}


def _played(teller: Teller, entry: kinds.Played) -> str:
    values = {"title": entry.title, "result": teller.outcome(entry)}
    return _("Game played, %(title)s: %(result)s.") % values


def _rolled(teller: Teller, entry: kinds.Rolled) -> str:
    by = _("rolled by the app") if entry.roll.thrown_by == "app" else _("rolled at the table")
    values = {
        "who": teller.who(entry.member),
        "table": teller.row(teller.book.table, entry.table),
        "faces": " + ".join(faces_told(entry.roll, teller.book.table.get(entry.table))),
        "by": by,
    }
    if entry.member is None:
        return _("%(table)s: %(faces)s (%(by)s).") % values
    return _("%(who)s, %(table)s: %(faces)s (%(by)s).") % values


def _died(teller: Teller, entry: kinds.Died) -> str:
    return _("%(who)s is dead.") % {"who": teller.who(entry.member)}


def _suffered(teller: Teller, entry: kinds.Suffered) -> str:
    condition = teller.row(teller.book.condition, entry.condition)
    return _("%(who)s: %(condition)s.") % {"who": teller.who(entry.member), "condition": condition}


def _recovered(teller: Teller, entry: kinds.Recovered) -> str:
    return _("%(who)s is free of %(condition)s%(paid)s.") % {
        "who": teller.who(entry.member),
        "condition": teller.row(teller.book.condition, entry.condition),
        "paid": teller.paid(entry.paid),
    }


def _item_lost(teller: Teller, entry: kinds.ItemLost) -> str:
    values = {"who": teller.who(entry.member), "item": teller.item(entry.item)}
    return _("%(who)s lost %(item)s.") % values


def _learned(teller: Teller, entry: kinds.Learned) -> str:
    awards = {row.key: row for row in teller.book.campaign.awards}
    values = {
        "who": teller.who(entry.member),
        "experience": spoken(teller.book.experience_name),
        "amount": entry.amount,
    }
    if entry.award in awards:
        award = teller.row(awards, entry.award)
        return _("%(who)s: %(experience)s +%(amount)s, %(award)s.") % {**values, "award": award}
    return _("%(who)s: %(experience)s +%(amount)s.") % values


def _earned(teller: Teller, entry: kinds.Earned) -> str:
    rows: dict[str, Row] = {row.key: row for row in teller.book.campaign.tallies}
    rows |= {row.key: row for row in teller.book.campaign.underdog}
    amount = teller.money(entry.amount)
    if entry.why == "ransom":
        return _("The gang was paid a ransom: %(amount)s.") % {"amount": amount}
    if entry.why == "result":
        return _("The gang earned %(amount)s for the result of the game.") % {"amount": amount}
    if entry.key in rows:
        values = {"amount": amount, "why": teller.row(rows, entry.key)}
        return _("The gang earned %(amount)s: %(why)s.") % values
    return _("The gang earned %(amount)s.") % {"amount": amount}


def _hired(teller: Teller, entry: kinds.Hired) -> str:
    name = entry.name or teller.row(teller.book.rank, entry.rank)
    values = {"name": name, "paid": teller.paid(entry.paid)}
    return _("%(name)s was hired for one game%(paid)s.") % values


def _fined(teller: Teller, entry: kinds.Fined) -> str:
    values = {"who": teller.who(entry.member), "amount": teller.money(entry.paid)}
    return _("The gang paid %(amount)s for %(who)s.") % values


def _left(teller: Teller, entry: kinds.Left) -> str:
    rows = {row.key: row for row in teller.book.campaign.departures}
    values = {"who": teller.who(entry.member), "how": teller.row(rows, entry.departure)}
    return _("%(who)s left the gang: %(how)s.") % values


def _origin(teller: Teller, entry: kinds.OriginChosen) -> str:
    if entry.origin is None:
        return _("%(who)s is of the gang’s own origin.") % {"who": teller.who(entry.member)}
    return _("%(who)s: %(origin)s.") % {
        "who": teller.who(entry.member),
        "origin": teller.row(teller.book.origin, entry.origin),
    }


def _squad(teller: Teller, entry: kinds.SquadJoined) -> str:
    return _is(teller, entry.member, teller.book.squad_name or _("Squad"), entry.squad)


def _is(teller: Teller, member: int, what: Text | str, which: str) -> str:
    """Who belongs where, in the rulebook's own words."""
    values = {"who": teller.who(member), "what": spoken(what), "which": which}
    if not which:
        return _("%(who)s: %(what)s, none any more.") % values
    return _("%(who)s: %(what)s %(which)s.") % values


def _promoted(teller: Teller, entry: kinds.Promoted) -> str:
    return _("%(who)s was promoted to %(rank)s%(paid)s.") % {
        "who": teller.who(entry.member),
        "rank": teller.row(teller.book.rank, entry.rank),
        "paid": teller.paid(entry.paid),
    }


def _upgraded(teller: Teller, entry: kinds.Upgraded) -> str:
    try:
        newer = teller.books(entry.digest)
    except Misfit:
        return _("From here on the gang goes by another version of its rules.")
    told = _("From here on the gang goes by: %(rules)s.") % {"rules": rules_name(newer)}
    lost = [spoken(loss.name) for loss in carried_over(teller.book, newer, teller.roster)[1]]
    if not lost:
        return told
    gone = _("No longer in the rules: %(things)s.") % {"things": ", ".join(dict.fromkeys(lost))}
    return f"{told} {gone}"


_TELL: dict[type[Entry], Callable[[Teller, Any], str]] = {
    kinds.Founded: _founded,
    kinds.Renamed: _renamed,
    kinds.SettingsChosen: _settings,
    kinds.Noted: _noted,
    kinds.Recruited: _recruited,
    kinds.Dismissed: _dismissed,
    kinds.Named: _named,
    kinds.Reordered: _reordered,
    kinds.PointsSpread: _points,
    kinds.ProfessionChosen: _profession,
    kinds.OriginChosen: _origin,
    kinds.SquadJoined: _squad,
    kinds.TraitTaken: _trait_taken,
    kinds.TraitDropped: _trait_dropped,
    kinds.Bought: _bought,
    kinds.ItemDeclared: _item_declared,
    kinds.Moved: _moved,
    kinds.Discarded: _discarded,
    kinds.Joined: _joined,
    kinds.Played: _played,
    kinds.Rolled: _rolled,
    kinds.Died: _died,
    kinds.Left: _left,
    kinds.Suffered: _suffered,
    kinds.Recovered: _recovered,
    kinds.ItemLost: _item_lost,
    kinds.Learned: _learned,
    kinds.Earned: _earned,
    kinds.Hired: _hired,
    kinds.Fined: _fined,
    kinds.Promoted: _promoted,
    kinds.Upgraded: _upgraded,
}
