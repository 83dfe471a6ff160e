"""Catalogues of invented games, written once and saved in every format.

A game is a tree in the terms of the newest format (2.03); ``node`` builds it. ``as_2_03`` and
``as_json`` write the tree as it is. ``as_2_01`` and ``as_1_15`` write what the older formats can
say, by their documentation, and raise ``CannotSay`` for the rest.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

# The list that holds elements of a kind.
LISTS = {
    "publication": "publications",
    "costType": "costTypes",
    "profileType": "profileTypes",
    "characteristicType": "characteristicTypes",
    "categoryEntry": "categoryEntries",
    "forceEntry": "forceEntries",
    "selectionEntry": "selectionEntries",
    "selectionEntryGroup": "selectionEntryGroups",
    "entryLink": "entryLinks",
    "categoryLink": "categoryLinks",
    "catalogueLink": "catalogueLinks",
    "infoLink": "infoLinks",
    "infoGroup": "infoGroups",
    "profile": "profiles",
    "characteristic": "characteristics",
    "rule": "rules",
    "cost": "costs",
    "costLimit": "costLimits",
    "constraint": "constraints",
    "modifier": "modifiers",
    "modifierGroup": "modifierGroups",
    "condition": "conditions",
    "conditionGroup": "conditionGroups",
    "repeat": "repeats",
    "force": "forces",
    "selection": "selections",
    "category": "categories",
}
SHARED = {
    "selectionEntry": "sharedSelectionEntries",
    "selectionEntryGroup": "sharedSelectionEntryGroups",
    "profile": "sharedProfiles",
    "rule": "sharedRules",
    "infoGroup": "sharedInfoGroups",
}
# The order in which the programs write an element's lists.
ORDER = [
    *("comment", "readme", "publications", "costTypes", "profileTypes", "categoryEntries"),
    *("forceEntries", "characteristicTypes", "modifiers", "modifierGroups", "repeats"),
    *("conditions", "conditionGroups", "constraints", "description", "profiles", "rules"),
    *("infoGroups", "infoLinks", "characteristics", "categoryLinks", "selectionEntries"),
    *("selectionEntryGroups", "entryLinks", "costs", "sharedSelectionEntries"),
    *("sharedSelectionEntryGroups", "sharedRules", "sharedProfiles", "sharedInfoGroups"),
    *("catalogueLinks", "costLimits", "selections", "categories", "forces"),
]
NAMESPACE = "http://www.battlescribe.net/schema/{}Schema"
FLAGS = (
    *("hidden", "collective", "import", "primary", "shared", "percentValue", "roundUp"),
    *("includeChildSelections", "includeChildForces", "importRootEntries", "library"),
)
# Attributes that only New Recruit writes.
NEW_RECRUIT = ("sortIndex", "collapsible", "flatten")
PLAIN_TEXTS = ("readme", "comment", "description")
Attribute = str | int | float | bool


class CannotSay(ValueError):
    """Raised when an older format has no words for a part of a game."""


@dataclass(frozen=True)
class Game:
    """An invented game: its files as trees, and the answers that an author would give.

    ``money`` and ``worth``: cost types; ``member`` and ``life``: see ``Answers``; ``roles``: the
    role of each entry that keeps a campaign's records.
    """

    key: str
    trees: tuple[Element, ...]
    money: str
    worth: str
    member: str
    life: str
    roles: Mapping[str, str]
    formats: tuple[str, ...]


def node(tag: str, *children: Element, **attributes: Attribute | None) -> Element:
    """Return an element with its children, each in the list of its kind.

    An attribute that is None is left out; a name may end with an underscore, as ``import_``.
    """
    element = Element(tag)
    for name, value in attributes.items():
        if value is not None:
            element.set(name.rstrip("_"), _write(value))
    for child in children:
        where = LISTS.get(child.tag)
        if where is None:
            element.append(child)
            continue
        holder = element.find(where)
        if holder is None:
            holder = ElementTree.SubElement(element, where)
        holder.append(child)
    element[:] = sorted(element, key=lambda child: ORDER.index(child.tag))
    return element


def _write(value: Attribute) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def text(tag: str, words: str) -> Element:
    """Return an element with a text: a readme, a comment, a description."""
    element = Element(tag)
    element.text = words
    return element


def share(root: Element, *elements: Element) -> Element:
    """Add elements to the root's lists of shared ones."""
    for element in elements:
        where = SHARED[element.tag]
        holder = root.find(where)
        if holder is None:
            holder = ElementTree.SubElement(root, where)
        holder.append(element)
    root[:] = sorted(root, key=lambda child: ORDER.index(child.tag))
    return root


