"""Random gangs: gangs built by players who press any button, and sometimes send what no page
offers; and arbitrary gangs. Strategies take a rulebook's slug, which is short when it is
printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import strategies as st

from common.errors import Refusal
from gangs.engine import actions, offers
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fold import apply
from gangs.engine.roster import Member, Rise, Roster
from rules.book.model import Book
from rules.book.vocabulary import Row, Settings
from rules.engine.costing import whole
from tests.gangs.rosters import member, roster
from tests.world.gangs import shipped

NAMES = st.text("abcdéèêœ'’- ", min_size=1, max_size=12).map(str.strip)
SQUADS = st.sampled_from(["", "", "A", "Bêta"])
Log = list[tuple[int, Entry]]


def _member(draw: Any, roster: Roster) -> int:
    ids = [member.id for member in roster.members]
    return draw(st.sampled_from([*ids, 999])) if ids else 999


def _item(draw: Any, roster: Roster) -> int:
    ids = [owned.id for member in roster.members for owned in member.items]
    ids += [owned.id for owned in roster.stash]
    return draw(st.sampled_from([*ids, 999])) if ids else 999


def _keys(rows: Iterable[Row]) -> st.SearchStrategy[str]:
    """A key of a table's row; a key that no rulebook has when the table is empty."""
    return st.sampled_from([row.key for row in rows] or ["nothing"])


def decisions(book: Book) -> list[Callable[[Any, ComputedGang, int], list[Entry]]]:
    """A player's possible action on the builder's page."""
    ranks, items, groups = _keys(book.ranks), _keys(book.items), _keys(book.groups)
    traits, scores = _keys(book.traits), _keys(book.characteristics)
    callings = st.sampled_from([None, *(row.key for row in book.professions)])
    peoples = st.sampled_from([None, *(row.key for row in book.origins)])
    return [
        lambda draw, computed, _: actions.recruit(
            computed, draw(ranks), draw(NAMES), draw(st.integers(1, 3)), draw(peoples)
        ),
        lambda draw, computed, _: actions.recruit(computed, draw(ranks), ""),
        lambda draw, computed, next_id: actions.duplicate(
            computed, _member(draw, computed.roster), next_id
        ),
        lambda draw, computed, _: actions.dismiss(computed, _member(draw, computed.roster)),
        lambda draw, computed, _: actions.describe(
            computed,
            _member(draw, computed.roster),
            name=draw(NAMES),
            notes="",
            profession=draw(callings),
            origin=draw(peoples),
            squad=draw(SQUADS),
        ),
        lambda draw, computed, _: actions.spread_points(
            computed,
            _member(draw, computed.roster),
            draw(st.dictionaries(scores, st.sampled_from([1, 2, -1]), min_size=1, max_size=3)),
        ),
        lambda draw, computed, _: actions.take_trait(
            computed, _member(draw, computed.roster), draw(traits)
        ),
        lambda draw, computed, _: actions.drop_trait(
            computed, _member(draw, computed.roster), draw(traits)
        ),
        lambda draw, computed, _: actions.buy(
            computed, _member(draw, computed.roster), draw(items)
        ),
        lambda draw, computed, _: actions.buy(computed, None, draw(items)),
        lambda draw, computed, _: actions.move(
            computed, _item(draw, computed.roster), _member(draw, computed.roster)
        ),
        lambda draw, computed, _: actions.declare_item(
            computed,
            kinds.ItemDeclared(
                name=draw(NAMES) or "x", group=draw(groups), price=draw(st.integers(0, 9)), level=3
            ),
        ),
        lambda draw, computed, _: actions.buy(
            computed, _member(draw, computed.roster), f"own-{draw(st.integers(2, 12))}"
        ),
        lambda draw, computed, _: actions.discard(computed, _item(draw, computed.roster)),
        lambda draw, computed, _: actions.reorder(
            computed, _member(draw, computed.roster), draw(st.sampled_from([-1, 1]))
        ),
        lambda draw, computed, _: actions.change_gang(computed, name=draw(NAMES), notes="x"),
    ]


