"""Entries of a ledger as sentences in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatch
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.fold import Books, no_books
from gangs.engine.own_items import extend_book
from gangs.engine.roster import Roster, name_or_rank
from gangs.engine.shelf import find_terms
from gangs.engine.version_change import carry_over
from gangs.text.dice import shown_faces
from gangs.text.formats import (
    localize,
    money_unit,
    outcome_name,
    rules_name,
    say_amount,
    say_costs,
    shown_name,
    with_unit,
)
from rules.book.model import Book
from rules.book.offers import ItemOffer
from rules.book.vocabulary import Row, Text, name_of
from rules.engine.costing import Points
from rules.engine.dice import DiceRoll


class Describer:
    """Describes entries as sentences. ``roster`` must be the roster before each entry."""

    def __init__(self, book: Book, roster: Roster, books: Books = no_books) -> None:
        self.book = book
        self.roster = roster
        self.books = books
        # Names of members and items that entries brought, by number. Sentences of struck entries
        # need them for members and items that are no longer in the roster.
        self.brought: dict[int, str] = {}

    def describe(self, entry: Entry) -> str:
        """``entry`` as a sentence, with the reason if its dice were overruled."""
        text, roll = sentence(entry, self), getattr(entry, "roll", None)
        if roll is None or not roll.why or isinstance(entry, (kinds.Rolled, kinds.Searched)):
            return text
        return f"{text} ({say_thrower(roll)})"

    def describe_award(self, entry: kinds.Learned, members: Sequence[int]) -> str:
        """One sentence about several members who got the same award."""
        if len(members) == 1:
            return self.describe(entry)
        return _("%(award)s, %(experience)s +%(amount)s each: %(names)s.") % {
            "award": Values(self, entry)["award"],
            "experience": localize(self.book.experience_word),
            "amount": entry.amount,
            "names": ", ".join(map(self.who, members)),
        }

    def remember(self, number: int, entry: Entry) -> None:
        """Remember the name of the member or item that entry ``number`` brought."""
        match entry:
            case kinds.Recruited():
                self.brought[number] = localize(name_or_rank(self.book, entry.name, entry.rank))
            case kinds.Bought():
                self.brought[number] = self.item(entry.item)
            case kinds.HoldingGained():
                self.brought[number] = entry.name or self.row(self.book.holding, entry.holding)

    def who(self, member: int | None) -> str:
        """The name of a member, in or out of the gang."""
        for candidate in self.roster.everyone():
            if candidate.id == member:
                return shown_name(self.book, candidate)
        return self.brought.get(member or 0) or _("somebody")

    def row(self, table: Mapping[str, Row], key: str | None) -> str:
        """The name of a rulebook's row; the key if it has no such row."""
        return localize(name_of(table, str(key)))

    def outcome(self, entry: kinds.Played) -> str:
        """The result of a game for the gang."""
        return outcome_name(self.book, entry.result, entry.side)

    def item(self, item: int | str) -> str:
        """The name of an item by its number in the gang, or by its key in the rulebook or among the
        gang's custom items."""
        try:
            key = item if isinstance(item, str) else self.roster.holder(item)[1].key
        except Misfit:
            return self.brought.get(int(item)) or _("something")
        return self.row(extend_book(self.book, self.roster).item, key)

    def place(self, place: int) -> str:
        """The name of a holding by its number in the gang."""
        try:
            return localize(self.roster.place(place).own_name(self.book))
        except Misfit:
            return self.brought.get(place) or _("something")

    def money(self, amount: Points) -> str:
        """An amount of money with its unit."""
        return with_unit(amount, money_unit(self.book))

    def paid(self, amount: Points, costs: Mapping[str, int]) -> str:
        """A payment in money and other currencies; "" if it is nothing."""
        parts = (self.money(amount) if amount else "", say_costs(self.book, costs))
        return " + ".join(filter(None, parts))


def say_thrower(roll: DiceRoll) -> str:
    """The thrower of dice or, if an organiser overruled them, the reason."""
    if roll.why:
        return _("overruled by an organiser: %(why)s") % {"why": roll.why}
    return _("rolled by the app") if roll.thrown_by == "app" else _("rolled at the table")