# Words for the parts of a game ------------------------------------------------------------------


def system(id: str, name: str, *children: Element, **attributes: Attribute) -> Element:
    """Return a game system."""
    given = {"revision": 3, "battleScribeVersion": "2.03", "authorName": "Nobody"}
    return node("gameSystem", *children, id=id, name=name, **{**given, **attributes})


def catalogue(id: str, name: str, of: str, *children: Element, **attributes: Attribute) -> Element:
    """Return a catalogue of a game system."""
    given = {"revision": 2, "battleScribeVersion": "2.03", "gameSystemId": of}
    return node("catalogue", *children, id=id, name=name, **{**given, **attributes})


def cost_type(id: str, name: str, limit: int = -1) -> Element:
    """Return a kind of cost; -1 is no limit."""
    return node("costType", id=id, name=name, defaultCostLimit=limit)


def profile_type(id: str, name: str, **characteristics: str) -> Element:
    """Return a kind of profile. Each characteristic's id is the type's, a dash and its own."""
    rows = (
        node("characteristicType", id=f"{id}-{key}", name=words)
        for key, words in characteristics.items()
    )
    return node("profileType", *rows, id=id, name=name)


def profile(
    kind: Element, id: str, name: str, values: str, *children: Element, **attributes: Attribute
) -> Element:
    """Return a profile. ``values``: of its characteristics in order, with slashes between them."""
    types = list(kind.iter("characteristicType"))
    rows = []
    for row, value in zip(types, values.split("/"), strict=True):
        one = node("characteristic", name=row.get("name"), typeId=row.get("id"))
        one.text = value.strip()
        rows.append(one)
    given = {"typeId": kind.get("id"), "typeName": kind.get("name"), "hidden": False}
    return node("profile", *rows, *children, id=id, name=name, **{**given, **attributes})


def rule(id: str, name: str, words: str, **attributes: Attribute) -> Element:
    """Return a rule in words."""
    return node(
        "rule", text("description", words), id=id, name=name, **{"hidden": False, **attributes}
    )


def entry(
    id: str, name: str, kind: str, costs: Mapping[str, int], *children: Element,
    **attributes: Attribute,
) -> Element:  # fmt: skip
    """Return an entry. ``costs``: cost type's id → cost."""
    rows = (node("cost", name=key, typeId=key, value=f"{cost}.0") for key, cost in costs.items())
    given: dict[str, Attribute] = {"hidden": False, "collective": False, "import_": True}
    given |= {"type": kind, **attributes}
    return node("selectionEntry", *rows, *children, id=id, name=name, **given)


def group(id: str, name: str, *children: Element, **attributes: Attribute) -> Element:
    """Return a group of entries."""
    given: dict[str, Attribute] = {"hidden": False, "collective": False, "import_": True}
    return node("selectionEntryGroup", *children, id=id, name=name, **{**given, **attributes})


def link(
    id: str, target: str, name: str, *children: Element, costs: Mapping[str, int] | None = None,
    to: str = "selectionEntry", **attributes: Attribute,
) -> Element:  # fmt: skip
    """Return a link to a shared entry, or ``to`` a "selectionEntryGroup"."""
    rows = (
        node("cost", name=key, typeId=key, value=f"{cost}.0") for key, cost in (costs or {}).items()
    )
    given: dict[str, Attribute] = {"hidden": False, "collective": False, "import_": True}
    given |= {"targetId": target, "type": to, **attributes}
    return node("entryLink", *rows, *children, id=id, name=name, **given)


def info(id: str, target: str, name: str, to: str, *children: Element) -> Element:
    """Return a link to a shared profile, rule or group of them."""
    return node("infoLink", *children, id=id, name=name, targetId=target, type=to, hidden=False)


def category(of: str, target: str, *children: Element, primary: bool = False) -> Element:
    """Return a link to a category. ``of``: the id of the element that has it."""
    return node(
        "categoryLink", *children, id=f"{of}-{target}", name=target, targetId=target,
        primary=primary, hidden=False,
    )  # fmt: skip


