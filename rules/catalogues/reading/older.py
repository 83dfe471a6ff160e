"""Rewrites elements of older formats in the terms of the newest one.

Each step takes the elements of a file from one version of the format to the next, in place, as
BattleScribe did when it opened an older file. The elements belong to the caller alone.
"""

from __future__ import annotations

import re

from rules.catalogues.reading.elements import Element

VERSION = re.compile(r"(\d{1,2})\.(\d{1,2})")
# The kind of cost of format 1.15, which has only one.
POINTS = "points"
CONDITIONS = {
    "less than": "lessThan",
    "greater than": "greaterThan",
    "equal to": "equalTo",
    "not equal to": "notEqualTo",
    "at least": "atLeast",
    "at most": "atMost",
    "instance of": "instanceOf",
    "not instance of": "notInstanceOf",
}
# Attributes of an element that became limits: the attribute → kind, field, scope.
LIMITS = {
    "minSelections": ("min", "selections", "parent"),
    "maxSelections": ("max", "selections", "parent"),
    "minPoints": ("min", POINTS, "parent"),
    "maxPoints": ("max", POINTS, "parent"),
    "minInForce": ("min", "selections", "force"),
    "maxInForce": ("max", "selections", "force"),
    "minInRoster": ("min", "selections", "roster"),
    "maxInRoster": ("max", "selections", "roster"),
    "minPercentage": ("min", f"limit::{POINTS}", "roster"),
    "maxPercentage": ("max", f"limit::{POINTS}", "roster"),
}
# Names of lists and elements of format 1.15.
RENAMED = {
    "entries": "selectionEntries",
    "entry": "selectionEntry",
    "entryGroups": "selectionEntryGroups",
    "entryGroup": "selectionEntryGroup",
    "forceTypes": "forceEntries",
    "forceType": "forceEntry",
    "sharedEntries": "sharedSelectionEntries",
    "sharedEntryGroups": "sharedSelectionEntryGroups",
}
LINKS = {"entry": "selectionEntry", "entry group": "selectionEntryGroup"}


def find_version(root: Element) -> tuple[int, int]:
    """Return the version of the format of a file; the newest known if it does not say."""
    found = VERSION.match(root.get("battleScribeVersion").strip())
    if found:
        return int(found[1]), int(found[2])
    is_old = any(child.tag in RENAMED for child in root.children)
    return (1, 15) if is_old else (2, 3)


def modernise(root: Element) -> None:
    """Rewrite a catalogue or a game system of any version in terms of version 2.03."""
    version = find_version(root)
    if version < (2, 0):
        _to_2_00(root)
    if version < (2, 1):
        _to_2_01(root)
    if version < (2, 2):
        _to_2_02(root)
    if version < (2, 3):
        for element in root.all():
            if element.tag in ("selectionEntry", "selectionEntryGroup", "entryLink"):
                element.attributes["import"] = "true"
            elif element.tag == "catalogueLink":
                element.attributes["importRootEntries"] = "true"


def _made(tag: str, *children: Element, **attributes: str) -> Element:
    made = Element(tag, attributes)
    made.children = list(children)
    return made


def _renamed(element: Element, old: str, new: str) -> None:
    if old in element.attributes:
        element.attributes.setdefault(new, element.attributes.pop(old))


# Format 1.15: one kind of cost, limits as attributes, and one list for links of all kinds.


def _to_2_00(root: Element) -> None:
    if root.tag == "gameSystem" and not root.child("costTypes"):
        root.children.append(_made("costTypes", _made("costType", id=POINTS, name="pts")))
    _renamed(root, "books", "book")
    is_system = root.tag == "gameSystem"
    changed = _changed_by_links(root)
    for element in root.all():
        for child in element.children:
            if child.tag in ("entry", "entryGroup", "forceType", "category"):
                _limits(child, changed.get(child.get("id"), set()), is_system=is_system)
            # The page of an element without one.
            if child.get("page") == "0":
                del child.attributes["page"]
            if child.tag == "entry" and "points" in child.attributes:
                cost = _made("cost", typeId=POINTS, value=child.attributes.pop("points"))
                child.children.append(_made("costs", cost))
            elif child.tag == "modifier":
                _modifier(child, is_system=is_system)
            elif child.tag == "condition":
                _condition(child, is_system=is_system)
            elif child.tag == "characteristics" and element.tag == "profileType":
                child.tag = "characteristicTypes"
                for kind in child.children:
                    kind.tag = "characteristicType"
            elif child.tag == "categories" and element.tag == "forceType":
                child.tag = "categoryEntries"
            elif child.tag == "category":
                child.tag = "categoryEntry"
            _renamed(child, "categoryId", "categoryEntryId")
            _renamed(child, "characteristicId", "characteristicTypeId")
            _renamed(child, "defaultEntryId", "defaultSelectionEntryId")
        if any(child.tag == "links" for child in element.children):
            _split_links(element)
    for element in root.all():
        element.tag = RENAMED.get(element.tag, element.tag)


def _changed_by_links(root: Element) -> dict[str, set[str]]:
    """Return the fields of shared elements, by id, that the modifiers of links change."""
    found: dict[str, set[str]] = {}
    for element in root.all():
        if element.tag == "link":
            fields = {modifier.get("field") for modifier in element.each("modifiers")}
            found.setdefault(element.get("targetId"), set()).update(fields)
    return found