class Values:
    """The values for the places in a sentence about an entry: the member's name, the sum paid (in
    brackets; "" if it was free), the names of the rows in the entry's fields."""

    def __init__(self, describer: Describer, entry: Entry, **more: object) -> None:
        """``more``: further values, which replace values of the same name."""
        self.describer = describer
        self.entry: Any = entry
        self.more = more

    def __getitem__(self, key: str) -> object:
        entry, describer, book = self.entry, self.describer, self.describer.book
        if key in self.more:
            return self.more[key]
        match key:
            case "who":
                return describer.who(entry.member)
            case "paid":
                paid = describer.paid(entry.paid, getattr(entry, "costs", {}))
                return f" ({paid})" if paid else ""
            case "item":
                return describer.item(entry.item)
            case "owner":
                return describer.who(entry.owner)
            case "teacher":
                return describer.who(entry.teacher)
            case "host":
                return describer.item(entry.on)
            case "amount" if isinstance(entry, kinds.Sold):
                return describer.money(entry.amount)
            case "award":
                return describer.row({row.key: row for row in book.campaign.awards}, entry.award)
            case "experience":
                return localize(book.experience_word)
            case "names":
                return ", ".join(describer.row(book.setting, key) for key in entry.settings)
            case "signed":
                return f"{entry.amount:+d}".replace("-", "−")
            case "place":
                return entry.position + 1
            case "result":
                return describer.outcome(entry)
            case "how":
                return describer.row(book.campaign.departure, entry.departure)
            case "faces":
                return " + ".join(shown_faces(entry.roll, book.table.get(entry.table)))
            case "by":
                return say_thrower(entry.roll)
            case "rank" | "trait" | "condition" | "characteristic" | "origin" | "group" | "table":
                return describer.row(getattr(book, key), getattr(entry, key))
        return getattr(entry, key)


@singledispatch
def sentence(entry: Entry, describer: Describer) -> str:
    """``entry`` as a sentence; every kind of entry registers a function."""
    raise NotImplementedError(entry.kind)


# Kinds that only need a sentence with places for ``Values``.
SENTENCES: dict[type[Entry], Promise] = {
    kinds.Founded: gettext_lazy("%(name)s was created."),
    kinds.Renamed: gettext_lazy("The gang is now called %(name)s."),
    kinds.Noted: gettext_lazy("%(who)s: notes changed."),
    kinds.SettingsChosen: gettext_lazy("Options changed: %(names)s."),
    kinds.Recruited: gettext_lazy("%(name)s was recruited as %(rank)s%(paid)s."),
    kinds.Dismissed: gettext_lazy("%(who)s was dismissed."),
    kinds.Named: gettext_lazy("%(who)s is now called %(name)s."),
    kinds.Reordered: gettext_lazy("%(who)s moved to place %(place)s."),
    kinds.OriginChosen: gettext_lazy("%(who)s: %(origin)s."),
    kinds.OwnerChosen: gettext_lazy("%(who)s now belongs to %(owner)s."),
    kinds.ProfileRolled: gettext_lazy("%(who)s rolled %(characteristic)s %(amount)s."),
    kinds.Bought: gettext_lazy("%(who)s got %(item)s%(paid)s."),
    kinds.Moved: gettext_lazy("%(item)s was handed to %(who)s."),
    kinds.TraitTaken: gettext_lazy("%(who)s gained %(trait)s%(paid)s."),
    kinds.TraitDropped: gettext_lazy("%(who)s gave up %(trait)s."),
    kinds.Discarded: gettext_lazy("%(item)s was given away."),
    kinds.Sold: gettext_lazy("%(item)s was sold for %(amount)s."),
    kinds.Joined: gettext_lazy("The gang joined the campaign %(name)s."),
    kinds.Played: gettext_lazy("Game played, %(title)s: %(result)s."),
    kinds.Rolled: gettext_lazy("%(who)s, %(table)s: %(faces)s (%(by)s)."),
    kinds.Died: gettext_lazy("%(who)s is dead."),
    kinds.Left: gettext_lazy("%(who)s left the gang: %(how)s."),
    kinds.Suffered: gettext_lazy("%(who)s: %(condition)s."),
    kinds.Recovered: gettext_lazy("%(who)s no longer suffers from %(condition)s%(paid)s."),
    kinds.ItemLost: gettext_lazy("%(who)s lost %(item)s."),
    kinds.Promoted: gettext_lazy("%(who)s was promoted to %(rank)s%(paid)s."),
    kinds.Rose: gettext_lazy("%(who)s: %(characteristic)s %(signed)s for good."),
}
# Alternative sentences for entries of which this field is empty.
WITHOUT: dict[type[Entry], tuple[str, Promise]] = {
    kinds.Noted: ("member", gettext_lazy("The gang’s notes were changed.")),
    kinds.Recruited: ("name", gettext_lazy("Recruited: %(rank)s%(paid)s.")),
    kinds.OriginChosen: ("origin", gettext_lazy("%(who)s is of the gang’s own origin.")),
    kinds.Bought: ("member", gettext_lazy("Bought for the stash: %(item)s%(paid)s.")),
    kinds.Moved: ("member", gettext_lazy("%(item)s went to the stash.")),
    kinds.Rolled: ("member", gettext_lazy("%(table)s: %(faces)s (%(by)s).")),
}