def limit(
    kind: str, id: str, value: int, scope: str = "parent", *, field: str = "selections",
    inside: bool | None = None, percent: bool = False, shared: bool = True,
) -> Element:  # fmt: skip
    """Return a constraint. ``kind``: min, max, or New Recruit's exactly. ``inside``: whether
    selections inside others count; by default they do in a force and a roster."""
    return node(
        "constraint", id=id, type=kind, value=f"{value}.0", field=field, scope=scope,
        shared=shared, percentValue=percent, includeChildForces=False,
        includeChildSelections=scope in ("force", "roster") if inside is None else inside,
    )  # fmt: skip


def exactly(id: str, value: int) -> tuple[Element, Element]:
    """Return the two constraints of an entry that a parent has exactly so often."""
    return (
        limit("min", f"{id}-min", value, shared=False),
        limit("max", f"{id}-max", value, shared=False),
    )


def modify(
    kind: str, field: str, value: Attribute, *children: Element, **attributes: Attribute
) -> Element:
    """Return a modifier with its conditions, groups of conditions and repeats."""
    return node("modifier", *children, type=kind, field=field, value=value, **attributes)


def when(
    kind: str, child: str, value: int = 1, scope: str = "ancestor", *, field: str = "selections",
    inside: bool | None = None, percent: bool = False,
) -> Element:  # fmt: skip
    """Return a condition: by default, that an ancestor is an instance of ``child``."""
    return node(
        "condition", type=kind, value=f"{value}.0", field=field, scope=scope, childId=child,
        shared=True, percentValue=percent, includeChildForces=False,
        includeChildSelections=scope in ("force", "roster") if inside is None else inside,
    )  # fmt: skip


def any_of(*conditions: Element, kind: str = "or") -> Element:
    """Return a group of conditions."""
    return node("conditionGroup", *conditions, type=kind)


def each(
    child: str, value: int = 1, scope: str = "self", times: int = 1, *,
    field: str = "selections", inside: bool | None = None, up: bool = False,
) -> Element:  # fmt: skip
    """Return a repeat: ``times`` for each ``value`` that are counted."""
    return node(
        "repeat", value=f"{value}.0", repeats=times, field=field, scope=scope, childId=child,
        shared=True, roundUp=up, percentValue=False, includeChildForces=False,
        includeChildSelections=scope in ("force", "roster") if inside is None else inside,
    )  # fmt: skip


# Formats ----------------------------------------------------------------------------------------


def file_name(tree: Element, ending: str = "") -> str:
    """Return a file's name, as the programs choose it."""
    kind = "gst" if tree.tag == "gameSystem" else "cat"
    return f"{tree.get('name')}.{ending or kind}"


def as_2_03(trees: Iterable[Element]) -> list[tuple[str, bytes]]:
    """Return the game's files in the format 2.03."""
    return [(file_name(tree), _xml(tree)) for tree in trees]


def _xml(tree: Element) -> bytes:
    """Return a tree as a file in its namespace, without what only New Recruit writes."""
    tree = copy.deepcopy(tree)
    for element in tree.iter():
        for name in NEW_RECRUIT:
            element.attrib.pop(name, None)
    tree.set("xmlns", NAMESPACE.format(tree.tag))
    ElementTree.indent(tree)
    written = ElementTree.tostring(tree, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{written}\n'.encode()


def as_json(trees: Iterable[Element]) -> list[tuple[str, bytes]]:
    """Return the game's files as New Recruit's editor saves them."""
    files = []
    for tree in trees:
        data = {tree.tag: {**_object(tree), "xmlns": NAMESPACE.format(tree.tag)}}
        written = json.dumps(data, ensure_ascii=False, indent=1)
        files.append((file_name(tree, "json"), written.encode()))
    return files


def _object(element: Element) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: _typed(element, name, value) for name, value in element.attrib.items()
    }
    for child in element:
        if child.tag in PLAIN_TEXTS:
            found[child.tag] = child.text
        else:
            found[child.tag] = [_object(row) for row in child]
    if element.tag == "characteristic":
        found["$text"] = element.text or ""
    return found


