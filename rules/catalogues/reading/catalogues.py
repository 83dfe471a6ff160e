"""Makes values of the elements of a catalogue or a game system."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Literal, cast

from rules.catalogues.bounds import LONGEST_ID, MOST_NUMBER
from rules.catalogues.model import (
    Catalogue,
    CatalogueLink,
    Category,
    CategoryLink,
    Characteristic,
    Choice,
    Condition,
    ConditionGroup,
    Constraint,
    CostType,
    Force,
    Info,
    InfoGroup,
    InfoLink,
    Modifier,
    Profile,
    ProfileType,
    Publication,
    Query,
    Repeat,
    Rule,
    Source,
)
from rules.catalogues.reading.elements import LISTS, Counts, Element
from rules.catalogues.reading.older import find_version, modernise
from rules.catalogues.refusals import BadCatalogue

# Digits enough for every number that is not too large; no exponents, which can be huge.
NUMBER = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?")
ZERO = Decimal(0)
# Conditions → their opposites.
OPPOSITES = {
    "lessThan": "atLeast",
    "atLeast": "lessThan",
    "greaterThan": "atMost",
    "atMost": "greaterThan",
    "equalTo": "notEqualTo",
    "notEqualTo": "equalTo",
    "instanceOf": "notInstanceOf",
    "notInstanceOf": "instanceOf",
    "always": "never",
    "never": "always",
}
# Kinds of entries that only New Recruit has → the kind that they are like.
KINDS = {"unit-group": "unit", "mount": "model", "crew": "model"}
KINDS_OF_LINK = {"selectionEntry": "entry link", "selectionEntryGroup": "group link"}
# The query of a condition that is not understood.
NO_QUERY = Query("selections", "self", ZERO)
NO_SOURCE = Source()
NONE = Info()
ALWAYS = ConditionGroup()
# The lists that an element's selections are in.
CHOICES = ("selectionEntries", "selectionEntryGroups", "entryLinks")

MODIFIED = frozenset(("comment", "modifiers", "modifierGroups"))
INFORMED = frozenset(("profiles", "rules", "infoGroups", "infoLinks"))
CONDITIONED = frozenset(("comment", "conditions", "conditionGroups", "localConditionGroups"))
CHOSEN = MODIFIED | INFORMED | {"constraints", "categoryLinks", "costs", *CHOICES}
FILE = INFORMED | {
    "catalogueLinks",
    "categoryEntries",
    "comment",
    "costTypes",
    "forceEntries",
    "profileTypes",
    "publications",
    "readme",
    "sharedInfoGroups",
    "sharedProfiles",
    "sharedRules",
    "sharedSelectionEntries",
    "sharedSelectionEntryGroups",
    *CHOICES,
}
# Each element → the children that are read. Nothing but a comment is read of all others.
READ: dict[str, frozenset[str]] = {
    "catalogue": FILE,
    "categoryEntry": MODIFIED | INFORMED | {"constraints"},
    "categoryLink": MODIFIED | {"constraints"},
    "conditionGroup": CONDITIONED,
    "entryLink": CHOSEN,
    "forceEntry": MODIFIED | INFORMED | {"constraints", "categoryLinks", "costs", "forceEntries"},
    "gameSystem": FILE,
    "infoGroup": MODIFIED | INFORMED,
    "infoLink": MODIFIED,
    "localConditionGroup": CONDITIONED,
    "modifier": CONDITIONED | {"repeats"},
    "modifierGroup": CONDITIONED | MODIFIED | {"repeats"},
    "profile": MODIFIED | {"characteristics"},
    "profileType": frozenset(("comment", "characteristicTypes")),
    "rule": MODIFIED | {"description"},
    "selectionEntry": CHOSEN,
    "selectionEntryGroup": CHOSEN,
}


def read_catalogue(root: Element, file: str, counts: Counts) -> Catalogue:
    """Return the values of a file's elements, which are rewritten. Raises BadCatalogue."""
    version = find_version(root)
    modernise(root)
    for element in root.all():
        _name_unread(element, counts)
    made = Maker(counts).catalogue(root, file, version)
    if not made.id or (root.tag == "catalogue" and not made.system_id):
        raise BadCatalogue("no_id", file=file)
    return made