def _split_links(element: Element) -> None:
    links = [*element.each("links")]
    element.children = [child for child in element.children if child.tag != "links"]
    for link in links:
        kind = link.attributes.pop("linkType", "")
        link.attributes["type"] = LINKS.get(kind, kind)
        link.tag = "entryLink" if kind in LINKS else "infoLink"
    for name in ("entryLink", "infoLink"):
        if found := [link for link in links if link.tag == name]:
            element.children.append(_made(f"{name}s", *found))


def _limits(element: Element, changed: set[str], *, is_system: bool) -> None:
    """Turn attributes into limits. ``changed``: fields that modifiers of links change."""
    changed = changed | {modifier.get("field") for modifier in element.each("modifiers")}
    found = []
    for name, (kind, field, scope) in LIMITS.items():
        value = element.attributes.pop(name, None)
        # A least of nothing and a most below nothing are no limits, unless they are changed.
        is_none = value is None or value.startswith("-") or (kind == "min" and not _is_some(value))
        if value is None or (is_none and name not in changed):
            continue
        limit = _made("constraint", id=name, type=kind, value=value, field=field, scope=scope)
        if field != "selections" or scope != "parent":
            limit.attributes["includeChildSelections"] = "true"
        if is_system and kind == "max":
            limit.attributes["includeChildForces"] = "true"
        if name.endswith("Percentage"):
            limit.attributes["percentValue"] = "true"
        found.append(limit)
    if found:
        element.children.append(_made("constraints", *found))


def _is_some(number: str) -> bool:
    return any(digit in number for digit in "123456789")


def _modifier(modifier: Element, *, is_system: bool) -> None:
    written = modifier.attributes
    if written.get("type") in ("show", "hide"):
        is_hidden = "true" if written["type"] == "hide" else "false"
        written.update(type="set", field="hidden", value=is_hidden)
    times = written.pop("numRepeats", "1")
    value = written.pop("incrementValue", "1")
    field = written.pop("incrementField", "")
    parent = written.pop("incrementParentId", "")
    child = written.pop("incrementChildId", "")
    if written.pop("repeat", "") == "true":
        repeat = _made("repeat", repeats=times, value=value)
        if is_system:
            scope, child = "force", parent
            _field(repeat, field, percent=POINTS)
        else:
            scope = _scope(repeat, parent)
            _field(repeat, field, percent=f"limit::{POINTS}")
        repeat.attributes.update(scope=scope, childId=child)
        modifier.children.append(_made("repeats", repeat))


def _condition(condition: Element, *, is_system: bool) -> None:
    written = condition.attributes
    kind = written.get("type", "")
    written["type"] = CONDITIONS.get(kind, kind)
    field = written.pop("field", "")
    parent = written.pop("parentId", "")
    if field in ("points limit", "total selections"):
        written.update(scope="roster", childId="any")
    elif is_system:
        written.update(scope="parent", childId=parent)
    else:
        written["scope"] = _scope(condition, parent)
    _field(condition, field, percent=f"limit::{POINTS}")


def _field(query: Element, field: str, percent: str) -> None:
    names = {"points limit": f"limit::{POINTS}", "total selections": "selections"}
    query.attributes["field"] = names.get(field, field)
    if field == "percent":
        query.attributes.update(field=percent, percentValue="true")
    if field in ("percent", POINTS):
        query.attributes["includeChildSelections"] = "true"


def _scope(query: Element, parent: str) -> str:
    if parent in ("force type", "roster", "category"):
        query.attributes["includeChildSelections"] = "true"
    return {"direct parent": "parent", "force type": "force"}.get(parent, parent)


# Format 2.00: categories belong to forces, and an entry has at most one.


def _to_2_01(root: Element) -> None:
    categories: dict[str, Element] = {}
    for element in root.all():
        if element.get("scope") == "category":
            element.attributes["scope"] = "primary-category"
        category = element.attributes.pop("categoryEntryId", "")
        if category not in ("", "(No Category)"):
            link = _category_link(element, category, primary="true")
            element.children.append(_made("categoryLinks", link))
        if element.tag == "forceEntry":
            for entry in element.each("categoryEntries"):
                entry_id = entry.get("id")
                if entry_id not in categories:
                    categories[entry_id] = _made("categoryEntry", **entry.attributes)
                link = _category_link(element, entry_id, name=entry.get("name"))
                link.children = entry.children
                element.children.append(_made("categoryLinks", link))
            element.children = [one for one in element.children if one.tag != "categoryEntries"]
    if categories:
        root.children.append(_made("categoryEntries", *categories.values()))


def _category_link(parent: Element, category: str, **attributes: str) -> Element:
    name = f"{parent.get('id')}-{category}"
    return _made("categoryLink", id=name, targetId=category, **attributes)


# Format 2.01: books by name, other names of attributes, and characteristics as attributes.


def _to_2_02(root: Element) -> None:
    books: dict[str, str] = {}
    for element in root.all():
        book = element.attributes.pop("book", "").strip()
        # The books of a file itself are its sources together, not one of them.
        if book and element is not root:
            found = books.setdefault(book, f"{root.get('id')[:9]}-pub{len(books) + 1}")
            element.attributes["publicationId"] = found
        for old in ("costTypeId", "profileTypeId", "characteristicTypeId"):
            _renamed(element, old, "typeId")
        _renamed(element, "profileTypeName", "typeName")
        if element.tag == "characteristic":
            element.text = element.attributes.pop("value", "") or element.text
    if books:
        made = [_made("publication", id=found, name=book) for book, found in books.items()]
        root.children.append(_made("publications", *made))