def _typed(element: Element, name: str, value: str) -> Any:
    """Return an attribute as JSON has it: flags, numbers, and the values of modifiers."""
    if name in FLAGS or value in ("true", "false"):
        return value == "true"
    if name in ("value", "revision", "repeats", "defaultCostLimit", "sortIndex", "number"):
        try:
            number = float(value)
        except ValueError:
            return value
        return int(number) if number == int(number) else number
    return value


def as_2_01(trees: Iterable[Element]) -> list[tuple[str, bytes]]:
    """Return the game's files in the format 2.01.

    It has books instead of publications, other names for the ids of types, and neither groups of
    modifiers nor groups of profiles: their contents stand where the group was.
    """
    trees = [copy.deepcopy(tree) for tree in trees]
    books = {row.get("id"): row.get("name") for tree in trees for row in tree.iter("publication")}
    groups = {row.get("id"): row for tree in trees for row in tree.iter("infoGroup")}
    files = []
    for tree in trees:
        _spread_info_groups(tree, groups)
        _spread_modifier_groups(tree)
        for unknown in ("publications", "sharedInfoGroups"):
            for found in tree.findall(unknown):
                tree.remove(found)
        for element in tree.iter():
            _say_in_2_01(element, books)
        tree.set("battleScribeVersion", "2.01")
        files.append((file_name(tree), _xml(tree)))
    return files


def _say_in_2_01(element: Element, books: Mapping[str | None, str | None]) -> None:
    """Rename an element's attributes."""
    given = element.attrib
    for unknown in ("import", "importRootEntries"):
        given.pop(unknown, None)
    if (publication := given.pop("publicationId", None)) is not None:
        given["book"] = books[publication] or ""
    if element.tag == "costType":
        given.pop("hidden", None)
    if element.tag == "cost":
        given["costTypeId"] = given.pop("typeId")
    if element.tag == "profile":
        given["profileTypeId"] = given.pop("typeId")
        given["profileTypeName"] = given.pop("typeName")
    if element.tag == "characteristic":
        given["characteristicTypeId"] = given.pop("typeId")
        given["value"], element.text = element.text or "", None


def _spread_info_groups(tree: Element, groups: Mapping[str | None, Element]) -> None:
    """Put the profiles and rules of groups where the groups were."""
    while any(_is_grouped(element) for element in tree.iter()):
        for element in list(tree.iter()):
            if not _is_grouped(element):
                continue
            held = list(element.findall("infoGroups/infoGroup"))
            links = element.find("infoLinks")
            if links is not None:
                for one in list(links):
                    if one.get("type") == "infoGroup":
                        links.remove(one)
                        held.append(groups[one.get("targetId")])
            for holder in element.findall("infoGroups"):
                element.remove(holder)
            for one in held:
                for tag in ("profile", "rule", "infoLink"):
                    _add(element, copy.deepcopy(one.findall(f"{LISTS[tag]}/{tag}")))


def _is_grouped(element: Element) -> bool:
    return element.find("infoGroups") is not None or any(
        one.get("type") == "infoGroup" for one in element.findall("infoLinks/infoLink")
    )


def _add(element: Element, children: Iterable[Element]) -> None:
    for child in children:
        holder = element.find(LISTS[child.tag])
        if holder is None:
            holder = ElementTree.SubElement(element, LISTS[child.tag])
        holder.append(child)


def _spread_modifier_groups(tree: Element) -> None:
    """Give each modifier of a group the group's conditions and repeats."""
    for element in list(tree.iter()):
        holder = element.find("modifierGroups")
        if element.tag == "modifierGroup" or holder is None:
            continue
        element.remove(holder)
        for one in holder:
            for modifier in _modifiers_in(one):
                _add(element, [modifier])


def _modifiers_in(one: Element) -> Iterator[Element]:
    inner = [copy.deepcopy(row) for row in one.findall("modifiers/modifier")]
    for nested in one.findall("modifierGroups/modifierGroup"):
        inner.extend(_modifiers_in(nested))
    for modifier in inner:
        for tag in ("condition", "conditionGroup", "repeat"):
            _add(modifier, copy.deepcopy(one.findall(f"{LISTS[tag]}/{tag}")))
        yield modifier


# 1.15 -------------------------------------------------------------------------------------------