# Sentences about members and items that a dice table brought; the second if the field is empty.
BY_ROLL: dict[type[Entry], tuple[Promise, str, Promise]] = {
    kinds.Recruited: (
        gettext_lazy("%(name)s joined as %(rank)s."),
        "name",
        gettext_lazy("Joined: %(rank)s."),
    ),
    kinds.Bought: (
        gettext_lazy("%(who)s found %(item)s."),
        "member",
        gettext_lazy("Found, for the stash: %(item)s."),
    ),
}


def _filled(entry: Entry, describer: Describer) -> str:
    if getattr(entry, "by_roll", False) and type(entry) in BY_ROLL:
        found, field, without = BY_ROLL[type(entry)]
        return str(found if getattr(entry, field) else without) % Values(describer, entry)
    text = SENTENCES[type(entry)]
    field, without = WITHOUT.get(type(entry), ("kind", text))
    return str(text if getattr(entry, field) else without) % Values(describer, entry)


SINGLY = {kinds.Bought, kinds.Moved, kinds.Recruited, kinds.Dismissed, kinds.Died, kinds.Left}
for _kind in SENTENCES.keys() - SINGLY:
    sentence.register(_kind, _filled)


@sentence.register
def _recruited(entry: kinds.Recruited, describer: Describer) -> str:
    recruited = _filled(entry, describer)
    if entry.owner is None:
        return recruited
    return f"{recruited} {_('Belongs to %(owner)s.') % Values(describer, entry)}"


@sentence.register
def _left(entry: kinds.Dismissed | kinds.Died | kinds.Left, describer: Describer) -> str:
    left, pets = _filled(entry, describer), describer.roster.belongings(entry.member)
    if not pets:
        return left
    names = ", ".join(shown_name(describer.book, one) for one in pets)
    return f"{left} {_('With them left: %(names)s.') % {'names': names}}"


@sentence.register
def _trait_taken(entry: kinds.TraitTaken, describer: Describer) -> str:
    if entry.teacher is not None:
        return _("%(who)s learned %(trait)s from %(teacher)s.") % Values(describer, entry)
    if not entry.experience:
        return _filled(entry, describer)
    spent = f"{localize(describer.book.experience_word)} −{entry.experience}"
    return _("%(who)s gained %(trait)s%(paid)s (%(spent)s).") % Values(
        describer, entry, spent=spent
    )


@sentence.register
def _points(entry: kinds.PointsSpread, describer: Describer) -> str:
    values = Values(describer, entry, amount=f"{entry.amount:+d}")
    return _("%(who)s: %(characteristic)s %(amount)s.") % values


