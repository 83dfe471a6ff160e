"""The chapter on campaigns: the post-game step by step, results, experience, promotions."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from rules.book.advancement import AdvancementRow, AnyAdvancement
from rules.book.fates import Fate
from rules.book.model import Book
from rules.book.season import (
    AnyStep,
    Award,
    Play,
    Promotion,
    Recruiting,
    ResultType,
    Succession,
    Tally,
    TrophyCount,
)
from rules.reference_pages.holdings import SIDES, holdings
from rules.reference_pages.pieces import (
    ColumnHead,
    Fact,
    Link,
    PageCell,
    PageTable,
    Piece,
    Section,
    fact,
    section,
)
from rules.reference_pages.tables import (
    amount_in_words,
    each_in_words,
    outcomes,
    step_chips,
    table_chips,
)
from rules.reference_pages.words import BookWording

STANDINGS: dict[str, Promise] = {
    "wins": gettext_lazy("games won"),
    "money": gettext_lazy("money earned"),
    "rating": gettext_lazy("rating"),
    "taken_out": gettext_lazy("enemies taken out"),
    "points": gettext_lazy("points"),
}
TRIGGERS: dict[str, Promise] = {
    "choice": gettext_lazy("the player chooses"),
    "experience": gettext_lazy("with enough experience"),
    "full": gettext_lazy("when their experience is full"),
    "advance": gettext_lazy("as an advance"),
}
RANSOMS: dict[str, Promise] = {
    "worth": gettext_lazy("what they are worth"),
    "agreed": gettext_lazy("as the players agree"),
    "none": gettext_lazy("none: they cannot be bought free"),
}
TROPHIES: dict[TrophyCount, Promise] = {
    "wins": gettext_lazy("games won, by a gang"),
    "games": gettext_lazy("games, by a gang"),
    "points": gettext_lazy("points, of a gang"),
    "money": gettext_lazy("money from games, of a gang"),
    "rating": gettext_lazy("rating, of a gang"),
    "taken_out": gettext_lazy("enemies taken out, by a gang"),
    "graves": gettext_lazy("dead, of a gang"),
    "member_taken_out": gettext_lazy("enemies taken out, by a member"),
    "member_games": gettext_lazy("games, by a member"),
    "member_experience": gettext_lazy("experience, of a member"),
    "hand": gettext_lazy("awarded by an organiser"),
}
PROFILES: dict[str, Promise] = {
    "new": gettext_lazy("that of the new rank"),
    "kept": gettext_lazy("their old one"),
    "best": gettext_lazy("the better value of each"),
}


def campaign(words: BookWording) -> Iterator[Section]:
    """The sections of the chapter on campaigns."""
    campaign = words.book.campaign
    steps = tuple(_step(words, row, number) for number, row in enumerate(campaign.steps, start=1))
    title = _("After the game, step by step") if steps else _("From game to game")
    yield Section("steps", title, words.translated(campaign.text), steps)
    pieces = (*_ranking(words), *_unfought(words))
    yield Section("results", _("Results"), pieces=pieces, grid=_results(words))
    yield from section("report", _("What is noted after a game"), _noted(words), brief=True)
    yield from holdings(words)
    yield from section("experience", _("Experience"), _earned(words), brief=True)
    yield from section("promotions", _("Promotions"), _rises(words), brief=True)
    changes = [*_recruiting(words), *_departures(words)]
    yield from section("trophies", _("Trophies"), _trophies(words), brief=True)
    yield from section("comings", _("Coming and going"), changes, brief=True)


def _earned(words: BookWording) -> Iterator[Piece]:
    """Awards, points, advances and money for underdogs."""
    for row in words.book.campaign.awards:
        yield words.piece("award", row, [f"{row.amount:+d}"], _award(words, row))
    yield from _growth(words)


def _rises(words: BookWording) -> Iterator[Piece]:
    """Promotions and successions."""
    for row in words.book.campaign.promotions:
        chips = [_("mandatory") if row.required else ""]
        yield words.piece("promotion", row, chips, _promotion(words, row))
    yield from _successions(words)


def _step(words: BookWording, row: AnyStep, number: int) -> Piece:
    facts: list[Fact] = []
    chips: tuple[str, ...] = ()
    match row.kind:
        case "fates":
            chips = step_chips(words.book, row)
            facts += fact(_("Applies to"), words.whom(row.of))
            facts += fact(_("Table"), *_table(words, row.table, chances=not chips))
            for fate in row.fates:
                facts += _fate(words, fate, chances=not chips)
        case "rolls":
            chips = step_chips(words.book, row)
            facts += fact(_("Table"), *_table(words, row.table, chances=False))
            times, each = amount_in_words(row.times), each_in_words(words, row.each)
            if each or times != "1":
                facts += fact(_("Times"), amount_in_words(row.times, each) if each else times)
            facts += fact(_("Sides"), ", ".join(str(SIDES[side]) for side in row.sides))
        case "captives":
            condition = words.link("condition", words.book.condition[row.condition])
            facts += fact(_("Condition"), condition)
            facts += fact(_("Ransom"), str(RANSOMS[row.ransom]))
            if row.currency is not None:
                facts += fact(_("Currency"), words.named(words.book.currency, [row.currency]))
            if not row.rescue:
                facts += fact(_("Rescue"), _("none: ransom, exchange or release"))
        case "experience" | "advances" if any(_earned(words)):
            facts += fact(_("See"), Link(_("Experience"), "campaign/#experience"))
            if row.kind == "experience":
                facts += fact(_("In one game at most"), row.most)
        case "search":
            facts += fact(_("Applies to"), words.whom(row.of))
            rare = [offer for offer in words.book.offers if offer.availability is not None]
            facts += fact(_("Items"), *(words.link("offer", offer) for offer in rare))
            for bonus in row.plus:
                added = f"{bonus.amount:+d}".replace("-", "−")
                whom = words.whom(bonus.of) or _("Everybody")
                facts += fact(_("Added to the dice"), f"{added}: {whom}")
        case "income":
            links = [Link(_("Results"), "campaign/#results")]
            if words.book.campaign.yields or words.book.campaign.hauls:
                links.append(Link(_("What comes in"), "campaign/#income"))
            facts += fact(_("See"), *links)
        case "holdings":
            facts += fact(_("See"), Link(_("Holdings"), "campaign/#holdings"))
        case "upkeep" if words.book.campaign.upkeep:
            facts += fact(_("See"), Link(_("Upkeep"), "campaign/#upkeep"))
        case "promotions" | "succession" if any(_rises(words)):
            facts += fact(_("See"), Link(_("Promotions"), "campaign/#promotions"))
    return words.piece("step", row, chips, facts, name=f"{number}. {words.translated(row.name)}")


def _table(words: BookWording, key: str | None, *, chances: bool) -> tuple[Link, ...]:
    """A link to a dice table; with the ``chances`` of a whole roll on it."""
    if not key:
        return ()
    table = words.book.table[key]
    chips = table_chips(words.book, table) if chances else ()
    return (words.link("table", table), *map(Link, chips))


def _fate(words: BookWording, fate: Fate, *, chances: bool) -> Iterator[Fact]:
    marks = words.named(words.book.campaign.mark, fate.marks)
    who = " · ".join(filter(None, [marks, words.whom(fate.of)]))
    what = _table(words, fate.table, chances=chances) or outcomes(words, fate.outcomes)
    yield from fact(who or _("Everybody"), *(what or [Link(_("nothing happens"))]))


def _points_name(words: BookWording) -> str:
    """The name of the points that results and tallies bring."""
    return words.translated(words.book.campaign.points_name) or str(STANDINGS["points"])


def describe_ranking(words: BookWording) -> str:
    """The measures by which gangs are ranked, the first that counts first; "" for none."""
    book = words.book
    names = {key: str(name) for key, name in STANDINGS.items()} | {"points": _points_name(words)}
    if book.rating:
        names["rating"] = words.translated(book.rating.name)
    return _(", then ").join(names[measure] for measure in book.campaign.standings)


def _ranking(words: BookWording) -> Iterator[Piece]:
    facts = [*_who_plays(words.book), *fact(_("Gangs are ranked by"), describe_ranking(words))]
    if facts:
        yield Piece("", "", facts=tuple(facts))


def _who_plays(book: Book) -> Iterator[Fact]:
    """The number of gangs in a game, and that they play against the book."""
    play = book.play
    if play is None:
        return
    if play.is_together:
        yield from fact(_("Who plays"), _("all gangs of a game together, against the book"))
    yield from fact(_("Gangs in a game"), describe_sides(play))


def describe_sides(play: Play) -> str:
    """The number of gangs in a game, in words."""
    values = {"fewest": play.fewest, "most": play.most}
    if play.most is None:
        return _("%(fewest)s or more") % values
    if play.most == play.fewest:
        return str(play.most)
    return _("%(fewest)s to %(most)s") % values


def _unfought(words: BookWording) -> Iterator[Piece]:
    """The pay for games without a battle."""
    for row in words.book.campaign.unfought:
        is_level = row.how in ("abandoned", "recorded")
        chips = [_("a defeat for the side that did not come") if row.loss else ""]
        chips += [_("a draw") if row.draw else ""]
        kind = "level" if is_level else "decided"
        money = row.winner or row.loser or row.each
        facts: list[Fact] = []
        if money and words.book.money:
            paid = describe_shares(kind, row.winner, row.loser, row.each)
            facts += fact(words.translated(words.book.money.name), paid)
        for reward in row.rewards:
            name = words.translated(words.book.currency[reward.currency].name)
            shared = describe_shares(kind, reward.winner, reward.loser, reward.each)
            facts += fact(name, shared)
        if any(row.points):
            facts += fact(_points_name(words), describe_shares(kind, *row.points))
        yield words.piece("unfought", row, chips, facts)


# The amounts of a result, by side.
AMOUNTS = ("winner", "loser", "each")


def _results(words: BookWording) -> PageTable:
    book = words.book
    rows = book.campaign.results
    money = book.money if any(row.winner or row.loser or row.each for row in rows) else None
    has_points = any(any(row.points) for row in rows)
    named = {reward.currency for row in rows for reward in row.rewards}
    currencies = [row for row in book.currencies if row.key in named]
    columns = [ColumnHead(words.translated(money.name))] if money else []
    columns += [ColumnHead(words.translated(row.name)) for row in currencies]
    columns += [ColumnHead(_points_name(words))] if has_points else []
    lines = []
    for row in rows:
        cells = [PageCell(shares(row, row.winner, row.loser, row.each))] if money else []
        for currency in currencies:
            brought = [one for one in row.rewards if one.currency == currency.key]
            amounts = (sum(getattr(one, side) for one in brought) for side in AMOUNTS)
            cells.append(PageCell(shares(row, *amounts)))
        cells += [PageCell(shares(row, *row.points))] if has_points else []
        detail = words.translated(row.text)
        if row.captures:
            captures = ngettext(
                "The winner captures %(count)s holding at most.",
                "The winner captures %(count)s holdings at most.",
                row.captures,
            ) % {"count": row.captures}
            detail = f"{detail} {captures}"
        lines.append(words.line(row, *cells, anchor=f"result-{row.key}", detail=detail))
    return PageTable(_("Result"), tuple(columns), tuple(lines))


def shares(row: ResultType, winner: int, loser: int, each: int) -> str:
    """The money or points of each side, in words."""
    all_get = {"won": winner, "lost": loser}
    if row.kind in all_get:
        return describe_shares("level", 0, 0, all_get[row.kind])
    return describe_shares(row.kind, winner, loser, each)


def describe_shares(kind: str, winner: int, loser: int, each: int) -> str:
    """The money or points of each side in a result of this ``kind``, in words."""
    if kind == "decided":
        return _("winner %(winner)s, loser %(loser)s") % {"winner": winner, "loser": loser}
    if kind == "level":
        return _("each %(each)s") % {"each": each}
    return _("as agreed")


def _trophies(words: BookWording) -> Iterator[Piece]:
    for row in words.book.campaign.trophies:
        yield words.piece("trophy", row, (), fact(_("For the most"), str(TROPHIES[row.count])))


def _noted(words: BookWording) -> Iterator[Piece]:
    """The marks and tallies of a report."""
    for mark in words.book.campaign.marks:
        chips = [
            _("dead without a roll") if mark.dies else "",
            _("not down") if mark.stands else "",
        ]
        yield words.piece("mark", mark, chips, fact(_("Applies to"), words.whom(mark.of)))
    for tally in words.book.campaign.tallies:
        chip = _("per member") if tally.per == "member" else _("per gang")
        yield words.piece("tally", tally, [chip], _tally(words, tally))


def _tally(words: BookWording, row: Tally) -> Iterator[Fact]:
    book = words.book
    if row.money:
        money = words.money(row.money, row.currency)
        if row.times is not None:
            money += f" × {words.translated(book.setting[row.times].name)}"
        yield from fact(_("Brings, each"), money)
    if row.points:
        yield from fact(_points_name(words), f"{row.points:+d}")
    yield from fact(_("Only in these scenarios"), words.named(book.scenario, row.scenarios))
    yield from fact(_("Applies to"), words.whom(row.whose))
    yield from fact(_("Which enemies"), words.whom(row.of))
    yield from fact(_("Who ended as"), words.named(book.campaign.mark, row.marks))


def _award(words: BookWording, row: Award) -> Iterator[Fact]:
    campaign = words.book.campaign
    yield from fact(_("For each"), words.counted(row.each))
    yield from fact(_("Sides"), ", ".join(str(SIDES[side]) for side in row.sides))
    if row.underdog is not None:
        condition = _("an opponent’s rating is at least %(percent)s%% of your own")
        yield from fact(_("If"), condition % {"percent": row.underdog})
    if row.underdog_by is not None:
        condition = _("an opponent’s rating is at least %(points)s higher")
        yield from fact(_("If"), condition % {"points": row.underdog_by})
    yield from fact(_("For whom"), words.whom(row.of))
    if marks := words.named(campaign.mark, row.not_marks):
        ended = _("those who ended the game as: %(marks)s") % {"marks": marks}
        yield from fact(_("Not for"), ended)
    yield from fact(_("Also for"), _("those who did not take part") if row.everyone else None)
    yield from fact(_("In one game at most"), None if row.most is None else str(row.most))


def _growth(words: BookWording) -> Iterator[Piece]:
    book = words.book
    growth = book.campaign.growth
    if growth is not None:
        ceiling = words.named(book.setting, [growth.ceiling or ""])
        facts = [*fact(_("One point for every"), growth.experience), *fact(_("At most"), ceiling)]
        yield Piece("growth", _("Points from experience"), facts=tuple(facts))
    advancement = book.campaign.advancement
    if advancement is not None:
        facts = [
            *fact(_("One advance for every"), advancement.experience),
            *_choice_of_advance(words, advancement),
        ]
        yield Piece("advancement", _("Advances"), facts=tuple(facts))
    for thresholds in book.campaign.advancements:
        yield words.piece("advancements", thresholds, (), _advancement(words, thresholds))
    for row in book.campaign.underdog:
        facts = [
            *fact(_("Money"), _("1 for every %(step)s of difference") % {"step": row.step}),
            *fact(_("At most"), words.money(row.most, row.currency)),
        ]
        yield words.piece("underdog", row, (), facts)


def _choice_of_advance(words: BookWording, row: AnyAdvancement) -> Iterator[Fact]:
    kinds = {"trait": _("a trait"), "rank": _("a higher rank")}
    traits = words.tagged(words.book.traits, row.trait_tags)
    yield from fact(_("For whom"), words.whom(row.of))
    if row.table is None:
        yield from fact(_("In turn"), _(", then ").join(kinds[kind] for kind in row.cycle))
        yield from fact(words.traits_name, Link(traits, "characters/#traits"))
        if row.teachers is not None:
            teachers = words.whom(row.teachers) or _("any other member")
            yield from fact(_("Learned from somebody who has them"), teachers)


def _advancement(words: BookWording, row: AdvancementRow) -> Iterator[Fact]:
    at = ", ".join(map(str, row.at))
    yield from fact(_("An advance at"), at)
    if row.every is not None:
        label = _("Then one for every") if at else _("One advance for every")
        grows = _("%(step)s, each time %(more)s more") % {"step": row.every, "more": row.grows}
        yield from fact(label, grows if row.grows else str(row.every))
    yield from fact(_("Roll on"), *_table(words, row.table, chances=False))
    yield from fact(_("Groups"), _("take each advance together") if row.group else None)
    yield from _choice_of_advance(words, row)


def _promotion(words: BookWording, row: Promotion) -> Iterator[Fact]:
    book = words.book
    away = words.named(book.campaign.departure, [row.departure or ""])
    goal = away if row.to is None else words.named(book.rank, [row.to])
    yield from fact(_("From – to"), f"{words.named(book.rank, [row.start])} → {goal}")
    yield from fact(_("For whom"), words.whom(row.of))
    trigger = str(TRIGGERS[row.trigger])
    if row.trigger == "experience":
        trigger += f" ({row.experience})"
    yield from fact(_("When"), trigger)
    if row.price:
        yield from fact(_("Price"), words.money(row.price))
    if row.below < 1000:
        condition = _("the gang has fewer than %(count)s of the new rank")
        yield from fact(_("Only while"), condition % {"count": row.below})
    if row.displaces:
        ways = [_("one of them makes room: %(departure)s") % {"departure": away}]
        if row.dice is not None:
            decides = _("or %(dice)s decides: on the higher half the candidate leaves")
            ways.append(decides % {"dice": row.dice.upper()})
        yield from fact(_("Otherwise"), ", ".join(ways))
    if row.to is not None:
        yield from _risen(row)


def _risen(row: Promotion | Succession) -> Iterator[Fact]:
    yield from fact(_("Profile"), str(PROFILES[row.profile]))
    kept = _("stay those of the old rank")
    yield from fact(_("Worth and points"), kept if row.keeps_price else None)
    yield from fact(_("Their experience"), _("restarts at 0") if row.restarts else None)


def _successions(words: BookWording) -> Iterator[Piece]:
    book = words.book
    first = {"rank": _("the highest rank"), "experience": _("the most experience")}
    for row in book.campaign.successions:
        facts = [
            *fact(_("After the loss of"), words.whom(row.post)),
            *fact(_("Among"), words.whom(row.among) or _("Everybody")),
            *fact(_("First"), _(", then ").join(first[key] for key in row.by)),
            *fact(_("Becomes"), words.named(book.rank, [row.to or ""])),
            *fact(_("Gains"), words.named(book.trait, [row.trait or ""])),
            *(_risen(row) if row.to else ()),
        ]
        yield words.piece("succession", row, (), facts)


def _recruiting(words: BookWording) -> Iterator[Piece]:
    book = words.book
    recruiting = book.campaign.recruiting or Recruiting()
    facts = [*fact(_("Limited by"), words.named(book.setting, [recruiting.cap or ""]))]
    for quota in recruiting.quotas:
        most = _("%(count)s at most") % {"count": quota.most}
        facts += fact(words.named(book.rank, quota.ranks), most)
    if facts:
        yield Piece("recruiting", _("Recruits between two games"), facts=tuple(facts))


def _departures(words: BookWording) -> Iterator[Piece]:
    campaign = words.book.campaign
    if any(row.for_hire for row in campaign.departures):
        most = _("%(count)s at most") % {"count": campaign.hires}
        yield Piece("hires", _("Hired for one game"), facts=tuple(fact(_("In one game"), most)))
    for row in campaign.departures:
        yield words.piece("departure", row, [_("can be hired afterwards") if row.for_hire else ""])