# A constraint's attribute, by type, field, scope, and whether selections inside others count.
LIMITS_1_15 = {
    ("min", "selections", "parent", False): "minSelections",
    ("max", "selections", "parent", False): "maxSelections",
    ("min", "selections", "force", True): "minInForce",
    ("max", "selections", "force", True): "maxInForce",
    ("min", "selections", "roster", True): "minInRoster",
    ("max", "selections", "roster", True): "maxInRoster",
    ("min", "points", "parent", True): "minPoints",
    ("max", "points", "parent", True): "maxPoints",
}
CONDITIONS_1_15 = {
    "lessThan": "less than",
    "greaterThan": "greater than",
    "equalTo": "equal to",
    "notEqualTo": "not equal to",
    "atLeast": "at least",
    "atMost": "at most",
    "instanceOf": "instance of",
}
SCOPES_1_15 = {"parent": "direct parent", "force": "force type", "roster": "roster"}
# No limit, in attributes that every entry has.
NONE_1_15 = {
    **{name: "0" for name in LIMITS_1_15.values() if name.startswith("min")},
    **{name: "-1" for name in LIMITS_1_15.values() if name.startswith("max")},
}


def as_1_15(trees: Iterable[Element]) -> list[tuple[str, bytes]]:
    """Return the game's files in the format 1.15.

    Raises CannotSay for anything but: points, one category for an entry, limits within the parent,
    the force and the roster, links with modifiers only.
    """
    trees = list(trees)
    books = {row.get("id"): row.get("name") for tree in trees for row in tree.iter("publication")}
    return [(file_name(tree), _xml(Old(books).file(tree))) for tree in trees]