def options(slug: str) -> st.SearchStrategy[Settings]:
    """Some of a rulebook's settings, each at a value that it accepts."""
    values: dict[str, st.SearchStrategy[str | int]] = {
        setting.key: st.sampled_from([choice.key for choice in setting.choices])
        if setting.kind == "choice"
        else st.integers(setting.minimum, setting.maximum)
        for setting in shipped(slug).settings
    }
    return st.fixed_dictionaries({}, optional=values)


@st.composite
def built(draw: Any, slug: str) -> tuple[Log, list[list[int]]]:
    """The entries of a gang that a player built, and their grouping into acts."""
    book = shipped(slug)
    founding = actions.found(book, "Gang", draw(options(slug)))
    log: Log = [(1, founding[0])]
    batches = [[1]]
    roster = apply(book, Roster(), 1, founding[0])
    choices = decisions(book)
    choices.append(
        lambda draw, computed, _: actions.change_gang(
            computed, name="Gang", notes="", settings=draw(options(slug))
        )
    )
    for choice in draw(st.lists(st.integers(0, len(choices) - 1), max_size=25)):
        next_id = len(log) + 1
        try:
            entries = choices[choice](draw, ComputedGang.of(book, roster), next_id)
        except Refusal:
            continue
        for seq, entry in enumerate(entries, start=next_id):
            roster = apply(book, roster, seq, entry)
            log.append((seq, entry))
        if entries:
            batches.append(list(range(next_id, len(log) + 1)))
    return log, batches


def _some(rows: Iterable[Row], most: int) -> st.SearchStrategy[list[str]]:
    keys = [row.key for row in rows]
    return st.lists(st.sampled_from(keys), max_size=most) if keys else st.just([])


def _perhaps(rows: Iterable[Row]) -> st.SearchStrategy[str | None]:
    return st.sampled_from([None, *(row.key for row in rows)])


@st.composite
def members(draw: Any, slug: str) -> Member:
    """An arbitrary member: also with things that no builder allows, or that take years of play."""
    book = shipped(slug)
    ranks = _keys(book.ranks)
    traits = draw(_some(book.traits, 4))
    experience = draw(st.integers(0, 130))
    one = member(
        draw(ranks),
        name=draw(st.sampled_from(["", "Anne", "Élise"])),
        worth_rank=draw(st.one_of(st.just(""), ranks)),
        origin=draw(_perhaps(book.origins)),
        squad=draw(SQUADS),
        profession=draw(_perhaps(book.professions)),
        points=draw(st.dictionaries(_numbers(book), st.integers(-2, 9), max_size=3)),
        traits=traits,
        items=draw(_some(book.items, 5)),
        conditions=draw(_some(book.conditions, 3)),
        experience=experience,
    )
    if draw(st.booleans()):
        return one
    rises = draw(st.lists(st.builds(Rise, rank=ranks, traits=st.integers(0, 4)), max_size=2))
    return one.model_copy(
        update={
            "base_rank": draw(ranks),
            "rises": tuple(rises),
            "experience_before": draw(st.integers(0, experience)),
            "advances": draw(st.integers(0, 9)),
        }
    )


def _numbers(book: Book) -> st.SearchStrategy[str]:
    return st.sampled_from([row.key for row in book.characteristics if row.kind == "number"])


@st.composite
def gangs(draw: Any, slug: str) -> Roster:
    """An arbitrary gang, legal or not, before its first game or long after it."""
    book = shipped(slug)
    return roster(
        book,
        *draw(st.lists(members(slug), max_size=5)),
        settings=draw(options(slug)),
        stash=draw(_some(book.items, 3)),
        games=draw(st.sampled_from([0, 0, 1, 7])),
        earned=whole(draw(st.integers(0, 200)) / 2),
        spent=whole(draw(st.integers(0, 200)) / 2),
    )


def every_offer(computed: ComputedGang) -> list[offers.Offer[Any]]:
    """All offers to a gang."""
    found: list[offers.Offer[Any]] = [*offers.ranks(computed), *offers.items(computed, None)]
    found += offers.origins(computed)
    for origin in computed.book.origin:
        found += offers.ranks(computed, origin)
    for one in computed.roster.members:
        found += offers.items(computed, one)
        found += offers.traits(computed, one)
        found += offers.advances(computed, one)
        found += offers.professions(computed, one)
    return found
