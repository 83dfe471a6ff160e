"""Makes values of the elements of a list, of any version of the format."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from rules.catalogues.reading.catalogues import Maker
from rules.catalogues.reading.elements import Counts, Element
from rules.catalogues.reading.older import POINTS, find_version
from rules.catalogues.refusals import BadCatalogue
from rules.catalogues.rosters import Roster, RosterCategory, RosterForce, Selection

# More of a selection than any list has.
MOST_OF_ONE = 10_000


def make_roster(root: Element, file: str, counts: Counts) -> Roster:
    """Return the values of the elements of a list. Raises BadCatalogue."""
    maker = _ListMaker(counts)
    version = find_version(root)
    if version < (2, 0):
        _place_selections(root)
    made = Roster(
        name=maker.name(root),
        system_id=maker.id(root, "gameSystemId"),
        system_name=maker.name(root, "gameSystemName"),
        format=f"{version[0]}.{version[1]:02}",
        file=file,
        costs=maker.costs(root) or maker.points(root, "points"),
        limits=tuple(
            (maker.first_id(one, "typeId", "costTypeId"), maker.number(one, "value"))
            for one in root.each("costLimits")
        )
        or maker.points(root, "pointsLimit"),
        forces=tuple(map(maker.roster_force, root.each("forces", "catalogueLinks"))),
        notes=maker.text(root, "customNotes") or maker.text(root, "description"),
    )
    if not made.system_id:
        raise BadCatalogue("no_id", file=file)
    return made


def _place_selections(root: Element) -> None:
    """Move the selections of an old list, which name their catalogue and category, there."""
    places = {
        (force.get("id"), category.get("categoryId")): category
        for force in root.each("forces", "catalogueLinks")
        for category in force.each("categories")
    }
    for selection in [*root.each("selections")]:
        place = selection.get("catalogueLinkId"), selection.get("categoryId")
        if place in places:
            inner = Element("selections", {})
            inner.children = [selection]
            places[place].children.append(inner)


class _ListMaker(Maker):
    """Makes values of the elements of lists."""

    def first_id(self, element: Element, *attributes: str) -> str:
        """The first of these attributes that an element has."""
        return next((found for name in attributes if (found := self.id(element, name))), "")

    def points(self, element: Element, attribute: str) -> tuple[tuple[str, Decimal], ...]:
        """The only cost of old lists."""
        found = self.number(element, attribute)
        return ((POINTS, found),) if found else ()

    def costs(self, parent: Element) -> tuple[tuple[str, Decimal], ...]:
        return tuple(
            (self.first_id(element, "typeId", "costTypeId"), self.number(element, "value"))
            for element in parent.each("costs")
        )

    def roster_force(self, element: Element) -> RosterForce:
        selections = [self.selection(one) for one in element.each("selections")]
        # Older lists keep selections by their category.
        for category in element.each("categories"):
            is_inside = tuple(self.roster_categories([category], is_primary=True))
            selections += [self.selection(one, is_inside) for one in category.each("selections")]
        return RosterForce(
            entry_id=self.first_id(element, "entryId", "forceTypeId"),
            name=self.name(element, "forceTypeName") or self.name(element),
            custom_name=self.name(element, "customName"),
            catalogue_id=self.id(element, "catalogueId"),
            catalogue_name=self.name(element, "catalogueName"),
            selections=tuple(selections),
            forces=tuple(map(self.roster_force, element.each("forces", "catalogueLinks"))),
        )

    def roster_categories(
        self, elements: list[Element], *, is_primary: bool = False
    ) -> Iterator[RosterCategory]:
        for element in elements:
            yield RosterCategory(
                self.first_id(element, "entryId", "categoryId"),
                self.name(element),
                is_primary or self.is_set(element, "primary"),
            )

    def selection(self, element: Element, categories: tuple[RosterCategory, ...] = ()) -> Selection:
        own = tuple(self.roster_categories([*element.each("categories")]))
        return Selection(
            entry_id=self.id(element, "entryId"),
            group_id=self.id(element, "entryGroupId"),
            name=self.name(element),
            custom_name=self.name(element, "customName"),
            number=max(0, min(self.whole(element, "number", 1), MOST_OF_ONE)),
            kind=self.id(element, "type"),
            costs=self.costs(element) or self.points(element, "points"),
            categories=own or categories,
            selections=tuple(map(self.selection, element.each("selections"))),
            notes=self.text(element, "customNotes") or self.text(element, "customDescription"),
        )