@dataclass(frozen=True)
class Old:
    """Writes elements in the format 1.15. ``books``: publication's id → name."""

    books: Mapping[str | None, str | None]

    def file(self, tree: Element) -> Element:
        """Return a file."""
        given = {**tree.attrib, "battleScribeVersion": "1.15", "books": ""}
        made = Element(tree.tag, given)
        if tree.tag == "gameSystem":
            forces = ElementTree.SubElement(made, "forceTypes")
            forces.extend(self.force(row) for row in tree.findall("forceEntries/forceEntry"))
            kinds = ElementTree.SubElement(made, "profileTypes")
            kinds.extend(self.profile_type(row) for row in tree.iter("profileType"))
            return made
        self.hold(made, "entries", tree, "selectionEntries", self.entry)
        self.hold(made, "rules", tree, "rules", self.rule)
        self.links(made, tree)
        self.hold(made, "sharedEntries", tree, "sharedSelectionEntries", self.entry)
        self.hold(made, "sharedEntryGroups", tree, "sharedSelectionEntryGroups", self.group)
        self.hold(made, "sharedRules", tree, "sharedRules", self.rule)
        self.hold(made, "sharedProfiles", tree, "sharedProfiles", self.profile)
        if tree.find("catalogueLinks") is not None or tree.find("sharedInfoGroups") is not None:
            raise CannotSay(tree.get("id"))
        return made

    def hold(
        self, made: Element, name: str, element: Element, list_: str,
        write: Callable[[Element], Element],
    ) -> None:  # fmt: skip
        """Add a list of elements under its old name."""
        holder = ElementTree.SubElement(made, name)
        holder.extend(write(row) for row in element.findall(f"{list_}/*"))

    def force(self, row: Element) -> Element:
        """Return a force with its categories."""
        made = Element("forceType", {"id": row.attrib["id"], "name": row.attrib["name"]})
        made.attrib |= {"minSelections": "0", "maxSelections": "-1", "minPoints": "0"}
        made.attrib |= {"maxPoints": "-1", "minPercentage": "0", "maxPercentage": "-1"}
        made.attrib |= {"countTowardsParentMinSelections": "false"}
        holder = ElementTree.SubElement(made, "categories")
        for one in row.findall("categoryLinks/categoryLink"):
            old = ElementTree.SubElement(holder, "category")
            old.attrib |= {"id": one.attrib["targetId"], "name": one.attrib["name"]}
            old.attrib |= {"minPercentage": "0", "maxPercentage": "-1"}
            old.attrib |= self.limits(one)
            for name in [name for name in old.attrib if "In" in name]:
                del old.attrib[name]
            self.modifiers(old, one)
        ElementTree.SubElement(made, "forceTypes")
        return made

    def profile_type(self, row: Element) -> Element:
        """Return a kind of profile."""
        made = Element("profileType", {"id": row.attrib["id"], "name": row.attrib["name"]})
        holder = ElementTree.SubElement(made, "characteristics")
        for one in row.iter("characteristicType"):
            holder.append(Element("characteristic", dict(one.attrib)))
        return made

    def entry(self, row: Element) -> Element:
        """Return an entry with everything inside."""
        costs = {one.attrib["typeId"]: one.attrib["value"] for one in row.findall("costs/cost")}
        if costs.keys() - {"points"}:
            raise CannotSay(row.get("id"))
        made = Element("entry", {"id": row.attrib["id"], "name": row.attrib["name"]})
        made.attrib |= {"points": costs.get("points", "0.0"), "type": row.attrib["type"]}
        made.attrib |= {"categoryId": self.category(row), **self.shown(row), **self.limits(row)}
        self.hold(made, "entries", row, "selectionEntries", self.entry)
        self.hold(made, "entryGroups", row, "selectionEntryGroups", self.group)
        self.modifiers(made, row)
        self.hold(made, "rules", row, "rules", self.rule)
        self.hold(made, "profiles", row, "profiles", self.profile)
        self.links(made, row)
        return made

    def group(self, row: Element) -> Element:
        """Return a group of entries with everything inside."""
        made = Element("entryGroup", {"id": row.attrib["id"], "name": row.attrib["name"]})
        made.attrib["defaultEntryId"] = row.get("defaultSelectionEntryId", "")
        made.attrib |= {**self.shown(row), **self.limits(row)}
        self.hold(made, "entries", row, "selectionEntries", self.entry)
        self.hold(made, "entryGroups", row, "selectionEntryGroups", self.group)
        self.modifiers(made, row)
        self.links(made, row)
        return made

    def category(self, row: Element) -> str:
        """Return the category's id of an entry or a link."""
        links = row.findall("categoryLinks/categoryLink")
        if any(one.get("primary") != "true" or len(one) for one in links) or len(links) > 1:
            raise CannotSay(row.get("id"))
        return links[0].attrib["targetId"] if links else "(No Category)"

    def shown(self, row: Element) -> dict[str, str]:
        """Return whether an element is hidden or collective, and where it is printed."""
        return {
            "collective": row.get("collective", "false"),
            "hidden": row.get("hidden", "false"),
            "book": self.books.get(row.get("publicationId"), "") or "",
            "page": row.get("page", ""),
        }

    def limits(self, row: Element) -> dict[str, str]:
        """Return an element's constraints as attributes."""
        found = dict(NONE_1_15)
        for one in row.findall("constraints/constraint"):
            name = _limit_1_15(one)
            if one.get("percentValue") == "true":
                raise CannotSay(one.get("id"))
            found[name] = one.attrib["value"].removesuffix(".0")
        return found

    def modifiers(self, made: Element, row: Element) -> None:
        """Add an element's modifiers."""
        holder = ElementTree.SubElement(made, "modifiers")
        if row.find("modifierGroups") is not None:
            raise CannotSay(row.get("id"))
        fields = {
            one.attrib["id"]: _limit_1_15(one) for one in row.findall("constraints/constraint")
        }
        for one in row.findall("modifiers/modifier"):
            holder.append(self.modifier(one, fields))

    def modifier(self, one: Element, fields: Mapping[str, str]) -> Element:
        """Return a modifier. ``fields``: constraint's id → its attribute."""
        field = one.attrib["field"]
        made = Element("modifier", {"type": one.attrib["type"], "value": one.attrib["value"]})
        made.set("field", fields.get(field, field))
        if field == "hidden":
            made.attrib |= {"type": "hide" if one.get("value") == "true" else "show"}
            made.attrib |= {"value": "0.0", "field": ""}
        made.attrib |= {"repeat": "false", "numRepeats": "1", "incrementParentId": ""}
        made.attrib |= {"incrementChildId": "", "incrementField": "", "incrementValue": "0.0"}
        repeats = one.findall("repeats/repeat")
        for repeat in repeats:
            if len(repeats) > 1 or repeat.get("roundUp") == "true":
                raise CannotSay("repeats")
            parent = _scope_1_15(repeat)
            made.attrib |= {"repeat": "true", "numRepeats": repeat.attrib["repeats"]}
            made.attrib |= {"incrementParentId": parent, "incrementField": repeat.attrib["field"]}
            made.attrib |= {"incrementChildId": repeat.attrib["childId"]}
            made.attrib |= {"incrementValue": repeat.attrib["value"]}
        self.conditions(made, one)
        return made

    def conditions(self, made: Element, one: Element) -> None:
        """Add conditions and groups of them."""
        holder = ElementTree.SubElement(made, "conditions")
        for row in one.findall("conditions/condition"):
            if row.get("type") not in CONDITIONS_1_15 or row.get("percentValue") == "true":
                raise CannotSay("conditions")
            old = ElementTree.SubElement(holder, "condition")
            old.attrib |= {"type": CONDITIONS_1_15[row.attrib["type"]]}
            old.attrib |= {name: row.attrib[name] for name in ("value", "field", "childId")}
            old.attrib |= {"parentId": _scope_1_15(row)}
        groups = ElementTree.SubElement(made, "conditionGroups")
        for row in one.findall("conditionGroups/conditionGroup"):
            old = ElementTree.SubElement(groups, "conditionGroup", {"type": row.attrib["type"]})
            self.conditions(old, row)

    def links(self, made: Element, row: Element) -> None:
        """Add the links to entries, groups, profiles and rules."""
        holder = ElementTree.SubElement(made, "links")
        kinds = {"selectionEntry": "entry", "selectionEntryGroup": "entry group"}
        for one in (*row.findall("entryLinks/entryLink"), *row.findall("infoLinks/infoLink")):
            if {child.tag for child in one} - {"modifiers", "categoryLinks"}:
                raise CannotSay(one.get("id"))
            old = ElementTree.SubElement(holder, "link")
            old.attrib |= {"id": one.attrib["id"], "targetId": one.attrib["targetId"]}
            old.set("linkType", kinds.get(one.attrib["type"], one.attrib["type"]))
            if one.tag == "entryLink" and (found := self.category(one)) != "(No Category)":
                old.set("categoryId", found)
            self.modifiers(old, one)

    def rule(self, row: Element) -> Element:
        """Return a rule."""
        made = Element("rule", {"id": row.attrib["id"], "name": row.attrib["name"]})
        made.attrib |= self.shown(row)
        del made.attrib["collective"]
        made.append(text("description", row.findtext("description") or ""))
        self.modifiers(made, row)
        return made

    def profile(self, row: Element) -> Element:
        """Return a profile."""
        made = Element("profile", {"id": row.attrib["id"], "name": row.attrib["name"]})
        made.attrib |= {"profileTypeId": row.attrib["typeId"], **self.shown(row)}
        del made.attrib["collective"]
        holder = ElementTree.SubElement(made, "characteristics")
        for one in row.iter("characteristic"):
            old = ElementTree.SubElement(holder, "characteristic")
            old.attrib |= {"characteristicId": one.attrib["typeId"], "name": one.attrib["name"]}
            old.set("value", one.text or "")
        self.modifiers(made, row)
        return made


def _limit_1_15(one: Element) -> str:
    inside = one.get("includeChildSelections") == "true"
    key = (one.attrib["type"], one.attrib["field"], one.attrib["scope"], inside)
    if key not in LIMITS_1_15:
        raise CannotSay(one.get("id"))
    return LIMITS_1_15[key]


def _scope_1_15(row: Element) -> str:
    """Return the scope of a condition or repeat; raises CannotSay for one that is missing there.

    Forces and rosters always count the selections inside others, the rest never does.
    """
    scope = row.attrib["scope"]
    inside = row.get("includeChildSelections") == "true"
    if scope in ("self", "ancestor", "primary-category", "primary-catalogue"):
        raise CannotSay(scope)
    if inside != (scope in ("force", "roster")):
        raise CannotSay(scope)
    return SCOPES_1_15.get(scope, scope)


FORMATS: dict[str, Callable[[Iterable[Element]], list[tuple[str, bytes]]]] = {
    "2.03": as_2_03,
    "2.01": as_2_01,
    "1.15": as_1_15,
    "json": as_json,
}
