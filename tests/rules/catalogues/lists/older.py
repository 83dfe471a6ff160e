"""Files of older formats in the terms of the newest, for the evaluator.

It follows the transformations that WarHub/wham documents: 1.15 to 2.00, 2.00 to 2.01, and 2.01 to
2.03. Profiles and rules are left out: they cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.rules.catalogues.lists.evaluator import Part

# Attribute → type, field, scope, whether selections inside others count, and what limits nothing.
LIMITS = {
    "minSelections": ("min", "selections", "parent", "false", 0),
    "maxSelections": ("max", "selections", "parent", "false", -1),
    "minPoints": ("min", "points", "parent", "true", 0),
    "maxPoints": ("max", "points", "parent", "true", -1),
    "minInForce": ("min", "selections", "force", "true", 0),
    "maxInForce": ("max", "selections", "force", "true", -1),
    "minInRoster": ("min", "selections", "roster", "true", 0),
    "maxInRoster": ("max", "selections", "roster", "true", -1),
}
CONDITIONS = {
    "less than": "lessThan",
    "greater than": "greaterThan",
    "equal to": "equalTo",
    "not equal to": "notEqualTo",
    "at least": "atLeast",
    "at most": "atMost",
    "instance of": "instanceOf",
}
SCOPES = {"direct parent": "parent", "force type": "force", "category": "primary-category"}
# Scopes in which the selections inside others always counted.
DEEP = ("force", "roster", "primary-category")


def renew(kind: str, part: Part) -> Part:
    """Return a file's root in the terms of the newest format."""
    match part["battleScribeVersion"]:
        case "1.15":
            return _system(part) if kind == "gameSystem" else _catalogue(part)
        case "2.01":
            return _rename(part)
    return part


def _rename(part: Part) -> Part:
    """Give a part of a 2.01 file, and all inside, the newest names."""
    given = dict(part.given)
    if "costTypeId" in given:
        given["typeId"] = given.pop("costTypeId")
    # Everything was imported then, and the entries at the roots of linked catalogues too.
    given |= {"import": "true", "importRootEntries": "true"}
    return Part(given, {name: tuple(map(_rename, rows)) for name, rows in part.lists.items()})


def _system(part: Part) -> Part:
    forces = [_force(row) for row in part.all("forceTypes")]
    categories = {
        row["id"]: Part({"id": row["id"], "name": row["name"]}, {})
        for force in part.all("forceTypes")
        for row in force.all("categories")
    }
    points = Part({"id": "points", "name": "pts"}, {})
    lists = {
        "costTypes": (points,),
        "categoryEntries": tuple(categories.values()),
        "forceEntries": tuple(forces),
    }
    return Part(part.given, lists)


def _force(part: Part) -> Part:
    links = []
    for row in part.all("categories"):
        given = {"id": f"{part['id']}-{row['id']}", "targetId": row["id"], "name": row["name"]}
        links.append(
            Part(given, {"constraints": tuple(_limits(row)), "modifiers": _modifiers(row)})
        )
    return Part(part.given, {"categoryLinks": tuple(links)})


def _catalogue(part: Part) -> Part:
    lists = {
        "selectionEntries": tuple(map(_entry, part.all("entries"))),
        "entryLinks": tuple(_links(part)),
        "sharedSelectionEntries": tuple(map(_entry, part.all("sharedEntries"))),
        "sharedSelectionEntryGroups": tuple(map(_group, part.all("sharedEntryGroups"))),
    }
    return Part(part.given, lists)


def _entry(part: Part) -> Part:
    found = _group(part)
    cost = Part({"name": "pts", "typeId": "points", "value": part["points"]}, {})
    lists = {**found.lists, "costs": (cost,), "categoryLinks": _category(part)}
    return Part({**found.given, "type": part["type"]}, lists)


def _group(part: Part) -> Part:
    names = ("id", "name", "hidden", "collective")
    given = {**{name: part[name] for name in names}, "import": "true"}
    if default := part.get("defaultEntryId"):
        given["defaultSelectionEntryId"] = default
    lists = {
        "constraints": tuple(_limits(part)),
        "modifiers": _modifiers(part),
        "selectionEntries": tuple(map(_entry, part.all("entries"))),
        "selectionEntryGroups": tuple(map(_group, part.all("entryGroups"))),
        "entryLinks": tuple(_links(part)),
    }
    return Part(given, lists)


def _links(part: Part) -> Iterator[Part]:
    kinds = {"entry": "selectionEntry", "entry group": "selectionEntryGroup"}
    for row in part.all("links"):
        if (kind := kinds.get(row["linkType"])) is not None:
            given = {"id": row["id"], "targetId": row["targetId"], "type": kind, "import": "true"}
            yield Part(given, {"modifiers": _modifiers(row), "categoryLinks": _category(row)})


def _category(part: Part) -> tuple[Part, ...]:
    of = part.get("categoryId")
    if of in ("", "(No Category)"):
        return ()
    return (Part({"id": f"{part['id']}-{of}", "targetId": of, "primary": "true"}, {}),)


def _limits(part: Part) -> Iterator[Part]:
    changed = {row["field"] for row in part.all("modifiers")}
    for name, (kind, of, scope, inside, none) in LIMITS.items():
        value = part.get(name, str(none))
        if float(value) != none or name in changed:
            given = {"id": name, "type": kind, "field": of, "scope": scope, "value": value}
            yield Part({**given, "includeChildSelections": inside}, {})


def _modifiers(part: Part) -> tuple[Part, ...]:
    return tuple(map(_modifier, part.all("modifiers")))


def _modifier(part: Part) -> Part:
    given = {name: part[name] for name in ("type", "field", "value")}
    if part["type"] in ("show", "hide"):
        value = "true" if part["type"] == "hide" else "false"
        given = {"type": "set", "field": "hidden", "value": value}
    repeats: tuple[Part, ...] = ()
    if part.is_("repeat"):
        query = {
            "repeats": part["numRepeats"],
            "value": part["incrementValue"],
            "field": part["incrementField"],
            "childId": part["incrementChildId"],
            **_scope(part["incrementParentId"]),
        }
        repeats = (Part(query, {}),)
    return Part(given, {**_conditions(part), "repeats": repeats})


def _conditions(part: Part) -> dict[str, tuple[Part, ...]]:
    rows = []
    for row in part.all("conditions"):
        given = {name: row[name] for name in ("value", "field", "childId")}
        kind = {"type": CONDITIONS[row["type"]]}
        rows.append(Part({**given, **kind, **_scope(row["parentId"])}, {}))
    groups = (Part(row.given, _conditions(row)) for row in part.all("conditionGroups"))
    return {"conditions": tuple(rows), "conditionGroups": tuple(groups)}


def _scope(parent: str) -> dict[str, str]:
    scope = SCOPES.get(parent, parent)
    return {"scope": scope, "includeChildSelections": str(scope in DEEP).lower()}