def _name_unread(element: Element, counts: Counts) -> None:
    """Name the children of an element that are not read there."""
    inner = LISTS.get(element.tag)
    read = READ.get(element.tag, frozenset(("comment",)))
    for child in element.children:
        is_read = child.tag == inner if inner else child.tag in read
        if not is_read and (child.children or child.text or child.attributes):
            counts.name(element.tag, child.tag)


class Maker:
    """Makes values, counting whatever it does not understand."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    # Attributes

    def name(self, element: Element, attribute: str = "name") -> str:
        """Return an attribute that is a name."""
        if not (written := element.attributes.get(attribute)):
            return ""
        return self.counts.line(written, f"{element.tag}/@{attribute}")

    def id(self, element: Element, attribute: str = "id") -> str:
        """Return an attribute that is an id, "" if there is none."""
        if not (written := element.attributes.get(attribute)):
            return ""
        return self.counts.line(written, f"{element.tag}/@{attribute}", LONGEST_ID)

    def is_set(self, element: Element, attribute: str, *, otherwise: bool = False) -> bool:
        """Whether an attribute is true."""
        written = element.attributes.get(attribute)
        if not written:
            return otherwise
        written = written.strip().lower()
        if written not in ("true", "1", "false", "0"):
            self.counts.name(element.tag, f"@{attribute}", written)
            return otherwise
        return written in ("true", "1")

    def number(self, element: Element, attribute: str, otherwise: Decimal = ZERO) -> Decimal:
        """Return a number as written; anything else is named."""
        written = element.get(attribute).strip()
        if not written:
            return otherwise
        found = Decimal(written) if NUMBER.fullmatch(written) else None
        if found is None or abs(found) > MOST_NUMBER:
            self.counts.name(element.tag, f"@{attribute}", written)
            return otherwise
        return found

    def whole(self, element: Element, attribute: str, otherwise: int = 0) -> int:
        """Return a number without its fraction."""
        return int(self.number(element, attribute, Decimal(otherwise)))

    def source(self, element: Element) -> Source:
        """Return the publication and page of an element."""
        publication, page = self.id(element, "publicationId"), self.name(element, "page")
        return Source(publication, page) if publication or page else NO_SOURCE

    def text(self, element: Element, tag: str) -> str:
        """Return the text of a child of an element."""
        written = element.words(tag) if element.children or element.attributes else ""
        return self.counts.lines(written, f"{element.tag}/{tag}") if written else ""

    # Queries

    def query(self, element: Element) -> Query:
        """Return the number that a limit, a condition or a repeat is about."""
        return Query(
            field=self.id(element, "field") or "selections",
            scope=self.id(element, "scope"),
            value=self.number(element, "value"),
            child=self.id(element, "childId"),
            is_percent=self.is_set(element, "percentValue"),
            is_shared=self.is_set(element, "shared", otherwise=True),
            in_children=self.is_set(element, "includeChildSelections"),
            in_child_forces=self.is_set(element, "includeChildForces"),
        )

    def constraints(self, parent: Element) -> Iterator[Constraint]:
        """Yield the limits of an element; an exact number is two limits."""
        for element in parent.each("constraints"):
            kind, found_id, query = element.get("type"), self.id(element), self.query(element)
            if kind in ("min", "exactly"):
                yield Constraint(found_id, "min", query)
            if kind in ("max", "exactly"):
                yield Constraint(found_id, "max", query)
            if kind not in ("min", "max", "exactly"):
                self.counts.name("constraint", "@type", kind)

    def conditions(self, parent: Element) -> ConditionGroup:
        """Return the conditions of a modifier, or of a group of modifiers, which New Recruit may
        join by "or"."""
        kind: Literal["and", "or"] = "and"
        if parent.tag == "modifierGroup" and parent.get("type") == "or":
            kind = "or"
        return _joined(ConditionGroup(kind, *self.parts(parent)))

    def parts(self, parent: Element) -> tuple[tuple[Condition, ...], tuple[ConditionGroup, ...]]:
        """Return the conditions and the groups of conditions of an element."""
        conditions = [
            Condition(element.get("type"), self.query(element))
            for element in parent.each("conditions")
        ]
        # A condition that depends on the order of a list: its kind says that it is not one of the
        # others.
        conditions += [
            Condition(f"local {element.get('type')}".strip(), self.query(element))
            for element in parent.each("localConditionGroups")
        ]
        groups = [self.group(element) for element in parent.each("conditionGroups")]
        return tuple(conditions), tuple(one for one in groups if one.conditions or one.groups)

    def group(self, element: Element) -> ConditionGroup:
        """Return a group of conditions. A group that calculates becomes a condition of a
        kind that nothing understands."""
        kind = element.get("type") or "and"
        conditions, groups = self.parts(element)
        if kind in ("and", "or"):
            return ConditionGroup(cast(Literal["and", "or"], kind), conditions, groups)
        if kind == "not" and len(conditions) + len(groups) == 1:
            made = _opposite(ConditionGroup("and", conditions, groups))
            if made is not None:
                return made
        self.counts.name("conditionGroup", "@type", kind)
        opaque = Condition(self.counts.line(f"group {kind}", "conditionGroup/@type", 80), NO_QUERY)
        return ConditionGroup("and", (opaque,))

    def repeats(self, parent: Element) -> tuple[Repeat, ...]:
        """Return the repeats of a modifier or of a group of them."""
        return tuple(
            Repeat(
                self.query(element),
                self.whole(element, "repeats", 1),
                rounds_up=self.is_set(element, "roundUp"),
            )
            for element in parent.each("repeats")
        )

    def modifiers(self, parent: Element) -> tuple[Modifier, ...]:
        """Return the modifiers of an element, with those of its groups."""
        return tuple(self.unfolded(parent, ALWAYS, ())) if parent.children else ()

    def unfolded(
        self, parent: Element, when: ConditionGroup, repeats: tuple[Repeat, ...]
    ) -> Iterator[Modifier]:
        """The modifiers of an element and of its groups, with the conditions and repeats of all
        groups that they are in."""
        for element in parent.each("modifiers"):
            # New Recruit says "self" for the element itself, as older formats without a word.
            paths = [self.id(element, "scope"), self.name(element, "affects")]
            affects = " ".join(path for path in paths if path not in ("", "self"))
            value = self.counts.lines(element.get("value"), "modifier/@value", stripped=False)
            yield Modifier(
                kind=self.id(element, "type"),
                field=self.id(element, "field"),
                value=value,
                when=_both(when, self.conditions(element)),
                repeats=repeats + self.repeats(element),
                affects=affects,
            )
        for element in parent.each("modifierGroups"):
            joined = _both(when, self.conditions(element))
            yield from self.unfolded(element, joined, repeats + self.repeats(element))

    # Information

    def info(self, parent: Element, prefix: str = "") -> Info:
        """Return the profiles and rules of an element; ``prefix``: "shared" for shared ones."""
        if not parent.children:
            return NONE

        def named(name: str) -> str:
            return f"shared{name}" if prefix else f"{name[0].lower()}{name[1:]}"

        profiles = tuple(map(self.profile, parent.each(named("Profiles"))))
        rules = tuple(map(self.rule, parent.each(named("Rules"))))
        groups = tuple(map(self.info_group, parent.each(named("InfoGroups"))))
        links = () if prefix else tuple(map(self.info_link, parent.each("infoLinks")))
        return (
            Info(profiles, rules, groups, links) if profiles or rules or groups or links else NONE
        )

    def profile(self, element: Element) -> Profile:
        """Return a profile."""
        return Profile(
            self.id(element),
            self.name(element),
            self.id(element, "typeId"),
            self.name(element, "typeName"),
            tuple(
                Characteristic(
                    self.id(one, "typeId"),
                    self.name(one),
                    self.counts.lines(one.text or one.get("value"), "characteristic"),
                )
                for one in element.each("characteristics")
            ),
            self.is_set(element, "hidden"),
            self.modifiers(element),
            self.source(element),
        )

    def rule(self, element: Element) -> Rule:
        """Return a rule."""
        return Rule(
            self.id(element),
            self.name(element),
            self.text(element, "description"),
            self.is_set(element, "hidden"),
            self.modifiers(element),
            self.source(element),
        )

    def info_group(self, element: Element) -> InfoGroup:
        """Return a group of profiles and rules."""
        return InfoGroup(
            self.id(element),
            self.name(element),
            self.info(element),
            self.is_set(element, "hidden"),
            self.modifiers(element),
        )

    def info_link(self, element: Element) -> InfoLink:
        """Return a link to a profile, a rule or a group of them."""
        return InfoLink(
            self.id(element),
            self.name(element),
            self.id(element, "targetId"),
            self.id(element, "type"),
            self.is_set(element, "hidden"),
            self.modifiers(element),
            self.source(element),
        )

    # Selections

    def category_links(self, parent: Element) -> tuple[CategoryLink, ...]:
        """Return the links to categories of an element."""
        return tuple(
            CategoryLink(
                self.id(element),
                self.name(element),
                self.id(element, "targetId"),
                self.is_set(element, "primary"),
                self.is_set(element, "hidden"),
                tuple(self.constraints(element)),
                self.modifiers(element),
            )
            for element in parent.each("categoryLinks")
        )

    def costs(self, parent: Element) -> tuple[tuple[str, Decimal], ...]:
        """Return the costs of an element."""
        return tuple(
            (self.id(element, "typeId"), self.number(element, "value"))
            for element in parent.each("costs")
        )

    def kind(self, element: Element) -> str:
        """Return the kind of an entry, a group or a link."""
        written = element.get("type")
        if element.tag == "selectionEntryGroup":
            return "group"
        if element.tag == "entryLink":
            if written not in KINDS_OF_LINK:
                self.counts.name("entryLink", "@type", written)
            return KINDS_OF_LINK.get(written, "entry link")
        if written in ("unit", "model", "upgrade"):
            return written
        self.counts.name("selectionEntry", "@type", written)
        return KINDS.get(written, "upgrade")

    def choice(self, element: Element) -> Choice:
        """Return an entry, a group or a link."""
        sort_index = element.get("sortIndex")
        return Choice(
            id=self.id(element),
            name=self.name(element),
            kind=cast(
                Literal["unit", "model", "upgrade", "group", "entry link", "group link"],
                self.kind(element),
            ),
            target=self.id(element, "targetId"),
            is_hidden=self.is_set(element, "hidden"),
            is_collective=self.is_set(element, "collective"),
            is_imported=self.is_set(element, "import"),
            costs=self.costs(element),
            categories=self.category_links(element),
            constraints=tuple(self.constraints(element)),
            modifiers=self.modifiers(element),
            info=self.info(element),
            choices=self.choices(element, CHOICES),
            default=self.id(element, "defaultSelectionEntryId"),
            source=self.source(element),
            comment=self.text(element, "comment"),
            sort_index=self.whole(element, "sortIndex") if sort_index else None,
            is_flat=self.is_set(element, "flatten"),
        )

    def choices(self, parent: Element, lists: Iterable[str]) -> tuple[Choice, ...]:
        """Return everything that can be selected in these lists of an element."""
        return tuple(self.choice(element) for name in lists for element in parent.each(name))

    def category(self, element: Element) -> Category:
        """Return a category."""
        return Category(
            self.id(element),
            self.name(element),
            self.is_set(element, "hidden"),
            tuple(self.constraints(element)),
            self.modifiers(element),
            self.info(element),
            self.text(element, "comment"),
        )

    def force(self, element: Element) -> Force:
        """Return a shape of a list."""
        return Force(
            self.id(element),
            self.name(element),
            self.is_set(element, "hidden"),
            self.category_links(element),
            tuple(self.constraints(element)),
            self.modifiers(element),
            self.info(element),
            tuple(map(self.force, element.each("forceEntries"))),
            self.costs(element),
        )

    # Files

    def cost_type(self, element: Element) -> CostType:
        """Return a kind of cost."""
        limit = self.number(element, "defaultCostLimit", Decimal(-1))
        is_hidden = self.is_set(element, "hidden")
        return CostType(
            self.id(element), self.name(element).strip(), limit if limit >= 0 else None, is_hidden
        )

    def profile_type(self, element: Element) -> ProfileType:
        """Return a kind of profile."""
        kinds = ((self.id(one), self.name(one)) for one in element.each("characteristicTypes"))
        return ProfileType(self.id(element), self.name(element), tuple(kinds))

    def publication(self, element: Element) -> Publication:
        """Return a publication."""
        return Publication(self.id(element), self.name(element), self.name(element, "shortName"))

    def link(self, element: Element) -> CatalogueLink:
        """Return a link to a catalogue."""
        imports_roots = self.is_set(element, "importRootEntries")
        return CatalogueLink(
            self.id(element), self.name(element), self.id(element, "targetId"), imports_roots
        )

    def catalogue(self, root: Element, file: str, version: tuple[int, int]) -> Catalogue:
        """Return a catalogue or a game system."""

        def all_of[One](name: str, make: Callable[[Element], One]) -> tuple[One, ...]:
            return tuple(map(make, root.each(name)))

        return Catalogue(
            id=self.id(root),
            name=self.name(root),
            system_id=self.id(root, "gameSystemId") if root.tag == "catalogue" else "",
            revision=self.whole(root, "revision"),
            format=f"{version[0]}.{version[1]:02}",
            file=file,
            is_library=self.is_set(root, "library"),
            author=self.name(root, "authorName"),
            readme=self.text(root, "readme"),
            publications=all_of("publications", self.publication),
            cost_types=all_of("costTypes", self.cost_type),
            profile_types=all_of("profileTypes", self.profile_type),
            categories=all_of("categoryEntries", self.category),
            forces=all_of("forceEntries", self.force),
            roots=self.choices(root, CHOICES),
            shared=self.choices(root, ("sharedSelectionEntries", "sharedSelectionEntryGroups")),
            info=self.info(root),
            shared_info=self.info(root, "shared"),
            links=all_of("catalogueLinks", self.link),
        )


def _joined(group: ConditionGroup) -> ConditionGroup:
    """A group without a group around a single one."""
    if not group.conditions and len(group.groups) == 1:
        return group.groups[0]
    return group


def _both(one: ConditionGroup, other: ConditionGroup) -> ConditionGroup:
    """A group that is true if both are."""
    if not one.conditions and not one.groups:
        return other
    if not other.conditions and not other.groups:
        return one
    if one.kind == other.kind == "and":
        return ConditionGroup("and", one.conditions + other.conditions, one.groups + other.groups)
    return ConditionGroup("and", (), (one, other))


def _opposite(group: ConditionGroup) -> ConditionGroup | None:
    """A group that is true if the other is not; None if a condition has no opposite."""
    conditions = []
    for condition in group.conditions:
        if condition.kind not in OPPOSITES:
            return None
        conditions.append(Condition(OPPOSITES[condition.kind], condition.query))
    groups = []
    for inner in group.groups:
        made = _opposite(inner)
        if made is None:
            return None
        groups.append(made)
    return ConditionGroup("or" if group.kind == "and" else "and", tuple(conditions), tuple(groups))