@sentence.register
def _profession(entry: kinds.ProfessionChosen, describer: Describer) -> str:
    book = describer.book
    which = describer.row(book.profession, entry.profession) if entry.profession else ""
    return _is(describer, entry.member, book.profession_name or _("Profession"), which)


@sentence.register
def _squad(entry: kinds.SquadJoined, describer: Describer) -> str:
    return _is(describer, entry.member, describer.book.squad_name or _("Squad"), entry.squad)


def _is(describer: Describer, member: int, what: Text | str, which: str) -> str:
    """The sentence about a member's profession or squad, called by the rulebook's own word."""
    values = {"who": describer.who(member), "what": localize(what), "which": which}
    if not which:
        return _("%(who)s: %(what)s, none any more.") % values
    return _("%(who)s: %(what)s %(which)s.") % values


@sentence.register
def _item_declared(entry: kinds.ItemDeclared, describer: Describer) -> str:
    values = Values(describer, entry, item=entry.name)
    return _("New custom item: %(item)s (%(group)s).") % values


@sentence.register
def _searched(entry: kinds.Searched, describer: Describer) -> str:
    row = describer.book.offer.get(entry.offer)
    values = Values(
        describer,
        entry,
        what=describer.row(describer.book.offer, entry.offer),
        faces=_search_faces(entry),
    )
    if row is not None and row.is_found(entry.roll.total + entry.plus):
        found = _("%(who)s found %(what)s: %(faces)s (%(by)s).") % values
        return " ".join([found, *_terms(entry, row, describer)])
    return _("%(who)s looked for %(what)s and found nothing: %(faces)s (%(by)s).") % values


def _search_faces(entry: kinds.Searched) -> str:
    """The dice of a search and the number added to them: "3 + 5 − 1"."""
    faces = " + ".join(shown_faces(entry.roll, None))
    if not entry.plus:
        return faces
    return f"{faces} {'+' if entry.plus > 0 else '−'} {abs(entry.plus)}"


def _terms(entry: kinds.Searched, row: ItemOffer, describer: Describer) -> Iterator[str]:
    """The price and the number that dice gave something found, in sentences."""
    price, stock = find_terms(row, entry)
    if price is not None:
        yield _("Price: %(amount)s.") % {"amount": describer.money(price)}
    if stock is not None:
        yield _("On offer: %(count)s.") % {"count": stock}


@sentence.register
def _bought(entry: kinds.Bought, describer: Describer) -> str:
    if entry.included:
        return _("%(who)s joined with %(item)s.") % Values(describer, entry)
    if entry.on is not None and entry.member is not None and not entry.by_roll:
        return _("%(who)s got %(item)s%(paid)s for %(host)s.") % Values(describer, entry)
    return _filled(entry, describer)


@sentence.register
def _moved(entry: kinds.Moved, describer: Describer) -> str:
    if entry.on is not None:
        return _("%(item)s was fitted to %(host)s.") % Values(describer, entry)
    try:
        owner, owned = describer.roster.holder(entry.item)
    except Misfit:
        return _filled(entry, describer)
    if owned.on is not None and (owner.id if owner else None) == entry.member:
        host = describer.item(owned.on)
        return _("%(item)s was taken off %(host)s.") % Values(describer, entry, host=host)
    return _filled(entry, describer)


@sentence.register
def _used(entry: kinds.Used, describer: Describer) -> str:
    values = Values(describer, entry, count=entry.uses)
    text = ngettext("%(item)s: %(count)s use.", "%(item)s: %(count)s uses.", entry.uses) % values
    try:
        owned = describer.roster.holder(entry.item)[1]
    except Misfit:
        return text
    row = extend_book(describer.book, describer.roster).item.get(owned.key)
    if row is None or row.uses is None or owned.used + entry.uses < row.uses:
        return text
    return _("%(item)s was used up.") % values


@sentence.register
def _tracked(entry: kinds.Tracked, describer: Describer) -> str:
    track = describer.row(describer.book.track, entry.track)
    return _("%(who)s: %(track)s is now %(to)s.") % Values(describer, entry, track=track)


