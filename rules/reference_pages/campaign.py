"""Between games: the post-game step by step, results, experience, promotions, departures."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from rules.fates import Fate
from rules.reading_room.characters import fact
from rules.reading_room.outcomes import outcomes
from rules.reading_room.pieces import Cell, Column, Fact, Grid, Link, Piece, Section
from rules.reading_room.words import Words
from rules.season import AnyStep, Award, Promotion, ResultType, Succession, Tally

STANDINGS: dict[str, Promise] = {
    "wins": gettext_lazy("games won"),
    "money": gettext_lazy("money earned"),
    "rating": gettext_lazy("rating"),
    "taken_out": gettext_lazy("enemies taken out"),
    "points": gettext_lazy("points"),
}
SIDES: dict[str, Promise] = {
    "winner": gettext_lazy("the winner"),
    "loser": gettext_lazy("the loser"),
    "level": gettext_lazy("each side of a level game"),
}
TRIGGERS: dict[str, Promise] = {
    "choice": gettext_lazy("the player chooses"),
    "experience": gettext_lazy("with enough experience"),
    "full": gettext_lazy("when his experience is full"),
    "advance": gettext_lazy("as an advance"),
}
PROFILES: dict[str, Promise] = {
    "new": gettext_lazy("that of the new rank"),
    "kept": gettext_lazy("his old one"),
    "best": gettext_lazy("the better value of each"),
}


def campaign(words: Words) -> Iterator[Section]:
    """The sections of the chapter on campaigns."""
    book = words.book
    steps = tuple(
        _step(words, row, number) for number, row in enumerate(book.campaign.steps, start=1)
    )
    text = words.said(book.campaign.text)
    yield Section("steps", _("After the game, step by step"), text, steps)
    yield Section("results", _("Results"), pieces=tuple(_ranking(words)), grid=_results(words))
    told = [*_marks(words), *_tallies(words)]
    if told:
        yield Section("report", _("What is noted after a game"), pieces=tuple(told), brief=True)
    earned = tuple(_earned(words))
    if earned:
        yield Section("experience", _("Experience"), pieces=earned, brief=True)
    rises = tuple(_rises(words))
    if rises:
        yield Section("promotions", _("Promotions"), pieces=rises, brief=True)
    changes = [*_recruiting(words), *_departures(words)]
    if changes:
        yield Section("comings", _("Coming and going"), pieces=tuple(changes), brief=True)


def _earned(words: Words) -> Iterator[Piece]:
    """What members earn."""
    yield from _awards(words)
    yield from _growth(words)


def _rises(words: Words) -> Iterator[Piece]:
    """How members rise."""
    yield from _promotions(words)
    yield from _successions(words)


def _step(words: Words, row: AnyStep, number: int) -> Piece:
    facts: list[Fact] = []
    match row.kind:
        case "fates":
            facts += fact(_("Whom it is about"), words.whom(row.of))
            facts += fact(_("Table"), _table(words, row.table))
            for fate in row.fates:
                facts += _fate(words, fate)
        case "captives":
            name = words.said(words.book.condition[row.condition].name)
            facts += fact(_("Condition"), Link(name, f"tables/#condition-{row.condition}"))
            ransom = {
                "worth": _("what he is worth"),
                "agreed": _("as the players agree"),
                "none": _("none: nobody can buy him free"),
            }
            facts += fact(_("Ransom"), ransom[row.ransom])
            if not row.rescue:
                facts += fact(_("Rescue"), _("none: he is bought free, exchanged, or let go"))
        case "experience" | "advances" if any(_earned(words)):
            facts += fact(_("See"), Link(_("Experience"), "campaign/#experience"))
        case "income":
            facts += fact(_("See"), Link(_("Results"), "campaign/#results"))
        case "promotions" | "succession" if any(_rises(words)):
            facts += fact(_("See"), Link(_("Promotions"), "campaign/#promotions"))
    return Piece(
        anchor=f"step-{row.key}",
        name=f"{number}. {words.said(row.name)}",
        text=words.said(row.text),
        terms=words.terms(row.when, row.status),
        facts=tuple(facts),
        source=words.source(row),
    )


def _table(words: Words, key: str | None) -> Link | None:
    if key is None:
        return None
    return Link(words.said(words.book.table[key].name), f"tables/#table-{key}")


def _fate(words: Words, fate: Fate) -> Iterator[Fact]:
    """Who is meant, and what becomes of him."""
    marks = {row.key: row for row in words.book.campaign.marks}
    who = " · ".join(filter(None, [words.named(marks, fate.marks), words.whom(fate.of)]))
    table = _table(words, fate.table)
    what = [table] if table else list(outcomes(words, fate.outcomes))
    yield from fact(who or _("Everybody"), *(what or [Link(_("nothing happens"))]))


def _ranking(words: Words) -> Iterator[Piece]:
    book = words.book
    told = []
    for measure in book.campaign.standings:
        if measure == "points" and book.campaign.points_name:
            told.append(words.said(book.campaign.points_name))
        elif measure == "rating" and book.rating:
            told.append(words.said(book.rating.name))
        else:
            told.append(str(STANDINGS[measure]))
    yield Piece("", "", facts=tuple(fact(_("Gangs are ranked by"), _(", then ").join(told))))


def _results(words: Words) -> Grid:
    book = words.book
    rows = book.campaign.results
    pays = book.money is not None and any(row.winner or row.loser or row.each for row in rows)
    counts = any(any(row.points) for row in rows)
    columns = []
    if pays and book.money is not None:
        columns.append(Column(words.said(book.money.name)))
    if counts:
        name = book.campaign.points_name
        columns.append(Column(words.said(name) if name else str(STANDINGS["points"])))
    lines = []
    for row in rows:
        cells = []
        if pays:
            cells.append(Cell(_shares(row, row.winner, row.loser, row.each)))
        if counts:
            cells.append(Cell(_shares(row, *row.points)))
        anchor = f"result-{row.key}"
        lines.append(words.line(row, *cells, anchor=anchor, detail=words.said(row.text)))
    return Grid(_("Result"), tuple(columns), tuple(lines))


def _shares(row: ResultType, winner: int, loser: int, each: int) -> str:
    if row.kind == "decided":
        return _("winner %(winner)s, loser %(loser)s") % {"winner": winner, "loser": loser}
    if row.kind == "level":
        return _("each %(each)s") % {"each": each}
    return _("as agreed")


def _marks(words: Words) -> Iterator[Piece]:
    for row in words.book.campaign.marks:
        chips = (_("dead without a roll"),) if row.dies else ()
        yield Piece(
            f"mark-{row.key}",
            words.said(row.name),
            words.said(row.text),
            chips,
            words.terms(row.when, row.status),
            source=words.source(row),
        )


def _tallies(words: Words) -> Iterator[Piece]:
    for row in words.book.campaign.tallies:
        yield Piece(
            f"tally-{row.key}",
            words.said(row.name),
            words.said(row.text),
            (_("per member") if row.per == "member" else _("per gang"),),
            words.terms(row.when, row.status),
            facts=tuple(_tally(words, row)),
            source=words.source(row),
        )


def _tally(words: Words, row: Tally) -> Iterator[Fact]:
    book = words.book
    if row.money:
        money = words.money(row.money)
        if row.times is not None:
            money += f" × {words.said(book.setting[row.times].name)}"
        yield from fact(_("Brings, each"), money)
    if row.points:
        name = book.campaign.points_name
        yield from fact(words.said(name) if name else str(STANDINGS["points"]), f"{row.points:+d}")
    yield from fact(_("Only in these scenarios"), words.named(book.scenario, row.scenarios))
    yield from fact(_("Which enemies"), words.whom(row.of))
    if row.marks:
        marks = {mark.key: mark for mark in book.campaign.marks}
        yield from fact(_("Who ended as"), words.named(marks, row.marks))


def _awards(words: Words) -> Iterator[Piece]:
    for row in words.book.campaign.awards:
        yield Piece(
            f"award-{row.key}",
            words.said(row.name),
            chips=(f"{row.amount:+d}",),
            terms=words.terms(row.when, row.status),
            facts=tuple(_award(words, row)),
            source=words.source(row),
        )


def _award(words: Words, row: Award) -> Iterator[Fact]:
    book = words.book
    marks = {mark.key: mark for mark in book.campaign.marks}
    tallies = {tally.key: tally for tally in book.campaign.tallies}
    if row.each is not None:
        yield from fact(_("For each"), words.named(tallies, [row.each]))
    yield from fact(_("Sides"), ", ".join(str(SIDES[side]) for side in row.sides))
    if row.underdog is not None:
        told = _("an opponent’s rating is at least %(percent)s %% of one’s own")
        yield from fact(_("If"), told % {"percent": row.underdog})
    if row.underdog_by is not None:
        told = _("an opponent’s rating is at least %(points)s higher")
        yield from fact(_("If"), told % {"points": row.underdog_by})
    yield from fact(_("For whom"), words.whom(row.of))
    if row.not_marks:
        told = _("who ended the game so: %(marks)s")
        yield from fact(_("Not for"), told % {"marks": words.named(marks, row.not_marks)})
    if row.everyone:
        yield from fact(_("Also for"), _("those who did not take part"))
    if row.most is not None:
        yield from fact(_("In one game at most"), str(row.most))


def _growth(words: Words) -> Iterator[Piece]:
    book = words.book
    growth = book.campaign.growth
    if growth is not None:
        facts = [*fact(_("One point for every"), str(growth.experience))]
        if growth.ceiling is not None:
            facts += fact(_("At most"), words.said(book.setting[growth.ceiling].name))
        yield Piece("growth", _("Points from experience"), facts=tuple(facts))
    advancement = book.campaign.advancement
    if advancement is not None:
        kinds = {"trait": _("a trait"), "rank": _("a higher rank")}
        traits = words.tagged(book.traits, advancement.trait_tags)
        cycle = _(", then ").join(kinds[kind] for kind in advancement.cycle)
        yield Piece(
            "advancement",
            _("Advances"),
            facts=(
                *fact(_("One advance for every"), str(advancement.experience)),
                *fact(_("For whom"), words.whom(advancement.of)),
                *fact(_("In turn"), cycle),
                *fact(_("Traits"), Link(traits, "characters/#traits") if traits else None),
            ),
        )
    for row in book.campaign.underdog:
        yield Piece(
            f"underdog-{row.key}",
            words.said(row.name),
            terms=words.terms(row.when, row.status),
            facts=(
                *fact(_("Money"), _("1 for every %(step)s of difference") % {"step": row.step}),
                *fact(_("At most"), words.money(row.most)),
            ),
            source=words.source(row),
        )


def _promotions(words: Words) -> Iterator[Piece]:
    for row in words.book.campaign.promotions:
        yield Piece(
            f"promotion-{row.key}",
            words.said(row.name),
            chips=(_("no choice"),) if row.required else (),
            terms=words.terms(row.when, row.status),
            facts=tuple(_promotion(words, row)),
            source=words.source(row),
        )


def _promotion(words: Words, row: Promotion) -> Iterator[Fact]:
    book = words.book
    departures = {left.key: left for left in book.campaign.departures}
    away = words.named(departures, [row.departure] if row.departure else [])
    start = words.named(book.rank, [row.start])
    rises = row.to is not None
    goal = words.named(book.rank, [row.to]) if row.to is not None else away
    yield from fact(_("From – to"), f"{start} → {goal}")
    yield from fact(_("For whom"), words.whom(row.of))
    trigger = str(TRIGGERS[row.trigger])
    if row.trigger == "experience":
        trigger += f" ({row.experience})"
    yield from fact(_("When"), trigger)
    if row.price:
        yield from fact(_("Price"), words.money(row.price))
    if row.below < 1000:
        told = _("the gang has fewer than %(count)s of the new rank") % {"count": row.below}
        yield from fact(_("Only while"), told)
    if row.displaces:
        told = _("one of them makes room: %(departure)s") % {"departure": away}
        if row.dice is not None:
            told += ", " + _(
                "or %(dice)s decides: the higher half, and he who would rise leaves"
            ) % {"dice": row.dice.upper()}
        yield from fact(_("Otherwise"), told)
    if rises:
        yield from _risen(row)


def _risen(row: Promotion | Succession) -> Iterator[Fact]:
    yield from fact(_("Profile"), str(PROFILES[row.profile]))
    if row.keeps_price:
        yield from fact(_("Worth and points"), _("stay those of the old rank"))
    if row.restarts:
        yield from fact(_("His experience"), _("begins again at 0"))


def _successions(words: Words) -> Iterator[Piece]:
    book = words.book
    first = {"rank": _("the highest rank"), "experience": _("the most experience")}
    for row in book.campaign.successions:
        trait = book.trait.get(row.trait or "")
        yield Piece(
            f"succession-{row.key}",
            words.said(row.name),
            terms=words.terms(row.when, row.status),
            facts=(
                *fact(_("While nobody is"), words.whom(row.post)),
                *fact(_("Among"), words.whom(row.among) or _("Everybody")),
                *fact(_("First"), _(", then ").join(first[key] for key in row.by)),
                *fact(_("Becomes"), words.named(book.rank, [row.to] if row.to else [])),
                *fact(_("Gains"), words.said(trait.name) if trait else None),
                *(_risen(row) if row.to else ()),
            ),
            source=words.source(row),
        )


def _recruiting(words: Words) -> Iterator[Piece]:
    book = words.book
    recruiting = book.campaign.recruiting
    if recruiting is not None:
        facts: list[Fact] = []
        if recruiting.cap is not None:
            facts += fact(_("Limited by"), words.said(book.setting[recruiting.cap].name))
        for quota in recruiting.quotas:
            told = _("%(count)s at most") % {"count": quota.most}
            facts += fact(words.named(book.rank, quota.ranks), told)
        if facts:
            yield Piece("recruiting", _("Recruits between two games"), facts=tuple(facts))


def _departures(words: Words) -> Iterator[Piece]:
    departures = words.book.campaign.departures
    if any(row.for_hire for row in departures):
        told = _("%(count)s at most") % {"count": words.book.campaign.hires}
        yield Piece("hires", _("Hired for one game"), facts=tuple(fact(_("In one game"), told)))
    for row in words.book.campaign.departures:
        yield Piece(
            f"departure-{row.key}",
            words.said(row.name),
            words.said(row.text),
            (_("can be hired afterwards"),) if row.for_hire else (),
            words.terms(row.when, row.status),
            source=words.source(row),
        )
