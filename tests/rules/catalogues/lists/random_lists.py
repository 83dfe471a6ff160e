"""Random lists of a game: legal by the evaluator, or one step away from that.

A list starts with whatever the force demands, then some options are taken; what breaks a limit is
given back. The same seed draws the same list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from tests.rules.catalogues.lists.building import Game
from tests.rules.catalogues.lists.evaluator import (
    Data,
    Evaluated,
    Option,
    Pick,
    Violation,
)

# Rounds of repair before a list is given up, and members beyond those that the force demands.
ROUNDS = 40
MOST_MEMBERS = 5
# Limits that demand something.
LEAST = ("min", "exactly")


@dataclass(eq=False)
class Draft:
    """A selection of a list that is being drawn. ``needed``: the list must have it."""

    option: Option
    count: int = 1
    needed: bool = False
    inside: list[Draft] = field(default_factory=list)

    def pick(self) -> Pick:
        """Return it as a pick."""
        return Pick(self.option.id, self.count, tuple(one.pick() for one in self.inside))

    def everything(self) -> Iterator[tuple[Draft, list[Draft]]]:
        """Yield every selection inside with the list that holds it."""
        for one in self.inside:
            yield one, self.inside
            yield from one.everything()


class Drawing:
    """Draws lists of one catalogue.

    ``left_out``: ids of entries, groups and categories that no list shall have. Options that were
    drawn seldom are preferred, so that a few lists have every option.
    """

    def __init__(
        self, data: Data, catalogue: str, seed: int, left_out: Collection[str] = ()
    ) -> None:
        self.data, self.catalogue, self.random = data, catalogue, Random(f"{seed} {catalogue}")
        self.left_out = set(left_out)
        self.roots = [one for one in data.roots(catalogue) if self._may(one)]
        self.drawn: dict[str, int] = {}
        self._inner: dict[Option, list[str]] = {}

    def _may(self, option: Option) -> bool:
        """Whether lists may have an option."""
        if option.is_group:
            return False
        return not self.left_out & option.ids

    def _children(self, option: Option) -> list[Option]:
        return [one for one in option.children if self._may(one)]

    def options(self) -> set[str]:
        """Return the ids of all options that lists can have, hidden ones among them."""
        return {one.id for root in self.roots for one in self._inside(root)}

    def _inside(self, option: Option) -> Iterator[Option]:
        yield option
        for one in self._children(option):
            yield from self._inside(one)

    # Drawing ------------------------------------------------------------------------------------

    def draw(self) -> tuple[Pick, ...]:
        """Return a legal list. Raises RuntimeError if a hundred attempts find none."""
        for _ in range(100):
            drafts = list(self._choose_members())
            if self._repair(drafts):
                for one in self._all(drafts):
                    self.drawn[one.option.id] = self.drawn.get(one.option.id, 0) + 1
                return tuple(one.pick() for one in drafts)
        raise RuntimeError(self.catalogue)

    def draw_spoilt(self) -> tuple[Pick, ...]:
        """Return a legal list with one thing more or less, which may break a limit."""
        picks = list(self.draw())
        if self.random.random() < 0.3 and len(picks) > 1:
            picks.remove(self.random.choice(picks))
            return tuple(picks)
        if self.random.random() < 0.3:
            picks.append(self._member(self.random.choice(self.roots), full=False).pick())
            return tuple(picks)
        drafts = [self._revive(one, self.roots) for one in picks]
        holder = self.random.choice(
            [one for one in self._all(drafts) if self._children(one.option)]
        )
        self._take(holder, self.random.choice(self._children(holder.option)))
        return tuple(one.pick() for one in drafts)

    def _revive(self, pick: Pick, offered: Sequence[Option]) -> Draft:
        option = next(one for one in offered if one.id == pick.id)
        inside = [self._revive(one, option.children) for one in pick.picks]
        return Draft(option, pick.count, inside=inside)

    def _choose_members(self) -> Iterator[Draft]:
        """Yield the members that the force demands, and some more."""
        force = self.data.system.all("forceEntries")[0]
        for row in force.all("categoryLinks"):
            for one in row.all("constraints"):
                wanted = int(float(one["value"])) if one["type"] in LEAST else 0
                fitting = [root for root in self.roots if root.primary == row["targetId"]]
                for _ in range(wanted):
                    yield self._member(self._prefer(fitting), needed=True)
        for _ in range(self.random.randint(0, MOST_MEMBERS)):
            yield self._member(self._prefer(self.roots))

    def _prefer(self, options: Sequence[Option]) -> Option:
        """Choose an option, half of the time one that few lists have, itself or what is inside."""
        weights = [1.0] * len(options)
        if self.random.random() < 0.5:
            weights = [1 / (1 + self._seldom(one)) ** 2 for one in options]
        return self.random.choices(options, weights)[0]

    def _seldom(self, option: Option) -> int:
        """Return how many lists have the rarest option in there."""
        return min(self.drawn.get(key, 0) for key in self._ids_inside(option))

    def _ids_inside(self, option: Option) -> list[str]:
        if option not in self._inner:
            self._inner[option] = [one.id for one in self._inside(option)]
        return self._inner[option]

    def _member(self, option: Option, *, full: bool = True, needed: bool = False) -> Draft:
        """Return a selection with what it must have, and with some options if ``full``."""
        draft = Draft(option, needed=needed)
        self._demand(draft)
        for _ in range(self.random.randint(0, 6) if full else 0):
            holders = [draft, *(one for one, _list in draft.everything())]
            holder = self.random.choice(holders)
            if children := self._children(holder.option):
                self._take(holder, self._prefer(children))
        return draft

    def _demand(self, draft: Draft) -> None:
        """Take what the limits inside a selection demand and it does not have."""
        for one in draft.option.inside:
            wanted = max(
                (
                    int(float(row["value"]))
                    for part in one.parts
                    for row in part.all("constraints")
                    if row["type"] in LEAST and row["scope"] == "parent"
                ),
                default=0,
            )
            had = sum(
                inner.count
                for inner in draft.inside
                if inner.option is one or one in inner.option.groups
            )
            for _ in range(wanted - had):
                if one.is_group:
                    members = [
                        child for child in self._children(draft.option) if one in child.groups
                    ]
                    shown = [child for child in members if not child.is_hidden] or members
                    self._take(draft, self._prefer(shown))
                else:
                    self._take(draft, one, needed=True)

    def _take(self, holder: Draft, option: Option, *, needed: bool = False) -> None:
        """Take one more of an option."""
        same = [one for one in holder.inside if one.option is option]
        if same and not option.is_instanced:
            same[0].count += 1
            return
        taken = self._member(option, full=False, needed=needed)
        holder.inside.append(taken)
        inside = self._children(option)
        likely = 0.4 if self._seldom(option) else 0.7
        if inside and self.random.random() < likely:
            self._take(taken, self._prefer(inside))

    # Repair -------------------------------------------------------------------------------------

    def _all(self, drafts: list[Draft]) -> list[Draft]:
        return [*drafts, *(one for draft in drafts for one, _list in draft.everything())]

    def _repair(self, drafts: list[Draft]) -> bool:
        """Give back what breaks limits; return whether the list is legal then."""
        for _ in range(ROUNDS):
            list_ = Evaluated(self.data, self.catalogue, [one.pick() for one in drafts])
            broken = sorted(list_.violations(), key=lambda one: (one.id, one.element))
            if not broken:
                return True
            if not self._give_back(drafts, self.random.choice(broken)):
                return False
        return False

    def _give_back(self, drafts: list[Draft], broken: Violation) -> bool:
        """Remove one selection that a violation is about; return whether there was any."""
        held = [(one, drafts) for one in drafts]
        held += [pair for draft in drafts for pair in draft.everything()]
        last = broken.element.rpartition("::")[2]
        about = [
            (one, holder)
            for one, holder in held
            if broken.id == "limit" or {broken.element, last} & (one.option.ids | _categories(one))
        ]
        about = [pair for pair in about if not pair[0].needed or pair[0].count > 1]
        if not about:
            return False
        one, holder = self.random.choice(about)
        if one.count > 1 and broken.id != "hidden":
            one.count -= 1
        else:
            holder.remove(one)
        for draft in self._all(drafts):
            self._demand(draft)
        return True


def _categories(one: Draft) -> set[str]:
    return one.option.categories


def recorded(game: Game) -> set[str]:
    """Return the ids of everything that keeps a campaign's records, not a list."""
    return {key for key, role in game.roles.items() if role != "leader"}