@sentence.register
def _learned(entry: kinds.Learned, describer: Describer) -> str:
    values = Values(describer, entry)
    if entry.award in {row.key for row in describer.book.campaign.awards}:
        return _("%(who)s: %(experience)s +%(amount)s, %(award)s.") % values
    return _("%(who)s: %(experience)s +%(amount)s.") % values


@sentence.register
def _earned(entry: kinds.Earned, describer: Describer) -> str:
    season = describer.book.campaign
    incomes: dict[str, tuple[Row, ...]] = {"yield": season.yields, "haul": season.hauls}
    listed = incomes.get(entry.why, (*season.tallies, *season.underdog))
    rows: dict[str, Row] = {row.key: row for row in listed}
    amount = say_amount(describer.book, entry.amount, entry.currency)
    values = {"amount": amount, "why": describer.row(rows, entry.key)}
    if entry.why == "ransom":
        return _("The gang was paid a ransom: %(amount)s.") % values
    if entry.why == "result":
        return _("The gang earned %(amount)s for the result of the game.") % values
    if entry.why == "unfought":
        return _("The gang earned %(amount)s for a game without a battle.") % values
    if entry.why == "roll" and entry.key in describer.book.table:
        values["why"] = describer.row(describer.book.table, entry.key)
        return _("The gang earned %(amount)s: %(why)s.") % values
    if entry.key in rows:
        return _("The gang earned %(amount)s: %(why)s.") % values
    return _("The gang earned %(amount)s.") % values


@sentence.register
def _holding_gained(entry: kinds.HoldingGained, describer: Describer) -> str:
    own = describer.row(describer.book.holding, entry.holding)
    name = f"{entry.name} ({own})" if entry.name else own
    values = Values(describer, entry, holding=name)
    if entry.captured_from:
        return _("The gang captured %(holding)s from %(captured_from)s.") % values
    return _("The gang now holds %(holding)s%(paid)s.") % values


@sentence.register
def _holding_lost(entry: kinds.HoldingLost, describer: Describer) -> str:
    values = Values(describer, entry, holding=describer.place(entry.place))
    if entry.captured_by:
        return _("%(captured_by)s captured %(holding)s.") % values
    if entry.unpaid:
        return _("The gang lost %(holding)s: its upkeep was not paid.") % values
    return _("The gang gave up %(holding)s.") % values


@sentence.register
def _upkeep_paid(entry: kinds.UpkeepPaid, describer: Describer) -> str:
    rows = {row.key: row for row in describer.book.campaign.upkeep}
    names = [describer.who(member) for member in entry.members]
    names += [describer.place(place) for place in entry.places]
    values = {
        "upkeep": describer.row(rows, entry.upkeep),
        "amount": describer.paid(entry.paid, entry.costs) or describer.money(0),
        "names": ", ".join(names),
    }
    return _("%(upkeep)s, paid %(amount)s: %(names)s.") % values


@sentence.register
def _hired(entry: kinds.Hired, describer: Describer) -> str:
    name = localize(name_or_rank(describer.book, entry.name, entry.rank))
    return _("%(name)s was hired for one game%(paid)s.") % Values(describer, entry, name=name)


@sentence.register
def _fined(entry: kinds.Fined, describer: Describer) -> str:
    amount = describer.paid(entry.paid, entry.costs) or describer.money(0)
    if entry.member is None:
        return _("The gang paid %(amount)s.") % {"amount": amount}
    return _("The gang paid %(amount)s for %(who)s.") % Values(describer, entry, amount=amount)


@sentence.register
def _upgraded(entry: kinds.Upgraded, describer: Describer) -> str:
    try:
        newer = describer.books(entry.digest)
    except Misfit:
        return _("From here on the gang uses another version of its rules.")
    text = _("From here on the gang uses: %(rules)s.") % {"rules": rules_name(newer)}
    lost = carry_over(describer.book, newer, describer.roster)[1]
    if not lost:
        return text
    things = ", ".join(dict.fromkeys(localize(loss.name) for loss in lost))
    return f"{text} " + _("No longer in the rules: %(things)s.") % {"things": things}
